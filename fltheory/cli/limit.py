"""`fltheory limit`: where a method ends up on a periodic pattern, exactly."""

from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.clock_options import ClockOptions
from fltheory.cli.options import AsJson
from fltheory.cli.run_options import RunOptions
from fltheory.cli.run_setup import make_setup
from fltheory.core.errors import InvalidInput

NOT_PERIODIC = ("phases", "gradient_bound", "max_delay", "exponential", "seed")
"""Options of runs that are random or whose gradients are not affine: they have no limit cycle."""


def register(app: typer.Typer) -> None:
    """Add limit."""

    @command(app, "limit", hides=NOT_PERIODIC)
    def limit(
        options: RunOptions,
        clock: ClockOptions,
        step_size: Annotated[
            str | None, typer.Option(help="Step size of the clients, such as 1/4.")
        ] = None,
        symbolic: Annotated[
            bool,
            typer.Option("--symbolic", help="Leave the step size a symbol and answer in formulas."),
        ] = False,
        start: Annotated[
            str | None, typer.Option(help="First model of an unstable run whose orbit is wanted.")
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Compute the exact limit cycle, spectral radius and stability of a method with affine
        gradients and periodic deliveries.

        Example: fltheory limit --algorithm fedavg --availability alternating:1,3 --optima 0,1
        --curvatures 2,2 --step-size 1/4
        """
        from fltheory.analysis.limits import limit_cycle
        from fltheory.cli.effort import (
            check_exact_run,
            check_symbolic_run,
            check_unknowns,
            sequential_steps,
        )
        from fltheory.core.exact import exact
        from fltheory.core.results import as_point, as_points
        from fltheory.core.vocabulary import symbol
        from fltheory.engine.arithmetic import named_arithmetic
        from fltheory.traces.trace_statistics import repeats

        if (step_size is None) != symbolic:
            raise InvalidInput(
                "--step-size",
                "be given, or else --symbolic",
                "neither" if step_size is None else "both",
            )
        made = make_setup(options, clock)
        if step_size is not None and "t" in step_size:
            rule = "be one number such as 1/4: a limit cycle needs a constant step size"
            raise InvalidInput("--step-size", rule, repr(step_size[:60]))
        size = symbol("local_step_size") if step_size is None else exact(step_size, "--step-size")
        check_unknowns(made.problem.num_clients, made.problem.dimension, symbolic=symbolic)
        trace = made.deliveries.periodic()
        _, period = repeats(trace) or (0, trace.num_rounds)
        steps = sequential_steps(trace.first(period))
        if symbolic:
            check_symbolic_run(steps)
        else:
            check_exact_run(steps, size, made.weights)
        found = limit_cycle(
            made.algorithm,
            made.problem,
            trace,
            local_step_size=size,
            server_step_size=made.server_step_size,
            start=None if start is None else exact(start, "--start"),
            arithmetic=named_arithmetic("symbolic" if symbolic else "rational"),
        )
        data: dict[str, object] = {}
        for name, value in found.values().items():
            data[name] = value
            if name == "mean":
                data["optimum"] = as_point(made.problem.constants.optimum)
        if made.weights is not None:
            data["weights"] = made.weights
        if start is not None:
            data["orbit"] = as_points(found.orbit)
        return Answer(data)
