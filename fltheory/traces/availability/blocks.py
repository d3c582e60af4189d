"""Periodic availability: on for some rounds, then off for some rounds, each client with its own
lengths."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from fltheory.core.checked import Checked, frozen
from fltheory.core.registry import Member, Settings
from fltheory.core.types import BoolArray, ExactLike
from fltheory.traces.availability.base import Declared, arguments, cyclic, whole, wholes


@frozen
class Blocks:
    """Client i is available for on[i] rounds, then absent for off[i] rounds; all clients start with
    an on-block.

    One number holds for all clients. Equal lengths B, B are the pattern on which MIFA's Prop. 5.1
    needs its missing quantifier; 1, P - 1 is periodic availability with period P; 0 rounds off
    means always available.

    >>> Blocks(2, on=1, off=(0, 2)).matrix(4).astype(int).tolist()
    [[1, 1], [1, 0], [1, 0], [1, 1]]
    """

    num_clients: int
    on: Checked[ExactLike | Sequence[ExactLike], tuple[int, ...]]
    off: Checked[ExactLike | Sequence[ExactLike], tuple[int, ...]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "num_clients", whole(self.num_clients, "number of clients"))
        object.__setattr__(self, "on", wholes(self.on, self.num_clients, "rounds on"))
        object.__setattr__(self, "off", wholes(self.off, self.num_clients, "rounds off", least=0))

    @property
    def _periods(self) -> list[int]:
        return [on + off for on, off in zip(self.on, self.off, strict=True)]

    @property
    def declares(self) -> Declared:
        longest = max(self.off)
        return Declared(
            everyone_first=True,
            someone_always=min(self.off) == 0,
            availability_window=longest + 1,
            initial_gap=Fraction(longest),
            gap_slope=Fraction(0),
            period=lcm(*self._periods),
        )

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        return cyclic(num_rounds, [0] * self.num_clients, self.on, self._periods)


def _build(settings: Settings) -> Blocks:
    return Blocks(
        settings.need("num_clients"), *arguments(settings, "blocks:10,10", least=2, most=2)
    )


MEMBERS = (
    Member("blocks", "everybody on for some rounds, off for some rounds", _build, "blocks:2,3"),
)
