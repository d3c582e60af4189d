"""Read a sweep from a TOML file: one command of fltheory over the product of lists of options.

    command = "gap"
    [fixed]
    algorithm = "mifa"
    optima = "0,1"
    step-size = "1/10"
    [grid]
    rounds = [10, 20, 40]
    availability = ["always", "round-robin"]

A cell is the command with one choice of options. Its key is a hash of its content, so the same cell
is never computed twice.
"""

import hashlib
import itertools
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
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


@dataclass(frozen=True)
class Cell:
    """One command with its options, sorted by name."""

    command: str
    options: tuple[tuple[str, Value], ...]

    @cached_property
    def key(self) -> str:
        """A hash of the content and of the version of fltheory."""
        content = json.dumps([__version__, self.command, self.options], ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()

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
        if len(self) > MAX_CELLS:
            raise InvalidInput("grid", f"have at most {MAX_CELLS} cells", len(self))

    def __len__(self) -> int:
        return math.prod(len(values) for values in self.grid.values())

    def cells(self) -> Iterator[Cell]:
        """All cells, each once; the last option of the grid varies fastest."""
        seen = set()
        for chosen in itertools.product(*self.grid.values()):
            options = {**self.fixed, **dict(zip(self.grid, chosen, strict=True))}
            cell = Cell(self.command, tuple(sorted(options.items())))
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
