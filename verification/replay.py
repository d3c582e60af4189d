"""Replay counterexample files with the standard library alone: python3 replay.py FILE... Runs and
formulas are repeated in exact fractions, orders followed along their path; what is not recomputed
is named. Exit code: 0 confirmed, 1 not, 2 unusable (or above SECONDS).
"""

import json
import signal
import sys
from collections import defaultdict
from decimal import Decimal, getcontext
from fractions import Fraction as F
from math import isqrt, prod

SECONDS, getcontext().prec = 1.5, 60
OPERATIONS = {
    "+": lambda *xs: sum(xs),
    "*": lambda *xs: prod(xs),
    "^": lambda a, b: (b * a.ln()).exp(),
    "max": max,
    "min": min,
    "abs": abs,
    "exp": lambda x: x.exp(),
    "log": lambda x: x.ln(),
    "ceiling": lambda x: -(-x // 1),
    "floor": lambda x: x // 1,
}
KEPT = {"mifa", "mifa-difference", "fedlaavg", "afa-cs", "afa-cs-fedprox", "afa-cs-scaffold"}
MEANS = {"fedavg", "fedsgd", "fedprox", "scaffold", "afa-cd", "afa-cd-fedprox", "afa-cd-scaffold"}
ALGORITHMS = (
    KEPT | MEANS | {"sync", "async", "fedfix", "fedbuff", "importance-sampling", "partial-work"}
)


def number(text):
    return F(text if len(text) <= 100_000 else "a number that is too long")


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, F) else x


def formula(node, values):
    """A formula as nested lists, at given values: a Fraction, or a Decimal with 60 digits where it
    is irrational."""
    if not isinstance(node, list):
        return number(node) if isinstance(node, str) else values[node["symbol"]]
    if node[0] == "sum":
        first, last = (int(formula(part, values)) for part in node[3:])
        steps = range(
            first, last + 1 if last - first <= 10000 else number("a sum that is too long")
        )
        return sum((formula(node[1], {**values, node[2]["symbol"]: F(k)}) for k in steps), F(0))
    parts = [formula(part, values) for part in node[1:]]
    if node[0] == "^" and isinstance(parts[0], F) and isinstance(parts[1], F):
        return power(*parts)
    exact = node[0] not in ("exp", "log") and all(isinstance(p, F) for p in parts)
    found = OPERATIONS[node[0]](*(parts if exact else map(decimal, parts)))
    return F(found) if isinstance(found, int) else found


def power(base, exponent):
    root = F(isqrt(abs(base.numerator)), isqrt(base.denominator))
    if exponent.denominator == 2 and root * root == base:
        return root**exponent.numerator
    short = abs(exponent) * sum(map(abs, base.as_integer_ratio())).bit_length() <= 10**6
    return (
        base ** int(exponent)
        if exponent.denominator == 1 and short
        else (decimal(exponent) * decimal(base).ln()).exp()
    )


def oracle(problem):
    """client, point -> gradient, for the kinds of clients that this file knows."""
    names = {
        "quadratic": ["curvatures", "optima"],
        "clipped": ["curvatures", "centres"],
        "common-curvature": ["tilts"],
    }[problem["kind"]]
    tables = [[[number(x) for x in row] for row in problem[name]] for name in names]
    if problem["kind"] == "common-curvature":
        return lambda i, x: [
            number(problem["curvature"]) * a + b for a, b in zip(x, tables[0][i], strict=True)
        ]
    most = number(problem["bound"]) if problem["kind"] == "clipped" else float("inf")
    return lambda i, x: [
        min(max(h * (a - c), -most), most)
        for h, a, c in zip(tables[0][i], x, tables[1][i], strict=True)
    ]


def run(spec, shock=None):
    """Models before each round and after the last, in fractions; `shock` = (round, client, local
    step, coordinate) adds 1 to a gradient."""
    gradient, name, sizes = oracle(spec["problem"]), spec["algorithm"], spec["local_step_size"]
    kind, server = (
        name[:3] if name in ALGORITHMS else number(f"no standalone replay for {name}"),
        number(spec["server_step_size"]),
    )
    given = {
        key: [number(x) for x in (value if isinstance(value, list) else [value])]
        for key, value in spec["settings"].items()
        if value
    }
    plan, starts, steps = (
        spec["trace"][table] for table in ("delivers", "started_from", "local_steps")
    )
    sizes, pull = (
        [number(s) for s in (sizes if isinstance(sizes, list) else [sizes] * len(plan))],
        given.get("proximal_strength", [0])[0],
    )
    clients, models, zero = (
        len(plan[0]),
        [[number(x) for x in spec["start"]]],
        [F(0)] * len(spec["start"]),
    )
    equal, memory, controls, sent = (
        [F(1, clients)] * clients,
        dict.fromkeys(range(clients), zero),
        [zero] * clients,
        [zero],
    )
    weights = (
        given.get("weights")
        or [equal[0] / p for p in given.get("probabilities", ())]
        or given.get("importance", equal)
    )
    for t, row in enumerate(plan):
        delivered, now = {}, sizes[t] if kind in ("afa", "mif") else 1
        for i in (j for j in range(clients) if row[j] == "1"):
            begun, local, total, count = (
                starts[t][i],
                models[starts[t][i]],
                zero,
                1 if name == "fedsgd" else steps[t][i],
            )
            size, turn = (
                sizes[begun],
                [d - c - pull * m for c, d, m in zip(controls[i], sent[begun], local, strict=True)],
            )
            for k in range(count):
                g = [
                    a + ((t, i, k, c) == shock) + pull * local[c] + turn[c]
                    for c, a in enumerate(gradient(i, local))
                ]
                local, total = (
                    [a - size * b for a, b in zip(local, g, strict=True)],
                    [a + b for a, b in zip(total, g, strict=True)],
                )
            controls[i] = (
                [x / count - y for x, y in zip(total, turn, strict=True)]
                if "scaffold" in name
                else zero
            )
            scale = {
                "afa": F(1, count),
                "mif": F(1),
                "par": size * given.get("full_local_steps", [1])[0] / count,
            }.get(kind, size)
            delivered[i] = memory[i] = [scale * x for x in total]
        share, what = (
            (equal, memory)
            if name in KEPT
            else ([F(1, len(delivered) or 1)] * clients if name in MEANS else weights, delivered)
        )
        models.append(
            [
                x - server * now * sum(share[i] * what[i][j] for i in what)
                for j, x in enumerate(models[-1])
            ]
        )
        sent.append([sum(column) / clients for column in zip(*controls, strict=True)])
    return models


def cycle(spec):
    """The limit cycle's models, from any start, when the trace goes on: in each phase a sum of
    powers, whose limit Wynn's table gives."""
    plan, starts, steps = (
        list(spec["trace"][table]) for table in ("delivers", "started_from", "local_steps")
    )
    rounds, period = (
        len(plan),
        next(
            p
            for p in range(1, len(plan))
            if all(
                plan[t] == plan[t - p] and starts[t] == [s + p for s in starts[t - p]]
                for t in range(max(p, len(plan) - 2 * p), len(plan))
            )
        ),
    )
    for t in range(rounds, rounds + 16 * period):
        plan, starts, steps = (
            [*plan, plan[t - period]],
            [*starts, [s + period for s in starts[t - period]]],
            [*steps, steps[t - period]],
        )
    models = [
        x
        for (x,) in run(
            {
                **spec,
                "start": ["22/7"],
                "trace": {"delivers": plan, "started_from": starts, "local_steps": steps},
            }
        )
    ]
    for phase in range(period):
        last, now = [F(0)] * rounds * 17, models[-(-rounds // period) * period + phase :: period]
        while len(set(now)) > 1:
            odd = [a + 1 / (c - b) for a, b, c in zip(last[1:], now, now[1:], strict=False)]
            last, now = (
                odd,
                [a + 1 / (c - b) for a, b, c in zip(now[1:], odd, odd[1:], strict=False)],
            )
        yield now[0]


def measured(spec, models):
    """name -> a quantity of the run, or None if this file does not know it."""
    problem, trace, clients, size = (
        spec["problem"],
        spec["trace"],
        len(spec["problem"]["importance"]),
        len(models[0]),
    )
    plan, starts, steps, gradient = (
        trace["delivers"],
        trace["started_from"],
        trace["local_steps"],
        oracle(problem),
    )
    variance, weights = (
        number(problem.get("noise_squared", "0")) / size,
        [number(w) for w in problem["importance"]],
    )
    zero, one = ([gradient(i, [F(e)] * size) for i in range(clients)] for e in (0, 1))
    bends = [[b - a for a, b in zip(*pair, strict=True)] for pair in zip(zero, one, strict=True)]

    def mean(table):
        return [
            sum(w * x for w, x in zip(weights, column, strict=True))
            for column in zip(*table, strict=True)
        ]

    bend, best = (
        mean(bends),
        [-g / h if h else F(0) for g, h in zip(mean(zero), mean(bends), strict=True)],
    )
    half, unit, noisy = (
        [1 / (2 * h) if h else F(0) for h in bend],
        [F(1)] * size,
        range(size) if variance else (),
    )
    moved = [
        run(spec, (t, i, k, c))
        for t, r in enumerate(steps)
        for i, n in enumerate(r)
        for k in range(n)
        for c in noisy
    ]

    def expected(shares, scale):
        """E sum_j scale_j (slope_j of f)^2 at x = sum_t shares_t model_t: its mean, and its
        variance by the responses to single draws."""
        x, *others = (
            [sum(w * m[j] for w, m in zip(shares, ms, strict=True)) for j in range(size)]
            for ms in (models, *moved)
        )
        slope = mean([gradient(i, x) for i in range(clients)])
        return sum(
            scale[j]
            * (slope[j] ** 2 + variance * sum((bend[j] * (y[j] - x[j])) ** 2 for y in others))
            for j in range(size)
        )

    only = [[F(s == t) for s in range(len(models))] for t in range(len(models))]
    ages = [
        [
            t - next((starts[s][i] for s in range(t, -1, -1) if plan[s][i] == "1"), 0)
            for i in range(clients)
        ]
        for t in range(len(plan))
    ]
    mix = [
        (t + a) * (t + a - 1)
        for a in [number(spec["parameters"].get("step_offset", "1"))]
        for t in range(len(models))
    ]
    known = {
        "model": lambda i: models[i][0],
        "weight": lambda i: number(spec["settings"]["weights"][i]),
        "undivided": lambda i: run(
            {**spec, "server_step_size": str(clients * number(spec["server_step_size"]))}
        )[i][0],
        "mean_squared_gradient": lambda i: (
            sum(expected(shares, unit) for shares in only[:-1]) / len(plan)
        ),
        "min_squared_gradient": lambda i: min(expected(shares, unit) for shares in only),
        "num_clients": lambda i: F(clients),
        "num_rounds": lambda i: F(len(plan)),
        "local_steps": lambda i: F(max(1, *map(max, steps))),
        "clients_per_round": lambda i: F(min(row.count("1") for row in plan)),
        "gradient_noise": lambda i: power(variance * size, F(1, 2)),
        "max_delay": lambda i: F(max(t - s for t, row in enumerate(starts) for s in row)),
        "max_staleness": lambda i: max(map(max, ages)),
        "mean_staleness": lambda i: F(sum(map(sum, ages)), clients * len(plan)),
        "mean_client_max_staleness": lambda i: F(sum(map(max, zip(*ages, strict=True))), clients),
        "local_step_size": lambda i: number(spec["local_step_size"]),
        "server_step_size": lambda i: number(spec["server_step_size"]),
    }
    known |= (
        {}
        if problem["kind"] == "clipped"
        else {
            "optimum": lambda i: best[0] if i is None else number(problem["optima"][i][0]),
            "limit": lambda i: next(cycle(spec)),
            "limit_error": lambda i: (
                sum((bend[0] * (x - best[0])) ** 2 for x in cycle(spec)) / len(list(cycle(spec)))
            ),
            "smoothness": lambda i: max(abs(h) for row in bends for h in row),
            "initial_loss_gap": lambda i: expected(only[0], half),
            "weighted_loss_gap": lambda i: expected([m / sum(mix) for m in mix], half),
            "strong_convexity": lambda i: min(map(min, bends)),
            "initial_distance": lambda i: power(
                sum((x - b) ** 2 for x, b in zip(models[0], best, strict=True)), F(1, 2)
            ),
            "dissimilarity_at_optimum": lambda i: (
                sum(g * g for j in range(clients) for g in gradient(j, best)) / clients
            ),
            "dissimilarity": lambda i: power(
                max(
                    sum((a - b) ** 2 for a, b in zip(row, mean(zero), strict=True)) for row in zero
                ),
                F(1, 2),
            ),
        }
    )
    return lambda how: known.get(how.split(":")[0], lambda i: None)(
        int(how.split(":")[1]) if ":" in how else None
    )


def recomputed(data):
    """The values that the run or the formulas of the file give; None for those that this file
    cannot compute."""
    spec, origin = data.get("run"), data.get("origin") or {}
    at = {
        name: number(x)
        for name, x in (origin.get("at", {}) if spec is None else spec["parameters"]).items()
    }
    runs = {
        name: at[how] if how in at else measured(spec, run(spec))(how)
        for name, how in data["measures"].items()
    }
    return (
        at | runs | {name: formula(node, at) for name, node in origin.get("formulas", {}).items()}
    )


def replay(data, compute=recomputed):
    """Lines to print, and whether the contradiction is confirmed."""
    told, sign = [f"claim {data['claim']}: {data['says']}"], data["statement"]["sign"]
    if sign == "= O of" and data["right"] != "is 0":
        grown = [
            defaultdict(lambda: F(1), {data["right"].split()[-2]: F(10**k)}) for k in (2, 4, 6, 8)
        ]
        paths = [
            at | {name: formula(node, at) for name, node in data["values"].items()} for at in grown
        ]
        ratios = [
            abs(
                decimal(formula(data["statement"]["left"], at))
                / decimal(formula(data["statement"]["right"], at))
            )
            for at in paths
        ]
        grows, seen = (
            ratios == sorted(ratios) and ratios[3] > ratios[2] * Decimal("1.01"),
            ", ".join(f"{r:.4g}" for r in ratios),
        )
        return [
            *told,
            (
                f"  left/right along the path is {seen}, ...:"
                f" {'contradicts' if grows else 'agrees with'} left {sign} right"
            ),
        ], grows
    values = {
        name: formula(node, defaultdict(lambda: F(1)) if "O" in sign else {})
        for name, node in data["values"].items()
    }
    again = {name: x for name, x in compute(data).items() if x is not None and name in values}
    for name in (one for one in again if again[one] != values[one]):
        return [
            *told,
            f"  {name}: computed again {again[name]}, the file has {values[name]}",
        ], False
    for how, names in {
        "computed again": set(again),
        "taken from the file": set(values) - set(again),
    }.items():
        told.append(f"  {how}: {', '.join(sorted(names)) or 'nothing'}")
    left, right = (
        formula(data["statement"]["left"], values),
        formula(data["statement"]["right"], values),
    )
    left, right = (
        (left, right)
        if isinstance(left, F) and isinstance(right, F)
        else (decimal(left), decimal(right))
    )
    if isinstance(left, Decimal) and abs(left - right) <= Decimal("1e-40") * abs(right):
        return [*told, "  the two sides are too close to tell apart with 60 digits"], False
    confirmed = not {
        "=": left == right,
        "<=": left <= right,
        ">=": left >= right,
        "= O of": right or not left,
    }[sign]
    return [
        *told,
        (
            f"  left = {left}, right = {right}: {'contradicts' if confirmed else 'agrees with'}"
            f" left {sign} right"
        ),
    ], confirmed


def main(paths, compute=recomputed, seconds=SECONDS):
    outcome, _ = (
        2 * (not paths),
        signal.signal(signal.SIGVTALRM, lambda *_: number("a run that takes too long")),
    )
    for path in paths:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            with open(path, encoding="utf-8") as file:
                told, confirmed = replay(json.loads(file.read(2_000_000)), compute)
        except (
            OSError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            ArithmeticError,
            RuntimeError,
            StopIteration,
        ) as problem:
            told, confirmed = [f"{path}: unusable: {problem!r}"[:300]], None
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        print("\n".join(told))
        outcome = max(outcome, 2 if confirmed is None else 0 if confirmed else 1)
    return outcome


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
