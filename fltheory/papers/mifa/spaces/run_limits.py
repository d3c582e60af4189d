"""Where MIFA's asymptotes and lower bounds, its limits and its comparison with FedAvg may fail:
exact runs and risks."""

from collections.abc import Sequence
from fractions import Fraction

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.core.errors import InvalidInput
from fltheory.papers.mifa.checks.runs import periodic
from fltheory.papers.mifa.checks.tools import known
from fltheory.papers.mifa.checks.waiting import expected_gap
from fltheory.papers.mifa.spaces.conditions import restated
from fltheory.papers.mifa.spaces.drawing import pattern, quadratic, space_of
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import mean_staleness, usages


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
    convexity, noise = choices.number(Fraction(1, 2), 2), choices.number(0, 2)
    steps = choices.whole(1, 3)
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
    if claim.id in ("mifa.prop5.1.corrected", "mifa.prop5.1"):
        period = choices.whole(1, 6)
        rows: Sequence[Sequence[int]] = periodic(period * choices.whole(1, 3), [period] * clients)
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
    equal, unequal = (
        expected_gap((Fraction(1, first), Fraction(1, second)), num_rounds, problem, start)
        for first, second in ((middle, middle), (middle - apart, middle + apart))
    )
    return Instance(
        {"gap_of_equal_chances": equal, "gap_of_unequal_chances": unequal},
        f"1/p = ({middle}, {middle}) against ({middle - apart}, {middle + apart}), {num_rounds}"
        " rounds",
    )


def _updates_needed(choices: Choices, claim: Claim) -> Instance:
    """One device, f = mu w^2/2, noise of any size up to the bound sigma, steps 4/(mu (t + 100)):
    updates until E f - f* is at most eps."""
    convexity, sigma = choices.number(Fraction(1, 2), 2), choices.whole(1, 3)
    parts: Sequence[Fraction | int] = (0, Fraction(1, 2), 1)
    actual = sigma * choices.choice(parts)
    chance = choices.choice([Fraction(1), Fraction(1, 2), Fraction(1, 10)])
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
            measure(scenario, ["limit"]) | {"optimum": known(problem.constants.optimum)[0]},
            f"availability {rows}",
        )
    except InvalidInput:
        choices.reject("the run tends to one cycle")


SPACES = restated(
    (
        space_of(
            "asymptotes",
            "Periodic availability and any curvature, T growing.",
            _asymptotes,
            "scaled_gap curvature strong_convexity gradient_noise local_steps num_clients"
            " mean_staleness leading_constant minimax_constant",
            "thm5.1.asymptote prop5.1.optimality",
        ),
        space_of(
            "minimax",
            "Gaussian location problems under any availability.",
            _minimax,
            "minimax_risk mean_staleness gradient_noise strong_convexity num_clients local_steps"
            " num_rounds",
            "prop5.1 prop5.1.corrected prop5.1.general",
        ),
        space_of(
            "equal-averages",
            "Two populations with the same mean of 1/p.",
            _equal_averages,
            "gap_of_equal_chances gap_of_unequal_chances",
            "eq3.average",
        ),
        space_of(
            "updates-needed",
            "FedAvg with one device, from any start, with noise up to the bound.",
            _updates_needed,
            "expected_wait updates_needed least_chance num_clients accuracy gradient_noise"
            " strong_convexity local_steps",
            "eq3.necessary",
        ),
        space_of(
            "limits",
            "Exact limits of MIFA under any repeating availability.",
            _limit,
            "limit optimum",
            "exp.3",
        ),
    )
)
