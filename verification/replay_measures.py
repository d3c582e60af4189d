"""Quantities of a run by name: constants of the losses, statistics of the trace, expectations.

Standard library only; written from the definitions of the papers, no code of the package. The value
of a quantity that is not known here is None.
"""

import sys
from fractions import Fraction as F
from functools import cached_property
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_chances import chances, outcomes
from replay_clients import over_clients
from replay_formulas import number, power
from replay_losses import Losses
from replay_moments import Rounds, applies
from replay_runs import ages_of, cycle
from replay_traces import block, of_trace

SETTLED = (
    "max_staleness",
    "mean_staleness",
    "mean_client_max_staleness",
    "balance_period",
    "fresh_entries",
    "availability_window",
    "staleness_bound",
)
"""Statistics of the trace; beside a limit they are those of the trace without end."""


class Measured:
    """A run with the losses of its clients."""

    def __init__(self, spec):
        self.spec, self.problem, self.law = spec, spec["problem"], spec.get("participation")
        self.plan, self.starts, self.steps = (
            spec["trace"][table] for table in ("delivers", "started_from", "local_steps")
        )
        self.losses = Losses(self.problem)
        self.rounds, self.clients = len(self.plan), len(self.plan[0])
        self.start = [number(x) for x in spec["start"]]
        self.variance = self.losses.noise_squared / self.losses.size
        self.delays = [[t - s for s in row] for t, row in enumerate(self.starts)]
        self.cells = [
            (t, i) for t, row in enumerate(self.plan) for i, c in enumerate(row) if c == "1"
        ]

    @cached_property
    def outcomes(self):
        return outcomes(self.spec, self.losses)

    @cached_property
    def moments(self):
        """The rounds one by one, if that is enough to know what is random."""
        return Rounds(self.spec, self.losses) if applies(self.spec, self.losses) else None

    @cached_property
    def models(self):
        """The models, if nothing about them is random but noise of mean 0."""
        return self.outcomes[0].models if len(self.outcomes) == 1 else None

    def expected(self, shares, value, spread):
        """E of value(x) + variance * spread(change of x) over the draws, x = sum_t shares_t w_t."""
        if self.moments is not None:
            mean, variances = self.moments.moments(shares)
            units = [[F(i == j) for j in range(len(mean))] for i in range(len(mean))]
            here = value(mean)
            parts = zip(variances, units, strict=True)
            return None if here is None else here + sum(v * spread(e) for v, e in parts)
        total = F(0)
        for chance, models, moved in self.outcomes:
            x = self.mixed(models, shares)
            here = value(x)
            if here is None:
                return None
            for other in moved:
                apart = [b - a for a, b in zip(x, self.mixed(other, shares), strict=True)]
                here += self.variance * spread(apart)
            total += chance * here
        return total

    def mixed(self, models, shares):
        used = [(w, m) for w, m in zip(shares, models, strict=True) if w]
        return [sum(w * m[j] for w, m in used) for j in range(self.losses.size)]

    def only(self, t):
        return [F(s == t) for s in range(self.rounds + 1)]

    def each(self, of):
        """A value at every model before a round, then at the last."""
        return [of(self.only(t)) for t in range(self.rounds + 1)]

    def squared(self, shares):
        """E |grad f|^2 at an average of the models."""
        bend = [s.left for s in self.losses.total]

        def value(x):
            return sum(g * g for g in self.losses.total_gradient(x))

        return self.expected(
            shares, value, lambda d: sum((h * x) ** 2 for h, x in zip(bend, d, strict=True))
        )

    def gap(self, shares):
        """E f - f* at an average of the models."""
        bend = [s.left for s in self.losses.total]
        return self.expected(
            shares,
            self.losses.gap,
            lambda d: sum(h * x * x for h, x in zip(bend, d, strict=True)) / 2,
        )

    def distance(self, shares):
        """E |x - x*|^2 at an average of the models."""
        best = self.losses.optimum
        if best is None:
            return None
        return self.expected(shares, lambda x: _squared(x, best), lambda d: sum(x * x for x in d))

    def plain(self):
        return [F(1, self.rounds)] * self.rounds + [F(0)]

    def given(self):
        weights = [number(w) for w in self.spec.get("averaging", [])]
        total = sum(weights)
        return [w / total for w in weights] + [F(0)] if total else None

    def offset(self):
        """MIFA's weights (t+a-1)(t+a-2), t = 1, 2, ..., of the models."""
        if "step_offset" not in self.spec["parameters"]:
            return None
        a = number(self.spec["parameters"]["step_offset"])
        weights = [(t + a) * (t + a - 1) for t in range(self.rounds + 1)]
        return [w / sum(weights) for w in weights]

    def ages(self):
        """Ages of what is known of the clients; None if some client is unknown at first."""
        known = self.law is None and "0" not in self.plan[0]
        return ages_of(self.plan, self.starts) if known else None

    def column_steps(self, pick):
        return [
            F(pick([row[i] for row in self.steps if row[i]] or [0])) for i in range(self.clients)
        ]

    def sizes(self):
        """The number of deliveries in each round, if it is not random."""
        if self.law is None:
            return [row.count("1") for row in self.plan]
        fixed = self.law["kind"] in ("uniform", "cyclic")
        return [int(self.law["clients_per_round"])] * self.rounds if fixed else None

    def chances(self):
        if self.law is not None:
            return chances(self.law, self.clients)
        return [
            F(sum(row[i] == "1" for row in self.plan), self.rounds) for i in range(self.clients)
        ]


def measured(spec, claim=None):
    """A function from the name of a quantity of the run to its value; None if it is not known.

    A claim holds its formulas over clients by name: a function, and the formula as nested lists. If
    it speaks of a limit, statistics of the trace are those of the trace without end, unknown here.
    """
    claim = claim or {"over_clients": {}, "measures": {}, "conditions": []}
    over = claim["over_clients"]
    forever = "limit" in str((claim["measures"], claim["conditions"]))
    m = Measured(spec)
    losses = m.losses
    known = losses.constants() | of_trace(m) | _of_outcomes(m) | _limits(m)
    numbered = {
        "model": lambda i: None if m.models is None else m.models[i][0],
        "weight": lambda i: number(spec["settings"]["weights"][i]),
        "block": lambda i: F(block([row[i] for row in m.plan])),
        "undivided": lambda i: Measured(_undivided(spec)).models[i][0],
        "optimum": lambda i: number(m.problem["optima"][i][0]),
        "distance_of_optima": lambda i: abs(
            number(m.problem["optima"][i][0]) - number(m.problem["optima"][0][0])
        ),
    }

    def value(how):
        if forever and (how in SETTLED or "client_max_staleness" in how):
            return None
        if how in over:
            return over_clients(m, *over[how])
        name, *place = how.split(":")
        if place:
            return numbered[name](int(place[0])) if name in numbered else None
        return known.get(name, lambda: None)()

    return value


def _undivided(spec):
    """The run in which the server adds up the clients' updates instead of averaging them."""
    clients = len(spec["trace"]["delivers"][0])
    return {**spec, "server_step_size": str(clients * number(spec["server_step_size"]))}


def _of_outcomes(m):
    """Expectations over noise and participation."""

    def mean(of):
        return _of_all(m.each(of)[:-1], lambda xs: sum(xs) / m.rounds)

    def weighed(of):
        shares = m.given()
        return shares and _of_all(
            m.each(of), lambda xs: sum(w * x for w, x in zip(shares, xs, strict=True))
        )

    def at(shares, of):
        return None if shares is None else of(shares)

    last = m.only(m.rounds)
    return {
        "mean_squared_gradient": lambda: mean(m.squared),
        "last_squared_gradient": lambda: m.squared(last),
        "min_squared_gradient": lambda: min(m.each(m.squared)),
        "weighted_mean_squared_gradient": lambda: weighed(m.squared),
        "last_loss_gap": lambda: m.gap(last),
        "min_loss_gap": lambda: _of_all(m.each(m.gap), min),
        "average_loss_gap": lambda: mean(m.gap),
        "loss_gap_of_average": lambda: m.gap(m.plain()),
        "weighted_average_loss_gap": lambda: weighed(m.gap),
        "loss_gap_of_weighted_average": lambda: at(m.given(), m.gap),
        "weighted_loss_gap": lambda: at(m.offset(), m.gap),
        "last_squared_distance": lambda: m.distance(last),
        "average_squared_distance": lambda: mean(m.distance),
        "initial_loss_gap": lambda: m.losses.gap(m.start),
        "initial_squared_gradient": lambda: sum(g * g for g in m.losses.total_gradient(m.start)),
        "initial_distance": lambda: (
            None
            if m.losses.optimum is None
            else power(_squared(m.start, m.losses.optimum), F(1, 2))
        ),
    }


def _limits(m):
    """The limit of a run of one coordinate that is repeated for ever, and the optimum."""
    best = m.losses.optimum
    simple = m.losses.affine and m.losses.size == 1 and m.law is None

    def error():
        points = list(cycle(m.spec))
        return sum(m.losses.total[0].at(x) ** 2 for x in points) / len(points)

    return {
        "optimum": lambda: None if best is None else best[0],
        "limit": lambda: next(cycle(m.spec)) if simple else None,
        "limit_error": lambda: error() if simple else None,
    }


def _of_all(values, of):
    return None if None in values else of(values)


def _squared(xs, ys):
    return sum((x - y) ** 2 for x, y in zip(xs, ys, strict=True))
