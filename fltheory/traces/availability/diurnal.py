"""Day and night by data: some labels for E rounds, the others for the next E (FedLaAvg, Section
6.1.3, MNIST)."""

from dataclasses import dataclass

from fltheory.core.errors import InvalidInput
from fltheory.core.registry import Member, Settings
from fltheory.core.types import BoolArray
from fltheory.traces.availability.base import Declared, arguments, cyclic, whole


@dataclass(frozen=True)
class Diurnal:
    """The clients of the first `day_groups` of `num_groups` equal groups are available for
    `half_period` rounds, then all others for as many.

    Client i belongs to group floor(i num_groups / num_clients), the digit that its data have. The
    paper calls half_period E, but the constant of its Assumption 5 is half_period + 1.

    >>> Diurnal(4, half_period=2, day_groups=1, num_groups=4).matrix(4).astype(int).tolist()
    [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 1], [0, 1, 1, 1]]
    """

    num_clients: int
    half_period: int = 100
    day_groups: int = 1
    num_groups: int = 10

    def __post_init__(self) -> None:
        for name, owner in (
            ("num_clients", "number of clients"),
            ("half_period", "half period"),
            ("day_groups", "number of day groups"),
            ("num_groups", "number of groups"),
        ):
            object.__setattr__(self, name, whole(getattr(self, name), owner))
        if self.num_groups > self.num_clients:
            raise InvalidInput(
                "number of groups", f"be at most the {self.num_clients} clients", self.num_groups
            )
        if self.day_groups >= self.num_groups:
            raise InvalidInput(
                "number of day groups",
                f"be less than the {self.num_groups} groups",
                self.day_groups,
            )

    @property
    def declares(self) -> Declared:
        return Declared(
            someone_always=True,
            availability_window=self.half_period + 1,
            period=2 * self.half_period,
        )

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        nights = [
            i * self.num_groups // self.num_clients >= self.day_groups
            for i in range(self.num_clients)
        ]
        return cyclic(
            num_rounds,
            starts=[self.half_period * night for night in nights],
            lengths=[self.half_period] * self.num_clients,
            periods=[2 * self.half_period] * self.num_clients,
        )


def _build(settings: Settings) -> Diurnal:
    given = arguments(settings, "diurnal:100,1 or diurnal:100,1,10", least=1, most=3)
    return Diurnal(settings.need("num_clients"), *given)


MEMBERS = (
    Member(
        "diurnal",
        "some labels' clients for E rounds, the others for the next E (FedLaAvg's MNIST)",
        _build,
        "diurnal:100,1,2",
    ),
)
