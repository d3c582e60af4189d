"""What the theorems ask of a recorded pattern: every statistic of a trace by its name."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.results import Table, as_dict, as_html, as_text, named_values
from fltheory.core.types import ExactLike, Json
from fltheory.traces import trace_statistics as statistics
from fltheory.traces.availability.recorded import read_recorded
from fltheory.traces.trace import Trace

GAP_SLOPE = Fraction(1, 40)
"""Slope 1/b in: staleness <= t0 + t/b (MIFA, Assumption 4)."""


@dataclass(frozen=True, repr=False)
class TraceSummary:
    """Statistics of a trace, exactly; those of staleness are None where a client is missing in the
    first round."""

    num_rounds: int
    num_clients: int
    empty_rounds: int
    missing_in_first_round: tuple[str, ...]
    participation: dict[str, Fraction]
    availability_window: int
    max_staleness: int | None
    mean_staleness: Fraction | None
    client_max_staleness: dict[str, int] | None
    mean_client_max_staleness: Fraction | None
    gap_slope: Fraction
    initial_gap: Fraction | None
    squared_usages: int
    max_delay: int
    max_model_reuses: int
    balance_period: int
    warm_up: int | None
    period: int | None
    mean_weights: dict[str, Fraction] | None = None

    def values(self) -> dict[str, object]:
        """All statistics by name; mean weights only where weights were given."""
        found = asdict(self)
        if self.mean_weights is None:
            del found["mean_weights"]
        return found

    def to_dict(self) -> Json:
        return as_dict(self.values())

    def tables(self) -> list[Table]:
        return [named_values("trace", self.values())]

    __repr__ = as_text
    _repr_html_ = as_html


def summarize_trace(
    trace: Trace,
    *,
    names: Sequence[str] | None = None,
    gap_slope: ExactLike = GAP_SLOPE,
    weights: Sequence[ExactLike] | None = None,
) -> TraceSummary:
    """Every statistic of a trace: staleness, windows, participation, balance, period.

    `names` are those of the clients, `weights` the weights of their arrivals (for mean weights).

    >>> found = summarize_trace(Trace.fresh([[1, 1], [1, 0], [1, 0]] * 3))
    >>> found.max_staleness, found.period, str(found.participation["client_1"])
    (2, 3, '1/3')
    """
    clients = (
        tuple(names)
        if names is not None
        else tuple(f"client_{i}" for i in range(trace.num_clients))
    )
    if len(clients) != trace.num_clients:
        raise InvalidInput(
            "names", f"be one for each of {trace.num_clients} clients", f"{len(clients)} names"
        )
    slope = exact(gap_slope, "gap slope")
    missing = tuple(name for name, here in zip(clients, trace.delivers[0], strict=True) if not here)
    complete = not missing
    longest = statistics.client_max_staleness(trace).tolist() if complete else None
    warm_up, period = statistics.repeats(trace) or (None, None)
    return TraceSummary(
        num_rounds=trace.num_rounds,
        num_clients=trace.num_clients,
        empty_rounds=int((~trace.delivers.any(axis=1)).sum()),
        missing_in_first_round=missing,
        participation=dict(zip(clients, statistics.participation(trace), strict=True)),
        availability_window=statistics.availability_window(trace.delivers),
        max_staleness=statistics.max_staleness(trace) if complete else None,
        mean_staleness=statistics.mean_staleness(trace) if complete else None,
        client_max_staleness=None if longest is None else dict(zip(clients, longest, strict=True)),
        mean_client_max_staleness=(
            statistics.mean_client_max_staleness(trace) if complete else None
        ),
        gap_slope=slope,
        initial_gap=statistics.initial_gap(trace, slope) if complete else None,
        squared_usages=int((statistics.usages(trace) ** 2).sum()),
        max_delay=statistics.max_delay(trace),
        max_model_reuses=int(statistics.model_reuses(trace).max()),
        balance_period=statistics.balance_period(trace),
        warm_up=warm_up,
        period=period,
        mean_weights=(
            None
            if weights is None
            else dict(zip(clients, statistics.mean_weights(trace, weights), strict=True))
        ),
    )


def read_trace(file: str | Path) -> Trace:
    """The trace of a 0/1 table: a header of client names, then one row per round; each delivery
    starts from the newest model.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rounds.csv"
    ...     _ = path.write_text("a,b\\n1,1\\n1,0\\n")
    ...     read_trace(path).num_rounds
    2
    """
    return Trace.fresh(read_recorded(file).available)
