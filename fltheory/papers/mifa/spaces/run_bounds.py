"""Where Theorems 5.1 and 6.1 may fail: exact runs with the printed step sizes, any availability,
starts, noise and initial gap."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from fltheory.claims.checks.bound_on_run import on_scenario, unmet
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.core.errors import InvalidInput
from fltheory.papers.mifa.checks.closed_forms import mean_over_signs
from fltheory.papers.mifa.checks.runs import average_weights, decreasing_steps
from fltheory.papers.mifa.checks.tools import known
from fltheory.papers.mifa.spaces.conditions import restated
from fltheory.papers.mifa.spaces.drawing import names_in, pattern, quadratic, space_of
from fltheory.papers.mifa.statements.nonconvex import BOUND_OF_THEOREM
from fltheory.papers.mifa.statements.strongly_convex import FIRST_TERM, SECOND_TERM
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import known_staleness, mean_client_max_staleness

MEASURED = names_in(
    FIRST_TERM + SECOND_TERM,
    "weighted_loss_gap step_offset constant mean_client_max_staleness clients_per_round"
    " initial_loss_gap",
)
NONCONVEX = names_in(
    BOUND_OF_THEOREM,
    "min_squared_gradient mean_squared_gradient constant local_step_size mean_staleness",
)


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
    gaps: Sequence[Fraction | int] = (1, Fraction(1, 1000), Fraction(1, 10**6), 4)
    gap = least + choices.choice([0, 1, 2, 10]) if least else choices.choice(gaps)
    run = decreasing_steps(
        problem, rows, initial_gap=gap, start=choices.number(-3, 3), local_steps=steps
    )
    return _admitted(choices, claim, run)


def _solved(choices: Choices, claim: Claim) -> Instance:
    """One curvature, one local step, everybody active, from the optimum: noise alone; and a start
    at distance 1 without noise."""
    clients, num_rounds = choices.whole(1, 2), choices.whole(1, 8)
    curvature = choices.number(Fraction(1, 2), 3)
    noise, gap = choices.whole(0, 3), choices.whole(1, 5)
    alone = Quadratic((curvature,) * clients, (0,) * clients, noise_squared=noise**2)
    rows = [(1,) * clients] * num_rounds
    noisy = decreasing_steps(alone, rows, initial_gap=gap, start=0)
    offset = noisy.parameters["step_offset"]
    model, models = Fraction(1), [Fraction(1)]
    for t in range(1, num_rounds + 1):
        model *= 1 - 4 / (t + offset)
        models.append(model)
    weights = average_weights(offset, num_rounds)
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
    (optimum,) = known(problem.constants.optimum)
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


SPACES = restated(
    (
        space_of(
            "runs-5.1",
            "MIFA with the step sizes of Theorem 5.1 on up to three quadratic devices.",
            _strongly_convex,
            MEASURED,
            "thm5.1.constant thm5.1.corrected thm5.1.terms",
        ),
        space_of(
            "solved",
            "One curvature, everybody active: noise alone, and the initial error alone.",
            _solved,
            "weighted_loss_gap gradient_noise num_clients strong_convexity num_rounds step_offset"
            " averaged_model weight_total local_steps mean_staleness max_staleness",
            "thm5.1.W thm5.1.det thm5.1.noise",
        ),
        space_of(
            "signs",
            "Small runs, all signs of the noise.",
            _signs,
            "weighted_loss_gap mean_over_signs",
            "thm5.1.exact",
        ),
        space_of(
            "runs-6.1",
            "MIFA with the step size of Theorem 6.1 on one or two quadratic devices.",
            _nonconvex,
            NONCONVEX,
            "thm6.1.corrected related.rate",
        ),
    )
)
