"""The command line: one file per command; a file in this folder that defines `register` adds
itself."""

import importlib
import pkgutil
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


def make_app() -> typer.Typer:
    """The application with every command of this folder."""
    app = typer.Typer(
        cls=InGroups,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda found: found.name):
        register = getattr(importlib.import_module(f"{__name__}.{module.name}"), "register", None)
        if register is not None:
            register(app)
    for group in app.registered_groups:
        group.rich_help_panel = group_of(str(group.name))
    return app


def main() -> None:
    """The `fltheory` command."""
    make_app()()
