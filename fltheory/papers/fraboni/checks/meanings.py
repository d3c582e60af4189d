"""What counterexamples to Fraboni et al.'s claims are made of: two clients in turn, exact runs with
random participation, clocks, rough batches, and comparisons of bounds."""

from fltheory.claims.meaning import ALL, Meaning, always
from fltheory.claims.scenario import Scenario
from fltheory.problems.quadratic import Quadratic


def two_in_turn(run: Scenario) -> bool:
    """Example 2: two quadratic clients of curvature 1 take turns, one local step each, and each
    starts from the model that it last received."""
    trace, problem = run.trace, run.problem
    rows = trace.delivers.tolist()
    return bool(
        isinstance(problem, Quadratic)
        and problem.curvatures == ((1,), (1,))
        and problem.noise_squared == 0
        and len(rows) % 2 == 0
        and rows == [[True, False], [False, True]] * (len(rows) // 2)
        and all(
            trace.started_from[t][t % 2] == max(t - 1, 0) if t else True for t in range(len(rows))
        )
        and trace.local_steps.max() == 1
    )


BETWEEN_NUMBERS = "eq13 eq13.corrected eq13.heterogeneity eq15 eq31 eq33 eq34 lr exponential.fedfix"
"""Claims that compare formulas in free quantities. Those of the literature (lit, lit.stich, ...)
say in words how their quantities grow, so that no free path is an instance of them."""

SMOOTH = {"smooth": always, "unbiased": always}

COUNTEREXAMPLES = (
    Meaning(
        ("fraboni.ex2",),
        methods=("async",),
        measures={
            "first_optimum": "optimum:0",
            "second_optimum": "optimum:1",
            "first_weight": "weight:0",
            "second_weight": "weight:1",
        },
        requires={"fraboni.two_in_turn": two_in_turn},
    ),
    Meaning(
        ("fraboni.lem2", "fraboni.lem2.local_steps", "fraboni.lem3*", "fraboni.lem4"),
        origins=("fraboni.round",),
        keeps=SMOOTH | {"convex": always, "covariance": always},
    ),
    Meaning(
        ("fraboni.eq32", "fraboni.eq32.optimum", "fraboni.thm2.remark"),
        origins=("fraboni.whole",),
        keeps=SMOOTH | {"convex": always},
    ),
    Meaning(
        ("fraboni.eq22", "fraboni.eq28", "fraboni.lem5", "fraboni.lem6", "fraboni.thm1"),
        origins=("fraboni.rough",),
        keeps=SMOOTH
        | dict.fromkeys(("convex", "learning-rate", "finite-delay", "covariance"), always),
    ),
    Meaning(
        ("fraboni.async.ties", "fraboni.fedfix.tau*", "fraboni.tab2.W.fedfix.table"),
        origins=("fraboni.pattern",),
    ),
    Meaning(
        tuple(f"fraboni.{name}" for name in BETWEEN_NUMBERS.split()),
        free=ALL,
    ),
)
