"""Orders, left = O(right): follow left/right along a path on which it should grow without bound.

A path of free symbols is looked at at a few large scales. A path of runs names a family of runs
that grow with `scale`; what such runs end in has a lower bound, which is derived here, and the
ratio of the bound and the right side is expanded for large scales.

The families, each of clients with losses in one coordinate, or in two if one of curvature 1 stays
at its optimum; d is the distance of the coordinate from the optimum, s the step size:

- descent: d_0 = 1, curvature h, no noise. d_t = (1 - s h)^t >= 1 - s h t.
- noise: d_0 = 0, N clients, noise of variance 1 in all. E d_t^2 = v (1 + a^2 + ... + a^(2t - 2))
  with a = 1 - s h and v the variance of one round, s^2/N over the number of coordinates. The sum is
  at least (1 - a^(2t))/(2 s h), and a^(2t) <= 1/(1 + 2 s h t).
- sampled: the same with v = s^2, for one of N clients at +-1 is drawn.
- late: d_0 = 1, every gradient is that of the start: d_t = 1 - s t.
- drift: curvatures 1/2 and 1, optima 0 and 1, K local steps, start at the joint optimum 2/3. The
  limit is at least (K - 1) s/54 away, of which t rounds go at least q/(1 + q), q = 3 s K t/8.

Standard library only; no code of the package.
"""

import sys
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction as F
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import decimal, formula, path_grammar
from replay_germs import Germ, constant, germ, holds, is_count, unbounded  # type: ignore[import-not-found]
from replay_grammar import formula_grammar  # type: ignore[import-not-found]
from strict_json import NotCheckable, fields, need  # type: ignore[import-not-found]

SCALES = (2000, 8000, 32000, 128000)
SIZES = ("rounds", "step", "bend", "clients", "local_steps")
DESCENT = {"fedavg", "fedsgd", "sync", "mifa", "mifa-difference", "fedlaavg", "afa-cd", "afa-cs"}
METHODS = {
    "descent": DESCENT,
    "noise": DESCENT,
    "sampled": {"fedavg", "fedsgd", "afa-cd"},
    "late": {"afa-cd", "afa-cs"},
    "drift": {"fedavg", "sync", "mifa"},
}
VARY = {
    "descent": {"bend"},
    "noise": {"bend", "clients"},
    "sampled": {"clients"},
    "late": set(),
    "drift": {"local_steps"},
}
ENDS = {
    "mean_squared_gradient": ("mean", 2),
    "average_loss_gap": ("mean", 1),
    "average_squared_distance": ("mean", 0),
    "last_squared_gradient": ("last", 2),
    "last_loss_gap": ("last", 1),
    "last_squared_distance": ("last", 0),
    "min_squared_gradient": ("least", 2),
    "min_loss_gap": ("least", 1),
}
LOSSES = ("convex", "strongly-convex", "quasi-convex", "quadratic")


def told(ratio, grows, statement):
    """The line on what was found."""
    word = "contradicts" if grows else "agrees with"
    return f"  {ratio}: {word} left {statement['sign']} right"


def along_symbols(claim, data, allowed, require):
    """A path of free symbols."""
    if claim["free"] != ["*"]:
        raise NotCheckable("the symbols of the claim have to be measured, and the file has a path")
    scale, statement = path_grammar(data["values"], claim["kinds"]), claim["statement"]
    require(set(data["values"]) <= set(claim["kinds"]), "the path is not one of the claim's")
    ratios = []
    for k in SCALES:
        at = defaultdict(lambda: Decimal(1), {scale: Decimal(10) ** k})
        names = claim["kinds"]
        values = {n: decimal(formula(data["values"].get(n, {"symbol": n}), at)) for n in names}
        for name, kind in names.items():
            least = 1 if {"integer", "positive"} <= set(kind) else 0
            signed = not {"positive", "nonnegative"} & set(kind)
            require(signed or values[name] >= least, f"{name} is not {' and '.join(kind)}")
        allowed({**claim, "kinds": {}}, values)
        left, right = (decimal(formula(statement[side], values)) for side in ("left", "right"))
        if not right and (scale is None or not left):
            return told(f"left = {left:.4g}, right = 0", left != 0, statement), left != 0
        if not right:
            raise NotCheckable("the right side is too small for 60 digits")
        ratios.append(abs(left / right))
    grows = all(b > a * Decimal("1.5") for a, b in pairwise(ratios))
    seen = ", ".join(f"{r:.4g}" for r in ratios)
    return told(f"left/right along the path is {seen}, ...", grows, statement), grows


def along_runs(claim, data, require):
    """A path of growing runs: its values follow from the family, and meet the conditions."""
    runs = Family(data["origin"], require)
    require(runs.method in claim["methods"], "the claim is about other methods")
    if claim["assumes"] or claim["requires"] or claim["free"]:
        raise NotCheckable("a condition of the claim, or a symbol, that no growing run decides")
    require(not claim["measures"].items() ^ {(n, n) for n in claim["kinds"]}, "other symbols")
    drawn = [parts for kind, parts in claim["hypotheses"] if kind == "participation"]
    require(drawn == ["uniform"] * (runs.name == "sampled"), "the participation is another one")
    for kind, parts in claim["hypotheses"]:
        if kind not in ("participation", "losses"):
            raise NotCheckable(f"a hypothesis on {kind} is not decided on growing runs")
        require(kind != "losses" or parts in LOSSES, "the losses are others")
    left = claim["statement"]["left"]
    name = left.get("symbol") if isinstance(left, dict) else None
    if name not in ENDS:
        raise NotCheckable("no lower bound on the left side is known")
    values = {**runs.values(), name: runs.bound(*ENDS[name])}
    require(set(data["values"]) == set(claim["kinds"]), "the values are not those of the claim")
    scale = {"scale": Germ({F(1): F(1)})}
    for symbol, node in data["values"].items():
        if symbol not in values:
            raise NotCheckable(f"{symbol} is not known on growing runs")
        same = (germ(node, scale) - values[symbol]).is_zero()
        require(same, f"{symbol}, derived again, is not that of the file")
    for a, sign, b in claim["conditions"]:
        require(holds(germ(a, values), sign, germ(b, values)), "a condition of the claim fails")
    above, below = values[name], germ(claim["statement"]["right"], values)
    if below.is_zero():
        grows = not above.is_zero()
        return told("right = 0 along growing runs", grows, claim["statement"]), grows
    ratio = above / below
    grows = unbounded(ratio)
    lead = None if ratio.is_zero() else ratio.size()
    seen = "0" if lead is None else f"{decimal(lead.c):.4g} * scale^{lead.q} * log^{lead.p}"
    line = f"left/right along growing runs is at least like {seen}"
    return told(line, grows, claim["statement"]), grows


class Family:
    """A family of runs with its sizes as germs; only runs of which the bounds are proved."""

    def __init__(self, origin, require):
        fields(origin, "growing runs", ("kind", "family", "method", *SIZES))
        need(isinstance(origin["method"], str), "the method is no text")
        self.name, self.method = origin["family"], origin["method"]
        need(isinstance(self.name, str) and self.name in METHODS, "no family of growing runs")
        require(self.method in METHODS[self.name], "the family is not one of this method")
        scale = {"scale": Germ({F(1): F(1)})}
        for name in SIZES:
            formula_grammar(origin[name])
        sizes = [germ(origin[name], scale) for name in SIZES]
        need(all(isinstance(one, Germ) for one in sizes), "sizes that are no sums of powers")
        self.rounds, self.step, self.bend, self.clients, self.steps = sizes
        one, zero = constant(1), constant(0)
        for name, size in zip(SIZES[2:], sizes[2:], strict=True):
            usual = name in VARY[self.name] or (size - one).is_zero()
            require(usual, f"{name} is not 1")
        halves = [self.rounds] + [self.clients] * (self.name == "sampled")
        counts = [self.clients, self.steps, *(x / constant(2) for x in halves)]
        require(all(map(is_count, counts)), "a number of the runs is not whole")
        require(holds(zero, "<", self.step), "the step size is not above 0")
        require(holds(zero, "<", self.bend) and holds(self.bend, "<=", one), "a curvature")
        short = self.name == "late" or holds(self.step * self.steps, "<=", one)
        require(short, "the steps are too long for the bound")

    def squared(self, when):
        """A lower bound on E d^2 of the last model, or on the average over all before it."""
        s, rounds, one, mean = self.step, self.rounds, constant(1), when == "mean"
        if self.name == "descent":
            way = s * self.bend * rounds
            if way.whole() is not None and way.whole() <= 1:
                return (one - way) * (one - way)
            if mean:
                return one / rounds
        if when == "least" or self.name == "descent":
            raise NotCheckable("no lower bound on the left side is known for these runs")
        if self.name == "late":
            gone = one - s * rounds
            if not mean:
                return gone * gone
            before = rounds - one
            return (
                one - s * before + s * s * before * (before + rounds) / constant(6)
            )  # sums of 1, 2t and t^2 over t < rounds
        half, t = (constant(F(1, 2)), rounds / constant(2)) if mean else (one, rounds)
        if self.name == "drift":
            q = constant(F(3, 8)) * s * self.steps * t
            away = (self.steps - one) * s / constant(54) * q / (one + q)
            return half * away * away
        q = constant(2) * s * self.bend * t
        split = constant(1 if (self.bend - one).is_zero() else 2)
        crowd = self.clients if self.name == "noise" else one
        variance = s * s / (crowd * split)
        return half * variance / (constant(2) * s * self.bend) * q / (one + q)

    def bound(self, when, power):
        """The bound on squared gradients (power 2), loss gaps (1) or squared distances (0)."""
        bend = constant(F(3, 4)) if self.name == "drift" else self.bend
        found = self.squared(when) * (constant(F(1, 2)) if power == 1 else constant(1))
        return found * bend * bend if power == 2 else found * bend if power else found

    def values(self):
        """Everything that is known of the runs, by name."""
        one, zero = constant(1), constant(0)
        drift, moved = self.name == "drift", self.name in ("descent", "late")
        clients = constant(2) if drift else self.clients
        curved = constant(F(3, 4)) if drift else self.bend
        early = self.rounds - one if self.name == "late" else zero
        found = {
            "num_rounds": self.rounds,
            "num_clients": clients,
            "server_step_size": one,
            "smoothness": one,
            "global_smoothness": constant(F(3, 4)) if drift else one,
            "mean_smoothness": constant(F(3, 4)) if drift else one,
            "strong_convexity": constant(F(1, 2)) if drift else self.bend,
            "global_strong_convexity": curved,
            "pl_constant": curved,
            "weak_convexity": zero,
            "relative_noise": zero,
            "gradient_noise": one if self.name == "noise" else zero,
            "initial_distance": one if moved else zero,
            "initial_loss_gap": self.bend / constant(2) if moved else zero,
            "initial_squared_gradient": self.bend * self.bend if moved else zero,
            "optimum": constant(F(2, 3)) if drift else zero,
            "max_delay": early,
            "mean_delay": early / constant(2),
        }
        found |= dict.fromkeys(("local_step_size", "first_step_size", "last_step_size"), self.step)
        found |= dict.fromkeys(("local_steps", "least_local_steps", "mean_local_steps"), self.steps)
        found |= dict.fromkeys(
            ("least_importance", "largest_importance", "sum_squared_importance"), one / clients
        )
        present = ("clients_per_round", "most_clients_per_round", "clients_in_first_round")
        if self.name == "sampled":
            apart = ("dissimilarity", "mean_dissimilarity", "dissimilarity_at_optimum")
            found |= dict.fromkeys((*present, *apart), one)
            found["availability_probability"] = one / clients
            found["client_minima_gap"] = constant(F(1, 2))
            return found
        found |= dict.fromkeys(present, clients)
        found |= dict.fromkeys(
            ("availability_window", "availability_probability", "balance_period"), one
        )
        found["staleness_bound"] = zero
        found["fresh_entries"] = zero if self.name == "late" else clients
        found["max_staleness"] = found["mean_client_max_staleness"] = early
        found["mean_staleness"] = early / constant(2)
        if drift:
            found["dissimilarity_at_optimum"] = constant(F(1, 9))
            found["client_minima_gap"] = constant(F(1, 12))
        else:
            alike = ("dissimilarity", "mean_dissimilarity", "dissimilarity_at_optimum")
            found |= dict.fromkeys((*alike, "client_minima_gap"), zero)
            found["relative_dissimilarity"] = one
        return found
