"""The day in FedLaAvg's Sentiment140: which tweets are kept at which hour, and when each user
sleeps (Section 6.1.3, Figure 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.randomness import Purpose, random_integers
from fltheory.core.types import BoolArray
from fltheory.traces.availability.base import cyclic

HOURS, ASLEEP = 24, 8
"""Hours of a day, and of a user's availability."""


def positive_share(hour: int, balance: Any) -> Fraction:
    """Share of positive tweets at that hour: alpha at 0, 1 - alpha at 12, linear in between.

    >>> [str(positive_share(hour, 0)) for hour in (0, 6, 12, 18, 23)]
    ['0', '1/2', '1', '1/2', '1/12']
    """
    alpha = exact(balance, "day balance")
    if not 0 <= alpha <= 1:
        raise InvalidInput("day balance", "lie in [0, 1]", alpha)
    return alpha + (1 - 2 * alpha) * Fraction(min(hour, HOURS - hour), HOURS // 2)


def kept(labels: Any, hours: Any, balance: Any, *, seed: int) -> Any:
    """Places of the tweets that stay, as many as can, when random ones are dropped until each hour
    has its share of positive ones.

    >>> kept([1, 1, 1, 0], [6, 6, 6, 6], 0, seed=0).tolist()
    [0, 3]
    """
    labels, hours = np.asarray(labels), np.asarray(hours)
    order = np.argsort(
        random_integers(seed, Purpose.PARTITION, 5, 0, np.arange(len(labels))), kind="stable"
    )
    chosen = []
    for hour in range(HOURS):
        share = positive_share(hour, balance)
        positive, negative = (
            order[(hours[order] == hour) & (labels[order] == sign)] for sign in (1, 0)
        )
        most = [
            Fraction(len(part)) / part_share
            for part, part_share in ((positive, share), (negative, 1 - share))
            if part_share
        ]
        total = min(most)
        chosen += [positive[: int(total * share)], negative[: int(total * (1 - share))]]
    return np.sort(np.concatenate(chosen))


def quiet_start(counts: Sequence[int]) -> int:
    """First hour of the eight in a row, around midnight if need be, in which a user tweets least;
    the earliest of equals.

    >>> quiet_start([0, 0, 0] + [5] * 16 + [0] * 5)
    19
    """
    doubled = np.concatenate([np.asarray(counts)] * 2)
    return int(np.argmin([doubled[first : first + ASLEEP].sum() for first in range(HOURS)]))


@dataclass(frozen=True)
class QuietHours:
    """Each client is available in its quiet eight hours of a day of `rounds_per_day` rounds, the
    first of which begins at 0:00.

    >>> QuietHours((0, 12), rounds_per_day=6).matrix(6).astype(int).T.tolist()
    [[1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 0]]
    """

    starts: tuple[int, ...]
    rounds_per_day: int

    def __post_init__(self) -> None:
        if self.rounds_per_day < HOURS // ASLEEP:
            raise InvalidInput(
                "rounds of a day", f"be at least {HOURS // ASLEEP}", self.rounds_per_day
            )

    @property
    def num_clients(self) -> int:
        return len(self.starts)

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        """Availability as rounds by clients; nothing is drawn at random."""
        clients, day = self.num_clients, self.rounds_per_day
        return cyclic(
            num_rounds,
            starts=[start * day // HOURS for start in self.starts],
            lengths=[day * ASLEEP // HOURS] * clients,
            periods=[day] * clients,
        )
