"""Minibatch gradients and local work of networks: on the CPU one client after the other, so that
bits do not depend on who is beside."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.engine.arithmetic.base import Arithmetic, Rows
from fltheory.engine.arithmetic.tensor import torch
from fltheory.engine.local_work.gradients import Gradient, gradient_of
from fltheory.engine.local_work.jobs import Jobs, seeds_of_runs
from fltheory.engine.local_work.minibatches import minibatch, sample_orders
from fltheory.engine.local_work.vmapped import Together, can_be_together
from fltheory.engine.rounds import Round


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for a while: shared among several, a product may be summed in another order.
    Processes are the way to use more cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@dataclass(frozen=True, eq=False)
class NetworkWork:
    """Minibatch gradients and local work of a network problem, for a batch of runs."""

    problem: Any
    arithmetic: Arithmetic
    batch: tuple[int, ...]
    inputs: Any
    labels: Any
    gradient_of: Gradient

    @classmethod
    def of(cls, problem: Any, arithmetic: Arithmetic, batch: tuple[int, ...]) -> "NetworkWork":
        longest = max(problem.samples)
        inputs = np.zeros((problem.num_clients, longest, *problem.features[0].shape[1:]))
        labels = np.zeros((problem.num_clients, longest), np.int64)
        for i, (rows, row) in enumerate(zip(problem.features, problem.labels, strict=True)):
            inputs[i, : len(rows)], labels[i, : len(row)] = rows, row
        tensors = arithmetic.rows(inputs)
        like = {"dtype": tensors.dtype, "device": tensors.device}
        return cls(
            problem,
            arithmetic,
            batch,
            tensors,
            torch.as_tensor(labels, device=tensors.device),
            gradient_of(problem.module, **like),
        )

    @one_thread()
    def __call__(self, model: Rows, round: Round) -> Rows:
        """Deliveries of plain local SGD, zero for absent clients."""
        problem, jobs = self.problem, Jobs.of(round, self.batch)
        starts, weights, gradient = (
            jobs.starts(model),
            self.gradient_of.weights,
            self.gradient_of.gradient,
        )
        deliveries = self.arithmetic.zeros(
            (int(np.prod(self.batch)), problem.num_clients, problem.dimension)
        )
        for start, member, client, steps, size in zip(
            starts, jobs.member, jobs.client, jobs.steps, jobs.step_size, strict=True
        ):
            weights.copy_(start)
            differentiate, delivered = (
                self.minibatches(member, client, round.index),
                deliveries[member, client],
            )
            for k in range(steps):
                differentiate(k)
                delivered += gradient
                weights.sub_(gradient.mul_(float(size)))
        return deliveries.reshape(*self.batch, problem.num_clients, problem.dimension)

    @one_thread()
    def oracle(self, rows: Rows, index: int, step: int) -> Rows:
        """The same gradients for all clients and runs, as the plain loop over local steps asks for
        them."""
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
    def losses(self, rows: Rows) -> Rows:
        """Row i -> the mean over all samples of client i, plus the penalty; rows may have leading
        axes."""
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
        """Local step -> nothing, but the gradient is that of its minibatch, plus weight decay."""
        problem, count, seed = (
            self.problem,
            self.problem.samples[client],
            seeds_of_runs(self.problem.seed, self.batch)[member],
        )
        decay, orders = float(problem.weight_decay), dict[int, Any]()

        def chosen(step: int) -> Any:
            epoch, first, size = (
                (0, 0, count)
                if problem.batch_size is None
                else minibatch(step, count, problem.batch_size)
            )
            if epoch not in orders:
                order = (
                    np.arange(count)
                    if problem.batch_size is None
                    else sample_orders(seed, index, client, epoch, count, most=count)
                )
                orders[epoch] = torch.as_tensor(order, device=self.labels.device)
            return orders[epoch][first : first + size]

        def differentiate(step: int) -> None:
            some = chosen(step)
            self.gradient_of(
                self.inputs[client].index_select(0, some), self.labels[client].index_select(0, some)
            )
            if decay:
                self.gradient_of.gradient.add_(decay * self.gradient_of.weights)

        return differentiate


def work_of(problem: Any, arithmetic: Arithmetic, batch: tuple[int, ...]) -> NetworkWork | Together:
    """Clients one after the other on the CPU, together on other devices if the module can; chosen
    by what is declared, never by a clock."""
    alone = NetworkWork.of(problem, arithmetic, batch)
    return (
        alone
        if alone.inputs.device.type == "cpu" or not can_be_together(problem.module)
        else Together.of(alone)
    )
