"""Files that are nearly right: edits of real ones, each chosen by bytes, so that a fuzzer that
changes bytes changes structure.

An edited file is still JSON, TOML, CSV, gzip, SQLite, Parquet or PNG, and so gets past the first
check of its reader.
"""

import csv
import gzip
import io
import json
import sqlite3
import struct
import tarfile
import zlib
from typing import Any

from tests.campaigns.edit_choices import (
    CHUNKS,
    VALUES,
    Choices,
    _repeated,
    edit_text,
    edit_tree,
)


def edit_json(seed: bytes, chosen: Choices) -> bytes:
    return json.dumps(_repeated(json.loads(seed), chosen, edit_tree)).encode()


def edit_lines_of_json(seed: bytes, chosen: Choices) -> bytes:
    """A file of JSON lines: lines edited, left out, doubled."""
    lines = _repeated([json.loads(line) for line in seed.splitlines()], chosen, edit_tree)
    return b"".join(
        json.dumps(line).encode() + b"\n"
        for line in (lines if isinstance(lines, list) else [lines])
    )


def edit_csv(seed: bytes, chosen: Choices) -> bytes:
    """A table: cells and rows edited."""

    def edit(rows: list[list[str]], chosen: Choices) -> list[list[str]]:
        if not rows:
            return [[str(chosen.of(VALUES))]]
        k, what = chosen.below(len(rows)), chosen.below(7)
        row = rows[k]
        if what <= 2 and row:
            j = chosen.below(len(row))
            row[j] = edit_text(row[j], chosen) if what else str(chosen.of(VALUES))
        elif what == 3:
            del rows[k]
        elif what == 4:
            rows[k:k] = [list(row) for _ in range(1 + chosen.below(3))]
        elif what == 5 and row:
            del row[chosen.below(len(row))]
        else:
            row.insert(chosen.below(len(row) + 1), chosen.of(("0", "1", "", "x", "1.5", "-1")))
        return rows

    rows = list(csv.reader(io.StringIO(seed.decode(), newline="")))
    out = io.StringIO()
    csv.writer(out, lineterminator=chosen.of(("\n", "\r\n"))).writerows(
        _repeated(rows, chosen, edit)
    )
    return out.getvalue().encode("utf-8", "replace")


def edit_toml(seed: bytes, chosen: Choices) -> bytes:
    """Lines of a TOML file: values, keys and lines edited."""

    def edit(lines: list[str], chosen: Choices) -> list[str]:
        k, what = chosen.below(len(lines)), chosen.below(7)
        key, sign, value = lines[k].partition("=")
        if what <= 1 and sign:
            fresh = [v for v in VALUES if v is not None and v == v and not isinstance(v, dict)]
            lines[k] = f"{key}= {json.dumps(chosen.of(fresh)).replace('Infinity', 'inf')}"
        elif what == 2 and sign:
            lines[k] = f"{key}= {edit_text(value.strip(), chosen)}"
        elif what == 3:
            lines[k] = edit_text(lines[k], chosen)
        elif what == 4:
            del lines[k]
        elif what == 5:
            lines[k:k] = [lines[k]]
        else:
            other = chosen.below(len(lines))
            lines[k], lines[other] = lines[other], lines[k]
        return lines or [""]

    return "\n".join(_repeated(seed.decode().splitlines(), chosen, edit)).encode("utf-8", "replace")


def edit_bytes(seed: bytes, chosen: Choices) -> bytes:
    """Bytes changed, left out, doubled."""

    def edit(data: bytes, chosen: Choices) -> bytes:
        k, what = chosen.below(max(len(data), 1)), chosen.below(4)
        if what == 0:
            return data[:k] + bytes([chosen.below(256)]) + data[k + 1 :]
        if what == 1:
            return data[:k] + data[k + 1 + chosen.below(64) :]
        if what == 2:
            return data[:k] + data[k : k + 16] * (2 + chosen.below(3)) + data[k + 16 :]
        return (
            data[:k]
            + chosen.of((b"\x00" * 4, b"\xff" * 4, b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00"))
            + data[k + 4 :]
        )

    return _repeated(seed, chosen, edit)


def edit_gzip(seed: bytes, chosen: Choices) -> bytes:
    """Content edited and packed again, or the packed bytes edited."""
    if chosen.below(3):
        return gzip.compress(edit_bytes(gzip.decompress(seed), chosen), 1, mtime=0)
    return edit_bytes(seed, chosen)


def edit_tar(seed: bytes, chosen: Choices) -> bytes:
    """The unpacked archive edited, with the checksum of its first header made right again, and
    packed."""
    data = bytearray(edit_bytes(gzip.decompress(seed), chosen).ljust(1024, b"\x00"))
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\x00 " % sum(data[:512])
    return gzip.compress(bytes(data), 1, mtime=0)


def edit_png(seed: bytes, chosen: Choices) -> bytes:
    """Chunks edited, with their checksums made right again."""
    chunks, place = [], 8
    while place + 8 <= len(seed):
        (size,) = struct.unpack(">I", seed[place : place + 4])
        chunks.append((seed[place + 4 : place + 8], seed[place + 8 : place + 8 + size]))
        place += 12 + size
    for _ in range(1 + chosen.below(3)):
        k, what = chosen.below(len(chunks)), chosen.below(4)
        kind, data = chunks[k]
        if what <= 1:
            chunks[k] = (
                kind,
                edit_bytes(data, Choices(bytes(chosen.below(256) for _ in range(8)))),
            )
        elif what == 2:
            chunks[k] = (chosen.of(CHUNKS), data)
        else:
            chunks.insert(k, chunks[chosen.below(len(chunks))])
    packed = (
        struct.pack(">I", len(d)) + kind + d + struct.pack(">I", zlib.crc32(kind + d))
        for kind, d in chunks
    )
    return seed[:8] + b"".join(packed)


def edit_sqlite(seed: bytes, chosen: Choices) -> bytes:
    """A seed is JSON: statements and rows; the data base that they make, now and then with bytes of
    its file edited."""
    content = _repeated(json.loads(seed), Choices(chosen.data[1:]), edit_tree)
    db = sqlite3.connect(":memory:")
    try:
        if isinstance(content, dict):
            db.executescript(str(content.get("schema")))
            for table, rows in content.items():
                for row in rows if isinstance(rows, list) and table != "schema" else []:
                    values = [
                        (
                            x
                            if isinstance(x, str | float | None)
                            or (type(x) is int and abs(x) < 2**63)
                            else json.dumps(x)
                        )
                        for x in row
                    ]
                    db.execute(
                        f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values
                    )
        db.commit()
    except (sqlite3.Error, TypeError, ValueError):
        pass  # the edit made a statement that SQLite refuses: the data base ends before it
    try:
        data = db.serialize()
    except sqlite3.Error:  # nothing has been written at all
        data = b""
    db.close()
    return edit_bytes(data, Choices(chosen.data[-16:])) if chosen.below(4) == 0 else data


def edit_parquet(seed: bytes, chosen: Choices) -> bytes:
    """A seed is JSON: columns by name; the Parquet file that they make, some with a kind that JSON
    does not have, now and then with bytes edited."""
    import pyarrow
    from pyarrow import parquet

    columns = _repeated(json.loads(seed), Choices(chosen.data[1:]), edit_tree)
    kinds = [
        pyarrow.timestamp(unit, zone)
        for unit in ("s", "us", "ns")
        for zone in (None, "UTC", "Europe/Berlin", "No/Where")
    ]
    kinds += [
        pyarrow.date32(),
        pyarrow.date64(),
        pyarrow.time64("ns"),
        pyarrow.duration("ns"),
        pyarrow.binary(),
        pyarrow.decimal128(30, 3),
        pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
    ]
    out, kind = io.BytesIO(), Choices(chosen.data[:1] + chosen.data[-8:])

    def column(cells: Any) -> Any:
        made = pyarrow.array(list(cells))
        if kind.below(3) != 1:
            return made
        whole = (
            made.cast(pyarrow.int64(), safe=False) if pyarrow.types.is_floating(made.type) else made
        )
        wanted = kinds[kind.below(len(kinds))]
        return (
            whole.cast(pyarrow.int32()).cast(wanted)
            if pyarrow.types.is_date32(wanted)
            else whole.cast(wanted)
        )

    try:
        parquet.write_table(
            pyarrow.table({str(name): column(cells) for name, cells in columns.items()}), out
        )
    except (pyarrow.ArrowException, TypeError, ValueError, AttributeError, OverflowError):
        parquet.write_table(pyarrow.table({"round": [1]}), out)
    return (
        edit_bytes(out.getvalue(), Choices(chosen.data[-16:]))
        if chosen.below(4) == 0
        else out.getvalue()
    )


def small_tar(name: str, content: bytes) -> bytes:
    """An archive with one file."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()
