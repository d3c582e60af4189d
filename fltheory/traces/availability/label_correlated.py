"""Clients with small labels are rarely available (MIFA Section 7): probabilities as printed, and as
in the released code.

The paper prints p_i = p_min min(j, k)/9 + (1 - p_min), whose least value is 1 - p_min; the released
code uses p_i = p_min + (1 - p_min) min(j, k)/9, whose least value is p_min, as the text says. Both
are here, under different names.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeAlias

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.registry import Member, Settings
from fltheory.core.types import ExactLike
from fltheory.traces.availability.base import arguments, for_clients, whole
from fltheory.traces.availability.bernoulli import Bernoulli

NUM_LABELS = 10
"""Digits of MNIST, classes of CIFAR-10: labels 0..9."""

Labels: TypeAlias = Sequence[Sequence[int | str]]
"""The labels that each client holds."""

Rule: TypeAlias = Callable[[Labels, ExactLike], tuple[Fraction, ...]]
"""(labels, least probability) -> the probability of each client."""


def label_probabilities(labels: Labels, min_probability: ExactLike) -> tuple[Fraction, ...]:
    """p_i = p_min + (1 - p_min) min(labels of i)/9, as in MIFA's released code.

    >>> [str(p) for p in label_probabilities([(0, 5), (8, 9)], "1/10")]
    ['1/10', '9/10']
    """
    least = _min_probability(min_probability)
    return tuple(least + (1 - least) * share for share in _shares(labels))


def label_probabilities_as_printed(
    labels: Labels, min_probability: ExactLike
) -> tuple[Fraction, ...]:
    """p_i = p_min min(labels of i)/9 + (1 - p_min), as MIFA's Section 7 prints it.

    >>> [str(p) for p in label_probabilities_as_printed([(0, 5), (8, 9)], "1/10")]
    ['9/10', '89/90']
    """
    least = _min_probability(min_probability)
    return tuple(least * share + (1 - least) for share in _shares(labels))


def _min_probability(value: ExactLike) -> Fraction:
    least = exact(value, "least probability")
    if not 0 < least < 1:
        raise InvalidInput("least probability", "lie in (0, 1)", least)
    return least


def _shares(labels: Labels) -> list[Fraction]:
    """min(labels of i) / 9 for each client."""
    shares = []
    for i, held in enumerate(labels):
        known = [whole(label, f"label of client {i}", least=0) for label in held]
        if not known or max(known) >= NUM_LABELS:
            raise InvalidInput(
                f"labels of client {i}", f"be at least one of 0..{NUM_LABELS - 1}", tuple(held)
            )
        shares.append(Fraction(min(known), NUM_LABELS - 1))
    return shares


def _build(settings: Settings, name: str, rule: Rule) -> Bernoulli:
    least, *pairs = arguments(settings, f"{name}:1/10,0-1,3-8", least=1, most=None)
    labels = [pair.split("-") for pair in pairs] or settings.need("labels")
    return Bernoulli(rule(for_clients(labels, settings, "labels"), least), everyone_first=False)


MEMBERS = tuple(
    Member(name, says, partial(_build, name=name, rule=rule), f"{name}:1/10,0-1,3-8")
    for name, says, rule in (
        (
            "label-correlated",
            "coin flips, rare for small labels, as in MIFA's released code",
            label_probabilities,
        ),
        (
            "label-correlated-as-printed",
            "coin flips, rare for small labels, as MIFA's Section 7 prints it",
            label_probabilities_as_printed,
        ),
    )
)
