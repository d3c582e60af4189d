"""Rates: the exponent at which a quantity changes with one variable, by one rule for all claims.

The rule was written down before its results were seen, but for two things that were changed
afterwards: BUDGET (see there), and in 4 that rounds go on doubling while a last slope and its limit
would be judged differently (which decided fedlaavg.thm3.fullpart.rate.N).

1. Sizes. Two clients, one local step (two where the theorem is about several), everybody available
and used in every round; where a claim
   speaks of clients used per round, as many clients as are used at most. The variable takes the values 1, 2, 4, 8, 16, then more; runs
   have T0, 2 T0, 4 T0, ... rounds, T0 being the least number of rounds that the theorem itself asks for at all of these values.
2. Slopes. log(quantity) over log(variable) between neighbouring values, with equally many rounds;
for T itself between one number of
   rounds and its double.
3. Settled. A sequence of three or more slopes is settled when its last change is at most TOLERANCE,
and so is what geometric
   extrapolation of its last two changes would still add (Aitken's form of Richardson's extrapolation); a change below a tenth of
   TOLERANCE is none.
4. Rounds are doubled until the slope between every two neighbouring values is settled as rounds
grow, and 5 judges its last value and its
   limit alike; then the range of the variable is doubled until these limits are settled as the variable grows. For T the first is all
   there is. If a run would exceed BUDGET, counted in rounds x clients x clients used per round (the numbers of the state's covariance
   that change), or the variable LARGEST_VALUE before that, the rate is "not yet asymptotic".
5. Judgement. "At most c" stands if the last slope measured, the extrapolated one and (where step
sizes decay like 1/(t + a), versus T) the
   last slope against log(T + a) are all at most c + TOLERANCE, and falls if all are above; otherwise, and wherever the rate is not yet
   asymptotic, nothing is decided.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from fltheory.analysis.regimes import Regime
from fltheory.analysis.sizes import Size
from fltheory.core.errors import InvalidInput

TOLERANCE = 0.02
"""Largest change that passes for none, and how far a measured exponent may be off."""

NEGLIGIBLE = TOLERANCE / 10
"""Changes of a slope below this count as none: limits as rounds grow are themselves known no
better."""

BUDGET = 1 << 28
"""Most rounds x clients x clients used per round of one run. It was 2^26 when results were first
seen, which left two rates undecided (afl.cor3.rate.M, which a proof decides, and
fedlaavg.cor1.rate.N, for which it was raised); no other verdict known then changed."""

FIRST_VALUES, LARGEST_VALUE = (1, 2, 4, 8, 16), 1024
FEWEST = 3
"""Slopes that it takes to see a change of changes."""

FIELDS = {
    "N": "num_clients",
    "M": "num_clients",
    "K": "local_steps",
    "T": "num_rounds",
    "m": "clients_per_round",
}
"""Which part of a Size each variable is; for staleness it is the regime's `stale_by`."""

MOST_NUMBERS = 1 << 32
"""Most numbers that the runs at one value of a grid may change: less than a minute."""

NOT_YET = "not yet asymptotic"
NORMAL_95 = 1.96


@dataclass(frozen=True)
class Trend:
    """Successive slopes and where they tend to; `settled` says whether that can be told."""

    slopes: tuple[float, ...]
    limit: float
    settled: bool


def trend(slopes: Sequence[float]) -> Trend:
    """Rule 3.

    >>> trend([-0.9, -0.97, -0.991]).limit, trend([-0.9, -0.97, -0.991]).settled
    (-1.0, False)
    >>> trend([-0.97, -0.991, -0.9973]).limit, trend([-0.97, -0.991, -0.9973]).settled, trend([-0.5, -0.6, -0.7]).settled
    (-1.0, True, False)
    """
    found = tuple(float(slope) for slope in slopes)
    if len(found) < FEWEST:
        return Trend(found, found[-1] if found else float("nan"), False)
    before, change = found[-2] - found[-3], found[-1] - found[-2]
    if abs(change) <= NEGLIGIBLE:
        return Trend(found, found[-1], abs(before) <= TOLERANCE)
    if abs(change) >= abs(before):
        return Trend(found, found[-1], False)
    rest = change * change / (before - change)
    return Trend(
        found, round(found[-1] + rest, 9), abs(change) <= TOLERANCE and abs(rest) <= TOLERANCE
    )


@dataclass(frozen=True)
class Rate:
    """A measured exponent beside the claimed one; `exponent` is None where it is not yet
    asymptotic.

    `quantities` are those of the longest runs, with `rounds[-1]` rounds (versus T: with each of
    `rounds`). `candidates` are the last slope measured, the extrapolated one, and the last one
    against T + a where there is an a.
    """

    claim: str
    versus: str
    claimed: Fraction
    arrivals: int | None
    values: tuple[float, ...]
    rounds: tuple[int, ...]
    quantities: tuple[float, ...]
    trend: Trend
    candidates: tuple[float, ...]
    asymptotic: bool

    @property
    def exponent(self) -> float | None:
        return self.trend.limit if self.asymptotic else None

    @property
    def says(self) -> str:
        return "asymptotic" if self.asymptotic else NOT_YET


Quantity = Callable[[Size], float]


def measure_rate(
    regime: Regime,
    versus: str,
    *,
    arrivals: int | None = None,
    quantity: Quantity | None = None,
    budget: int = BUDGET,
) -> Rate:
    """The exponent of a regime's quantity in one variable by the rule above; `quantity` replaces
    the regime's exact moments."""
    _check_variable(regime, versus)
    measured = quantity or regime.by_moments
    if versus == "T":
        return _versus_rounds(regime, measured, budget)
    values: tuple[int, ...] = FIRST_VALUES
    found = _versus_other(regime, versus, arrivals, measured, values, budget)
    while found.asymptotic and not found.trend.settled:
        values = (*values, 2 * values[-1])
        sizes = sizes_for(regime, versus, values, arrivals)
        if (
            values[-1] > LARGEST_VALUE
            or _work(sizes, max(map(regime.least_rounds, sizes)) << (FEWEST - 1)) > budget
        ):
            break
        found = _versus_other(regime, versus, arrivals, measured, values, budget)
    return replace(found, asymptotic=found.asymptotic and found.trend.settled)


@dataclass(frozen=True)
class Fit:
    """Slopes over values of one's own choice, all else fixed, with the standard errors of sampled
    quantities.

    `too_short` says where a run has fewer rounds than the theorem asks for: its slopes are none of
    the theorem's.
    """

    claim: str
    versus: str
    claimed: Fraction
    values: tuple[float, ...]
    quantities: tuple[float, ...]
    errors: tuple[float, ...] | None
    trend: Trend
    too_short: str = ""

    @property
    def plain(self) -> float:
        """The slope of one straight line through all points."""
        return float(np.polyfit(np.log(self.values), np.log(self.quantities), 1)[0])

    @property
    def sampling_interval(self) -> tuple[float, float] | None:
        """95 % interval of that slope that sampling errors alone give (delta method); None for
        exact moments."""
        if self.errors is None:
            return None
        logs = np.log(self.values) - np.mean(np.log(self.values))
        spread = float(np.linalg.norm(logs * self._relative)) / float(logs @ logs)
        return self.plain - NORMAL_95 * spread, self.plain + NORMAL_95 * spread

    @property
    def exponent(self) -> float | None:
        return self.trend.limit if self.says == "asymptotic" else None

    @property
    def says(self) -> str:
        """Whether the local slopes are settled (rule 3), which can be told only where each is known
        to within TOLERANCE."""
        if self.too_short:
            return f"{NOT_YET}: {self.too_short}"
        if len(self.trend.slopes) < FEWEST:
            return f"too few values for a bias check: it takes {FEWEST + 1}"
        relative = self._relative
        widths = NORMAL_95 * np.hypot(relative[1:], relative[:-1]) / np.diff(np.log(self.values))
        if widths.max() > TOLERANCE:
            return (
                f"too noisy for a bias check: local slopes are known to within {widths.max():.2g}"
            )
        return "asymptotic" if self.trend.settled else NOT_YET

    @property
    def _relative(self) -> Any:
        return (
            np.zeros(len(self.values))
            if self.errors is None
            else np.array(self.errors) / np.array(self.quantities)
        )


def fit_rate(
    regime: Regime, versus: str, *, grid: Sequence[int], base: Size, runs: int | None = None
) -> Fit:
    """Slopes over a grid of one's own: by exact moments, or by so many sampled runs at each
    value."""
    _check_variable(regime, versus)
    if len(grid) < FEWEST or any(b <= a for a, b in pairwise(grid)):
        raise InvalidInput("grid of a rate", "have at least three growing values", list(grid))
    sizes = _sizes(regime, versus, grid, base)
    longest = max(regime.numbers(size, runs=runs) for size in sizes)
    if longest > MOST_NUMBERS:
        raise InvalidInput(
            "largest run of a rate", f"change at most {MOST_NUMBERS} numbers", longest
        )
    errors: tuple[float, ...] | None = None
    if runs is None:
        quantities = tuple(regime.by_moments(size) for size in sizes)
    else:
        sampled = [regime.by_samples(size, runs=runs) for size in sizes]
        quantities, errors = (
            tuple(quantity for quantity, _ in sampled),
            tuple(error for _, error in sampled),
        )
    values = _shown(regime, versus, grid)
    asked = zip(values, sizes, least_rounds(regime, versus, grid, base), strict=True)
    short = next(
        (
            f"{regime.claim} asks for {least} rounds at {versus} = {value:g}, not {size.num_rounds}"
            for value, size, least in asked
            if size.num_rounds < least
        ),
        "",
    )
    return Fit(
        regime.claim,
        versus,
        regime.claimed[versus],
        values,
        quantities,
        errors,
        trend(_slopes(values, quantities)),
        short,
    )


def least_rounds(regime: Regime, versus: str, grid: Sequence[int], base: Size) -> list[int]:
    """How many rounds the theorem asks for at each value of a grid."""
    _check_variable(regime, versus)
    return [regime.least_rounds(size) for size in _sizes(regime, versus, grid, base)]


def _sizes(regime: Regime, versus: str, grid: Sequence[int], base: Size) -> list[Size]:
    return [
        replace(base, **{regime.stale_by if versus == "staleness" else FIELDS[versus]: value})
        for value in grid
    ]


def _check_variable(regime: Regime, versus: str) -> None:
    if versus not in regime.claimed:
        raise InvalidInput(
            "variable of a rate",
            f"be one that {regime.claim} speaks of ({', '.join(regime.claimed)})",
            repr(versus),
        )


def _shown(regime: Regime, versus: str, values: Sequence[int]) -> tuple[float, ...]:
    """The variable as the claim counts it."""
    return tuple(
        regime.staleness(value) if versus == "staleness" else float(value) for value in values
    )


def sizes_for(
    regime: Regime, versus: str, values: Sequence[int], arrivals: int | None
) -> list[Size]:
    """Rule 1's sizes, apart from the rounds."""
    base = Size(
        num_clients=values[-1] if versus == "m" else Size.num_clients,
        clients_per_round=arrivals,
        local_steps=regime.local_steps,
    )
    return _sizes(regime, versus, values, base)


def _work(sizes: Sequence[Size], num_rounds: int) -> int:
    """What the costliest of some runs would take of the budget."""
    return max(replace(size, num_rounds=num_rounds).work for size in sizes)


def _versus_rounds(regime: Regime, measured: Quantity, budget: int) -> Rate:
    size = Size(local_steps=regime.local_steps)
    rounds, quantities = [], []
    following, found = regime.least_rounds(size), trend([])
    offset, candidates = regime.offset(size), [float("nan")]
    while _work([size], following) <= budget and not (
        found.settled and _agree(regime.claimed["T"], candidates)
    ):
        rounds.append(following)
        quantities.append(measured(replace(size, num_rounds=following)))
        found = trend(_slopes(rounds, quantities))
        shifted = (
            [float(_slopes([t + offset for t in rounds], quantities)[-1])]
            if offset and len(rounds) > 1
            else []
        )
        candidates = [*found.slopes[-1:], found.limit, *shifted]
        following *= 2
    values = tuple(float(t) for t in rounds)
    return Rate(
        regime.claim,
        "T",
        regime.claimed["T"],
        None,
        values,
        tuple(rounds),
        tuple(quantities),
        found,
        tuple(candidates),
        found.settled,
    )


def _versus_other(
    regime: Regime,
    versus: str,
    arrivals: int | None,
    measured: Quantity,
    values: Sequence[int],
    budget: int,
) -> Rate:
    """Runs doubled until the slope of every pair is settled; `asymptotic` speaks of that alone,
    `trend` of the limits over the variable."""
    sizes = sizes_for(regime, versus, values, arrivals)
    shown = _shown(regime, versus, values)
    rounds: list[int] = []
    table: list[list[float]] = []
    following = max(map(regime.least_rounds, sizes))
    pairs: list[Trend] = []
    settled = False
    while _work(sizes, following) <= budget and not (
        settled and _agree(regime.claimed[versus], [pairs[-1].slopes[-1], pairs[-1].limit])
    ):
        rounds.append(following)
        table.append([measured(replace(size, num_rounds=following)) for size in sizes])
        pairs = [
            trend(column) for column in zip(*(_slopes(shown, row) for row in table), strict=True)
        ]
        settled = all(pair.settled for pair in pairs)
        following *= 2
    if not table:
        raise InvalidInput(
            "budget of a rate",
            f"allow {following} rounds of {sizes[-1].num_clients} clients",
            budget,
        )
    found = trend([pair.limit for pair in pairs])
    return Rate(
        regime.claim,
        versus,
        regime.claimed[versus],
        arrivals,
        shown,
        tuple(rounds),
        tuple(table[-1]),
        found,
        (pairs[-1].slopes[-1], found.limit),
        settled,
    )


def _agree(claimed: Fraction, candidates: Sequence[float]) -> bool:
    """Do all candidates say the same of a claimed exponent?"""
    return len({candidate <= claimed + TOLERANCE for candidate in candidates}) == 1


def _slopes(values: Sequence[float], quantities: Sequence[float]) -> Any:
    """Local slopes; what is not a positive number has none."""
    y = np.asarray(quantities, float)
    if not (np.isfinite(y).all() and (y > 0).all()):
        worst = int(np.flatnonzero(~(np.isfinite(y) & (y > 0)))[0])
        raise InvalidInput(
            f"quantity at {values[worst]:g}", "be a positive number, for a rate", y[worst]
        )
    return np.diff(np.log(y)) / np.diff(np.log(np.asarray(values, float)))
