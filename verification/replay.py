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

getcontext().prec = 60
SIGNS = {"=": lambda a, b: a == b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b}


def number(text):
    if len(text) > 100000:
        raise ValueError("number too long")
    return F(text)


def formula(node, values):
    """A formula as nested lists, at given values: a Fraction, or a Decimal with 60 digits where it is irrational."""
    if isinstance(node, str):
        return number(node)
    if isinstance(node, dict):
        return values[node["symbol"]]
    parts = [formula(part, values) for part in node[1:]]
    if node[0] == "^" and isinstance(parts[0], F) and isinstance(parts[1], F):
        return power(*parts)
    if not all(isinstance(p, F) for p in parts) or node[0] in ("exp", "log"):
        parts = [decimal(p) for p in parts]
    if node[0] in ("+", "*"):
        total = parts[0]
        for part in parts[1:]:
            total = total + part if node[0] == "+" else total * part
        return total
    simple = {"max": max, "min": min, "abs": lambda x: abs(x), "exp": lambda x: x.exp(), "log": lambda x: x.ln(),
              "^": lambda a, b: (b * a.ln()).exp(), "ceiling": lambda x: F(-(-x // 1)), "floor": lambda x: F(x // 1)}
    return simple[node[0]](*parts)


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, F) else x


def power(base, exponent):
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

    kind = problem["kind"]
    weights = [number(x) for x in problem["importance"]]
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


def run(spec):
    """Models before each round and after the last, in fractions."""
    gradient, _ = gradients(spec["problem"])
    rows, starts, steps = spec["trace"]["delivers"], spec["trace"]["started_from"], spec["trace"]["local_steps"]
    clients, name = len(rows[0]), spec["algorithm"]
    sizes = spec["local_step_size"]
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
        moved = {"mifa": ([F(1, clients)] * clients, memory, sizes[t]), "mifa-difference": ([F(1, clients)] * clients, memory, sizes[t]),
                 "fedlaavg": ([F(1, clients)] * clients, memory, server),
                 "afa-cs": ([F(1, clients)] * clients, memory, server * sizes[t])}
        if name in moved:
            share, what, factor = moved[name]
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

    known = {
        "mean_squared_gradient": lambda: sum(map(squared, models[:-1])) / (len(models) - 1),
        "min_squared_gradient": lambda: min(map(squared, models)),
        "num_clients": lambda: F(len(weights)),
        "num_rounds": lambda: F(len(models) - 1),
        "local_steps": lambda: F(max(max(row) for row in spec["trace"]["local_steps"])),
        "local_step_size": lambda: number(spec["local_step_size"]),
        "server_step_size": lambda: number(spec["server_step_size"]),
    }
    if how.startswith("model:"):
        return models[int(how[6:])][0]
    fresh = all(s == t for t, row in enumerate(spec["trace"]["started_from"]) for s in row)
    if how == "limit" and fresh and len(models[0]) == 1 and spec["algorithm"] in ("fedavg", "fedsgd", "async", "afa-cd"):
        at_zero, at_one = (run({**spec, "start": [x]})[-1][0] for x in ("0", "1"))
        return at_zero / (1 - at_one + at_zero)
    return known[how]() if how in known else None


def replay(data):
    """Lines to print, and whether the contradiction is confirmed."""
    told, sign = [f"claim {data['claim']}: {data['says']}"], data["statement"]["sign"]
    if sign not in SIGNS:
        return [*told, f"  a claim of the form 'left {sign} right' is not decided by one instance: see fltheory verify"], False
    values = {name: formula(node, {}) for name, node in data["values"].items()}
    spec = data.get("run")
    if spec is not None:
        if number(spec["problem"].get("noise_squared", "0")):
            raise ValueError("no standalone replay for noisy runs")
        models = run(spec)
        for name, how in data["measures"].items():
            again = measured(spec, how, models)
            if again is None:
                told.append(f"  {name} = {data['values'][name]} taken from the file")
            elif again != values[name]:
                return [*told, f"  {name}: the run gives {again}, the file {values[name]}"], False
            else:
                told.append(f"  {name} = {again} recomputed")
    else:
        told.append("  all values are taken from the file")
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
                text = file.read(2_000_001)
            if len(text) > 2_000_000:
                raise ValueError("file too large")
            told, confirmed = replay(json.loads(text))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError, RecursionError) as problem:
            told, confirmed = [f"{path}: unusable: {problem!r}"[:300]], None
        print("\n".join(told))
        outcome = max(outcome, 2 if confirmed is None else 0 if confirmed else 1)
    return outcome


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
