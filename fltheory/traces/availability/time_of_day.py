"""Availability for some hours a day, each client at its own time (FedLaAvg, Section 6.1.3,
Sentiment140).

The paper's alpha is not an availability parameter: it sets the share of positive tweets by the
hour, so it belongs to the data.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import ceil

from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact, exacts
from fltheory.core.registry import Member, Settings
from fltheory.core.types import BoolArray, ExactLike
from fltheory.traces.availability.base import Declared, arguments, cyclic, whole

HOURS_PER_DAY = 24


@frozen
class TimeOfDay:
    """Round t takes place at hour 24 t / rounds_per_day; every day, client i is available for
    `hours` hours from its start hour.

    By default the start hours are spread evenly over the day: client i starts at hour 24 i / N. In
    the paper, a user is available in the eight hours in which it tweets least.

    >>> TimeOfDay(3, rounds_per_day=6).matrix(6).astype(int).tolist()
    [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    """

    num_clients: int
    rounds_per_day: int = 120
    hours: Checked[ExactLike, Fraction] = default(8)
    start_hours: Checked[Iterable[ExactLike] | None, tuple[Fraction, ...]] = default(None)

    def __post_init__(self) -> None:
        clients = whole(self.num_clients, "number of clients")
        rounds = whole(self.rounds_per_day, "rounds per day")
        hours = exact(self.hours, "available hours")
        if not HOURS_PER_DAY <= hours * rounds <= HOURS_PER_DAY * rounds:
            raise InvalidInput(
                "available hours",
                f"last at least one round and at most {HOURS_PER_DAY} hours",
                hours,
            )
        even = (Fraction(HOURS_PER_DAY * i, clients) for i in range(clients))
        starts = exacts(even if self.start_hours is None else self.start_hours, "start hour")
        if len(starts) != clients:
            raise InvalidInput(
                "start hours",
                f"have one entry for each of {clients} clients",
                f"{len(starts)} entries",
            )
        for i, start in enumerate(starts):
            if not 0 <= start < HOURS_PER_DAY:
                raise InvalidInput(
                    f"start hour of client {i}", f"lie in [0, {HOURS_PER_DAY})", start
                )
        for name, value in (
            ("num_clients", clients),
            ("rounds_per_day", rounds),
            ("hours", hours),
            ("start_hours", starts),
        ):
            object.__setattr__(self, name, value)

    def _round_at(self, hour: Fraction) -> int:
        """The first round of the day at this hour or later."""
        return ceil(hour * self.rounds_per_day / HOURS_PER_DAY)

    @property
    def _first_rounds(self) -> list[int]:
        return [self._round_at(start) for start in self.start_hours]

    @property
    def _lengths(self) -> list[int]:
        return [
            self._round_at(start + self.hours) - self._round_at(start) for start in self.start_hours
        ]

    @property
    def declares(self) -> Declared:
        return Declared(
            availability_window=self.rounds_per_day - min(self._lengths) + 1,
            period=self.rounds_per_day,
        )

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        return cyclic(
            num_rounds, self._first_rounds, self._lengths, [self.rounds_per_day] * self.num_clients
        )


def _build(settings: Settings) -> TimeOfDay:
    given = arguments(settings, "time-of-day:120,8", least=0, most=2)
    return TimeOfDay(settings.need("num_clients"), *given)


MEMBERS = (
    Member(
        "time-of-day",
        "each client some hours a day, at its own time (FedLaAvg's Sentiment140)",
        _build,
        "time-of-day:120,8",
    ),
)
