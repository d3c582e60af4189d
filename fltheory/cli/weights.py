"""`fltheory weights`: aggregation weights that give every client its importance, and what they
cost."""

from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.clock_options import ClockOptions
from fltheory.cli.options import AsJson, numbers


def register(app: typer.Typer) -> None:
    """Add weights."""

    @command(app, "weights")
    def weights(
        clock: ClockOptions,
        importance: Annotated[
            str | None,
            typer.Option(help="Weight of each client in the global loss; equal by default."),
        ] = None,
        identical: Annotated[
            bool, typer.Option("--identical", help="Report on weight 1 for every client instead.")
        ] = False,
        as_json: AsJson = False,
    ) -> Answer:
        """Compute weights of arrivals by which a server that waits for some clients is fair to all
        in the long run.

        Example: fltheory weights --policy async --update-times 2,3,5
        """
        from fltheory.traces.clocks import Synchronous
        from fltheory.traces.weights import fair_weights, identical_weights, weight_report

        times, policy = clock.times(), clock.waiting()
        shares = None if importance is None else numbers(importance, "--importance")
        chosen = identical_weights(times.num_clients) if identical else None
        if not clock.exponential:
            return Answer(weight_report(times, policy, importance=shares, weights=chosen).to_dict())
        # without bound as soon as a client may be late
        staleness = 0 if isinstance(policy, Synchronous) else None
        return Answer(
            {
                "weights": chosen or fair_weights(times, policy, importance=shares),
                "balance_period": 1,
                "max_staleness": staleness,
            }
        )
