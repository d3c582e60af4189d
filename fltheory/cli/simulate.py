"""`fltheory simulate`: the models of a run, in any arithmetic."""

import csv
import io
import json
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.clock_options import ClockOptions
from fltheory.cli.options import AsJson, Point, one_point
from fltheory.cli.plot import check_picture
from fltheory.cli.run_options import RunOptions
from fltheory.cli.run_setup import Setup, make_setup, step_sizes
from fltheory.core.durable import replace_text
from fltheory.core.errors import InvalidInput, Missing, NotExact
from fltheory.core.extras import require
from fltheory.core.results import as_data, as_point, as_points, told
from fltheory.core.words import counted

if TYPE_CHECKING:
    from fractions import Fraction

    from fltheory.core.types import Array, StepSize
    from fltheory.engine.noise import Noise
    from fltheory.engine.roles import Problem
    from fltheory.traces.trace import Trace


class ArithmeticName(Enum):
    """The number type of a coordinate."""

    RATIONAL = "rational"
    FLOAT = "float"
    SYMBOLIC = "symbolic"
    TENSOR = "tensor"
    COMPILED = "compiled"


EXTRAS = {ArithmeticName.TENSOR: "tensor", ArithmeticName.COMPILED: "fast"}
"""What a number type needs."""


def register(app: typer.Typer) -> None:
    """Add simulate."""

    @command(app, "simulate")
    def simulate(
        options: RunOptions,
        clock: ClockOptions,
        rounds: Annotated[int, typer.Option(min=1, help="Number of rounds.")],
        step_size: Annotated[
            str | None,
            typer.Option(
                help="Step size of the clients: 1/4, or 2/(t+100) with t = 1, 2, ...; "
                "a symbol by default, in symbolic arithmetic."
            ),
        ] = None,
        start: Annotated[
            str, typer.Option(help="First model: one number, or one per coordinate (0:1).")
        ] = "0",
        noise: Annotated[
            str | None,
            typer.Option(help="Gradient noise: gaussian:VARIANCE, or signs:SCALE (exact)."),
        ] = None,
        arithmetic: Annotated[
            ArithmeticName, typer.Option(help="Number type.")
        ] = ArithmeticName.RATIONAL,
        output: Annotated[
            Path | None,
            typer.Option(
                "--output", "-o", help="Save all models as CSV, or JSON if it ends in .json."
            ),
        ] = None,
        plot: Annotated[
            Path | None, typer.Option(help="Draw the models into this PNG, PDF or SVG file.")
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Run a method along a pattern of deliveries and give the model before each round.

        Example: fltheory simulate --algorithm mifa --availability alternating:1,3 --optima 0,1
        --step-size 1/4 --rounds 8
        """
        if arithmetic in EXTRAS:
            require(EXTRAS[arithmetic], f"--arithmetic {arithmetic.value}")
        if plot is not None:
            check_picture(plot, "--plot")
        made = make_setup(options, clock)
        models = run(made, rounds, step_size, start, noise, arithmetic, options.seed)
        data = trajectory_data(models, made)
        if plot is not None:
            _plot(plot, models, made, f"{options.algorithm}, {counted(rounds, 'round')}")
        if output is not None:
            as_json_file = output.suffix == ".json"
            replace_text(output, json.dumps(as_data(data)) if as_json_file else _as_csv(data))
        from fltheory.engine.trajectory import trajectory_tables

        title = f"model before each round; optimum {told(data['optimum'])}"
        return Answer(data, trajectory_tables(models, title=title))


def run(
    made: Setup,
    num_rounds: int,
    step_size: str | None,
    start: str,
    noise: str | None,
    arithmetic: ArithmeticName,
    seed: int,
) -> "Array":
    """The models of a run, one row of coordinates before each round and one at the end."""
    import numpy as np

    from fltheory.cli.effort import check_exact_run, check_symbolic_run, sequential_steps
    from fltheory.engine.arithmetic import named_arithmetic
    from fltheory.engine.simulate import simulate

    trace = made.deliveries.trace(num_rounds)
    size, factors = _step_size(step_size, arithmetic)
    if arithmetic is ArithmeticName.SYMBOLIC:
        check_symbolic_run(sequential_steps(trace))
    elif arithmetic is ArithmeticName.RATIONAL:
        check_exact_run(sequential_steps(trace), *factors, made.weights)
    first = one_point(start, "--start")
    if arithmetic is ArithmeticName.COMPILED:
        return _compiled(made, trace, first, size, noise, seed)
    with np.errstate(over="ignore", invalid="ignore"):  # a run that diverges says so by its numbers
        return simulate(
            made.algorithm,
            made.problem,
            trace,
            start=first,
            local_step_size=size,
            server_step_size=made.server_step_size,
            arithmetic=named_arithmetic(arithmetic.value),
            noise=_noise(noise, made.problem, arithmetic, seed),
        ).models


def _compiled(
    made: Setup, trace: "Trace", start: Point, size: "StepSize", noise: str | None, seed: int
) -> "Array":
    """The same run in compiled code: common methods on quadratics, with the normal noise of a float
    run."""
    from dataclasses import replace

    from fltheory.engine.compiled.simulate import simulate_quadratic
    from fltheory.problems.quadratic import Quadratic

    if not isinstance(made.problem, Quadratic):
        raise InvalidInput(
            "--problem", "be quadratic for a compiled run", type(made.problem).__name__
        )
    kind, _, variance = (noise or "gaussian:0").partition(":")
    if kind != "gaussian":
        raise InvalidInput(
            "--noise", "be written gaussian:VARIANCE for a compiled run", repr(noise)
        )
    return simulate_quadratic(
        made.algorithm,
        replace(made.problem, noise_squared=variance or 1),
        trace,
        start=start,
        local_step_size=size,
        server_step_size=made.server_step_size,
        seed=seed,
        at_once=False,
    )


def _step_size(
    text: str | None, arithmetic: ArithmeticName
) -> "tuple[StepSize, tuple[Fraction, ...]]":
    """A number, a schedule or a symbol, and the exact numbers in it."""
    if text is not None:
        return step_sizes(text)
    from fltheory.core.vocabulary import symbol

    if arithmetic is not ArithmeticName.SYMBOLIC:
        raise Missing("--step-size", f"--arithmetic {arithmetic.value}")
    return symbol("local_step_size"), ()


def _noise(
    text: str | None, problem: "Problem", arithmetic: ArithmeticName, seed: int
) -> "Noise | None":
    """Noise by its name and size."""
    from fltheory.engine.noise import Gaussian, Rademacher

    if text is None:
        return None
    kind, _, size = text.partition(":")
    if kind == "signs":
        return Rademacher(problem, size or 1, seed)
    if kind != "gaussian":
        raise InvalidInput("--noise", "be written gaussian:VARIANCE or signs:SCALE", repr(text))
    if arithmetic in (ArithmeticName.RATIONAL, ArithmeticName.SYMBOLIC):
        raise NotExact(
            "gaussian noise is not rational: use --arithmetic float or tensor, or --noise signs:1"
        )
    return Gaussian(problem, size or 1, seed)


def trajectory_data(models: "Array", made: Setup) -> dict[str, object]:
    """The answer: all models, single coordinates as plain numbers."""
    return {
        "models": as_points(models),
        "last": as_point(models[-1]),
        "optimum": as_point(made.problem.constants.optimum),
        **({} if made.weights is None else {"weights": made.weights}),
    }


def _as_csv(data: dict[str, object]) -> str:
    models = as_data(data["models"])
    listed = models if isinstance(models, list) else []
    rows = [row if isinstance(row, list) else [row] for row in listed]
    names = ["model"] if len(rows[0]) == 1 else [f"model_{j}" for j in range(len(rows[0]))]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["round", *names])
    writer.writerows([t, *row] for t, row in enumerate(rows))
    return out.getvalue()


def _plot(file: Path, models: "Array", made: Setup, title: str) -> None:
    from fltheory.cli.plot import draw_trajectory

    try:
        values = [[float(x) for x in row] for row in models.tolist()]
    except TypeError:
        raise NotExact(
            "formulas cannot be drawn: use --arithmetic rational or float for --plot"
        ) from None
    optimum = made.problem.constants.optimum
    draw_trajectory(file, values, None if optimum is None else [float(x) for x in optimum], title)
