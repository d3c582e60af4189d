"""Bars on stderr, where there is a terminal to draw them on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

REMEMBERED_SECONDS = 3600.0
"""Time left is estimated from what was done since then: cells may take minutes."""

LONGEST = 110
"""Characters of a description beside a bar."""


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show how many are done: call the given function with their number and the total."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        speed_estimate_period=REMEMBERED_SECONDS,
    ) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@dataclass(frozen=True)
class Bar:
    """A bar with a description of what was done last."""

    drawn: "Progress"
    task: "TaskID"

    def begin(self, total: int) -> None:
        """Say how many there will be."""
        self.drawn.update(self.task, total=total)

    def advance(self, says: str) -> None:
        """One more is done."""
        self.drawn.update(self.task, advance=1, description=_escaped(says))

    def describe(self, says: str) -> None:
        """Tell how it goes."""
        self.drawn.update(self.task, description=_escaped(says))


@contextmanager
def watched(what: str) -> Iterator[Bar]:
    """A bar while work is done, where someone looks on."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        BarColumn(20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
        speed_estimate_period=REMEMBERED_SECONDS,
    ) as drawn:
        yield Bar(drawn, drawn.add_task(what, total=None))


def _escaped(says: str) -> str:
    from rich.markup import escape

    return escape(says[:LONGEST])
