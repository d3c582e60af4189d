"""Recorded availability: a CSV table with one row per round and one 0/1 column per client."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from fltheory.core.checked import Checked, frozen
from fltheory.core.durable import replace_text
from fltheory.core.errors import InvalidInput
from fltheory.core.registry import Member, Settings
from fltheory.core.types import BoolArray, Whole
from fltheory.core.untrusted_io import bounded_text
from fltheory.traces.availability.base import Declared, arguments, grid, whole
from fltheory.traces.trace import boolean_matrix

ROUND_COLUMN = "round"
"""Name of an optional first column that numbers the rounds."""

MAX_BYTES = 1 << 26
"""Largest file that is read: 1000 clients for more than 30000 rounds."""

YES, NO = ("1", "1.0", "true"), ("0", "0.0", "false")
"""How a cell may say that a client is available, or not; the first one is the usual way."""

_SHOWN = 40


@frozen(eq=False)
class Recorded:
    """Availability as it was seen; it knows no more rounds than were recorded and promises nothing.

    >>> Recorded([[1, 0], [1, 1]], ("phone", "tablet")).matrix(1).tolist()
    [[True, False]]
    """

    available: Checked[Whole, BoolArray]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        matrix = boolean_matrix(self.available, "recorded availability").copy()
        if matrix.ndim != 2:
            raise InvalidInput(
                "recorded availability",
                "be one table of rounds and clients",
                f"shape {matrix.shape}",
            )
        matrix.flags.writeable = False
        names = checked_names(self.names, "client names")
        if len(names) != matrix.shape[1]:
            raise InvalidInput(
                "client names",
                f"be as many as the {matrix.shape[1]} columns",
                f"{len(names)} names",
            )
        object.__setattr__(self, "available", matrix)
        object.__setattr__(self, "names", names)

    @property
    def num_clients(self) -> int:
        return self.available.shape[1]

    @property
    def num_rounds(self) -> int:
        return self.available.shape[0]

    @property
    def declares(self) -> Declared:
        return Declared()

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        rounds, _ = grid(num_rounds, self.num_clients)
        if rounds.size > self.num_rounds:
            raise InvalidInput(
                "number of rounds", f"be at most the {self.num_rounds} recorded ones", num_rounds
            )
        return self.available[: rounds.size].copy()


def checked_names(names: Sequence[str], owner: str) -> tuple[str, ...]:
    """Client names without blanks around them: none empty, no two equal, and not to be mistaken for
    rounds or for data."""
    result = tuple(name.strip() for name in names)
    if not result:
        raise InvalidInput(owner, "have at least one client", "none")
    seen: set[str] = set()
    for column, name in enumerate(result):
        if not name:
            raise InvalidInput(f"{owner}, column {column + 1}", "have a name", "nothing")
        if name in seen:
            raise InvalidInput(owner, "be all different", f"{_shorten(name)} twice")
        seen.add(name)
        if name.lower() == ROUND_COLUMN:
            raise InvalidInput(
                owner,
                f"keep the name {ROUND_COLUMN!r} for the first column",
                f"it in column {column + 1}",
            )
    if set(result) <= {"0", "1"}:
        raise InvalidInput(owner, "name the clients", "only 0 and 1")
    return result


def read_recorded(path: str | Path, *, max_bytes: int = MAX_BYTES) -> Recorded:
    """Read a CSV file; every error names the line and the client."""
    file = Path(path)
    try:
        if not file.is_file():
            raise InvalidInput("recorded availability", "be a file that exists", repr(str(path)))
        text = bounded_text(file, max_bytes, file.name)
    except OSError as problem:
        raise InvalidInput(file.name, "be readable", problem.strerror) from None
    return parse_recorded(text, file.name)


def parse_recorded(text: str, source: str = "CSV") -> Recorded:
    """A header of client names, then one row of 0 and 1 per round; a first column `round` must
    increase strictly.

    The numbers in that column may leave some out: each row counts as one round.

    >>> parse_recorded("round,phone,tablet\\n1,1,0\\n2,0,1\\n").available.astype(int).tolist()
    [[1, 0], [0, 1]]
    """
    lines = csv.reader(io.StringIO(text.rstrip(), newline=""), strict=True)
    try:
        header = next(lines, [])
        numbered = bool(header) and header[0].strip().lower() == ROUND_COLUMN
        names = checked_names(header[numbered:], f"header of {source}")
        rows = list(availability_rows(lines, names, source, numbered=numbered))
    except csv.Error as problem:
        raise InvalidInput(
            f"line {lines.line_num} of {source}", "be comma-separated values", str(problem)
        ) from None
    if not rows:
        raise InvalidInput(source, "have at least one round below its header", "none")
    return Recorded(np.array(rows), names)


class NotBinary(InvalidInput):
    """A cell of a table that says neither yes nor no."""


def availability_rows(
    rows: Iterable[list[str]],
    names: Sequence[str],
    source: str,
    *,
    numbered: bool,
) -> Iterator[BoolArray]:
    """Who is available in each round, from the rows below a header; every error names its line.

    With `numbered`, the first cell of a row numbers its round. Cells are 0 or 1.

    >>> rows = availability_rows([["7", "1", "0"]], ("a", "b"), "log.csv", numbered=True)
    >>> [row.tolist() for row in rows]
    [[True, False]]
    """
    before, width = None, len(names) + numbered
    for count, row in enumerate(rows, 2):
        place = f"line {getattr(rows, 'line_num', count)} of {source}"
        if len(row) != width:
            raise InvalidInput(place, f"have {width} cells, like the header", f"{len(row)} cells")
        if numbered:
            before = next_round(row[0].strip(), before, place)
        yield availability_row(row[numbered:], names, place, lenient=False)


def availability_row(
    cells: list[str], names: Sequence[str], place: str, *, lenient: bool = True
) -> BoolArray:
    """Who is available in one round; with `lenient`, cells may also be 0.0 and 1.0, true and false.

    >>> availability_row(["1", "false"], ("a", "b"), "line 2 of a.csv").tolist()
    [True, False]
    """
    if max(map(len, cells)) > _SHOWN:  # an array of texts is as wide as the longest one
        cells = [cell.strip()[: _SHOWN + 1] for cell in cells]
    flags = np.array(cells)
    there: BoolArray = flags == "1"
    if (there | (flags == "0")).all():
        return there
    words = np.char.lower(np.char.strip(flags))
    there = np.isin(words, YES if lenient else YES[:1])
    wrong = ~(there | np.isin(words, NO if lenient else NO[:1]))
    if wrong.any():
        column = int(np.flatnonzero(wrong)[0])
        owner = f"client {_shorten(names[column])} in {place}"
        raise NotBinary(owner, "be 0 or 1", _shorten(cells[column].strip()))
    return there


def next_round(cell: str, before: int | None, place: str) -> int:
    """The number of a round, which comes after the one before."""
    if not (cell.isascii() and cell.isdigit() and len(cell) <= _SHOWN):
        raise InvalidInput(f"round in {place}", "be a whole number", _shorten(cell))
    number = int(cell)
    if before is not None and number <= before:
        raise InvalidInput(f"round in {place}", f"come after round {before}", number)
    return number


def _shorten(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")


def recorded_text(available: Whole, names: Sequence[str] | None = None) -> str:
    """The CSV text of a table; clients are called client_0, client_1, ... unless named.

    >>> recorded_text([[1, 0], [1, 1]])
    'client_0,client_1\\n1,0\\n1,1\\n'
    """
    matrix = boolean_matrix(available, "available")
    recorded = Recorded(matrix, tuple(names or (f"client_{i}" for i in range(matrix.shape[-1]))))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(recorded.names)
    writer.writerows(recorded.available.astype(int).tolist())
    return out.getvalue()


def write_recorded(path: str | Path, available: Whole, names: Sequence[str] | None = None) -> None:
    """Write a table so that `read_recorded` gives it back."""
    replace_text(Path(path), recorded_text(available, names))


def _build(settings: Settings) -> Recorded:
    path = ",".join(
        arguments(settings, "recorded:FILE.csv", least=1, most=None)
    )  # a comma may be part of a file's name
    recorded = read_recorded(path)
    clients = whole(settings.get("num_clients", recorded.num_clients), "number of clients")
    if clients != recorded.num_clients:
        raise InvalidInput(
            "recorded availability", f"have {clients} clients", f"{recorded.num_clients} columns"
        )
    return recorded


MEMBERS = (
    Member(
        "recorded",
        "availability read from a CSV file, one 0/1 column per client",
        _build,
        "recorded:FILE.csv",
    ),
)
