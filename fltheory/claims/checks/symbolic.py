"""Symbolic checks: an identity or inequality between formulas, for all values of their symbols."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import sympy

from fltheory.claims.checks.instances import Instance, refuted, violated
from fltheory.claims.claim import Claim, Identity, LowerBound, evaluate
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.core.enclosure import as_expression, compare, shown
from fltheory.core.types import Values

SAMPLES = ("1/3", "2/3", "3/2", "5/7", "2", "7/5", "3", "1/5")
"""Values at which a difference that does not simplify to zero is evaluated."""


def check_symbolic(claim: Claim, *, derived: Values, covers: str) -> Evidence:
    """Substitute independently derived formulas for symbols of the claim, and prove the statement
    for all values of the other symbols.

    `derived` maps symbol names to formulas that were obtained without the claim (a symbolic run, a
    sum, a series). An identity is proved if left - right simplifies to 0, a bound if the slack is
    provably nonnegative.
    """
    given = {s: as_expression(derived[s.name]) for s in claim.symbols if s.name in derived}
    left, right = (
        side.xreplace(given).doit() for side in (claim.statement.left, claim.statement.right)
    )
    slack = left - right if isinstance(claim.statement, LowerBound) else right - left
    simplified = sympy.simplify(slack)
    proved = simplified == 0 if isinstance(claim.statement, Identity) else nonnegative(simplified)
    if proved:
        return Evidence(
            claim.id,
            Method.SYMBOLIC,
            Verdict.PROVED,
            covers,
            shown(left),
            shown(right),
            note="for all values of the symbols",
        )
    return _look_for_violation(claim, given, left, right, covers)


def check_symbolic_cases(
    claim: Claim, cases: Iterable[Values], *, covers: str, complete: bool = False
) -> Evidence:
    """A symbolic proof in each case, for all values of the symbols that the case does not derive;
    PROVED only if the cases are `complete`."""
    evidence, count = None, 0
    for derived in cases:
        count += 1
        evidence = check_symbolic(claim, derived=derived, covers=covers)
        if evidence.verdict is not Verdict.PROVED:
            return evidence
    if evidence is None:
        return Evidence(
            claim.id, Method.SYMBOLIC, Verdict.UNDECIDED, covers, note="no case was produced"
        )
    verdict = Verdict.PROVED if complete else Verdict.SUPPORTED
    return replace(
        evidence,
        verdict=verdict,
        note=f"proved in {count} cases, each for all values of the other symbols",
    )


def nonnegative(expression: sympy.Expr) -> bool:
    """Is the expression, as it is, factored or expanded, provably at least 0?"""
    return any(
        form.is_nonnegative
        for form in (expression, sympy.factor(expression), sympy.expand(expression))
    )


def _look_for_violation(
    claim: Claim,
    given: Mapping[sympy.Symbol, sympy.Expr],
    left: sympy.Expr,
    right: sympy.Expr,
    covers: str,
) -> Evidence:
    """REFUTED by a numeric instance at which the formulas disagree; else UNDECIDED."""
    symbols = sorted(
        left.free_symbols.union(right.free_symbols, *(f.free_symbols for f in given.values())),
        key=str,
    )
    for shift in range(len(SAMPLES)):
        values = {s.name: _sample(s, shift + 3 * k) for k, s in enumerate(symbols)}
        left_number, right_number = evaluate(left, values), evaluate(right, values)
        if not (
            left_number.is_finite
            and right_number.is_finite
            and left_number.is_real
            and right_number.is_real
        ):
            continue
        if violated(claim, compare(left_number, right_number)):
            found = {s.name: evaluate(formula, values) for s, formula in given.items()}
            instance = Instance({**values, **found})
            return refuted(
                claim, instance, left_number, right_number, method=Method.SYMBOLIC, covers=covers
            )
    return Evidence(
        claim.id,
        Method.SYMBOLIC,
        Verdict.UNDECIDED,
        covers,
        shown(left),
        shown(right),
        note="no proof and no violation found",
    )


def _sample(symbol: sympy.Symbol, index: int) -> int | str:
    return 1 + index % 5 if symbol.is_integer else SAMPLES[index % len(SAMPLES)]
