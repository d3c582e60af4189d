"""K steps of local SGD on softmax regression, for every job of a round, in the cheaper of two
forms. The choice depends on the client's samples and the number of steps, never on who is beside.

In weights: W <- W - eta (E_b X_b + decay W), with the errors E_b = (softmax(W X_b') - Y_b)/|b| of a
minibatch b. In samples: all logits Z = W_0 X' move by Z <- a Z - eta E_b (X X')[b, :], a = 1 - eta
decay, so that the steps do not need the features; the delivery is decay (1 + a + ... + a^{K-1}) W_0
+ C X, where C sums a^{K-1-k} E_k by sample. Runs share the data of a client, so they share the
first and the last product.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import Array, IntArray, TorchTensor
from fltheory.engine.arithmetic.base import Arithmetic
from fltheory.engine.compiled import NUMBA
from fltheory.engine.local_work.jobs import Jobs, seeds_of_runs
from fltheory.engine.local_work.minibatches import minibatch, sample_orders
from fltheory.engine.local_work.samples import SoftmaxProblem
from fltheory.engine.local_work.tall_products import products
from fltheory.engine.rounds import Round

MOST_BYTES = 4 << 30
"""Memory that all Gram matrices together may take."""

GRAM_COST = 2.0
"""Time of a multiplication with Gram matrices, beside one in the compiled loop over weights."""


@dataclass(frozen=True, eq=False)
class ClientData:
    """The samples of one client: features (samples, columns), the numbers of these columns, targets
    (classes, samples), labels and, when it is needed, the Gram matrix.

    Columns that are 0 in every sample are left out: their gradient is the weight decay alone.
    """

    features: TorchTensor
    columns: TorchTensor
    targets: TorchTensor
    labels: TorchTensor

    @classmethod
    def of(
        cls, features: Array, labels: IntArray, num_classes: int, arithmetic: Arithmetic
    ) -> "ClientData":
        columns = np.flatnonzero(features.any(axis=0))
        given: TorchTensor = arithmetic.rows(labels)
        given = given.long()
        return cls(
            arithmetic.rows(np.ascontiguousarray(features[:, columns])),
            given.new_tensor(columns),
            arithmetic.rows(np.eye(num_classes)[:, labels]),
            given,
        )

    @cached_property
    def gram(self) -> TorchTensor:
        return self.features @ self.features.mT


class Steps(NamedTuple):
    """The local work of a group of jobs: minibatches as (epoch, first place, size), step size and
    weight decay."""

    minibatches: tuple[tuple[int, int, int], ...]
    step_size: float
    decay: float

    @property
    def shrink(self) -> float:
        """a, the factor of the weights in one step."""
        return 1 - self.step_size * self.decay

    @property
    def kept(self) -> float:
        """decay (1 + a + ... + a^{K-1}), the factor of the first weights in a delivery."""
        total = 0.0
        for _ in self.minibatches:
            total = 1 + self.shrink * total
        return self.decay * total


def in_weights(
    client: ClientData, weights: TorchTensor, orders: TorchTensor, steps: Steps
) -> TorchTensor:
    """Deliveries (runs, classes, features) from weights of the same shape and their sample orders
    (epochs, runs, samples)."""
    if NUMBA and weights.device.type == "cpu":
        return _compiled_steps(client, weights, orders, steps)
    whole, weights = weights, weights[..., client.columns]
    delivered = weights.new_zeros(weights.shape)
    for some in _portions(weights):
        local = weights[some].clone()  # the order of a product's sums depends on the alignment
        for epoch, first, count in steps.minibatches:
            chosen = orders[epoch, some, first : first + count]
            rows = client.features[chosen]
            errors = (local @ rows.mT).softmax(-2) - client.targets[:, chosen].movedim(0, 1)
            direction = (steps.decay * local).baddbmm(errors, rows, alpha=1 / count)
            delivered[some] += direction
            local = local - steps.step_size * direction
    return _everywhere(client, whole, delivered, steps)


def _everywhere(
    client: ClientData, weights: TorchTensor, delivered: TorchTensor, steps: Steps
) -> TorchTensor:
    """Deliveries of all columns from those of the client's."""
    result = weights * steps.kept
    result[..., client.columns] = delivered
    return result


def _compiled_steps(
    client: ClientData, weights: TorchTensor, orders: TorchTensor, steps: Steps
) -> TorchTensor:
    """The deliveries of in_weights from one compiled loop."""
    from fltheory.engine.compiled.softmax import weight_steps

    delivered = weights.new_empty(weights.shape)
    number = weights.numpy().dtype.type
    weight_steps(
        weights.numpy(),
        delivered.numpy(),
        client.features.numpy(),
        client.columns.numpy(),
        client.labels.numpy(),
        orders.numpy(),
        _table(steps.minibatches),
        number(steps.step_size),
        number(steps.decay),
        number(steps.kept),
    )
    return delivered


def in_samples(
    client: ClientData, weights: TorchTensor, orders: TorchTensor, steps: Steps
) -> TorchTensor:
    """The same deliveries, computed with Gram matrices."""
    whole, weights = weights, weights[..., client.columns]
    logits = products(weights, client.features.mT)
    gathered = logits.new_zeros(logits.shape)
    if NUMBA and logits.device.type == "cpu":
        from fltheory.engine.compiled.softmax import sample_steps

        number = logits.numpy().dtype.type
        sample_steps(
            logits.numpy(),
            gathered.numpy(),
            client.labels.numpy(),
            client.gram.numpy(),
            orders.numpy(),
            _table(steps.minibatches),
            number(steps.step_size),
            number(steps.shrink),
        )
    else:
        for some in _portions(logits):
            _sample_steps(logits[some], gathered[some], client, orders[:, some], steps)
    delivered = products(gathered, client.features).add_(weights, alpha=steps.kept)
    return _everywhere(client, whole, delivered, steps)


def _portions(stack: TorchTensor) -> list[slice]:
    """Runs that take their steps together: one at a time on a CPU, which uses the cache and keeps
    the bits; all on other devices."""
    size = 1 if stack.device.type == "cpu" else max(len(stack), 1)
    return [slice(first, first + size) for first in range(0, len(stack), size)]


def _sample_steps(
    logits: TorchTensor,
    gathered: TorchTensor,
    client: ClientData,
    orders: TorchTensor,
    steps: Steps,
) -> None:
    """Apply all steps to the logits of some runs and sum the errors by sample, in place."""
    runs, classes, _ = logits.shape
    for epoch, first, count in steps.minibatches:
        chosen = orders[epoch, :, first : first + count]
        places = chosen[:, None, :].expand(runs, classes, count)
        errors = logits.gather(2, places).softmax(1) - client.targets[:, chosen].movedim(0, 1)
        if steps.shrink != 1:
            gathered.mul_(steps.shrink)
        gathered.scatter_add_(2, places, errors / count)
        rows = client.gram.index_select(0, chosen.reshape(-1)).reshape(runs, count, -1)
        logits.baddbmm_(errors, rows, beta=steps.shrink, alpha=-steps.step_size / count)


def pays(num_samples: int, num_features: int, computed: int, cost: float = 1.0) -> bool:
    """Whether Gram matrices are cheaper: 2 n d + n c multiplications, each `cost` times as long,
    against 2 d c, for c samples processed in K steps.

    >>> pays(570, 784, 2 * 570), pays(570, 784, 570), pays(570, 784, 2 * 570, GRAM_COST)
    (True, False, False)
    """
    return cost * (2 * num_samples * num_features + num_samples * computed) < (
        2 * num_features * computed
    )


@dataclass(frozen=True, eq=False)
class SoftmaxWork:
    """Local work of a softmax problem with minibatches, for a batch of runs; deliveries are zero
    for absent clients."""

    problem: SoftmaxProblem
    arithmetic: Arithmetic
    batch: tuple[int, ...]

    @cached_property
    def clients(self) -> list[ClientData]:
        return [
            ClientData.of(features, labels, self.problem.num_classes, self.arithmetic)
            for features, labels in zip(self.problem.features, self.problem.labels, strict=True)
        ]

    @cached_property
    def batch_size(self) -> int:
        """Samples in a minibatch."""
        if self.problem.batch_size is None:
            raise InvalidInput("batch size", "be given for local work on minibatches", None)
        return self.problem.batch_size

    @cached_property
    def fits(self) -> bool:
        """Whether all Gram matrices fit in memory."""
        return 8 * sum(n * n for n in self.problem.samples) <= MOST_BYTES

    def __call__(self, model: TorchTensor, round: Round) -> TorchTensor:
        problem, jobs = self.problem, Jobs.of(round, self.batch)
        starts = jobs.starts(model)
        deliveries = self.arithmetic.zeros(
            (int(np.prod(self.batch)), problem.num_clients, problem.dimension)
        )
        if len(jobs.client) == 0:
            return deliveries.reshape(*self.batch, problem.num_clients, problem.dimension)
        orders = self._orders(jobs, round.index)
        for client, count, size, group in jobs.groups():
            data, samples = self.clients[client], problem.samples[client]
            steps = Steps(
                _minibatches(count, samples, self.batch_size),
                size,
                float(problem.weight_decay),
            )
            computed = sum(minibatch[-1] for minibatch in steps.minibatches)
            cost = GRAM_COST if NUMBA and data.features.device.type == "cpu" else 1.0
            form = (
                in_samples
                if self.fits and pays(samples, len(data.columns), computed, cost)
                else in_weights
            )
            weights = starts[group].reshape(-1, problem.num_classes, problem.num_features)
            order = data.labels.new_tensor(orders[:, group, :samples])
            deliveries[jobs.member[group], client] = form(data, weights, order, steps).flatten(1)
        return deliveries.reshape(*self.batch, problem.num_clients, problem.dimension)

    def _orders(self, jobs: Jobs, index: int) -> IntArray:
        """Sample orders of all jobs, (epochs, jobs, largest number of samples)."""
        samples = np.array(self.problem.samples)[jobs.client]
        epochs = minibatch(jobs.steps - 1, samples, self.batch_size)[0].max() + 1
        seeds = seeds_of_runs(self.problem.seed, self.batch)[jobs.member]
        return sample_orders(
            seeds, index, jobs.client, np.arange(epochs)[:, None], samples, most=int(samples.max())
        )


@cache
def _minibatches(steps: int, samples: int, batch_size: int) -> tuple[tuple[int, int, int], ...]:
    """(epoch, first place, size) of the minibatch of each step."""
    epoch, first, count = minibatch(np.arange(steps), samples, batch_size)
    return tuple(zip(epoch.tolist(), first.tolist(), count.tolist(), strict=True))


@cache
def _table(minibatches: tuple[tuple[int, int, int], ...]) -> IntArray:
    """The minibatches as rows, for compiled loops."""
    return np.array(minibatches)
