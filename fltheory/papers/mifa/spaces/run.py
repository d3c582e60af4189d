"""Where MIFA's theorems may fail: exact runs with the printed step sizes, any availability, starts,
noise and initial gap."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from fltheory.claims.checks.bound_on_run import on_scenario, unmet
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.probability import coin_flips
from fltheory.claims.claim import Claim
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.claims.spaces.space import Space
from fltheory.core.errors import InvalidInput
from fltheory.papers.mifa.checks.closed_forms import mean_over_signs
from fltheory.papers.mifa.checks.runs import decreasing_steps, periodic
from fltheory.papers.mifa.paper import OFFSET, ROUNDS
from fltheory.papers.mifa.spaces.conditions import restated
from fltheory.papers.mifa.spaces.drawing import pattern, quadratic
from fltheory.papers.mifa.statements.closed_forms import SHRINKAGE
from fltheory.papers.mifa.statements.nonconvex import BOUND_OF_THEOREM
from fltheory.papers.mifa.statements.strongly_convex import FIRST_TERM, SECOND_TERM
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import (
    known_staleness,
    mean_client_max_staleness,
    mean_staleness,
    usages,
)

MEASURED = {symbol.name for symbol in (FIRST_TERM + SECOND_TERM).free_symbols} | {
    "weighted_loss_gap",
    "step_offset",
    "constant",
    "mean_client_max_staleness",
    "clients_per_round",
    "initial_loss_gap",
}
NONCONVEX = {symbol.name for symbol in BOUND_OF_THEOREM.free_symbols} | {
    "min_squared_gradient",
    "mean_squared_gradient",
    "constant",
    "local_step_size",
    "mean_staleness",
}


def _admitted(choices: Choices, claim: Claim, scenario: Scenario) -> Instance:
    """The claim's symbols on a run that meets all its printed assumptions."""
    failing = unmet(claim, scenario, stated_only=True)
    if failing:
        choices.reject(failing[0])
    hidden = replace(
        scenario,
        parameters={**scenario.parameters, "constant": Fraction(10) ** choices.choice([0, 3, 9])},
    )
    return on_scenario(claim, hidden)


def _strongly_convex(choices: Choices, claim: Claim) -> Instance:
    """MIFA with eta_t = 4/(mu K (t + a)); t0 as small as the absences let it be, or larger."""
    clients, num_rounds, steps = choices.whole(1, 3), choices.whole(1, 8), choices.whole(1, 3)
    rows = pattern(choices, clients=clients, rounds=num_rounds)
    problem = quadratic(choices, clients=clients, squares=True)
    least = int(known_staleness(Trace.fresh(rows)).max())
    gap = (
        least + choices.choice([0, 1, 2, 10])
        if least
        else choices.choice([1, Fraction(1, 1000), Fraction(1, 10**6), 4])
    )
    return _admitted(
        choices,
        claim,
        decreasing_steps(
            problem, rows, initial_gap=gap, start=choices.number(-3, 3), local_steps=steps
        ),
    )


def _solved(choices: Choices, claim: Claim) -> Instance:
    """One curvature, one local step, everybody active, from the optimum: noise alone; and a start
    at distance 1 without noise."""
    clients, num_rounds = choices.whole(1, 2), choices.whole(1, 8)
    curvature, noise, gap = (
        choices.number(Fraction(1, 2), 3),
        choices.whole(0, 3),
        choices.whole(1, 5),
    )
    alone = Quadratic((curvature,) * clients, (0,) * clients, noise_squared=noise**2)
    rows = [(1,) * clients] * num_rounds
    noisy = decreasing_steps(alone, rows, initial_gap=gap, start=0)
    offset = noisy.parameters["step_offset"]
    model, models = Fraction(1), [Fraction(1)]
    for t in range(1, num_rounds + 1):
        model *= 1 - 4 / (t + offset)
        models.append(model)
    weights = [(t + offset) * (t + offset - 1) for t in range(num_rounds + 1)]
    names = {s.name for s in claim.symbols} - {"averaged_model", "weight_total"}
    values = measure(noisy, names) | {
        "averaged_model": sum(w * x for w, x in zip(weights, models, strict=True)) / sum(weights),
        "weight_total": sum(weights),
    }
    return Instance(values, f"{clients} devices, {num_rounds} rounds, a = {offset}")


def _signs(choices: Choices, claim: Claim) -> Instance:
    """The expected gap from single responses, and by brute force over all signs of the noise."""
    clients, num_rounds, steps = choices.whole(1, 2), choices.whole(1, 3), choices.whole(1, 2)
    rows = pattern(choices, clients=clients, rounds=num_rounds)
    problem = replace(
        quadratic(choices, clients=clients, noise=False, squares=True),
        noise_squared=choices.whole(0, 2) ** 2,
    )
    scenario = decreasing_steps(
        problem, rows, initial_gap=4, start=choices.number(-2, 2), local_steps=steps
    )
    try:
        return Instance(
            measure(scenario, ["weighted_loss_gap"])
            | {"mean_over_signs": mean_over_signs(scenario)},
            f"{rows}, K = {steps}",
        )
    except InvalidInput:
        choices.reject("few enough signs to enumerate")


def leading_noise(curvature: Fraction, factor: Fraction) -> Fraction:
    """Limit of T (E f(wbar_T) - f*) for mu = sigma = N K = 1: noise at time u T is kept as (u/v)^c
    until v T, c = 4 h, weighed by 3 v^2.

    The response to it is the integral of 3 u^c v^(2 - c) over v from u to 1, so the gap is (h/2)
    times the integral of (4 response/u)^2.
    """
    c = 4 * curvature
    terms = {c: 3 / (3 - c), Fraction(3): -3 / (3 - c)}  # the response as a sum of powers of u
    spread = Fraction(0)
    for first, a in terms.items():
        for second, b in terms.items():
            spread += 16 * a * b / (first + second - 1)  # the integral of u^(first + second - 2)
    return curvature / 2 * spread * factor


def _asymptotes(choices: Choices, claim: Claim) -> Instance:
    """Periodic availability: every update is used as often as the device's period is long."""
    clients = choices.whole(1, 3)
    curvature = (
        choices.number(1, 4) if "curvature" in {s.name for s in claim.symbols} else Fraction(1)
    )
    periods = (
        [choices.whole(1, 5)] * clients
        if claim.id == "mifa.prop5.1.optimality"
        else [choices.whole(1, 5) for _ in range(clients)]
    )
    trace = Trace.fresh(periodic(60, periods))
    factor = Fraction(int((usages(trace) ** 2).sum()), trace.num_clients * trace.num_rounds)
    convexity, noise, steps = (
        choices.number(Fraction(1, 2), 2),
        choices.number(0, 2),
        choices.whole(1, 3),
    )
    gap = leading_noise(curvature, factor) / clients
    risk = Fraction(1, 2 * int(trace.delivers.sum())) * trace.num_rounds
    return Instance(
        {
            "scaled_gap": gap * noise**2 / (convexity * steps),
            "curvature": curvature * convexity,
            "strong_convexity": convexity,
            "gradient_noise": noise,
            "local_steps": steps,
            "num_clients": clients,
            "mean_staleness": mean_staleness(trace),
            "leading_constant": gap,
            "minimax_constant": risk,
        },
        f"periods {periods}",
    )


def _minimax(choices: Choices, claim: Claim) -> Instance:
    """The exact minimax risk sigma^2/(2 mu M) of the Gaussian location problem with M gradients;
    equal periods where the claim has them."""
    clients, steps = choices.whole(1, 3), choices.whole(1, 3)
    if claim.id == "mifa.prop5.1.corrected":
        period = choices.whole(1, 6)
        rows: Any = periodic(period * choices.whole(1, 3), [period] * clients)
    else:
        rows = pattern(choices, clients=clients, rounds=choices.whole(1, 6))
    trace = Trace.fresh(rows)
    noise, convexity = choices.number(Fraction(1, 2), 2), choices.number(Fraction(1, 2), 2)
    taken = steps * int(trace.delivers.sum())
    return Instance(
        {
            "minimax_risk": noise**2 / (2 * convexity * taken),
            "mean_staleness": mean_staleness(trace),
            "gradient_noise": noise,
            "strong_convexity": convexity,
            "num_clients": clients,
            "local_steps": steps,
            "num_rounds": trace.num_rounds,
        },
        str(rows),
    )


def _nonconvex(choices: Choices, claim: Claim) -> Instance:
    """Quadratics of one curvature with the theorem's step size, at and above its thresholds: the
    curvature follows from the step."""
    clients, num_rounds, steps = choices.whole(1, 2), choices.whole(1, 15), choices.whole(1, 2)
    rows = pattern(choices, clients=clients, rounds=num_rounds)
    trace = Trace.fresh(rows, local_steps=steps)
    size = Fraction(4 * clients, num_rounds + 1) * choices.number(1, 8)
    curvature = clients / (
        steps * (num_rounds + 1) * (1 + mean_client_max_staleness(trace)) * size**2
    )
    noise = choices.whole(0, 2)
    problem = Quadratic(
        (curvature,) * clients,
        [choices.number(-3, 3) for _ in range(clients)],
        noise_squared=noise**2,
    )
    (optimum,) = problem.constants.optimum
    spread = max((curvature * (optimum - c)) ** 2 for (c,) in problem.optima)
    parameters = {
        "dissimilarity_slope": choices.choice([2, 1, 4]),
        "dissimilarity_offset": 2 * spread or choices.choice([1, Fraction(1, 100)]),
        "hessian_smoothness": 0,
        "noise_bound": noise,
    }
    scenario = Scenario(
        "mifa",
        problem,
        trace,
        start=choices.number(-4, 4),
        local_step_size=size,
        parameters=parameters,
    )
    return _admitted(choices, claim, scenario)


def _equal_averages(choices: Choices, claim: Claim) -> Instance:
    """Two devices with equal losses; chances 1/a, 1/a against 1/(a - k), 1/(a + k): every
    availability pattern with its chance."""
    middle = choices.whole(2, 6)
    apart, num_rounds = choices.whole(1, 5), choices.whole(2, 3)
    if apart >= middle:
        choices.reject("chances are at most 1")
    curvature, noise = choices.number(Fraction(1, 2), 2), choices.whole(0, 2)
    problem = Quadratic((curvature, curvature), (0, 0), noise_squared=noise**2)
    start = choices.number(0, 2)

    def gap(chances: tuple[Fraction, Fraction]) -> Fraction:
        runs = (
            (
                mass,
                decreasing_steps(
                    problem, matrix.astype(int).tolist(), initial_gap=num_rounds, start=start
                ),
            )
            for matrix, mass in coin_flips(chances, num_rounds)
        )
        return sum(
            (mass * measure(run, ["weighted_loss_gap"])["weighted_loss_gap"] for mass, run in runs),
            Fraction(0),
        )

    return Instance(
        {
            "gap_of_equal_chances": gap((Fraction(1, middle),) * 2),
            "gap_of_unequal_chances": gap(
                (Fraction(1, middle - apart), Fraction(1, middle + apart))
            ),
        },
        f"1/p = ({middle}, {middle}) against ({middle - apart}, {middle + apart}), {num_rounds}"
        " rounds",
    )


def _updates_needed(choices: Choices, claim: Claim) -> Instance:
    """One device, f = mu w^2/2, noise of any size up to the bound sigma, steps 4/(mu (t + 100)):
    updates until E f - f* is at most eps."""
    convexity, sigma = choices.number(Fraction(1, 2), 2), choices.whole(1, 3)
    actual, chance = (
        sigma * choices.choice([0, Fraction(1, 2), 1]),
        choices.choice([Fraction(1), Fraction(1, 2), Fraction(1, 10)]),
    )
    accuracy, model = choices.number(Fraction(1, 4), 4), choices.number(0, 3)
    square, done = model**2, 0
    while convexity * square / 2 > accuracy:
        done += 1
        if done > 40:
            choices.reject("a few updates are enough")
        size = Fraction(4, done + 100)
        square = (1 - size) ** 2 * square + (size / convexity) ** 2 * actual**2
    return Instance(
        {
            "expected_wait": 1 / chance,
            "updates_needed": done,
            "least_chance": chance,
            "num_clients": 1,
            "accuracy": accuracy,
            "gradient_noise": sigma,
            "strong_convexity": convexity,
            "local_steps": 1,
        },
        f"w_1 = {model}, noise {actual}",
    )


def _limit(choices: Choices, claim: Claim) -> Instance:
    """MIFA on quadratics with one exact local step, any repeating availability."""
    clients, length = choices.whole(1, 3), choices.whole(1, 4)
    rows = pattern(choices, clients=clients, rounds=length)
    problem = quadratic(choices, clients=clients, noise=False)
    scenario = Scenario(
        "mifa",
        problem,
        Trace.fresh(rows * 6),
        start=choices.number(-2, 2),
        local_step_size=choices.choice([Fraction(1, 64), Fraction(1, 16), Fraction(1, 256)]),
    )
    try:
        return Instance(
            measure(scenario, ["limit"]) | {"optimum": problem.constants.optimum[0]},
            f"availability {rows}",
        )
    except InvalidInput:
        choices.reject("the run tends to one cycle")


def _path_of_gap(choices: Choices, claim: Claim) -> Instance:
    """An exact run with everybody always active, for which t0 may fall along the path; or one
    device solved in T (curvature mu, K = 1)."""
    if choices.flag():
        start, gap = choices.number(Fraction(1, 2), 3), SCALE ** -choices.whole(0, 3)
        rounds = SCALE ** choices.whole(1, 3)
        shrunk = start * SHRINKAGE.subs(OFFSET, 100).xreplace({ROUNDS: rounds})
        values = {
            "mean_staleness": 0,
            "max_staleness": 0,
            "gradient_noise": 0,
            "strong_convexity": 1,
            "smoothness": 1,
            "num_clients": 1,
            "local_steps": 1,
            "dissimilarity_at_optimum": 0,
            "initial_gap": gap,
            "initial_distance": start,
            "num_rounds": rounds,
            "weighted_loss_gap": shrunk**2 / 2,
        }
        return Instance(values, "one device, f = w^2/2, always active, T grows")
    clients, num_rounds = choices.whole(1, 2), choices.whole(1, 3)
    scenario = decreasing_steps(
        quadratic(choices, clients=clients, squares=True),
        [(1,) * clients] * num_rounds,
        initial_gap=1,
        start=choices.number(-2, 2),
        local_steps=choices.whole(1, 2),
    )
    names = [s.name for s in claim.symbols if s.name != "initial_gap"]
    return Instance(
        measure(scenario, names) | {"initial_gap": SCALE ** -choices.whole(0, 3)},
        "everybody always active, a = 100 (L/mu)^1.5, t0 falls",
    )


def _skipping(choices: Choices, claim: Claim) -> Instance:
    """One device, f = w^2/2, noise +-1, that skips one round after positive noise, which no printed
    condition forbids. From w_1 = -1 its mean model stays at or below -1/3 (mifa.adaptive.mean), so
    E |grad f|^2 >= 1/9 in every round.
    """
    rounds = 2 * SCALE ** choices.whole(2, 4)
    return Instance(
        {
            "mean_client_max_staleness": 1,
            "max_staleness": 1,
            "gradient_noise": 1,
            "smoothness": 1,
            "num_clients": 1,
            "local_steps": 1,
            "initial_loss_gap": Fraction(1, 2),
            "dissimilarity_slope": 1,
            "dissimilarity_offset": Fraction(1, 100),
            "hessian_smoothness": 0,
            "noise_bound": 1,
            "num_rounds": rounds - 1,
            "min_squared_gradient": Fraction(1, 9),
        },
        "a device that skips a round after positive noise, T grows",
    )


def _path_of_samples(choices: Choices, claim: Claim) -> Instance:
    """FedAvg on (w - c_i)^2/2 without gradient noise, S of N devices drawn for each update: the
    draw acts as noise of variance v, and with steps 4/(t + 100) the gap of the averaged model is of
    the exact order v/T: at least (4/35) v/T for T >= 400 (24/35 v/T in the limit).
    """
    clients = choices.whole(2, 4)
    size = choices.whole(1, clients)
    spread = choices.number(0, 3)
    variance = (1 - Fraction(size, clients)) * spread * clients / ((clients - 1) * size)
    choices.require(variance > 0, "the choice of devices matters")
    rounds = 400 * SCALE ** choices.whole(1, 3)
    return Instance(
        {
            "weighted_loss_gap": Fraction(4, 35) * variance / rounds,
            "gradient_noise": 0,
            "strong_convexity": 1,
            "clients_per_round": size,
            "local_steps": 1,
            "num_rounds": rounds - 1,
            "second_order": choices.number(1, 4),
        },
        f"N = {clients}, S = {size}, D = {spread}, T grows",
    )


def _space(
    name: str,
    says: str,
    draw: Callable[[Choices, Claim], Instance],
    symbols: set[str],
    claims: tuple[str, ...],
) -> Space:
    return Space(f"mifa.{name}", says, frozenset(symbols), draw, claims)


SPACES = restated(
    (
        _space(
            "runs-5.1",
            "MIFA with the step sizes of Theorem 5.1 on up to three quadratic devices.",
            _strongly_convex,
            MEASURED,
            ("mifa.thm5.1.constant", "mifa.thm5.1.corrected"),
        ),
        _space(
            "solved",
            "One curvature, everybody active: noise alone, and the initial error alone.",
            _solved,
            {
                "weighted_loss_gap",
                "gradient_noise",
                "num_clients",
                "strong_convexity",
                "num_rounds",
                "step_offset",
                "averaged_model",
                "weight_total",
                "local_steps",
                "mean_staleness",
                "max_staleness",
            },
            ("mifa.thm5.1.W", "mifa.thm5.1.det", "mifa.thm5.1.noise"),
        ),
        _space(
            "signs",
            "Small runs, all signs of the noise.",
            _signs,
            {"weighted_loss_gap", "mean_over_signs"},
            ("mifa.thm5.1.exact",),
        ),
        _space(
            "asymptotes",
            "Periodic availability and any curvature, T growing.",
            _asymptotes,
            {
                "scaled_gap",
                "curvature",
                "strong_convexity",
                "gradient_noise",
                "local_steps",
                "num_clients",
                "mean_staleness",
                "leading_constant",
                "minimax_constant",
            },
            ("mifa.thm5.1.asymptote", "mifa.prop5.1.optimality"),
        ),
        _space(
            "minimax",
            "Gaussian location problems under any availability.",
            _minimax,
            {
                "minimax_risk",
                "mean_staleness",
                "gradient_noise",
                "strong_convexity",
                "num_clients",
                "local_steps",
                "num_rounds",
            },
            ("mifa.prop5.1.corrected", "mifa.prop5.1.general"),
        ),
        _space(
            "runs-6.1",
            "MIFA with the step size of Theorem 6.1 on one or two quadratic devices.",
            _nonconvex,
            NONCONVEX,
            ("mifa.thm6.1.corrected", "mifa.related.rate"),
        ),
        _space(
            "equal-averages",
            "Two populations with the same mean of 1/p.",
            _equal_averages,
            {"gap_of_equal_chances", "gap_of_unequal_chances"},
            ("mifa.eq3.average",),
        ),
        _space(
            "updates-needed",
            "FedAvg with one device, from any start, with noise up to the bound.",
            _updates_needed,
            {
                "expected_wait",
                "updates_needed",
                "least_chance",
                "num_clients",
                "accuracy",
                "gradient_noise",
                "strong_convexity",
                "local_steps",
            },
            ("mifa.eq3.necessary",),
        ),
        _space(
            "limits",
            "Exact limits of MIFA under any repeating availability.",
            _limit,
            {"limit", "optimum"},
            ("mifa.exp.3",),
        ),
        _space(
            "path-of-gap",
            "Runs along which t0 falls or T grows.",
            _path_of_gap,
            MEASURED,
            ("mifa.thm5.1",),
        ),
        _space(
            "skipping",
            "A device whose availability may react to the noise, T growing.",
            _skipping,
            NONCONVEX,
            ("mifa.thm6.1",),
        ),
        _space(
            "path-of-samples",
            "FedAvg that draws its devices, T growing.",
            _path_of_samples,
            {
                "weighted_loss_gap",
                "gradient_noise",
                "strong_convexity",
                "clients_per_round",
                "local_steps",
                "num_rounds",
                "second_order",
            },
            ("mifa.eq3.updates",),
        ),
    )
)
