"""Orders of Corollary 1 and Theorem 4: the theorems' bounds along paths on which some quantities
grow, and SGD on a parabola."""

from collections.abc import Mapping
from fractions import Fraction

import sympy

from fltheory.claims.checks.by_instances import Decide
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.claim import Claim, evaluate, letter
from fltheory.claims.evidence import Evidence
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import Comparison, as_expression, compare
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Formula, Scalar, Symbol
from fltheory.papers import find_claim
from fltheory.papers.fedlaavg.paper import BETA, GAMMA, SIGMA, B, E, G, I, L, N, T
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

Path = Mapping[Symbol, Scalar]
"""Values of quantities, some of them formulas in BIG."""

BIG = letter("growth", integer=True, positive=True)
QUARTER = sympy.Rational(1, 4)
FULL: Path = {
    I: sympy.S.Zero,
    GAMMA: QUARTER,
    L: sympy.S.One,
    N: sympy.Integer(3),
    G: sympy.Integer(2),
    SIGMA: sympy.S.One,
    B: sympy.S.One,
}
"""Full participation with some constants."""


ROOTS = tuple(letter(name, positive=True) for name in ("root_n", "root_e", "root_b"))
MORE_ROUNDS = letter("slack_t", positive=True)
"""Positive letters n, e, b with N = n^4, E = e^2, beta = b^2, and k: more rounds than needed."""


def root_values(rounds: Formula) -> dict[str, Scalar]:
    """N, E, beta and T by symbol, in positive letters."""
    n, e, b = ROOTS
    return values_of({N: n**4, E: e**2, BETA: b**2, T: rounds})


def at_roots(bound: Formula, step_size: Formula, rounds: Formula) -> dict[str, Scalar]:
    """A bound at a step size, in positive letters."""
    n, e, b = ROOTS
    at = {N: n**4, E: e**2, BETA: b**2, T: rounds}
    size = sympy.powdenest(step_size.xreplace(at), force=True)
    value = bound.xreplace({GAMMA: size}).xreplace(at)
    return {"bound_at_step_size": value, **root_values(rounds)}


def values_of(path: Path) -> dict[str, Scalar]:
    """The values of a path by symbol name."""
    return {symbol.name: as_expression(value) for symbol, value in path.items()}


def along(quantity: str, bound: Formula, step_size: Formula, path: Path, covers: str) -> Decide:
    """The order claim with a theorem's bound at the corollary's step size, I = 2E/beta, in place of
    the quantity that it bounds."""

    def decide(claim: Claim) -> Evidence:
        left = bound.xreplace({GAMMA: step_size, I: 2 * E / BETA}).subs(path)
        return check_order_limit(
            claim, derived={**values_of(path), quantity: left}, variable=BIG, covers=covers
        )

    return decide


def in_order_form(quantity: str, bound: Formula, at: Path, covers: str) -> Decide:
    """The order claim with a theorem's own bound for full participation, as T grows."""

    def decide(claim: Claim) -> Evidence:
        derived = {**values_of(at), quantity: bound.xreplace(at)}
        return check_order_limit(claim, derived=derived, variable=T, covers=covers)

    return decide


def too_fast(claim: Claim) -> Claim:
    """A planted falsehood: the right side divided by T and by G^4."""
    return claim.planted(right=claim.statement.right / (T * G**4))


def right_side_of(claim_id: str, claim: Claim) -> Claim:
    """A planted falsehood: a correction with the right side that is printed."""
    return claim.planted(right=find_claim(claim_id).statement.right)


def sgd_mean_square() -> Formula:
    """Mean of E x_t^2, t < T, for x -> (1 - gamma) x - gamma n with gamma = 1/4, sigma = 1, x0 = 1,
    as a formula in T.

    E x_t^2 = 1/7 + 6/7 (9/16)^t, compared with exact runs of the engine before it is used.
    """
    ratio = sympy.Rational(9, 16)
    formula = sympy.Rational(1, 7) + sympy.Rational(6, 7) * (1 - ratio**T) / (T * (1 - ratio))
    for rounds in (1, 2, 5):
        run = Scenario(
            "fedlaavg",
            Quadratic((1,), (0,), noise_squared=1),
            Trace.fresh([[1]] * rounds),
            start=1,
            local_step_size=Fraction(1, 4),
        )
        measured = measure(run, ["mean_squared_gradient"])["mean_squared_gradient"]
        if compare(evaluate(formula, {"num_rounds": rounds}), measured) is not Comparison.EQUAL:
            raise InvalidInput(
                "mean square of SGD", f"be {measured} after {rounds} rounds", formula
            )
    return formula


def sgd(quantity: str, covers: str) -> Decide:
    """The order claim for one client that is always there, f = x^2/2 with unit noise, one local
    step: the gradient bound plays no part, because I = 0."""

    def decide(claim: Claim) -> Evidence:
        one = sympy.S.One
        derived = {
            quantity: sgd_mean_square(),
            "staleness_bound": sympy.S.Zero,
            "local_step_size": QUARTER,
            "local_steps": one,
            "smoothness": one,
            "num_clients": one,
            "gradient_bound": 2 * one,
            "gradient_noise": one,
            "initial_loss_gap": one / 2,
        }
        return check_order_limit(claim, derived=derived, variable=T, covers=covers)

    return decide
