"""Update times of clients: the time between receiving a model and delivering an update made from
it."""

from collections.abc import Iterable, Iterator
from decimal import Context
from fractions import Fraction
from itertools import count, repeat
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from fltheory.core.checked import Checked, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact, exacts
from fltheory.core.randomness import Purpose, random_integers
from fltheory.core.types import ExactLike

_DECIMALS = Context(prec=20)
_DRAWS_AT_ONCE = 64


@runtime_checkable
class UpdateTimes(Protocol):
    """Update times T_i of all clients, drawn anew at each reception (Fraboni et al., Sec. 2.2)."""

    @property
    def num_clients(self) -> int: ...

    def streams(self, seed: int) -> list[Iterator[Fraction]]:
        """For each client, an endless stream of its update times, one per reception."""


UpdateTimesLike: TypeAlias = "UpdateTimes | Iterable[ExactLike]"
"""Update times, or one fixed number per client."""


@frozen
class FixedTimes:
    """T_i = tau_i, any positive rational numbers.

    >>> FixedTimes(["1/2", 3]).times
    (Fraction(1, 2), Fraction(3, 1))
    """

    times: Checked[Iterable[ExactLike], tuple[Fraction, ...]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", positive(self.times, "update time"))

    @classmethod
    def spread(cls, num_clients: int, percent: ExactLike) -> "FixedTimes":
        """Hardware setting F-X: evenly spaced from 1 - X/100 (the fastest client) to 1 (the
        slowest) (Fraboni et al., Sec. 5.1).

        >>> FixedTimes.spread(3, 80).times
        (Fraction(1, 5), Fraction(3, 5), Fraction(1, 1))
        """
        lost = exact(percent, "spread in percent") / 100
        if not 0 <= lost < 1:
            raise InvalidInput("spread in percent", "lie in [0, 100)", lost * 100)
        if num_clients < 2:
            raise InvalidInput(
                "number of clients", "be at least 2 for update times that spread", num_clients
            )
        return cls(
            tuple(
                1 - lost * Fraction(num_clients - 1 - i, num_clients - 1)
                for i in range(num_clients)
            )
        )

    @property
    def num_clients(self) -> int:
        return len(self.times)

    def streams(self, seed: int) -> list[Iterator[Fraction]]:
        return [repeat(time) for time in self.times]


@frozen
class ExponentialTimes:
    """T_i exponential with mean tau_i, each draw keyed by (seed, client, reception) (Fraboni et
    al., Sec. 4.1).

    A draw is rounded to 20 decimals and is exact from then on, so that event times are Fractions
    here too. The decimal logarithm is correctly rounded, so that a seed gives the same times on
    every machine.
    """

    means: Checked[Iterable[ExactLike], tuple[Fraction, ...]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", positive(self.means, "mean update time"))

    @property
    def num_clients(self) -> int:
        return len(self.means)

    def streams(self, seed: int) -> list[Iterator[Fraction]]:
        return [self._stream(seed, client) for client in range(self.num_clients)]

    def _stream(self, seed: int, client: int) -> Iterator[Fraction]:
        for first in count(step=_DRAWS_AT_ONCE):
            receptions = np.arange(first, first + _DRAWS_AT_ONCE)
            for draw in random_integers(seed, Purpose.UPDATE_TIME, receptions, client).tolist():
                yield self.means[client] * standard_exponential(draw)


def as_update_times(update_times: UpdateTimesLike) -> UpdateTimes:
    """Update times unchanged; plain numbers, one per client, as fixed update times.

    >>> as_update_times([1, 2])
    FixedTimes(times=(Fraction(1, 1), Fraction(2, 1)))
    """
    return update_times if isinstance(update_times, UpdateTimes) else FixedTimes(update_times)


def fixed_times(update_times: UpdateTimesLike) -> tuple[Fraction, ...]:
    """The numbers of fixed update times; random ones are refused.

    >>> fixed_times(ExponentialTimes([1, 2]))
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: update times must be fixed here, got ExponentialTimes
    """
    laws = as_update_times(update_times)
    if not isinstance(laws, FixedTimes):
        raise InvalidInput("update times", "be fixed here", type(laws).__name__)
    return laws.times


def standard_exponential(draw: int) -> Fraction:
    """-ln((draw + 1/2) / 2^53), which is positive for every integer in [0, 2^53).

    >>> round(float(standard_exponential(2**52)), 12)
    0.69314718056
    """
    return -Fraction(_DECIMALS.ln(_DECIMALS.divide(2 * draw + 1, 1 << 54)))


def positive(values: Iterable[ExactLike], owner: str) -> tuple[Fraction, ...]:
    """Exact numbers, at least one, each above 0.

    >>> positive([1, 0], "update time")
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: update time of client 1 must be above 0, got 0
    """
    numbers = exacts(values, owner)
    if not numbers:
        raise InvalidInput(f"{owner} list", "have at least one client", "none")
    for i, number in enumerate(numbers):
        if number <= 0:
            raise InvalidInput(f"{owner} of client {i}", "be above 0", number)
    return numbers
