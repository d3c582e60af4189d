"""`fltheory worst-case`: the worst case of a method over a whole class of functions."""

import json
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.clock_options import ClockOptions
from fltheory.cli.options import MOST_CLIENTS, AsJson, numbers
from fltheory.cli.progress import watched
from fltheory.cli.run_options import RunOptions, option_name
from fltheory.cli.run_setup import average_weights, make_setup, step_sizes
from fltheory.core.durable import replace_text
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.extras import require

if TYPE_CHECKING:
    from fltheory.analysis.worst_case.question import Metric
    from fltheory.core.types import Scalar

NO_NUMBER = 1
"""Exit code when no worst case could be computed."""

NOT_ASKED = ("problem", "optima", "curvatures", "tilts", "phases")
"""Options of a problem: the worst case is over all functions."""


class MetricOption(Enum):
    """What is made as large as possible."""

    LAST = "loss"
    AVERAGE = "average-loss"
    MIFA = "mifa-average-loss"
    MEAN_GRADIENT = "mean-gradient"
    MIN_GRADIENT = "min-gradient"


@dataclass(frozen=True)
class ClassOptions:
    """The class of functions, and what is known of the start and of the clients."""

    clients: Annotated[int, typer.Option(min=1, max=MOST_CLIENTS, help="Number of clients.")] = 1
    smoothness: Annotated[str, typer.Option(help="Largest curvature of the clients' losses.")] = "1"
    strong_convexity: Annotated[
        str, typer.Option(help="Smallest curvature of the clients' losses.")
    ] = "0"
    nonconvex: Annotated[bool, typer.Option("--nonconvex", help="Losses need not be convex.")] = (
        False
    )
    initial_distance: Annotated[
        str | None,
        typer.Option(help="Bound on |x_0 - x*| (default 1, unless --initial-gap is given)."),
    ] = None
    initial_gap: Annotated[
        str | None, typer.Option(help="Bound on f(x_0) - f* (default 1 with --nonconvex).")
    ] = None
    heterogeneity: Annotated[
        str | None, typer.Option(help="Bound on the mean of |grad f_i(x*)|^2 over clients.")
    ] = None
    dissimilarity: Annotated[
        str | None,
        typer.Option(help="Bound on |grad f_i - grad f| at the models, for each client."),
    ] = None
    mean_dissimilarity: Annotated[
        str | None, typer.Option(help="Bound on the root of the mean of |grad f_i - grad f|^2.")
    ] = None
    gradient_noise: Annotated[
        str | None,
        typer.Option(
            help="Standard deviation of each stochastic gradient; the result bounds an expectation."
        ),
    ] = None

    def bound(self, name: str) -> Fraction | None:
        """A bound that is given, at least 0."""
        return _bound(getattr(self, name), option_name(name))


def register(app: typer.Typer) -> None:
    """Add worst-case."""

    @command(app, "worst-case", hides=NOT_ASKED)
    def worst_case(
        options: RunOptions,
        clock: ClockOptions,
        functions: ClassOptions,
        rounds: Annotated[int, typer.Option(min=1, help="Number of rounds.")],
        step_size: Annotated[
            str, typer.Option(help="Step size of the clients: 1/4, or 4/(t+100) with t = 1, 2, ...")
        ],
        metric: Annotated[
            MetricOption,
            typer.Option(
                help="Loss of the last model, of the average of all or of MIFA's average; mean or "
                "smallest squared gradient over the models before each round."
            ),
        ] = MetricOption.LAST,
        virtual: Annotated[
            bool,
            typer.Option("--virtual", help="Measure the virtual models, after each local step."),
        ] = False,
        each_client: Annotated[
            bool,
            typer.Option("--each-client", help="Do not treat clients that act alike together."),
        ] = False,
        enclose: Annotated[
            bool,
            typer.Option(
                "--enclose",
                help="Prove both ends exactly: a bound, and functions that nearly attain it.",
            ),
        ] = False,
        certificate: Annotated[
            Path | None,
            typer.Option(help="Prove the bound exactly and write the proof to this file."),
        ] = None,
        seconds: Annotated[
            float | None,
            typer.Option(
                min=0.001,
                help="Processor time; when it is over, what was found until then is told.",
            ),
        ] = None,
        plot: Annotated[
            Path | None,
            typer.Option(help="Draw the worst function found into this PNG, PDF or SVG file."),
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Compute the largest loss or gradient of a method over all smooth functions, by
        semidefinite programming.

        Example: fltheory worst-case --algorithm mifa --availability alternating:1,3 --clients 2
        --rounds 8 --step-size 1/4 --strong-convexity 1/10 --heterogeneity 1
        """
        from fltheory.cli.plot import check_picture, draw_worst_case

        require("worst-case", "worst-case")
        if plot is not None:
            check_picture(plot, "--plot")
        from fltheory.analysis.worst_case.public import worst_case as run

        for name in NOT_ASKED[1:]:
            if getattr(options, name) is not None:
                raise InvalidInput(
                    option_name(name),
                    "be left out: the worst case is over all functions",
                    getattr(options, name),
                )
        size, numbers_in_size = step_sizes(step_size)
        bounds = {
            name: functions.bound(name)
            for name in (
                "initial_distance",
                "initial_gap",
                "heterogeneity",
                "dissimilarity",
                "mean_dissimilarity",
                "gradient_noise",
            )
        }
        optima = ",".join(["0"] * functions.clients)
        made = make_setup(
            replace(options, problem="quadratic", gradient_bound=None, optima=optima), clock
        )
        trace = made.deliveries.trace(rounds)
        moves = rounds * max(int(trace.local_steps.max()), 1) if virtual else rounds
        measured, weights = _metric(metric, moves, numbers_in_size)
        exactly = enclose or certificate is not None
        with watched("worst case") as bar:
            found = run(
                options.algorithm,
                trace,
                local_step_size=size,
                server_step_size=made.server_step_size,
                settings=_settings(options, made.weights),
                importance=_listed(options.importance, "--importance"),
                smoothness=functions.smoothness,
                strong_convexity=functions.strong_convexity,
                convex=not functions.nonconvex,
                gradient_bound=_bound(options.gradient_bound, "--gradient-bound"),
                metric=measured,
                weights=weights,
                virtual=virtual,
                by_class=not each_client,
                certified=exactly,
                enclosed=exactly or plot is not None,
                seconds=seconds,
                watch=bar.describe,
                **bounds,
            )
        if certificate is not None and found.certificate is not None:
            replace_text(certificate, json.dumps(found.certificate) + "\n")
        if plot is not None:
            draw_worst_case(plot, found, f"{options.algorithm}, {rounds} rounds: {found.metric}")
        wanted = found.worst_case is not None and (not exactly or found.certified_bound is not None)
        return Answer(found.to_dict(), exit_code=0 if wanted else NO_NUMBER)


def _bound(text: str | None, option: str) -> Fraction | None:
    if text is None:
        return None
    value = exact(text, option)
    if value < 0:
        raise InvalidInput(option, "be at least 0", value)
    return value


def _listed(text: str | None, option: str) -> tuple[Fraction, ...] | None:
    return None if text is None else numbers(text, option)


def _settings(options: RunOptions, weights: object) -> dict[str, object]:
    """What the algorithm may need, by name."""
    given = {
        "weights": weights,
        "probabilities": _listed(options.probabilities, "--probabilities"),
        "importance": _listed(options.importance, "--importance"),
        "proximal_strength": options.proximal_strength,
        "full_local_steps": options.full_local_steps,
    }
    return {name: value for name, value in given.items() if value is not None}


def _metric(
    metric: MetricOption, rounds: int, numbers_in_size: tuple[Fraction, ...]
) -> "tuple[Metric, tuple[Scalar, ...] | None]":
    """The metric and its weights of the models 0..rounds."""
    from fltheory.analysis.worst_case.question import Metric

    match metric:
        case MetricOption.MEAN_GRADIENT:
            return Metric.MEAN_SQUARED_GRADIENT, None
        case MetricOption.MIN_GRADIENT:
            return Metric.MIN_SQUARED_GRADIENT, None
        case MetricOption.LAST:
            return Metric.LOSS, None
        case MetricOption.AVERAGE:
            return Metric.LOSS, (1,) * (rounds + 1)
    shift = numbers_in_size[1] if len(numbers_in_size) == 2 else None
    weight = average_weights("mifa", shift, "--metric")
    return Metric.LOSS, tuple(weight(t) for t in range(rounds + 1))
