"""Stochastic runs on learning problems: the global loss along the rounds, many seeds at once."""

from dataclasses import dataclass
from math import isfinite
from typing import Protocol

from fltheory.core.errors import InvalidInput
from fltheory.core.extras import require
from fltheory.core.results import Table, as_html, as_text
from fltheory.core.types import Array, Json, StepSize
from fltheory.core.words import counted
from fltheory.engine.arithmetic import Arithmetic
from fltheory.engine.device.check import check_device
from fltheory.engine.roles import Algorithm, Problem
from fltheory.engine.simulate import simulate
from fltheory.engine.trajectory import SHOWN_ROUNDS, shown_rounds
from fltheory.problems.objective import Objective, global_loss
from fltheory.traces.trace import Trace


class LearningProblem(Problem, Objective, Protocol):
    """A problem with losses and gradients, such as `Softmax` or `Network`."""


@dataclass(frozen=True, repr=False)
class TrainingRun:
    """`losses[k][r]` is the global loss of run r before round `rounds[k]`."""

    parameters: int
    clients: int
    rounds: tuple[int, ...]
    losses: tuple[tuple[float, ...], ...]

    @property
    def mean_loss(self) -> tuple[float, ...]:
        """The mean loss over the runs."""
        return tuple(sum(row) / len(row) for row in self.losses)

    def to_dict(self) -> Json:
        return {
            "parameters": self.parameters,
            "clients": self.clients,
            "rounds": list(self.rounds),
            "mean_loss": list(self.mean_loss),
            "losses": [list(row) for row in self.losses],
        }

    def tables(self) -> list[Table]:
        every = max(1, len(self.rounds) // SHOWN_ROUNDS)
        rows = [
            (str(t), f"{sum(row) / len(row):.6f}", f"{min(row):.6f}", f"{max(row):.6f}")
            for t, row in list(zip(self.rounds, self.losses, strict=True))[::every]
        ]
        title = f"global loss before each round, {counted(len(self.losses[0]), 'run')}"
        return [Table(title, ("round", "mean", "smallest", "largest"), rows)]

    __repr__ = as_text
    _repr_html_ = as_html


def train(
    algorithm: Algorithm,
    problem: LearningProblem,
    trace: Trace,
    *,
    step_size: StepSize,
    single: bool = False,
    device: str = "cpu",
    every_round: bool = False,
) -> TrainingRun:
    """Train by a federated method and give the global loss along the rounds.

    `problem` is a learning problem such as `softmax_problem(samples)`; several seeds of its
    minibatches give several runs. Losses are computed before some twenty rounds, or with
    `every_round` before all. A run that diverges raises `Diverged`, which says where.

    >>> from fltheory import Mifa, build_trace, softmax_problem, synthetic_samples
    >>> problem = softmax_problem(synthetic_samples(4), seed=(1, 2))
    >>> run = train(Mifa(), problem, build_trace("always", 10, num_clients=4), step_size="1/5")
    >>> run.mean_loss[-1] < run.mean_loss[0], len(run.losses[0])
    (True, 2)
    """
    require("tensor", "train")
    from fltheory.engine.arithmetic.tensor import Tensor, torch

    check_device(device)
    arithmetic = Tensor(device, torch.float32 if single else torch.float64)
    models = simulate(
        algorithm,
        problem,
        trace,
        start=getattr(problem, "first_model", 0),
        arithmetic=arithmetic,
        local_step_size=step_size,
    ).models
    runs = models.reshape(-1, *models.shape[-2:])
    last = runs.shape[1] - 1
    rounds = tuple(range(last + 1) if every_round else shown_rounds(last))
    losses = tuple(_losses(problem, runs[:, t, None, :], arithmetic, t) for t in rounds)
    return TrainingRun(problem.dimension, problem.num_clients, rounds, losses)


def _losses(
    problem: Objective, models: Array, arithmetic: Arithmetic, before: int
) -> tuple[float, ...]:
    """The global loss of every run before one round."""
    found = arithmetic.export(global_loss(problem, models, arithmetic)).reshape(-1).tolist()
    if not all(isfinite(loss) for loss in found):  # the models may still be finite
        raise InvalidInput(
            "step size", "keep the loss finite", f"a loss that is not before round {before}"
        )
    return tuple(found)
