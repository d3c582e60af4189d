"""Theorem 5.1 for long runs: the asymptote of T times the gap by integrals and usage counts, its
limit and slope by algebra."""

from collections.abc import Iterator
from functools import cache

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic_cases
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Formula, Scalar
from fltheory.papers.mifa.checks.closed_forms import TIME
from fltheory.papers.mifa.checks.runs import periodic
from fltheory.papers.mifa.paper import CLIENTS, CONVEX, NOISE, ROUNDS
from fltheory.papers.mifa.statements.closed_forms import NOISE_GAP, NOISE_ROUND, A, T, X
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import mean_staleness, usages

UNIT: dict[str, Scalar] = {"strong_convexity": 1, "gradient_noise": 1, "local_steps": 1}


def asymptotes() -> Iterator[Instance]:
    """The limit of T (E f(wbar_T) - f*) for bounded gaps: noise at time u T moves the average by a
    power of u, and an update used g times moves it g times as much (Theorem 5.1)."""
    point = sympy.Symbol("u", positive=True)
    for text, periods in (
        ("1", [1]),
        ("1", [2]),
        ("2", [1, 3]),
        ("5", [1, 2, 4]),
        ("3/2", [5, 2]),
    ):
        curvature, trace = sympy.Rational(text), Trace.fresh(periodic(60, periods))
        uses = sympy.Rational(int((usages(trace) ** 2).sum()), trace.num_clients * trace.num_rounds)
        power = 4 * curvature
        # weights 3 v^2 dv on models that keep (u/v)^c of noise drawn at u with step 4/(mu u)
        response = sympy.simplify(
            sympy.integrate(sympy.expand(3 * point**power * TIME ** (2 - power)), (TIME, point, 1))
        )
        spread = sympy.integrate(sympy.expand((4 * response / point) ** 2), (point, 0, 1))
        yield Instance(
            UNIT
            | {
                "scaled_gap": curvature / 2 * spread * uses / len(periods),
                "curvature": curvature,
                "num_clients": len(periods),
                "mean_staleness": mean_staleness(trace),
            },
            f"curvature {text}, periods {periods}",
        )


@by_instances(
    Method.SYMBOLIC,
    "five curvatures and periodic availabilities: exact integrals over the scaled rounds,"
    " exact usage counts; that the limit may be taken under the sum is not machine-checked",
)
def asymptote() -> Iterator[Instance]:
    """The limit of T (E f(wbar_T) - f*) for periodic availability (Theorem 5.1)."""
    return asymptotes()


@cache
def summed_noise() -> Formula:
    """The noise formula as a rational function of T and a: powers are summed by Bernoulli
    polynomials."""
    term = sympy.Poly(
        ((NOISE_ROUND + A - 1) * (NOISE_ROUND + A - 2) * (T - NOISE_ROUND)) ** 2, NOISE_ROUND
    )
    total = sum(
        c * (sympy.bernoulli(k + 1, ROUNDS + 1) - sympy.bernoulli(k + 1, 1)) / (k + 1)
        for (k,), c in term.terms()
    )
    return NOISE_GAP.replace(lambda node: isinstance(node, sympy.Sum), lambda node: total)


@by_instances(
    Method.SYMBOLIC,
    "curvature mu and everybody active: exact limit of the closed form, for every a",
)
def limit_of_noise() -> Iterator[Instance]:
    """24/35: T times the exact noise formula, its sum written out, as T grows (Theorem 5.1)."""
    unit = {CONVEX: 1, CLIENTS: 1, NOISE: 1}
    value = sympy.limit(sympy.cancel((T * summed_noise()).subs(unit)), ROUNDS, sympy.oo)
    yield Instance(
        UNIT | {"scaled_gap": value, "curvature": 1, "num_clients": 1, "mean_staleness": 0},
        "curvature mu, everybody active",
    )


def slope_of_noise(claim: Claim) -> Evidence:
    """d log(gap)/d log(T) of the noise formula at T = x a, for large a (Theorem 5.1)."""
    scaled = sympy.cancel(
        (A * summed_noise()).subs({CONVEX: 1, CLIENTS: 1, NOISE: 1}).subs(ROUNDS, X * A - 1)
    )
    limit = sympy.limit(scaled, A, sympy.oo)
    return check_symbolic_cases(
        claim,
        [{"noise_slope": sympy.simplify(X * sympy.diff(limit, X) / limit)}],
        covers="every T/a, in the limit of large a, given the formula of mifa.thm5.1.noise",
    )


CHECKS = (
    Check("mifa.thm5.1.asymptote", asymptote),
    Check("mifa.thm5.1.asymptote", limit_of_noise, rests_on=("mifa.thm5.1.noise",)),
    Check("mifa.thm5.1.slope", slope_of_noise, rests_on=("mifa.thm5.1.noise",)),
)
