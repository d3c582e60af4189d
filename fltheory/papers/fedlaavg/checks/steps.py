"""Eq. (21)-(32) and (41)-(51): both sides from exact expectations over all noise, iteration by
iteration."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import sympy

from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.enumeration import availability_patterns, selections
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.fedlaavg.checks.literal import Line, algorithm_3, moments
from fltheory.problems.clipped import Clipped
from fltheory.traces.trace_statistics import availability_window

HALF = Fraction(1, 2)
BALANCED = Clipped(centres=(-HALF, 1), bound=1, curvatures=(1, HALF))
"""f has its minimum at 0, where the two slopes cancel; clients of different curvature drift apart
during local steps."""
TUG = Clipped(centres=(-1, 2), bound=1)
TILTED = Clipped(centres=(0, 1), bound=1, curvatures=(1, -HALF))
THREE = Clipped(centres=(-1, 0, 2), bound=1)

EVERYONE = ((1, 1), (1, 1))
TURNS = ((1, 1), (0, 1), (1, 0))
LATE = ((1, 1), (0, 1), (0, 1), (1, 0))
ONE_OF_THREE = ((1, 1, 1), (1, 0, 0), (0, 1, 0))


def instances_of(
    problem: Clipped,
    takes_part: Any,
    local_steps: int,
    step_size: Fraction,
    start: Any,
    scale: Fraction,
) -> list[Instance]:
    """One instance per iteration of one setting, with the run's averages in each."""
    line = Line(problem)
    steps = moments(line, takes_part, local_steps, step_size, Fraction(start), scale)
    oldest = sum(step["squared_old_gradient"] for step in steps.values()) / len(steps)
    bound_squared = problem.bound**2 + scale**2
    infimum = problem.constants.infimum
    assert infimum is not None
    shared = {
        "local_step_size": step_size,
        "smoothness": problem.constants.smoothness,
        "gradient_noise": scale,
        "num_clients": problem.num_clients,
        "gradient_bound": sympy.sqrt(
            sympy.Rational(bound_squared.numerator, bound_squared.denominator)
        ),
        "staleness_bound": availability_window(takes_part) - 1,
        "local_steps": local_steps,
        "num_rounds": len(takes_part),
        "initial_loss_gap": line.mean_loss(Fraction(start)) - infimum,
        "overall_squared_old_gradient": oldest,
    }
    says = (
        f"N={problem.num_clients}, C={local_steps}, step size {step_size}, noise +-{scale},"
        f" {len(takes_part)} rounds"
    )
    origin = {
        "kind": "fedlaavg.iteration",
        "takes_part": [list(row) for row in takes_part],
        "local_steps": local_steps,
        "step_size": str(step_size),
        "start": str(start),
        "noise": str(scale),
        "clients": {
            name: [str(x) for (x,) in getattr(problem, name)] for name in ("centres", "curvatures")
        },
        "bound": str(problem.bound),
    }
    return [
        Instance(shared | values, f"{says}, iteration {t}", {"origin": origin | {"iteration": t}})
        for t, values in steps.items()
    ]


def iteration_again(
    clients: dict[str, list[str]],
    bound: str,
    takes_part: list[list[int]],
    local_steps: int,
    step_size: str,
    start: str,
    noise: str,
    iteration: int,
) -> dict[str, Any]:
    """The expectations of one iteration, from what a file says."""
    if not 1 <= local_steps * len(takes_part) <= 40 or len(takes_part[0]) > 4:
        raise ValueError("at most 40 iterations and four clients")
    problem = Clipped(
        centres=tuple(clients["centres"]), bound=bound, curvatures=tuple(clients["curvatures"])
    )
    found = instances_of(
        problem, takes_part, local_steps, Fraction(step_size), Fraction(start), Fraction(noise)
    )
    return dict(found[iteration - 1].values)


ORIGINS = {"fedlaavg.iteration": iteration_again}


@cache
def single_steps() -> tuple[Instance, ...]:
    """C = 1, everybody in the first round."""
    settings = [
        *product(
            (TUG, TILTED, BALANCED),
            (TURNS,),
            (1,),
            (Fraction(2, 5), Fraction(1, 8)),
            (0, Fraction(3, 2)),
            (Fraction(0), HALF),
        ),
        (TUG, LATE, 1, Fraction(2, 5), Fraction(3, 2), Fraction(0)),
        (TUG, EVERYONE, 1, Fraction(2, 5), Fraction(5, 4), HALF),
        (THREE, ONE_OF_THREE, 1, Fraction(2, 5), 3, HALF),
    ]
    return tuple(instance for setting in settings for instance in instances_of(*setting))


@cache
def local_steps() -> tuple[Instance, ...]:
    """C = 2 and 3, everybody in the first round; first the smallest: two clients, everybody, one or
    two rounds."""
    settings = [
        (BALANCED, ((1, 1),), 2, Fraction(1, 4), 0, Fraction(0)),
        (BALANCED, EVERYONE, 2, Fraction(1, 4), 0, Fraction(0)),
        *product(
            (TUG, TILTED, BALANCED),
            (TURNS, EVERYONE),
            (2, 3),
            (Fraction(2, 5),),
            (Fraction(3, 2),),
            (Fraction(0),),
        ),
        (TUG, TURNS, 2, Fraction(1, 8), Fraction(3, 2), Fraction(0)),
        (TUG, TURNS[:2], 2, Fraction(2, 5), 1, HALF),
        (BALANCED, TURNS[:2], 2, Fraction(1, 4), 1, HALF),
        (TUG, LATE, 2, Fraction(2, 5), 3, Fraction(0)),
    ]
    return tuple(instance for setting in settings for instance in instances_of(*setting))


def on_steps(instances: Callable[[], tuple[Instance, ...]], what: str) -> Decide:
    """A check of one inequality in every iteration; where both sides are 0 there is nothing to
    compare."""

    def telling(claim: Claim) -> Iterator[Instance]:
        for instance in instances():
            if (
                evaluate(claim.statement.right, instance.values) != 0
                or evaluate(claim.statement.left, instance.values) != 0
            ):
                yield instance

    def decide(claim: Claim) -> Evidence:
        return check_instances(
            claim,
            telling(claim),
            method=Method.ENUMERATION,
            covers=f"exact expectations over all +-noise: {what}",
        )

    return decide


@cache
def cold_steps() -> tuple[Instance, ...]:
    """C = 1, client 2 joins in the second round only."""
    late = ((1, 0), (0, 1))
    settings = product((Fraction(1, 8), Fraction(2, 5)), (-1, 2))
    return tuple(
        i for size, start in settings for i in instances_of(TUG, late, 1, size, start, Fraction(0))
    )


@by_instances(Method.ENUMERATION, covers="noise of +-1/2 with the admissible constant sigma = 1")
def slack_noise() -> Iterable[Instance]:
    """Assumption 2 holds with sigma = 1 when the noise is +-1/2: a bound on the variance need not
    be met."""
    return (
        Instance(dict(i.values) | {"gradient_noise": 1}, i.says + ", sigma = 1")
        for i in single_steps()
        if i.values["gradient_noise"]
    )


@by_instances(
    Method.ENUMERATION,
    covers="all availability tables of two clients over four rounds with E = 1, 2, all ties, C ="
    " 1, 2, 3",
)
def round_ages() -> Iterator[Instance]:
    """r C - T^t over all availability of two clients in four rounds, all ties, with C = 1 to 3."""
    line = Line(TUG)
    for window, steps in product((1, 2), (1, 2, 3)):
        for available in availability_patterns(2, 4, window):
            for chosen in selections(available, 1):
                latest = algorithm_3(
                    line, chosen.astype(int).tolist(), steps, Fraction(1, 4), Fraction(1), {}
                ).latest
                worst = max(
                    ((t - 1) // steps + 1) * steps - min(used) for t, used in latest.items()
                )
                yield Instance(
                    {
                        "age_at_round_end": worst,
                        "local_steps": steps,
                        "staleness_bound": 2 * window - 1,
                    },
                    f"N=2, K=1, E={window}, C={steps}",
                )


SINGLE = on_steps(single_steps, "up to three clients, four rounds, one local step")
ROUNDS = on_steps(local_steps, "two clients, up to four rounds of two or three local steps")
REPAIRED = ("45", "46", "47", "48", "49", "50")

CHECKS = (
    *(Check(f"fedlaavg.eq{number}", SINGLE) for number in range(21, 33)),
    Check("fedlaavg.eq27.cold", on_steps(cold_steps, "two clients, the second joins late")),
    Check("fedlaavg.eq30.cold", on_steps(cold_steps, "two clients, the second joins late")),
    Check("fedlaavg.eq22.d", slack_noise),
    Check("fedlaavg.eq22.d.corrected", SINGLE),
    *(Check(f"fedlaavg.eq{number}", ROUNDS) for number in range(41, 52)),
    Check("fedlaavg.eq46.equality", SINGLE),
    *(Check(f"fedlaavg.eq{number}.corrected", ROUNDS) for number in REPAIRED),
    Check("fedlaavg.eq51.age", round_ages),
)
