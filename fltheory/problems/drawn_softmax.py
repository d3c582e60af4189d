"""Softmax regression on a device: minibatches drawn with replacement by key, clients and runs
together."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fltheory.core.types import Seed, TorchTensor
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.engine.device.roles import OnDeviceWork
from fltheory.problems.constants import Constants
from fltheory.problems.drawn_samples import DrawnSamples, products
from fltheory.problems.logistic import Softmax, need_tensors


@dataclass(frozen=True)
class DrawnSoftmax:
    """A softmax regression whose gradients are means over `batch_size` samples, each drawn from all
    samples of the client; several seeds give a batch of runs.

    All clients have equally many samples. The samples of a local step have the key (seed,
    minibatches, round, client, step * batch_size + place).

    >>> from fltheory.problems.samples import synthetic_samples
    >>> data = synthetic_samples(2, samples=4, features=3)
    >>> DrawnSoftmax(Softmax(data.features, data.labels, 5), 2, seed=(0, 1)).batch_shape
    (2,)
    """

    softmax: Softmax
    batch_size: int = 1
    seed: Seed = 0

    @property
    def num_clients(self) -> int:
        return self.softmax.num_clients

    @property
    def dimension(self) -> int:
        return self.softmax.dimension

    @property
    def round_numbers(self) -> int:
        """Numbers of the largest table of a run: every weight at every sample."""
        return self.softmax.num_clients * self.softmax.samples[0] * self.softmax.dimension

    @property
    def constants(self) -> Constants:
        return self.softmax.constants

    @property
    def affine(self) -> bool:
        """Gradients are not affine in the point."""
        return False

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Axes of a batch of runs, one for each seed."""
        return np.shape(self.seed)

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> the gradient over all samples."""
        return self.softmax.gradients(arithmetic)

    def on_device(self, arithmetic: Arithmetic, device: str) -> OnDeviceWork:
        """Gradients for all clients of a run of every seed, in which everything stays there."""
        need_tensors(arithmetic)
        work = _Drawn(self, arithmetic, device)
        return OnDeviceWork(work.drawn, work.exact)


class _Drawn:
    """Gradients of softmax regression, for rows of weights."""

    def __init__(self, problem: DrawnSoftmax, arithmetic: Arithmetic, device: str) -> None:
        softmax = problem.softmax
        self.decay = float(softmax.weight_decay)
        self.data = DrawnSamples(
            softmax.features,
            softmax.labels,
            softmax.num_classes,
            problem.batch_size,
            problem.seed,
            arithmetic,
            device,
        )

    def exact(self, rows: Rows) -> Rows:
        """Row i -> its gradient over all samples of client i."""
        return self._mean(rows, self.data.features, self.data.labels)

    def drawn(self, rows: Rows, index: int, step: int) -> Rows:
        """Row i -> its gradient over the samples of client i that belong to a round and a step."""
        return self._mean(rows, *self.data.minibatch(index, step))

    def _mean(self, rows: Rows, features: TorchTensor, labels: TorchTensor) -> Rows:
        """The mean over samples (last but one axis of the features) of (softmax(W x) - e_y) x',
        plus weight decay."""
        weights = rows.reshape(*rows.shape[:-1], len(self.data.classes), features.shape[-1])
        errors = self.data.errors(products(weights, features), labels)
        return (products(errors, features.mT) + self.decay * weights).flatten(-2)
