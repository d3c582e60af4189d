"""What is known about observations, and sums over streams of them whose bits do not depend on the
batches.

Bounds that become floats are rounded to the side that claims less.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log, nextafter
from typing import NamedTuple

import numpy as np

from fltheory.core.checked import Checked, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import BoolArray, ExactLike, FloatArray, IntArray

ERROR = Fraction(1, 10**6)
"""Default error probability: small enough for checks that run on every change."""

LARGEST = 1e100
"""Largest observation in absolute value, so that squares stay finite."""

TINY = 2.0**-50
"""Eight units of rounding; a bound on the relative error of a few operations."""

Observations = FloatArray | Sequence[float]
"""Observations along the last axis; leading axes are replications."""


@frozen
class Bounded:
    """Observations lie in [low, high]."""

    low: Checked[ExactLike, Fraction]
    high: Checked[ExactLike, Fraction]

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(
                self, name, moderate(getattr(self, name), f"{name} end of the observations")
            )
        if self.low >= self.high:
            raise InvalidInput(
                "high end of the observations", f"be above the low end {self.low}", self.high
            )

    def __str__(self) -> str:
        return f"observations in [{float(self.low):.6g}, {float(self.high):.6g}]"

    @property
    def ends(self) -> tuple[float, float]:
        """The range in floats, rounded outwards."""
        return rounded_down(self.low), rounded_up(self.high)

    def admits(self, observations: FloatArray) -> BoolArray:
        """Which observations obey the law."""
        low, high = self.ends
        return (observations >= low) & (observations <= high)

    def unit(self, observations: FloatArray) -> FloatArray:
        """Observations mapped from the range to [0, 1]; monotone rounding keeps them inside."""
        low, high = self.ends
        return (observations - low) / (high - low)


@dataclass(frozen=True)
class NonNegative:
    """Observations are at least 0; this bounds their mean from below only."""

    def __str__(self) -> str:
        return "observations at least 0"

    def admits(self, observations: FloatArray) -> BoolArray:
        """Which observations obey the law."""
        return observations >= 0


@frozen
class SubGaussian:
    """E exp(b (X - mean)) <= exp(b^2 scale^2 / 2) for every b.

    For example normal observations with this standard deviation, or observations in [low, high]
    with scale (high - low)/2.
    """

    scale: Checked[ExactLike, Fraction]

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "sub-Gaussian scale"))

    def __str__(self) -> str:
        return f"sub-Gaussian observations of scale {float(self.scale):.6g}"

    def admits(self, observations: FloatArray) -> BoolArray:
        """Which observations obey the law."""
        return np.isfinite(observations)


@frozen
class BoundedVariance:
    """The variance of each observation, given its past, is at most `variance`; its tails are
    arbitrary."""

    variance: Checked[ExactLike, Fraction]

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", positive(self.variance, "bound on the variance"))

    def __str__(self) -> str:
        return f"observations of variance at most {float(self.variance):.6g}"

    def admits(self, observations: FloatArray) -> BoolArray:
        """Which observations obey the law."""
        return np.isfinite(observations)


Law = Bounded | NonNegative | SubGaussian | BoundedVariance
"""What is known about the distribution of the observations."""


class Past(NamedTuple):
    """Regularised mean and variance before each observation, the observations' indices from 1, and
    the sums after the last one."""

    means: FloatArray
    variances: FloatArray
    counts: IntArray
    total: FloatArray
    squares: FloatArray


def predictable(
    count: int, total: FloatArray, squares: FloatArray, values: FloatArray, *, guess: float = 0.5
) -> Past:
    """m_t = (guess + sum x_i)/(t + 1) and v_t = (1/4 + sum (x_i - m_i)^2)/(t + 1), each as known
    before the next observation.

    >>> past = predictable(0, np.zeros(()), np.zeros(()), np.array([1.0, 1.0]))
    >>> past.means.tolist(), past.counts.tolist()
    ([0.5, 0.75], [1, 2])
    """
    times = count + np.arange(values.shape[-1] + 1)
    totals = sums(total, values)
    means = (guess + totals) / (times + 1)
    spreads = sums(squares, (values - means[..., 1:]) ** 2)
    return Past(
        means[..., :-1],
        ((0.25 + spreads) / (times + 1))[..., :-1],
        times[1:],
        totals[..., -1],
        spreads[..., -1],
    )


def plug_in_bets(variances: FloatArray | float, counts: IntArray, error: Fraction) -> FloatArray:
    """b_t = sqrt(d / (2 v_{t-1} s)) with d = log(2/error) and s = t + 16 d: nearly the best bet for
    the observed variance, at all scales of t.

    Little can be decided with fewer than a few times d observations, so early bets are small.
    """
    doubt = log(2 / error)
    return np.sqrt(doubt / (2 * variances * (counts + 16 * doubt)))


def sums(start: FloatArray, terms: FloatArray) -> FloatArray:
    """Sequential partial sums from `start` on, along the last axis: (..., n) -> (..., n + 1).

    >>> sums(np.array(1.0), np.array([2.0, 3.0])).tolist()
    [1.0, 3.0, 6.0]
    """
    return np.cumsum(np.concatenate([start[..., None], terms], axis=-1), axis=-1)


def raised(lower: FloatArray, path: FloatArray) -> FloatArray:
    """The largest lower end so far."""
    return np.maximum(lower, path.max(axis=-1, initial=-inf))


def lowered(upper: FloatArray, path: FloatArray) -> FloatArray:
    """The smallest upper end so far."""
    return np.minimum(upper, path.min(axis=-1, initial=inf))


def observed(batch: Observations, shape: tuple[int, ...], law: Law) -> FloatArray:
    """A batch of observations (..., times) as floats, if it has the replications of the state and
    obeys the law.

    >>> observed([0.5, 2], (), Bounded(0, 1))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: observation 1 must obey the law "observations in [0, 1]", ...
    """
    values = np.asarray(batch, np.float64)
    if values.ndim == 0 or values.shape[:-1] != shape:
        raise InvalidInput("batch of observations", f"have shape {(*shape, 'times')}", values.shape)
    wrong = ~(np.abs(values) <= LARGEST)
    if wrong.any():
        raise InvalidInput(
            f"observation {_first(wrong)}",
            f"be a number of size at most {LARGEST:g}",
            values[wrong][0],
        )
    wrong = ~law.admits(values)
    if wrong.any():
        raise InvalidInput(
            f"observation {_first(wrong)}", f'obey the law "{law}"', values[wrong][0]
        )
    return values


def _first(wrong: BoolArray) -> str:
    """The index of the first wrong entry."""
    return ", ".join(str(int(i)) for i in np.argwhere(wrong)[0])


def probability(value: ExactLike, owner: str = "error probability") -> Fraction:
    """A number strictly between 0 and 1."""
    number = exact(value, owner)
    if not 0 < number < 1:
        raise InvalidInput(owner, "lie strictly between 0 and 1", number)
    return number


def moderate(value: ExactLike, owner: str) -> Fraction:
    """A number of absolute value at most LARGEST."""
    number = exact(value, owner)
    if abs(number) > LARGEST:
        raise InvalidInput(
            owner,
            f"be at most {LARGEST:g} in size",
            f"{'-' if number < 0 else ''}10^{len(str(int(abs(number)))) - 1}",
        )
    return number


def positive(value: ExactLike, owner: str) -> Fraction:
    """A number above 0."""
    number = moderate(value, owner)
    if number <= 0:
        raise InvalidInput(owner, "be above 0", number)
    return number


def rounded_down(number: Fraction) -> float:
    """The largest float that is at most `number`.

    >>> rounded_down(Fraction(1, 10)) < Fraction(1, 10) < rounded_up(Fraction(1, 10))
    True
    """
    near = float(number)
    return near if Fraction(near) <= number else nextafter(near, -inf)


def rounded_up(number: Fraction) -> float:
    """The smallest float that is at least `number`."""
    return -rounded_down(-number)
