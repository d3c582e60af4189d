"""Logs in Parquet files (extra `parquet`), read in batches within bounded memory: a few bytes can
unpack to gigabytes."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fltheory.core.errors import InvalidInput
from fltheory.core.extras import MissingExtra
from fltheory.fleet.columns import SYNONYMS, plain_name

if TYPE_CHECKING:
    import pyarrow

CELLS_AT_ONCE = 1 << 18
"""Cells of a batch, however wide the file is."""
MEMORY, MEMORY_OF_COLUMN = 1 << 28, 1 << 14
"""Bytes for unpacking one batch, and for each column of the file."""
SHOWN = 60
PAGE = resource.getpagesize()


def parquet_rows(path: Path) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, and the cells of each row as text; missing values are empty."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("parquet", f"file {path.name}") from None
    source = f"file {path.name}"

    @contextmanager
    def bounded(most: int) -> Iterator[None]:
        """Use the system's memory pool: pyarrow's own pool reserves a gigabyte in advance, outside
        the limit."""
        before = pyarrow.default_memory_pool()
        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
        try:
            with memory_of(most):
                yield
        finally:
            pyarrow.set_memory_pool(before)

    with _telling(source), bounded(2 * MEMORY + 8 * path.stat().st_size):
        file = parquet.ParquetFile(path, pre_buffer=False)
        nested = [field.name for field in file.schema_arrow if pyarrow.types.is_nested(field.type)]
        names = [name for name in file.schema_arrow.names if name not in nested]
    lists = next((name for name in nested if plain_name(name) in SYNONYMS["client"]), None)
    if lists is not None:
        rule = "have one client in each row (pandas: frame.explode(...))"
        raise InvalidInput(f"column {lists[:SHOWN]} of {path.name}", rule, "lists or tables")

    def plain(column: "pyarrow.Array") -> "pyarrow.Array":
        """The column without its dictionary, with times in microseconds (pandas writes
        nanoseconds)."""
        if pyarrow.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        return (
            column.cast(pyarrow.timestamp("us", column.type.tz), safe=False)
            if pyarrow.types.is_timestamp(column.type)
            else column
        )

    def rows() -> Iterator[list[str]]:
        most = MEMORY + MEMORY_OF_COLUMN * len(names)
        chosen = {"columns": names} if nested else {}
        batches = file.iter_batches(
            batch_size=max(CELLS_AT_ONCE // len(names), 1), use_threads=False, **chosen
        )
        while True:
            with _telling(source), bounded(most):
                batch = next(batches, None)
                columns = [plain(column) for column in batch.columns] if batch is not None else []
            if not columns:
                return
            with _telling(source):  # outside the limit, within which pyarrow would abort
                cells = [_texts(column.to_pylist()) for column in columns]
            yield from map(list, zip(*cells, strict=True))

    return names, rows()


def _texts(values: list[object]) -> list[str]:
    """A column's values, which are of one type or None, as text."""
    kinds = set(map(type, values))
    if kinds == {str}:
        return values  # type: ignore[return-value]
    if type(None) not in kinds and datetime not in kinds:
        return list(map(str, values))
    return [_cell_text(x) for x in values]


def _cell_text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return "" if value is None else str(value)


@contextmanager
def _telling(source: str) -> Iterator[None]:
    """Turn errors of pyarrow and a lack of memory into InvalidInput."""
    try:
        yield
    except MemoryError:
        raise InvalidInput(
            source, f"be a Parquet file that unpacks within about {MEMORY >> 20} MB", "a larger one"
        ) from None
    except Exception as problem:  # pyarrow and datetime share no base class
        raise InvalidInput(
            source, "be a Parquet file that can be read", str(problem)[:SHOWN]
        ) from None


@contextmanager
def memory_of(most: int) -> Iterator[None]:
    """Limit the process to `most` more bytes for a while; beyond them it gets a MemoryError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    used = int(Path("/proc/self/statm").read_text().split()[5]) * PAGE
    limits = [x for x in (used + most, soft, hard) if x != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
