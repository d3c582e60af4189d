"""Round robin: groups of clients are available in turn."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from fltheory.core.registry import Member, Settings
from fltheory.core.types import BoolArray
from fltheory.traces.availability.base import Declared, arguments, cyclic, whole


@dataclass(frozen=True)
class RoundRobin:
    """In round t the group t mod P of `group_size` neighbouring clients is available, P = ceil(N /
    group_size).

    With `everyone_first` all clients are available in round 0, as when AFA-CS fills its memory at
    the first model.

    >>> RoundRobin(3, everyone_first=True).matrix(4).astype(int).tolist()
    [[1, 1, 1], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    """

    num_clients: int
    group_size: int = 1
    everyone_first: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "num_clients", whole(self.num_clients, "number of clients"))
        object.__setattr__(self, "group_size", whole(self.group_size, "group size"))

    @property
    def period(self) -> int:
        return -(-self.num_clients // self.group_size)

    @property
    def declares(self) -> Declared:
        promised = Declared(
            someone_always=True, availability_window=self.period, period=self.period
        )
        if not self.everyone_first:
            return promised
        return replace(
            promised,
            everyone_first=True,
            warm_up=1,
            initial_gap=Fraction(self.period - 1),
            gap_slope=Fraction(0),
        )

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        groups = [i // self.group_size for i in range(self.num_clients)]
        available = cyclic(
            num_rounds, groups, [1] * self.num_clients, [self.period] * self.num_clients
        )
        available[0] |= self.everyone_first
        return available


def _build(settings: Settings, everyone_first: bool) -> RoundRobin:
    (group_size,) = arguments(settings, "round-robin or round-robin:2", least=0, most=1) or (1,)
    return RoundRobin(settings.need("num_clients"), group_size, everyone_first=everyone_first)


MEMBERS = (
    Member(
        "round-robin",
        "one group of clients after the other",
        partial(_build, everyone_first=False),
        "round-robin:2",
    ),
    Member(
        "round-robin-warm",
        "everybody in round one, then one group after the other",
        partial(_build, everyone_first=True),
        "round-robin-warm:2",
    ),
)
