"""Gradients of one network on many clients' minibatches: one after the other, or many at once by vmap.

One after the other, a gradient has the same bits whoever is computed beside it. At once it is faster for small minibatches
(benchmarks/README.md), but its last bits depend on place and number within the chunk. So the problem chooses, never a clock.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.arithmetic.base import Arithmetic, Rows
from fltheory.arithmetic.tensor import torch
from fltheory.local_work.jobs import Jobs, seeds_of_runs
from fltheory.local_work.minibatches import minibatch, sample_orders
from fltheory.rounds import Round

GradientsOf = Callable[[Any, Any, Any, Any], Any]
"""(rows, inputs, labels, weights of the samples) -> one gradient row for each."""

CHUNK = 16
"""Rows that are differentiated together."""


@dataclass(frozen=True, eq=False)
class BatchedGradients:
    """Gradients of weighted cross-entropies of a network whose parameters are one flat row, for many rows at once."""

    module: Any
    at_once: bool = False

    def loss(self, named: dict[str, Any], inputs: Any, labels: Any, weights: Any) -> Any:
        """Sum over the samples of weight times cross-entropy, of the module with these parameters."""
        outputs = torch.func.functional_call(self.module, named, (inputs,))
        return (weights * torch.nn.functional.cross_entropy(outputs, labels, reduction="none")).sum()

    def __call__(self, rows: Any, inputs: Any, labels: Any, weights: Any) -> Any:
        """One gradient for each row (first axis of everything), in the chosen way."""
        if not self.at_once:
            return self.one_by_one(rows, inputs, labels, weights)
        result = torch.empty_like(rows)
        for first in range(0, len(rows), CHUNK):
            result[first : first + CHUNK] = self.together(*(whole[first : first + CHUNK] for whole in (rows, inputs, labels, weights)))
        return result

    def one_by_one(self, rows: Any, inputs: Any, labels: Any, weights: Any) -> Any:
        """Plain automatic differentiation, one row after the other, on copies: products may sum in another order at another alignment."""
        result = torch.empty_like(rows)
        for i in range(len(rows)):
            named = {name: part.detach().clone().requires_grad_() for name, part in self.named(rows[i]).items()}
            gradients = torch.autograd.grad(self.loss(named, inputs[i].clone(), labels[i], weights[i].clone()), list(named.values()))
            torch.cat([gradient.ravel() for gradient in gradients], out=result[i])
        return result

    def together(self, rows: Any, inputs: Any, labels: Any, weights: Any) -> Any:
        """All rows at once."""
        gradients = torch.func.vmap(torch.func.grad(self.loss))(self.named(rows), inputs, labels, weights)
        return torch.cat([gradient.flatten(1) for gradient in gradients.values()], dim=1)

    def named(self, rows: Any) -> dict[str, Any]:
        """Flat rows, or one of them, as the module's parameters; leading axes stay."""
        named, first = {}, 0
        for name, parameter in self.module.named_parameters():
            named[name] = rows[..., first : first + parameter.numel()].reshape(*rows.shape[:-1], *parameter.shape)
            first += parameter.numel()
        return named


@dataclass(frozen=True, eq=False)
class NetworkWork:
    """Minibatch gradients and local work of a network problem, for (run, client) pairs given as flat lists."""

    problem: Any
    arithmetic: Arithmetic
    batch: tuple[int, ...]
    inputs: Any
    labels: Any
    gradients_of: BatchedGradients

    @classmethod
    def of(cls, problem: Any, arithmetic: Arithmetic, batch: tuple[int, ...]) -> "NetworkWork":
        longest = max(problem.samples)
        inputs = np.zeros((problem.num_clients, longest, *problem.features[0].shape[1:]))
        labels = np.zeros((problem.num_clients, longest), np.int64)
        for i, (rows, row) in enumerate(zip(problem.features, problem.labels, strict=True)):
            inputs[i, : len(rows)], labels[i, : len(row)] = rows, row
        tensors = arithmetic.rows(inputs)
        module = deepcopy(problem.module).to(dtype=tensors.dtype, device=tensors.device)
        placed = torch.as_tensor(labels, device=tensors.device)
        return cls(problem, arithmetic, batch, tensors, placed, BatchedGradients(module, problem.at_once))

    def __call__(self, model: Rows, round: Round) -> Rows:
        """Deliveries of plain local SGD, zero for absent clients."""
        problem, jobs = self.problem, Jobs.of(round, self.batch)
        local, sizes = jobs.starts(model).clone(), self.arithmetic.rows(jobs.step_size)[:, None]
        delivered = torch.zeros_like(local)
        for k in range(int(np.max(jobs.steps, initial=0))):
            busy = np.flatnonzero(jobs.steps > k)
            direction = self.gradients(local[busy], jobs.member[busy], jobs.client[busy], round.index, k)
            local[busy] -= sizes[busy] * direction
            delivered[busy] += direction
        deliveries = self.arithmetic.zeros((int(np.prod(self.batch)), problem.num_clients, problem.dimension))
        deliveries[jobs.member, jobs.client] = delivered
        return deliveries.reshape(*self.batch, problem.num_clients, problem.dimension)

    def oracle(self, rows: Rows, index: int, step: int) -> Rows:
        """The same gradients for all clients and runs, as the plain loop over local steps asks for them."""
        shape = torch.broadcast_shapes(rows.shape, (*self.batch, self.problem.num_clients, rows.shape[-1]))
        flat = rows.expand(shape).reshape(-1, shape[-1])
        member, client = np.divmod(np.arange(len(flat)), self.problem.num_clients)
        return self.gradients(flat, member, client, index, step).reshape(shape)

    def losses(self, rows: Rows) -> Rows:
        """Row i -> the mean over all samples of client i, plus the penalty; rows may have leading axes."""
        problem = self.problem
        shape = torch.broadcast_shapes(rows.shape, (problem.num_clients, rows.shape[-1]))
        flat = rows.expand(shape).reshape(-1, problem.num_clients, shape[-1])
        found = flat.new_zeros(flat.shape[:2])
        with torch.no_grad():
            for i, count in enumerate(problem.samples):
                share = flat.new_full((count,), 1 / count)
                for run in range(len(flat)):
                    named = self.gradients_of.named(flat[run, i])
                    found[run, i] = self.gradients_of.loss(named, self.inputs[i, :count], self.labels[i, :count], share)
        penalty = float(problem.weight_decay) / 2 * (flat**2).sum(-1)
        return (found + penalty).reshape(*shape[:-1], 1)

    def gradients(self, rows: Rows, member: Any, client: Any, index: int, step: int) -> Rows:
        """Mean over each pair's minibatch of that round and local step, plus weight decay."""
        problem, samples, longest = self.problem, np.array(self.problem.samples)[client], max(self.problem.samples)
        if problem.batch_size is None:
            chosen, count = np.tile(np.arange(longest), (len(client), 1)), samples
        else:
            epochs, first, count = minibatch(step, samples, problem.batch_size)
            seeds = seeds_of_runs(problem.seed, self.batch)[member]
            order = sample_orders(seeds, index, client, epochs, samples, most=longest)
            places = np.minimum(first[:, None] + np.arange(min(problem.batch_size, longest)), longest - 1)
            chosen = np.take_along_axis(order, places, axis=-1)
        weights = self.arithmetic.rows((np.arange(chosen.shape[-1]) < count[:, None]) / count[:, None])
        who = client[:, None]
        return self.gradients_of(rows, self.inputs[who, chosen], self.labels[who, chosen], weights) + float(problem.weight_decay) * rows
