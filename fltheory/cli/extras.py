"""What a command says about optional packages before it starts."""

import sys

import typer

from fltheory.core.extras import available, hint


def slow_without_numba() -> None:
    """Say on stderr that loops are not compiled, where someone looks on."""
    if not available("fast") and sys.stderr.isatty():
        typer.echo(f"note: numba is not installed, so this is slower: {hint('fast')}", err=True)
