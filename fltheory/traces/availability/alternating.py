"""Groups of clients take turns in blocks of rounds (FedLaAvg, Example 1)."""

from collections.abc import Iterable
from dataclasses import dataclass

from fltheory.core.checked import check_kind
from fltheory.core.errors import InvalidInput
from fltheory.core.registry import Member, Settings
from fltheory.core.types import BoolArray
from fltheory.traces.availability.base import Declared, arguments, cyclic, whole


@dataclass(frozen=True)
class Alternating:
    """In each period, group 0 is available for durations[0] rounds, then group 1 for durations[1]
    rounds, and so on.

    Clients are assigned to the groups in order and as evenly as possible. With two clients and two
    durations t1, t2 this is FedLaAvg's Example 1, whose availability window is max(t1, t2) + 1.

    >>> Alternating(2, durations=(1, 3)).matrix(4).astype(int).tolist()
    [[1, 0], [0, 1], [0, 1], [0, 1]]
    """

    num_clients: int
    durations: tuple[int, ...]

    def __post_init__(self) -> None:
        check_kind("durations", self.durations, Iterable)
        durations = tuple(
            whole(duration, f"duration of block {g}") for g, duration in enumerate(self.durations)
        )
        clients = whole(self.num_clients, "number of clients")
        if not 1 <= len(durations) <= clients:
            raise InvalidInput(
                "number of durations",
                f"lie in [1, {clients}], because every group needs a client",
                len(durations),
            )
        object.__setattr__(self, "durations", durations)
        object.__setattr__(self, "num_clients", clients)

    @property
    def period(self) -> int:
        return sum(self.durations)

    @property
    def declares(self) -> Declared:
        return Declared(
            someone_always=True,
            availability_window=self.period - min(self.durations) + 1,
            period=self.period,
        )

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        groups = [i * len(self.durations) // self.num_clients for i in range(self.num_clients)]
        return cyclic(
            num_rounds,
            starts=[sum(self.durations[:g]) for g in groups],
            lengths=[self.durations[g] for g in groups],
            periods=[self.period] * self.num_clients,
        )


def _build(settings: Settings) -> Alternating:
    given = arguments(settings, "alternating:1,3", least=1, most=None)
    return Alternating(settings.get("num_clients", len(given)), given)


MEMBERS = (
    Member(
        "alternating",
        "groups take turns, each for its number of rounds (FedLaAvg Example 1)",
        _build,
        "alternating:1,3",
    ),
)
