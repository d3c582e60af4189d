"""How many times smaller the step sizes of theorems are than those that are proved to be stable for
all rounds, clients and traces."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from fltheory.analysis.worst_case.case import Case
from fltheory.claims.bound_sweeps import BoundSweep, SweepPoint
from fltheory.core.errors import InvalidInput
from fltheory.core.extras import require
from fltheory.core.results import Table, as_dict, as_html, as_text
from fltheory.core.types import Json
from fltheory.ledger.looseness import theorems
from fltheory.traces.trace_statistics import known_staleness

PERIODS = (2, 4, 8)
"""Late clients deliver once in so many rounds, or late work is so many rounds old but one."""


@dataclass(frozen=True)
class StepRow:
    """A theorem's largest step size (in all: server times local) beside the largest one with a
    potential and the smallest one that a quadratic breaks; None with the reason `why`.

    The theorem allows some noise and more than one local step, and its step is chosen for a bound;
    the potential is for exact gradients, one local step and stability. So the factor tells what the
    conditions of the theorem cost, not that its proof is careless.
    """

    theorem: str
    method: str
    max_staleness: int
    smoothness: Fraction
    strong_convexity: Fraction
    theorem_step: Fraction
    proved_step: Fraction | None = None
    breaks_at: Fraction | None = None
    why: str = ""

    @property
    def times_smaller(self) -> float | None:
        """proved_step / theorem_step."""
        return None if self.proved_step is None else float(self.proved_step / self.theorem_step)

    def to_dict(self) -> Json:
        shown = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return as_dict(shown | {"times_smaller": self.times_smaller})


@dataclass(frozen=True, repr=False)
class StepLimits:
    """One row per theorem and staleness."""

    rows: tuple[StepRow, ...]

    def to_dict(self) -> Json:
        return {"rows": [row.to_dict() for row in self.rows]}

    def tables(self) -> list[Table]:
        """One table; steps as multiples of 1/L, and how much smaller the theorem's step is."""
        titles = ("theorem", "τ", "L/μ", "allows", "proved", "breaks", "factor")
        found = [
            Table(
                "largest step sizes, times L (one local step, exact gradients)",
                titles,
                [_cells(row) for row in self.rows],
            )
        ]
        reasons = {f"{row.theorem}: {row.why}": None for row in self.rows if row.why}
        return found + [Table("without a potential", (), [(why,) for why in reasons])] * bool(
            reasons
        )

    __repr__ = as_text
    _repr_html_ = as_html


def step_sizes(
    *chosen: str,
    periods: tuple[int, ...] = PERIODS,
    watch: Callable[[int, str], None] = lambda total, says: None,
) -> StepLimits:
    """The step sizes that theorems allow beside those that are proved to be stable for all rounds,
    clients and traces, and those at which a quadratic breaks the method.

    `chosen` are ids of claims whose papers declare a worst case at the largest step size (by
    default all); `watch` is called before each search, with their number and what is computed.

    >>> row = step_sizes("mifa.thm5.1.best", periods=(2,)).rows[0]
    >>> row.max_staleness, row.theorem_step < row.proved_step < row.breaks_at
    (1, True)
    """
    require("worst-case", "step_sizes")
    known = {name: sweep for name, sweep in theorems().items() if sweep.at_largest_step}
    for name in chosen:
        if name not in known:
            raise InvalidInput("theorem", f"be one of {', '.join(known)}", repr(name)[:60])
    rows, total = [], len(chosen or known) * len(periods)
    for name in chosen or known:
        for period in periods:
            watch(total, f"{name}, once in {period} rounds")
            rows.append(_row(known[name], SweepPoint(num_rounds=2 * period, period=period)))
    return StepLimits(tuple(rows))


def allowed_steps(periods: Iterable[int]) -> list[StepRow]:
    """The step sizes that theorems allow, by their formulas alone; nothing is searched.

    >>> [str(row.theorem_step * row.smoothness) for row in allowed_steps([4])]
    ['1000000/6291503', '1/576', '16/961']
    """
    listed = [sweep for sweep in theorems().values() if sweep.at_largest_step]
    points = [SweepPoint(num_rounds=2 * period, period=period) for period in periods]
    return [_allowed(sweep.asks(point)[0], sweep.claim) for sweep in listed for point in points]


def _allowed(case: Case, claim: str) -> StepRow:
    functions = case.question.functions
    return StepRow(
        claim,
        case.algorithm,
        int(case.trace.delays.max()) or int(known_staleness(case.trace).max()),
        functions.smoothness,
        functions.strong_convexity,
        first_step(case) * case.server_step_size,
    )


def _row(sweep: BoundSweep, point: SweepPoint) -> StepRow:
    from fltheory.analysis.potentials.generic_client import DoesNotFit
    from fltheory.analysis.potentials.public import forever

    case, _ = sweep.asks(point)
    functions = case.question.functions
    late = int(case.trace.delays.max())
    found = _allowed(case, sweep.claim)
    try:
        most = forever(
            case.algorithm,
            smoothness=functions.smoothness,
            strong_convexity=functions.strong_convexity,
            convex=functions.convex,
            largest_step=True,
            delay=late or None,
            staleness=None if late else found.max_staleness,
        )
    except DoesNotFit as reason:
        return StepRow(**{**vars(found), "why": str(reason)})
    return StepRow(**{**vars(found), "proved_step": most.largest_step, "breaks_at": most.breaks_at})


def first_step(case: Case) -> Fraction:
    """The local step size of the first round."""
    sizes = case.local_step_size
    return sizes if isinstance(sizes, Fraction) else sizes[0]


def _cells(row: StepRow) -> tuple[str, ...]:
    def shown(value: Fraction | float | None) -> str:
        return "-" if value is None else f"{float(value):.3g}"

    def times(value: Fraction | None) -> str:
        return shown(None if value is None else value * row.smoothness)

    condition = row.smoothness / row.strong_convexity if row.strong_convexity else None
    return (
        row.theorem,
        str(row.max_staleness),
        shown(condition),
        times(row.theorem_step),
        times(row.proved_step),
        times(row.breaks_at),
        shown(row.times_smaller),
    )
