"""Repeat runs in exact fractions, with the standard library only.

Written from the definitions of the papers; it shares no code with the package.
"""

import sys
from fractions import Fraction as F
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import number
from replay_losses import Losses
from strict_json import NotCheckable  # type: ignore[import-not-found]

KEPT = {"mifa", "mifa-difference", "fedlaavg", "afa-cs", "afa-cs-fedprox", "afa-cs-scaffold"}
MEANS = {"fedavg", "fedsgd", "fedprox", "scaffold", "afa-cd", "afa-cd-fedprox", "afa-cd-scaffold"}
ALGORITHMS = (
    KEPT | MEANS | {"sync", "async", "fedfix", "fedbuff", "importance-sampling", "partial-work"}
)
TABLES = ("delivers", "started_from", "local_steps")


def run(spec, noise=None, *, gradient=None, means=None):
    """Models before each round and after the last.

    `noise` makes a stochastic gradient of round, client, local step and gradient. `gradient`
    replaces that of the problem; models then keep the coordinates in `means` only, because the
    others are deviations from a mean, which cancel.
    """
    gradient = gradient or Losses(spec["problem"]).gradient
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
                drawn = gradient(i, local)
                drawn = drawn if noise is None else noise(t, i, k, drawn)
                g = [a + pull * local[c] + turn[c] for c, a in enumerate(drawn)]
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
    """The models of the limit cycle, when the trace continues periodically; the same from two
    starts."""
    one, other = (list(cycle_from(spec, start)) for start in ("22/7", "-13/11"))
    if one != other:
        raise NotCheckable("the limit depends on the start")
    return iter(one)


def cycle_from(spec, start):
    """The limit of each phase, in which a model is a sum of powers: by Wynn's epsilon algorithm;
    all powers must tend to 0."""
    plan, starts, steps = (list(spec["trace"][table]) for table in TABLES)
    rounds = len(plan)

    def repeats(period):
        return all(
            plan[t] == plan[t - period]
            and steps[t] == steps[t - period]
            and starts[t] == [s + period for s in starts[t - period]]
            for t in range(max(period, rounds - 2 * period), rounds)
        )

    period = next(p for p in range(1, rounds) if repeats(p))
    for t in range(rounds, rounds + 16 * period):
        plan.append(plan[t - period])
        starts.append([s + period for s in starts[t - period]])
        steps.append(steps[t - period])
    longer = {"delivers": plan, "started_from": starts, "local_steps": steps}
    models = [x for (x,) in run({**spec, "start": [start], "trace": longer})]
    for phase in range(period):
        last, now = [F(0)] * rounds * 17, models[-(-rounds // period) * period + phase :: period]
        require_decay(now)
        while len(set(now)) > 1:
            odd = [a + 1 / (c - b) for a, b, c in zip(last[1:], now, now[1:], strict=False)]
            even = [a + 1 / (c - b) for a, b, c in zip(now[1:], odd, odd[1:], strict=False)]
            last, now = odd, even
        yield now[0]


def recurrence(values):
    """The shortest c with values_k + c_1 values_(k-1) + ... = 0 for all k (Berlekamp, Massey)."""
    now, before = [F(1)], [F(1)]
    order, since, scale = 0, 1, F(1)
    for k in range(len(values)):
        gap = sum(c * values[k - i] for i, c in enumerate(now[: order + 1]))
        if gap:
            longer = now + [F(0)] * max(0, since + len(before) - len(now))
            for i, b in enumerate(before):
                longer[since + i] -= gap / scale * b
            if 2 * order <= k:
                order, before, scale, since = k + 1 - order, now, gap, 0
            now = longer
        since += 1
    return (now + [F(0)] * order)[1 : order + 1]


def require_decay(values):
    """Refuse a sequence whose differences do not tend to 0 (Schur and Cohn)."""
    apart = [b - a for a, b in pairwise(values)]
    poly = [F(1), *recurrence(apart)]
    if 2 * (len(poly) - 1) > len(apart):
        raise NotCheckable("too few periods for a limit")
    while len(poly) > 1:
        if abs(poly[-1]) >= abs(poly[0]):
            raise NotCheckable("the run does not tend to a cycle")
        poly = [poly[0] * a - poly[-1] * b for a, b in zip(poly, poly[::-1], strict=True)][:-1]


def ages_of(plan, starts):
    """Rounds since the model of each client's latest delivery, in each round."""
    return [
        [
            t - next((starts[s][i] for s in range(t, -1, -1) if plan[s][i] == "1"), 0)
            for i in range(len(plan[0]))
        ]
        for t in range(len(plan))
    ]
