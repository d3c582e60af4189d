"""`fltheory gap`: the expected loss above its minimum, exactly and without sampling."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from statistics import stdev
from typing import TYPE_CHECKING, Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.clock_options import ClockOptions
from fltheory.cli.extras import slow_without_numba
from fltheory.cli.options import AsJson, one_point
from fltheory.cli.run_options import RunOptions
from fltheory.cli.run_setup import average_weights, make_setup, step_sizes
from fltheory.core.errors import InvalidInput

if TYPE_CHECKING:
    from fltheory.core.types import Scalar

MOST_EXACT_ROUNDS = 2000


def register(app: typer.Typer) -> None:
    """Add gap."""

    @command(app, "gap", hides=("phases", "gradient_bound"))
    def gap(
        options: RunOptions,
        clock: ClockOptions,
        rounds: Annotated[int, typer.Option(min=1, help="Number of rounds.")],
        step_size: Annotated[
            str, typer.Option(help="Step size of the clients: 1/4, or 4/(t+100) with t = 1, 2, ...")
        ],
        noise: Annotated[
            str, typer.Option(help="Variance of the gradient noise of each client.")
        ] = "0",
        start: Annotated[
            str, typer.Option(help="First model: one number, or one per coordinate (0:1).")
        ] = "0",
        average: Annotated[
            str,
            typer.Option(
                help="Loss of the last model (last), of the plain average of all (uniform), or of "
                "the average that a method's theorem is about, such as mifa."
            ),
        ] = "last",
        rational: Annotated[
            bool, typer.Option("--rational", help="Exact fractions instead of floats (short runs).")
        ] = False,
        traces: Annotated[
            int,
            typer.Option(
                min=1, max=10_000, help="Average over so many seeds of a random availability."
            ),
        ] = 1,
        as_json: AsJson = False,
    ) -> Answer:
        """Compute E f(x) - f* of a method on noisy quadratics, with its bias and noise parts,
        without sampling.

        Example: fltheory gap --algorithm mifa --optima 0,1 --noise 1 --step-size "4/(t+100)"
        --rounds 1000 --average mifa
        """
        from fltheory.analysis.moments import Gap, expected_gap
        from fltheory.engine.arithmetic import FLOAT, RATIONAL

        if rational and rounds > MOST_EXACT_ROUNDS:
            raise InvalidInput(
                "--rounds", f"be at most {MOST_EXACT_ROUNDS} with --rational", rounds
            )
        slow_without_numba()
        size, numbers_in_size = step_sizes(step_size)
        gaps = []
        for seed in range(options.seed, options.seed + traces):
            made = make_setup(replace(options, seed=seed), clock)
            gaps.append(
                expected_gap(
                    made.algorithm,
                    replace(made.problem, noise_squared=noise),
                    made.deliveries.trace(rounds),
                    start=one_point(start, "--start"),
                    local_step_size=size,
                    server_step_size=made.server_step_size,
                    average=_weights(average, numbers_in_size),
                    arithmetic=RATIONAL if rational else FLOAT,
                )
            )
        found = Gap(sum(g.bias for g in gaps) / traces, sum(g.noise for g in gaps) / traces)
        spread = (
            {"standard_error": stdev(float(g.total) for g in gaps) / traces**0.5}
            if traces > 1
            else {}
        )
        return Answer(
            {
                "gap": found.total,
                **spread,
                "bias": found.bias,
                "noise": found.noise,
                "rounds": rounds,
                "traces": traces,
            }
        )


def _weights(
    average: str, numbers_in_size: tuple[Fraction, ...]
) -> "Callable[[int], Scalar] | None":
    if average == "last":
        return None
    shift = numbers_in_size[1] if len(numbers_in_size) == 2 else None
    return average_weights(average, shift, "--average")
