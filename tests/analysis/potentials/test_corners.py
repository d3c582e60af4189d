"""Corners at which an answer once failed or was weaker than it is: the three memory methods agree
in every language, no staleness, the sharp step itself, methods that do not fit."""

from fractions import Fraction as F

import pytest

from fltheory import InvalidInput, forever
from fltheory.analysis.potentials.generic_client import DoesNotFit

MEMORY = ("mifa", "fedlaavg", "afa-cs")


@pytest.mark.parametrize(
    "language",
    [
        {"probability": "1/2"},
        pytest.param({"pattern": "110"}, marks=pytest.mark.slow),
        {"staleness": 2, "cold_start": True},
    ],
    ids=str,
)
def test_methods_with_memory_have_the_same_potentials(language: dict[str, object]) -> None:
    """FedLaAvg keeps a running mean beside its table; what it conserves is no instability."""
    found = [
        forever(name, strong_convexity="1/10", step_size="3/100", **language)  # type: ignore[arg-type]
        for name in MEMORY
    ]
    assert {one.status for one in found} == {"CERTIFIED"}
    assert len({(one.rate, one.constant) for one in found}) == 1
    assert all(one.rate is not None and one.rate < F(995, 1000) for one in found)


@pytest.mark.slow
def test_the_step_that_breaks_is_the_same_by_chance() -> None:
    found = [
        forever(name, strong_convexity="1/10", probability="1/2", largest_step=True)
        for name in MEMORY
    ]
    assert {one.breaks_at for one in found} == {F(2, 3)}


def test_several_local_steps_of_everybody() -> None:
    found = forever("fedavg", staleness=0, local_steps=3, strong_convexity="1/10", step_size="1/10")
    assert found.status == "CERTIFIED"
    assert found.floor


def test_at_the_sharp_step_nothing_falls() -> None:
    found = forever("mifa", staleness=1, step_size=1)
    assert (found.status, found.rate) == ("NONE_FOUND", None)
    assert forever("mifa", staleness=1, step_size="99/100").status == "CERTIFIED"


def test_a_method_that_does_not_fit_is_refused_before_its_largest_step_is_sought() -> None:
    with pytest.raises(DoesNotFit, match="weight depends on the others") as refused:
        forever(
            "scaffold", probability="1/2", strong_convexity="1/2", local_steps=2, largest_step=True
        )
    assert isinstance(refused.value, InvalidInput)
