"""Rates: the exponent at which a quantity falls, with a bias check, because bias beats noise here.

A slope of log(quantity) against log(variable) tends to the true exponent only as the variable grows. Three things are
looked at: local slopes between neighbouring points, the same against log(variable + shift) with the shift that makes the local
slopes as equal as possible, and how much the answer moves when the whole grid is doubled. Where they disagree the answer is "not yet
asymptotic", never a slope.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.errors import InvalidInput
from fltheory.regimes import Regime, Size

TOLERANCE = 0.02
"""Largest spread of local slopes that passes for a constant exponent."""

FIELDS = {"N": "num_clients", "M": "num_clients", "K": "local_steps", "T": "num_rounds", "staleness": "period", "m": "clients_per_round"}
"""Which part of a Size each variable is; staleness is counted as 1 + mean (or max) staleness of a period."""

GRIDS: dict[str, tuple[int, ...]] = {
    "N": (1, 2, 4, 8, 16), "M": (1, 2, 4, 8, 16), "K": (1, 2, 4, 8, 16), "T": (1000, 2000, 4000, 8000, 16000),
    "staleness": (3, 5, 9, 17), "m": (1, 2, 4, 8),
}


@dataclass(frozen=True)
class Slope:
    """What the points say about the exponent.

    `exponent` is None where it is not yet asymptotic. `low`..`high` spans everything that passed the bias check.
    """

    exponent: float | None
    low: float
    high: float
    plain: float
    local: tuple[float, ...]
    shift: float
    shifted: tuple[float, ...]
    says: str


def fit(values: Sequence[float], quantities: Sequence[float], *, offset: float = 0.0) -> Slope:
    """The exponent of quantities ~ (value + shift)^exponent.

    `offset` is a shift that theory suggests (MIFA's a); it is tried beside no shift and beside the fitted one.

    >>> fit([10, 20, 40, 80], [1 / x for x in (10, 20, 40, 80)]).exponent
    -1.0
    >>> fit([10, 20, 40, 80], [2.0 ** -x for x in (10, 20, 40, 80)]).says
    'not yet asymptotic'
    """
    x, y = np.asarray(values, float), np.asarray(quantities, float)
    if len(x) < 3 or (np.diff(x) <= 0).any():
        raise InvalidInput("grid of a rate", "have at least three growing values", list(values))
    if not (np.isfinite(y).all() and (y > 0).all()):
        worst = int(np.flatnonzero(~(np.isfinite(y) & (y > 0)))[0])
        raise InvalidInput(f"quantity at {values[worst]}", "be a positive number, for a rate", y[worst])
    plain = _local_slopes(x, y)
    scanned = x[0] * np.linspace(-0.9, 3, 79)
    steadiest = min(scanned, key=lambda s: _spread(_local_slopes(x + s, y)))
    shift = next((s for s in (0.0, offset) if _spread(_local_slopes(x + s, y)) <= TOLERANCE / 4), steadiest)
    shifted = _local_slopes(x + shift, y)
    steady = _spread(shifted) <= TOLERANCE and abs(shifted[-1] - plain[-1]) <= 0.1
    candidates = [*shifted[-2:], *([plain[-1]] if _spread(plain[-2:]) <= TOLERANCE / 4 else [])]
    return Slope(
        exponent=round(float(shifted[-1]), 6) if steady else None,
        low=float(min(candidates)), high=float(max(candidates)), plain=float(np.polyfit(np.log(x), np.log(y), 1)[0]),
        local=tuple(map(float, plain)), shift=float(shift), shifted=tuple(map(float, shifted)),
        says="not yet asymptotic" if not steady else "asymptotic" if shift == 0 else f"asymptotic in the variable plus {shift:g}",
    )


def _local_slopes(x: Any, y: Any) -> Any:
    return np.diff(np.log(y)) / np.diff(np.log(x))


def _spread(slopes: Any) -> float:
    return float(max(slopes) - min(slopes))


@dataclass(frozen=True)
class Rate:
    """A measured exponent beside the claimed one."""

    claim: str
    versus: str
    claimed: Fraction
    slope: Slope
    base: Size
    values: tuple[float, ...]
    quantities: tuple[float, ...]
    errors: tuple[float, ...] | None = None

    @property
    def sampling_interval(self) -> tuple[float, float] | None:
        """95 % interval of the plain fit that sampling errors alone give (delta method); None for exact moments."""
        if self.errors is None:
            return None
        logs = np.log(self.values) - np.mean(np.log(self.values))
        spread = math.sqrt(sum((c * e / q) ** 2 for c, e, q in zip(logs, self.errors, self.quantities, strict=True))) / float(logs @ logs)
        return self.slope.plain - 1.96 * spread, self.slope.plain + 1.96 * spread


def measure_rate(regime: Regime, versus: str, *, grid: Sequence[int] | None = None, base: Size | None = None,
                 runs: int | None = None) -> Rate:
    """The exponent of a regime's quantity in one variable, all else fixed; by exact moments, or by so many sampled runs."""
    if versus not in regime.claimed:
        raise InvalidInput("variable of a rate", f"be one that {regime.claim} speaks of ({', '.join(regime.claimed)})", repr(versus))
    points = tuple(grid or GRIDS[versus])
    base = base or regime.bases_for(versus)[0]
    sizes = [replace(base, **{FIELDS[versus]: point}) for point in points]
    if runs is None:
        quantities, errors = tuple(regime.by_moments(size) for size in sizes), None
    else:
        sampled = [regime.by_samples(size, runs=runs) for size in sizes]
        quantities, errors = tuple(q for q, _ in sampled), tuple(e for _, e in sampled)
    values = tuple((point + 1) / 2 if versus == "staleness" and regime.claim == "mifa.thm5.1" else float(point) for point in points)
    offset = regime.offset if versus == "T" else 0.0
    return Rate(regime.claim, versus, regime.claimed[versus], fit(values, quantities, offset=offset), base, values, quantities, errors)
