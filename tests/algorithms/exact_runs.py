"""Exact runs and small instances for the tests of algorithms."""

from fractions import Fraction
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from fltheory import Quadratic, Trace
from fltheory.engine.simulate import simulate

few = settings(max_examples=25)

EXAMPLE = Quadratic(curvatures=(2, 2), optima=(0, 1))


def drift(first: int, second: int, periods: int) -> Trace:
    """FedLaAvg's Example 1: two clients, available in turn for so many rounds each."""
    return Trace.fresh(([[1, 0]] * first + [[0, 1]] * second) * periods)


def models(*arguments: Any, **options: Any) -> list[Fraction]:
    return list(simulate(*arguments, **options).models[:, 0])


def numbers(*texts: str) -> list[Fraction]:
    return [Fraction(text) for text in texts]


# MIFA, the instance of its Algorithm 1: two clients, two local steps, step sizes 2/(t + 100)

TWO = Quadratic(curvatures=(1, 1), optima=(0, 1))
TURNS = Trace.fresh([[1, 1], [1, 0], [0, 1]], local_steps=2)


def decreasing(index: int) -> Fraction:
    return Fraction(2, index + 101)


participation = st.integers(2, 4).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 1), min_size=n, max_size=n), min_size=2, max_size=5)
)
fraction = st.fractions(-2, 2, max_denominator=5)


@st.composite
def instances(draw: st.DrawFn) -> tuple[Quadratic, Any, int, Fraction]:
    delivers = draw(participation)
    count = len(delivers[0])
    optima, curvatures = (
        draw(st.lists(fraction, min_size=count, max_size=count)) for _ in range(2)
    )
    return (
        Quadratic([abs(h) for h in curvatures], optima),
        delivers,
        draw(st.integers(1, 3)),
        draw(fraction),
    )
