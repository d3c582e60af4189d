"""Softmax regression on each client's own samples, with minibatches: MIFA's convex experiments.

Each row of the model is a (classes, features) matrix. Runs need the tensor arithmetic.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache

import numpy as np

from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import shares
from fltheory.core.types import (
    Array,
    ExactLike,
    IntArray,
    Nested,
    Seed,
    TorchTensor,
    Vector,
    Whole,
)
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.engine.local_work.jobs import seeds_of_runs
from fltheory.engine.local_work.minibatches import minibatch, sample_orders
from fltheory.engine.local_work.softmax import SoftmaxWork
from fltheory.engine.workers import LocalWork, Oracle
from fltheory.problems.client_samples import client_samples, training_settings
from fltheory.problems.constants import Constants


@frozen(eq=False)
class Softmax:
    """f_i(W) = mean over client i's samples of -log softmax(W x)_y, plus weight_decay/2 |W|^2.

    `features` and `labels` have one (samples, features) table and one list of labels per client;
    clients may have different numbers of samples. Without a batch size, gradients are exact.
    Several seeds give a batch of runs.

    >>> features, labels = [[[1, 0]], [[0, 1], [1, 1]]], [[0], [1, 0]]
    >>> problem = Softmax(features, labels, num_classes=2)
    >>> problem.num_clients, problem.dimension, problem.samples
    (2, 4, (1, 2))
    """

    features: Checked[Sequence[Nested], tuple[Array, ...]]
    labels: Checked[Sequence[Whole], tuple[Array, ...]]
    num_classes: int
    weight_decay: Checked[ExactLike, Fraction] = default(0)
    batch_size: int | None = None
    seed: Seed = 0
    importance: Checked[Vector | None, tuple[Fraction, ...]] = default(None)

    def __post_init__(self) -> None:
        features, labels = client_samples(
            tuple(_table(rows, i) for i, rows in enumerate(self.features)),
            self.labels,
            num_classes=self.num_classes,
        )
        decay = training_settings(self.batch_size, self.weight_decay)
        checked = {
            "features": features,
            "labels": labels,
            "weight_decay": decay,
            "importance": shares(self.importance, len(features)),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def num_clients(self) -> int:
        return len(self.features)

    @property
    def num_features(self) -> int:
        return int(self.features[0].shape[1])

    @property
    def dimension(self) -> int:
        return self.num_classes * self.num_features

    @cached_property
    def samples(self) -> tuple[int, ...]:
        """Number of samples of each client."""
        return tuple(len(rows) for rows in self.features)

    @property
    def affine(self) -> bool:
        """Gradients are not affine in the point."""
        return False

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Axes of a batch of runs, one for each seed."""
        return np.shape(self.seed)

    @property
    def constants(self) -> Constants:
        return Constants(strong_convexity=self.weight_decay or None)

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> mean over all samples of (softmax(W x) - e_y) x', plus weight_decay W."""
        data = _Data.of(self, arithmetic)
        everything = np.tile(np.arange(max(self.samples)), (self.num_clients, 1))
        return lambda rows: data.gradients(rows, everything, np.array(self.samples))

    def oracle(self, arithmetic: Arithmetic) -> Oracle:
        """Row i -> the same mean over the minibatch of that round and local step."""
        if self.batch_size is None:
            exact_gradients = self.gradients(arithmetic)
            return lambda rows, index, step: exact_gradients(rows)
        need_tensors(arithmetic)
        data = cache(lambda: _Data.of(self, arithmetic))  # on first use: rarely needed
        samples, clients = np.array(self.samples), np.arange(self.num_clients)
        size, longest = self.batch_size, max(self.samples)
        seeds = seeds_of_runs(self.seed, self.batch_shape).reshape(*self.batch_shape, 1)

        @lru_cache(maxsize=2)
        def orders(index: int, epochs: tuple[int, ...]) -> IntArray:
            return sample_orders(seeds, index, clients, np.array(epochs), samples, most=longest)

        def gradients(rows: TorchTensor, index: int, step: int) -> TorchTensor:
            epochs, first, count = minibatch(step, samples, size)
            places = np.minimum(first[:, None] + np.arange(min(size, longest)), longest - 1)
            order = orders(index, tuple(epochs.tolist()))
            return data().gradients(rows, order[..., clients[:, None], places], count)

        return gradients

    def losses(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> f_i at row i, one number, over all samples."""
        data = _Data.of(self, arithmetic)

        def losses(rows: TorchTensor) -> TorchTensor:
            weights = rows.reshape(*rows.shape[:-1], self.num_classes, self.num_features)
            fit = -((weights @ data.features.mT).log_softmax(-2) * data.targets).sum(-2)
            return (fit.sum(-1) / data.counts)[..., None] + data.decay / 2 * (rows**2).sum(
                -1, keepdim=True
            )

        return losses

    def local_work(self, arithmetic: Arithmetic, batch: tuple[int, ...]) -> LocalWork | None:
        """K steps of local SGD at once, for clients that deliver only."""
        return None if self.batch_size is None else SoftmaxWork(self, arithmetic, batch)


@dataclass(frozen=True, eq=False)
class _Data:
    """All samples as tensors; clients with fewer samples are padded with zeros."""

    features: TorchTensor
    targets: TorchTensor
    counts: TorchTensor
    decay: float

    @classmethod
    def of(cls, problem: Softmax, arithmetic: Arithmetic) -> "_Data":
        need_tensors(arithmetic)
        longest = max(problem.samples)
        features = np.zeros((problem.num_clients, longest, problem.num_features))
        targets = np.zeros((problem.num_clients, problem.num_classes, longest))
        for i, (rows, row) in enumerate(zip(problem.features, problem.labels, strict=True)):
            features[i, : len(rows)] = rows
            targets[i, row, np.arange(len(row))] = 1
        counts = arithmetic.rows(problem.samples)
        return cls(
            arithmetic.rows(features), arithmetic.rows(targets), counts, float(problem.weight_decay)
        )

    def gradients(self, rows: TorchTensor, chosen: IntArray, count: IntArray) -> TorchTensor:
        """Mean gradient over the first `count` of the chosen samples of each client.

        On a CPU, runs and clients are computed one after the other, on copies: the order of a
        product's sums depends on its shape and alignment, so only this gives each client the same
        bits in every batch.
        """
        clients, classes = self.targets.shape[:2]
        weights = rows.reshape(*rows.shape[:-1], classes, self.features.shape[-1])
        weights = weights.expand(*weights.shape[:-3], clients, *weights.shape[-2:])
        share = weights.new_tensor((np.arange(chosen.shape[-1]) < count[:, None]) / count[:, None])
        if rows.device.type != "cpu":
            return self._mean(
                weights, np.arange(clients)[:, None], chosen, share[:, None, :]
            ).flatten(-2)
        batch = np.broadcast_shapes(weights.shape[:-3], chosen.shape[:-2])
        flat = weights.expand(*batch, *weights.shape[-3:]).reshape(-1, *weights.shape[-3:])
        which = np.array(np.broadcast_to(chosen, (*batch, *chosen.shape[-2:]))).reshape(
            -1, *chosen.shape[-2:]
        )
        result = flat.new_empty(flat.shape)
        for run in range(len(flat)):
            for i in range(clients):
                result[run, i] = self._mean(flat[run, i].clone(), i, which[run, i], share[i])
        return result.reshape(*batch, clients, -1)

    def _mean(
        self, weights: TorchTensor, who: int | IntArray, which: IntArray, share: TorchTensor
    ) -> TorchTensor:
        """The sum over the samples `which` of the clients `who` of share (softmax(W x) - e_y) x',
        plus weight decay."""
        samples, targets = self.features[who, which], self.targets.mT[who, which].mT
        errors = ((weights @ samples.mT).softmax(-2) - targets) * share
        return errors @ samples + self.decay * weights


def need_tensors(arithmetic: Arithmetic) -> None:
    """Refuse every arithmetic except tensors."""
    if arithmetic.name != "tensor":
        raise InvalidInput("arithmetic", "be tensor for learning problems", arithmetic.name)


def with_bias(features: Sequence[Nested]) -> tuple[Array, ...]:
    """The clients' features with a column of ones, so that the last weight of each class is its
    bias.

    >>> [rows.tolist() for rows in with_bias([[[2, 3]]])]
    [[[2.0, 3.0, 1.0]]]
    """
    tables = [_table(rows, i) for i, rows in enumerate(features)]
    return tuple(
        np.concatenate([rows, np.ones((len(rows), 1), rows.dtype)], axis=1) for rows in tables
    )


def _table(rows: Nested, client: int) -> Array:
    """The samples of a client as floats; single precision is kept."""
    array = np.asarray(rows)
    array = array if array.dtype == np.float32 else array.astype(np.float64)
    if array.ndim != 2 or 0 in array.shape or not np.isfinite(array).all():
        raise InvalidInput(
            f"features of client {client}",
            "be a table of finite numbers, one row per sample",
            f"shape {array.shape}",
        )
    return array
