"""One exact run of Algorithm 1 on one-dimensional quadratic clients, independently of
fltheory.engine.simulate.

Clients have losses h/2 (x - c)^2 with additive noise. A random number is a row of Fractions: its
mean, then its coefficients over independent noises of variance 1; so E[a b] is the dot product,
exactly. Random participation is a list of paths with their probabilities.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypedDict

import numpy as np

from fltheory.core.ratio import ZERO, Ratio
from fltheory.core.types import Array

Number: TypeAlias = Fraction | int
"""An exact number."""

Row: TypeAlias = Array
"""A random number: its mean, then its coefficients over the noises."""

Path = tuple[Fraction, tuple[tuple[int, ...], ...]]
"""Probability, then for each round the clients that deliver in it."""


@dataclass(frozen=True)
class Setting:
    """A problem, a participation and step sizes. `fresh` work starts from the newest model, other
    work from the last one received."""

    says: str
    curvatures: tuple[Number, ...]
    optima: tuple[Number, ...]
    weights: tuple[Number, ...]
    paths: tuple[Path, ...]
    local_step_size: Number
    server_step_size: Number = 1
    local_steps: int = 1
    start: Number = 0
    noise: Number = 0
    fresh: bool = False
    importance: tuple[Number, ...] | None = None
    covariance_factor: Number = 1
    variance_excess: Number = 0
    point: Number | None = None

    @property
    def num_clients(self) -> int:
        return len(self.curvatures)

    @property
    def num_rounds(self) -> int:
        return len(self.paths[0][1])


class PathWork(TypedDict, total=False):
    """Losses, start and step sizes of a setting, under the names of its fields."""

    curvatures: tuple[Number, ...]
    optima: tuple[Number, ...]
    local_step_size: Number
    server_step_size: Number
    local_steps: int
    start: Number
    noise: Number


@dataclass(frozen=True)
class PathRun:
    """One path: models[n], and per round the local models [i][k], stochastic gradients [i][k],
    virtual iterates [k]; `started` tells from which model each client's work started."""

    models: list[Row]
    started: list[list[int]]
    local: list[list[list[Row]]]
    gradients: list[list[list[Row]]]
    virtual: list[list[Row]]


def constant_row(setting: Setting, value: Number) -> Row:
    """A number without noise."""
    s = setting
    draws = s.num_rounds * s.num_clients * s.local_steps if s.noise else 0
    return np.array([Ratio(value), *[ZERO] * draws], dtype=object)


def noise_row(setting: Setting, n: int, i: int, k: int) -> Row:
    """The noise of client i in local step k of round n."""
    row, s = constant_row(setting, 0), setting
    if s.noise:
        row[1 + (n * s.num_clients + i) * s.local_steps + k] = Ratio(s.noise)
    return row


def run_along(setting: Setting, groups: Sequence[Sequence[int]]) -> PathRun:
    """Algorithm 1 with these clients in each round: local steps, virtual iterates, models."""
    s, clients = setting, range(setting.num_clients)
    received, models = [0] * s.num_clients, [constant_row(s, s.start)]
    run = PathRun(models, [], [], [], [])
    for n, group in enumerate(groups):
        origin = [n] * s.num_clients if s.fresh else list(received)
        points: list[list[Row]] = [[models[origin[i]]] for i in clients]
        slopes: list[list[Row]] = [[] for _ in clients]
        for i in clients:
            for k in range(s.local_steps):
                away = points[i][-1] - constant_row(s, s.optima[i])
                slopes[i].append(s.curvatures[i] * away + noise_row(s, n, i, k))
                points[i].append(points[i][-1] - s.local_step_size * slopes[i][-1])
        moved = [
            sum(
                (s.weights[i] * (points[i][k] - models[origin[i]]) for i in group),
                constant_row(s, 0),
            )
            for k in range(s.local_steps + 1)
        ]
        run.virtual.append([models[n] + s.server_step_size * move for move in moved])
        models.append(run.virtual[-1][-1])
        for i in group:
            received[i] = n + 1
        run.started.append(origin)
        run.local.append(points)
        run.gradients.append(slopes)
    return run
