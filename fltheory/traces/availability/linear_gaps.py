"""The adversary of MIFA's Assumption 4: clients are absent as long as staleness <= t0 + t/b
permits."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import takewhile

import numpy as np

from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.registry import Member, Settings
from fltheory.core.types import BoolArray, ExactLike
from fltheory.traces.availability.base import MAX_WHOLE, Declared, arguments, grid, whole


@frozen
class LinearGaps:
    """All clients are available in round t = 1, and then only when one more absence would violate
    tau(t, i) <= t0 + slope t.

    After a round s, absence lasts while t - s <= t0 + slope t; the next round is floor((s + t0)/(1
    - slope)) + 1, computed with fractions.

    >>> np.flatnonzero(LinearGaps(1, initial_gap="5/2", gap_slope="1/40").matrix(12)[:, 0]).tolist()
    [0, 3, 6, 9]
    """

    num_clients: int
    initial_gap: Checked[ExactLike, Fraction]
    gap_slope: Checked[ExactLike, Fraction] = default(0)

    def __post_init__(self) -> None:
        gap, slope = exact(self.initial_gap, "initial gap"), exact(self.gap_slope, "gap slope")
        if not 0 <= gap <= MAX_WHOLE:
            raise InvalidInput("initial gap", f"lie in [0, {MAX_WHOLE}]", gap)
        if not 0 <= slope < 1:
            raise InvalidInput("gap slope", "lie in [0, 1)", slope)
        for name, value in (
            ("num_clients", whole(self.num_clients, "number of clients")),
            ("initial_gap", gap),
            ("gap_slope", slope),
        ):
            object.__setattr__(self, name, value)

    @property
    def declares(self) -> Declared:
        window = int(self.initial_gap) + 1 if self.gap_slope == 0 else None
        return Declared(
            everyone_first=True,
            initial_gap=self.initial_gap,
            gap_slope=self.gap_slope,
            availability_window=window,
            period=window,
        )

    def _times(self) -> Iterator[int]:
        """The rounds, counted from 1, in which the clients are available."""
        t, keep = 1, 1 - Fraction(self.gap_slope)
        while True:
            yield t
            t = int((t + self.initial_gap) // keep) + 1

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        rounds, clients = grid(num_rounds, self.num_clients)
        available = np.zeros((rounds.size, clients.size), np.bool_)
        for t in takewhile(lambda t: t <= rounds.size, self._times()):
            available[t - 1] = True
        return available


def _build(settings: Settings) -> LinearGaps:
    return LinearGaps(
        settings.need("num_clients"), *arguments(settings, "linear-gaps:5/2,1/40", least=1, most=2)
    )


MEMBERS = (
    Member(
        "linear-gaps",
        "adversary: as rarely as staleness <= t0 + slope t permits (MIFA Assumption 4)",
        _build,
        "linear-gaps:5/2,1/40",
    ),
)
