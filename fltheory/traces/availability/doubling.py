"""Gaps that double: rounds 1, 2, 4, 8, ... (this violates MIFA's Assumption 4 for every t0, because
its slope is at most 1/40)."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fltheory.core.registry import Member, Settings
from fltheory.core.types import BoolArray
from fltheory.traces.availability.base import Declared, arguments, grid, whole


@dataclass(frozen=True)
class Doubling:
    """All clients are available exactly in the rounds t = 1, 2, 4, 8, ... (counted from 1), so that
    staleness <= t/2 and no smaller slope suffices.

    >>> np.flatnonzero(Doubling(1).matrix(10)[:, 0]).tolist()
    [0, 1, 3, 7]
    """

    num_clients: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "num_clients", whole(self.num_clients, "number of clients"))

    @property
    def declares(self) -> Declared:
        return Declared(everyone_first=True, initial_gap=Fraction(0), gap_slope=Fraction(1, 2))

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        rounds, clients = grid(num_rounds, self.num_clients)
        power_of_two = (rounds + 1) & rounds == 0  # a single bit
        return np.repeat(power_of_two, clients.size, axis=1)


def _build(settings: Settings) -> Doubling:
    arguments(settings, "doubling", least=0, most=0)
    return Doubling(settings.need("num_clients"))


MEMBERS = (
    Member("doubling", "adversary: everybody in rounds 1, 2, 4, 8, ... only", _build, "doubling"),
)
