"""Samples of clients for learning problems: read from a file, or synthetic; and the problems."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.extras import require
from fltheory.core.randomness import Purpose, normals
from fltheory.core.types import Array, ExactLike, Seed
from fltheory.core.untrusted_io import bounded_text

if TYPE_CHECKING:
    from fltheory.problems.logistic import Softmax
    from fltheory.problems.network import Network

MOST_NUMBERS, MOST_BYTES = 10**7, 1 << 28
"""Largest data and models, and the largest file."""

HIDDEN = 16
"""Width of the hidden layer of a small network."""


@dataclass(frozen=True)
class Samples:
    """One table of features and one list of labels per client; labels are 0..num_classes - 1."""

    features: Sequence[Array]
    labels: Sequence[Array]
    num_classes: int


def synthetic_samples(
    num_clients: int,
    *,
    samples: int = 60,
    features: int = 20,
    num_classes: int = 5,
    seed: int = 0,
) -> Samples:
    """Normal clouds about one centre for each class; client i has classes i and i + 1 by turns.

    >>> found = synthetic_samples(3, samples=4, features=2)
    >>> [labels.tolist() for labels in found.labels]
    [[0, 1, 0, 1], [1, 2, 1, 2], [2, 3, 2, 3]]
    """
    for name, count in (("clients", num_clients), ("samples", samples), ("classes", num_classes)):
        if count < 1:
            raise InvalidInput(f"number of {name}", "be at least 1", count)
    largest = max(num_clients * samples, num_classes) * features
    if largest > MOST_NUMBERS:
        raise InvalidInput(
            "clients x samples x features and classes x features",
            f"be at most {MOST_NUMBERS}",
            _short(largest),
        )
    places = np.arange(samples * features).reshape(samples, features)
    centres = normals(seed, Purpose.START, 1, np.arange(num_classes)[:, None], np.arange(features))
    labels = [(i + np.arange(samples) % 2) % num_classes for i in range(num_clients)]
    clouds = [
        centres[row] + normals(seed, Purpose.START, 2, i, places) for i, row in enumerate(labels)
    ]
    return Samples(clouds, labels, num_classes)


def read_samples(file: str | Path) -> Samples:
    """Samples of a CSV file with the columns client, label (0, 1, ...) and features; clients are in
    the order of their first rows.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "samples.csv"
    ...     _ = path.write_text("client,label,height\\na,0,1.5\\nb,2,0\\n")
    ...     read_samples(path).num_classes
    3
    """
    held: dict[str, list[tuple[int, list[float]]]] = {}
    path = Path(file)
    reader = csv.reader(
        io.StringIO(bounded_text(path, MOST_BYTES, str(path)), newline=""), strict=True
    )
    try:
        header = next(reader, [])
        if header[:2] != ["client", "label"] or len(header) < 3:
            raise InvalidInput(
                f"first line of {path}",
                "be client,label and names of features",
                repr(",".join(header)[:60]),
            )
        for number, row in enumerate(reader, start=2):
            label, values = _sample(row, len(header), f"line {number} of {path}")
            held.setdefault(row[0], []).append((label, values))
    except csv.Error as problem:
        raise InvalidInput(
            f"line {reader.line_num} of {path}", "be comma-separated values", str(problem)[:60]
        ) from None
    if not held:
        raise InvalidInput(f"{path}", "have samples", "none")
    labels = [np.array([label for label, _ in rows]) for rows in held.values()]
    return Samples(
        [np.array([values for _, values in rows]) for rows in held.values()],
        labels,
        int(max(row.max() for row in labels)) + 1,
    )


def _sample(row: list[str], width: int, place: str) -> tuple[int, list[float]]:
    try:
        label, values = int(row[1]), [float(x) for x in row[2:]]
    except (ValueError, IndexError):
        raise InvalidInput(
            place, "have a client, a whole label and numbers", ",".join(row)[:60]
        ) from None
    if len(row) != width or not 0 <= label < MOST_NUMBERS:
        raise InvalidInput(
            place, f"have {width} entries and a label of at least 0", ",".join(row)[:60]
        )
    return label, values


def softmax_problem(
    samples: Samples, *, weight_decay: ExactLike = 0, batch_size: int = 10, seed: Seed | range = 0
) -> "Softmax":
    """Softmax regression with a bias on each client's samples; several seeds, or a range of them,
    give several runs.

    >>> softmax_problem(synthetic_samples(2, features=3, num_classes=2)).dimension
    8
    """
    from fltheory.problems.logistic import Softmax, with_bias

    _check_size((samples.features[0].shape[1] + 1) * samples.num_classes, samples, seed)
    return Softmax(
        with_bias(samples.features),
        samples.labels,
        samples.num_classes,
        weight_decay=weight_decay,
        batch_size=batch_size,
        seed=tuple(seed) if isinstance(seed, range) else seed,
    )


def network_problem(
    samples: Samples, *, weight_decay: ExactLike = 0, batch_size: int = 10, seed: Seed | range = 0
) -> "Network":
    """A network with one hidden layer of 16 units on each client's samples; its first weights are
    drawn by key, scaled by their fan-in.

    >>> network_problem(synthetic_samples(2, features=3, num_classes=2)).dimension
    98
    """
    require("tensor", "a network")
    from fltheory.engine.arithmetic.tensor import torch
    from fltheory.problems.network import Network

    width = samples.features[0].shape[1]
    _check_size((width + 1) * HIDDEN + (HIDDEN + 1) * samples.num_classes, samples, seed)
    first = seed if isinstance(seed, int) else seed[0]
    module = torch.nn.Sequential(
        torch.nn.Linear(width, HIDDEN),
        torch.nn.Tanh(),
        torch.nn.Linear(HIDDEN, samples.num_classes),
    ).double()
    for place, parameter in enumerate(module.parameters()):
        fan_in = width if place < 2 else HIDDEN
        drawn = normals(first, Purpose.START, 0, place, range(parameter.numel())) / fan_in**0.5
        parameter.data = torch.as_tensor(drawn).reshape(parameter.shape)
    return Network(
        module,
        samples.features,
        samples.labels,
        weight_decay=weight_decay,
        batch_size=batch_size,
        seed=tuple(seed) if isinstance(seed, range) else seed,
    )


def _check_size(parameters: int, samples: Samples, seed: Seed | range) -> None:
    """Refuse what is too large before anything of that size is made."""
    if isinstance(seed, range):
        runs = seed.stop - seed.start  # len() has a limit
    else:
        runs = 1 if isinstance(seed, int) else len(seed)
    numbers = parameters * len(samples.features) * runs
    if numbers > MOST_NUMBERS:
        raise InvalidInput(
            "parameters x clients x runs", f"be at most {MOST_NUMBERS}", _short(numbers)
        )


def _short(count: int) -> str:
    return str(count) if count < 10**20 else f"a number of {len(str(count))} digits"
