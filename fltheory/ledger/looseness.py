"""Looseness of a bound: the worst case over all functions of a theorem's class, divided by the
right side, along sweeps of the parameters."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import NotRequired, TypedDict, cast

import numpy as np

from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.claims.claim import evaluate
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Scalar
from fltheory.papers import find_claim
from fltheory.papers.library import entries
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import (
    availability_window,
    known_staleness,
    max_staleness,
    mean_staleness,
)

CLIENTS = 10
GAP = Fraction(1, 2)


@dataclass(frozen=True)
class SweepPoint:
    """One point of a sweep: `late` of ten clients deliver only every `period` rounds (or `late` of
    ten rounds use work that is period - 1 rounds old)."""

    num_rounds: int = 6
    local_steps: int = 1
    period: int = 2
    late: int = 5

    def __post_init__(self) -> None:
        for name, least in (("num_rounds", 1), ("local_steps", 1), ("period", 1), ("late", 0)):
            if getattr(self, name) < least:
                raise InvalidInput(
                    name.replace("_", " "), f"be at least {least}", getattr(self, name)
                )
        if self.late > CLIENTS:
            raise InvalidInput("late clients", f"be at most {CLIENTS}", self.late)

    def by_turns(self) -> Trace:
        """Late clients deliver in rounds 0, period, 2 period, ...; the others in every round."""
        rows = [
            [t % self.period == 0 or i >= self.late for i in range(CLIENTS)]
            for t in range(self.num_rounds)
        ]
        return Trace.fresh(rows, local_steps=self.local_steps)

    def aged(self) -> Trace:
        """One loss whose gradients are period - 1 rounds old in some rounds, as if several clients
        of one data type took turns."""
        rounds = np.arange(self.num_rounds)
        old = (rounds * self.late) % CLIENTS + self.late >= CLIENTS  # evenly spread
        ages = np.where(old, np.minimum(rounds, self.period - 1), 0)[:, None]
        return Trace.with_delays(
            np.ones((self.num_rounds, 1), bool), ages, local_steps=self.local_steps
        )


Asked = tuple[Case, dict[str, Scalar]]
"""A worst case, and the values of the symbols of the theorem's right side in it."""


class LoosenessRow(TypedDict):
    """One worst case beside the bound; `ratio` is None if no worst case could be computed, and
    `status` says how far the number can be trusted."""

    along: NotRequired[str]
    theorem: str
    num_rounds: int
    local_steps: int
    max_staleness: int
    mean_staleness: float
    worst_case: float | None
    bound: float
    ratio: float | None
    status: str
    why: str


def fedlaavg_theorem_3(at: SweepPoint) -> Asked:
    """Gradients up to G = 1, L = 1, f(x_0) - f* <= 1/2, step size 1/10; with several local steps
    Theorem 4 for the server's models."""
    trace = at.by_turns()
    question = Question(
        FunctionClass(1, convex=False),
        Conditions(loss_gap=GAP, gradient_bound_squared=1),
        Metric.MEAN_SQUARED_GRADIENT,
    )
    values = {
        "staleness_bound": availability_window(trace.delivers) - 1,
        "gradient_bound": 1,
        "initial_loss_gap": GAP,
    }
    return Case("fedlaavg", trace, question, Fraction(1, 10)), values | {
        "local_step_size": Fraction(1, 10)
    }


def afl_theorem_2(at: SweepPoint) -> Asked:
    """One worker, L = 1, f(x_0) - f* <= 1/2, step sizes just inside the theorem's (corrected)
    conditions."""
    trace = at.aged()
    delay = int(trace.delays.max())
    local = _below_root(Fraction(1, 180 * max(delay, 1))) / at.local_steps
    step = Fraction(2) / (2 + _above_root(4 + 12 * delay**2))  # 2 L g + 3 tau^2 L^2 g^2 <= 1
    question = Question(
        FunctionClass(1, convex=False), Conditions(loss_gap=GAP), Metric.MEAN_SQUARED_GRADIENT
    )
    values = {
        "max_delay": delay,
        "local_step_size": local,
        "server_step_size": step / local,
        "initial_loss_gap": GAP,
        "dissimilarity": 0,
        "clients_per_round": 1,
    }
    return Case("afa-cd", trace, question, local, step / local), values


def fraboni_theorem_1(at: SweepPoint) -> Asked:
    """Clients of one data type in turn (so R = 0 and no gradient at the optimum), L = 1, |theta^0 -
    theta*| <= 1, largest step size."""
    trace = at.aged()
    delay = int(trace.delays.max())
    local = Fraction(1, 48 * at.local_steps * 3 * (delay + 1))
    weights = (1,) * (at.num_rounds * at.local_steps) + (0,)
    question = Question(
        FunctionClass(1), Conditions(distance_squared=1), Metric.MEAN_LOSS, weights, virtual=True
    )
    values = {
        "max_staleness": delay,
        "local_step_size": local,
        "server_step_size": 1,
        "initial_distance_squared": 1,
        "objective_spread": 0,
        "round_optimum_noise": 0,
        "round_optimum_noise_squared": 0,
        "covariance_factor": 1,
        "variance_excess": 0,
        "shared_steps": 1,
        "largest_total_weight": 1,
        "virtual_factor": 1,
    }
    return Case("async", trace, question, local, settings={"weights": (1,)}), values


def mifa_theorem_5_1(at: SweepPoint) -> Asked:
    """Curvature in [1, 4], |w_1 - w*| <= 1, D <= 1, t0 = max(1, tau_max), the theorem's step sizes;
    the constant 300 is ours."""
    trace = at.by_turns()
    gap = max(1, int(max_staleness(trace)))
    offset = max(100, 40 * gap) * 8
    sizes = tuple(Fraction(4, at.local_steps * (t + offset)) for t in range(1, at.num_rounds + 1))
    weights = tuple((t + offset) * (t + offset - 1) for t in range(at.num_rounds + 1))
    question = Question(
        FunctionClass(4, 1), Conditions(distance_squared=1, heterogeneity=1), Metric.LOSS, weights
    )
    values = {
        "max_staleness": int(max_staleness(trace)),
        "mean_staleness": mean_staleness(trace),
        "initial_gap": gap,
        "initial_distance": 1,
        "dissimilarity_at_optimum": 1,
        "strong_convexity": 1,
        "smoothness": 4,
    }
    return Case("mifa", trace, question, sizes), values


THEOREMS: dict[str, Callable[[SweepPoint], Asked]] = {
    "fedlaavg.thm3": fedlaavg_theorem_3,
    "afl.thm2c": afl_theorem_2,
    "fraboni.thm1.corrected": fraboni_theorem_1,
    "mifa.thm5.1.corrected": mifa_theorem_5_1,
}


def theorems() -> dict[str, Callable[[SweepPoint], Asked]]:
    """The theorems above, and those that papers name in LOOSENESS: pairs of a claim's id and a
    function."""
    own = cast(Iterator[tuple[str, Callable[[SweepPoint], Asked]]], entries("LOOSENESS"))
    return THEOREMS | dict(own)


SEVERAL_STEPS = {"fedlaavg.thm3": "fedlaavg.thm4.server"}
"""Theorem 3 of FedLaAvg is about one local step; Theorem 4 is about several."""

SWEEPS: dict[str, tuple[SweepPoint, ...]] = {
    "num_rounds": tuple(SweepPoint(num_rounds=n) for n in (2, 4, 6, 8, 12)),
    "local_steps": tuple(SweepPoint(num_rounds=3, local_steps=k) for k in (1, 2, 3)),
    "max_staleness": tuple(SweepPoint(num_rounds=8, period=p) for p in (1, 2, 4, 8)),
    "mean_staleness": tuple(
        SweepPoint(num_rounds=8, period=4, late=n) for n in (0, 1, 3, 5, 8, 10)
    ),
}
"""The quantity that is varied, and the points of its sweep."""


def claim_of(theorem: str, local_steps: int) -> str:
    """The id of the claim whose right side is the bound."""
    return SEVERAL_STEPS.get(theorem, theorem) if local_steps > 1 else theorem


def looseness(theorem: str, at: SweepPoint) -> LoosenessRow:
    """The worst case of one point of a sweep beside the bound of the theorem.

    >>> row = looseness("afl.thm2c", SweepPoint(num_rounds=3, period=1))
    >>> round(row["ratio"], 4), row["status"]
    (0.3281, 'NUMERICAL')
    """
    from fltheory.analysis.worst_case.answer import worst_case

    known = theorems()
    if theorem not in known:
        raise InvalidInput("theorem", f"be one of {', '.join(known)}", repr(theorem)[:60])
    case, values = known[theorem](at)
    common = {
        "num_rounds": at.num_rounds,
        "num_clients": case.trace.num_clients,
        "local_steps": at.local_steps,
        "smoothness": 1,
        "gradient_noise": 0,
    }
    bound = float(
        evaluate(find_claim(claim_of(theorem, at.local_steps)).statement.right, common | values)
    )
    found = worst_case(case)
    ages = known_staleness(case.trace) if case.trace.num_clients > 1 else case.trace.delays
    return {
        "theorem": claim_of(theorem, at.local_steps),
        "num_rounds": at.num_rounds,
        "local_steps": at.local_steps,
        "max_staleness": int(ages.max()),
        "mean_staleness": float(ages.mean()),
        "worst_case": found.value,
        "bound": bound,
        "ratio": None if found.value is None else found.value / bound,
        "status": found.status.name,
        "why": found.why,
    }


def table(theorems: list[str], sweeps: list[str]) -> Iterator[LoosenessRow]:
    """All rows of the chosen sweeps."""
    for sweep in sweeps:
        if sweep not in SWEEPS:
            raise InvalidInput("sweep", f"be one of {', '.join(SWEEPS)}", repr(sweep)[:60])
        for theorem in theorems:
            for at in SWEEPS[sweep]:
                yield {"along": sweep, **looseness(theorem, at)}


def _below_root(number: Fraction, digits: int = 10**6) -> Fraction:
    """A fraction at most a millionth below the root."""
    return Fraction(isqrt(number.numerator * digits**2 // number.denominator), digits)


def _above_root(number: int) -> Fraction:
    root = _below_root(Fraction(number))
    return root if root**2 == number else root + Fraction(1, 10**6)
