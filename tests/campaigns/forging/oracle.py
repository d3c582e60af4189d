"""Which statements of certificates are false: explicit quadratic and Huber functions, exactly.

A file names points and gradients over unknown vectors. On explicit functions of one coordinate the
vectors get numbers, point by point; if the stated conditions hold and the stated bound does not,
then the statement is false, whatever its multipliers are.
"""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction as F
from typing import Any, NamedTuple

Json = dict[str, Any]
Rows = list[list[tuple[Json, Json]]]
"""For each function its records: rows of a point and of its gradient."""


class Loss(NamedTuple):
    """An explicit loss: value and slope at a point."""

    value: Callable[[F], F]
    slope: Callable[[F], F]


def quadratic(bend: F, centre: F) -> Loss:
    """h/2 (x - c)^2."""
    return Loss(lambda x: bend * (x - centre) ** 2 / 2, lambda x: bend * (x - centre))


def huber(bend: F, width: F) -> Loss:
    """h/2 x^2 near 0, then straight."""
    steep = bend * width

    def value(x: F) -> F:
        return bend * x * x / 2 if abs(x) <= width else steep * (abs(x) - width / 2)

    return Loss(value, lambda x: max(-steep, min(steep, bend * x)))


def assigned(
    rows: Rows, losses: list[Loss], known: dict[str, F], free: Callable[[], F]
) -> list[list[tuple[F, F]]] | None:
    """The points and slopes of all records as numbers; None if the rows contradict the losses.

    An unknown vector of a point gets a free number, the one unknown vector of a gradient what makes
    it the slope.
    """
    found: list[list[tuple[F, F]]] = [[] for _ in rows]
    longest = max(map(len, rows), default=0)
    for r in range(longest):
        for c, records in enumerate(rows):
            if r >= len(records):
                continue
            point, gradient = records[r]
            for k in point:
                if k not in known:
                    known[k] = free()
            x = sum((F(v) * known[k] for k, v in point.items()), F(0))
            slope = losses[c].slope(x)
            unknown = [k for k in gradient if k not in known and F(gradient[k])]
            told = sum((F(v) * known[k] for k, v in gradient.items() if k in known), F(0))
            if len(unknown) > 1:
                for k in unknown[1:]:
                    known[k] = F(0)
            if unknown:
                known[unknown[0]] = (slope - told) / F(gradient[unknown[0]])
            elif told != slope:
                return None
            found[c].append((x, slope))
    return found


def _losses(data: Json, chance: random.Random) -> list[Loss]:
    """Convex losses in the class, whose mean is smallest at 0."""
    high = F(data["smoothness"])
    shares = [F(c["share"]) for c in data["classes"]]
    bend = high * chance.choice((F(1), F(1), F(1, 2), F(1, 10), F(1, 100)))
    bend = max(bend, F(data["lowest_curvature"]))
    if len(shares) == 1 and chance.random() < 0.5 and F(data["lowest_curvature"]) <= 0:
        return [huber(high, F(1, chance.choice((1, 10, 100, 30000))))]
    centres = [F(chance.randint(-8, 8), 4) * chance.choice((0, 0, 1)) for _ in shares]
    mean = sum((s * c for s, c in zip(shares, centres, strict=True)), F(0)) / sum(shares)
    return [quadratic(bend, c - mean) for c in centres]


def _metric(data: Json, at: list[list[tuple[F, F]]], losses: list[Loss]) -> F | None:
    """The metric of a worst-case certificate on one run; None if a stated condition fails."""
    shares = [F(c["share"]) for c in data["classes"]]

    def mean(values: list[F]) -> F:
        return sum((s * v for s, v in zip(shares, values, strict=True)), F(0))

    def gap(point: list[int]) -> F:
        x = at[0][point[0]][0]
        return mean([f.value(x) - f.value(F(0)) for f in losses])

    def slopes(point: list[int]) -> list[F]:
        return [at[c][r][1] for c, r in enumerate(point)]

    points, limits = data["points"], data["conditions"]
    apart = [[(g - mean(slopes(p))) ** 2 for g in slopes(p)] for p in points]
    start = at[0][points[data["start"] or 0][0]][0]
    checks = {
        "distance_squared": [start**2],
        "loss_gap": [gap(points[data["start"] or 0])],
        "heterogeneity": [mean([f.slope(F(0)) ** 2 for f in losses])],
        "gradient_bound_squared": [g * g for records in at for _, g in records],
        "dissimilarity_squared": [d for row in apart for d in row],
        "mean_dissimilarity_squared": [mean(row) for row in apart],
    }
    for name, limit in limits.items():
        if limit is not None and max(checks[name]) > F(limit):
            return None
    if data["has_optimum"] and any(at[c][0][0] for c in range(len(at))):
        return None
    weights = [F(w) for w in data["weights"]]
    squares = [mean(slopes(p)) ** 2 for p in points]
    if data["metric"] == "MIN_SQUARED_GRADIENT":
        return min(s for s, w in zip(squares, weights, strict=True) if w > 0)
    per = squares if data["metric"] == "MEAN_SQUARED_GRADIENT" else [gap(p) for p in points]
    return sum((w * v for w, v in zip(weights, per, strict=True)), F(0))


def least_true_bound(data: Json, seed: int, tries: int = 60) -> F:
    """The largest value of a certificate's metric that was seen on explicit losses: any smaller
    bound is false."""
    chance, best = random.Random(f"bound {seed}"), F(0)
    limits = [float(F(x)) for x in data["conditions"].values() if x is not None]
    reach = max([1.0, *limits]) ** 0.5
    rows = [[(r["point"], r["gradient"]) for r in c["records"]] for c in data["classes"]]
    for k in range(tries):
        losses = _losses(data, chance)
        scale = F(reach * chance.choice((1, 1, 0.5, 0.999))).limit_denominator(10**6)
        if data["conditions"].get("loss_gap") is not None and chance.random() < 0.8:
            bend = losses[0].slope(F(1)) - losses[0].slope(F(0))
            if bend:
                root = (2 * float(F(data["conditions"]["loss_gap"])) / float(bend)) ** 0.5
                scale = F(root * 0.9999).limit_denominator(10**6)
        sign = -1 if k % 2 else 1
        # the first model is at `start`; without an optimum among the records it is the origin
        moved = [Loss(*_shifted(f, sign * scale)) for f in losses]
        no_optimum = not data["has_optimum"]
        known = dict.fromkeys(data["first_model"], sign * scale)
        at = assigned(rows, moved if no_optimum else losses, known, lambda: F(0))
        if at is None:
            continue
        if no_optimum:
            at = [[(x + sign * scale, g) for x, g in records] for records in at]
        value = _metric(data, at, losses)
        if value is not None:
            best = max(best, value)
    return best


def _shifted(loss: Loss, by: F) -> Loss:
    return Loss(lambda x: loss.value(x + by), lambda x: loss.slope(x + by))


def _expression(e: Json, known: dict[str, F], values: list[list[F]]) -> F:
    total = F(e["constant"])
    total += sum(
        (F(x) * known.get(str(a), F(0)) * known.get(str(b), F(0)) for a, b, x in e["squares"]), F(0)
    )
    return total + sum((F(x) * values[f][r] for f, r, x in e["values"]), F(0))


def instances(data: Json, seed: int, tries: int = 40) -> Iterator[tuple[F, F]]:
    """Both sides of an inequality on explicit losses that meet everything that it assumes."""
    chance = random.Random(f"inequality {seed}")
    high, low = F(data["smoothness"]), F(data["lowest_curvature"])
    rows = [[(p, g) for p, g in records] for records in data["functions"]]
    for _ in range(tries):
        bends = [max(low, high * F(chance.choice((4, 4, 2, 1, 0)), 4)) for _ in rows]
        size = F(10) ** chance.randint(-2, 1)
        losses = [quadratic(h, size * chance.randint(-3, 3) * chance.choice((0, 1))) for h in bends]
        known: dict[str, F] = {}
        at = assigned(rows, losses, known, lambda s=size: s * chance.randint(-4, 4))  # type: ignore[misc]
        if at is None:
            continue
        for k in range(int(data["basis"])):
            known.setdefault(str(k), size * chance.randint(-2, 2))
        values = [[f.value(x) for x, _ in records] for f, records in zip(losses, at, strict=True)]
        if all(_expression(e, known, values) <= 0 for e in data["assumed"]):
            yield (
                _expression(data["left"], known, values),
                _expression(data["right"], known, values),
            )
