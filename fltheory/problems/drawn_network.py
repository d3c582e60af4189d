"""A network with one hidden layer on a device: minibatches drawn by key, clients and runs
together."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fltheory.core.randomness import Purpose, normals
from fltheory.core.types import Array, Seed, TorchTensor
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.engine.device.roles import OnDeviceWork
from fltheory.problems.constants import Constants
from fltheory.problems.drawn_samples import DrawnSamples, products
from fltheory.problems.logistic import need_tensors
from fltheory.problems.samples import Samples


@dataclass(frozen=True)
class DrawnNetwork:
    """f_i = mean cross-entropy of V tanh(W x + b) + c on client i's samples, with gradients over
    `batch_size` of them, drawn with replacement; several seeds give a batch of runs.

    A model is W, b, V and c, one after the other. All clients have equally many samples.

    >>> from fltheory.problems.samples import synthetic_samples
    >>> data = synthetic_samples(2, samples=4, features=3, num_classes=5)
    >>> DrawnNetwork(data, hidden=4, seed=(0, 1)).dimension
    41
    """

    samples: Samples
    hidden: int = 16
    batch_size: int = 1
    seed: Seed = 0

    @property
    def num_clients(self) -> int:
        return len(self.samples.features)

    @property
    def num_features(self) -> int:
        """Features of a sample."""
        return int(self.samples.features[0].shape[1])

    @property
    def dimension(self) -> int:
        return self.hidden * (self.num_features + 1) + self.samples.num_classes * (self.hidden + 1)

    @property
    def round_numbers(self) -> int:
        """Numbers of the largest table of a run: every weight of W at every sample."""
        held = len(self.samples.labels[0])
        return self.num_clients * held * self.hidden * self.num_features

    @property
    def constants(self) -> Constants:
        return Constants()

    @property
    def affine(self) -> bool:
        """Gradients are not affine in the point."""
        return False

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Axes of a batch of runs, one for each seed."""
        return np.shape(self.seed)

    @cached_property
    def first_model(self) -> Array:
        """Weights drawn by key, scaled by the root of their fan-in, and no biases: hidden units
        that start alike would stay alike."""
        wide, classes = self.num_features, self.samples.num_classes
        first = normals(0, Purpose.START, 0, 0, range(self.hidden * wide)) / wide**0.5
        last = normals(0, Purpose.START, 0, 1, range(classes * self.hidden)) / self.hidden**0.5
        return np.concatenate([first, np.zeros(self.hidden), last, np.zeros(classes)])

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> the gradient over all samples."""
        need_tensors(arithmetic)
        return _DrawnGradients(self, arithmetic, "cpu").exact

    def on_device(self, arithmetic: Arithmetic, device: str) -> OnDeviceWork:
        """Gradients for all clients of a run of every seed, in which everything stays there."""
        need_tensors(arithmetic)
        work = _DrawnGradients(self, arithmetic, device)
        return OnDeviceWork(work.drawn, work.exact)


class _DrawnGradients:
    """Gradients of a network by the chain rule, for rows of weights."""

    def __init__(self, problem: DrawnNetwork, arithmetic: Arithmetic, device: str) -> None:
        held = problem.samples
        self.hidden, self.classes, self.wide = (
            problem.hidden,
            held.num_classes,
            problem.num_features,
        )
        self.data = DrawnSamples(
            list(held.features),
            list(held.labels),
            held.num_classes,
            problem.batch_size,
            problem.seed,
            arithmetic,
            device,
        )

    def exact(self, rows: Rows) -> Rows:
        """Row i -> its gradient over all samples of client i."""
        return self._mean(rows, self.data.features, self.data.labels)

    def drawn(self, rows: Rows, index: int, step: int) -> Rows:
        """Row i -> its gradient over the minibatch of a round and a step."""
        return self._mean(rows, *self.data.minibatch(index, step))

    def _mean(self, rows: TorchTensor, features: TorchTensor, labels: TorchTensor) -> TorchTensor:
        """With a = tanh(W x + b) and e = (softmax(V a + c) - e_y)/samples: e a' for V, e for c, and
        with z = (V' e)(1 - a^2): z x' for W, z for b."""
        from fltheory.engine.arithmetic.tensor import torch

        one, two = self.hidden * self.wide, self.classes * self.hidden
        first, bias, last, shift = rows.split([one, self.hidden, two, self.classes], -1)
        first = first.reshape(*first.shape[:-1], self.hidden, self.wide)
        last = last.reshape(*last.shape[:-1], self.classes, self.hidden)
        active = torch.tanh(products(first, features) + bias[..., None])
        errors = self.data.errors(products(last, active.mT) + shift[..., None], labels)
        back = products(last.mT, errors.mT) * (1 - active * active)
        parts = (
            products(back, features.mT).flatten(-2),
            back.sum(-1),
            products(errors, active).flatten(-2),
            errors.sum(-1),
        )
        return torch.cat(parts, -1)
