"""What a command answers, and how it is shown: JSON with exact numbers as text, or short tables;
errors on stderr, exit code 2."""

import errno
import json
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps

import typer

from fltheory.cli.groups import group_of
from fltheory.cli.options import flattened
from fltheory.core.errors import Diverged, InvalidInput, NotExact
from fltheory.core.plain import plain
from fltheory.core.results import Shown, Table, as_data, named_values

REFUSED = 2
"""Exit code for input that breaks a rule, as for a wrong option."""

LONGEST_WORD = 36
"""Ids and numbers up to this length are not broken over lines."""


@dataclass(frozen=True)
class Answer:
    """The data of a command, for --json; tables for people (one row per entry of the data if there
    are none), or plain text."""

    data: object
    tables: Sequence[Table] = ()
    text: str | None = None
    exit_code: int = 0

    @classmethod
    def of(cls, result: Shown, *, exit_code: int = 0) -> "Answer":
        """The answer of a command that shows the result of a public function."""
        return cls(result.to_dict(), result.tables(), exit_code=exit_code)


def command(
    app: typer.Typer, name: str, *, hides: Collection[str] = ()
) -> Callable[[Callable[..., Answer]], Callable[..., None]]:
    """Register a function as a command: its options classes become options, its answer is shown,
    its errors are told."""

    def decorate(function: Callable[..., Answer]) -> Callable[..., None]:
        flat = flattened(function, hides=hides)

        @wraps(flat)
        def run(**given: object) -> None:
            with telling_errors():
                answer = flat(**given)
                show(answer, as_json=bool(given.get("as_json", False)))
            if answer.exit_code:
                raise typer.Exit(answer.exit_code)

        app.command(name, help=_unwrapped(flat.__doc__), rich_help_panel=group_of(name))(run)
        return run

    return decorate


def _unwrapped(docstring: str | None) -> str:
    r"""The paragraphs of a docstring, each on one line, so that the terminal wraps them.

    >>> _unwrapped("One sentence on\n    two lines.\n\n    Example: fltheory list")
    'One sentence on two lines.\n\nExample: fltheory list'
    """
    paragraphs = (docstring or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


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
    except ValueError as problem:  # Python writes integers up to a length only
        if "integer string conversion" not in str(problem):
            raise
        _refuse(
            "an exact number has too many digits to be written: use shorter numbers, fewer rounds"
            " or floats"
        )
    except OverflowError:
        _refuse("a number is too large for floating point: use the rational arithmetic")
    except MemoryError:
        _refuse("this needs more memory than there is: ask for fewer rounds or clients")


def readable(text: str) -> str:
    """Text that does nothing to a terminal, in the characters that stdout can write."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return plain(text).encode(encoding, "backslashreplace").decode(encoding)


def _refuse(message: str) -> None:
    told = plain(message).encode(
        "ascii" if sys.stderr is None else sys.stderr.encoding or "utf-8", "backslashreplace"
    )
    typer.echo(f"error: {told.decode('utf-8', 'replace')}", err=True)
    raise typer.Exit(REFUSED)


def show(answer: Answer, *, as_json: bool) -> None:
    """Write an answer to stdout; a closed or full stdout is an error."""
    if sys.stdout is None or sys.stdout.closed:
        raise OSError(errno.EBADF, "is closed", "standard output")
    if as_json:
        typer.echo(json.dumps(as_data(answer.data), allow_nan=False))
    elif answer.text is not None:
        typer.echo(readable(answer.text), nl=not answer.text.endswith("\n"))
    elif answer.tables:
        _draw(answer.tables)
    elif isinstance(answer.data, dict):
        _draw([named_values("", answer.data)])
    sys.stdout.flush()


def _single_words(cells: Sequence[str]) -> bool:
    """Whether a column holds ids or numbers that are short enough to stay whole.

    >>> _single_words(["fraboni.ex2", "mifa.thm5.1"]), _single_words(["two words", "1"])
    (True, False)
    """
    return all(len(cell) <= LONGEST_WORD and len(cell.split()) <= 1 for cell in cells)


def _draw(tables: Sequence[Table]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(highlight=False)
    for table in tables:
        if table.title:
            console.print(Text(readable(f" {table.title}"), style="bold"))
        drawn = RichTable(box=box.SIMPLE, show_header=bool(table.header))
        names = table.header or ([""] * len(table.rows[0]) if table.rows else [])
        for place, name in enumerate(names):
            cells = [row[place] for row in table.rows]
            drawn.add_column(readable(name), overflow="fold", no_wrap=_single_words(cells))
        for row in table.rows:
            drawn.add_row(*(Text(readable(cell)) for cell in row))
        console.print(drawn)
