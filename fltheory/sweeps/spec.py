"""Read a sweep from a TOML file: one command of fltheory over the product of lists of options.

    command = "gap"
    [fixed]
    algorithm = "mifa"
    optima = "0,1"
    step-size = "1/10"
    [grid]
    rounds = [10, 20, 40]
    availability = ["always", "round-robin"]

A cell is the command with one choice of options. Its key is a hash of its content and of all that
decides its answer, so the same cell is never computed twice and a changed file is never taken for
the old one.
"""

import hashlib
import itertools
import json
import math
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import cast

from fltheory.core.errors import InvalidInput
from fltheory.core.untrusted_io import bounded_text, parse_toml
from fltheory.core.version import __version__

MAX_BYTES = 1 << 20
MAX_CELLS = 1_000_000
ARGUMENT = "argument"
"""The name of a command's positional argument."""

Value = str | int | float | bool


@cache
def versions() -> str:
    """The versions that decide what a command answers."""
    return f"{__version__} {platform.python_version()} numpy {version('numpy')}"


def named_contents(options: Iterable[tuple[str, Value]]) -> tuple[tuple[str, str], ...]:
    """The files and folders that options name, whole or after a colon or a comma, with digests of
    their contents."""
    found: dict[str, str] = {}
    for _, value in options:
        for text in _parts(value) if isinstance(value, str) else ():
            path = Path(text)
            try:
                if path.is_file():
                    found[text] = _digest(path, path.stat().st_mtime_ns, path.stat().st_size)
                elif path.is_dir():
                    below = sorted(p for p in path.rglob("*") if p.suffix in (".py", ".toml"))
                    told = [(str(p), _digest(p, p.stat().st_mtime_ns, 0)) for p in below[:1000]]
                    found[text] = hashlib.sha256(json.dumps(told).encode()).hexdigest()
            except (OSError, ValueError):  # a text that is no name of a file
                continue
    return tuple(sorted(found.items()))


@lru_cache(maxsize=4096)
def _parts(value: str) -> tuple[str, ...]:
    """The texts of an option's value that may name a file; a number names none."""
    pieces = {value, value.partition(":")[2], *re.split("[:,]", value)} - {"", ".", ".."}
    return tuple(sorted(p for p in pieces if not re.fullmatch(r"[-+0-9./]+", p)))


@lru_cache(maxsize=256)
def _digest(path: Path, changed: int, size: int) -> str:
    """The digest of a file as it was at that time."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True)
class Cell:
    """One command with its options, sorted by name."""

    command: str
    options: tuple[tuple[str, Value], ...]
    contents: tuple[tuple[str, str], ...] = ()
    """Digests of the files and folders that the options name."""

    @cached_property
    def key(self) -> str:
        """A hash of the options, of the contents of the files that they name, and of the versions
        of fltheory, Python and numpy."""
        decides = [versions(), self.command, self.options, self.contents]
        content = json.dumps(decides, ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def stored(self) -> str:
        """Options and contents as a store keeps them."""
        return json.dumps([*self.options, *((f"@{n}", digest) for n, digest in self.contents)])

    @classmethod
    def of(cls, command: str, stored: Iterable[tuple[str, Value]]) -> "Cell":
        """The cell from what a store keeps."""
        pairs = [(str(name), value) for name, value in stored]
        contents = tuple((n[1:], str(x)) for n, x in pairs if n.startswith("@"))
        return cls(command, tuple(pair for pair in pairs if pair[0][:1] != "@"), contents)

    def changed(self) -> list[str]:
        """Files whose contents are no longer those of the cell."""
        now = dict(named_contents(self.options))
        return sorted(name for name, digest in self.contents if now.get(name) != digest)

    @property
    def arguments(self) -> list[str]:
        """The command line, without the program's name.

        >>> Cell("gap", (("rounds", 10), ("rational", True))).arguments
        ['gap', '--rounds=10', '--rational', '--json']
        """
        words = [self.command]
        for name, value in self.options:
            if name == ARGUMENT:
                words.append(str(value))
            elif isinstance(value, bool):
                words += [f"--{name}"] if value else []
            else:
                words.append(f"--{name}={value}")
        return [*words, "--json"]


@dataclass(frozen=True)
class Sweep:
    """A command, its fixed options, and the lists whose product is the grid."""

    command: str
    fixed: Mapping[str, Value]
    grid: Mapping[str, tuple[Value, ...]]

    def __post_init__(self) -> None:
        twice = sorted(set(self.fixed) & set(self.grid))
        if twice:
            raise InvalidInput(f"option {twice[0]!r}", "be fixed or in the grid", "both")
        count = math.prod(len(values) for values in self.grid.values())
        if count > MAX_CELLS:  # more than a length may be, perhaps
            told = count if count < 10**18 else "more than 10^18"
            raise InvalidInput("grid", f"have at most {MAX_CELLS} cells", told)

    def __len__(self) -> int:
        return math.prod(len(values) for values in self.grid.values())

    def cells(self) -> Iterator[Cell]:
        """All cells, each once; the last option of the grid varies fastest."""
        seen = set()
        for chosen in itertools.product(*self.grid.values()):
            options = {**self.fixed, **dict(zip(self.grid, chosen, strict=True))}
            listed = tuple(sorted(options.items()))
            cell = Cell(self.command, listed, named_contents(listed))
            if cell.key not in seen:  # True == 1 == 1.0, but they differ as options
                seen.add(cell.key)
                yield cell


def read_spec(path: Path) -> Sweep:
    """Read the sweep that a TOML file describes."""
    return parse_spec(bounded_text(path, MAX_BYTES), path.name)


def parse_spec(text: str, source: str = "spec") -> Sweep:
    """Read TOML text.

    >>> spec = parse_spec('command = "gap"\\n[grid]\\nrounds = [1, 2]')
    >>> [cell.arguments[1] for cell in spec.cells()]
    ['--rounds=1', '--rounds=2']
    """
    data = parse_toml(text, f"file {source}")
    unknown = sorted(set(data) - {"command", "fixed", "grid"})
    if unknown:
        raise InvalidInput(
            f"file {source}", "have only command, [fixed] and [grid]", repr(unknown[0])[:60]
        )
    if not isinstance(data.get("command"), str):
        raise InvalidInput(f"command of {source}", "be text", repr(data.get("command"))[:60])
    fixed, grid = (
        _table(data.get(part, {}), f"[{part}] of {source}") for part in ("fixed", "grid")
    )
    lists: dict[str, tuple[Value, ...]] = {}
    for name, values in grid.items():
        if not isinstance(values, list) or not values:
            raise InvalidInput(
                f"{name!r} in [grid] of {source}",
                "be a list with at least one value",
                repr(values)[:60],
            )
        lists[name] = tuple(_value(value, name) for value in values)
    return Sweep(
        cast(str, data["command"]),
        {name: _value(value, name) for name, value in fixed.items()},
        lists,
    )


def _table(value: object, owner: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise InvalidInput(owner, "be a table", repr(value)[:60])
    for name in value:
        if not name.replace("-", "").isalnum():
            raise InvalidInput(
                f"option in {owner}", "be a name of letters, digits and dashes", repr(name)[:60]
            )
    return value


def _value(value: object, name: str) -> Value:
    if not isinstance(value, str | int | float | bool) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise InvalidInput(
            f"option {name!r}", "be text, a finite number, true or false", repr(value)[:60]
        )
    if name == ARGUMENT and str(value).startswith("-"):
        raise InvalidInput(
            f"option {name!r}", "not start with a dash, like an option", repr(value)[:60]
        )
    return value
