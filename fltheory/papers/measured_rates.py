"""Measured exponents beside those that the papers' rates claim."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fltheory import algorithms
from fltheory.analysis.device_samples import Where
from fltheory.analysis.rate_fits import RateFit, fit_rate, least_rounds
from fltheory.analysis.rates import FIRST_VALUES, Rate, measure_rate
from fltheory.analysis.regimes import Regime
from fltheory.analysis.sizes import RunSize
from fltheory.core.errors import InvalidInput, Missing
from fltheory.core.registry import Settings, import_member, registered_name
from fltheory.core.results import Table, as_dict, as_html, as_text
from fltheory.core.types import Json
from fltheory.engine.roles import Algorithm
from fltheory.papers.library import find_regime, regimes
from fltheory.papers.own_rates import own_regimes
from fltheory.papers.unclaimed_rates import unclaimed

HEAD = ("claim", "versus", "claimed", "measured")


@dataclass(frozen=True, repr=False)
class MeasuredRates:
    """Rates by doubling sizes until slopes settle, or slopes over one grid of chosen values;
    `runs` is the number of samples per value, None for exact moments; `bad` says what is wrong
    with claims of one's own that have no rate."""

    found: tuple[Rate | RateFit, ...]
    runs: int | None = None
    bad: tuple[str, ...] = ()

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
    algorithm: str | Algorithm | None = None,
    versus: str | None = None,
    *,
    like: str | None = None,
    grid: Sequence[int] | None = None,
    rounds: int | None = None,
    clients: int | None = None,
    runs: int | None = None,
    where: Where | None = None,
) -> MeasuredRates:
    """The slope of a paper's quantity in one variable, with a bias check.

    `algorithm` is an algorithm, or the claim whose step sizes it takes (all by default), or a .toml
    file of one's own claims; `versus`
    is N, K, T, staleness, m or M (all that the claim speaks of by default). Sizes are doubled until
    the local slopes settle, or a budget ends: "not yet asymptotic". With `grid`, `rounds`,
    `clients` or `runs` (samples per value instead of exact moments), one grid at one size is
    measured instead. With `like`, any method (an object, a registered name or module:Name) runs
    with the step sizes, the availability and the quantity of that claim, beside whose exponents
    its own are shown. `where` puts sampled runs on a device and chooses their losses; then any
    method and any variable may be measured, with "-" where nothing is claimed.

    >>> found = rates("mifa", "T", grid=[10**4, 2 * 10**4, 4 * 10**4, 8 * 10**4])
    >>> round(found.found[0].exponent, 1)
    -1.0
    """
    if where is not None and runs is None:
        rule = "come with --engine samples"
        raise InvalidInput("--device, --problem and --dimension", rule, "exact moments")
    bad: list[str] = []
    chosen = _chosen(algorithm, like, versus, bad, free=where is not None)
    pairs = [
        (regime, variable)
        for regime in chosen
        for variable in ([versus] if versus is not None else regime.claimed or ["T"])
    ]
    if not grid is rounds is clients is runs is None:
        return MeasuredRates(
            tuple(_fit(regime, name, grid, rounds, clients, runs, where) for regime, name in pairs),
            runs,
            tuple(bad),
        )
    return MeasuredRates(
        tuple(
            measure_rate(regime, variable, arrivals=arrivals)
            for regime, variable in pairs
            for arrivals in regime.arrivals_for(variable)
        ),
        bad=tuple(bad),
    )


def _chosen(
    algorithm: str | Algorithm | None,
    like: str | None,
    versus: str | None,
    bad: list[str],
    *,
    free: bool,
) -> tuple[Regime, ...]:
    """The regimes to measure: all, that of a claim or an algorithm, those of a file of claims, one
    with another method, or if `free` that of a method without a claim."""
    if isinstance(algorithm, str) and algorithm.endswith(".toml"):
        if like is not None:
            raise InvalidInput("--like", "be left out for claims of one's own", like)
        return own_regimes(Path(algorithm), versus, bad=bad)
    if like is None:
        if algorithm is None:
            return regimes()
        try:
            if isinstance(algorithm, str):
                return (find_regime(algorithm),)
            raise Missing("like", "a method that is an object")
        except InvalidInput:
            if not free:
                raise
    regime = unclaimed() if like is None else find_regime(like)
    if algorithm is None:
        return (regime,)
    if isinstance(algorithm, str):
        member = import_member(algorithms, algorithm)
        name, method = member.name, member.build(Settings())
    else:
        name, method = registered_name(algorithms, algorithm)[0], algorithm
    return (
        replace(
            regime,
            claim=regime.claim or f"{name}, no claim",
            algorithm=name,
            plan=lambda size: regime.plan(size)._replace(algorithm=method),
            leading=None,
        ),
    )


def _fit(
    regime: Regime,
    versus: str,
    grid: Sequence[int] | None,
    rounds: int | None,
    clients: int | None,
    runs: int | None,
    where: Where | None,
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
    return fit_rate(regime, versus, grid=values, base=base, runs=runs, where=where)


def _row(rate: Rate | RateFit) -> tuple[str, ...]:
    in_turn = isinstance(rate, Rate) and rate.arrivals is not None
    if isinstance(rate, RateFit):
        last = _plain(rate)
    else:
        last = "-" if rate.versus == "T" else str(rate.rounds[-1])
    return (
        rate.claim,
        rate.versus + "\nin turn" * in_turn,
        "-" if rate.claimed is None else str(rate.claimed),
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
            "measures": rate.measures,
        }
    return as_dict(told)
