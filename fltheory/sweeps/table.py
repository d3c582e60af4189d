"""Cells and their results as one table, and as CSV or Parquet files."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from fltheory.core.durable import replace_bytes, replace_text
from fltheory.core.errors import InvalidInput
from fltheory.core.extras import MissingExtra
from fltheory.core.plain import csv_cell
from fltheory.core.types import JsonValue
from fltheory.sweeps.results import Stored

TableRow = dict[str, JsonValue]


def flat_row(stored: Stored) -> TableRow:
    """Options and result of a cell in one row.

    Nested results get names with dots, and lists become JSON text, except that the only entry of a
    list replaces it.
    """
    row: TableRow = dict(stored.cell.options)

    def add(name: str, value: JsonValue) -> None:
        if isinstance(value, dict):
            for inner, item in value.items():
                add(f"{name}.{inner}" if name else inner, item)
        else:
            row[f"result.{name}" if name in row else name or "result"] = (
                json.dumps(value) if isinstance(value, list) else value
            )

    result = (
        stored.result[0]
        if isinstance(stored.result, list) and len(stored.result) == 1
        else stored.result
    )
    add("", result if stored.error is None else {"error": stored.error})
    return row


def columns(rows: Sequence[TableRow]) -> list[str]:
    """All names, in the order of first occurrence."""
    return list(dict.fromkeys(name for row in rows for name in row))


def write_rows(path: Path, rows: Sequence[TableRow]) -> None:
    """Write a table as CSV or Parquet to a temporary file and move it into place."""
    names = columns(rows)
    if path.suffix == ".csv":
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow([csv_cell(name) for name in names])
        writer.writerows([csv_cell(row.get(name, "")) for name in names] for row in rows)
        replace_text(path, text.getvalue())
    elif path.suffix == ".parquet":
        data = io.BytesIO()
        _write_parquet(data, names, rows)
        replace_bytes(path, data.getvalue())
    else:
        raise InvalidInput("output file", "end with .csv or .parquet", repr(path.name))


def _write_parquet(path: io.BytesIO, names: Sequence[str], rows: Sequence[TableRow]) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("parquet", "a .parquet file") from None

    def column(name: str) -> list[JsonValue]:
        found = [row.get(name) for row in rows]
        kinds = {type(value) for value in found if value is not None}
        return (
            found if len(kinds) <= 1 else [None if value is None else str(value) for value in found]
        )

    parquet.write_table(pyarrow.table({name: column(name) for name in names}), path)
