"""Methods on quadratics with additive Gaussian noise, as compiled loops over rounds.

All functions that a loop calls are in its file (see numba_.py).
"""

import numpy as np

from fltheory.core.types import BoolArray, FloatArray, IntArray
from fltheory.engine.compiled.numba_ import compiled


@compiled
def list_deliveries(
    delivers: BoolArray,
    started: IntArray,
    steps: IntArray,
    begin: int,
    firsts: IntArray,
    table: IntArray,
) -> None:
    """Write round, client, first model and local steps of every delivery from round `begin` on, as
    the columns of a table; those of round begin + k are firsts[k]..firsts[k + 1]-1."""
    count = 0
    for k in range(firsts.shape[0] - 1):
        firsts[k] = count
        for i in range(delivers.shape[1]):
            table[0, count], table[1, count] = begin + k, i  # no branch: it would be mispredicted
            table[2, count], table[3, count] = started[begin + k, i], steps[begin + k, i]
            count += delivers[begin + k, i]
        firsts[k + 1] = count


@compiled
def run_block(
    path: FloatArray,
    memory: FloatArray,
    tables: FloatArray,
    known: FloatArray,
    begin: int,
    firsts: IntArray,
    table: IntArray,
    local: FloatArray,
    server: FloatArray,
    noise: float,
    normals: FloatArray,
    flags: tuple[bool, bool, bool, bool],
) -> None:
    """Fill path (rounds + 1, lanes) from round `begin` on; a lane is a coordinate of a run, and all
    runs have one trace.

    `firsts` and `table` come from `list_deliveries`. `memory`: the latest delivery of every client.
    `tables`: per client and lane curvature, optimum, gain and spread;
    gains and spreads belong to the step sizes and local steps in `known`. `flags`: the server keeps
    the latest delivery of every client; a delivery is weighted by the step size of its start; it is
    divided by its local steps; one normal is drawn for all local steps.
    """
    keeps, own_size, per_step, at_once = flags
    lanes = path.shape[1]
    curvatures, optima, gains, spreads = tables[0], tables[1], tables[2], tables[3]
    delivery, position = np.zeros(lanes), np.zeros(lanes)
    for k in range(firsts.shape[0] - 1):
        t = begin + k
        following = path[t + 1]
        following[:] = 0
        for q in range(firsts[k], firsts[k + 1]):
            i, origin, taken = table[1, q], table[2, q], table[3, q]
            model, size = path[origin], local[origin]
            weight = (size if own_size else 1.0) / (taken if per_step else 1.0)
            if noise > 0 and not at_once:
                _step_by_step(
                    model, curvatures[i], optima[i], size, taken, normals[q], position, delivery
                )
            else:
                if known[i, 0] != size or known[i, 1] != taken:
                    _fill_gains(gains[i], spreads[i], curvatures[i], size, taken, noise)
                    known[i, 0], known[i, 1] = size, taken
                if noise > 0:
                    drawn, spread = normals[q], spreads[i]
                    for j in range(lanes):  # a loop of its own, so that one product is contracted
                        delivery[j] = spread[j] * drawn[j]
                gain, optimum = gains[i], optima[i]
                for j in range(lanes):
                    delivery[j] += gain[j] * (model[j] - optimum[j])
            for j in range(lanes):
                delivery[j] *= weight
            if keeps:
                memory[i] = delivery
            else:
                for j in range(lanes):
                    following[j] += delivery[j]
            delivery[:] = 0
        if keeps:
            for i in range(memory.shape[0]):
                kept = memory[i]
                for j in range(lanes):
                    following[j] += kept[j]
        parts = memory.shape[0] if keeps else max(firsts[k + 1] - firsts[k], 1)
        factor = server[t] * (1.0 if own_size else local[t]) / parts
        before = path[t]
        for j in range(lanes):
            following[j] = before[j] - factor * following[j]


@compiled
def run_line_block(
    path: FloatArray,
    memory: FloatArray,
    tables: FloatArray,
    known: FloatArray,
    begin: int,
    firsts: IntArray,
    table: IntArray,
    local: FloatArray,
    server: FloatArray,
    noise: float,
    normals: FloatArray,
    flags: tuple[bool, bool, bool, bool],
) -> None:
    """`run_block` for one lane and one normal (or none) for each delivery, with the same bits."""
    keeps, own_size, per_step, _ = flags
    model, kept, optima = path[:, 0], memory[:, 0], tables[1, :, 0]
    slopes, noises = np.zeros(firsts[-1]), np.zeros(firsts[-1])
    for q in range(firsts[-1]):  # first all products with normals, so that only one is contracted
        i, taken, size = table[1, q], table[3, q], local[table[2, q]]
        if known[i, 0] != size or known[i, 1] != taken:
            _fill_gains(tables[2, i], tables[3, i], tables[0, i], size, taken, noise)
            known[i, 0], known[i, 1] = size, taken
        slopes[q] = tables[2, i, 0]
        if noise > 0:
            noises[q] = tables[3, i, 0] * normals[q, 0]
    for k in range(firsts.shape[0] - 1):
        t, total = begin + k, 0.0
        for q in range(firsts[k], firsts[k + 1]):
            i, origin = table[1, q], table[2, q]
            delivery = noises[q] + slopes[q] * (model[origin] - optima[i])
            weight = (local[origin] if own_size else 1.0) / (table[3, q] if per_step else 1.0)
            kept[i] = weight * delivery
        if keeps:
            for i in range(kept.shape[0]):
                total += kept[i]
        else:
            for q in range(firsts[k], firsts[k + 1]):
                total += kept[table[1, q]]
        parts = kept.shape[0] if keeps else max(firsts[k + 1] - firsts[k], 1)
        factor = server[t] * (1.0 if own_size else local[t]) / parts
        model[t + 1] = model[t] - factor * total


@compiled
def _fill_gains(
    gains: FloatArray,
    spreads: FloatArray,
    curvatures: FloatArray,
    size: float,
    taken: int,
    noise: float,
) -> None:
    """h (1 + r + ... + r^{K-1}), and noise times the root of 1 + r^2 + ... + r^{2(K-1)}, with r = 1
    - size * h for every curvature h."""
    for j in range(curvatures.shape[0]):
        shrink = 1.0 - size * curvatures[j]
        gain = 0.0
        for _ in range(taken):
            gain = 1.0 + shrink * gain
        gains[j] = gain * curvatures[j]
    if noise > 0:
        for j in range(curvatures.shape[0]):
            shrink, spread = (1.0 - size * curvatures[j]) ** 2, 0.0
            for _ in range(taken):
                spread = 1.0 + shrink * spread
            spreads[j] = noise * np.sqrt(spread)


@compiled
def _step_by_step(
    model: FloatArray,
    curvatures: FloatArray,
    optima: FloatArray,
    size: float,
    taken: int,
    noises: FloatArray,
    position: FloatArray,
    delivery: FloatArray,
) -> None:
    """The sum of noisy gradients along the local path, with the noise of step k in row k."""
    position[:] = model
    for k in range(taken):
        noise = noises[k * model.shape[0] : (k + 1) * model.shape[0]]
        for j in range(model.shape[0]):
            gradient = curvatures[j] * (position[j] - optima[j]) + noise[j]
            position[j] -= size * gradient
            delivery[j] += gradient
