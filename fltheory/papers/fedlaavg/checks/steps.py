"""Eq. (21)-(32) and (41)-(51): both sides from exact expectations over all noise, iteration by
iteration."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import exact_root, known
from fltheory.claims.checks.enumeration import availability_patterns, expectation, selections
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.exact import exact
from fltheory.core.types import BoolArray, ExactLike, Json, Scalar
from fltheory.papers.fedlaavg.checks.literal import Line, Participation, algorithm_3, moments
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

NUMBERS = (
    "local_step_size",
    "smoothness",
    "gradient_noise",
    "num_clients",
    "gradient_bound",
    "staleness_bound",
    "local_steps",
    "num_rounds",
)
"""Constants that all iterations of a run share."""


def instances_of(
    problem: Clipped,
    takes_part: Participation,
    local_steps: int,
    step_size: Fraction,
    start: ExactLike,
    scale: Fraction,
) -> list[Instance]:
    """One instance per iteration of one setting, with the run's averages in each."""
    line = Line(problem)
    steps = moments(line, takes_part, local_steps, step_size, Fraction(start), scale)
    oldest = expectation([step["squared_old_gradient"] for step in steps.values()])
    shared: dict[str, Scalar] = {
        "local_step_size": step_size,
        "smoothness": known(problem.constants.smoothness),
        "gradient_noise": scale,
        "num_clients": problem.num_clients,
        "gradient_bound": exact_root(problem.bound**2 + scale**2),
        "staleness_bound": availability_window(takes_part) - 1,
        "local_steps": local_steps,
        "num_rounds": len(takes_part),
        "initial_loss_gap": line.mean_loss(Fraction(start)) - known(problem.constants.infimum),
        "overall_squared_old_gradient": oldest,
    }
    says = (
        f"N={problem.num_clients}, C={local_steps}, step size {step_size}, noise +-{scale},"
        f" {len(takes_part)} rounds"
    )
    origin: Json = {
        "kind": "fedlaavg.iteration",
        "takes_part": [list(row) for row in takes_part],
        "local_steps": local_steps,
        "step_size": str(step_size),
        "start": str(start),
        "noise": str(scale),
        "clients": {
            "centres": [str(x) for (x,) in problem.centres],
            "curvatures": [str(x) for (x,) in problem.curvatures],
        },
        "bound": str(problem.bound),
    }
    return [
        Instance(shared | values, f"{says}, iteration {t}", {"origin": origin | {"iteration": t}})
        for t, values in steps.items()
    ]


def mean_of(instances: Sequence[Instance], name: str) -> Fraction:
    """The average of one quantity, which is a fraction in each instance."""
    return expectation([exact(instance.values[name], name) for instance in instances])


def iteration_again(
    clients: dict[str, list[str]],
    bound: str,
    takes_part: list[list[int]],
    local_steps: int,
    step_size: str,
    start: str,
    noise: str,
    iteration: int,
) -> dict[str, Scalar | str]:
    """The expectations of one iteration, from the data of a counterexample file."""
    if not 1 <= local_steps * len(takes_part) <= 40 or len(takes_part[0]) > 4:
        raise ValueError("at most 40 iterations and four clients")
    if not all(cell in (0, 1) for row in takes_part for cell in row):
        raise ValueError("rows of 0 and 1")
    problem = Clipped(
        centres=tuple(clients["centres"]), bound=bound, curvatures=tuple(clients["curvatures"])
    )
    found = instances_of(
        problem, takes_part, local_steps, Fraction(step_size), Fraction(start), Fraction(noise)
    )
    return dict(found[iteration - 1].values)


ORIGINS = {"fedlaavg.iteration": iteration_again}


RunSetting = tuple[Clipped, Participation, int, Fraction, ExactLike, Fraction]
"""A problem, who takes part, C, step size, start and noise."""

ZERO, BELOW_HALF = Fraction(0), Fraction(2, 5)
"""No noise; a step size just below 1/(2L)."""


@cache
def single_steps() -> tuple[Instance, ...]:
    """C = 1, everybody in the first round."""
    starts: tuple[ExactLike, ...] = (0, Fraction(3, 2))
    grid = product((TUG, TILTED, BALANCED), (BELOW_HALF, Fraction(1, 8)), starts, (ZERO, HALF))
    settings: list[RunSetting] = [
        *((problem, TURNS, 1, size, start, noise) for problem, size, start, noise in grid),
        (TUG, LATE, 1, BELOW_HALF, Fraction(3, 2), ZERO),
        (TUG, EVERYONE, 1, BELOW_HALF, Fraction(5, 4), HALF),
        (THREE, ONE_OF_THREE, 1, BELOW_HALF, 3, HALF),
    ]
    return tuple(instance for setting in settings for instance in instances_of(*setting))


@cache
def local_steps() -> tuple[Instance, ...]:
    """C = 2 and 3, everybody in the first round; first the smallest: two clients, everybody, one or
    two rounds."""
    grid = product((TUG, TILTED, BALANCED), (TURNS, EVERYONE), (2, 3))
    settings: list[RunSetting] = [
        (BALANCED, ((1, 1),), 2, Fraction(1, 4), 0, ZERO),
        (BALANCED, EVERYONE, 2, Fraction(1, 4), 0, ZERO),
        *((*setting, BELOW_HALF, Fraction(3, 2), ZERO) for setting in grid),
        (TUG, TURNS, 2, Fraction(1, 8), Fraction(3, 2), ZERO),
        (TUG, TURNS[:2], 2, BELOW_HALF, 1, HALF),
        (BALANCED, TURNS[:2], 2, Fraction(1, 4), 1, HALF),
        (TUG, LATE, 2, BELOW_HALF, 3, ZERO),
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
    settings = product((Fraction(1, 8), BELOW_HALF), (-1, 2))
    return tuple(
        i for size, start in settings for i in instances_of(TUG, late, 1, size, start, ZERO)
    )


@by_instances(Method.ENUMERATION, covers="noise of +-1/2 with the admissible constant sigma = 1")
def slack_noise() -> Iterable[Instance]:
    """Assumption 2 holds with sigma = 1 if the noise is +-1/2: it only bounds the variance."""
    return (
        Instance({**i.values, "gradient_noise": 1}, i.says + ", sigma = 1")
        for i in single_steps()
        if i.values["gradient_noise"]
    )


def age_at_round_end(line: Line, chosen: BoolArray, local_steps: int) -> int:
    """The largest r C - T^t of Algorithm 3, T^t the oldest gradient that iteration t of round r
    uses."""
    rows, size = chosen.astype(int).tolist(), Fraction(1, 4)
    latest = algorithm_3(line, rows, local_steps, size, Fraction(1), {}).latest
    return max(((t - 1) // local_steps + 1) * local_steps - min(used) for t, used in latest.items())


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
                yield Instance(
                    {
                        "age_at_round_end": age_at_round_end(line, chosen, steps),
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
