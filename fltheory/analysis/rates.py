"""Rates: the exponent at which a quantity changes with one variable, by one rule for all claims.

The rule was written down before its results were seen, except for two later changes: BUDGET (see
there), and in 4 that rounds keep doubling while the last slope and its limit would be judged
differently (which decided fedlaavg.thm3.fullpart.rate.N).

1. Sizes. Two clients, one local step (two if the theorem is about several), all clients available
   and used in every round; if a claim is about clients used per round, as many clients as are used
   at most. The variable takes the values 1, 2, 4, 8, 16, then more; runs have T0, 2 T0, 4 T0, ...
   rounds, where T0 is the least number of rounds that the theorem asks for at all of these values.
2. Slopes. log(quantity) over log(variable) between neighbouring values, with the same number of
   rounds; for T itself, between one number of rounds and its double.
3. Settled. A sequence of three or more slopes is settled if its last change is at most TOLERANCE,
   and so is what geometric extrapolation of its last two changes would still add (Aitken's form of
   Richardson's extrapolation); a change below a tenth of TOLERANCE counts as zero.
4. Rounds are doubled until the slope between every two neighbouring values is settled as rounds
   grow, and rule 5 judges its last value and its limit alike; then the range of the variable is
   doubled until these limits are settled as the variable grows. For T only the first part applies.
   If a run would first exceed BUDGET, counted in rounds x clients x clients used per round (the
   numbers of the state's covariance that change), or the variable LARGEST_VALUE, the rate is "not
   yet asymptotic".
5. Judgement. "At most c" holds if the last slope measured, the extrapolated one and (versus T, if
   step sizes decay like 1/(t + a)) the last slope against log(T + a) are all at most c + TOLERANCE,
   and fails if all are above; otherwise, and if the rate is not yet asymptotic, nothing is decided.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

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
from fltheory.analysis.variables import as_claimed, check_variable, sizes_for
from fltheory.core.errors import InvalidInput
from fltheory.core.results import Table, as_dict, as_html, as_text, named_values, told
from fltheory.core.types import Json

BUDGET = 1 << 28
"""Maximum rounds x clients x clients used per round of one run. It was 2^26 when results were first
seen, which left two rates undecided (afl.cor3.rate.M, which a proof decides, and
fedlaavg.cor1.rate.N, for which it was raised); no other verdict known then changed."""

FIRST_VALUES, LARGEST_VALUE = (1, 2, 4, 8, 16), 1024
"""The values of a variable at first, and the largest one."""

Quantity = Callable[[RunSize], float]
"""The measured quantity at one size."""


@dataclass(frozen=True, repr=False)
class Rate:
    """A measured exponent and the claimed one; `exponent` is None if it is not yet asymptotic.

    `quantities` are those of the longest runs, with `rounds[-1]` rounds (versus T: with each of
    `rounds`). `candidates` are the last slope measured, the extrapolated one, and, if there is an
    offset a, the last slope against T + a.
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
        """The extrapolated exponent, or None if it is not yet asymptotic."""
        return self.trend.limit if self.asymptotic else None

    @property
    def says(self) -> str:
        """Whether the exponent is asymptotic, in words."""
        return "asymptotic" if self.asymptotic else NOT_YET

    def to_dict(self) -> Json:
        """All numbers as data; the claimed exponent is a text such as "-1/2"."""
        return as_dict(
            {
                "claim": self.claim,
                "versus": self.versus,
                "claimed": self.claimed,
                "exponent": self.exponent,
                "says": self.says,
                "candidates": self.candidates,
                "slopes": self.trend.slopes,
                "arrivals": self.arrivals,
                "values": self.values,
                "rounds": self.rounds,
                "quantities": self.quantities,
            }
        )

    def tables(self) -> list[Table]:
        """The result in words and the measured values, for people."""
        summary = named_values(
            f"rate of {self.claim} in {self.versus}",
            {
                "claimed exponent": f"at most {self.claimed}",
                "measured exponent": self.trend.limit if self.asymptotic else NOT_YET,
                "rounds": self.rounds,
            },
        )
        rows = [
            (told(value), told(quantity))
            for value, quantity in zip(self.values, self.quantities, strict=True)
        ]
        return [summary, Table("", (self.versus, "quantity"), rows)]

    __repr__ = as_text
    _repr_html_ = as_html


def measure_rate(
    regime: Regime,
    versus: str,
    *,
    arrivals: int | None = None,
    quantity: Quantity | None = None,
    budget: int = BUDGET,
) -> Rate:
    """The exponent of a regime's quantity in one variable, by the rule above.

    `arrivals` clients arrive per round, in turn (default: all); `quantity` replaces the regime's
    exact moments.

    >>> from fltheory.analysis.regimes import RateMetric
    >>> claimed = {"T": Fraction(-1)}
    >>> descent = Regime("x", "fedavg", RateMetric.MEAN_GAP, claimed, None, lambda size: 4)
    >>> found = measure_rate(descent, "T", quantity=lambda size: 1 / size.num_rounds)
    >>> found.exponent, found.rounds
    (-1.0, (4, 8, 16, 32))
    """
    check_variable(regime, versus)
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
            or _work(sizes, max(map(regime.least_rounds, sizes)) << (MIN_SLOPES - 1)) > budget
        ):
            break
        found = _versus_other(regime, versus, arrivals, measured, values, budget)
    return replace(found, asymptotic=found.asymptotic and found.trend.settled)


def _work(sizes: Sequence[RunSize], num_rounds: int) -> int:
    """How much of the budget the most expensive of some runs would use."""
    return max(replace(size, num_rounds=num_rounds).work for size in sizes)


def _versus_rounds(regime: Regime, measured: Quantity, budget: int) -> Rate:
    size = RunSize(local_steps=regime.local_steps)
    rounds, quantities = [], []
    following, found = regime.least_rounds(size), trend([])
    offset, candidates = regime.offset(size), [float("nan")]
    while _work([size], following) <= budget and not (
        found.settled and _agree(regime.claimed["T"], candidates)
    ):
        rounds.append(following)
        quantities.append(measured(replace(size, num_rounds=following)))
        found = trend(local_slopes(rounds, quantities))
        shifted = (
            [float(local_slopes([t + offset for t in rounds], quantities)[-1])]
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
    """Double the rounds until the slope of every pair is settled: `asymptotic` says whether that
    happened, `trend` holds the limits over the variable."""
    sizes = sizes_for(regime, versus, values, arrivals)
    shown = as_claimed(regime, versus, values)
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
            trend(column)
            for column in zip(*(local_slopes(shown, row) for row in table), strict=True)
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
    """Whether all candidates give the same verdict on a claimed exponent."""
    return len({candidate <= claimed + TOLERANCE for candidate in candidates}) == 1
