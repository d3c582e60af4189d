"""All outcomes of a random run: who delivers, and noise of two values of equal chance.

Noise of affine gradients needs no outcomes, because the models are affine in it. Standard library
only; written from the definitions of the papers, no code of the package.
"""

import sys
from fractions import Fraction as F
from itertools import combinations, product
from math import comb, isqrt, prod
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import number
from replay_runs import KEPT, run
from strict_json import NotCheckable  # type: ignore[import-not-found]

MOST = 2048
MOST_SIGNS = 9


class Outcome(NamedTuple):
    """Its chance, the models without noise, and those with one draw of noise of size 1."""

    chance: F
    models: list
    moved: list


def outcomes(spec, losses):
    """All outcomes of a run, with chances that add up to 1."""
    return [found for chance, one in plans(spec) for found in with_noise(chance, one, losses)]


def draws(spec):
    """(round, client, local step) of every stochastic gradient."""
    return [
        (t, i, k)
        for t, row in enumerate(spec["trace"]["local_steps"])
        for i, count in enumerate(row)
        for k in range(count)
    ]


def with_noise(chance, spec, losses):
    """The outcomes for one plan of deliveries."""
    size, relative = losses.size, number(spec.get("relative_noise", "0"))
    noisy = losses.noise_squared > 0
    if not relative and (losses.affine or not noisy):
        moved = [
            run(
                spec,
                lambda t, i, k, g, at=at, c=c: [
                    x + ((t, i, k) == at and j == c) for j, x in enumerate(g)
                ],
            )
            for at in (draws(spec) if noisy else ())
            for c in range(size)
        ]
        yield Outcome(chance, run(spec), moved)
        return
    square = losses.noise_squared / size
    step = F(isqrt(square.numerator), isqrt(square.denominator))
    if step * step != square:
        raise NotCheckable("noise of two values with an irrational size")
    kinds = [None] * bool(relative) + list(range(size if noisy else 0))
    places = [(at, c) for at in draws(spec) for c in kinds]
    if len(places) > MOST_SIGNS:
        raise NotCheckable("the noise has too many outcomes")
    for signs in product((1, -1), repeat=len(places)):
        sign = dict(zip(places, signs, strict=True))

        def noise(t, i, k, g, sign=sign):
            scale = 1 + relative * sign.get(((t, i, k), None), 0)
            return [x * scale + step * sign.get(((t, i, k), c), 0) for c, x in enumerate(g)]

        yield Outcome(chance / 2 ** len(places), run(spec, noise), [])


def plans(spec):
    """(chance, run with its deliveries) for every outcome of the participation."""
    law = spec.get("participation")
    if law is None:
        yield F(1), spec
        return
    rounds, clients = len(spec["trace"]["delivers"]), len(spec["trace"]["delivers"][0])
    if law["kind"] == "markov":
        found = chains(law, rounds, clients)
    else:
        groups = int(law.get("groups", 1))
        each = [of_round(spec, law, g) for g in range(min(rounds, groups))]
        lists = [each[t % groups] for t in range(rounds)]
        if prod(map(len, lists)) > MOST:
            raise NotCheckable("the participation has too many outcomes")
        found = (
            (prod((p for p, _ in chosen), start=F(1)), [who for _, who in chosen])
            for chosen in product(*lists)
        )
    steps = spec["trace"]["local_steps"]
    for chance, plan in found:
        trace = {
            "delivers": ["".join("01"[i in who] for i in range(clients)) for who in plan],
            "started_from": [[t] * clients for t in range(rounds)],
            "local_steps": [
                [max(steps[t][i], 1) if i in who else 0 for i in range(clients)]
                for t, who in enumerate(plan)
            ],
        }
        yield chance, {**spec, "trace": trace}


def of_round(spec, law, group):
    """(chance, clients that deliver) in a round of one group; clients that are alike stand for each
    other if the method has no memory."""
    clients, groups = len(spec["trace"]["delivers"][0]), int(law.get("groups", 1))
    here = range(group, clients, groups)
    memory = spec["algorithm"] in KEPT or "scaffold" in spec["algorithm"]
    sorts: dict = {}
    for i in here:
        sorts.setdefault(i if memory else alike(spec, law, i), []).append(i)
    found = []
    total, drawn = len(here), int(law.get("clients_per_round", 0))
    sizes = [range(len(one) + 1) for one in sorts.values()]
    if prod(map(len, sizes)) > 50 * MOST:
        raise NotCheckable("the participation has too many outcomes")
    for counts in product(*sizes):
        chosen = list(zip(counts, sorts.values(), strict=True))
        ways = prod(comb(len(one), count) for count, one in chosen)
        if law["kind"] == "bernoulli":
            chance = F(ways)
            for count, one in chosen:
                p = number(law["probabilities"][one[0]])
                chance *= p**count * (1 - p) ** (len(one) - count)
        else:
            chance = F(ways * (sum(counts) == drawn), comb(total, drawn))
        if chance:
            found.append((chance, {i for count, one in chosen for i in one[:count]}))
        if len(found) > MOST:
            raise NotCheckable("the participation has too many outcomes")
    return found


def alike(spec, law, i):
    """Equal for clients that are the same in all respects but their number."""
    clients = len(spec["trace"]["delivers"][0])
    parts = [
        *(spec["problem"][n] for n in sorted(spec["problem"]) if n != "knots"),
        *(spec["settings"][n] for n in sorted(spec["settings"])),
        law.get("probabilities", []),
    ]
    own = [part[i] for part in parts if isinstance(part, list) and len(part) == clients]
    return str((own, [row[i] for row in spec["trace"]["local_steps"]]))


def chains(law, rounds, clients):
    """(chance, clients that deliver in each round) if each client is a Markov chain."""
    if 2 ** (rounds * clients) > MOST:
        raise NotCheckable("the participation has too many outcomes")
    comes, stays = ([number(x) for x in law[n]] for n in ("probabilities", "stays"))
    cells = [(t, i) for t in range(rounds) for i in range(clients)]
    for size in range(len(cells) + 1):
        for there in map(set, combinations(cells, size)):
            chance = F(1)
            for i in range(clients):
                now = comes[i] / (comes[i] + 1 - stays[i])
                for t in range(rounds):
                    chance *= now if (t, i) in there else 1 - now
                    now = stays[i] if (t, i) in there else comes[i]
            if chance:
                yield chance, [{i for s, i in there if s == t} for t in range(rounds)]


def chances(law, clients):
    """The share of the rounds in which each client delivers, on average."""
    if law["kind"] == "bernoulli":
        return [number(p) for p in law["probabilities"]]
    if law["kind"] == "markov":
        pairs = zip(map(number, law["probabilities"]), map(number, law["stays"]), strict=True)
        return [come / (come + 1 - stay) for come, stay in pairs]
    return [F(int(law["clients_per_round"]), clients)] * clients
