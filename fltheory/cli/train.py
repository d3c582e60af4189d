"""`fltheory train`: stochastic runs on learning problems, softmax regression or a small network,
many seeds at once."""

import csv
import io
import json
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.clock_options import ClockOptions
from fltheory.cli.delivery_options import Watched, deliveries_of
from fltheory.cli.options import AsJson, check_device
from fltheory.cli.run_options import RunOptions
from fltheory.cli.run_setup import step_sizes
from fltheory.core.errors import InvalidInput
from fltheory.core.untrusted_io import bounded_text

SHOWN_ROUNDS, HIDDEN = 20, 16
MOST_NUMBERS, MOST_BYTES = 10**7, 1 << 28


class Kind(Enum):
    """What is learned."""

    LOGISTIC = "logistic"
    NETWORK = "network"


def register(app: typer.Typer) -> None:
    """Add train."""

    @command(app, "train")
    def train(
        algorithm: Annotated[str, typer.Option(help="One of those that `fltheory list` names.")],
        rounds: Annotated[int, typer.Option(min=1, help="Number of rounds.")],
        step_size: Annotated[
            str, typer.Option(help="Step size of the clients: 1/4, or 2/(t+100) with t = 1, 2, ...")
        ],
        problem: Annotated[
            Kind, typer.Option(help="Softmax regression, or a network with one hidden layer.")
        ] = Kind.LOGISTIC,
        data: Annotated[
            Path | None,
            typer.Option(help="CSV: client, label (0, 1, ...) and features; synthetic without it."),
        ] = None,
        clients: Annotated[
            int, typer.Option(min=1, help="Clients of synthetic data, two classes each.")
        ] = 10,
        samples: Annotated[
            int, typer.Option(min=1, help="Samples of each client of synthetic data.")
        ] = 60,
        features: Annotated[int, typer.Option(min=1, help="Features of synthetic data.")] = 20,
        classes: Annotated[int, typer.Option(min=2, help="Classes of synthetic data.")] = 5,
        batch_size: Annotated[int, typer.Option(min=1, help="Samples of a minibatch.")] = 10,
        local_steps: Annotated[
            str, typer.Option(help="Gradient steps per delivery; one number, or one per client.")
        ] = "5",
        weight_decay: Annotated[
            str, typer.Option(help="Strength of the squared penalty on the weights.")
        ] = "0",
        availability: Annotated[
            str | None,
            typer.Option(help="Who is available when, such as bernoulli:1/2; `always` by default."),
        ] = None,
        clients_per_round: Annotated[
            int | None, typer.Option(min=1, help="Use only so many, the longest absent.")
        ] = None,
        runs: Annotated[
            int,
            typer.Option(
                min=1, help="Runs at once, with seeds seed, seed + 1, ... for their minibatches."
            ),
        ] = 1,
        single: Annotated[
            bool, typer.Option("--single", help="Single instead of double precision.")
        ] = False,
        device: Annotated[str, typer.Option(help="cpu, or cuda where there is one.")] = "cpu",
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
        from fltheory import algorithms
        from fltheory.core.registry import Settings, import_member
        from fltheory.engine.simulate import simulate

        tables, labels, classes = (
            _read(data)
            if data is not None
            else (*_synthetic(clients, samples, features, classes, seed), classes)
        )
        _small_enough(problem, tables, classes, runs)
        seeds: Any = seed if runs == 1 else tuple(range(seed, seed + runs))
        given = {"weight_decay": weight_decay, "batch_size": batch_size, "seed": seeds}
        learned = _problem(problem, tables, labels, classes, given, seed)
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
        arithmetic = _arithmetic(single, device)
        method = member.build(Settings(settings))
        models = simulate(
            method,
            learned,
            deliveries.trace(rounds),
            start=getattr(learned, "first_model", 0),
            arithmetic=arithmetic,
            local_step_size=step_sizes(step_size)[0],
        ).models
        losses = _losses(
            learned,
            models.reshape(-1, *models.shape[-2:]),
            arithmetic,
            everything=output is not None,
        )
        answer = {
            "parameters": learned.dimension,
            "clients": learned.num_clients,
            "rounds": [t for t, _ in losses],
            "mean_loss": [sum(row) / runs for _, row in losses],
            "losses": [row for _, row in losses],
        }
        if output is not None:
            output.write_text(json.dumps(answer), encoding="utf-8")
        shown = losses[:: max(1, len(losses) // SHOWN_ROUNDS)]
        rows = [
            (str(t), f"{sum(row) / runs:.6f}", f"{min(row):.6f}", f"{max(row):.6f}")
            for t, row in shown
        ]
        return Answer(
            answer,
            [
                Table(
                    f"global loss before each round, {runs} runs",
                    ("round", "mean", "least", "largest"),
                    rows,
                )
            ],
        )


def _arithmetic(single: bool, device: str) -> Any:
    from fltheory.engine.arithmetic.tensor import Tensor, torch

    check_device(device)
    return Tensor(device, torch.float32 if single else torch.float64)


def _problem(
    kind: Kind, tables: Any, labels: Any, classes: int, given: dict[str, Any], seed: int
) -> Any:
    """The learning problem; a network's first weights are drawn by key, scaled by its fan-in."""
    if kind is Kind.LOGISTIC:
        from fltheory.problems.logistic import Softmax, with_bias

        return Softmax(with_bias(tables), labels, classes, **given)
    from fltheory.core.randomness import Purpose, normals
    from fltheory.engine.arithmetic.tensor import torch
    from fltheory.problems.network import Network

    width = tables[0].shape[1]
    module = torch.nn.Sequential(
        torch.nn.Linear(width, HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, classes)
    ).double()
    for place, parameter in enumerate(module.parameters()):
        drawn = (
            normals(seed, Purpose.START, 0, place, range(parameter.numel()))
            / (width if place < 2 else HIDDEN) ** 0.5
        )
        parameter.data = torch.as_tensor(drawn).reshape(parameter.shape)
    return Network(module, tables, labels, **given)


def _small_enough(kind: Kind, tables: Any, classes: int, runs: int) -> None:
    """Refuse what is too large before anything of that size is made."""
    width = tables[0].shape[1] + 1
    parameters = (
        width * classes if kind is Kind.LOGISTIC else width * HIDDEN + (HIDDEN + 1) * classes
    )
    if parameters * len(tables) * runs > MOST_NUMBERS:
        raise InvalidInput(
            "parameters x clients x runs",
            f"be at most {MOST_NUMBERS}",
            _short(parameters * len(tables) * runs),
        )


def _short(count: int) -> str:
    return str(count) if count < 10**20 else f"a number of {len(str(count))} digits"


def _synthetic(
    clients: int, samples: int, features: int, classes: int, seed: int
) -> tuple[Any, Any]:
    """Normal clouds about one centre for each class; client i holds classes i and i + 1 by
    turns."""
    import numpy as np

    from fltheory.core.randomness import Purpose, normals

    if max(clients * samples, classes) * features > MOST_NUMBERS:
        raise InvalidInput(
            "clients x samples x features and classes x features",
            f"be at most {MOST_NUMBERS}",
            _short(max(clients * samples, classes) * features),
        )
    places = np.arange(samples * features).reshape(samples, features)
    centres = normals(seed, Purpose.START, 1, np.arange(classes)[:, None], np.arange(features))
    labels = [(i + np.arange(samples) % 2) % classes for i in range(clients)]
    return [
        centres[row] + normals(seed, Purpose.START, 2, i, places) for i, row in enumerate(labels)
    ], labels


def _read(file: Path) -> tuple[Any, Any, int]:
    """Tables and labels of all clients, in the order of their first rows."""
    import numpy as np

    held: dict[str, list[tuple[int, list[float]]]] = {}
    reader = csv.reader(
        io.StringIO(bounded_text(file, MOST_BYTES, str(file)), newline=""), strict=True
    )
    try:
        header = next(reader, [])
        if header[:2] != ["client", "label"] or len(header) < 3:
            raise InvalidInput(
                f"first line of {file}",
                "be client,label and names of features",
                repr(",".join(header)[:60]),
            )
        for number, row in enumerate(reader, start=2):
            try:
                client, label, values = row[0], int(row[1]), [float(x) for x in row[2:]]
            except (ValueError, IndexError):
                raise InvalidInput(
                    f"line {number} of {file}",
                    "have a client, a whole label and numbers",
                    ",".join(row)[:60],
                ) from None
            if len(row) != len(header) or not 0 <= label < MOST_NUMBERS:
                raise InvalidInput(
                    f"line {number} of {file}",
                    f"have {len(header)} entries and a label of at least 0",
                    ",".join(row)[:60],
                )
            held.setdefault(client, []).append((label, values))
    except csv.Error as problem:
        raise InvalidInput(
            f"line {reader.line_num} of {file}", "be comma-separated values", str(problem)[:60]
        ) from None
    if not held:
        raise InvalidInput(f"{file}", "have samples", "none")
    labels = [np.array([label for label, _ in rows]) for rows in held.values()]
    return (
        [np.array([values for _, values in rows]) for rows in held.values()],
        labels,
        int(max(row.max() for row in labels)) + 1,
    )


def _losses(
    problem: Any, models: Any, arithmetic: Any, *, everything: bool
) -> list[tuple[int, list[float]]]:
    """The global loss of every run before each round, or before some twenty of them."""
    from fltheory.problems.objective import global_loss

    last = models.shape[1] - 1
    wanted = (
        range(last + 1)
        if everything
        else sorted({round(k * last / SHOWN_ROUNDS) for k in range(SHOWN_ROUNDS + 1)})
    )
    losses = [
        (
            t,
            arithmetic.export(global_loss(problem, models[:, t, None, :], arithmetic))
            .reshape(-1)
            .tolist(),
        )
        for t in wanted
    ]
    for t, row in losses:
        if not all(isfinite(loss) for loss in row):  # the models may still be finite
            raise InvalidInput(
                "step size", "keep the loss finite", f"a loss that is not before round {t}"
            )
    return losses
