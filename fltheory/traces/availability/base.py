"""Availability models: the interface, the properties that a model may declare, and the check of
declared properties."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeVar

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact, exacts
from fltheory.core.registry import Settings
from fltheory.core.types import BoolArray, ExactLike, IntArray, Whole
from fltheory.traces.trace import boolean_matrix
from fltheory.traces.trace_statistics import NEVER, availability_window, rounds_since

Entry = TypeVar("Entry")

MAX_CELLS = 10**9
"""Largest size of a rounds x clients table: one byte per entry."""

MAX_WHOLE = 10**9
"""Largest value of a count: number of clients, length of a block."""


@dataclass(frozen=True)
class Declared:
    """Properties that hold in every matrix of a model, for every horizon and seed; a property that
    is not set is not promised.

    - `everyone_first`: every client is available in the first round (MIFA Def. 5.2)
    - `someone_always`: no round is empty
    - `availability_window`: each client is available in each stretch of this many rounds (FedLaAvg
      Assumption 4, E)
    - `initial_gap`, `gap_slope`: rounds since available <= initial_gap + gap_slope t for t = 1, 2,
      ... (MIFA Assumption 4, t0 and 1/b)
    - `period`, `warm_up`: after the first `warm_up` rounds, each round equals the one `period`
      rounds later
    """

    everyone_first: bool = False
    someone_always: bool = False
    availability_window: int | None = None
    initial_gap: Fraction | None = None
    gap_slope: Fraction | None = None
    period: int | None = None
    warm_up: int = 0

    def __post_init__(self) -> None:
        if (self.initial_gap is None) != (self.gap_slope is None):
            raise InvalidInput(
                "initial gap and gap slope",
                "be declared together",
                (self.initial_gap, self.gap_slope),
            )
        if self.warm_up and self.period is None:
            raise InvalidInput("warm-up", "come with a declared period", self.warm_up)


class Availability(Protocol):
    """An availability model: a pure function of the seed, such that a longer matrix extends a
    shorter one."""

    @property
    def num_clients(self) -> int: ...

    @property
    def declares(self) -> Declared: ...

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        """One row per round, one column per client."""


def violations(declared: Declared, available: Whole) -> list[str]:
    """The declared properties that a matrix violates, each as a sentence with the first place;
    empty if there are none.

    >>> violations(Declared(everyone_first=True, availability_window=2), [[1, 0], [1, 0], [0, 1]])
    ['client 1 is not available in the first round', 'the availability window is 3, declared 2']
    """
    return list(_violations(declared, boolean_matrix(available, "available")))


def _violations(declared: Declared, matrix: BoolArray) -> Iterator[str]:
    if declared.everyone_first and not matrix[0].all():
        yield f"client {int(np.argmin(matrix[0]))} is not available in the first round"
    if declared.someone_always and not matrix.any(axis=1).all():
        yield f"nobody is available in round {int(np.argmin(matrix.any(axis=1)))}"
    if (
        declared.availability_window is not None
        and (window := availability_window(matrix)) > declared.availability_window
    ):
        yield f"the availability window is {window}, declared {declared.availability_window}"
    if declared.initial_gap is not None and declared.gap_slope is not None:
        yield from _gap_violations(declared.initial_gap, declared.gap_slope, rounds_since(matrix))
    if declared.period is not None:
        earlier = matrix[declared.warm_up : max(declared.warm_up, len(matrix) - declared.period)]
        differs = (earlier != matrix[declared.warm_up + declared.period :]).any(axis=1)
        if differs.any():
            t = declared.warm_up + int(np.argmax(differs))
            yield (
                f"round {t} differs from round {t + declared.period}, declared period"
                f" {declared.period}"
            )


def _gap_violations(initial_gap: Fraction, gap_slope: Fraction, ages: IntArray) -> Iterator[str]:
    for t, worst in enumerate(ages.max(axis=1).tolist(), start=1):
        if (ages[t - 1] == NEVER).any():
            yield (
                f"client {int(np.argmin(ages[t - 1]))} has not been available by round {t - 1}, so"
                " no gap bounds its absence"
            )
            return
        if worst > initial_gap + gap_slope * t:
            yield (
                f"rounds since available reach {worst} in round {t - 1}, declared {initial_gap} +"
                f" {gap_slope} * {t}"
            )
            return


def whole(value: object, owner: str, *, least: int = 1) -> int:
    """An integer of at least `least`; text is accepted.

    >>> whole("12", "number of clients")
    12
    """
    number = exact(value, owner)
    if number.denominator != 1 or not least <= number <= MAX_WHOLE:
        raise InvalidInput(
            owner, f"be a whole number of at least {least} and at most {MAX_WHOLE}", number
        )
    return int(number)


def wholes(values: object, num_clients: int, owner: str, *, least: int = 1) -> tuple[int, ...]:
    """One integer for each client; a single number holds for all.

    >>> wholes(3, 2, "rounds on")
    (3, 3)
    """
    if isinstance(values, str) or not isinstance(values, Sequence):
        return (whole(values, owner, least=least),) * num_clients
    if len(values) != num_clients:
        raise InvalidInput(
            owner,
            f"have one entry, or one for each of {num_clients} clients",
            f"{len(values)} entries",
        )
    return tuple(
        whole(value, f"{owner} of client {i}", least=least) for i, value in enumerate(values)
    )


def chances(values: Iterable[ExactLike]) -> tuple[Fraction, ...]:
    """One availability probability in (0, 1] for each client.

    >>> chances(["1/2", 1])
    (Fraction(1, 2), Fraction(1, 1))
    """
    result = exacts(values, "availability probability")
    if not result:
        raise InvalidInput("availability probabilities", "have at least one client", "none")
    for i, chance in enumerate(result):
        if not 0 < chance <= 1:
            raise InvalidInput(f"availability probability of client {i}", "lie in (0, 1]", chance)
    return result


def grid(num_rounds: int, num_clients: int) -> tuple[IntArray, IntArray]:
    """Round indices as a column and client indices as a row, after a check of the size."""
    rounds = whole(num_rounds, "number of rounds")
    if rounds * num_clients > MAX_CELLS:
        raise InvalidInput(
            "rounds x clients", f"be at most {MAX_CELLS}", f"{rounds} x {num_clients}"
        )
    return np.arange(rounds)[:, None], np.arange(num_clients)[None, :]


def cyclic(
    num_rounds: int, starts: Sequence[int], lengths: Sequence[int], periods: Sequence[int]
) -> BoolArray:
    """Client i is available in round t if and only if (t - starts[i]) mod periods[i] < lengths[i].

    >>> cyclic(4, starts=(0, 1), lengths=(1, 3), periods=(4, 4)).astype(int).tolist()
    [[1, 0], [0, 1], [0, 1], [0, 1]]
    """
    rounds, _ = grid(num_rounds, len(starts))
    return (rounds - np.array(starts)) % np.array(periods) < np.array(lengths)


def for_clients(entries: Sequence[Entry], settings: Settings, owner: str) -> tuple[Entry, ...]:
    """One entry for each client, where the user has set their number; a single entry holds for
    all."""
    clients = whole(settings.get("num_clients", len(entries)), "number of clients")
    if len(entries) not in (1, clients):
        raise InvalidInput(
            owner,
            f"have one entry, or one for each of {clients} clients",
            f"{len(entries)} entries",
        )
    return tuple(entries) * (clients // len(entries))


def arguments(settings: Settings, usage: str, *, least: int, most: int | None) -> tuple[Any, ...]:
    """What the user wrote after the name of the model, after a check of the number of entries; the
    model parses them."""
    given = tuple(settings.get("arguments", ()))
    if len(given) < least or (most is not None and len(given) > most):
        raise InvalidInput("availability", f"be written like {usage}", f"{len(given)} arguments")
    return given
