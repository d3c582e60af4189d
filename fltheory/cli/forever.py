"""fltheory forever: a theorem for all rounds, clients and traces of a language."""

import json
from pathlib import Path
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson
from fltheory.core.extras import require

NOTHING_PROVED = 1
"""Exit code where no proof was found."""


def register(app: typer.Typer) -> None:
    """Add the command."""

    @command(app, "forever")
    def forever(
        *,
        algorithm: Annotated[str, typer.Option(help="Method, such as mifa.")],
        staleness: Annotated[
            int | None,
            typer.Option(help="Largest number of rounds in a row in which a client is silent."),
        ] = None,
        cold_start: Annotated[
            bool,
            typer.Option("--cold-start", help="Clients may be silent before their first delivery."),
        ] = False,
        probability: Annotated[
            str | None, typer.Option(help="Chance of each client to deliver, in every round.")
        ] = None,
        window: Annotated[
            int | None,
            typer.Option(help="Rounds in which every client delivers exactly once."),
        ] = None,
        pattern: Annotated[
            str | None,
            typer.Option(
                help="Pattern such as 1000 that every client repeats, with any shift, or such as"
                " ABBB for two groups that deliver by turns."
            ),
        ] = None,
        delay: Annotated[
            int | None,
            typer.Option(help="Largest number of rounds that a delivery is late."),
        ] = None,
        smoothness: Annotated[str, typer.Option(help="Largest curvature L.")] = "1",
        strong_convexity: Annotated[str, typer.Option(help="Smallest curvature mu.")] = "0",
        nonconvex: Annotated[
            bool, typer.Option("--nonconvex", help="Losses need not be convex.")
        ] = False,
        step_size: Annotated[str | None, typer.Option(help="Constant step size.")] = None,
        local_steps: Annotated[int, typer.Option(help="Local steps in each round.")] = 1,
        target: Annotated[
            str | None,
            typer.Option(help="distance or gradient; the distance under strong convexity."),
        ] = None,
        noise: Annotated[
            str | None,
            typer.Option(help="Variance of a gradient's noise; the floor it leaves is made small."),
        ] = None,
        dissimilarity: Annotated[
            str | None,
            typer.Option(help="Amount of dissimilarity (D or zeta^2), for the limit in numbers."),
        ] = None,
        clients: Annotated[
            int | None,
            typer.Option(help="Number of clients, for the limit in numbers."),
        ] = None,
        largest_step: Annotated[
            bool,
            typer.Option(
                "--largest-step", help="Largest step with a proof, and one at which it breaks."
            ),
        ] = False,
        all_steps: Annotated[
            bool,
            typer.Option(
                "--all-steps",
                help="One proof for all step sizes and strong convexities up to the given ones.",
            ),
        ] = False,
        falling: Annotated[
            bool,
            typer.Option(
                "--falling", help="With --all-steps: step sizes may fall from round to round."
            ),
        ] = False,
        certificate: Annotated[
            Path | None, typer.Option(help="Write the proof to this file.")
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Prove a theorem for all rounds, all numbers of clients and all traces of a language, by
        a potential with rational coefficients.

        Example: fltheory forever --algorithm mifa --staleness 3 --strong-convexity 1/10
        --step-size 3/8 --certificate proof.json
        """
        require("worst-case", "forever")
        from fltheory.analysis.potentials.public import forever as run

        found = run(
            algorithm,
            step_size=step_size,
            staleness=staleness,
            cold_start=cold_start,
            probability=probability,
            window=window,
            pattern=pattern,
            delay=delay,
            smoothness=smoothness,
            strong_convexity=strong_convexity,
            convex=not nonconvex,
            local_steps=local_steps,
            target=target,
            noise=noise,
            dissimilarity=dissimilarity,
            clients=clients,
            largest_step=largest_step,
            all_steps=all_steps,
            falling=falling,
        )
        if certificate is not None and found.certificate is not None:
            certificate.write_text(json.dumps(found.certificate) + "\n", encoding="utf-8")
        return Answer.of(found, exit_code=0 if found.certificate is not None else NOTHING_PROVED)
