"""Running a demo from the command line."""

from typer.testing import CliRunner

from fltheory.cli import make_app

APP = make_app()


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(APP, ["demo", *words])
    return result.exit_code, result.stdout, result.stderr
