"""Measured exponents beside those that the papers' rates claim."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fltheory.analysis.rate_fits import RateFit, fit_rate, least_rounds
from fltheory.analysis.rates import FIRST_VALUES, Rate, measure_rate
from fltheory.analysis.regimes import Regime
from fltheory.analysis.sizes import RunSize
from fltheory.core.errors import InvalidInput
from fltheory.core.results import Table, as_dict, as_html, as_text
from fltheory.core.types import Json
from fltheory.papers.library import find_regime, regimes

HEAD = ("claim", "versus", "claimed", "measured")


@dataclass(frozen=True, repr=False)
class MeasuredRates:
    """Rates by doubling sizes until slopes settle, or slopes over one grid of chosen values;
    `runs` is the number of samples per value, None for exact moments."""

    found: tuple[Rate | RateFit, ...]
    runs: int | None = None

    @property
    def entries(self) -> list[Json]:
        """One entry per rate, as `fltheory rates --json` prints them."""
        return [_entry(rate) for rate in self.found]

    def to_dict(self) -> Json:
        return {"rates": list(self.entries), "runs": self.runs}

    def tables(self) -> list[Table]:
        source = "exact moments" if self.runs is None else f"{self.runs} samples per value"
        last = {Rate: "rounds", RateFit: "one line through all"}
        return [
            Table(
                f"exponents by {source}",
                (*HEAD, "bias check", "local slopes", title),
                [_row(rate) for rate in self.found if isinstance(rate, kind)],
            )
            for kind, title in last.items()
            if any(isinstance(rate, kind) for rate in self.found)
        ]

    __repr__ = as_text
    _repr_html_ = as_html


def rates(
    algorithm: str | None = None,
    versus: str | None = None,
    *,
    grid: Sequence[int] | None = None,
    rounds: int | None = None,
    clients: int | None = None,
    runs: int | None = None,
) -> MeasuredRates:
    """The slope of a paper's quantity in one variable, with a bias check.

    `algorithm` is an algorithm, or the claim whose step sizes it takes (all by default); `versus`
    is N, K, T, staleness, m or M (all that the claim speaks of by default). Sizes are doubled until
    the local slopes settle, or a budget ends: "not yet asymptotic". With `grid`, `rounds`,
    `clients` or `runs` (samples per value instead of exact moments), one grid at one size is
    measured instead.

    >>> found = rates("mifa", "T", grid=[10**4, 2 * 10**4, 4 * 10**4, 8 * 10**4])
    >>> round(found.found[0].exponent, 1)
    -1.0
    """
    chosen = regimes() if algorithm is None else (find_regime(algorithm),)
    pairs = [
        (regime, variable)
        for regime in chosen
        for variable in ([versus] if versus is not None else regime.claimed)
    ]
    if not grid is rounds is clients is runs is None:
        return MeasuredRates(
            tuple(_fit(regime, name, grid, rounds, clients, runs) for regime, name in pairs), runs
        )
    return MeasuredRates(
        tuple(
            measure_rate(regime, variable, arrivals=arrivals)
            for regime, variable in pairs
            for arrivals in regime.arrivals_for(variable)
        )
    )


def _fit(
    regime: Regime,
    versus: str,
    grid: Sequence[int] | None,
    rounds: int | None,
    clients: int | None,
    runs: int | None,
) -> RateFit:
    """One grid for a regime and a variable."""
    base = RunSize(
        num_clients=clients or (FIRST_VALUES[-1] if versus == "m" else RunSize.num_clients),
        num_rounds=rounds or RunSize.num_rounds,
        local_steps=regime.local_steps,
    )
    values = FIRST_VALUES if grid is None else tuple(grid)
    if rounds is None:
        least = max(base.num_rounds, *least_rounds(regime, versus, values, base))
        base = replace(base, num_rounds=least)
    if versus == "T" and grid is None:
        values = tuple(base.num_rounds * value for value in FIRST_VALUES)
    if versus == "m" and max(values) > base.num_clients:
        raise InvalidInput(
            "--grid",
            f"use at most {base.num_clients} clients per round (--clients has more)",
            max(values),
        )
    return fit_rate(regime, versus, grid=values, base=base, runs=runs)


def _row(rate: Rate | RateFit) -> tuple[str, ...]:
    in_turn = isinstance(rate, Rate) and rate.arrivals is not None
    if isinstance(rate, RateFit):
        last = _plain(rate)
    else:
        last = "-" if rate.versus == "T" else str(rate.rounds[-1])
    return (
        rate.claim,
        rate.versus + "\nin turn" * in_turn,
        str(rate.claimed),
        "-" if rate.exponent is None else f"{rate.exponent:.4f}",
        rate.says,
        ", ".join(f"{slope:.3f}" for slope in rate.trend.slopes),
        last,
    )


def _plain(fit: RateFit) -> str:
    if fit.sampling_interval is None:
        return f"{fit.plain:.3f}"
    low, high = fit.sampling_interval
    return f"{fit.plain:.3f} in [{low:.3f}, {high:.3f}]"


def _entry(rate: Rate | RateFit) -> Json:
    told: dict[str, object] = {
        "claim": rate.claim,
        "versus": rate.versus,
        "claimed": rate.claimed,
        "exponent": rate.exponent,
        "says": rate.says,
        "local_slopes": rate.trend.slopes,
        "extrapolated": rate.trend.limit,
        "values": rate.values,
        "quantities": rate.quantities,
    }
    if isinstance(rate, Rate):
        told |= {"rounds": rate.rounds, "clients_used_per_round": rate.arrivals}
    else:
        told |= {
            "plain_fit": rate.plain,
            "sampling_interval": rate.sampling_interval,
            "errors": rate.errors,
        }
    return as_dict(told)
