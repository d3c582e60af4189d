"""`fltheory train`: stochastic runs on learning problems, softmax regression or a small network,
many seeds at once."""

import json
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.clock_options import ClockOptions
from fltheory.cli.delivery_options import Watched, deliveries_of
from fltheory.cli.options import AsJson
from fltheory.cli.run_options import RunOptions
from fltheory.cli.run_setup import naming_options, step_sizes
from fltheory.core.durable import replace_text
from fltheory.core.extras import require

DATA = "Data"


class LossKind(Enum):
    """What is learned."""

    LOGISTIC = "logistic"
    NETWORK = "network"


def register(app: typer.Typer) -> None:
    """Add train."""

    @command(app, "train")
    def train(
        algorithm: Annotated[
            str, typer.Option(help="An algorithm that `fltheory list` names, or module:Name.")
        ],
        rounds: Annotated[int, typer.Option(min=1, help="Number of rounds.")],
        step_size: Annotated[
            str, typer.Option(help="Step size of the clients: 1/4, or 2/(t+100) with t = 1, 2, ...")
        ],
        problem: Annotated[
            LossKind, typer.Option(help="Softmax regression, or a network with one hidden layer.")
        ] = LossKind.LOGISTIC,
        data: Annotated[
            Path | None,
            typer.Option(
                help="CSV: client, label (0, 1, ...) and features; synthetic by default.",
                rich_help_panel=DATA,
            ),
        ] = None,
        clients: Annotated[
            int,
            typer.Option(
                min=1, help="Clients of synthetic data, two classes each.", rich_help_panel=DATA
            ),
        ] = 10,
        samples: Annotated[
            int,
            typer.Option(
                min=1, help="Samples of each client of synthetic data.", rich_help_panel=DATA
            ),
        ] = 60,
        features: Annotated[
            int, typer.Option(min=1, help="Features of synthetic data.", rich_help_panel=DATA)
        ] = 20,
        classes: Annotated[
            int, typer.Option(min=2, help="Classes of synthetic data.", rich_help_panel=DATA)
        ] = 5,
        batch_size: Annotated[
            int, typer.Option(min=1, help="Samples of a minibatch.", rich_help_panel="Method")
        ] = 10,
        local_steps: Annotated[
            str, typer.Option(help="Gradient steps per delivery; one number, or one per client.")
        ] = "5",
        weight_decay: Annotated[
            str,
            typer.Option(
                help="Strength of the squared penalty on the weights.", rich_help_panel="Problem"
            ),
        ] = "0",
        availability: Annotated[
            str | None,
            typer.Option(help="Availability model, such as bernoulli:1/2; `always` by default."),
        ] = None,
        clients_per_round: Annotated[
            int | None,
            typer.Option(min=1, help="Use so many available clients, the longest absent first."),
        ] = None,
        runs: Annotated[
            int,
            typer.Option(
                min=1,
                help="Number of runs, with seeds seed, seed + 1, ... for their minibatches. The"
                " same command gives the same bits; beside others, a run may differ from the run"
                " alone in the last bits (losses relatively by 1e-12 at most in 40 rounds),"
                " because sums are taken in another order.",
            ),
        ] = 1,
        single: Annotated[
            bool,
            typer.Option(
                "--single", help="Single instead of double precision.", rich_help_panel="Work"
            ),
        ] = False,
        device: Annotated[
            str, typer.Option(help="cpu, or cuda where there is one.", rich_help_panel="Work")
        ] = "cpu",
        seed: Annotated[int, typer.Option(min=0, help="Seed of everything random.")] = 0,
        output: Annotated[
            Path | None,
            typer.Option("--output", "-o", help="Save the losses of all rounds as JSON."),
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Train by a federated method and give the global loss along the rounds; a run that
        diverges says where.

        Example: fltheory train --algorithm mifa --availability bernoulli:1/2 --step-size 1/10
        --rounds 50 --runs 4
        """
        require("tensor", "train")
        from fltheory import algorithms
        from fltheory.analysis.training import train as run
        from fltheory.core.registry import Settings, import_member
        from fltheory.problems.samples import (
            network_problem,
            read_samples,
            softmax_problem,
            synthetic_samples,
        )

        held = (
            read_samples(data)
            if data is not None
            else synthetic_samples(
                clients, samples=samples, features=features, num_classes=classes, seed=seed
            )
        )
        make = softmax_problem if problem is LossKind.LOGISTIC else network_problem
        learned = make(
            held,
            weight_decay=weight_decay,
            batch_size=batch_size,
            seed=seed if runs == 1 else range(seed, seed + runs),
        )
        options = RunOptions(
            algorithm,
            availability=availability,
            clients_per_round=clients_per_round,
            local_steps=local_steps,
            seed=seed,
        )
        settings = Watched({"num_clients": learned.num_clients})
        member = import_member(algorithms, algorithm)
        deliveries, _ = deliveries_of(
            options, ClockOptions(), member, learned.num_clients, settings
        )
        with naming_options(f"--algorithm {algorithm}, which train does not have"):
            method = member.build(Settings(settings))
        found = run(
            method,
            learned,
            deliveries.trace(rounds),
            step_size=step_sizes(step_size)[0],
            single=single,
            device=device,
            every_round=output is not None,
        )
        if output is not None:
            replace_text(output, json.dumps(found.to_dict()))
        return Answer.of(found)
