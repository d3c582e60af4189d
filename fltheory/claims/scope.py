"""Scope: what a line of evidence covers, as data, so that no verdict is wider than its evidence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypedDict

from fltheory.core.types import Values

if TYPE_CHECKING:
    from fltheory.claims.scenario import Scenario

SHORT = 12
"""Longest exact number that is kept as it is; longer ones become decimals."""


class ScopeEntry(TypedDict):
    """A scope as JSON."""

    everything: str
    ranges: dict[str, list[str]]
    kinds: dict[str, list[str]]


@dataclass(frozen=True)
class Scope:
    """What a line of evidence covers.

    `everything` is the reason why the evidence covers all that the claim says; it is empty if it
    does not. `ranges` holds the least and the largest value of each quantity that was tried,
    `kinds` the sorts of losses, noise and participation.
    """

    everything: str = ""
    ranges: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def to_json(self) -> ScopeEntry:
        return {
            "everything": self.everything,
            "ranges": {name: list(ends) for name, ends in sorted(self.ranges.items())},
            "kinds": {name: list(names) for name, names in sorted(self.kinds.items())},
        }

    @classmethod
    def from_json(cls, data: ScopeEntry) -> "Scope":
        return cls(
            data["everything"],
            {name: (low, high) for name, (low, high) in data["ranges"].items()},
            {name: tuple(names) for name, names in data["kinds"].items()},
        )

    @property
    def says(self) -> str:
        """The scope as a sentence.

        >>> Scope(ranges={"num_rounds": ("1", "8")}, kinds={"losses": ("Quadratic",)}).says
        'num rounds 1 to 8; losses: Quadratic'
        >>> Scope("an identity in all its symbols").says
        'everything that the claim says: an identity in all its symbols'
        """
        if self.everything:
            return f"everything that the claim says: {self.everything}"
        spans = [
            f"{name.replace('_', ' ')} {low if low == high else f'{low} to {high}'}"
            for name, (low, high) in sorted(self.ranges.items())
        ]
        sorts = [f"{name}: {', '.join(names)}" for name, names in sorted(self.kinds.items())]
        return "; ".join(spans + sorts)


@dataclass
class Coverage:
    """Collects what was tried, instance by instance.

    >>> tried = Coverage()
    >>> tried.add({"num_rounds": 3, "smoothness": "1/2"})
    >>> tried.add({"num_rounds": 8, "smoothness": "1/2"})
    >>> tried.scope().ranges
    {'num_rounds': ('3', '8'), 'smoothness': ('1/2', '1/2')}
    """

    _ends: dict[str, tuple[float, object, float, object]] = field(default_factory=dict)
    _kinds: dict[str, set[str]] = field(default_factory=dict)

    def add(self, values: Values) -> None:
        """Values of symbols, by name; what is no number is left out."""
        for name, value in values.items():
            size = _size(value)
            if size is None:
                continue
            low, least, high, largest = self._ends.get(name, (size, value, size, value))
            if size < low:
                low, least = size, value
            if size > high:
                high, largest = size, value
            self._ends[name] = (low, least, high, largest)

    def add_run(self, scenario: "Scenario") -> None:
        """The sizes of a run, and its sorts of loss, noise and participation."""
        trace, problem = scenario.trace, scenario.problem
        shares = [share for share in problem.importance if share > 0]
        self.add(
            {
                "num_clients": trace.num_clients,
                "num_rounds": trace.num_rounds,
                "local_steps": int(trace.local_steps.max()),
                "largest_delay": int(trace.delays.max()),
                "dimension": problem.dimension,
                "importance_ratio": Fraction(max(shares)) / Fraction(min(shares)),
            }
        )
        noisy = problem.constants.gradient_noise_squared
        everybody = bool(trace.delivers.all())
        for name, kind in (
            ("losses", type(problem).__name__),
            ("noise", "unknown" if noisy is None else "with noise" if noisy else "without noise"),
            ("participation", "everybody" if everybody else "some are absent"),
        ):
            self.add_kind(name, kind)

    def add_kind(self, name: str, kind: str) -> None:
        """A sort of losses, noise or participation that was tried."""
        self._kinds.setdefault(name, set()).add(kind)

    def scope(self) -> Scope:
        """What was tried so far."""
        return Scope(
            ranges={
                name: (_text(low, least), _text(high, largest))
                for name, (low, least, high, largest) in sorted(self._ends.items())
            },
            kinds={name: tuple(sorted(kinds)) for name, kinds in sorted(self._kinds.items())},
        )


def _size(value: object) -> float | None:
    try:
        number = float(Fraction(value) if isinstance(value, str) else value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return None
    return number if abs(number) < float("inf") else None


def _text(size: float, value: object) -> str:
    exact = str(value)
    return exact if len(exact) <= SHORT else f"{size:.6g}"
