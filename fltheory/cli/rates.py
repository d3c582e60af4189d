"""`fltheory rates`: measured exponents beside the claimed ones."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from fltheory.cli.answers import REFUSED, Answer, command
from fltheory.cli.extras import slow_without_numba
from fltheory.cli.options import AsJson, Papers, add_papers, counts


class Engine(Enum):
    """How the quantity is found."""

    MOMENTS = "moments"
    SAMPLES = "samples"


class LossName(Enum):
    """Losses of sampled runs on a device."""

    QUADRATIC = "quadratic"
    LOGISTIC = "logistic"
    NETWORK = "network"


def register(app: typer.Typer) -> None:
    """Add rates."""

    @command(app, "rates")
    def rates(
        algorithm: Annotated[
            str | None,
            typer.Option(
                help="A method with a claimed rate, the claim itself, or a .toml file of your own"
                " claims; with --like or --device any method, also module:Name (default: all"
                " claimed rates)."
            ),
        ] = None,
        like: Annotated[
            str | None,
            typer.Option(help="Claim whose step sizes and availability the method runs with."),
        ] = None,
        versus: Annotated[
            str | None,
            typer.Option(
                help="Variable: N, K, T, staleness, m or M; all that the claim speaks of by"
                " default.",
                rich_help_panel="Sizes",
            ),
        ] = None,
        grid: Annotated[
            str | None,
            typer.Option(
                help="Values of the variable, such as 1000,2000,4000, instead of doubling.",
                rich_help_panel="Sizes",
            ),
        ] = None,
        rounds: Annotated[
            int | None,
            typer.Option(
                min=2,
                help="Rounds, where another variable takes the values of a grid (default 1000, or "
                "what the theorem asks for).",
                rich_help_panel="Sizes",
            ),
        ] = None,
        clients: Annotated[
            int | None,
            typer.Option(
                min=1,
                help="Clients, where another variable takes the values of a grid.",
                rich_help_panel="Sizes",
            ),
        ] = None,
        engine: Annotated[
            Engine,
            typer.Option(
                help="Exact moments, or samples with an interval.", rich_help_panel="Work"
            ),
        ] = Engine.MOMENTS,
        runs: Annotated[
            int,
            typer.Option(
                min=2, max=1_000_000, help="Runs per value, for samples.", rich_help_panel="Work"
            ),
        ] = 400,
        device: Annotated[
            str | None,
            typer.Option(
                help="Where samples are computed, all runs at once: cpu, cuda or cuda:1.",
                rich_help_panel="Work",
            ),
        ] = None,
        problem: Annotated[
            LossName | None,
            typer.Option(
                help="Losses of samples on a device (default quadratic).", rich_help_panel="Work"
            ),
        ] = None,
        dimension: Annotated[
            int | None,
            typer.Option(
                min=1,
                help="Coordinates, or features of each sample, on a device (default 1).",
                rich_help_panel="Work",
            ),
        ] = None,
        data: Annotated[
            Path | None,
            typer.Option(
                help="Samples for logistic and network: a CSV file (client, label, features), or a "
                "folder with MNIST's files (default synthetic).",
                rich_help_panel="Work",
            ),
        ] = None,
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Measure the slope of a paper's quantity in one variable, with a bias check of the fit.

        Sizes are doubled until the local slopes settle, or a budget ends: "not yet asymptotic".
        With --grid, --rounds, --clients or samples, one grid at one size is measured instead.
        Samples on a device take any method, variable and problem; "-" where nothing is claimed.

        Example: fltheory rates --algorithm mifa --versus T
        """
        from fltheory.analysis.device_samples import Where
        from fltheory.papers.measured_rates import rates as run

        where = None
        if not device is problem is dimension is data is None:
            losses = (problem or LossName.QUADRATIC).value
            where = Where(device or "cpu", losses, dimension, data)
        add_papers(papers)
        slow_without_numba()
        found = run(
            algorithm,
            versus,
            like=like,
            grid=None if grid is None else counts(grid, "--grid"),
            rounds=rounds,
            clients=clients,
            runs=runs if engine is Engine.SAMPLES else None,
            where=where,
        )
        for wrong in found.bad:
            typer.echo(f"error: {wrong}", err=True)
        return Answer(found.entries, found.tables(), exit_code=REFUSED if found.bad else 0)
