"""Quantities of a rate from runs on a device: summed there, and brought back once."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.extras import require
from fltheory.core.types import Array, TorchTensor
from fltheory.engine.arithmetic.base import Rows
from fltheory.engine.device.check import check_device
from fltheory.engine.device.roles import OnDevice, Statistic
from fltheory.problems.closed_form import ClosedForm
from fltheory.problems.drawn_network import DrawnNetwork
from fltheory.problems.drawn_softmax import DrawnSoftmax
from fltheory.problems.logistic import Softmax
from fltheory.problems.pools import dealt, pooled
from fltheory.problems.quadratic import Quadratic
from fltheory.problems.samples import synthetic_samples

if TYPE_CHECKING:
    from fltheory.analysis.regimes import RateMetric, Regime, RunPlan
    from fltheory.analysis.sizes import RunSize

STATE_NUMBERS = 1 << 24
"""How many numbers the largest table of the runs of one batch has."""

BLOCK_RUNS = 64
"""Runs whose numbers are summed on the device; batches are made of such blocks."""

PROBLEMS = ("quadratic", "logistic", "network")
"""Losses on which a rate is measured."""

CLIENT_SAMPLES = 12
"""Samples of each client."""

SMALLEST_SQUARE = 1e-300
"""Features that are all 0 stay so."""

Gradients = Callable[[Rows], Rows]


class Where(NamedTuple):
    """The device of sampled runs, and their problem; `data` is a CSV file or a folder with MNIST's
    files, synthetic samples otherwise."""

    device: str = "cpu"
    problem: str = "quadratic"
    dimension: int | None = None
    data: Path | None = None


def problem_of(
    name: str,
    size: "RunSize",
    dimension: int | None,
    seeds: tuple[int, ...],
    data: Path | None = None,
) -> OnDevice:
    """The clients' losses by name. `dimension` counts coordinates, or features of synthetic samples
    (default 1).

    `quadratic`: curvature 1, optimum 0, noise of variance 1 over all coordinates. `logistic`:
    softmax regression with smoothness at most 1, and `network`: one hidden layer, both on two
    classes for each client, with one sample per gradient.
    """
    count = size.num_clients
    if name not in PROBLEMS:
        raise InvalidInput("--problem", f"be one of {', '.join(PROBLEMS)}", repr(name))
    if data is not None and (name == "quadratic" or dimension is not None):
        other = "--problem quadratic" if name == "quadratic" else "--dimension"
        raise InvalidInput("--data", f"be left out with {other}", str(data))
    if name == "quadratic":
        wide = dimension or 1
        ones, zeros = [[1] * wide] * count, [[0] * wide] * count
        return ClosedForm(Quadratic(ones, zeros, noise_squared=1), seeds)
    held = (
        synthetic_samples(count, samples=CLIENT_SAMPLES, features=dimension or 1, num_classes=3)
        if data is None
        else dealt(pooled(data), count, CLIENT_SAMPLES)
    )
    squares = [float((rows**2).sum(axis=-1).max()) for rows in held.features]
    scale = math.sqrt(2 / max(*squares, SMALLEST_SQUARE))
    features = [scale * rows for rows in held.features]
    if name == "network":
        return DrawnNetwork(replace(held, features=features), seed=seeds)
    return DrawnSoftmax(Softmax(features, held.labels, held.num_classes), 1, seeds)


def measured_metric(regime: "Regime", problem: str) -> "RateMetric":
    """What is measured on a problem: the regime's own quantity, but squared gradients instead of
    loss gaps where the optimum is not known."""
    from fltheory.analysis.regimes import RateMetric

    gaps = (RateMetric.WEIGHTED_GAP, RateMetric.MEAN_GAP)
    known = problem == "quadratic" or regime.metric not in gaps
    return regime.metric if known else RateMetric.MEAN_SQUARE


def by_device(
    regime: "Regime",
    size: "RunSize",
    *,
    runs: int,
    where: Where,
    compiled: bool | None = None,
    together: int | None = None,
    first_seed: int = 0,
) -> tuple[float, float]:
    """The quantity of a regime at one size, and its standard error, from runs on a device.

    `together` runs form one batch; the bits do not depend on their number. Rounds are compiled on
    other devices than the CPU.
    """
    require("tensor", "--device")
    from fltheory.engine.device.runs import device_runs

    device, problem, dimension, data = where
    check_device(device)
    metric = measured_metric(regime, problem)
    plan = regime.plan(size)
    trace = plan.tables.trace()
    width = problem_of(problem, size, dimension, (0,), data).round_numbers
    count = (together or min(runs, STATE_NUMBERS // width)) // BLOCK_RUNS * BLOCK_RUNS
    count = max(count, BLOCK_RUNS)
    parts: list[tuple[Array, ...]] = []
    for first in range(0, runs, count):
        numbers = range(first, min(first + count, runs))
        seeds = tuple(first_seed + number for number in numbers)
        half = np.array([number < runs // 2 for number in numbers])
        losses = problem_of(problem, size, dimension, seeds, data)
        begun = device_runs(
            plan.algorithm,
            losses,
            trace,
            statistic=_statistic(metric, plan, half, device),
            device=device,
            compiled=device != "cpu" if compiled is None else compiled,
            start=getattr(losses, "first_model", plan.start),
            **plan.sizes,
        )
        parts.append(begun())
    return _combined(metric, parts, runs, plan.tables.rounds)


def _combined(
    metric: Any, parts: list[tuple[Array, ...]], runs: int, rounds: int
) -> tuple[float, float]:
    """Mean and standard error from the sums of all batches."""
    from fltheory.analysis.regimes import MEANS, RateMetric

    if metric is RateMetric.LEAST_SQUARE:
        blocks = [block for (sums,) in parts for block in np.moveaxis(sums, -1, 0)]
        first, second, squares = sum(blocks).T
        least, count = int(first.argmin()), runs - runs // 2
        mean = second[least] / count
        variance = max(squares[least] / count - mean**2, 0.0) * count / max(count - 1, 1)
        return float(mean), math.sqrt(variance / count)
    if metric is RateMetric.WEIGHTED_GAP:
        found = np.concatenate([(sums**2).sum(axis=(-2, -1)) / 2 for (sums,) in parts])
    else:
        found = MEANS[metric] * np.concatenate([sums for (sums,) in parts]) / rounds
    return float(found.mean()), float(found.std(ddof=1) / math.sqrt(len(found)))


def _statistic(metric: Any, plan: "RunPlan", half: Array, device: str) -> Statistic:
    """What a metric needs of the models."""
    from fltheory.analysis.regimes import RateMetric
    from fltheory.engine.arithmetic.tensor import placed, torch

    rounds = plan.tables.rounds

    if metric is RateMetric.WEIGHTED_GAP:
        shares = placed(plan.shares(), device)
        return Statistic(
            lambda model: (0 * model,),
            lambda sums, model, index, gradients: (
                sums[0] + shares.index_select(0, index.reshape(1)) * model,
            ),
        )
    if metric is RateMetric.LEAST_SQUARE:
        early, late = placed(half.astype(float), device), placed(1.0 - half, device)
        numbers = placed(np.arange(rounds + 1), device)[:, None, None]
        blocks = -(-len(half) // BLOCK_RUNS)

        def add(sums: Any, model: TorchTensor, index: TorchTensor, gradients: Gradients) -> Any:
            square = _square(model, gradients)
            parts = torch.stack([early * square, late * square, late * square**2])
            return (torch.where(numbers == index, _block_sums(parts), sums[0]),)

        zeros = torch.zeros(rounds + 1, 3, blocks, dtype=torch.float64, device=device)
        return Statistic(lambda model: (zeros,), add)

    def add_square(sums: Any, model: TorchTensor, index: TorchTensor, gradients: Gradients) -> Any:
        return (sums[0] + torch.where(index < rounds, _square(model, gradients), 0.0),)

    return Statistic(lambda model: (0 * model[..., 0, 0],), add_square)


def _square(model: TorchTensor, gradients: Gradients) -> TorchTensor:
    """|grad f|^2 of each run, f being the mean of the clients' losses."""
    return (gradients(model).mean(-2) ** 2).sum(-1)


def _block_sums(values: TorchTensor) -> TorchTensor:
    """Sums over blocks of runs (last axis), halved again and again, so that the bits of a block do
    not depend on what is computed beside it."""
    from fltheory.engine.arithmetic.tensor import torch

    missing = -values.shape[-1] % BLOCK_RUNS
    values = torch.nn.functional.pad(values, (0, missing))
    values = values.reshape(*values.shape[:-1], -1, BLOCK_RUNS)
    while values.shape[-1] > 1:
        middle = values.shape[-1] // 2
        values = values[..., :middle] + values[..., middle:]
    return values[..., 0]
