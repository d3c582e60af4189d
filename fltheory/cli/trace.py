"""`fltheory trace`: statistics of a recorded pattern, and patterns made from a model."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson, numbers, per_client
from fltheory.core.errors import InvalidInput
from fltheory.traces.deliveries import check_size


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        help="Who was available when: statistics, and patterns made from a model.",
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
        """What the theorems ask of a recorded pattern, exactly."""
        from fltheory.core.exact import exact
        from fltheory.traces.availability.recorded import read_recorded
        from fltheory.traces.trace import Trace
        from fltheory.traces.trace_statistics import mean_weights

        recorded = read_recorded(file)
        trace = Trace.fresh(recorded.available)
        data = trace_statistics(trace, recorded.names, exact(gap_slope, "--gap-slope"))
        if weights is not None:
            given = per_client(numbers(weights, "--weights"), trace.num_clients, "--weights")
            data["mean_weights"] = dict(
                zip(recorded.names, mean_weights(trace, given), strict=True)
            )
        return Answer(data)

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
        """Write the pattern of an availability model as CSV, one 0/1 column per client."""
        from fltheory.cli.delivery_options import named_availability
        from fltheory.traces.availability.recorded import recorded_text

        made = named_availability(model, {"num_clients": clients})
        if clients is not None and made.num_clients != clients:
            raise InvalidInput(
                "--clients", f"agree with the model's {made.num_clients} clients", clients
            )
        check_size(rounds, made.num_clients)
        matrix = made.matrix(rounds, seed=seed)
        if output is None:
            return Answer({"available": matrix.astype(int)}, text=recorded_text(matrix))
        output.write_text(recorded_text(matrix), encoding="utf-8")
        return Answer({"file": str(output), "num_rounds": rounds, "num_clients": made.num_clients})


def trace_statistics(trace: Any, names: tuple[str, ...], gap_slope: Any) -> dict[str, Any]:
    """Every statistic of a trace by its name; staleness is None where somebody is missing in the
    first round."""
    from fltheory.traces import trace_statistics

    missing = [name for name, here in zip(names, trace.delivers[0], strict=True) if not here]

    def known(statistic: Callable[..., Any], *more: Any) -> Any:
        return None if missing else statistic(trace, *more)

    def by_name(values: Any) -> Any:
        return None if values is None else dict(zip(names, values, strict=True))

    repeating = trace_statistics.repeats(trace)
    return {
        "num_rounds": trace.num_rounds,
        "num_clients": trace.num_clients,
        "empty_rounds": int((~trace.delivers.any(axis=1)).sum()),
        "missing_in_first_round": missing,
        "participation": by_name(trace_statistics.participation(trace)),
        "availability_window": trace_statistics.availability_window(trace.delivers),
        "max_staleness": known(trace_statistics.max_staleness),
        "mean_staleness": known(trace_statistics.mean_staleness),
        "client_max_staleness": by_name(known(trace_statistics.client_max_staleness)),
        "mean_client_max_staleness": known(trace_statistics.mean_client_max_staleness),
        "gap_slope": gap_slope,
        "initial_gap": known(trace_statistics.initial_gap, gap_slope),
        "squared_usages": int((trace_statistics.usages(trace) ** 2).sum()),
        "max_delay": trace_statistics.max_delay(trace),
        "max_model_reuses": int(trace_statistics.model_reuses(trace).max()),
        "balance_period": trace_statistics.balance_period(trace),
        "warm_up": None if repeating is None else repeating[0],
        "period": None if repeating is None else repeating[1],
    }
