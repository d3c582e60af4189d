"""What rows of a log have in common: numbers of clients, the limits, and mean importances."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import FloatArray
from fltheory.fleet.bad_rows import BadRows
from fltheory.fleet.clock_times import ClockTimes
from fltheory.fleet.columns import LogLayout

MAX_CLIENTS = 1_000_000
MAX_ROUNDS = 10_000_000
MAX_ROWS = 50_000_000
MAX_FIELD = 200
SHOWN = 60
YES_WORDS = """1 1.0 true yes y t active available online on up present success ok done completed
delivered participated idle charging connect connected join joined selected code.ok ready nodeready
wahr ja vrai oui verdadero vero si sì sí"""
NO_WORDS = """0 0.0 false no n f inactive unavailable offline off down absent failure failed error
dropped dropout timeout missing disconnect disconnected leave left notready nodenotready unknown
falsch nein faux non falso"""
YES, NO = frozenset(YES_WORDS.split()), frozenset(NO_WORDS.split())
NOTHING = frozenset(("", "nan", "nat", "none", "null", "na", "n/a"))
"""Cells that say nothing."""


class PartRow(list[str]):
    """A row made of a part of a line, which keeps the number of that line."""

    __slots__ = ("line",)

    def __init__(self, cells: Iterable[str], line: int) -> None:
        super().__init__(cells)
        self.line = line


def numbered(rows: Iterable[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Rows with the numbers of their lines, below a header in line 1.

    >>> [line for line, _ in numbered([["a"], PartRow(["b"], 7)])]
    [2, 7]
    """
    for at, row in enumerate(rows, 2):
        yield row.line if type(row) is PartRow else at, row


class ClientNumbers:
    """Numbers the clients in the order in which they appear."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}

    def __call__(self, name: str, place: str) -> int:
        label = name.strip()
        if not label or len(label) > MAX_FIELD:
            raise InvalidInput(
                f"client in {place}",
                f"have a name of 1 to {MAX_FIELD} characters",
                repr(label[:SHOWN]),
            )
        if label not in self.number and len(self.number) >= MAX_CLIENTS:
            raise TooMany(place, f"have at most {MAX_CLIENTS} clients", "more")
        return self.number.setdefault(label, len(self.number))


class TooMany(InvalidInput):
    """A log beyond a limit: no row of it is left out instead."""


class MeanImportance:
    """The mean importance of each client over its rows, such as its number of examples."""

    def __init__(self) -> None:
        self.totals: list[float] = []
        self.counts: list[int] = []

    def add(self, client: int, cell: str, place: str) -> None:
        """One row's value; an empty cell says nothing."""
        text = cell.strip()
        if text.lower() in NOTHING:
            return
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value >= 0):
            raise InvalidInput(
                f"importance in {place}", "be a number of at least 0", repr(text[:SHOWN])
            )
        missing = client + 1 - len(self.totals)
        if missing > 0:
            self.totals.extend([0.0] * missing)
            self.counts.extend([0] * missing)
        self.totals[client] += value
        self.counts[client] += 1

    def shares(self, num_clients: int) -> FloatArray | None:
        """Importances that sum to 1; a client without a value has the mean of the others. None if
        no value was given, or all are equal.

        >>> held = MeanImportance()
        >>> for client, cell in ((0, "30"), (1, "10"), (0, "30")):
        ...     held.add(client, cell, "line 1")
        >>> held.shares(3).tolist()
        [0.5, 0.16666666666666666, 0.3333333333333333]
        """
        totals, counts = np.zeros(num_clients), np.zeros(num_clients)
        totals[: len(self.totals)], counts[: len(self.counts)] = self.totals, self.counts
        if not counts.any():
            return None
        means = totals / np.maximum(counts, 1)
        means[counts == 0] = means[counts > 0].mean()
        if not means.sum() > 0:
            raise InvalidInput("importance", "be above 0 for some client", "only zeros")
        shares: FloatArray = means / means.sum()
        return shares if (means != means[0]).any() else None


@dataclass(frozen=True)
class RowRules:
    """How the rows of a file are read."""

    source: str
    layout: LogLayout
    clock: ClockTimes
    bad: BadRows

    def check_width(self, row: Sequence[str], place: str) -> None:
        """Refuse a row that is shorter or longer than the header."""
        if len(row) != self.layout.width:
            rule = f"have {self.layout.width} cells, like the header"
            raise InvalidInput(place, rule, f"{len(row)} cells")


def yes_or_no(cell: str, place: str) -> bool:
    """Whether a cell says that a client is there.

    >>> yes_or_no("Online", "line 2"), yes_or_no("0", "line 2")
    (True, False)
    """
    word = cell.strip().lower()
    if word in YES or word in NO:
        return word in YES
    raise InvalidInput(
        f"active in {place}",
        "be 1 or 0, or a word such as online (--columns active=- leaves the column out)",
        repr(cell[:SHOWN]),
    )
