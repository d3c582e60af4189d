"""Downloads: into a file beside the wanted one, checked, and only then given its name."""

import os
from collections.abc import Callable, Sequence
from http.client import HTTPException
from pathlib import Path
from time import monotonic
from urllib.request import urlopen

from fltheory.core.errors import InvalidInput

Tell = Callable[[str, int, int], None]
"""Told (name of the file, bytes so far, bytes in all or 0) while something is downloaded."""

BLOCK, SECONDS = 1 << 16, 30
"""Bytes that are asked for at once, and how long a home may keep silent."""

MOST_BYTES, MOST_SECONDS = 1 << 28, 3600
"""No file of a data set is larger, and a home that takes longer is given up."""


def download(
    homes: Sequence[str], target: Path, check: Callable[[Path], object], *, tell: Tell | None = None
) -> Path:
    """The file from the first home that sends the right one; `check` raises on a wrong one, which
    is never kept."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{os.getpid()}-{target.name}")
    problems = []
    for home in homes:
        try:
            _fetch(home, partial, target.name, tell)
            check(partial)
            os.replace(partial, target)
            return target
        except (
            InvalidInput,
            OSError,
            HTTPException,
        ) as problem:  # URLError, a time-out and a lost connection are OSErrors
            problems.append(f"{home}: {problem}".replace(str(partial), target.name))
        finally:
            partial.unlink(missing_ok=True)
    raise InvalidInput(
        target.name,
        "be in --data-dir, in $FLTHEORY_DATA, or reachable at its home",
        "; ".join(problems),
    )


def _fetch(home: str, partial: Path, name: str, tell: Tell | None) -> None:
    """The home's answer, whole, within bounds of size and time."""
    began = monotonic()
    with urlopen(home, timeout=SECONDS) as answer, partial.open("wb") as file:
        length = answer.headers.get("Content-Length") or "0"
        whole, done = int(length) if length.isdecimal() else 0, 0
        while block := answer.read1(BLOCK):
            done += len(block)
            if max(done, whole) > MOST_BYTES:
                raise InvalidInput(name, f"have at most {MOST_BYTES} bytes", "more")
            if monotonic() - began > MOST_SECONDS:
                raise InvalidInput(
                    name, f"arrive within {MOST_SECONDS} seconds", f"{done} bytes in that time"
                )
            file.write(block)
            if tell is not None:
                tell(name, done, whole)
        if done < whole:
            raise InvalidInput(
                name, f"arrive whole, {whole} bytes", f"{done} bytes: it is truncated"
            )
