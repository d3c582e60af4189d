"""Mean and variance of the common methods on one coordinate of a quadratic, as compiled loops over
rounds.

The state is the model x and, if the server keeps them, the latest deliveries m_i. In a round, m_i
becomes d (h g (x_s - c_i) + noise) for clients that deliver, then x becomes x - f (sum of m_i); x_s
is the model at the start of the work, and the gains g and the noise are in closed form. Tables of a
trace may be shorter than the run: then their last `cycle` rows repeat. A table of local steps with
one entry holds for all deliveries; an empty table of delays means that no client is late. All
functions that the loops call are in this file (see numba_.py).
"""

from typing import TypeAlias

import numpy as np

from fltheory.core.types import BoolArray, FloatArray, IntArray
from fltheory.engine.compiled.numba_ import compiled

Flags: TypeAlias = tuple[bool, bool, bool, bool]
"""The server keeps the latest deliveries; a delivery is weighted by the step size of its start;
divided by its local steps; multiplied by the method's weights."""


@compiled
def adjoint_pass(
    rounds: int,
    cycle: int,
    delivers: BoolArray,
    delays: IntArray,
    steps: IntArray,
    curvatures: FloatArray,
    optima: FloatArray,
    local: FloatArray,
    server: FloatArray,
    noise_squared: float,
    flags: Flags,
    shares: FloatArray,
    weights: FloatArray,
    start: float,
) -> tuple[float, float]:
    """Mean and variance of sum_t weights[t] x_t, computed backwards from the last round with one
    number per client, model and round."""
    keeps, clients = flags[0], curvatures.shape[0]
    adjoint, kept = weights.copy(), np.zeros(clients)
    gains, spreads, taken = np.zeros(clients), np.zeros(clients), np.zeros(clients)
    sizes = np.full(clients, np.nan)
    mean = variance = 0.0
    for t in range(rounds - 1, -1, -1):
        at = _row(t, delivers.shape[0], cycle)
        factor = _factor(delivers[at], _at(local, t), _at(server, t), flags)
        model = adjoint[t + 1]
        adjoint[t] += model
        for i in range(clients):
            here = (kept[i] if keeps else 0.0) - factor * model
            if delivers[at, i]:
                began = t - _delay(delays, at, i)
                size, number = _at(local, began), _steps(steps, at, i)
                _fill(gains, spreads, sizes, taken, i, curvatures[i], size, number, flags)
                here *= _share(shares, t, i)
                adjoint[began] += gains[i] * here
                mean -= gains[i] * optima[i] * here
                variance += spreads[i] * noise_squared * here * here
                kept[i] = 0.0
            elif keeps:
                kept[i] = here
    return mean + adjoint[0] * start, variance


@compiled
def mean_squares(
    rounds: int,
    cycle: int,
    delivers: BoolArray,
    delays: IntArray,
    steps: IntArray,
    curvatures: FloatArray,
    optima: FloatArray,
    local: FloatArray,
    server: FloatArray,
    noise_squared: float,
    flags: Flags,
    shares: FloatArray,
    start: float,
    out: FloatArray,
) -> None:
    """Write E x_t^2 of every model into `out`, if all deliveries are on time with equal numbers of
    steps: the whole covariance forwards; only rows that change are written, and sums updated."""
    keeps, clients, number = flags[0], curvatures.shape[0], steps[0, 0]
    model, kept = start, np.zeros(clients)
    variance, cross, totals = 0.0, np.zeros(clients), np.zeros(clients)
    table = np.zeros((clients, clients))
    gains, spreads, taken = np.zeros(clients), np.zeros(clients), np.zeros(clients)
    sizes = np.full(clients, np.nan)
    slope, offset, added, factor, before = 0.0, 0.0, 0.0, 0.0, -1
    out[0] = model * model
    for t in range(rounds):
        at = _row(t, delivers.shape[0], cycle)
        present = delivers[at]
        again = (
            t > 0
            and _at(local, t) == _at(local, t - 1)
            and _at(server, t) == _at(server, t - 1)
            and shares.shape[0] == 1
        )
        if again and at != before:
            for i in range(clients):
                again = again and present[i] == delivers[before, i]
        before = at
        if not again:  # most rounds are like the one before
            factor = _factor(present, _at(local, t), _at(server, t), flags)
            slope, offset, added = 0.0, 0.0, 0.0
            for i in range(clients):
                if present[i]:
                    _fill(
                        gains, spreads, sizes, taken, i, curvatures[i], _at(local, t), number, flags
                    )
                    share = _share(shares, t, i)
                    slope += share * gains[i]
                    offset += share * gains[i] * optima[i]
                    added += share * share * spreads[i] * noise_squared
        if not keeps:
            model += factor * (offset - slope * model)
            variance = (1.0 - factor * slope) ** 2 * variance + factor * factor * added
            out[t + 1] = model * model + variance
            continue
        for i in range(clients):
            if present[i]:
                kept[i] = gains[i] * (model - optima[i])
                for j in range(clients):
                    covariance = gains[i] * (gains[j] * variance if present[j] else cross[j])
                    if i == j:
                        covariance += spreads[i] * noise_squared
                    change = covariance - table[i, j]
                    totals[i] += change
                    if i != j:
                        totals[j] += change
                    table[i, j] = covariance
                    table[j, i] = covariance
        if t % clients == 0:  # limits the rounding errors of updated sums
            for i in range(clients):
                totals[i] = table[i].sum()
        pull, both, all_of_it = 0.0, 0.0, 0.0
        for i in range(clients):
            if present[i]:
                cross[i] = gains[i] * variance
            pull, both, all_of_it = pull + kept[i], both + cross[i], all_of_it + totals[i]
        model -= factor * pull
        variance += factor * (factor * all_of_it - 2.0 * both)
        for i in range(clients):
            cross[i] -= factor * totals[i]
        out[t + 1] = model * model + variance


@compiled
def late_mean_squares(
    rounds: int,
    cycle: int,
    delivers: BoolArray,
    delays: IntArray,
    steps: IntArray,
    curvatures: FloatArray,
    optima: FloatArray,
    local: FloatArray,
    server: FloatArray,
    noise_squared: float,
    flags: Flags,
    shares: FloatArray,
    start: float,
    out: FloatArray,
) -> None:
    """Write E x_t^2 of every model into `out`: the covariances of all models that are still in use,
    and of the latest deliveries if the server keeps them, are propagated forwards.

    Model t has place t mod (largest delay + 1); the latest deliveries have the places behind.
    """
    keeps, clients, window = flags[0], curvatures.shape[0], 1
    if delays.size:
        window += delays.max()
    size = window + (clients if keeps else 0)
    means, table, row = np.zeros(size), np.zeros((size, size)), np.zeros(size)
    gains, spreads, taken = np.zeros(clients), np.zeros(clients), np.zeros(clients)
    sizes = np.full(clients, np.nan)
    pulls, places = np.zeros(clients), np.zeros(clients, np.int64)
    means[0] = start
    out[0] = start * start
    for t in range(rounds):
        at, now, following = _row(t, delivers.shape[0], cycle), t % window, (t + 1) % window
        factor = _factor(delivers[at], _at(local, t), _at(server, t), flags)
        for i in range(clients):
            if delivers[at, i]:
                began = t - _delay(delays, at, i)
                moved, number = _at(local, began), _steps(steps, at, i)
                _fill(gains, spreads, sizes, taken, i, curvatures[i], moved, number, flags)
                places[i] = began % window
                if keeps:
                    _replace(means, table, window + i, places[i], gains[i], optima[i])
                    table[window + i, window + i] += spreads[i] * noise_squared
        mean, added = means[now], 0.0
        row[:] = table[now]
        for i in range(clients):
            if keeps:
                pulls[i], places[i] = factor, window + i
                mean -= factor * means[window + i]
            elif delivers[at, i]:
                moved = factor * _share(shares, t, i)
                pulls[i] = moved * gains[i]
                mean -= pulls[i] * (means[places[i]] - optima[i])
                added += moved * moved * spreads[i] * noise_squared
            if keeps or delivers[at, i]:
                for k in range(size):
                    row[k] -= pulls[i] * table[places[i], k]
        variance = row[now] + added
        for i in range(clients):
            if keeps or delivers[at, i]:
                variance -= pulls[i] * row[places[i]]
        for k in range(size):
            table[following, k] = row[k]
            table[k, following] = row[k]
        table[following, following] = variance
        means[following] = mean
        out[t + 1] = mean * mean + variance


@compiled
def _replace(
    means: FloatArray, table: FloatArray, own: int, model: int, gain: float, optimum: float
) -> None:
    """Put gain (x - optimum) of the model x in the place of a delivery."""
    means[own] = gain * (means[model] - optimum)
    for k in range(means.shape[0]):
        if k != own:
            table[own, k] = gain * table[model, k]
            table[k, own] = table[own, k]
    table[own, own] = gain * table[model, own]


@compiled
def _row(t: int, rows: int, cycle: int) -> int:
    """The row of round t in a table whose last `cycle` rows repeat."""
    return t if t < rows else rows - cycle + (t - rows) % cycle


@compiled
def _at(sizes: FloatArray, t: int) -> float:
    """The step size of a round; a constant step size is a list with one entry."""
    return sizes[t] if sizes.shape[0] > 1 else sizes[0]


@compiled
def _delay(delays: IntArray, at: int, i: int) -> int:
    return delays[at, i] if delays.shape[0] else 0


@compiled
def _steps(steps: IntArray, at: int, i: int) -> int:
    return steps[at, i] if steps.size > 1 else steps[0, 0]


@compiled
def _share(shares: FloatArray, t: int, i: int) -> float:
    """The weight of a client's arrival; constant weights are a single row."""
    return shares[t, i] if shares.shape[0] > 1 else shares[0, i]


@compiled
def _factor(present: BoolArray, local: float, server: float, flags: Flags) -> float:
    """The factor of the sum of deliveries in the server's step."""
    keeps, own_size, weighted, count = flags[0], flags[1], flags[3], 0
    if weighted:
        count = 1
    elif keeps:
        count = present.shape[0]
    else:
        for i in range(present.shape[0]):
            count += present[i]
    return server * (1.0 if own_size else local) / max(count, 1)


@compiled
def _fill(
    gains: FloatArray,
    spreads: FloatArray,
    sizes: FloatArray,
    taken: FloatArray,
    i: int,
    curvature: float,
    size: float,
    steps: int,
    flags: Flags,
) -> None:
    """w h (1 + r + ... + r^{K-1}) and w^2 (1 + r^2 + ... + r^{2(K-1)}) of client i, where r = 1 -
    size * h and w is the weight of a delivery."""
    if size == sizes[i] and steps == taken[i]:
        return
    sizes[i], taken[i] = size, steps
    weight = (size if flags[1] else 1.0) / (steps if flags[2] else 1)
    shrink, gain, spread = 1.0 - size * curvature, 0.0, 0.0
    for _ in range(steps):
        gain, spread = 1.0 + shrink * gain, 1.0 + shrink * shrink * spread
    gains[i], spreads[i] = weight * curvature * gain, weight * weight * spread
