"""Definition 5.1, the statistics of the staleness, and the assumptions: every availability pattern
of a small size."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.core.types import Scalar
from fltheory.engine.arithmetic import RATIONAL
from fltheory.papers.mifa.checks.tools import known
from fltheory.papers.mifa.statements.staleness import BETA, SLOPE
from fltheory.problems.objective import loss_gap
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.doubling import Doubling
from fltheory.traces.availability.linear_gaps import LinearGaps
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import (
    initial_gap,
    max_staleness,
    mean_client_max_staleness,
    mean_staleness,
    rounds_since,
    usages,
)

Pattern = tuple[tuple[int, ...], ...]


def patterns(num_clients: int, num_rounds: int) -> Iterator[Pattern]:
    """Every availability after a first round of everybody, busy ones first."""
    for bits in product((1, 0), repeat=num_clients * (num_rounds - 1)):
        later = tuple(bits[num_clients * t : num_clients * (t + 1)] for t in range(num_rounds - 1))
        yield ((1,) * num_clients, *later)


def counted(pattern: Pattern) -> list[list[int]]:
    """tau(t, i) by counting up and resetting."""
    ages, rows = [0] * len(pattern[0]), []
    for row in pattern:
        ages = [0 if here else age + 1 for here, age in zip(row, ages, strict=True)]
        rows.append(ages)
    return rows


@by_instances(Method.ENUMERATION, "every availability of a device over seven rounds")
def definition_is_recursion() -> Iterator[Instance]:
    """tau(t, i) by its definition, and by counting up and resetting (Definition 5.1)."""
    for pattern in patterns(1, 7):
        ages = rounds_since(pattern)
        for t, row in enumerate(counted(pattern)):
            yield Instance(
                {"staleness": int(ages[t, 0]), "counted_staleness": row[0]},
                f"round {t} of {pattern}",
            )


def statistics_of(pattern: Pattern) -> dict[str, Scalar]:
    """taubar_T, tau_max,T, nubar, the sum of all tau(t, i) and the sum of the squared usages of a
    pattern (Section 5)."""
    trace = Trace.fresh(pattern)
    return {
        "num_clients": trace.num_clients,
        "num_rounds": trace.num_rounds,
        "mean_staleness": mean_staleness(trace),
        "max_staleness": max_staleness(trace),
        "mean_client_max_staleness": mean_client_max_staleness(trace),
        "total_staleness": sum(map(sum, counted(pattern))),
        "squared_usages": int((usages(trace) ** 2).sum()),
    }


@by_instances(
    Method.ENUMERATION,
    "every availability of 1, 2, 3 devices over 6, 4, 3 rounds with everybody in the first",
)
def statistics_agree() -> Iterator[Instance]:
    """Statistics of the staleness on every pattern of a small size (Section 5)."""
    for size in ((1, 1), (1, 6), (2, 4), (3, 3)):
        for pattern in patterns(*size):
            yield Instance(statistics_of(pattern), str(pattern))


@by_instances(
    Method.ENUMERATION,
    "every availability with some absence of 1, 2, 3 devices over 6, 4, 3 rounds, everybody"
    " in the first",
)
def worst_staleness_is_larger() -> Iterator[Instance]:
    """The same without the patterns in which nobody is ever stale: there both sides are 0
    (Assumption 8)."""
    for size in ((1, 2), (1, 6), (2, 4), (3, 3)):
        for pattern in patterns(*size):
            if (values := statistics_of(pattern))["max_staleness"]:
                yield Instance(values, str(pattern))


@by_instances(Method.ENUMERATION, "every availability of a device over up to seven rounds")
def active_rounds() -> Iterator[Instance]:
    """The active rounds of one device beside its staleness (Section 5)."""
    for num_rounds in range(1, 8):
        for pattern in patterns(1, num_rounds):
            counts = {"active_rounds": sum(map(sum, pattern))}
            yield Instance(statistics_of(pattern) | counts, str(pattern))


def slope_is_small(claim: Claim) -> Evidence:
    """1/b = (mu/L)^1.5/40, written in L = mu (1 + z)^2 (Assumption 4)."""
    excess, convexity = (
        letter("excess", nonnegative=True),
        sympy.Symbol("strong_convexity", positive=True),
    )
    root = 1 + excess
    return check_symbolic(
        claim,
        derived={"smoothness": convexity * root**2, "strong_convexity": convexity},
        covers="every L >= mu > 0, written as L = mu (1 + z)^2",
    )


def doubling_needs_a_growing_gap(claim: Claim) -> Evidence:
    """In round x - 1, x = 2^p, the device was last seen x/2 - 1 rounds ago, so t0 is at least x/2 -
    1 - (x - 1)/40; traces confirm it."""
    end = letter("x", positive=True)
    least = (end / 2 - 1) - (end - 1) / 40
    for power in range(3, 14):
        found = initial_gap(Trace.fresh(Doubling(1).matrix(2**power - 1)), Fraction(1, 40))
        if sympy.Rational(found.numerator, found.denominator) != least.subs(end, 2**power):
            return Evidence(
                claim.id,
                Method.SYMBOLIC,
                Verdict.UNDECIDED,
                f"2^{power} rounds",
                str(found),
                str(least),
            )
    return check_order_limit(
        claim,
        derived={"initial_gap": least},
        variable=end,
        covers=(
            "activity in rounds 1, 2, 4, 8, ...: the staleness before round x = 2^p, slope 1/40,"
            " for all p; equal to the least t0 of the traces with p = 3..13"
        ),
    )


@by_instances(Method.EXACT_RUN, "the saturating adversary over 400 rounds, five values of t0")
def saturating_adversary() -> Iterator[Instance]:
    """The least t0 of a device that is as absent as tau(t) <= t0 + t/40 permits (Assumption 4)."""
    for gap in map(Fraction, ("1", "5/2", "4", "9", "20")):
        trace = Trace.fresh(LinearGaps(1, gap, Fraction(1, 40)).matrix(400))
        found = initial_gap(trace, Fraction(1, 40))
        yield Instance({"initial_gap": found, "allowed_gap": gap}, f"t0 = {gap}")


def bounded_noise(claim: Claim) -> Evidence:
    """Symmetric two-point noise of size delta x, x in [0, 1]: its variance is delta^2 x^2."""
    bound, shrink = sympy.Symbol("noise_bound", positive=True), letter("shrink", nonnegative=True)
    part = bound / (1 + shrink)
    variance = (part**2 + (-part) ** 2) / 2
    cases = [{"gradient_noise": sympy.sqrt(variance)}]
    return check_symbolic_cases(
        claim, cases, covers="noise +-s with equal chance, any s up to the bound"
    )


def gradient_is_bounded(claim: Claim) -> Evidence:
    """|grad f|^2 <= mean |grad f_i|^2 <= alpha |grad f|^2 + beta, so |grad f|^2 = (beta - slack)/(1
    - alpha) with some slack >= 0."""
    slack, share = letter("slack", nonnegative=True), letter("share", positive=True)
    below_one = 1 / (1 + share)
    largest = (BETA - slack) / (1 - below_one)
    return check_symbolic(
        claim,
        derived={"squared_gradient": largest, SLOPE.name: below_one},
        covers="every alpha < 1 and every slack in |grad f|^2 + slack = alpha |grad f|^2 + beta",
    )


@by_instances(Method.EXACT_RUN, "36 pairs of quadratic clients")
def dissimilarity_of_two() -> Iterator[Instance]:
    """D = (1/N) sum_i |grad f_i(w*)|^2 of two quadratic clients (Theorem 5.1)."""
    names = ("curvature_1", "curvature_2", "centre_1", "centre_2")
    for h1, h2, c1, c2 in product((1, 2, Fraction(1, 3)), (1, 3), (0, 1, -2), (0, Fraction(5, 2))):
        values = dict(zip(names, (h1, h2, c1, c2), strict=True))
        spread = known(Quadratic((h1, h2), (c1, c2)).constants.dissimilarity_at_optimum)
        yield Instance(values | {"dissimilarity_at_optimum": spread}, str(values))


def gradients_at(problem: Quadratic, point: Fraction) -> dict[str, Scalar]:
    """(1/N) sum_i |grad f_i(w)|^2, L, f(w) - f* and D at one point w (Remark 5.1)."""
    n = problem.num_clients
    gradients = problem.gradients(RATIONAL)(RATIONAL.rows([[point]] * n))
    return {
        "mean_squared_client_gradient": (gradients**2).sum() / n,
        "smoothness": known(problem.constants.smoothness),
        "loss_gap": loss_gap(problem, [[point]], RATIONAL)[0, 0],
        "dissimilarity_at_optimum": known(problem.constants.dissimilarity_at_optimum),
    }


@by_instances(Method.EXACT_RUN, "40 quadratic problems and points")
def client_gradients() -> Iterator[Instance]:
    """(1/N) sum_i |grad f_i(w)|^2, D and f(w) - f* at points of quadratic problems
    (Remark 5.1)."""
    curvatures = ((1,), (1, 1), (1, 4), (1, 2, 4), (4, 1, 1, 1))
    points = tuple(map(Fraction, ("-3", "1/2", "9/7", "7")))
    for each, shift, point in product(curvatures, (1, 5), points):
        optima = [shift * (-1) ** i * (i + 1) for i in range(len(each))]
        values = gradients_at(Quadratic(each, optima), point)
        yield Instance(values, f"{each}, {optima} at {point}")


CHECKS = (
    Check("mifa.def5.1", definition_is_recursion),
    Check("mifa.taustats", statistics_agree),
    Check("mifa.taustats.usage", statistics_agree),
    Check("mifa.taustats.active", active_rounds),
    Check("mifa.ass4", slope_is_small, everything="an inequality in all its symbols"),
    Check("mifa.ass4.growth", doubling_needs_a_growing_gap),
    Check("mifa.ass4.growth.corrected", saturating_adversary),
    Check("mifa.ass6", bounded_noise),
    Check("mifa.ass7", gradient_is_bounded, everything="an inequality in all its symbols"),
    Check("mifa.ass8", worst_staleness_is_larger),
    Check("mifa.ass8.max", worst_staleness_is_larger),
    Check("mifa.D", dissimilarity_of_two),
    Check("mifa.ass.BGD", client_gradients),
)
