"""A bar on stderr with the time left, where there is a terminal to draw it on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

REMEMBERED_SECONDS = 3600.0
"""Time left is reckoned from what was done since then: cells may take minutes."""


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """Show how many of `total` are done: call the given function with their number."""
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
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
