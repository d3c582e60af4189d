"""From settings to a problem: data, partition, model; and what is measured of a model."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.engine.arithmetic.tensor import Tensor, torch
from fltheory.problems.logistic import Softmax
from fltheory.problems.network import Network
from paper_reproductions import daily, partitions
from paper_reproductions.data.datasets import Dataset, load
from paper_reproductions.models import network
from paper_reproductions.settings import Settings

PIECE = 2000
"""Samples that a network is evaluated on at once."""

DATA_FIELDS = (
    "data",
    "train_samples",
    "test_samples",
    "image_size",
    "day_balance",
    "num_clients",
    "partition",
    "classes_per_client",
    "concentration",
    "model",
    "weight_decay",
    "batch_size",
)


@dataclass(frozen=True, eq=False)
class Task:
    """A problem without its minibatch seed, the classes that each client holds, and the data to
    measure on.

    `hours` counts each client's samples by the hour of the day, before any were dropped, where the
    data have hours.
    """

    problem: Softmax | Network
    classes: tuple[tuple[int, ...], ...]
    dataset: Dataset
    inputs: Any
    labels: Any
    owner: Any
    test_inputs: Any
    test_labels: Any
    hours: Any = None

    def with_seed(self, seed: int) -> Softmax | Network:
        return replace(self.problem, seed=seed)


def task(settings: Settings, data_dir: Path | None, seed: int) -> Task:
    """The task of a run; runs that share data, partition and model share the task."""
    partition_seed = seed if settings.partition_seed < 0 else settings.partition_seed
    only = Settings(
        algorithm="fedavg",
        local_steps=1,
        num_rounds=1,
        **{name: getattr(settings, name) for name in DATA_FIELDS},
    )
    return _task(only, data_dir, partition_seed, 0 if settings.model == "logistic" else seed)


@lru_cache(maxsize=2)
def dataset(name: str, data_dir: Path | None) -> Dataset:
    """A data set, read once."""
    return load(name, data_dir)


@lru_cache(maxsize=2)
def _task(settings: Settings, data_dir: Path | None, partition_seed: int, model_seed: int) -> Task:
    data = dataset(settings.data, data_dir)
    some, test = (
        evenly(len(data.labels), settings.train_samples),
        evenly(len(data.test_labels), settings.test_samples),
    )
    if settings.day_balance:
        if data.hours is None:
            raise InvalidInput("day balance", "have data with hours", settings.data)
        some = np.arange(len(data.labels))[some][
            daily.kept(
                data.labels[some], data.hours[some], settings.day_balance, seed=partition_seed
            )
        ]
    labels, groups = data.labels[some], None if data.groups is None else data.groups[some]
    dealt = deal(settings, labels, groups, partition_seed)
    inputs, test_inputs = (
        prepared(data.features[some], settings),
        prepared(data.test_features[test], settings),
    )
    owner = np.full(len(labels), -1)
    for i, held in enumerate(dealt.clients):
        owner[held] = i
    features, answers = (
        [inputs[held] for held in dealt.clients],
        [labels[held] for held in dealt.clients],
    )
    given: dict[str, Any] = {
        "weight_decay": settings.weight_decay,
        "batch_size": settings.batch_size,
    }
    if settings.model == "logistic":
        problem: Softmax | Network = Softmax(features, answers, data.num_classes, **given)
    else:
        shape = inputs.shape[1:]
        module = network(
            settings.model,
            channels=shape[0],
            size=shape[-1],
            num_classes=data.num_classes,
            seed=model_seed,
        )
        problem = Network(module, features, answers, **given)
    hours = (
        None
        if data.hours is None
        else hours_of_clients(data, [data.groups[some][held] for held in dealt.clients])
    )
    return Task(
        problem,
        partitions.held_classes(dealt, labels),
        data,
        inputs,
        labels,
        owner,
        test_inputs,
        data.test_labels[test],
        hours,
    )


def hours_of_clients(data: Dataset, owners: Any) -> Any:
    """(clients, 24) samples in each hour of the day of all whose samples a client holds."""
    return np.array(
        [
            np.bincount(data.hours[np.isin(data.groups, held)], minlength=daily.HOURS)
            for held in owners
        ]
    )


def evenly(total: int, wanted: int) -> Any:
    """So many places out of all, evenly spaced; all of them, as they are, if 0 are wanted.

    >>> evenly(10, 4).tolist(), evenly(3, 0)
    ([0, 2, 5, 7], slice(None, None, None))
    """
    return np.arange(wanted) * total // wanted if 0 < wanted < total else slice(None)


def deal(settings: Settings, labels: Any, groups: Any, seed: int) -> partitions.Partition:
    """The partition that the settings name."""
    clients = settings.num_clients
    match settings.partition:
        case "classes":
            return partitions.by_classes(labels, clients, settings.classes_per_client, seed=seed)
        case "one-class":
            return partitions.one_class_each(labels, clients, seed=seed)
        case "dirichlet":
            return partitions.dirichlet(
                labels, clients, concentration=settings.concentration, seed=seed
            )
        case "owner":
            if groups is None:
                raise InvalidInput("partition by owner", "have data with owners", settings.data)
            return partitions.by_group(groups, clients, seed=seed)
        case _:
            return partitions.iid(labels, clients, seed=seed)


def prepared(features: Any, settings: Settings) -> Any:
    """Rows with a constant 1 for logistic regression; images, enlarged by repeating pixels where
    asked, or characters for networks."""
    if settings.image_size:
        times = settings.image_size // features.shape[-1]
        features = features.repeat(times, axis=-1).repeat(times, axis=-2)
    if settings.model != "logistic":
        return features
    flat = features.reshape(len(features), -1).astype(np.float32)
    return np.concatenate([flat, np.ones((len(flat), 1), np.float32)], axis=1)


def measuring(
    job: Task, names: tuple[str, ...], surrogate: Any, arithmetic: Tensor
) -> Callable[[Any], dict[str, float]]:
    """A function from a model row to the named measures; `surrogate` weighs the clients for the
    surrogate loss."""
    logits = _logits(job, arithmetic)
    owned = job.owner >= 0
    counts = np.bincount(job.owner[owned], minlength=job.problem.num_clients)

    def measure(row: Any) -> dict[str, float]:
        found: dict[str, float] = {}
        if set(names) - {"test_accuracy"}:
            scores = logits(row, job.inputs)
            right = scores[np.arange(len(job.labels)), torch.as_tensor(job.labels)]
            sample_losses = (scores.logsumexp(1) - right).double().cpu().numpy()[owned]
            found["train_loss"] = float(sample_losses.mean())
            losses = np.bincount(job.owner[owned], sample_losses, minlength=len(counts)) / counts
            found["client_spread"] = float(losses.std())
            if surrogate is not None:
                found["surrogate_loss"] = float(surrogate @ losses)
                found["surrogate_spread"] = float(
                    np.sqrt(surrogate @ (losses - found["surrogate_loss"]) ** 2)
                )
        if "test_accuracy" in names:
            guesses = logits(row, job.test_inputs).argmax(1).cpu().numpy()
            found["test_accuracy"] = float((guesses == job.test_labels).mean())
        return {name: found[name] for name in names}

    return measure


def _logits(job: Task, arithmetic: Tensor) -> Callable[[Any, Any], Any]:
    problem, kept = job.problem, dict[int, Any]()

    def placed(inputs: Any) -> Any:
        if id(inputs) not in kept:
            kept[id(inputs)] = torch.as_tensor(inputs).to(
                dtype=arithmetic.dtype, device=arithmetic.device
            )
        return kept[id(inputs)]

    def linear(row: Any, inputs: Any) -> Any:
        return (row.reshape(job.dataset.num_classes, -1) @ placed(inputs).mT).mT

    if isinstance(problem, Softmax):
        return linear
    module = deepcopy(problem.module).to(dtype=arithmetic.dtype, device=arithmetic.device)

    @torch.no_grad()
    def by_network(row: Any, inputs: Any) -> Any:
        torch.nn.utils.vector_to_parameters(row.reshape(-1), module.parameters())
        whole = placed(inputs)
        return torch.cat(
            [module(whole[first : first + PIECE]) for first in range(0, len(whole), PIECE)]
        )

    return by_network
