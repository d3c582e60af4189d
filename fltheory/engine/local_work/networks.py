"""Minibatch gradients and local work of networks: on the CPU one client after the other, so that
the bits of a client do not depend on the other clients."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from fltheory.core.types import TorchTensor
from fltheory.engine.arithmetic.base import Arithmetic, Rows
from fltheory.engine.arithmetic.tensor import torch
from fltheory.engine.local_work.gradients import Gradient, gradient_of
from fltheory.engine.local_work.jobs import Jobs, seeds_of_runs
from fltheory.engine.local_work.minibatches import minibatch, sample_orders
from fltheory.engine.local_work.samples import NetworkProblem
from fltheory.engine.local_work.vmapped import Together, can_be_together
from fltheory.engine.rounds import Round


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread within the block, because several threads may sum a product in another order.
    Use processes to employ more cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@dataclass(frozen=True, eq=False)
class NetworkWork:
    """Minibatch gradients and local work of a network problem, for a batch of runs."""

    problem: NetworkProblem
    arithmetic: Arithmetic
    batch: tuple[int, ...]
    inputs: TorchTensor
    labels: TorchTensor
    gradient_of: Gradient

    @classmethod
    def of(
        cls, problem: NetworkProblem, arithmetic: Arithmetic, batch: tuple[int, ...]
    ) -> "NetworkWork":
        longest = max(problem.samples)
        inputs = np.zeros((problem.num_clients, longest, *problem.features[0].shape[1:]))
        labels = np.zeros((problem.num_clients, longest), np.int64)
        for i, (rows, row) in enumerate(zip(problem.features, problem.labels, strict=True)):
            inputs[i, : len(rows)], labels[i, : len(row)] = rows, row
        tensors: TorchTensor = arithmetic.rows(inputs)
        return cls(
            problem,
            arithmetic,
            batch,
            tensors,
            torch.as_tensor(labels, device=tensors.device),
            gradient_of(problem.module, dtype=tensors.dtype, device=tensors.device),
        )

    @one_thread()
    def __call__(self, model: Rows, round: Round) -> Rows:
        """Deliveries of plain local SGD, zero for absent clients."""
        problem, jobs = self.problem, Jobs.of(round, self.batch)
        starts = jobs.starts(model)
        weights, gradient = self.gradient_of.weights, self.gradient_of.gradient
        deliveries = self.arithmetic.zeros(
            (int(np.prod(self.batch)), problem.num_clients, problem.dimension)
        )
        for start, member, client, steps, size in zip(
            starts, jobs.member, jobs.client, jobs.steps, jobs.step_size, strict=True
        ):
            weights.copy_(start)
            differentiate = self.minibatches(member, client, round.index)
            delivered = deliveries[member, client]
            for k in range(steps):
                differentiate(k)
                delivered += gradient
                weights.sub_(gradient.mul_(float(size)))
        return deliveries.reshape(*self.batch, problem.num_clients, problem.dimension)

    @one_thread()
    def oracle(self, rows: TorchTensor, index: int, step: int) -> TorchTensor:
        """The same gradients for all clients and runs, for the plain loop over local steps."""
        shape = torch.broadcast_shapes(
            rows.shape, (*self.batch, self.problem.num_clients, rows.shape[-1])
        )
        flat = rows.expand(shape).reshape(-1, shape[-1])
        found = torch.empty_like(flat)
        for place, (row, answer) in enumerate(zip(flat, found, strict=True)):
            self.gradient_of.weights.copy_(row)
            member, client = divmod(place, self.problem.num_clients)
            self.minibatches(member, client, index)(step)
            answer.copy_(self.gradient_of.gradient)
        return found.reshape(shape)

    @one_thread()
    def losses(self, rows: TorchTensor) -> TorchTensor:
        """Row i -> the mean loss over all samples of client i, plus the penalty; rows may have
        leading axes."""
        problem = self.problem
        shape = torch.broadcast_shapes(rows.shape, (problem.num_clients, rows.shape[-1]))
        flat = rows.expand(shape).reshape(-1, problem.num_clients, shape[-1])
        found = flat.new_zeros(flat.shape[:2])
        for i, count in enumerate(problem.samples):
            inputs, labels = self.inputs[i, :count].clone(), self.labels[i, :count]
            for run in range(len(flat)):
                self.gradient_of.weights.copy_(flat[run, i])
                found[run, i] = self.gradient_of.loss(inputs, labels)
        penalty = float(problem.weight_decay) / 2 * (flat**2).sum(-1)
        return (found + penalty).reshape(*shape[:-1], 1)

    def minibatches(self, member: int, client: int, index: int) -> Callable[[int], None]:
        """A function that computes, for a local step, the gradient of its minibatch plus weight
        decay."""
        problem, count = self.problem, self.problem.samples[client]
        seed = seeds_of_runs(problem.seed, self.batch)[member]
        decay, orders = float(problem.weight_decay), dict[int, TorchTensor]()

        def order_of(epoch: int) -> TorchTensor:
            if epoch not in orders:
                order = (
                    np.arange(count)
                    if problem.batch_size is None
                    else sample_orders(seed, index, client, epoch, count, most=count)
                )
                orders[epoch] = torch.as_tensor(order, device=self.labels.device)
            return orders[epoch]

        def chosen(step: int) -> TorchTensor:
            if problem.batch_size is None:
                return order_of(0)
            epoch, first, size = (int(x) for x in minibatch(step, count, problem.batch_size))
            return order_of(epoch)[first : first + size]

        def differentiate(step: int) -> None:
            some = chosen(step)
            self.gradient_of(
                self.inputs[client].index_select(0, some), self.labels[client].index_select(0, some)
            )
            if decay:
                self.gradient_of.gradient.add_(decay * self.gradient_of.weights)

        return differentiate


def work_of(
    problem: NetworkProblem, arithmetic: Arithmetic, batch: tuple[int, ...]
) -> NetworkWork | Together:
    """The local work of a network: clients one after the other on the CPU, together on other
    devices if the module permits it. The device and the module decide, never a timing."""
    alone = NetworkWork.of(problem, arithmetic, batch)
    return (
        alone
        if alone.inputs.device.type == "cpu" or not can_be_together(problem.module)
        else Together.of(alone)
    )
