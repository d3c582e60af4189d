"""Theorem 2: exact runs of FedLaAvg on Example 1, round by round."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from math import isqrt

import sympy

from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import check_order_sweep
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method, Provenance
from fltheory.claims.expectations import ExactRun
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.types import Array, Scalar
from fltheory.papers.fedlaavg.checks.example1 import TwoBlocks
from fltheory.papers.fedlaavg.statements.theorem2 import FIRST, OPTIMUM, SECOND
from fltheory.traces.trace import Trace, last_true

Place = tuple[int | Fraction, int | Fraction, int | Fraction]
"""(start, e1, e2)."""

BLOCKS = ((1, 1), (2, 1), (1, 3), (4, 1), (3, 3))
PLACES: tuple[Place, ...] = ((1, 0, 2), (1, 1, -1), (-1, 0, 0), (1, -1, 1), (0, 0, 1), (-2, 1, 0))
"""Starts on both sides of the optimum and on it, and equal optima."""
PLACED = {"start": "model:0", "optimum": "optimum"}


def example(first: int, second: int, place: Place, rounds: int) -> Scenario:
    """FedLaAvg on Example 1 with step size 1/(2 sqrt T), rational because T is a square."""
    start, left, right = place
    blocks = TwoBlocks(first, second, (left, right))
    return Scenario(
        "fedlaavg",
        blocks.problem,
        Trace.fresh(blocks.availability.matrix(rounds)),
        start=start,
        local_step_size=Fraction(1, 2 * isqrt(rounds)),
        parameters={
            "staleness_bound": max(first, second),
            "distance_of_optima": abs(Fraction(left) - right),
        },
    )


def constants(first: int, second: int, place: Place) -> dict[str, Scalar]:
    """x^0, x* = (e1 + e2)/2, |e1 - e2| and I = max(t1, t2)."""
    start, left, right = place
    return {
        "start": start,
        "optimum": Fraction(left + right, 2),
        "distance_of_optima": abs(left - right),
        "staleness_bound": max(first, second),
    }


MEASURED = ("mean_squared_gradient", "initial_loss_gap", "num_rounds", "local_step_size")


def whole_run(run: Scenario) -> dict[str, Scalar]:
    """What Theorem 2 says of a run: the measured quantities, and the squared distance from the
    optimum of the best model, |grad f|^2/4."""
    best = min(ExactRun(run).squared_gradients) / 4
    return {**measure(run, (*MEASURED, "smoothness")), "best_squared_distance": best}


@cache
def runs() -> tuple[Instance, ...]:
    """Whole runs."""
    found = []
    for total, (first, second), place in product((4, 1, 9), BLOCKS, PLACES):
        run = example(first, second, place, total)
        origin = Provenance(run=run.to_json(), measures={name: name for name in MEASURED} | PLACED)
        found.append(
            Instance(
                constants(first, second, place) | whole_run(run),
                f"t1={first}, t2={second}, (x0, e1, e2)={place}, T={total}",
                origin,
            )
        )
    return tuple(found)


@by_instances(
    Method.BOUND_ON_RUN,
    covers="exact runs of 1 to 9 rounds: five block pairs, six places of start and optima",
)
def bound_on_runs() -> Iterable[Instance]:
    """Theorem 2: (1/T) sum_t |x^t - x*|^2 <= B/sqrt T + I^2 G^2/(4T), and its variants."""
    return runs()


LONG = (((1, 1), 144), ((30, 1), 36), ((1, 30), 36), ((12, 12), 64), ((40, 40), 16), ((2, 5), 100))
"""Blocks and rounds: long runs, long blocks, and fewer rounds than a block is long."""


@by_instances(
    Method.BOUND_ON_RUN,
    covers="exact runs of 16 to 144 rounds: blocks of up to 40 rounds, three places",
)
def bound_on_long_runs() -> Iterator[Instance]:
    """Theorem 2 for long runs and long blocks, also with T below t1 + t2."""
    for ((first, second), total), place in product(LONG, PLACES[:3]):
        run = example(first, second, place, total)
        yield Instance(
            constants(first, second, place)
            | whole_run(run)
            | {"first_block": first, "second_block": second},
            f"t1={first}, t2={second}, (x0, e1, e2)={place}, T={total}",
        )


def rounds_of(run: Scenario, *, points: bool, warm: bool) -> Iterator[tuple[int, dict[str, int]]]:
    """Each round t, and which model each symbol of the proof is there, with the clients in both
    orders.

    The latest models are x^{T_i}, or x^{T_i - 1} with `points`; only rounds with both clients known
    count if `warm`.
    """
    latest = last_true(run.trace.delivers) + 1
    for t in range(1, run.trace.num_rounds + 1):
        ages = latest[t - 1].tolist()
        stored = [age - 1 if points and age else age for age in ages]
        for one, other in (stored, stored[::-1]) if all(ages) or not warm else ():
            yield (
                t,
                {
                    "model_before": t - 1,
                    "model_after": t,
                    "first_latest_model": one,
                    "second_latest_model": other,
                },
            )


def in_round(
    run: Scenario, models: Array, places: Mapping[str, int]
) -> tuple[dict[str, Scalar], dict[str, str]]:
    """Values of the symbols in one round, and how to measure them."""
    size = "local_step_size"
    values = {name: models[index] for name, index in places.items()} | {size: run.local_step_size}
    return values, {name: f"model:{index}" for name, index in places.items()} | {size: size}


@cache
def steps(points: bool, warm: bool) -> tuple[Instance, ...]:
    """Single rounds; see `rounds_of`."""
    found = []
    settings = [*product((4,), BLOCKS), (9, (2, 1)), (9, (1, 3))]
    for (total, (first, second)), place in product(settings, PLACES):
        run = example(first, second, place, total)
        models, data = ExactRun(run).models[:, 0], run.to_json()
        for t, places in rounds_of(run, points=points, warm=warm):
            values, measures = in_round(run, models, places)
            found.append(
                Instance(
                    constants(first, second, place) | values,
                    f"t1={first}, t2={second}, (x0, e1, e2)={place}, T={total}, round {t}",
                    Provenance(run=data, measures=measures | PLACED),
                )
            )
    return tuple(found)


def on_rounds(*, points: bool = False, warm: bool = False) -> Decide:
    """Eq. (6) to (11): one inequality or identity of the proof, in each round."""

    @by_instances(
        Method.EXACT_RUN,
        covers="every round of exact runs of 4 and 9 rounds: up to five block pairs, six"
        f" places{'; only once both clients are known' if warm else ''}",
    )
    def decide() -> Iterable[Instance]:
        return steps(points, warm)

    return decide


def algebra(claim: Claim) -> Evidence:
    """Eq. (8): x^t by eq. (6) for arbitrary latest models; gamma = 1/(2 (1 + h)) with h >= 0 covers
    (0, 1/2]."""
    size = 1 / (2 * (1 + letter("excess", nonnegative=True)))
    before = letter("model_before")
    derived = {
        "local_step_size": size,
        "model_after": before - size * (FIRST + SECOND - 2 * OPTIMUM),
    }
    return check_symbolic(
        claim, derived=derived, covers="all models and all step sizes in (0, 1/2], given eq. (6)"
    )


def rate(claim: Claim) -> Evidence:
    """Theorem 2: the mean squared gradient is of order 1/sqrt T."""
    path = [
        Instance(measure(example(1, 3, (2, 0, 1), total), ["mean_squared_gradient", "num_rounds"]))
        for total in (4, 16, 36, 64, 100, 144)
    ]
    return check_order_sweep(claim, path, covers="t1=1, t2=3, e=(0, 1), x0=2, up to 144 rounds")


def much_faster(claim: Claim) -> Claim:
    """A planted falsehood: 1/T^5 instead of 1/sqrt T."""
    return claim.planted(right=sympy.Symbol("num_rounds", integer=True, positive=True) ** -5)


CHECKS = (
    Check("fedlaavg.thm2.explicit", bound_on_runs),
    Check("fedlaavg.thm2.corrected", bound_on_runs),
    Check("fedlaavg.thm2.corrected", bound_on_long_runs),
    Check("fedlaavg.thm2.best", bound_on_runs),
    Check("fedlaavg.thm2", rate, plant=much_faster),
    Check("fedlaavg.thm2.eq6", on_rounds()),
    Check("fedlaavg.thm2.eq6.corrected", on_rounds(points=True, warm=True)),
    Check("fedlaavg.thm2.eq8", algebra),
    Check("fedlaavg.thm2.eq9", on_rounds()),
    Check("fedlaavg.thm2.eq10", on_rounds()),
    Check("fedlaavg.thm2.eq11", on_rounds()),
    Check("fedlaavg.thm2.eq11.corrected", on_rounds(points=True, warm=True)),
    Check("fedlaavg.thm2.step", on_rounds()),
    Check("fedlaavg.thm2.step.corrected", on_rounds(warm=True)),
)
