"""`fltheory demo`: the teaching page, and its scenes in the terminal."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fltheory.cli.answers import Answer, command, telling_errors
from fltheory.cli.options import AsJson, counts, numbers
from fltheory.core.errors import InvalidInput

if TYPE_CHECKING:
    from fractions import Fraction

    from fltheory.teaching.public import Scene

DEFAULT_PORT = 8765

Png = Annotated[
    Path | None,
    typer.Option("--png", help="Also draw the plot into this PNG, PDF or SVG file."),
]
Still = Annotated[bool, typer.Option("--still", help="Do not animate, even in a terminal.")]
StepSize = Annotated[str, typer.Option(help="Step size of the clients, such as 1/4.")]
Start = Annotated[str, typer.Option(help="First model.")]
Rounds = Annotated[int, typer.Option(min=1, max=10_000, help="Rounds to show.")]
LocalSteps = Annotated[int, typer.Option(min=1, max=50, help="Gradient steps per delivery.")]


def register(app: typer.Typer) -> None:
    """Add demo, with one subcommand per scene."""
    demo = typer.Typer(
        invoke_without_command=True,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Teach: the page of seven scenes (--export, --serve), or one scene in the terminal.",
    )
    app.add_typer(demo, name="demo")

    @demo.callback()
    def page(
        export: Annotated[
            Path | None,
            typer.Option(metavar="FILE", help="Write the page into this file; it works offline."),
        ] = None,
        serve: Annotated[
            bool, typer.Option("--serve", help="Serve the page on 127.0.0.1 until interrupted.")
        ] = False,
        port: Annotated[
            int | None,
            typer.Option(
                min=0,
                max=65535,
                help=f"Port for --serve (default {DEFAULT_PORT}); 0 takes a free one.",
            ),
        ] = None,
    ) -> None:
        with telling_errors():
            if port is not None and not serve:
                raise InvalidInput("--port", "come with --serve", port)
            if export is not None:
                _export(export)
            if serve:
                _serve(DEFAULT_PORT if port is None else port)

    @command(demo, "drift")
    def drift(
        blocks: Annotated[
            str,
            typer.Option(help="Rounds in which the first client is available, then the second."),
        ] = "1,3",
        step_size: StepSize = "1/4",
        optima: Annotated[str, typer.Option(help="Optimum of each client.")] = "0,1",
        start: Start = "0",
        local_steps: LocalSteps = 1,
        methods: Annotated[
            str, typer.Option(help="Methods among fedavg, fedprox, sampling, mifa, fedlaavg.")
        ] = "fedavg,mifa,fedlaavg",
        proximal_strength: Annotated[str, typer.Option(help="Strength of FedProx.")] = "1",
        rounds: Rounds = 28,
        png: Png = None,
        still: Still = False,
        as_json: AsJson = False,
    ) -> Answer:
        """FedAvg drifts to the wrong point; memory reaches the optimum (FedLaAvg, Example 1)."""
        from fltheory.teaching.drift import METHODS

        turns = counts(blocks, "--blocks")
        chosen = tuple(methods.split(","))
        if len(turns) != 2 or sum(turns) > 40:
            raise InvalidInput(
                "--blocks",
                "be two whole numbers with a sum of at most 40, whose limit is exact",
                repr(blocks),
            )
        if not set(chosen) <= set(METHODS):
            raise InvalidInput("--methods", f"be among {', '.join(METHODS)}", repr(methods))
        return _shown(
            "drift",
            blocks=turns,
            step_size=_above_zero(step_size, "--step-size"),
            optima=_two(optima, "--optima"),
            start=_one(start, "--start"),
            local_steps=local_steps,
            methods=chosen,
            proximal_strength=_one(proximal_strength, "--proximal-strength"),
            rounds=rounds,
            shown=(png, still, as_json),
        )

    @command(demo, "async")
    def asynchronous(
        update_times: Annotated[
            str,
            typer.Option(
                help="Time that each client needs, two to five of them, whole numbers up to 6."
            ),
        ] = "1,2",
        window: Annotated[str, typer.Option(help="Length of FedFix's rounds.")] = "1",
        step_size: StepSize = "1/10",
        start: Start = "0",
        local_steps: LocalSteps = 1,
        horizon: Annotated[int, typer.Option(min=1, max=2000, help="Clock time to show.")] = 50,
        png: Png = None,
        still: Still = False,
        as_json: AsJson = False,
    ) -> Answer:
        """IDENTICAL, TIME-BASED and FedFix weights, with exact limit cycles (Fraboni et al.)."""

        times = counts(update_times, "--update-times")
        if not 2 <= len(times) <= 5 or max(times) > 6:
            raise InvalidInput(
                "--update-times",
                "be two to five whole numbers up to 6, whose limit cycle is exact",
                repr(update_times),
            )
        return _shown(
            "async",
            update_times=times,
            window=_above_zero(window, "--window"),
            step_size=_above_zero(step_size, "--step-size"),
            start=_one(start, "--start"),
            local_steps=local_steps,
            horizon=max(horizon, max(times)),
            shown=(png, still, as_json),
        )

    @command(demo, "stragglers")
    def stragglers(
        probabilities: Annotated[
            str, typer.Option(help="Availability probability of each of the four clients.")
        ] = "1/10,2/5,7/10,1",
        sample_size: Annotated[
            int, typer.Option(min=1, max=4, help="Clients that the waiting server waits for.")
        ] = 4,
        step_size: StepSize = "1/5",
        start: Start = "4",
        seed: Annotated[int, typer.Option(min=0, help="Seed of the coin flips.")] = 1,
        rounds: Rounds = 100,
        png: Png = None,
        still: Still = False,
        as_json: AsJson = False,
    ) -> Answer:
        """Wait for stragglers, remember their updates, or ignore them (MIFA)."""

        chances = numbers(probabilities, "--probabilities")
        if len(chances) != 4:
            raise InvalidInput("--probabilities", "be four numbers", repr(probabilities))
        return _shown(
            "stragglers",
            probabilities=chances,
            sample_size=sample_size,
            step_size=_above_zero(step_size, "--step-size"),
            start=_one(start, "--start"),
            seed=seed,
            rounds=rounds,
            shown=(png, still, as_json),
        )

    @command(demo, "anarchic")
    def anarchic(
        rare: Annotated[
            int,
            typer.Option(
                min=0, max=40, help="Worker 2 arrives once in so many rounds; 0 means never."
            ),
        ] = 8,
        gap: Annotated[
            str, typer.Option(help="G: distance of worker 1's optimum from that of world A.")
        ] = "1",
        step_size: StepSize = "1/10",
        server_step_size: Annotated[str, typer.Option(help="Step size of the server.")] = "1",
        delay: Annotated[
            int,
            typer.Option(min=0, max=4, help="Age of the model that work starts from, in rounds."),
        ] = 0,
        start: Start = "2",
        local_steps: LocalSteps = 1,
        rounds: Rounds = 80,
        png: Png = None,
        still: Still = False,
        as_json: AsJson = False,
    ) -> Answer:
        """AFA-CD's floor against AFA-CS's memory, in two worlds that worker 1 cannot tell apart
        (AFL)."""

        return _shown(
            "anarchic",
            rare=rare,
            gap=_above_zero(gap, "--gap"),
            step_size=_above_zero(step_size, "--step-size"),
            delay=delay,
            server_step_size=_above_zero(server_step_size, "--server-step-size"),
            start=_one(start, "--start"),
            local_steps=local_steps,
            rounds=rounds,
            shown=(png, still, as_json),
        )


def _one(text: str, option: str) -> "Fraction":
    values = numbers(text, option)
    if len(values) != 1:
        raise InvalidInput(option, "be one number", repr(text))
    return values[0]


def _above_zero(text: str, option: str) -> "Fraction":
    value = _one(text, option)
    if value <= 0:
        raise InvalidInput(option, "be above 0", value)
    return value


def _two(text: str, option: str) -> "tuple[Fraction, ...]":
    values = numbers(text, option)
    if len(values) != 2:
        raise InvalidInput(option, "be two numbers", repr(text))
    return values


def _export(file: Path) -> None:
    from fltheory.teaching.public import write_page

    write_page(file)
    typer.echo(f"{file}: {file.stat().st_size / 1000:.0f} kB, open it in any browser")


def _serve(port: int) -> None:
    from fltheory.teaching.serve import ADDRESS, server

    with server(port) as running:
        try:
            typer.echo(f"http://{ADDRESS}:{running.server_port}/ (Ctrl-C stops)")
            running.serve_forever()
        except KeyboardInterrupt:
            typer.echo("stopped")


def _shown(scene: "Scene", *, shown: tuple[Path | None, bool, bool], **settings: object) -> Answer:
    from fltheory.cli.animation import animate
    from fltheory.cli.plot import check_picture, draw_curves
    from fltheory.teaching.public import demo

    png, still, as_json = shown
    if png is not None:
        check_picture(png, "--png")
    found = demo(scene, **settings)
    if png is not None:
        draw_curves(png, found.picture)
    if not as_json and sys.stdout.isatty():
        animate(found.picture, still=still)
        return Answer(found.picture.data, text=found.says)
    return Answer(found.picture.data, text=repr(found))
