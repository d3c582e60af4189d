"""How the paper's bounds compare, by algebra; and the width of Example 2's limit cycle as the local
steps grow."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import sympy

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.fraboni.paper import DRIFT_SQUARED, LOCAL, NOISE1, RHO, SPREAD, K, L, W
from fltheory.papers.fraboni.statements.bounds import WINDOW_TERM
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

MORE = sympy.Symbol("more", nonnegative=True)
F = Fraction


def longer_cycles(claim: Claim) -> Evidence:
    """Every cycle of at least one window (after eq. 15)."""
    return check_symbolic(
        claim, derived={"slowest_cycle": 1 + MORE}, covers="every cycle of at least one window"
    )


def short_cycles(claim: Claim) -> Evidence:
    """ceil(tau_M/Delta t) <= 2 tau_M/tau_1 for Delta t >= tau_1; it enters with positive signs, so
    that the largest value is the worst (after eq. 15)."""
    ratio = sympy.Symbol("ratio", nonnegative=True)
    return check_symbolic(
        claim,
        derived={
            "hardware_ratio": 1 + ratio,
            "slowest_cycle": 2 * (1 + ratio),
            "num_clients": 2 + MORE,
        },
        covers="two clients or more, the longest cycle that Delta t >= tau_1 allows",
    )


@by_instances(Method.DATA, "both printed formulas at K = 2 and all else 1")
def second_terms() -> Iterator[Instance]:
    """The second terms of eq. (13) and (15)."""
    names = ("num_rounds", "objective_spread", "optimum_noise")
    yield Instance({**dict.fromkeys(names, 1), "local_steps": 2}, "K = 2, N = R = Sigma = 1")


def one_round(claim: Claim) -> Evidence:
    """epsilon_W at W = 1 (Section 3.4)."""
    value = WINDOW_TERM.subs(W, 1)
    return check_symbolic(
        claim, derived={"window_term_of_one_round": value}, covers="W = 1, all constants"
    )


def one_step(claim: Claim) -> Evidence:
    """epsilon_K of A.4 at K = 1 (Section 3.2)."""
    drift = 4 * DRIFT_SQUARED * SPREAD + 6 * RHO * LOCAL**2 * (K - 1) ** 2 * L * NOISE1
    return check_symbolic(
        claim, derived={"drift_term_of_one_step": drift.subs(K, 1)}, covers="K = 1, all constants"
    )


def width(local_steps: int, size: Fraction, weights: tuple[int, int]) -> Fraction:
    """How far the two models of the limit cycle are apart, two clients in turn, their work one
    round old."""
    rows = [[n % 2 == i for i in range(2)] for n in range(12)]
    trace = Trace.continuous(rows, local_steps=local_steps)
    found = limit_cycle(
        WeightedAggregation(weights), Quadratic((1, 1), (0, 1)), trace, local_step_size=size
    )
    assert found.cycle is not None
    (first,), (second,) = found.cycle
    return abs(Fraction(first) - Fraction(second))


@by_instances(
    Method.EXACT_RUN, "limit cycles of two clients for K = 1 to 25, two step sizes, two weights"
)
def widening() -> Iterator[Instance]:
    """Figure 3's numbers of local steps."""
    for size in (F(1, 200), F(1, 20)):
        for weights in ((1, 1), (1, 2)):
            widths = [width(steps, size, weights) for steps in range(1, 26)]
            for steps, (now, following) in enumerate(pairwise(widths), 1):
                yield Instance(
                    {"width_with_one_more": following, "width_of_cycle": now},
                    f"K = {steps}, eta_l = {size}, weights {weights}",
                )


CHECKS = (
    Check("fraboni.order.sync", longer_cycles, everything="an inequality in all its symbols"),
    Check("fraboni.order.last_terms", short_cycles),
    Check("fraboni.order.first_terms", second_terms),
    Check("fraboni.thm3.one_round", one_round, everything="an identity in all its symbols"),
    Check("fraboni.thm1.one_step", one_step, everything="an identity in all its symbols"),
    Check("fraboni.exp.fig3.variance", widening),
)
