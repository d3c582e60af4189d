#!/usr/bin/env python3
"""Replay a counterexample file with nothing but the standard library; shares no code with the fltheory package.

    python3 replay.py FILE...

The file's run (clients with quadratic, tilted or clipped losses) is repeated in exact fractions, its measured values are compared
with the file's, and both sides of the claim's statement are evaluated. Exit code: 0 contradiction confirmed, 1 not, 2 unusable file.
"""

import json
import sys
from decimal import Decimal, getcontext
from fractions import Fraction as F
from functools import reduce
from operator import add, eq, ge, le, mul

getcontext().prec = 60
OPERATIONS = {"+": lambda *xs: reduce(add, xs), "*": lambda *xs: reduce(mul, xs), "^": lambda a, b: (b * a.ln()).exp(),
              "max": max, "min": min, "abs": abs, "exp": lambda x: x.exp(), "log": lambda x: x.ln(),
              "ceiling": lambda x: F(-(-x // 1)), "floor": lambda x: F(x // 1)}
SIGNS = {"=": eq, "<=": le, ">=": ge}


def number(text):
    return F(text if len(text) <= 100_000 else "a number that is too long")


def formula(node, values):
    """A formula as nested lists, at given values: a Fraction, or a Decimal with 60 digits where it is irrational."""
    if not isinstance(node, list):
        return number(node) if isinstance(node, str) else values[node["symbol"]]
    parts = [formula(part, values) for part in node[1:]]
    if node[0] == "^" and isinstance(parts[0], F) and isinstance(parts[1], F):
        return power(*parts)
    if not all(isinstance(p, F) for p in parts) or node[0] in ("exp", "log"):
        parts = [decimal(p) for p in parts]
    return OPERATIONS[node[0]](*parts)


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, F) else x


def power(base, exponent):
    if abs(exponent) > 10000:
        raise ValueError("exponent too large")
    if exponent.denominator == 1:
        return base ** int(exponent)
    if exponent.denominator == 2 and base >= 0:
        root = [round(Decimal(n).sqrt()) for n in (base.numerator, base.denominator)]
        if root[0] ** 2 == base.numerator and root[1] ** 2 == base.denominator:
            return F(root[0], root[1]) ** exponent.numerator
    return (decimal(exponent) * decimal(base).ln()).exp()


def gradients(problem):
    """client, point -> gradient, for the kinds of clients that this file knows; and each client's importance."""
    def rows(name):
        return [[number(x) for x in row] for row in problem[name]]

    kind, weights = problem["kind"], [number(x) for x in problem["importance"]]
    if kind == "quadratic":
        h, c = rows("curvatures"), rows("optima")
        return lambda i, x: [a * (b - d) for a, b, d in zip(h[i], x, c[i], strict=True)], weights
    if kind == "common-curvature":
        h, b = number(problem["curvature"]), rows("tilts")
        return lambda i, x: [h * a + d for a, d in zip(x, b[i], strict=True)], weights
    if kind == "clipped":
        h, c, most = rows("curvatures"), rows("centres"), number(problem["bound"])
        return lambda i, x: [min(max(a * (b - d), -most), most) for a, b, d in zip(h[i], x, c[i], strict=True)], weights
    raise ValueError(f"no standalone replay for a problem of kind {kind}")


def curvatures(problem):
    """Second derivatives of the clients' losses where these are quadratic, else None."""
    if problem["kind"] == "common-curvature":
        return [[number(problem["curvature"])] * len(row) for row in problem["tilts"]]
    return [[number(h) for h in row] for row in problem["curvatures"]] if problem["kind"] == "quadratic" else None


def loss_gap(slopes, weights, gradient, x):
    """f(x) - f* of a quadratic: in each coordinate (slope of f at x)^2 / (2 curvature of f)."""
    def mean(rows):
        return [sum(w * a for w, a in zip(weights, column, strict=True)) for column in zip(*rows, strict=True)]

    slopes_at_x = mean(gradient(i, x) for i in range(len(weights)))
    return sum(g * g / (2 * h) for g, h in zip(slopes_at_x, mean(slopes), strict=True) if g)


def run(spec):
    """Models before each round and after the last, in fractions."""
    if number(spec["problem"].get("noise_squared", "0")):
        raise ValueError("no standalone replay for noisy runs")
    gradient, _ = gradients(spec["problem"])
    rows, starts, steps = spec["trace"]["delivers"], spec["trace"]["started_from"], spec["trace"]["local_steps"]
    clients, name, sizes = len(rows[0]), spec["algorithm"], spec["local_step_size"]
    sizes = [number(s) for s in (sizes if isinstance(sizes, list) else [sizes] * len(rows))]
    server = number(spec["server_step_size"])
    models = [[number(x) for x in spec["start"]]]
    zero = [F(0)] * len(models[0])
    memory = [zero] * clients
    weights = [number(w) for w in spec["settings"].get("weights", ["1"] * clients)]
    if name == "importance-sampling":
        weights = [1 / (clients * number(p)) for p in spec["settings"]["probabilities"]]
    for t, row in enumerate(rows):
        who = [i for i in range(clients) if row[i] == "1"]
        delivered = {}
        for i in who:
            size, local, total = sizes[starts[t][i]], models[starts[t][i]], zero
            for _ in range(1 if name == "fedsgd" else steps[t][i]):
                g = gradient(i, local)
                local = [a - size * b for a, b in zip(local, g, strict=True)]
                total = [a + b for a, b in zip(total, g, strict=True)]
            scale = {"fedlaavg": size, "afa-cd": F(1, steps[t][i]), "afa-cs": F(1, steps[t][i])}.get(name, F(1))
            delivered[i] = [scale * g for g in total]
            memory[i] = delivered[i]
        remembered = {"mifa": server * sizes[t], "mifa-difference": server * sizes[t], "fedlaavg": server, "afa-cs": server * sizes[t]}
        if name in remembered:
            share, what, factor = [F(1, clients)] * clients, memory, remembered[name]
        elif name in ("fedavg", "fedsgd", "async", "fedfix", "fedbuff", "importance-sampling", "afa-cd"):
            mean = name in ("fedavg", "fedsgd", "afa-cd")
            share = [F(i in delivered) * (F(1, len(who) or 1) if mean else weights[i]) * sizes[starts[t][i]] for i in range(clients)]
            what, factor = [delivered.get(i, zero) for i in range(clients)], server
        else:
            raise ValueError(f"no standalone replay for the algorithm {name}")
        models.append([x - factor * sum(share[i] * what[i][j] for i in range(clients)) for j, x in enumerate(models[-1])])
    return models


def measured(spec, how, models):
    """A quantity of the run that the file names."""
    gradient, weights = gradients(spec["problem"])

    def squared(x):
        columns = zip(*([w * g for g in gradient(i, x)] for i, w in enumerate(weights)), strict=True)
        return sum(sum(column) ** 2 for column in columns)

    trace, slopes = spec["trace"], curvatures(spec["problem"])
    known = {
        "mean_squared_gradient": lambda: sum(map(squared, models[:-1])) / (len(models) - 1),
        "min_squared_gradient": lambda: min(map(squared, models)),
        "num_clients": lambda: F(len(weights)),
        "num_rounds": lambda: F(len(models) - 1),
        "clients_per_round": lambda: F(min(row.count("1") for row in trace["delivers"])),
        "local_steps": lambda: F(max(map(max, trace["local_steps"]))),
        "max_delay": lambda: F(max(t - s for t, row in enumerate(trace["started_from"]) for s in row)),
        "local_step_size": lambda: number(spec["local_step_size"]),
        "server_step_size": lambda: number(spec["server_step_size"]),
        "gradient_noise": lambda: F(0),
        "smoothness": lambda: slopes and max(abs(h) for row in slopes for h in row),
        "initial_loss_gap": lambda: slopes and loss_gap(slopes, weights, gradient, models[0]),
    }
    if how.startswith("model:"):
        return models[int(how[6:])][0]
    fresh = all(s == t for t, row in enumerate(trace["started_from"]) for s in row)
    if how == "limit" and fresh and len(models[0]) == 1 and spec["algorithm"] in ("fedavg", "fedsgd", "async", "afa-cd"):
        at_zero, at_one = (run({**spec, "start": [x]})[-1][0] for x in ("0", "1"))
        return at_zero / (1 - at_one + at_zero)
    return known[how]() if how in known else None


def replay(data):
    """Lines to print, and whether the contradiction is confirmed."""
    told, sign, spec = [f"claim {data['claim']}: {data['says']}"], data["statement"]["sign"], data.get("run")
    if sign not in SIGNS:
        return [*told, f"  a claim of the form 'left {sign} right' is not decided by one instance: see fltheory verify"], False
    values = {name: formula(node, {}) for name, node in data["values"].items()}
    if spec is not None:
        models = run(spec)
        for name, how in data["measures"].items():
            again = measured(spec, how, models)
            if again is not None and again != values[name]:
                return [*told, f"  {name}: the run gives {again}, the file {values[name]}"], False
            told.append(f"  {name} = {values[name]} {'taken from the file' if again is None else 'recomputed'}")
    told += ["  all values are taken from the file"] if spec is None else []
    left, right = formula(data["statement"]["left"], values), formula(data["statement"]["right"], values)
    if not (isinstance(left, F) and isinstance(right, F)):
        left, right = decimal(left), decimal(right)
        if abs(left - right) <= Decimal("1e-40") * max(abs(left), abs(right)):
            return [*told, "  the two sides are too close to tell apart with 60 digits"], False
    confirmed = not SIGNS[sign](left, right)
    told.append(f"  left = {left}, right = {right}: {'contradicts' if confirmed else 'agrees with'} left {sign} right")
    return told, confirmed


def main(paths):
    outcome = 0 if paths else 2
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                told, confirmed = replay(json.loads(file.read(2_000_000)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError, RecursionError) as problem:
            told, confirmed = [f"{path}: unusable: {problem!r}"[:300]], None
        print("\n".join(told))
        outcome = max(outcome, 2 if confirmed is None else 0 if confirmed else 1)
    return outcome


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
