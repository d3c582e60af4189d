"""Mean and variance of a model, or of an average of models, of a random run with affine gradients
and a method without memory: one round after the other, instead of all outcomes of all rounds.

A round in which known clients deliver maps a coordinate x to a x + b, and independent noise adds a
variance. Standard library only; written from the definitions of the papers, no code of the package.
"""

import sys
from fractions import Fraction as F
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_chances import draws, of_round, with_noise
from replay_formulas import number
from replay_runs import KEPT
from strict_json import NotCheckable  # type: ignore[import-not-found]

MANY, MOST_STATES = 400, 64


def applies(spec, losses):
    """Is the run random, and do two moments of each coordinate tell all about it?"""
    late = any(s != t for t, row in enumerate(spec["trace"]["started_from"]) for s in row)
    memory = spec["algorithm"] in KEPT or "scaffold" in spec["algorithm"] or late
    noisy = losses.noise_squared > 0 and len(draws(spec)) * losses.size > MANY
    random = spec.get("participation") or number(spec.get("relative_noise", "0")) or noisy
    return bool(losses.affine and random and not memory)


class Rounds:
    """The rounds of a run one by one."""

    def __init__(self, spec, losses):
        self.spec, self.losses, self.law = spec, losses, spec.get("participation")
        self.steps = spec["trace"]["local_steps"]
        self.rounds, self.clients, self.known = len(self.steps), len(self.steps[0]), {}
        sizes = spec["local_step_size"]
        self.sizes = sizes if isinstance(sizes, list) else [sizes] * self.rounds

    def following(self, t, before):
        """(chance, state) of round t, given the state of the round before it."""
        if self.law is None or self.law["kind"] != "markov":
            return [(F(1), None)]
        comes, stays = ([number(x) for x in self.law[n]] for n in ("probabilities", "stays"))
        if 2**self.clients > MOST_STATES:
            raise NotCheckable("the participation has too many states")
        found = []
        for cells in product((0, 1), repeat=self.clients):
            chance = F(1)
            for i, here in enumerate(cells):
                rare = comes[i] / (comes[i] + 1 - stays[i])
                p = rare if before is None else stays[i] if before[i] else comes[i]
                chance *= p if here else 1 - p
            found.append((chance, cells))
        return found

    def sets(self, t, state):
        """(chance, clients that deliver) in round t."""
        if self.law is None:
            return [
                (F(1), {i for i, c in enumerate(self.spec["trace"]["delivers"][t]) if c == "1"})
            ]
        if state is not None:
            return [(F(1), {i for i, here in enumerate(state) if here})]
        return of_round(self.spec, self.law, t % int(self.law.get("groups", 1)))

    def mapped(self, t, state):
        """E a, E b, E a^2, E ab and E b^2 with the noise, for each coordinate."""
        group = 0 if self.law is None else t % int(self.law.get("groups", 1))
        here = self.spec["trace"]["delivers"][t] if self.law is None else group
        key = str((self.sizes[t], self.steps[t], here, state))
        if key not in self.known:
            sums = [[F(0)] * self.losses.size for _ in range(5)]
            for chance, who in self.sets(t, state):
                for zero, one in zip(*(self.single(t, who, x) for x in "01"), strict=True):
                    for j, b in enumerate(zero.models[1]):
                        a = one.models[1][j] - b
                        noise = sum((run[1][j] - b) ** 2 for run in zero.moved)
                        square = b * b + noise * self.losses.noise_squared / self.losses.size
                        for total, x in zip(sums, (a, b, a * a, a * b, square), strict=True):
                            total[j] += chance * zero.chance * x
            self.known[key] = sums
        return self.known[key]

    def single(self, t, who, start):
        """The outcomes of round t alone from one start, if these clients deliver."""
        least = 0 if self.law is None else 1
        trace = {
            "delivers": ["".join("01"[i in who] for i in range(self.clients))],
            "started_from": [[0] * self.clients],
            "local_steps": [
                [max(count, least) if i in who else 0 for i, count in enumerate(self.steps[t])]
            ],
        }
        alone = {
            "trace": trace,
            "local_step_size": self.sizes[t],
            "start": [start] * self.losses.size,
        }
        return list(with_noise(F(1), {**self.spec, **alone}, self.losses))

    def moments(self, shares):
        """The mean and the variance of each coordinate of sum_t shares_t x_t."""
        found = [self.coordinate(j, shares) for j in range(self.losses.size)]
        return [mean for mean, _ in found], [square - mean * mean for mean, square in found]

    def coordinate(self, j, shares):
        """E y and E y^2 of the average y of one coordinate."""
        start, last = number(self.spec["start"][j]), max(t for t, w in enumerate(shares) if w)
        now = {None: (F(1), start, start * start, F(0), F(0), F(0))}
        for t, w in enumerate(shares[: last + 1]):
            noted = {
                state: (p, x, xx, y + w * x, yy + 2 * w * xy + w * w * xx, xy + w * xx)
                for state, (p, x, xx, y, yy, xy) in now.items()
            }
            if t == last:
                return [sum(one[k] for one in noted.values()) for k in (3, 4)]
            now = {}
            for before, one in noted.items():
                for chance, state in self.following(t, before):
                    if not chance:
                        continue
                    a, b, aa, ab, bb = (row[j] for row in self.mapped(t, state))
                    p, x, xx, y, yy, xy = (chance * value for value in one)
                    new = (p, a * x + b * p, aa * xx + 2 * ab * x + bb * p, y, yy, a * xy + b * y)
                    old = now.get(state, (F(0),) * 6)
                    now[state] = tuple(u + v for u, v in zip(old, new, strict=True))
        raise NotCheckable("shares of models that are all 0")
