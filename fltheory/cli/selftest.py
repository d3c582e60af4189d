"""`fltheory selftest`: a device beside the CPU."""

from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson


def register(app: typer.Typer) -> None:
    """Add selftest."""

    @command(app, "selftest")
    def selftest(
        device: Annotated[str, typer.Option(help="cpu, cuda or cuda:1.")] = "cpu",
        runs: Annotated[int, typer.Option(min=64, max=1 << 20, help="Runs of one batch.")] = 256,
        compiled: Annotated[
            bool, typer.Option("--compiled/--no-compiled", help="Also compile the rounds.")
        ] = True,
        as_json: AsJson = False,
    ) -> Answer:
        """Compare a device with the CPU (bits, models, a rate) and measure its speed.

        Exit code 1 if a check fails. The project had no GPU: the table of yours is new to it.

        Example: fltheory selftest --device cuda
        """
        from fltheory.papers.self_test import self_test

        found = self_test(device, runs=runs, compiled=compiled)
        return Answer.of(found, exit_code=0 if found.passed else 1)
