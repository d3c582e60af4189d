"""Network gradients of many clients at once, by vmap: for devices that the minibatch of a single
client cannot fill.

Last bits depend on who is computed together. So on the CPU, where this is no faster, clients go one
after the other (networks.py).
"""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.engine.arithmetic.base import Rows
from fltheory.engine.arithmetic.tensor import torch
from fltheory.engine.local_work.jobs import Jobs, seeds_of_runs
from fltheory.engine.local_work.minibatches import minibatch, sample_orders
from fltheory.engine.rounds import Round

MOST_CLIENTS = 64
"""Clients that are differentiated together, which bounds the memory."""


def can_be_together(module: Any) -> bool:
    """Recurrent layers have no rule for many weights at once."""
    return not any(isinstance(part, torch.nn.RNNBase) for part in module.modules())


@dataclass(frozen=True, eq=False)
class Together:
    """The same as NetworkWork, whose problem and samples it takes, for all clients and runs at
    once."""

    alone: Any
    module: Any

    @classmethod
    def of(cls, alone: Any) -> "Together":
        inputs = alone.inputs
        return cls(
            alone, deepcopy(alone.problem.module).to(dtype=inputs.dtype, device=inputs.device)
        )

    def __call__(self, model: Rows, round: Round) -> Rows:
        """Deliveries of plain local SGD, zero for absent clients."""
        alone, jobs = self.alone, Jobs.of(round, self.alone.batch)
        local, sizes = jobs.starts(model).clone(), alone.arithmetic.rows(jobs.step_size)[:, None]
        delivered = torch.zeros_like(local)
        for k in range(int(np.max(jobs.steps, initial=0))):
            busy = np.flatnonzero(jobs.steps > k)
            direction = self.gradients(
                local[busy], jobs.member[busy], jobs.client[busy], round.index, k
            )
            local[busy] -= sizes[busy] * direction
            delivered[busy] += direction
        deliveries = alone.arithmetic.zeros(
            (int(np.prod(alone.batch)), alone.problem.num_clients, alone.problem.dimension)
        )
        deliveries[jobs.member, jobs.client] = delivered
        return deliveries.reshape(*alone.batch, *deliveries.shape[1:])

    def oracle(self, rows: Rows, index: int, step: int) -> Rows:
        """The same gradients for all clients and runs, as the plain loop over local steps asks for
        them."""
        shape = torch.broadcast_shapes(
            rows.shape, (*self.alone.batch, self.alone.problem.num_clients, rows.shape[-1])
        )
        flat = rows.expand(shape).reshape(-1, shape[-1])
        member, client = np.divmod(np.arange(len(flat)), self.alone.problem.num_clients)
        return self.gradients(flat, member, client, index, step).reshape(shape)

    def gradients(self, rows: Rows, member: Any, client: Any, index: int, step: int) -> Rows:
        """Mean over each pair's minibatch of that round and local step, plus weight decay; short
        minibatches are padded by weight 0."""
        chosen, weights = self.minibatches(member, client, index, step)
        found = torch.empty_like(rows)
        for first in range(0, len(rows), MOST_CLIENTS):
            some, who = (
                slice(first, first + MOST_CLIENTS),
                client[first : first + MOST_CLIENTS, None],
            )
            inputs, labels = (
                self.alone.inputs[who, chosen[some]],
                self.alone.labels[who, chosen[some]],
            )
            parts = torch.func.vmap(torch.func.grad(self.loss))(
                self.named(rows[some]), inputs, labels, weights[some]
            )
            found[some] = torch.cat([part.flatten(1) for part in parts.values()], dim=1)
        return found + float(self.alone.problem.weight_decay) * rows

    def minibatches(self, member: Any, client: Any, index: int, step: int) -> tuple[Any, Any]:
        """Numbers of the samples of each pair, and their weights."""
        problem, samples, longest = (
            self.alone.problem,
            np.array(self.alone.problem.samples)[client],
            max(self.alone.problem.samples),
        )
        if problem.batch_size is None:
            chosen, count = np.tile(np.arange(longest), (len(client), 1)), samples
        else:
            epochs, first, count = minibatch(step, samples, problem.batch_size)
            seeds = seeds_of_runs(problem.seed, self.alone.batch)[member]
            order = sample_orders(seeds, index, client, epochs, samples, most=longest)
            places = np.minimum(
                first[:, None] + np.arange(min(problem.batch_size, longest)), longest - 1
            )
            chosen = np.take_along_axis(order, places, axis=-1)
        return chosen, self.alone.arithmetic.rows(
            (np.arange(chosen.shape[-1]) < count[:, None]) / count[:, None]
        )

    def loss(self, named: dict[str, Any], inputs: Any, labels: Any, weights: Any) -> Any:
        """Sum over the samples of weight times cross-entropy, of the module with these
        parameters."""
        outputs = torch.func.functional_call(self.module, named, (inputs,))
        return (
            weights * torch.nn.functional.cross_entropy(outputs, labels, reduction="none")
        ).sum()

    def named(self, rows: Any) -> dict[str, Any]:
        """Flat rows as the module's parameters, one set for each."""
        named, first = {}, 0
        for name, parameter in self.module.named_parameters():
            named[name] = rows[:, first : first + parameter.numel()].reshape(-1, *parameter.shape)
            first += parameter.numel()
        return named
