"""The command line: one file per command; a file in this folder that defines `register` adds
itself."""

import importlib
import pkgutil
import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from fltheory.cli.answers import telling_errors
from fltheory.cli.groups import InGroups, group_of
from fltheory.cli.options import Plugins
from fltheory.core.version import __version__


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"fltheory {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    plugins: Plugins = None,
) -> None:
    """Prove, certify, measure or break a convergence theorem of federated learning."""
    if plugins:
        from fltheory.core.plugins import add_plugins

        with telling_errors():
            for text in plugins:
                add_plugins(text)


def make_app(asked: str = "") -> typer.Typer:
    """The application with every command of this folder; with those of one file only, if the
    command that is `asked` for stands in the file of its name."""
    app = typer.Typer(
        cls=InGroups,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    names = sorted(found.name for found in pkgutil.iter_modules(__path__))
    own = asked.replace("-", "_")
    _register(app, [own] if own in names else [])
    known = {one.name for one in app.registered_commands}
    if asked not in known | {one.name for one in app.registered_groups}:
        _register(app, [name for name in names if name != own])
    for group in app.registered_groups:
        group.rich_help_panel = group_of(str(group.name))
    return app


def _register(app: typer.Typer, names: Iterable[str]) -> None:
    for name in names:
        register = getattr(importlib.import_module(f"{__name__}.{name}"), "register", None)
        if register is not None:
            register(app)


def main() -> None:
    """The `fltheory` command; to read the other commands would cost more than most answers."""
    make_app(sys.argv[1] if len(sys.argv) > 1 else "")()
