"""Theorem 2: exact runs of FedLaAvg on Example 1, round by round."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import isqrt
from typing import Any

import sympy

from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import check_order_sweep
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.expectations import ExactRun
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.papers.fedlaavg.statements.theorem2 import FIRST, OPTIMUM, SECOND
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.alternating import Alternating
from fltheory.traces.trace import Trace, last_true

BLOCKS = ((1, 1), (2, 1), (1, 3), (4, 1), (3, 3))
PLACES = ((1, 0, 2), (1, 1, -1), (-1, 0, 0), (1, -1, 1), (0, 0, 1), (-2, 1, 0))
"""(start, e1, e2): on both sides of the optimum, on it, with equal optima."""
PLACED = {"start": "model:0", "optimum": "optimum"}


def example(first: int, second: int, place: tuple[int, int, int], rounds: int) -> Scenario:
    """FedLaAvg on Example 1 with step size 1/(2 sqrt T), rational because T is a square."""
    start, *optima = place
    trace = Trace.fresh(Alternating(2, (first, second)).matrix(rounds))
    return Scenario(
        "fedlaavg",
        Quadratic((2, 2), tuple(optima)),
        trace,
        start=start,
        local_step_size=Fraction(1, 2 * isqrt(rounds)),
        parameters={
            "staleness_bound": max(first, second),
            "distance_of_optima": abs(optima[0] - optima[1]),
        },
    )


def known(first: int, second: int, place: tuple[int, int, int]) -> dict[str, Any]:
    start, left, right = place
    return {
        "start": start,
        "optimum": Fraction(left + right, 2),
        "distance_of_optima": abs(left - right),
        "staleness_bound": max(first, second),
    }


@cache
def runs() -> tuple[Instance, ...]:
    """Whole runs: the measured quantities and the best model."""
    return tuple(_runs())


def _runs() -> Iterator[Instance]:
    for total, (first, second), place in product((4, 1, 9), BLOCKS, PLACES):
        scenario = example(first, second, place, total)
        names = ["mean_squared_gradient", "initial_loss_gap", "num_rounds", "local_step_size"]
        best = min(ExactRun(scenario).squared_gradients) / 4
        yield Instance(
            known(first, second, place)
            | measure(scenario, names)
            | {"best_squared_distance": best},
            f"t1={first}, t2={second}, (x0, e1, e2)={place}, T={total}",
            {"run": scenario.to_json(), "measures": {name: name for name in names} | PLACED},
        )


@by_instances(
    Method.BOUND_ON_RUN,
    covers="exact runs of 1 to 9 rounds: five block pairs, six places of start and optima",
)
def bound_on_runs() -> Iterable[Instance]:
    return runs()


@cache
def steps(points: bool, warm: bool) -> tuple[Instance, ...]:
    """Single rounds; the latest models are x^{T_i}, or x^{T_i - 1} with `points`; only rounds with
    both clients known if `warm`."""
    return tuple(_steps(points, warm))


def _steps(points: bool, warm: bool) -> Iterator[Instance]:
    for (total, (first, second)), place in product(
        [*product((4,), BLOCKS), (9, (2, 1)), (9, (1, 3))], PLACES
    ):
        scenario = example(first, second, place, total)
        models = ExactRun(scenario).models[:, 0]
        latest = last_true(scenario.trace.delivers) + 1
        run = scenario.to_json()
        for t in range(1, total + 1):
            ages = latest[t - 1].tolist()
            if warm and not all(ages):
                continue
            stored = [age - 1 if points and age else age for age in ages]
            for one, other in (stored, stored[::-1]):
                places = {
                    "model_before": t - 1,
                    "model_after": t,
                    "first_latest_model": one,
                    "second_latest_model": other,
                }
                values = {name: models[index] for name, index in places.items()} | {
                    "local_step_size": scenario.local_step_size
                }
                measures = (
                    {name: f"model:{index}" for name, index in places.items()}
                    | {"local_step_size": "local_step_size"}
                    | PLACED
                )
                yield Instance(
                    known(first, second, place) | values,
                    f"t1={first}, t2={second}, (x0, e1, e2)={place}, T={total}, round {t}",
                    {"run": run, "measures": measures},
                )


def on_rounds(*, points: bool = False, warm: bool = False) -> Decide:
    """A check of one inequality or identity of the proof in each round."""

    @by_instances(
        Method.EXACT_RUN,
        covers="every round of exact runs of 4 and 9 rounds: up to five block pairs, six"
        f" places{'; only once both clients are known' if warm else ''}",
    )
    def decide() -> Iterable[Instance]:
        return steps(points, warm)

    return decide


def algebra(claim: Claim) -> Evidence:
    """x^t by eq. (6) for arbitrary latest models; gamma = 1/(2 (1 + h)) with h >= 0 covers (0,
    1/2]."""
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
    def path() -> list[Instance]:
        found = []
        for total in (4, 16, 36, 64, 100, 144):
            scenario = example(1, 3, (2, 0, 1), total)
            found.append(Instance(measure(scenario, ["mean_squared_gradient", "num_rounds"])))
        return found

    return check_order_sweep(claim, path(), covers="t1=1, t2=3, e=(0, 1), x0=2, up to 144 rounds")


def much_faster(claim: Claim) -> Claim:
    """1/T^5 instead of 1/sqrt T."""
    return claim.planted(right=sympy.Symbol("num_rounds", integer=True, positive=True) ** -5)


CHECKS = (
    Check("fedlaavg.thm2", bound_on_runs),
    Check("fedlaavg.thm2.corrected", bound_on_runs),
    Check("fedlaavg.thm2.best", bound_on_runs),
    Check("fedlaavg.thm2.rate", rate, plant=much_faster),
    Check("fedlaavg.thm2.eq6", on_rounds()),
    Check("fedlaavg.thm2.eq6.corrected", on_rounds(points=True, warm=True)),
    Check("fedlaavg.thm2.eq8", algebra),
    Check("fedlaavg.thm2.eq9", on_rounds()),
    Check("fedlaavg.thm2.eq9.corrected", on_rounds()),
    Check("fedlaavg.thm2.eq10", on_rounds()),
    Check("fedlaavg.thm2.eq10.corrected", on_rounds()),
    Check("fedlaavg.thm2.eq11", on_rounds()),
    Check("fedlaavg.thm2.eq11.corrected", on_rounds(points=True, warm=True)),
    Check("fedlaavg.thm2.step", on_rounds()),
    Check("fedlaavg.thm2.step.corrected", on_rounds(warm=True)),
)
