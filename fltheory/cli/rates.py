"""`fltheory rates`: measured exponents beside the claimed ones."""

from enum import Enum
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.extras import slow_without_numba
from fltheory.cli.options import AsJson, Papers, add_papers, counts


class Engine(Enum):
    """How the quantity is found."""

    MOMENTS = "moments"
    SAMPLES = "samples"


def register(app: typer.Typer) -> None:
    """Add rates."""

    @command(app, "rates")
    def rates(
        algorithm: Annotated[
            str | None,
            typer.Option(
                help="An algorithm, or the claim whose step sizes it takes; all by default."
            ),
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
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Measure the slope of a paper's quantity in one variable, with a bias check of the fit.

        Sizes are doubled until the local slopes settle, or a budget ends: "not yet asymptotic".
        With --grid, --rounds, --clients or samples, one grid at one size is measured instead.

        Example: fltheory rates --algorithm mifa --versus T
        """
        from fltheory.papers.measured_rates import rates as run

        add_papers(papers)
        slow_without_numba()
        found = run(
            algorithm,
            versus,
            grid=None if grid is None else counts(grid, "--grid"),
            rounds=rounds,
            clients=clients,
            runs=runs if engine is Engine.SAMPLES else None,
        )
        return Answer(found.entries, found.tables())
