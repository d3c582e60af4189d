"""`fltheory worst-case`: the worst case of a method over a whole class of functions; `fltheory
check-certificate`: its proof, checked."""

import json
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.clock_options import ClockOptions
from fltheory.cli.options import MOST_CLIENTS, AsJson, numbers
from fltheory.cli.run_options import RunOptions, option_name
from fltheory.cli.run_setup import make_setup, step_sizes
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.untrusted_io import bounded_json

MAX_BYTES = 1 << 24
NO_NUMBER = REJECTED = 1
"""Exit codes: no worst case could be computed; a certificate proves nothing."""


class MetricOption(Enum):
    """What is made as large as possible."""

    LAST = "loss"
    AVERAGE = "average-loss"
    MIFA = "mifa-average-loss"
    MEAN_GRADIENT = "mean-gradient"
    MIN_GRADIENT = "min-gradient"


def register(app: typer.Typer) -> None:
    """Add worst-case and check-certificate."""

    @command(app, "worst-case")
    def worst_case(
        options: RunOptions,
        clock: ClockOptions,
        rounds: Annotated[int, typer.Option(min=1, help="Number of rounds.")],
        step_size: Annotated[
            str, typer.Option(help="Step size of the clients: 1/4, or 4/(t+100) with t = 1, 2, ...")
        ],
        clients: Annotated[
            int, typer.Option(min=1, max=MOST_CLIENTS, help="Number of clients.")
        ] = 1,
        smoothness: Annotated[
            str, typer.Option(help="Largest curvature of the clients' losses.")
        ] = "1",
        strong_convexity: Annotated[
            str, typer.Option(help="Smallest curvature of the clients' losses.")
        ] = "0",
        nonconvex: Annotated[
            bool, typer.Option("--nonconvex", help="Losses need not be convex.")
        ] = False,
        initial_distance: Annotated[
            str | None,
            typer.Option(help="Bound on |x_0 - x*|; 1 by default, without --initial-gap."),
        ] = None,
        initial_gap: Annotated[
            str | None, typer.Option(help="Bound on f(x_0) - f*; 1 by default with --nonconvex.")
        ] = None,
        heterogeneity: Annotated[
            str | None, typer.Option(help="Bound on the mean of |grad f_i(x*)|^2 over clients.")
        ] = None,
        dissimilarity: Annotated[
            str | None,
            typer.Option(help="Bound on |grad f_i - grad f| at the models, for each client."),
        ] = None,
        mean_dissimilarity: Annotated[
            str | None, typer.Option(help="Bound on the root of the mean of |grad f_i - grad f|^2.")
        ] = None,
        gradient_noise: Annotated[
            str | None,
            typer.Option(
                help="Standard deviation of each stochastic gradient: bounds the expectation."
            ),
        ] = None,
        metric: Annotated[
            MetricOption,
            typer.Option(
                help="Loss of the last model, of the plain average of all or of MIFA's; mean or "
                "smallest squared gradient over the models before each round."
            ),
        ] = MetricOption.LAST,
        certificate: Annotated[
            Path | None,
            typer.Option(help="Prove the bound exactly and write the proof to this file."),
        ] = None,
        enclose: Annotated[
            bool,
            typer.Option(
                "--enclose",
                help="Prove both ends exactly: a bound, and functions that nearly attain it.",
            ),
        ] = False,
        plot: Annotated[
            Path | None,
            typer.Option(help="Draw the worst function found into this PNG, PDF or SVG file."),
        ] = None,
        virtual: Annotated[
            bool,
            typer.Option(
                "--virtual", help="Metrics over the virtual models, after each local step."
            ),
        ] = False,
        each_client: Annotated[
            bool,
            typer.Option("--each-client", help="Do not treat clients that act alike together."),
        ] = False,
        as_json: AsJson = False,
    ) -> Answer:
        """Largest loss or gradient of a method over all smooth functions, by semidefinite
        programming.

        Example: fltheory worst-case --algorithm mifa --availability alternating:1,3 --clients 2
        --rounds 8 --step-size 1/4 --strong-convexity 1/10 --heterogeneity 1
        """
        from fltheory.analysis.worst_case.answer import worst_case as answer
        from fltheory.analysis.worst_case.case import Case
        from fltheory.analysis.worst_case.function_classes import FunctionClass
        from fltheory.analysis.worst_case.question import Conditions, Question

        for name in ("optima", "curvatures", "tilts", "phases"):
            if getattr(options, name) is not None:
                raise InvalidInput(
                    option_name(name),
                    "be left out: the worst case is over all functions",
                    getattr(options, name),
                )
        size, numbers_in_size = step_sizes(step_size)
        functions = FunctionClass(smoothness, strong_convexity, not nonconvex)
        bound = options.gradient_bound
        known = Conditions(
            _squared(
                initial_distance or ("1" if initial_gap is None and not nonconvex else None),
                "--initial-distance",
            ),
            initial_gap or ("1" if nonconvex else None),
            heterogeneity,
            _squared(bound, "--gradient-bound"),
            _squared(dissimilarity, "--dissimilarity"),
            _squared(mean_dissimilarity, "--mean-dissimilarity"),
            _squared(gradient_noise, "--gradient-noise"),
        )
        made = make_setup(
            replace(
                options, problem="quadratic", gradient_bound=None, optima=",".join(["0"] * clients)
            ),
            clock,
        )
        local = tuple(size(t) for t in range(rounds)) if callable(size) else size
        trace = made.deliveries.trace(rounds)
        moves = rounds * max(int(trace.local_steps.max()), 1) if virtual else rounds
        question = Question(functions, known, *_metric(metric, moves, numbers_in_size), virtual)
        case = Case(
            options.algorithm,
            trace,
            question,
            local,
            made.server_step_size,
            _settings(options, made.weights),
            _listed(options.importance, "--importance"),
            by_class=not each_client,
        )
        exactly = enclose or certificate is not None
        found = answer(case, certified=exactly, enclosed=exactly or plot is not None)
        if certificate is not None and found.certificate is not None:
            certificate.write_text(
                json.dumps(found.certificate, indent=None) + "\n", encoding="utf-8"
            )
        if plot is not None and found.witness is not None:
            _draw(plot, found, f"{options.algorithm}, {rounds} rounds: {question.metric.value}")
        wanted = found.value is not None and (not exactly or found.bound is not None)
        data = {
            "status": found.status.name,
            "means": found.status.value,
            "worst_case": found.value,
            "metric": question.metric.value,
            "certified_bound": found.bound,
            "attained_bound": found.attained,
            "attained_by": None if found.witness is None else found.witness.how,
            "enclosure": _enclosure(found),
            "why": found.why,
            "block_sizes": list(found.block_sizes),
            "constraints": found.num_constraints,
            "violation_of_left_out": found.violation,
            "rounds": rounds,
            "clients": clients,
        }
        return Answer(data, exit_code=0 if wanted else NO_NUMBER)

    @command(app, "check-certificate")
    def check_certificate(
        file: Annotated[
            Path,
            typer.Argument(
                help="A certificate that worst-case wrote, or one of verification/certificates."
            ),
        ],
        as_json: AsJson = False,
    ) -> Answer:
        """Check a certificate in exact arithmetic, and that its method gives what it speaks of;
        exit 0 proved, 1 rejected, 2 unusable."""
        return checked(file)


def checked(file: Path) -> Answer:
    """What the certificate in a file proves, or why it proves nothing."""
    from fltheory.analysis.inequalities import inequality
    from fltheory.analysis.worst_case.proof import FORMAT, verify

    data = bounded_json(file, MAX_BYTES, file.name)
    if isinstance(data, dict) and data.get("format") == inequality.FORMAT:
        return _inequality(data)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InvalidInput(file.name, f"be a file of the format {FORMAT!r}", "another one")
    try:
        bound = verify(data)
    except InvalidInput as reason:
        return Answer({"proved": False, "bound": None, "why": str(reason)}, exit_code=REJECTED)
    return Answer({"proved": True, "says": data.get("says"), "bound": bound, "about": float(bound)})


def _inequality(data: dict[str, Any]) -> Answer:
    """Whether the proof of an inequality is right, and which factor on its right side it proves."""
    from fltheory.analysis.inequalities.checker import check

    try:
        factor = check(data)
    except InvalidInput as reason:
        return Answer({"proved": False, "factor": None, "why": str(reason)}, exit_code=REJECTED)
    return Answer(
        {"proved": True, "says": data.get("says"), "factor": factor, "about": float(factor)}
    )


def _enclosure(found: Any) -> list[float] | None:
    """Both exact ends as decimals."""
    return (
        None
        if found.attained is None or found.bound is None
        else [float(found.attained), float(found.bound)]
    )


def _draw(file: Path, found: Any, title: str) -> None:
    from fltheory.analysis.worst_case.picture import picture
    from fltheory.cli.plot import draw_worst_function

    draw_worst_function(file, picture(found.encoding, found.witness), title)


def _squared(text: str | None, option: str) -> Fraction | None:
    if text is None:
        return None
    value = exact(text, option)
    if value < 0:
        raise InvalidInput(option, "be at least 0", value)
    return value**2


def _listed(text: str | None, option: str) -> Any:
    return None if text is None else numbers(text, option)


def _settings(options: RunOptions, weights: Any) -> dict[str, Any]:
    """What the algorithm may need, by name."""
    given = {
        "weights": weights,
        "probabilities": _listed(options.probabilities, "--probabilities"),
        "importance": _listed(options.importance, "--importance"),
        "proximal_strength": options.proximal_strength,
        "full_local_steps": options.full_local_steps,
    }
    return {name: value for name, value in given.items() if value is not None}


def _metric(metric: MetricOption, rounds: int, numbers_in_size: tuple[Any, ...]) -> tuple[Any, Any]:
    """The metric and its weights of the models 0..rounds."""
    from fltheory.analysis.worst_case.question import Metric

    if metric is MetricOption.MEAN_GRADIENT:
        return Metric.MEAN_SQUARED_GRADIENT, None
    if metric is MetricOption.MIN_GRADIENT:
        return Metric.MIN_SQUARED_GRADIENT, None
    if metric is MetricOption.LAST:
        return Metric.LOSS, None
    if metric is MetricOption.AVERAGE:
        return Metric.LOSS, (1,) * (rounds + 1)
    if len(numbers_in_size) != 2:
        raise InvalidInput(
            "--metric mifa-average-loss",
            "come with a step size such as 4/(t+100)",
            "a constant one",
        )
    shift = numbers_in_size[1]
    return Metric.LOSS, tuple((t + shift) * (t + shift - 1) for t in range(rounds + 1))
