"""Cells and their results as one table, and as CSV or Parquet files."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fltheory.core.errors import InvalidInput
from fltheory.sweeps.store import Stored


def flat_row(stored: Stored) -> dict[str, Any]:
    """Options and result of a cell side by side; nested results become names with dots, lists
    become JSON text (the only entry of a list stands for it)."""
    row: dict[str, Any] = dict(stored.cell.options)

    def add(name: str, value: Any) -> None:
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


def columns(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Every name that occurs, in the order of first occurrence."""
    return list(dict.fromkeys(name for row in rows for name in row))


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """A table as CSV or Parquet, written beside and moved into place."""
    names = columns(rows)
    half = path.with_name(path.name + ".part")
    if path.suffix == ".csv":
        with half.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, names)
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".parquet":
        _write_parquet(half, names, rows)
    else:
        raise InvalidInput("output file", "end with .csv or .parquet", repr(path.name))
    half.replace(path)


def _write_parquet(path: Path, names: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InvalidInput(
            "output file", "be .csv without pyarrow (pip install 'fltheory[parquet]')", ".parquet"
        ) from None

    def column(name: str) -> list[Any]:
        found = [row.get(name) for row in rows]
        kinds = {type(value) for value in found if value is not None}
        return (
            found if len(kinds) <= 1 else [None if value is None else str(value) for value in found]
        )

    parquet.write_table(pyarrow.table({name: column(name) for name in names}), path)
