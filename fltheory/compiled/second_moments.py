"""Mean and variance of the common methods on one coordinate of a quadratic, as compiled loops over rounds.

State: the model x and, where the server keeps them, the latest deliveries m_i. In a round m_i becomes w (h g (x - c_i) + noise) for those
that deliver, then x becomes x - f (sum of m_i): with the clients' gains g and noise in closed form, for deliveries on time that all
take equally many local steps. This file holds all that its loops call, since compiled functions on disk know only their own file.
"""

from typing import Any

import numpy as np

from fltheory.compiled.numba_ import compiled


@compiled
def adjoint_pass(delivers: Any, curvatures: Any, optima: Any, taken: Any, local: Any, server: Any, noise_squared: Any, flags: Any,
                 shares: Any, weights: Any, start: Any) -> tuple[float, float]:
    """Mean and variance of sum_t weights[t] x_t, from the last round back to the first: one number per client and round."""
    keeps, clients = flags[0], curvatures.shape[0]
    model, kept = weights[-1], np.zeros(clients)
    gains, spreads, size = np.zeros(clients), np.zeros(clients), np.nan
    mean = variance = 0.0
    for t in range(delivers.shape[0] - 1, -1, -1):
        if _at(local, t) != size:
            size = _at(local, t)
            _fill(gains, spreads, curvatures, shares, size, taken, flags)
        factor = _factor(delivers[t], size, _at(server, t), flags)
        pull = 0.0
        for i in range(clients):
            here = (kept[i] if keeps else 0.0) - factor * model
            if delivers[t, i]:
                pull += gains[i] * here
                mean -= gains[i] * optima[i] * here
                variance += spreads[i] * noise_squared * here * here
                kept[i] = 0.0
            elif keeps:
                kept[i] = here
        model += pull + weights[t]
    return mean + model * start, variance


@compiled
def mean_squares(delivers: Any, curvatures: Any, optima: Any, taken: Any, local: Any, server: Any, noise_squared: Any, flags: Any,
                 shares: Any, start: Any, out: Any) -> None:
    """E x_t^2 of every model, into `out`; the covariance of the whole state moves forwards, and only its changed rows are written."""
    keeps, clients = flags[0], curvatures.shape[0]
    model, kept = start, np.zeros(clients)
    variance, cross, table, totals = 0.0, np.zeros(clients), np.zeros((clients, clients)), np.zeros(clients)
    gains, spreads, size = np.zeros(clients), np.zeros(clients), np.nan
    slope, offset, added, factor = 0.0, 0.0, 0.0, 0.0
    out[0] = model * model
    for t in range(delivers.shape[0]):
        present, again = delivers[t], t > 0 and _at(local, t) == size and _at(server, t) == _at(server, t - 1)
        for i in range(clients):
            again = again and present[i] == delivers[t - 1, i]
        if not again:  # most rounds are like the one before
            size = _at(local, t)
            _fill(gains, spreads, curvatures, shares, size, taken, flags)
            factor = _factor(present, size, _at(server, t), flags)
            slope, offset, added = 0.0, 0.0, 0.0
            for i in range(clients):
                if present[i]:
                    slope += gains[i]
                    offset += gains[i] * optima[i]
                    added += spreads[i] * noise_squared
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
                    table[i, j] = covariance
                    table[j, i] = covariance
                table[i, i] += spreads[i] * noise_squared
        pull, both, all_of_it = 0.0, 0.0, 0.0
        for i in range(clients):
            if present[i]:
                cross[i] = gains[i] * variance
            row = 0.0
            for j in range(clients):
                row += table[i, j]
            pull, both, all_of_it = pull + kept[i], both + cross[i], all_of_it + row
            totals[i] = row
        model -= factor * pull
        variance += factor * (factor * all_of_it - 2.0 * both)
        for i in range(clients):
            cross[i] -= factor * totals[i]
        out[t + 1] = model * model + variance


@compiled
def _at(sizes: Any, t: Any) -> float:
    """The step size of a round; a constant one is a list of one."""
    return sizes[t] if sizes.shape[0] > 1 else sizes[0]


@compiled
def _factor(present: Any, local: Any, server: Any, flags: Any) -> float:
    """What the server multiplies the sum of deliveries by."""
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
def _fill(gains: Any, spreads: Any, curvatures: Any, shares: Any, size: Any, taken: Any, flags: Any) -> None:
    """w h (1 + r + ... + r^{K-1}) and w^2 (1 + r^2 + ... + r^{2(K-1)}), r = 1 - size * h, w the weight of a delivery."""
    weight = (size if flags[1] else 1.0) / (taken if flags[2] else 1)
    for i in range(curvatures.shape[0]):
        shrink, gain, spread = 1.0 - size * curvatures[i], 0.0, 0.0
        for _ in range(taken):
            gain, spread = 1.0 + shrink * gain, 1.0 + shrink * shrink * spread
        gains[i], spreads[i] = shares[i] * weight * curvatures[i] * gain, (shares[i] * weight) ** 2 * spread
