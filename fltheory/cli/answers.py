"""What a command answers, and how it is shown: JSON with exact numbers as text, or short tables;
errors on stderr, exit code 2."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import wraps
from math import isfinite
from typing import Any

import typer

from fltheory.cli.options import flattened
from fltheory.core.errors import Diverged, InvalidInput, NotExact

REFUSED = 2
"""Exit code for input that breaks a rule, as for a wrong option."""


LONG_LIST = 12
LONG_BITS = 120
"""Beyond these, people see the beginning of a list and a number in decimals; --json has
everything."""


@dataclass(frozen=True)
class Table:
    """Rows of text under a title and a header."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Answer:
    """The data of a command, for --json; tables for people (one row per entry of the data if there
    are none), or plain text."""

    data: Any
    tables: Sequence[Table] = ()
    text: str | None = None
    exit_code: int = 0


def number(value: Any) -> str:
    """An exact number as text, such as 14/15.

    >>> number(Fraction(14, 15)), number(7)
    ('14/15', '7')
    """
    return str(value)


def plain(value: Any) -> Any:
    """Data that JSON can hold: exact numbers become text, counts and floats stay numbers."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return number(value)


def command(app: typer.Typer, name: str) -> Callable[[Callable[..., Answer]], Callable[..., None]]:
    """Register a function as a command: its options classes become options, its answer is shown,
    its errors are told."""

    def decorate(function: Callable[..., Answer]) -> Callable[..., None]:
        flat = flattened(function)

        @wraps(flat)
        def run(**given: Any) -> None:
            with telling_errors():
                answer = flat(**given)
                show(answer, as_json=given.get("as_json", False))
            if answer.exit_code:
                raise typer.Exit(answer.exit_code)

        app.command(name)(run)
        return run

    return decorate


@contextmanager
def telling_errors() -> Iterator[None]:
    """Bad input ends with one line on stderr and exit code 2, without a traceback."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        _refuse(f"{problem.filename or 'file'}: {problem.strerror or problem}")
    except (InvalidInput, NotExact, Diverged, ImportError) as problem:
        _refuse(str(problem))
    except ValueError as problem:
        if "integer string conversion" not in str(
            problem
        ):  # Python writes integers up to a length only
            raise
        _refuse(
            "an exact number has too many digits to be written: use shorter numbers, fewer rounds"
            " or floats"
        )
    except OverflowError:
        _refuse("a number is too large for floating point: use the rational arithmetic")
    except MemoryError:
        _refuse("this needs more memory than there is: ask for fewer rounds or clients")


def _refuse(message: str) -> None:
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(REFUSED)


def show(answer: Answer, *, as_json: bool) -> None:
    """Write an answer to stdout."""
    if as_json:
        typer.echo(json.dumps(plain(answer.data), allow_nan=False))
    elif answer.text is not None:
        typer.echo(answer.text, nl=not answer.text.endswith("\n"))
    else:
        _draw(
            answer.tables
            or (
                Table(
                    "",
                    (),
                    [(key.replace("_", " "), told(value)) for key, value in answer.data.items()],
                ),
            )
        )


def told(value: Any) -> str:
    """A value for people: short lists, and decimals in place of numbers that would fill lines.

    >>> told([Fraction(14, 15), True, None, 0.25]), told(Fraction(10**30, 3**60))
    ('14/15, yes, -, 0.25', '23.58982488')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return _listed([f"{key}: {told(item)}" for key, item in value.items()])
    if hasattr(value, "tolist"):
        return told(value.tolist())
    if isinstance(value, list | tuple):
        return _listed(
            [f"({told(item)})" if isinstance(item, list | tuple) else told(item) for item in value]
        )
    if (
        isinstance(value, Fraction)
        and value.numerator.bit_length() + value.denominator.bit_length() > LONG_BITS
    ):
        return f"{Decimal(value.numerator) / value.denominator:.10g}"
    return number(value)


def _listed(parts: list[str]) -> str:
    return ", ".join(
        parts
        if len(parts) <= LONG_LIST
        else [*parts[:LONG_LIST], f"... ({len(parts)} in all; --json has them)"]
    )


def _draw(tables: Sequence[Table]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(highlight=False)
    for table in tables:
        if table.title:
            console.print(Text(f" {table.title}", style="bold"))
        drawn = RichTable(box=box.SIMPLE, show_header=bool(table.header))
        for column in table.header or table.rows[0]:
            drawn.add_column(column if table.header else "", overflow="fold")
        for row in table.rows:
            drawn.add_row(*(Text(cell) for cell in row))
        console.print(drawn)
