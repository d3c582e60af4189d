#!/usr/bin/env python3
"""Replay counterexamples that come from an origin, not from one run, with the standard library
alone: python3 replay_origins.py FILE...

Beside the runs and formulas of replay.py, which it imports: rounds and averages of quadratic runs
(Fraboni et al., Appendix A), batches of random curvature, clocks under a waiting policy (Table 2),
iterations of FedLaAvg's Algorithm 3 over all noise. Written from the papers' definitions; no code
of the package.
"""

import sys
from fractions import Fraction as F
from itertools import product
from math import lcm
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import replay

MOST = 5000


def numbers(value):
    return (
        [numbers(x) for x in value]
        if isinstance(value, list)
        else None
        if value is None
        else replay.number(str(value))
    )


class Runs:
    """A quadratic setting: for each path (chance, who delivers in each round) the models, local and
    virtual models of every round."""

    def __init__(self, data):
        names = (
            "curvatures",
            "optima",
            "weights",
            "local_step_size",
            "server_step_size",
            "start",
            "noise",
            "point",
        )
        self.h, self.c, self.w, self.size, self.server, self.start, self.noise, point = (
            numbers(data[name]) for name in names
        )
        self.paths = [
            (replay.number(p), [[int(i) for i in group] for group in groups])
            for p, groups in data["paths"]
        ]
        self.steps, self.clients, self.rounds = (
            int(data["local_steps"]),
            range(len(self.h)),
            len(self.paths[0][1]),
        )
        if self.steps * self.rounds * len(self.paths) > MOST:
            raise ValueError("too many steps")
        self.q = [
            [sum(p * self.w[i] for p, groups in self.paths if i in groups[n]) for i in self.clients]
            for n in range(self.rounds)
        ]
        self.filled = [n for n in range(self.rounds) if sum(self.q[n])]
        self.mean = [sum(row[i] for row in self.q) / self.rounds for i in self.clients]
        self.x = self.best(self.mean) if point is None else point
        self.runs = [(p, *self.run(groups, data["fresh"])) for p, groups in self.paths]

    def run(self, groups, fresh):
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
    if replay.number(str(setting["noise"])):
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


def of_rough_batches(num_rounds):
    """One client, start 1, one step of 1/144 a round; a batch has curvature 1000 once in a
    thousand, else 0, so that L = 1."""
    law, size = ((F(1, 1000), 1000), (F(999, 1000), 0)), F(1, 144)
    bend, growth = sum(p * h * h for p, h in law), sum(p * (1 - size * h) ** 2 for p, h in law)
    second = sum(growth**n for n in range(min(num_rounds, MOST))) / num_rounds
    ones = (
        "smoothness",
        "total_weight",
        "covariance_factor",
        "largest_total_weight",
        "local_steps",
        "server_step_size",
        "initial_distance_squared",
    )
    zeros = (
        "round_drift",
        "round_noise",
        "round_noise_squared",
        "max_staleness",
        "recent_moves",
        "variance_excess",
        "objective_spread",
        "round_optimum_noise",
        "round_optimum_noise_squared",
    )
    return (
        dict.fromkeys(ones, 1)
        | dict.fromkeys(zeros, 0)
        | {
            "round_gap": F(1, 2),
            "round_squared_gradient": bend,
            "round_mean_gradient": bend,
            "move": size**2 * bend,
            "local_step_size": size,
            "num_rounds": num_rounds,
            "mean_round_gap": second / 2,
            "mean_move": size**2 * bend * second,
        }
    )


def of_pattern(update_times, policy):
    """Groups that deliver in each round until the work under way is as it was, then what the
    repeating part shows."""
    times, clients = numbers(update_times), range(len(update_times))
    window = replay.number(policy.split()[1]) if policy.startswith("window") else None
    left, groups, seen = list(times), [], {}
    while tuple(left) not in seen and len(groups) <= MOST:
        seen[tuple(left)] = len(groups)
        wait = window or (max(left) if policy == "sync" else min(left))
        ready = [i for i in clients if left[i] <= wait]
        ready = ready[:1] if policy == "async" else ready
        left = [
            times[i] if i in ready else x - min(wait, x) if window else x - wait
            for i, x in enumerate(left)
        ]
        groups.append(ready)
    pattern, received, late = groups[seen[tuple(left)] :], [0] * len(times), 0
    for n, group in enumerate(groups + pattern):
        for i in group:
            late, received[i] = max(late, n - received[i]), n + 1
    length = len(pattern)
    period = next(
        p
        for p in range(1, length + 1)
        if length % p == 0
        and all(
            len({sum(i in g for g in pattern[s : s + p]) for s in range(0, length, p)}) == 1
            for i in clients
        )
    )
    scale = lcm(*(t.denominator for t in times))
    return {
        "balance_period": period,
        "max_staleness": late,
        "num_clients": len(times),
        "slowest_time": max(times),
        "fastest_time": min(times),
        "sum_of_rates": sum(1 / t for t in times),
        "round_duration": window,
        "common_multiple": F(lcm(*(int(t * scale) for t in times)), scale),
    }


def of_iteration(clients, bound, takes_part, local_steps, step_size, start, noise, iteration):
    """One iteration of Algorithm 3: expectations over all +-noise, with the run's averages."""
    centres, bends, most = (
        numbers(clients["centres"]),
        numbers(clients["curvatures"]),
        replay.number(bound),
    )
    size, start, noise, many = (
        replay.number(step_size),
        replay.number(start),
        replay.number(noise),
        range(len(clients["centres"])),
    )
    drawn = [
        (i, r * local_steps + k)
        for r, row in enumerate(takes_part)
        for i in many
        if row[i]
        for k in range(local_steps)
        if noise
    ]
    if len(drawn) > 10:
        raise ValueError("too much noise")

    def slope(i, x):
        return min(max(bends[i] * (x - centres[i]), -most), most)

    def loss(x):
        return sum(
            (slope(i, x) * bends[i] * (x - centres[i]) - slope(i, x) ** 2 / 2) / bends[i]
            for i in many
        ) / len(many)

    def one(table):
        models, work, local, last, found = [start], {}, [start] * len(many), [None] * len(many), []
        for t in range(len(takes_part) * local_steps):
            r, k = divmod(t, local_steps)
            for i in (j for j in many if takes_part[r][j]):
                last[i], local[i] = (r, models[t] if k == 0 else local[i])
                work[i, r, k] = (slope(i, local[i]), table.get((i, t), F(0)))
                local[i] -= size * sum(work[i, r, k])
            used = [work[i, last[i], k] if last[i] is not None else (F(0), F(0)) for i in many]
            oldest = max(min(-1 if s is None else s * local_steps + k for s in last), 0)
            models.append(models[t] - size / len(many) * sum(map(sum, used)))
            latest, update = sum(s for s, _ in used) / len(many), sum(map(sum, used)) / len(many)
            old, now = (sum(slope(i, models[s]) for i in many) / len(many) for s in (oldest, t))
            found.append(
                {
                    "squared_old_gradient": old**2,
                    "squared_latest_mean": latest**2,
                    "old_times_update": old * update,
                    "squared_spread": (old - latest) ** 2,
                    "slope_along_move": now * (models[t + 1] - models[t]),
                    "loss_before": loss(models[t]),
                    "loss_after": loss(models[t + 1]),
                }
            )
        return found

    every = [
        one({key: s * noise for key, s in zip(drawn, signs, strict=True)})
        for signs in product((1, -1), repeat=len(drawn))
    ]
    mean = [
        {name: sum(run[t][name] for run in every) / len(every) for name in every[0][t]}
        for t in range(len(every[0]))
    ]
    absent = max(
        len(gap) for i in many for gap in "".join(str(row[i]) for row in takes_part).split("1")
    )
    middle = [
        c + most * s / abs(h) for c, h in zip(centres, bends, strict=True) for s in (-1, 0, 1)
    ]
    roots = [
        x
        for a, b in product(sorted(middle), repeat=2)
        if a < b and (x := crossing(slope, many, a, b)) is not None
    ]
    return mean[iteration - 1] | {
        "local_step_size": size,
        "smoothness": max(map(abs, bends)),
        "gradient_noise": noise,
        "num_clients": len(many),
        "local_steps": local_steps,
        "staleness_bound": absent,
        "num_rounds": len(takes_part),
        "gradient_bound": replay.power(most**2 + noise**2, F(1, 2)),
        "initial_loss_gap": loss(start) - min(loss(x) for x in middle + roots),
        "overall_squared_old_gradient": (
            sum(step["squared_old_gradient"] for step in mean) / len(mean)
        ),
    }


def crossing(slope, many, a, b):
    """Where the mean slope, straight between a and b, is 0."""
    low, high = (sum(slope(i, x) for i in many) for x in (a, b))
    return a + (b - a) * low / (low - high) if low * high < 0 else None


KINDS = {
    "fraboni.round": of_round,
    "fraboni.whole": of_whole_run,
    "fraboni.pattern": of_pattern,
    "fedlaavg.iteration": of_iteration,
    "fraboni.rough": of_rough_batches,
}


def recomputed(data):
    origin = dict(data.get("origin") or {})
    kind = origin.pop("kind", None)
    return KINDS[kind](**origin) if kind in KINDS else replay.recomputed(data)


if __name__ == "__main__":
    sys.exit(replay.main(sys.argv[1:], recomputed, seconds=60))
