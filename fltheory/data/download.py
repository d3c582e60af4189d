"""Downloads: into a file beside the wanted one, checked, and only then given its name."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from fltheory.errors import InvalidInput

Tell = Callable[[str, int, int], None]
"""Told (name of the file, bytes so far, bytes in all or 0) while something is downloaded."""

BLOCK, SECONDS = 1 << 16, 30
MOST_BYTES = 1 << 28
"""No file of a data set is larger."""


def download(homes: Sequence[str], target: Path, check: Callable[[Path], object], *, tell: Tell | None = None) -> Path:
    """The file from the first home that answers; `check` raises on a wrong one, which is then not kept."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{os.getpid()}-{target.name}")
    problems = []
    for home in homes:
        try:
            _fetch(home, partial, target.name, tell)
        except (URLError, TimeoutError, ConnectionError) as problem:
            problems.append(f"{home}: {problem}")
            continue
        try:
            check(partial)
            os.replace(partial, target)
        finally:
            partial.unlink(missing_ok=True)
        return target
    partial.unlink(missing_ok=True)
    raise InvalidInput(target.name, "be in --data-dir, in $FLTHEORY_DATA, or reachable at its home", "; ".join(problems))


def _fetch(home: str, partial: Path, name: str, tell: Tell | None) -> None:
    with urlopen(home, timeout=SECONDS) as answer, partial.open("wb") as file:
        whole, done = int(answer.headers.get("Content-Length") or 0), 0
        while block := answer.read(BLOCK):
            done += len(block)
            if done > MOST_BYTES:
                raise InvalidInput(home, f"send at most {MOST_BYTES} bytes", "more")
            file.write(block)
            if tell is not None:
                tell(name, done, whole)
