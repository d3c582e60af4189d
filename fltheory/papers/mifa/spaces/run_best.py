"""Where the best known forms of Theorems 5.1 and 6.1 may fail: exact runs at the edge of their
conditions, any availability, curvatures, starts and noise."""

from dataclasses import replace
from fractions import Fraction

from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.papers.mifa.checks.best import OUTCOMES, values_of
from fltheory.papers.mifa.checks.best_runs import convex_sizes, falling, late, nonconvex_sizes
from fltheory.papers.mifa.checks.tools import known
from fltheory.papers.mifa.spaces.drawing import pattern, space_of, space_of_values
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import max_staleness

F = Fraction
MEASURED = (
    "num_clients num_rounds local_steps smoothness strong_convexity gradient_noise mean_staleness"
    " max_staleness mean_client_max_staleness initial_distance initial_loss_gap step_offset"
    " dissimilarity_at_optimum dissimilarity_offset dissimilarity_slope local_step_size"
    " weighted_loss_gap"
)
NAMES = frozenset(MEASURED.split()) | frozenset(OUTCOMES)


def _problem(choices: Choices, count: int, top: int) -> Quadratic:
    curvatures = [1, *(choices.choice((1, top)) for _ in range(count - 1))]
    optima = [choices.number(-3, 3) for _ in range(count)]
    return Quadratic(curvatures, optima, noise_squared=choices.whole(0, 2) ** 2)


def _run(choices: Choices, claim: Claim) -> Instance:
    """Devices that come and go, few or many, near or far from the optimum."""
    count, rounds = choices.choice((1, 2, 3, 8)), choices.whole(1, 10)
    steps = 1 if claim.id.endswith("one_step") else choices.choice((1, 2, 5))
    top, longest = choices.choice((1, 4, 20)), choices.whole(0, 5)
    many = count * rounds * steps > 40
    rows = (
        late(rounds, count, lambda t: longest)
        if choices.flag()
        else pattern(choices, clients=count, rounds=rounds)
    )
    trace, start = Trace.fresh(rows, local_steps=steps), choices.number(-4, 4)
    problem = _problem(choices, count, top)
    problem = replace(problem, noise_squared=0) if many else problem
    if claim.id == "mifa.thm5.1.best":
        offset = top * max(100, 40 * int(max_staleness(trace)))
        run = falling(problem, rows, offset, start=start, local_steps=steps)
    else:
        smooth = claim.id.startswith("mifa.thm6.1")
        sizes = nonconvex_sizes if smooth else convex_sizes
        problem = replace(problem, curvatures=((F(1),),) * count) if smooth else problem
        largest = known(problem.constants.smoothness)
        edge = sizes(largest, int(max_staleness(trace)), steps)[0] / steps
        (optimum,) = known(problem.constants.optimum)
        spread = max((optimum - c) ** 2 for (c,) in problem.optima)
        run = Scenario(
            "mifa",
            problem,
            trace,
            start=start,
            local_step_size=edge * choices.choice((F(1), F(1, 3), F(1, 20))),
            parameters={
                "dissimilarity_slope": 2,
                "dissimilarity_offset": 2 * spread or F(1, 100),
            },
        )
    for name in unmet(claim, run, stated_only=True):
        choices.reject(name)
    return Instance(values_of(claim, run), run.says)


def _calls(choices: Choices, claim: Claim) -> Drawn:
    """The largest precision that the chain allows, by bisection on its integer condition."""
    calls = choices.whole(1, 9) * 10 ** choices.whole(0, 6)
    gap, noise = choices.number(F(1, 4), 9), choices.number(F(1, 4), 9)
    choices.require(noise**2 <= calls * gap and gap <= calls * noise**2, "mifa.calls")
    low, high = F(0), gap / 7296
    for _ in range(60):
        middle = (low + high) / 2
        chance = 2116 * middle / noise**2
        fits = chance <= 1 and 2 * calls * chance <= gap / (7296 * middle) // 1
        low, high = (middle, high) if fits else (low, middle)
    return {
        "gradient_calls": calls,
        "initial_loss_gap": gap,
        "gradient_noise": noise,
        "smoothness": 1,
        "hard_squared_gradient": F(low * 10**18 // 1, 10**18),
    }


def _periodic_calls(choices: Choices, claim: Claim) -> Drawn:
    """The same with m = N K R/(nubar + 1) calls: every device comes once in nubar + 1 rounds."""
    chain, length = _calls(choices, claim), choices.whole(1, 9)
    return {
        "minimax_squared_gradient": chain["hard_squared_gradient"],
        "mean_client_max_staleness": length - 1,
        "num_clients": 1,
        "local_steps": 1,
        "num_rounds": length * int(chain["gradient_calls"]),
        **{name: chain[name] for name in ("smoothness", "initial_loss_gap", "gradient_noise")},
    }


SPACES = (
    space_of(
        "best-runs",
        "MIFA at the edge of the best known conditions, up to eight quadratic devices.",
        _run,
        NAMES,
        "thm5.1.best thm5.1.constant_step thm5.1.convex thm6.1.best thm6.1.best.one_step",
    ),
    space_of_values(
        "chain",
        "Chains for any number of gradients, gap and noise.",
        _calls,
        "gradient_calls initial_loss_gap gradient_noise smoothness hard_squared_gradient",
        "prop6.1.corrected",
    ),
    space_of_values(
        "periodic-chain",
        "Chains under periodic availability.",
        _periodic_calls,
        "minimax_squared_gradient mean_client_max_staleness num_clients local_steps num_rounds"
        " smoothness initial_loss_gap gradient_noise",
        "prop6.1",
    ),
)
