"""Values of counterexamples that have the data of an origin instead of one run.

Standard library only, written from the papers' definitions; no code of the package. Beyond single
runs: rounds and averages of quadratic runs (replay_rounds.py), batches of random curvature, clocks
under a waiting policy (Fraboni et al., Table 2), and iterations of FedLaAvg's Algorithm 3 over all
noise.
"""

import sys
from fractions import Fraction as F
from itertools import product
from math import lcm
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import number, power
from replay_rounds import MOST, numbers, of_round, of_whole_run
from strict_json import index, items, need  # type: ignore[import-not-found]


def of_rough_batches(num_rounds):
    """One client, start 1, one step of 1/144 per round; a batch has curvature 1000 with probability
    1/1000, else 0, so that L = 1."""
    index(num_rounds - 1, MOST, "rounds of rough batches")
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
    """Quantities of the periodic pattern of deliveries: simulate until a state repeats."""
    times, clients = numbers(items(update_times, "update_times")), range(len(update_times))
    need(times and min(times) > 0 and len(times) <= 12, "update times that are not positive")
    need(policy in ("sync", "async", "async joint") or policy[:7] == "window ", "a policy")
    window = number(policy[7:]) if policy[:7] == "window " else None
    need(window is None or window > 0, "a window that is not positive")
    left, seen = list(times), {}
    groups: list[list[int]] = []
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
    """One iteration of Algorithm 3: expectations over all +-noise, and averages over the run."""
    centres, bends, most = (
        numbers(clients["centres"]),
        numbers(clients["curvatures"]),
        number(bound),
    )
    size, start, noise = number(step_size), number(start), number(noise)
    index(local_steps - 1, 40, "local steps")
    index(iteration - 1, local_steps * len(takes_part), "iteration")
    need(set(clients) == {"centres", "curvatures"} and len(centres) == len(bends) <= 4, "clients")
    need(most > 0 <= noise and size > 0 and all(bends), "sizes that are not positive")
    need(len(takes_part) * local_steps <= 40, "more than 40 iterations")
    for row in takes_part:
        for cell in items(row, "a row", len(bends)):
            index(cell, 2, "a cell")
    many = range(len(clients["centres"]))
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
        "gradient_bound": power(most**2 + noise**2, F(1, 2)),
        "initial_loss_gap": loss(start) - min(loss(x) for x in middle + roots),
        "overall_squared_old_gradient": (
            sum(step["squared_old_gradient"] for step in mean) / len(mean)
        ),
    }


def crossing(slope, many, a, b):
    """The zero between a and b of the mean slope, which is linear there."""
    low, high = (sum(slope(i, x) for i in many) for x in (a, b))
    return a + (b - a) * low / (low - high) if low * high < 0 else None


KINDS = {
    "fraboni.round": of_round,
    "fraboni.whole": of_whole_run,
    "fraboni.pattern": of_pattern,
    "fedlaavg.iteration": of_iteration,
    "fraboni.rough": of_rough_batches,
}
