"""Partial work, FedProx and SCAFFOLD, all in exact fractions."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from fltheory import FedAvg, InvalidInput, Quadratic, Trace
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.partial_work import PartialWork
from fltheory.algorithms.scaffold import CONTROLLED
from fltheory.analysis.limits import limit_cycle
from fltheory.engine.noise import Rademacher
from tests.algorithms.exact_runs import EXAMPLE, decreasing, drift, few, instances, models

# On Example 1 the methods are block maps x -> e + q (x - e), so the limit is that of FedAvg
# with another q


def block_limit(contraction: Fraction) -> Fraction:
    """Limit at the end of a period with e = (0, 1) and (t1, t2) = (1, 3)."""
    return 1 - contraction**3 * (1 - contraction) / (1 - contraction**4)


def test_partial_work_does_not_remove_the_bias() -> None:
    limit = limit_cycle(
        PartialWork(full_local_steps=1), EXAMPLE, drift(1, 3, 3), local_step_size="1/4"
    ).at_period_end
    assert limit == (block_limit(1 - Fraction(1, 4)),) == (Fraction(148, 175),)


@pytest.mark.parametrize(
    ("strength", "shown"), [("0", 0.819981981), ("1/100", 0.819950808), ("1", 0.816944881)]
)
def test_fedprox_is_close_to_fedavg(strength: str, shown: float) -> None:
    size, count, pull = Fraction(1, 100), 10, Fraction(strength)
    inner = (1 - size * (2 + pull)) ** count
    contraction = inner + (1 - inner) * pull / (2 + pull)
    trace = drift(1, 3, 3).with_local_steps(count)
    limit = limit_cycle(
        FedAvg(worker=proximal(strength)), EXAMPLE, trace, local_step_size=size
    ).at_period_end
    assert limit == (block_limit(contraction),)
    assert float(limit[0]) == pytest.approx(shown, abs=1e-9)


@few
@given(instances())
def test_fedprox_of_strength_zero_is_fedavg(instance: Any) -> None:
    problem, delivers, steps, start = instance
    trace = Trace.continuous(delivers, local_steps=steps)
    assert models(
        FedAvg(worker=proximal(0)), problem, trace, start=start, local_step_size=decreasing
    ) == models(FedAvg(), problem, trace, start=start, local_step_size=decreasing)


@few
@given(instances())
def test_scaffold_with_everyone_and_one_step_is_fedavg(instance: Any) -> None:
    problem, delivers, _, start = instance
    trace, noise = Trace.fresh(np.ones_like(delivers)), Rademacher(problem, "1/2")
    plain, controlled = (
        models(FedAvg(worker=w), problem, trace, start=start, local_step_size="1/5", noise=noise)
        for w in (FedAvg().worker, CONTROLLED)
    )
    assert plain == controlled


def test_scaffold_removes_the_drift_of_local_steps() -> None:
    """Curvatures 1 and 3 with four local steps: FedAvg stops short of the optimum 3/4, SCAFFOLD
    reaches it."""
    problem, everyone = (
        Quadratic(curvatures=(1, 3), optima=(0, 1)),
        Trace.fresh([[1, 1]] * 3, local_steps=4),
    )
    limits = [
        limit_cycle(FedAvg(worker=w), problem, everyone, local_step_size="1/10").at_period_end
        for w in (FedAvg().worker, CONTROLLED)
    ]
    assert limits[0] != limits[1] == (Fraction(3, 4),)


@pytest.mark.parametrize(("full", "importance"), [(0, None), ("3/2", None), (2, ("1/2", "1/3"))])
def test_partial_work_refuses_impossible_settings(full: Any, importance: Any) -> None:
    with pytest.raises(InvalidInput):
        PartialWork(full, importance)


def test_more_than_full_work_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match="local steps in round 0 must be at most the full 2, got 3"
    ):
        models(
            PartialWork(2),
            EXAMPLE,
            Trace.fresh([[1, 0]], local_steps=3),
            start=0,
            local_step_size=1,
        )
