"""Bounds of the theorems at the corollaries' step sizes, and their order along paths on which some
quantities grow."""

from collections.abc import Mapping

import sympy

from fltheory.claims.checks.by_instances import Decide
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence
from fltheory.core.enclosure import as_expression
from fltheory.core.types import Formula, Scalar, Symbol
from fltheory.papers import find_claim
from fltheory.papers.afl.paper import AGE, APART, DELAY, FEWEST, GAP, NOISE, PER_ROUND, K, L, M, T
from fltheory.papers.afl.statements.error_ball import STEPS1

Path = Mapping[Symbol, Scalar]
"""Values of quantities, some of them formulas in GROW."""

GROW = sympy.Symbol("grow", positive=True)
UNIT: Path = {GAP: 1, L: 1, NOISE: 1}
FIXED: Path = {PER_ROUND: 2, K: 3, DELAY: 2, M: 5, APART: 1}
MORE_WORKERS: Path = {PER_ROUND: GROW, M: GROW + 3, T: 5000 * GROW, APART: 0}
PATHS: dict[str, Path] = {
    "T grows, the rest fixed, sigma_G = 0": {**FIXED, T: GROW, APART: 0},
    "T grows, the rest fixed": {**FIXED, T: GROW},
    "K grows, T = 180 K^2 tau": {**FIXED, K: GROW, T: 360 * GROW**2},
    "tau grows, T = 3000 tau^2": {**FIXED, DELAY: GROW, T: 3000 * GROW**2},
    "m grows with M = m + 3, T = 5000 m, sigma_G = 0": {**FIXED, **MORE_WORKERS},
}
"""T grows together with K, tau or m, because the conditions ask for it."""


def substituted(theorem: str, steps: Path = STEPS1) -> Formula:
    """The right side of a theorem at the step sizes of a corollary: eta_L = 1/sqrt(T) and eta =
    sqrt(m) unless others are given."""
    return find_claim(theorem).statement.right.subs(steps)


def bound_along(
    theorem: str, path: Path, *, unit: Path, covers: str, steps: Path = STEPS1
) -> Decide:
    """Does the printed order follow from the theorem's bound? Compares them along one path."""

    def decide(claim: Claim) -> Evidence:
        bound = substituted(theorem, steps).subs(unit).subs(path)
        values = {symbol.name: as_expression(value) for symbol, value in path.items()}
        return check_order_limit(
            claim,
            derived={"mean_squared_gradient": bound, **values},
            variable=GROW,
            covers=covers,
        )

    return decide


def corollary_orders(theorem: str) -> list[Decide]:
    """Corollary 1 or 2: the theorem's bound against the printed order along every path."""
    constants = f"bound of {theorem} with L = sigma_L = f_0 - f* = 1"
    return [
        bound_along(theorem, path, unit=UNIT, covers=f"{constants}; {name}")
        for name, path in PATHS.items()
    ]


def faster(claim: Claim) -> Claim:
    """A planted falsehood: a rate better by the factor T."""
    return claim.planted(right=claim.statement.right / T)


def leading_term(claim: Claim) -> Evidence:
    """Remark 4: the leading term of afl.cor2.explicit as K and T grow together, T = K^5."""
    bound = find_claim("afl.cor2.explicit").statement.right
    grown = {K: GROW, T: GROW**5, M: 5, PER_ROUND: 2, APART: 1, **UNIT}
    return check_order_limit(
        claim,
        derived={"leading_term": bound.subs(grown)} | values_of(grown),
        variable=GROW,
        covers="bound of afl.cor2.explicit with L = sigma_L = sigma_G = f_0 - f* = 1, T = K^5",
    )


def fresh_memory(claim: Claim) -> Evidence:
    """Remark 7: afl.cor3.explicit at tau = 0 and K = 1 as M and T grow together, T = 16 M."""
    bound = find_claim("afl.cor3.explicit").statement.right
    grown = {M: GROW, T: 16 * GROW, K: 1, FEWEST: 1, AGE: 0, APART: 1, **UNIT}
    return check_order_limit(
        claim,
        derived={"bound_with_fresh_memory": bound.subs(grown)} | values_of(grown),
        variable=GROW,
        covers="bound of afl.cor3.explicit with L = sigma_L = f_0 - f* = 1, T = 16 M",
    )


def values_of(path: Path) -> dict[str, sympy.Expr]:
    """The values of a path by symbol name."""
    return {symbol.name: as_expression(value) for symbol, value in path.items()}


CHECKS = (
    Check("afl.rem4.faster", leading_term, plant=faster),
    Check("afl.rem7.rate", fresh_memory, plant=faster),
)
