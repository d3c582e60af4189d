"""The settings for which methods are compared: constants that nobody gave vary over a range."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product

from fltheory.fleet.setting import LearningTask

FACTORS: Mapping[str, tuple[Fraction, ...]] = {
    "strong_convexity": (Fraction(1), Fraction(1, 8)),
    "noise": (Fraction(1), Fraction(1, 10), Fraction(10)),
    "heterogeneity": (Fraction(1), Fraction(1, 10), Fraction(5), Fraction(20)),
}
"""Factors on the assumed value of a constant; the first one keeps it."""


def plausible(task: LearningTask, given: frozenset[str]) -> tuple[LearningTask, ...]:
    """The task itself, and the same with every other choice of the constants that are assumed.

    >>> len(plausible(LearningTask(), frozenset())), len(plausible(LearningTask(), {"noise"}))
    (24, 8)
    """
    free = {name: factors for name, factors in FACTORS.items() if name not in given}
    return tuple(
        replace(
            task, **{name: getattr(task, name) * f for name, f in zip(free, chosen, strict=True)}
        )
        for chosen in product(*free.values())
    )
