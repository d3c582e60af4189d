"""The adversary of FedLaAvg's Lemma 1: clients are absent as long as an availability window E
permits."""

from dataclasses import dataclass
from functools import partial

from fltheory.core.registry import Member, Settings
from fltheory.core.types import BoolArray
from fltheory.traces.availability.base import Declared, arguments, cyclic, whole


@dataclass(frozen=True)
class WithinWindow:
    """Each client is available exactly once in every E rounds (FedLaAvg Assumption 4 with
    equality).

    By default all clients are available at t = E, 2E, ... (counted from 1), the schedule on which
    the staleness bound ceil(N/K) E - 1 of Lemma 1 is attained for every N, K, E. If `staggered`,
    client i is available at t = 1 + (i mod E) and every E rounds after it.

    >>> WithinWindow(2, window=3).matrix(4).astype(int).tolist()
    [[0, 0], [0, 0], [1, 1], [0, 0]]
    """

    num_clients: int
    window: int
    staggered: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "num_clients", whole(self.num_clients, "number of clients"))
        object.__setattr__(self, "window", whole(self.window, "availability window"))

    @property
    def declares(self) -> Declared:
        everyone_first = self.window == 1
        return Declared(
            everyone_first=everyone_first,
            someone_always=everyone_first,
            availability_window=self.window,
            period=self.window,
        )

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        starts = [
            i % self.window if self.staggered else self.window - 1 for i in range(self.num_clients)
        ]
        return cyclic(num_rounds, starts, [1] * self.num_clients, [self.window] * self.num_clients)


def _build(settings: Settings, staggered: bool) -> WithinWindow:
    (window,) = arguments(settings, "within-window:3", least=1, most=1)
    return WithinWindow(settings.need("num_clients"), window, staggered=staggered)


MEMBERS = (
    Member(
        "within-window",
        "adversary: everybody once in E rounds, at the same time (FedLaAvg Lemma 1)",
        partial(_build, staggered=False),
        "within-window:3",
    ),
    Member(
        "within-window-staggered",
        "adversary: everybody once in E rounds, in turn",
        partial(_build, staggered=True),
        "within-window-staggered:3",
    ),
)
