"""Repeat runs in exact fractions and measure them, with the standard library only.

Written from the definitions of the papers; it shares no code with the package.
"""

import sys
from fractions import Fraction as F
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import number, power

KEPT = {"mifa", "mifa-difference", "fedlaavg", "afa-cs", "afa-cs-fedprox", "afa-cs-scaffold"}
MEANS = {"fedavg", "fedsgd", "fedprox", "scaffold", "afa-cd", "afa-cd-fedprox", "afa-cd-scaffold"}
ALGORITHMS = (
    KEPT | MEANS | {"sync", "async", "fedfix", "fedbuff", "importance-sampling", "partial-work"}
)
TABLES = ("delivers", "started_from", "local_steps")


def oracle(problem):
    """The gradient as a function of client and point."""
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


def run(spec, shock=None, *, gradient=None, means=None):
    """Models before each round and after the last.

    `shock` = (round, client, local step, coordinate) adds 1 to one gradient. `gradient` replaces
    that of the problem; models then keep the coordinates in `means` only, because the others are
    deviations from a mean, which cancel.
    """
    gradient = gradient or oracle(spec["problem"])
    name, sizes = spec["algorithm"], spec["local_step_size"]
    kind = name[:3] if name in ALGORITHMS else number(f"no standalone replay for {name}")
    server = number(spec["server_step_size"])
    given = {
        key: [number(x) for x in (value if isinstance(value, list) else [value])]
        for key, value in spec["settings"].items()
        if value
    }
    plan, starts, steps = (spec["trace"][table] for table in TABLES)
    sizes = [number(s) for s in (sizes if isinstance(sizes, list) else [sizes] * len(plan))]
    pull = given.get("proximal_strength", [0])[0]
    clients, zero = len(plan[0]), [F(0)] * len(spec["start"])
    models = [[number(x) for x in spec["start"]]]
    equal = [F(1, clients)] * clients
    memory, controls, sent = dict.fromkeys(range(clients), zero), [zero] * clients, [zero]
    inverse = [equal[0] / p for p in given.get("probabilities", ())]
    weights = given.get("weights") or inverse or given.get("importance", equal)
    for t, row in enumerate(plan):
        delivered = {}
        now = sizes[t] if kind in ("afa", "mif") else 1
        for i in (j for j in range(clients) if row[j] == "1"):
            begun, total = starts[t][i], zero
            local, size = models[begun], sizes[begun]
            count = 1 if name == "fedsgd" else steps[t][i]
            turn = [
                d - c - pull * m for c, d, m in zip(controls[i], sent[begun], local, strict=True)
            ]
            for k in range(count):
                g = [
                    a + ((t, i, k, c) == shock) + pull * local[c] + turn[c]
                    for c, a in enumerate(gradient(i, local))
                ]
                local = [a - size * b for a, b in zip(local, g, strict=True)]
                total = [a + b for a, b in zip(total, g, strict=True)]
            if "scaffold" in name:
                controls[i] = [x / count - y for x, y in zip(total, turn, strict=True)]
            else:
                controls[i] = zero
            scale = {
                "afa": F(1, count),
                "mif": F(1),
                "par": size * given.get("full_local_steps", [1])[0] / count,
            }.get(kind, size)
            delivered[i] = memory[i] = [scale * x for x in total]
        if name in KEPT:
            share, used = equal, memory
        elif name in MEANS:
            share, used = [F(1, len(delivered) or 1)] * clients, delivered
        else:
            share, used = weights, delivered
        models.append(
            [
                x - server * now * sum(share[i] * used[i][j] for i in used)
                if means is None or j in means
                else x
                for j, x in enumerate(models[-1])
            ]
        )
        sent.append(
            [
                sum(column) / clients if means is None or j in means else F(0)
                for j, column in enumerate(zip(*controls, strict=True))
            ]
        )
    return models


def cycle(spec):
    """The models of the limit cycle, when the trace continues periodically.

    In each phase a model is a sum of powers, whose limit is given by Wynn's epsilon algorithm.
    """
    plan, starts, steps = (list(spec["trace"][table]) for table in TABLES)
    rounds = len(plan)

    def repeats(period):
        return all(
            plan[t] == plan[t - period] and starts[t] == [s + period for s in starts[t - period]]
            for t in range(max(period, rounds - 2 * period), rounds)
        )

    period = next(p for p in range(1, rounds) if repeats(p))
    for t in range(rounds, rounds + 16 * period):
        plan.append(plan[t - period])
        starts.append([s + period for s in starts[t - period]])
        steps.append(steps[t - period])
    longer = {"delivers": plan, "started_from": starts, "local_steps": steps}
    models = [x for (x,) in run({**spec, "start": ["22/7"], "trace": longer})]
    for phase in range(period):
        last, now = [F(0)] * rounds * 17, models[-(-rounds // period) * period + phase :: period]
        while len(set(now)) > 1:
            odd = [a + 1 / (c - b) for a, b, c in zip(last[1:], now, now[1:], strict=False)]
            even = [a + 1 / (c - b) for a, b, c in zip(now[1:], odd, odd[1:], strict=False)]
            last, now = odd, even
        yield now[0]


def ages_of(plan, starts):
    """Rounds since the model of each client's latest delivery, in each round."""
    return [
        [
            t - next((starts[s][i] for s in range(t, -1, -1) if plan[s][i] == "1"), 0)
            for i in range(len(plan[0]))
        ]
        for t in range(len(plan))
    ]


class Measured:
    """A run with the losses of its clients."""

    def __init__(self, spec, models):
        self.spec, self.models, self.problem = spec, models, spec["problem"]
        self.plan, self.starts, self.steps = (spec["trace"][table] for table in TABLES)
        self.gradient, self.size = oracle(self.problem), len(models[0])
        self.weights = [number(w) for w in self.problem["importance"]]
        self.clients = range(len(self.weights))
        self.variance = number(self.problem.get("noise_squared", "0")) / self.size
        self.zero, one = (
            [self.gradient(i, [F(e)] * self.size) for i in self.clients] for e in (0, 1)
        )
        self.bends = [
            [b - a for a, b in zip(*pair, strict=True)] for pair in zip(self.zero, one, strict=True)
        ]
        self.bend = self.mean(self.bends)
        self.best = [
            -g / h if h else F(0) for g, h in zip(self.mean(self.zero), self.bend, strict=True)
        ]
        self.half = [1 / (2 * h) if h else F(0) for h in self.bend]
        self.moved = [
            run(spec, (t, i, k, c))
            for t, row in enumerate(self.steps)
            for i, count in enumerate(row)
            for k in range(count)
            for c in (range(self.size) if self.variance else ())
        ]

    def mean(self, table):
        """Rows of the clients, averaged by their importance."""
        return [
            sum(w * x for w, x in zip(self.weights, column, strict=True))
            for column in zip(*table, strict=True)
        ]

    def expected(self, shares, scale):
        """E sum_j scale_j (slope_j of f)^2 at x = sum_t shares_t model_t.

        It is the value at the mean plus a variance, from the responses to single draws of noise.
        """
        x, *others = (
            [sum(w * m[j] for w, m in zip(shares, ms, strict=True)) for j in range(self.size)]
            for ms in (self.models, *self.moved)
        )
        slope = self.mean([self.gradient(i, x) for i in self.clients])
        spread = [
            self.variance * sum((self.bend[j] * (y[j] - x[j])) ** 2 for y in others)
            for j in range(self.size)
        ]
        return sum(scale[j] * (slope[j] ** 2 + spread[j]) for j in range(self.size))


def measured(spec, models):
    """A function from the name of a quantity of the run to its value; None if it is not known."""
    m = Measured(spec, models)
    problem, count, rounds, ages = m.problem, len(m.clients), len(m.plan), ages_of(m.plan, m.starts)
    unit = [F(1)] * m.size
    only = [[F(s == t) for s in range(len(models))] for t in range(len(models))]
    offset = number(spec["parameters"].get("step_offset", "1"))
    mix = [(t + offset) * (t + offset - 1) for t in range(len(models))]
    known = {
        "model": lambda i: models[i][0],
        "weight": lambda i: number(spec["settings"]["weights"][i]),
        "undivided": lambda i: run(
            {**spec, "server_step_size": str(count * number(spec["server_step_size"]))}
        )[i][0],
        "mean_squared_gradient": lambda i: sum(m.expected(s, unit) for s in only[:-1]) / rounds,
        "min_squared_gradient": lambda i: min(m.expected(s, unit) for s in only),
        "num_clients": lambda i: F(count),
        "num_rounds": lambda i: F(rounds),
        "local_steps": lambda i: F(max(1, *map(max, m.steps))),
        "clients_per_round": lambda i: F(min(row.count("1") for row in m.plan)),
        "gradient_noise": lambda i: power(m.variance * m.size, F(1, 2)),
        "max_delay": lambda i: F(max(t - s for t, row in enumerate(m.starts) for s in row)),
        "max_staleness": lambda i: max(map(max, ages)),
        "mean_staleness": lambda i: F(sum(map(sum, ages)), count * rounds),
        "mean_client_max_staleness": lambda i: F(sum(map(max, zip(*ages, strict=True))), count),
        "local_step_size": lambda i: number(spec["local_step_size"]),
        "server_step_size": lambda i: number(spec["server_step_size"]),
    }
    smooth = {
        "optimum": lambda i: m.best[0] if i is None else number(problem["optima"][i][0]),
        "limit": lambda i: next(cycle(spec)),
        "limit_error": lambda i: (
            sum((m.bend[0] * (x - m.best[0])) ** 2 for x in cycle(spec)) / len(list(cycle(spec)))
        ),
        "smoothness": lambda i: max(abs(h) for row in m.bends for h in row),
        "initial_loss_gap": lambda i: m.expected(only[0], m.half),
        "weighted_loss_gap": lambda i: m.expected([w / sum(mix) for w in mix], m.half),
        "strong_convexity": lambda i: min(map(min, m.bends)),
        "initial_distance": lambda i: power(_squared(models[0], m.best), F(1, 2)),
        "dissimilarity_at_optimum": lambda i: (
            sum(g * g for j in m.clients for g in m.gradient(j, m.best)) / count
        ),
        "dissimilarity": lambda i: power(
            max(_squared(row, m.mean(m.zero)) for row in m.zero), F(1, 2)
        ),
    }
    if problem["kind"] != "clipped":
        known |= smooth

    def value(how):
        name, *index = how.split(":")
        return known.get(name, lambda i: None)(int(index[0]) if index else None)

    return value


def _squared(xs, ys):
    return sum((x - y) ** 2 for x, y in zip(xs, ys, strict=True))
