"""Logs in Parquet files (extra `parquet`), read in batches and within bounded memory: a few bytes
may stand for gigabytes."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from fltheory.core.errors import InvalidInput

CELLS_AT_ONCE = 1 << 18
"""Of a file that may be as wide as it is long."""
MEMORY, MEMORY_OF_COLUMN = 1 << 28, 1 << 14
"""Bytes for unpacking one batch, and for each column of the file."""
SHOWN = 60
PAGE = resource.getpagesize()


def parquet_rows(path: Path) -> tuple[list[str], Iterator[list[str]]]:
    """Names of the columns, and the cells of each row as text; what is missing is empty."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InvalidInput(
            f"file {path.name}",
            "be CSV without pyarrow (pip install 'fltheory[parquet]')",
            ".parquet",
        ) from None
    source = f"file {path.name}"

    @contextmanager
    def bounded(most: int) -> Iterator[None]:
        """Memory from the system, as it is needed: pyarrow's own pool takes a gigabyte beforehand,
        which no limit sees."""
        before = pyarrow.default_memory_pool()
        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
        try:
            with memory_of(most):
                yield
        finally:
            pyarrow.set_memory_pool(before)

    with _telling(source), bounded(2 * MEMORY + 8 * path.stat().st_size):
        file = parquet.ParquetFile(path, pre_buffer=False)
        names = list(file.schema_arrow.names)

    def plain(column: Any) -> Any:
        """The column without its dictionary, and with times that Python can hold: pandas writes
        nanoseconds."""
        if pyarrow.types.is_nested(column.type):
            raise ValueError("a column of lists or tables")
        if pyarrow.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        return (
            column.cast(pyarrow.timestamp("us", column.type.tz), safe=False)
            if pyarrow.types.is_timestamp(column.type)
            else column
        )

    def rows() -> Iterator[list[str]]:
        most = MEMORY + MEMORY_OF_COLUMN * len(names)
        batches = file.iter_batches(
            batch_size=max(CELLS_AT_ONCE // len(names), 1), use_threads=False
        )
        while True:
            with _telling(source), bounded(most):
                batch = next(batches, None)
                columns = [plain(column) for column in batch.columns] if batch is not None else []
            if not columns:
                return
            with _telling(source):  # outside of the limit, where pyarrow ends the process
                cells = [column.to_pylist() for column in columns]
            yield from ([_cell_text(x) for x in row] for row in zip(*cells, strict=True))

    return names, rows()


def _cell_text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return "" if value is None else str(value)


@contextmanager
def _telling(source: str) -> Iterator[None]:
    """What pyarrow says of a file, and that there is no room for it, is told by name."""
    try:
        yield
    except MemoryError:
        raise InvalidInput(
            source, f"be a Parquet file that is unpacked in about {MEMORY >> 20} MB", "a larger one"
        ) from None
    except Exception as problem:  # those of pyarrow, and of Python's times, have no name in common
        raise InvalidInput(
            source, "be a Parquet file that can be read", str(problem)[:SHOWN]
        ) from None


@contextmanager
def memory_of(most: int) -> Iterator[None]:
    """For a while this process gets at most so many bytes more; what does not fit is a
    MemoryError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    used = int(Path("/proc/self/statm").read_text().split()[5]) * PAGE
    limits = [x for x in (used + most, soft, hard) if x != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
