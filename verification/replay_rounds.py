"""Rounds and averages of quadratic runs (Fraboni et al., Appendix A), standard library only."""

import sys
from fractions import Fraction as F
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import number
from strict_json import fields, need  # type: ignore[import-not-found]
from strict_json import index as within

MOST = 5000
SETTING = (
    "curvatures",
    "optima",
    "weights",
    "paths",
    "local_step_size",
    "server_step_size",
    "local_steps",
    "start",
    "noise",
    "fresh",
    "importance",
    "covariance_factor",
    "variance_excess",
    "point",
)


def numbers(value):
    """Fractions in nested lists; None stays None."""
    if isinstance(value, list):
        return [numbers(x) for x in value]
    return None if value is None else number(str(value))


class Runs:
    """A quadratic setting with the models, local models and virtual models of every round, for each
    path (probability, who delivers in each round)."""

    def __init__(self, data):
        self.h, self.c, self.w = (numbers(data[n]) for n in ("curvatures", "optima", "weights"))
        self.size, self.server = (numbers(data[f"{n}_step_size"]) for n in ("local", "server"))
        self.start, self.noise, point = (numbers(data[n]) for n in ("start", "noise", "point"))
        self.paths = [
            (number(p), [[int(i) for i in group] for group in groups])
            for p, groups in data["paths"]
        ]
        self.steps, self.clients = int(data["local_steps"]), range(len(self.h))
        self.rounds = len(self.paths[0][1])
        if self.steps * self.rounds * len(self.paths) > MOST:
            raise ValueError("too many steps")
        self.admissible(data)
        self.q = [
            [sum(p * self.w[i] for p, groups in self.paths if i in groups[n]) for i in self.clients]
            for n in range(self.rounds)
        ]
        self.filled = [n for n in range(self.rounds) if sum(self.q[n])]
        self.mean = [sum(row[i] for row in self.q) / self.rounds for i in self.clients]
        self.x = self.best(self.mean) if point is None else point
        self.runs = [(p, *self.run(groups, data["fresh"])) for p, groups in self.paths]

    def admissible(self, data):
        """Refuse a setting that the paper does not speak of: convex losses, chances that sum to 1,
        and Assumption 5: E[w_i w_j] = alpha q_i q_j, E[w_i^2] <= alpha q_i^2 + beta q_i."""
        fields(data, "a setting", SETTING, ("says",))
        alpha, beta = number(data["covariance_factor"]), number(data["variance_excess"])
        sizes = (*self.h, self.size, self.server, self.steps)
        need(min(sizes) > 0 <= min(*self.w, self.noise, alpha, beta), "a size is not positive")
        need(type(data["fresh"]) is bool and len(self.h) <= 12, "fresh is no yes or no")
        need(len(self.h) == len(self.c) == len(self.w), "clients of different number")
        chances = [p for p, _ in self.paths]
        need(min(chances) > 0 and sum(chances) == 1, "chances that do not sum to 1")
        for _, groups in self.paths:
            need(len(groups) == self.rounds, "paths of different length")
            for group in groups:
                own = len(set(group)) == len(group) and set(group) <= set(self.clients)
                need(own, "a client that is not there, or twice")

        def both(i, j, n):
            there = (p for p, groups in self.paths if {i, j} <= set(groups[n]))
            return sum(there, F(0)) * self.w[i] * self.w[j]

        for n in range(self.rounds):
            mean = [sum(p * self.w[i] for p, g in self.paths if i in g[n]) for i in self.clients]
            for i, j in product(self.clients, repeat=2):
                excess = both(i, j, n) - alpha * mean[i] * mean[j]
                need(excess == 0 if i != j else excess <= beta * mean[i], "Assumption 5 fails")

    def run(self, groups, fresh):
        """Models, local models and virtual models of one path, and its largest delay."""
        received, models, local, virtual, late = [0] * len(self.h), [self.start], [], [], 0
        for n, group in enumerate(groups):
            begin = [n] * len(self.h) if fresh else list(received)
            late = max(late, *(n - b for b in begin))
            points = [[models[b]] for b in begin]
            for i, _ in product(self.clients, range(self.steps)):
                points[i].append(points[i][-1] - self.size * self.slope(i, points[i][-1]))
            local.append(points)
            virtual.append(
                [
                    models[n]
                    + self.server * sum(self.w[i] * (points[i][k] - points[i][0]) for i in group)
                    for k in range(self.steps + 1)
                ]
            )
            models.append(virtual[-1][-1])
            for i in group:
                received[i] = n + 1
        return models, local, virtual, late

    def slope(self, i, x):
        return self.h[i] * (x - self.c[i])

    def best(self, weights):
        bends = [w * h for w, h in zip(weights, self.h, strict=True)]
        return sum(b * c for b, c in zip(bends, self.c, strict=True)) / sum(bends)

    def loss(self, weights, x):
        return sum(
            w * h * (x - c) ** 2 / 2 for w, h, c in zip(weights, self.h, self.c, strict=True)
        )

    def excess(self, weights, x):
        return self.loss(weights, x) - self.loss(weights, self.best(weights))

    def noise_at(self, x, weights):
        return sum(w * (self.slope(i, x) ** 2 + self.noise**2) for i, w in enumerate(weights))

    def over(self, value):
        """Mean over local steps and paths of value(models, local, virtual, k)."""
        return (
            sum(p * value(*run[:3], k) for p, *run in self.runs for k in range(self.steps))
            / self.steps
        )

    def share(self, n):
        return [q / sum(self.q[n]) for q in self.q[n]]

    def average(self, value):
        return sum(value(n) for n in self.filled) / self.rounds

    def move(self, n):
        return (
            sum(p * (models[n + 1] - models[n]) ** 2 for p, models, *_ in self.runs)
            if n >= 0
            else F(0)
        )


def of_round(setting, index):
    """The quantities of one round."""
    _ = within(index, len(setting["paths"][0][1]), "round")
    if number(str(setting["noise"])):
        raise ValueError("no standalone replay of single rounds with noise")
    r, n = Runs(setting), index
    share, clients, x = r.share(n), r.clients, r.x
    late = max(run[-1] for run in r.runs)
    return {
        "num_rounds": r.rounds,
        "local_steps": r.steps,
        "local_step_size": r.size,
        "server_step_size": r.server,
        "smoothness": max(r.h),
        "max_staleness": late,
        "total_weight": sum(r.q[n]),
        "covariance_factor": numbers(setting["covariance_factor"]),
        "variance_excess": numbers(setting["variance_excess"]),
        "round_noise": r.noise_at(r.best(r.q[n]), share),
        "round_noise_squared": r.noise_at(r.best(r.q[n]), [s * s for s in share]),
        "move": r.move(n),
        "recent_moves": sum((r.move(n - s) for s in range(1, late + 1)), F(0)),
        "round_gap": r.over(lambda m, a, v, k: r.excess(r.q[n], v[n][k])),
        "gap_to_point": r.over(lambda m, a, v, k: r.loss(r.q[n], v[n][k])) - r.loss(r.q[n], x),
        "round_drift": r.over(
            lambda m, a, v, k: sum(share[i] * (a[n][i][k] - v[n][k]) ** 2 for i in clients)
        ),
        "round_squared_gradient": r.over(
            lambda m, a, v, k: sum(share[i] * r.slope(i, a[n][i][k]) ** 2 for i in clients)
        ),
        "round_mean_gradient": r.over(
            lambda m, a, v, k: sum(share[i] * r.slope(i, a[n][i][k]) for i in clients) ** 2
        ),
        "alignment": r.over(
            lambda m, a, v, k: (
                sum(r.q[n][i] * r.slope(i, a[n][i][k]) for i in clients) * (v[n][k] - x)
            )
        ),
        "descent": r.over(lambda m, a, v, k: (v[n][k + 1] - x) ** 2 - (v[n][k] - x) ** 2),
    }


def of_whole_run(setting):
    """Averages over a whole run."""
    r = Runs(setting)
    spread = r.average(lambda n: r.excess(r.q[n], r.best(r.mean)))
    return {
        "objective_spread": spread,
        "spread_is_positive": int(spread > 0),
        "smoothness": max(r.h),
        "largest_weight": max(max(r.q[n]) for n in r.filled),
        "optimum_noise": r.noise_at(r.best(r.mean), r.mean),
        "round_optimum_noise": r.average(lambda n: r.noise_at(r.best(r.q[n]), r.share(n))),
        "round_optimum_noise_squared": r.average(
            lambda n: r.noise_at(r.best(r.q[n]), [s * s for s in r.share(n)])
        ),
        "poorly_represented": int(any(s != F(1, len(r.h)) for n in r.filled for s in r.share(n))),
    }
