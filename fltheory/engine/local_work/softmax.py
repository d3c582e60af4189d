"""K steps of local SGD on softmax regression at once, for every job of a round, in whichever of two
forms is cheaper.

In weights: W <- W - eta (E_b X_b + decay W), with the errors E_b = (softmax(W X_b') - Y_b)/|b| of a
minibatch b. In samples: all logits Z = W_0 X' move by Z <- a Z - eta E_b (X X')[b, :], a = 1 - eta
decay, so that the steps never touch the features; the delivery is decay (1 + a + ... + a^{K-1}) W_0
+ C X, where C gathers a^{K-1-k} E_k by sample. Runs share a client's data, so they share the first
and the last product.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from fltheory.engine.arithmetic.base import Arithmetic, Rows
from fltheory.engine.compiled import NUMBA
from fltheory.engine.local_work.jobs import Jobs, seeds_of_runs
from fltheory.engine.local_work.minibatches import minibatch, sample_orders
from fltheory.engine.rounds import Round

MOST_BYTES = 4 << 30
"""Memory that all Gram matrices together may take."""


@dataclass(frozen=True, eq=False)
class ClientData:
    """One client's samples: features (samples, features), targets (classes, samples), labels and,
    once needed, the Gram matrix."""

    features: Any
    targets: Any
    labels: Any

    @cached_property
    def gram(self) -> Any:
        return self.features @ self.features.mT


class Steps(NamedTuple):
    """What local work a group of jobs does: minibatches as (epoch, first place, size), step size
    and weight decay."""

    minibatches: tuple[tuple[int, int, int], ...]
    step_size: float
    decay: float

    @property
    def shrink(self) -> float:
        """What a step leaves of the weights, apart from the errors."""
        return 1 - self.step_size * self.decay

    @property
    def kept(self) -> float:
        """decay (1 + a + ... + a^{K-1}), the part of the first weights in a delivery."""
        total = 0.0
        for _ in self.minibatches:
            total = 1 + self.shrink * total
        return self.decay * total


def in_weights(client: ClientData, weights: Rows, orders: Any, steps: Steps) -> Rows:
    """Deliveries (runs, classes, features) from as many weights and their sample orders (epochs,
    runs, samples)."""
    delivered = weights.new_zeros(weights.shape)
    for some in _portions(weights):
        local = weights[
            some
        ].clone()  # where a product begins in memory may change the order of its sums
        for epoch, first, count in steps.minibatches:
            chosen = orders[epoch, some, first : first + count]
            rows = client.features[chosen]
            errors = (local @ rows.mT).softmax(-2) - client.targets[:, chosen].movedim(0, 1)
            direction = (steps.decay * local).baddbmm(errors, rows, alpha=1 / count)
            delivered[some] += direction
            local = local - steps.step_size * direction
    return delivered


def in_samples(client: ClientData, weights: Rows, orders: Any, steps: Steps) -> Rows:
    """The same deliveries, from Gram matrices."""
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
            np.array(steps.minibatches),
            number(steps.step_size),
            number(steps.shrink),
        )
    else:
        for some in _portions(logits):
            _sample_steps(logits[some], gathered[some], client, orders[:, some], steps)
    return products(gathered, client.features).add_(weights, alpha=steps.kept)


def _portions(stack: Rows) -> list[slice]:
    """Runs that take their steps together: one on a CPU, where that keeps to the cache and to the
    bits; all on other devices."""
    size = 1 if stack.device.type == "cpu" else max(len(stack), 1)
    return [slice(first, first + size) for first in range(0, len(stack), size)]


def products(stack: Rows, table: Rows) -> Rows:
    """Every matrix of a stack times one table: in one product where that keeps the bits of the
    single ones, else one by one.

    One tall product is nearly twice as fast as many flat ones, but a library may sum in another
    order for another height.
    """
    if _tall_keeps_bits(
        tuple(stack.shape), tuple(table.shape), table.stride(0) == 1, stack.dtype, stack.device
    ):
        return (stack.reshape(-1, stack.shape[-1]) @ table).reshape(
            *stack.shape[:-1], table.shape[-1]
        )
    result = stack.new_empty((*stack.shape[:-1], table.shape[-1]))
    for i, one in enumerate(stack):
        result[i] = one.clone() @ table
    return result


@cache
def _tall_keeps_bits(
    shape: tuple[int, int, int], table: tuple[int, int], transposed: bool, dtype: Any, device: Any
) -> bool:
    """Tried out once for each shape: the order of summation depends on shapes and strides, not on
    the numbers."""
    from fltheory.engine.arithmetic.tensor import torch

    def numbers(shape: tuple[int, ...]) -> Any:
        return (
            torch.arange(int(np.prod(shape)), dtype=torch.float64)
            .sin()
            .reshape(shape)
            .to(dtype=dtype, device=device)
        )

    stack, right = numbers(shape), numbers(table[::-1]).mT if transposed else numbers(table)
    tall = (stack.reshape(-1, shape[-1]) @ right).reshape(*shape[:-1], -1)
    return all(
        torch.equal(one.clone() @ right, rows) for one, rows in zip(stack, tall, strict=True)
    )


def _sample_steps(
    logits: Any, gathered: Any, client: ClientData, orders: Any, steps: Steps
) -> None:
    """Move the logits of some runs through all steps and gather the errors by sample, in place."""
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


def pays(num_samples: int, num_features: int, computed: int) -> bool:
    """Whether Gram matrices take fewer multiplications: 2 n d + n c against 2 d c, for c samples
    computed in K steps.

    >>> pays(570, 784, 2 * 570), pays(570, 784, 570)
    (True, False)
    """
    return 2 * num_samples * num_features + num_samples * computed < 2 * num_features * computed


@dataclass(frozen=True, eq=False)
class SoftmaxWork:
    """Local work of a softmax problem for a batch of runs; deliveries are zero for absent
    clients."""

    problem: Any
    arithmetic: Arithmetic
    batch: tuple[int, ...]

    @cached_property
    def clients(self) -> list[ClientData]:
        rows, one_hot = self.arithmetic.rows, np.eye(self.problem.num_classes)
        pairs = zip(self.problem.features, self.problem.labels, strict=True)
        return [
            ClientData(rows(features), rows(one_hot[:, labels]), rows(labels).long())
            for features, labels in pairs
        ]

    @cached_property
    def fits(self) -> bool:
        """Whether all Gram matrices fit in memory."""
        return 8 * sum(n * n for n in self.problem.samples) <= MOST_BYTES

    def __call__(self, model: Rows, round: Round) -> Rows:
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
                tuple(_minibatches(count, samples, problem.batch_size)),
                size,
                float(problem.weight_decay),
            )
            computed = sum(minibatch[-1] for minibatch in steps.minibatches)
            form = (
                in_samples
                if self.fits and pays(samples, problem.num_features, computed)
                else in_weights
            )
            weights = starts[group].reshape(-1, problem.num_classes, problem.num_features)
            order = data.labels.new_tensor(orders[:, group, :samples])
            deliveries[jobs.member[group], client] = form(data, weights, order, steps).flatten(1)
        return deliveries.reshape(*self.batch, problem.num_clients, problem.dimension)

    def _orders(self, jobs: Jobs, index: int) -> Any:
        """Sample orders of all jobs, (epochs, jobs, most samples)."""
        samples = np.array(self.problem.samples)[jobs.client]
        epochs = minibatch(jobs.steps - 1, samples, self.problem.batch_size)[0].max() + 1
        seeds = seeds_of_runs(self.problem.seed, self.batch)[jobs.member]
        return sample_orders(
            seeds, index, jobs.client, np.arange(epochs)[:, None], samples, most=int(samples.max())
        )


def _minibatches(steps: int, samples: int, batch_size: int) -> Iterator[tuple[int, int, int]]:
    for k in range(steps):
        epoch, first, count = minibatch(k, samples, batch_size)
        yield int(epoch), int(first), int(count)
