"""Forgeries by optimisation: a solver looks for the smallest bound that a relaxed grammar proves,
and what it finds is made exact. Such a file is perfect but for the rule that was relaxed.

Relaxed are: the signs of some multipliers; the models, of which one is put elsewhere than the
method puts it; the start, which is another model; and what a gradient is (a point in its place).
"""

import random
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction as F
from itertools import permutations
from typing import Any

import numpy as np

from tests.campaigns.forging.oracle import least_true_bound
from verification.check_certificate import METRICS, Sum, semidefinite

Json = dict[str, Any]
Multiplier = tuple[str, tuple[int, ...]]
LARGEST, MARGIN, DIGITS = 50, 1e-5, 10**7
WAYS = ("signs", "rows", "rows", "start", "points")


def candidates(data: Json, chance: random.Random, way: str) -> list[tuple[Multiplier, bool]]:
    """Inequalities that may be used, and whether their multiplier must be at least 0."""
    found: list[Multiplier] = [
        ("interpolation", (c, i, j))
        for c, known in enumerate(data["classes"])
        for i, j in permutations(range(len(known["records"])), 2)
    ]
    found += [(k, tuple(about)) for k, about, _ in data["multipliers"] if k != "interpolation"]
    if way == "points":  # |x|^2 <= G^2, as if a point were a gradient
        found += [
            ("gradient", (c, r, 0))
            for c, known in enumerate(data["classes"])
            for r in range(len(known["records"]))
        ]
    once = list(dict.fromkeys(found))
    return [(one, way != "signs" or chance.random() < 0.7) for one in once]


def _part(data: Json, add: Any) -> tuple[list[list[list[F]]], dict[Any, F], F]:
    """Matrices by block, function values and right side of one summand."""
    total = Sum(data)
    right = F(add(total) or 0)
    matrices = []
    for block in sorted(set(total.owners)):
        columns = [k for k, owner in enumerate(total.owners) if owner == block]
        m = [[F(0)] * len(columns) for _ in columns]
        for (u, v), x in total.squares.items():
            rows = [
                total.first if n == "first" else total.records[n[0]][n[1]][min(n[2], 1)]
                for n in (u, v)
            ]
            if block and "first" not in (u, v) and 2 in (u[2], v[2]):
                continue
            for i, a in enumerate(columns):
                for j, b in enumerate(columns):
                    m[i][j] += x * rows[0].get(a, 0) * rows[1].get(b, 0)
        matrices.append([[(m[i][j] + m[j][i]) / 2 for j in range(len(m))] for i in range(len(m))])
    free = {n for n in total.values if n[1:] == (0,) and (total.optimum or n[0])}
    return matrices, {n: x for n, x in total.values.items() if n not in free}, right


def _metric(data: Json) -> Any:
    def add(total: Sum) -> None:
        for point, w in zip(total.points, total.weights, strict=True):
            total.add_common(point, **{METRICS[data["metric"]]: -w})

    return add


def _solved(parts: list[Any], base: Any, positive: list[bool]) -> list[F] | None:
    """Multipliers with the smallest right side, as fractions; None if there are none."""
    import cvxpy as cp

    y = cp.Variable(len(parts))
    names = sorted({n for _, values, _ in [*parts, base] for n in values}, key=str)
    rights = np.array([float(r) for *_, r in parts])
    conditions: list[Any] = [cp.abs(y) <= LARGEST]
    conditions += [y[k] >= 0 for k, needed in enumerate(positive) if needed]
    for n in names:
        row = np.array([float(values.get(n, 0)) for _, values, _ in parts])
        conditions.append(row @ y + float(base[1].get(n, 0)) == 0)
    for b, m in enumerate(base[0]):
        if m:
            total = np.array(m, dtype=float)
            for k, part in enumerate(parts):
                total = total + y[k] * np.array(part[0][b], dtype=float)
            conditions.append(total >> MARGIN * np.eye(len(m)))
    problem = cp.Problem(cp.Minimize(rights @ y), conditions)
    try:
        problem.solve(solver=cp.CLARABEL)
    except cp.error.SolverError:
        return None
    if y.value is None or not np.isfinite(y.value).all():
        return None
    rounded = [F(round(float(v) * DIGITS), DIGITS) for v in y.value]
    rounded = [max(v, F(0)) if needed else v for v, needed in zip(rounded, positive, strict=True)]
    return _repaired(rounded, parts, base, names, positive)


def _repaired(
    y: list[F], parts: list[Any], base: Any, names: list[Any], positive: list[bool]
) -> list[F] | None:
    """The multipliers moved a little, so that function values cancel exactly."""
    rows = [[values.get(n, F(0)) for _, values, _ in parts] for n in names]
    lacking = [
        -base[1].get(n, F(0)) - sum((a * b for a, b in zip(row, y, strict=True)), F(0))
        for n, row in zip(names, rows, strict=True)
    ]
    step, order = [F(0)] * len(y), sorted(range(len(y)), key=lambda k: -abs(y[k]))
    pivots: list[tuple[int, int]] = []
    for k in order:
        used = {r for r, _ in pivots}
        r = next((r for r in range(len(rows)) if r not in used and rows[r][k]), None)
        if r is None:
            continue
        pivots.append((r, k))
        for other in range(len(rows)):
            if other != r and rows[other][k]:
                factor = rows[other][k] / rows[r][k]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[r], strict=True)]
                lacking[other] -= factor * lacking[r]
    for r, k in pivots:
        step[k] = lacking[r] / rows[r][k]
    if any(lacking[r] for r in range(len(rows)) if r not in {r for r, _ in pivots}):
        return None
    found = [a + b for a, b in zip(y, step, strict=True)]
    fits = all(v >= 0 or not needed for v, needed in zip(found, positive, strict=True))
    return found if fits else None


def relaxed_accepts(data: Json, parts: list[Any], base: Any, y: list[F]) -> bool:
    """Is it a proof but for the rule that was relaxed? Exactly."""
    for b, m in enumerate(base[0]):
        left = [
            [x + sum((v * p[0][b][i][j] for v, p in zip(y, parts, strict=True)), F(0))
             for j, x in enumerate(row)]
            for i, row in enumerate(m)
        ]  # fmt: skip
        scale = int(
            np.lcm.reduce([x.denominator for row in left for x in row] or [1], dtype=object)
        )
        if not semidefinite([[int(x * scale) for x in row] for row in left]):
            return False
    return sum((v * p[2] for v, p in zip(y, parts, strict=True)), F(0)) == F(data["bound"])


def moved(data: Json, chance: random.Random) -> None:
    """Put one model elsewhere, in the records of all classes."""
    rows = [r["point"] for known in data["classes"] for r in known["records"] if r["point"]]
    if not rows:
        return
    old = dict(chance.choice(rows))
    new = dict(old)
    name = chance.choice(sorted(old))
    new[name] = str(F(old[name]) * F(chance.randint(-10, 40), 10))
    for known in data["classes"]:
        for r in known["records"]:
            if r["point"] == old:
                r["point"] = dict(new)


def forgeries(data: Json, seed: int) -> Iterator[Json]:
    """Certificates of false bounds that a relaxed grammar would accept, until none are found."""
    chance = random.Random(f"optimised {seed} {data.get('says', '')}")
    true, idle = least_true_bound(data, 0), 0
    while true and idle < 30:
        way, bad, idle = chance.choice(WAYS), deepcopy(data), idle + 1
        if way == "rows":
            moved(bad, chance)
        if way == "start" and bad["start"] is not None:
            bad["start"] = chance.randrange(len(bad["points"]))
            bad["first_model"] = bad["classes"][0]["records"][bad["points"][bad["start"]][0]][
                "point"
            ]
        if way == "points" and bad["conditions"]["gradient_bound_squared"] is None:
            bad["conditions"]["gradient_bound_squared"] = "1"
        known = candidates(bad, chance, way)
        try:
            parts = [
                _part(bad, lambda total, one=one: total.constraint(*one, F(1))) for one, _ in known
            ]
            base = _part(bad, _metric(bad))
            least = true if way in ("signs", "rows") else least_true_bound(bad, 1, tries=20)
        except (ValueError, KeyError, IndexError, TypeError):
            continue
        y = _solved(parts, base, [needed for _, needed in known])
        if y is None:
            continue
        bad["bound"] = str(sum((v * p[2] for v, p in zip(y, parts, strict=True)), F(0)))
        if not 0 <= F(bad["bound"]) < least or not relaxed_accepts(bad, parts, base, y):
            continue
        bad["multipliers"] = [
            [kind, list(about), str(v)] for ((kind, about), _), v in zip(known, y, strict=True) if v
        ]
        idle = 0
        yield bad
