"""Families of runs that grow with one whole number, with a proved lower bound on what they end in.

E d^2, the expected squared distance of a coordinate from its optimum, is known in every family:

- *descent*: one client with loss x^2/2, or x^2/2 + h y^2/2 and x at its optimum, starts at distance
  1 and has no noise, so that d_t = (1 - s h)^t after t steps of size s. No average over the models
  before T rounds is below its first term over T, and no model is closer than 1 - s h T, by
  Bernoulli's inequality.
- *noise*: N clients of this kind start at the optimum, with noise of variance 1. With v the
  variance that one round adds to the coordinate, E d_t^2 = v (1 - a^(2t))/(1 - a^2) with a = 1 -
  s h, at least (v/(2 s h)) (2 s h t)/(1 + 2 s h t), because 1 - a^2 <= 2 s h and a^(2t) <= 1/(1 +
  2 s h t).
- *sampled*: as *noise* with h = 1 and v = s^2, because one of N clients with losses (x - 1)^2/2 and
  (x + 1)^2/2, half of them each, is drawn in every round, without noise.
- *late*: one client with loss x^2/2 starts at distance 1, and all deliveries begin with the first
  model: d_t = 1 - s t.
- *drift*: two clients with losses x^2/4 and (x - 1)^2/2 take K local steps of size s <= 1/K from
  the optimum 2/3. With b_i = 1 - (1 - s h_i)^K the model tends to b_2/(b_1 + b_2), which is d = (2
  b_1 - b_2)/(3 (b_1 + b_2)) >= (K - 1) s/54 away, because 2 b_1 - b_2 >= K (K - 1) s^2/12 and b_1 +
  b_2 <= 3 s K/2; after t rounds it is away by d (1 - a^t) >= d q/(1 + q), with a = 1 - (b_1 +
  b_2)/2 <= 1 - 3 s K/8 and q = 3 s K t/8.

In the last but one E d_t^2 is known, else it grows with t wherever it starts at 0, so that an
average over all rounds is at least half of the value at half of them.
"""

from dataclasses import dataclass

import sympy

from fltheory.claims.condition import Condition
from fltheory.claims.spaces.choices import SCALE
from fltheory.core.errors import InvalidInput

ONE, ZERO, HALF = sympy.S.One, sympy.S.Zero, sympy.Rational(1, 2)

GRADIENT_DESCENT = frozenset(
    {"fedavg", "fedsgd", "sync", "mifa", "mifa-difference", "fedlaavg", "afa-cd", "afa-cs"}
)
"""Methods that are gradient descent if everybody takes one local step in every round."""

METHODS = {
    "descent": GRADIENT_DESCENT,
    "noise": GRADIENT_DESCENT,
    "sampled": frozenset({"fedavg", "fedsgd", "afa-cd"}),
    "late": frozenset({"afa-cd", "afa-cs"}),
    "drift": frozenset({"fedavg", "sync", "mifa"}),
}
"""The methods of each family; a few rounds of a method are run to confirm it."""

AVERAGES = {"mean_squared_gradient": 2, "average_loss_gap": 1, "average_squared_distance": 0}
"""Averages over the models before the rounds, with the power of the curvature in each."""

ENDS = {"last_squared_gradient": 2, "last_loss_gap": 1, "last_squared_distance": 0}
"""Values at the last model, likewise."""

LEAST = {"min_squared_gradient": 2, "min_loss_gap": 1}
"""Least values over the models, likewise."""

OWN = {
    "descent": {"bend"},
    "noise": {"bend", "clients"},
    "sampled": {"clients"},
    "late": set[str](),
    "drift": {"local_steps"},
}
"""The sizes of each family besides its rounds and steps; all others are 1."""

SIZES = ("rounds", "step", "bend", "clients", "local_steps")

EVERYBODY = (
    "clients_per_round",
    "most_clients_per_round",
    "clients_in_first_round",
)


@dataclass(frozen=True)
class GrowingRuns:
    """Runs of one family: rounds T, step size s, curvature h, clients N and local steps K, each a
    formula in SCALE.

    >>> GrowingRuns("descent", "fedavg", 4 * SCALE, 1 / SCALE).bound("average_loss_gap")
    1/(8*scale)
    """

    family: str
    method: str
    rounds: sympy.Expr
    step: sympy.Expr
    bend: sympy.Expr = ONE
    clients: sympy.Expr = ONE
    local_steps: sympy.Expr = ONE

    def __post_init__(self) -> None:
        if self.method not in METHODS.get(self.family, ()):
            known = ", ".join(sorted(METHODS))
            raise InvalidInput(
                "growing runs",
                f"be one of {known}, of a method that the family knows",
                f"{self.family} of {self.method}"[:60],
            )

    @property
    def says(self) -> str:
        """The family in words.

        >>> GrowingRuns("late", "afa-cd", 4 * SCALE, sympy.Rational(1, 4)).says[:52]
        'one client with loss x^2/2, start 1, all deliveries '
        """
        loss = "x^2/2" if self.bend == 1 else f"x^2/2 + {self.bend} y^2/2"
        crowd = "one client" if self.clients == 1 else f"{self.clients} clients"
        told = {
            "descent": f"{crowd} with loss {loss}, start 1",
            "noise": f"{crowd} with loss {loss}, start 0, noise of variance 1",
            "sampled": f"one of {crowd} with losses (x - 1)^2/2 and (x + 1)^2/2 drawn in each"
            " round, start 0",
            "late": f"{crowd} with loss x^2/2, start 1, all deliveries begin with the first model",
            "drift": "two clients with losses x^2/4 and (x - 1)^2/2, start at the optimum 2/3,"
            f" {self.local_steps} local steps",
        }[self.family]
        return f"{told}, {self.rounds} rounds, step {self.step}"

    def possible(self) -> bool:
        """Is this a run for every SCALE, of which the lower bound is proved?"""
        counts = [self.rounds / 2, self.clients, self.local_steps]
        counts += [self.clients / 2] * (self.family == "sampled")
        own = OWN[self.family]
        usual = all(getattr(self, n) == 1 for n in {"bend", "clients", "local_steps"} - own)
        least, most = self.bend, self.step * self.local_steps
        within = [(ZERO, "<", self.step), (ZERO, "<", least), (least, "<=", ONE)]
        within += [(most, "<=", ONE)] * (self.family != "late")
        return (
            usual
            and all(map(_is_count, counts))
            and all(Condition("", a, sign, b).along({}) is True for a, sign, b in within)
        )

    def bound(self, name: str) -> sympy.Expr | None:
        """A lower bound on what the runs end in; None if none is known."""
        power = (AVERAGES | ENDS | LEAST).get(name)
        squared = self._squared(name)
        if power is None or squared is None:
            return None
        bend = sympy.Rational(3, 4) if self.family == "drift" else self.bend
        return sympy.Rational(1, 2 if power == 1 else 1) * bend**power * squared

    def _squared(self, name: str) -> sympy.Expr | None:
        """A lower bound on E d^2, averaged over the rounds or in the end."""
        s, rounds, mean = self.step, self.rounds, name in AVERAGES
        if self.family == "descent":
            way = sympy.simplify(s * self.bend * rounds)
            if way.is_Rational and way <= 1:
                return (1 - way) ** 2
            return 1 / rounds if mean else None
        if name in LEAST:
            return None
        if self.family == "late":
            before = rounds - 1
            over_rounds = 1 - s * before + s**2 * before * (before + rounds) / 6
            return over_rounds if mean else (1 - s * rounds) ** 2
        half, t = (HALF, rounds / 2) if mean else (ONE, rounds)
        if self.family == "drift":
            q = 3 * s * self.local_steps * t / 8
            return half * ((self.local_steps - 1) * s / 54 * q / (1 + q)) ** 2
        crowd = ONE if self.family == "sampled" else self.clients
        coordinates = 1 if self.bend == 1 else 2
        q = 2 * s * self.bend * t
        return half * s / (2 * self.bend * crowd * coordinates) * q / (1 + q)

    def values(self) -> dict[str, sympy.Expr]:
        """The quantities of the runs that are known, without what they end in."""
        starts = self.family in ("descent", "late")
        one = dict.fromkeys(
            ("server_step_size", "smoothness", "global_smoothness", "mean_smoothness"), ONE
        )
        bend = dict.fromkeys(
            ("strong_convexity", "global_strong_convexity", "pl_constant"), self.bend
        )
        zero = dict.fromkeys(
            ("relative_noise", "weak_convexity", "max_delay", "mean_delay", "optimum"), ZERO
        )
        steps = dict.fromkeys(
            ("local_steps", "least_local_steps", "mean_local_steps"), self.local_steps
        )
        known = {
            **(one | bend | zero | steps),
            "num_rounds": self.rounds,
            "num_clients": self.clients,
            "local_step_size": self.step,
            "first_step_size": self.step,
            "last_step_size": self.step,
            "gradient_noise": ONE if self.family == "noise" else ZERO,
            "initial_distance": ONE if starts else ZERO,
            "initial_loss_gap": self.bend / 2 if starts else ZERO,
            "initial_squared_gradient": self.bend**2 if starts else ZERO,
            **dict.fromkeys(
                ("least_importance", "largest_importance", "sum_squared_importance"),
                1 / self.clients,
            ),
        }
        return known | self._own_values()

    def _own_values(self) -> dict[str, sympy.Expr]:
        """What is different in this family, or known in it alone."""
        alike = dict.fromkeys(
            (
                "dissimilarity",
                "mean_dissimilarity",
                "dissimilarity_at_optimum",
                "client_minima_gap",
            ),
            ZERO,
        ) | {"relative_dissimilarity": ONE}
        sure = {
            **dict.fromkeys((*EVERYBODY, "fresh_entries"), self.clients),
            **dict.fromkeys(
                ("availability_window", "availability_probability", "balance_period"), ONE
            ),
            "staleness_bound": ZERO,
        }
        ages = ("max_staleness", "mean_staleness", "mean_client_max_staleness")
        if self.family == "sampled":
            apart = ("dissimilarity", "mean_dissimilarity", "dissimilarity_at_optimum")
            drawn = dict.fromkeys((*EVERYBODY, *apart), ONE)
            return drawn | {
                "availability_probability": 1 / self.clients,
                "client_minima_gap": HALF,
            }
        if self.family == "drift":
            usual = sympy.Rational(3, 4)
            return (
                sure
                | dict.fromkeys(ages, ZERO)
                | dict.fromkeys(("num_clients", *EVERYBODY, "fresh_entries"), sympy.Integer(2))
                | dict.fromkeys(
                    ("least_importance", "largest_importance", "sum_squared_importance"), HALF
                )
                | dict.fromkeys(
                    ("global_smoothness", "mean_smoothness"),
                    usual,
                )
                | dict.fromkeys(("global_strong_convexity", "pl_constant"), usual)
                | {
                    "strong_convexity": HALF,
                    "dissimilarity_at_optimum": sympy.Rational(1, 9),
                    "client_minima_gap": sympy.Rational(1, 12),
                    "optimum": sympy.Rational(2, 3),
                }
            )
        if self.family == "late":
            far, middle = self.rounds - 1, (self.rounds - 1) / 2
            late = dict(zip(ages, (far, middle, far), strict=True))
            return (
                alike
                | sure
                | late
                | {
                    "max_delay": far,
                    "mean_delay": middle,
                    "fresh_entries": ZERO,
                }
            )
        return alike | sure | dict.fromkeys(ages, ZERO)


def _is_count(x: sympy.Expr) -> bool:
    """Is this a whole number above 0 at every scale?"""
    found = sympy.expand(x)
    if not found.is_polynomial(SCALE):
        return False
    parts = sympy.Poly(found, SCALE).coeffs()
    return all(part.is_Integer and part >= 0 for part in parts) and found != 0
