"""`fltheory weights`: aggregation weights that give every client its importance, and what they
cost."""

from dataclasses import asdict
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.clock_options import ClockOptions, weights_of
from fltheory.cli.options import AsJson, numbers


def register(app: typer.Typer) -> None:
    @command(app, "weights")
    def weights(
        clock: ClockOptions,
        importance: Annotated[
            str | None,
            typer.Option(help="Weight of each client in the global loss; equal ones by default."),
        ] = None,
        identical: Annotated[
            bool, typer.Option("--identical", help="Report on weight 1 for everybody instead.")
        ] = False,
        as_json: AsJson = False,
    ) -> Answer:
        """Weights of arrivals by which a server that waits for some clients is fair to all in the
        long run."""
        from fltheory.traces.clocks import Synchronous
        from fltheory.traces.weights import identical_weights, weight_report

        times, policy = clock.times(), clock.waiting()
        shares = None if importance is None else numbers(importance, "--importance")
        chosen = identical_weights(times.num_clients) if identical else None
        if not clock.exponential:
            return Answer(
                asdict(weight_report(times.times, policy, importance=shares, weights=chosen))
            )
        staleness = (
            0 if isinstance(policy, Synchronous) else None
        )  # without bound as soon as a client may be late
        return Answer(
            {
                "weights": chosen or weights_of(times, policy, shares),
                "balance_period": 1,
                "max_staleness": staleness,
            }
        )
