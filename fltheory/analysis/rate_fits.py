"""Slopes over values that the user chooses, by exact moments or by samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from fltheory.analysis.device_samples import Where, by_device, measured_metric
from fltheory.analysis.regimes import Regime
from fltheory.analysis.sizes import RunSize
from fltheory.analysis.trends import (
    MIN_SLOPES,
    NOT_YET,
    TOLERANCE,
    Trend,
    local_slopes,
    trend,
)
from fltheory.analysis.variables import as_claimed, check_variable, sizes_on_grid
from fltheory.core.errors import InvalidInput
from fltheory.core.types import FloatArray

MAX_NUMBERS = 1 << 32
"""Maximum number of numbers that the runs at one value of a grid may change: less than a minute."""

NORMAL_95 = 1.96


@dataclass(frozen=True)
class RateFit:
    """Slopes over values of one's own choice, all else fixed, with the standard errors of sampled
    quantities.

    `claimed` is None if the claim does not speak of the variable or of the quantity. `too_short`
    names a run that has fewer rounds than the theorem asks for, if there is one; then
    the slopes say nothing about the theorem.
    """

    claim: str
    versus: str
    claimed: Fraction | None
    values: tuple[float, ...]
    quantities: tuple[float, ...]
    errors: tuple[float, ...] | None
    trend: Trend
    too_short: str = ""
    measures: str = ""
    """The quantity in words."""

    @property
    def plain(self) -> float:
        """The slope of one straight line through all points."""
        return float(np.polyfit(np.log(self.values), np.log(self.quantities), 1)[0])

    @property
    def sampling_interval(self) -> tuple[float, float] | None:
        """95 % interval of that slope from sampling errors alone (delta method); None for exact
        moments."""
        if self.errors is None:
            return None
        logs = np.log(self.values) - np.mean(np.log(self.values))
        spread = float(np.linalg.norm(logs * self._relative)) / float(logs @ logs)
        return self.plain - NORMAL_95 * spread, self.plain + NORMAL_95 * spread

    @property
    def exponent(self) -> float | None:
        """The extrapolated slope, or None if it is not asymptotic."""
        return self.trend.limit if self.says == "asymptotic" else None

    @property
    def says(self) -> str:
        """Whether the local slopes are settled (rule 3), if each is known to within TOLERANCE."""
        if self.too_short:
            return f"{NOT_YET}: {self.too_short}"
        if len(self.trend.slopes) < MIN_SLOPES:
            return f"too few values for a bias check: it takes {MIN_SLOPES + 1}"
        relative = self._relative
        widths = NORMAL_95 * np.hypot(relative[1:], relative[:-1]) / np.diff(np.log(self.values))
        if widths.max() > TOLERANCE:
            return (
                f"too noisy for a bias check: local slopes are known to within {widths.max():.2g}"
            )
        return "asymptotic" if self.trend.settled else NOT_YET

    @property
    def _relative(self) -> FloatArray:
        if self.errors is None:
            return np.zeros(len(self.values))
        return np.array(self.errors) / np.array(self.quantities)


def fit_rate(
    regime: Regime,
    versus: str,
    *,
    grid: Sequence[int],
    base: RunSize,
    runs: int | None = None,
    where: Where | None = None,
) -> RateFit:
    """Slopes over a grid, by exact moments or by `runs` sampled runs at each value, which may be
    computed on a device."""
    if where is None:
        check_variable(regime, versus)
    if len(grid) < MIN_SLOPES or any(b <= a for a, b in pairwise(grid)):
        raise InvalidInput("grid of a rate", "have at least three growing values", list(grid))
    sizes = sizes_on_grid(regime, versus, grid, base)
    longest = max(regime.numbers(size, runs=runs) for size in sizes)
    if longest > MAX_NUMBERS:
        raise InvalidInput(
            "largest run of a rate", f"change at most {MAX_NUMBERS} numbers", longest
        )
    errors: tuple[float, ...] | None = None
    if runs is None:
        quantities = tuple(regime.by_moments(size) for size in sizes)
    else:
        sampled = [
            by_device(regime, size, runs=runs, where=where)
            if where
            else regime.by_samples(size, runs=runs)
            for size in sizes
        ]
        quantities, errors = (
            tuple(quantity for quantity, _ in sampled),
            tuple(error for _, error in sampled),
        )
    values = as_claimed(regime, versus, grid)
    asked = zip(values, sizes, least_rounds(regime, versus, grid, base), strict=True)
    short = next(
        (
            f"{regime.claim} asks for {least} rounds at {versus} = {value:g}, not {size.num_rounds}"
            for value, size, least in asked
            if size.num_rounds < least
        ),
        "",
    )
    metric = regime.metric if where is None else measured_metric(regime, where.problem)
    return RateFit(
        regime.claim,
        versus,
        regime.claimed.get(versus) if metric is regime.metric else None,
        values,
        quantities,
        errors,
        trend(local_slopes(values, quantities)),
        short,
        metric.value,
    )


def least_rounds(regime: Regime, versus: str, grid: Sequence[int], base: RunSize) -> list[int]:
    """The least number of rounds that the theorem asks for at each value of a grid."""
    return [regime.least_rounds(size) for size in sizes_on_grid(regime, versus, grid, base)]
