"""Full participation: every client is available in every round."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fltheory.core.registry import Member, Settings
from fltheory.core.types import BoolArray
from fltheory.traces.availability.base import Declared, arguments, grid, whole


@dataclass(frozen=True)
class Always:
    """A(t) = [N] for all t.

    >>> Always(2).matrix(2).tolist()
    [[True, True], [True, True]]
    """

    num_clients: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "num_clients", whole(self.num_clients, "number of clients"))

    @property
    def declares(self) -> Declared:
        return Declared(
            everyone_first=True,
            someone_always=True,
            availability_window=1,
            initial_gap=Fraction(0),
            gap_slope=Fraction(0),
            period=1,
        )

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        rounds, clients = grid(num_rounds, self.num_clients)
        return np.ones((rounds.size, clients.size), np.bool_)


def _build(settings: Settings) -> Always:
    arguments(settings, "always", least=0, most=0)
    return Always(settings.need("num_clients"))


MEMBERS = (Member("always", "everybody is available in every round", _build, "always"),)
