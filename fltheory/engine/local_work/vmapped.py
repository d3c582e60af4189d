"""Network gradients of many clients at once, by vmap: for devices that the minibatch of a single
client cannot fill.

The last bits depend on which clients are computed together. On the CPU, where this is no faster,
clients are therefore computed one after the other (networks.py).
"""

from copy import deepcopy
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fltheory.core.types import IntArray, TorchModule, TorchTensor
from fltheory.engine.arithmetic.base import Arithmetic
from fltheory.engine.arithmetic.tensor import torch
from fltheory.engine.local_work.jobs import Jobs, seeds_of_runs
from fltheory.engine.local_work.minibatches import minibatch, sample_orders
from fltheory.engine.local_work.samples import NetworkProblem
from fltheory.engine.rounds import Round

MOST_CLIENTS = 64
"""Most clients that are differentiated together, to bound the memory."""


class NetworkSamples(Protocol):
    """A network problem and its samples as tensors."""

    @property
    def problem(self) -> NetworkProblem: ...

    @property
    def arithmetic(self) -> Arithmetic: ...

    @property
    def batch(self) -> tuple[int, ...]: ...

    @property
    def inputs(self) -> TorchTensor: ...

    @property
    def labels(self) -> TorchTensor: ...


def can_be_together(module: TorchModule) -> bool:
    """Whether vmap supports the module: it has no rule for recurrent layers with many weights."""
    return not any(isinstance(part, torch.nn.RNNBase) for part in module.modules())


@dataclass(frozen=True, eq=False)
class Together:
    """The same as NetworkWork, whose problem and samples it takes, for all clients and runs at
    once."""

    alone: NetworkSamples
    module: TorchModule

    @classmethod
    def of(cls, alone: NetworkSamples) -> "Together":
        inputs = alone.inputs
        return cls(
            alone, deepcopy(alone.problem.module).to(dtype=inputs.dtype, device=inputs.device)
        )

    def __call__(self, model: TorchTensor, round: Round) -> TorchTensor:
        """Deliveries of plain local SGD, zero for absent clients."""
        alone, jobs = self.alone, Jobs.of(round, self.alone.batch)
        starts: TorchTensor = jobs.starts(model)
        local, sizes = starts.clone(), alone.arithmetic.rows(jobs.step_size)[:, None]
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

    def oracle(self, rows: TorchTensor, index: int, step: int) -> TorchTensor:
        """The same gradients for all clients and runs, for the plain loop over local steps."""
        shape = torch.broadcast_shapes(
            rows.shape, (*self.alone.batch, self.alone.problem.num_clients, rows.shape[-1])
        )
        flat = rows.expand(shape).reshape(-1, shape[-1])
        member, client = np.divmod(np.arange(len(flat)), self.alone.problem.num_clients)
        return self.gradients(flat, member, client, index, step).reshape(shape)

    def gradients(
        self, rows: TorchTensor, member: IntArray, client: IntArray, index: int, step: int
    ) -> TorchTensor:
        """The mean gradient over the minibatch of each (run, client) in that round and local step,
        plus weight decay; short minibatches are padded with weight 0."""
        chosen, weights = self.minibatches(member, client, index, step)
        found = torch.empty_like(rows)
        for first in range(0, len(rows), MOST_CLIENTS):
            some = slice(first, first + MOST_CLIENTS)
            who = client[some, None]
            inputs = self.alone.inputs[who, chosen[some]]
            labels = self.alone.labels[who, chosen[some]]
            parts = torch.func.vmap(torch.func.grad(self.loss))(
                self.named(rows[some]), inputs, labels, weights[some]
            )
            found[some] = torch.cat([part.flatten(1) for part in parts.values()], dim=1)
        return found + float(self.alone.problem.weight_decay) * rows

    def minibatches(
        self, member: IntArray, client: IntArray, index: int, step: int
    ) -> tuple[IntArray, TorchTensor]:
        """The sample indices of each (run, client), and their weights."""
        problem = self.alone.problem
        samples, longest = np.array(problem.samples)[client], max(problem.samples)
        chosen: IntArray
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

    def loss(
        self,
        named: dict[str, TorchTensor],
        inputs: TorchTensor,
        labels: TorchTensor,
        weights: TorchTensor,
    ) -> TorchTensor:
        """The sum over the samples of weight times cross-entropy, for the module with these
        parameters."""
        outputs = torch.func.functional_call(self.module, named, (inputs,))
        return (
            weights * torch.nn.functional.cross_entropy(outputs, labels, reduction="none")
        ).sum()

    def named(self, rows: TorchTensor) -> dict[str, TorchTensor]:
        """Flat rows as parameters of the module, one set for each row."""
        named: dict[str, TorchTensor] = {}
        first = 0
        for name, parameter in self.module.named_parameters():
            named[name] = rows[:, first : first + parameter.numel()].reshape(-1, *parameter.shape)
            first += parameter.numel()
        return named
