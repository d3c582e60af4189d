"""`fltheory trace`: statistics of a recorded pattern, and patterns made from a model."""

from pathlib import Path
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson, numbers, per_client
from fltheory.core.errors import InvalidInput
from fltheory.traces.deliveries import check_size


def register(app: typer.Typer) -> None:
    """Add trace stats and trace make."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Compute statistics of a recorded pattern, or make a pattern from a model.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.add_typer(group, name="trace")

    @command(group, "stats")
    def stats(
        file: Annotated[
            Path,
            typer.Argument(
                help="CSV: a header of client names, one row per round, one 0/1 column per client."
            ),
        ],
        weights: Annotated[
            str | None,
            typer.Option(help="Weight of each client's arrivals, for their mean weights."),
        ] = None,
        gap_slope: Annotated[
            str, typer.Option(help="Slope 1/b in: staleness <= t0 + t/b (MIFA Assumption 4).")
        ] = "1/40",
        as_json: AsJson = False,
    ) -> Answer:
        """Compute what the theorems ask of a recorded pattern, exactly.

        Example: fltheory trace stats rounds.csv
        """
        from fltheory.core.exact import exact
        from fltheory.traces.availability.recorded import read_recorded
        from fltheory.traces.trace import Trace
        from fltheory.traces.trace_summary import summarize_trace

        recorded = read_recorded(file)
        trace = Trace.fresh(recorded.available)
        given = None if weights is None else numbers(weights, "--weights")
        found = summarize_trace(
            trace,
            names=recorded.names,
            gap_slope=exact(gap_slope, "--gap-slope"),
            weights=None if given is None else per_client(given, trace.num_clients, "--weights"),
        )
        return Answer(found.values())

    @command(group, "make")
    def make(
        model: Annotated[
            str,
            typer.Argument(
                help="An availability model such as alternating:1,3; `fltheory list` names them."
            ),
        ],
        rounds: Annotated[int, typer.Option(min=1, help="Number of rounds.")],
        clients: Annotated[
            int | None,
            typer.Option(min=1, help="Number of clients, where the model leaves it open."),
        ] = None,
        seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
        output: Annotated[
            Path | None,
            typer.Option("--output", "-o", help="CSV file to write; stdout by default."),
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Write the pattern of an availability model as CSV, one 0/1 column per client.

        Example: fltheory trace make alternating:1,3 --rounds 8 -o rounds.csv
        """
        from fltheory.cli.delivery_options import named_availability
        from fltheory.cli.run_setup import naming_options
        from fltheory.traces.availability.recorded import recorded_text, write_recorded

        with naming_options(f"the model {model}", num_clients="--clients"):
            made = named_availability(model, {"num_clients": clients})
        if clients is not None and made.num_clients != clients:
            raise InvalidInput(
                "--clients", f"agree with the model's {made.num_clients} clients", clients
            )
        check_size(rounds, made.num_clients)
        matrix = made.matrix(rounds, seed=seed)
        if output is None:
            return Answer({"available": matrix.astype(int)}, text=recorded_text(matrix))
        write_recorded(output, matrix)
        return Answer({"file": str(output), "num_rounds": rounds, "num_clients": made.num_clients})
