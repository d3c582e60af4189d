"""The worst case in its textbook form, for cross-checks (needs cvxpy)."""

import numpy as np

from fltheory.analysis.worst_case.encoding import Encoding
from fltheory.analysis.worst_case.question import Metric
from fltheory.core.types import FloatArray

try:
    import cvxpy as cp
except ImportError as problem:  # pragma: no cover - depends on the installation
    raise ImportError("the reference formulation needs cvxpy: pip install cvxpy") from problem


def reference_value(encoding: Encoding, *, solver: str = "CLARABEL") -> float:
    """The same worst case, one inequality at a time over one Gram matrix; a solver failure is an
    error."""
    recording, functions, known = encoding.recording, encoding.functions, encoding.conditions
    owners = np.array(recording.owners)
    gram = cp.Variable((len(owners), len(owners)), PSD=True)
    values = [cp.Variable(len(records)) for records in recording.records]
    points = [[np.array(r.point, float) for r in records] for records in recording.records]
    gradients = [[np.array(r.gradient, float) for r in records] for records in recording.records]
    shares = [float(share) for share in recording.shares]
    low, high = float(functions.lowest_curvature), float(functions.smoothness)

    def inner(u: FloatArray, v: FloatArray) -> cp.Expression:
        return u @ gram @ v

    def square(u: FloatArray) -> cp.Expression:
        return inner(u, u)

    rules = [
        gram[np.ix_(owners == a, owners == b)] == 0
        for a in set(recording.owners)
        for b in set(recording.owners)
        if a < b
    ]
    for x, g, f in zip(points, gradients, values, strict=True):
        for i in range(len(x)):
            for j in range(len(x)):
                if i != j:
                    step, change = x[i] - x[j], g[i] - g[j]
                    gain = (
                        square(change) / high
                        + low * square(step)
                        - 2 * low / high * inner(change, step)
                    )
                    rules.append(f[i] >= f[j] + inner(g[j], step) + gain / (2 * (1 - low / high)))
        if recording.has_optimum:
            rules.append(f[0] == 0)

    def loss(point: tuple[int, ...]) -> cp.Expression:
        return sum(share * f[r] for share, f, r in zip(shares, values, point, strict=True))

    def squared_gradient(point: tuple[int, ...]) -> cp.Expression:
        return square(mean_gradient(point))

    def mean_gradient(point: tuple[int, ...]) -> FloatArray:
        parts = zip(shares, gradients, point, strict=True)
        return sum(
            (share * np.where(owners == 0, g[r], 0.0) for share, g, r in parts),
            np.zeros(len(owners)),
        )

    if not recording.has_optimum:
        rules += [loss(point) >= squared_gradient(point) / (2 * high) for point in recording.points]
    if known.distance_squared is not None:
        rules.append(square(np.array(recording.models[0], float)) <= float(known.distance_squared))
    if known.loss_gap is not None and encoding.start is not None:
        rules.append(loss(recording.points[encoding.start]) <= float(known.loss_gap))
    if known.heterogeneity is not None:
        rules.append(
            sum(share * square(g[0]) for share, g in zip(shares, gradients, strict=True))
            <= float(known.heterogeneity)
        )
    if known.gradient_bound_squared is not None:
        rules += [
            square(row) <= float(known.gradient_bound_squared) for g in gradients for row in g
        ]
    for noise in recording.noises:
        parts = (1 / noise.clients, 1 - 1 / noise.clients)
        rules += [
            gram[k, k] <= float(known.gradient_noise_squared or 0) * part
            for k, part in zip(noise.vectors, parts, strict=False)
        ]
    rules += [gram[k, j] == 0 for k, j in recording.uncorrelated]
    for point in recording.points if known.bound_dissimilarity else ():
        common = mean_gradient(point)
        apart = [square(g[r] - common) for g, r in zip(gradients, point, strict=True)]
        if known.dissimilarity_squared is not None:
            rules += [one <= float(known.dissimilarity_squared) for one in apart]
        if known.mean_dissimilarity_squared is not None:
            rules.append(
                sum(share * one for share, one in zip(shares, apart, strict=True))
                <= float(known.mean_dissimilarity_squared)
            )
    chosen = [
        (point, float(w)) for point, w in zip(recording.points, encoding.weights, strict=True) if w
    ]
    if encoding.metric is Metric.MIN_SQUARED_GRADIENT:
        smallest = cp.Variable()
        rules += [smallest <= squared_gradient(point) for point, _ in chosen]
        metric = smallest
    elif encoding.metric is Metric.MEAN_SQUARED_GRADIENT:
        metric = sum(w * squared_gradient(point) for point, w in chosen)
    else:
        metric = sum(w * loss(point) for point, w in chosen)
    return float(cp.Problem(cp.Maximize(metric), rules).solve(solver=solver))
