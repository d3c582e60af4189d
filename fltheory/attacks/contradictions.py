"""Prove that conditions cannot hold together: positive multiples of them add up to a contradiction.

Every condition says that a formula is at most 0. If such formulas, each times a positive factor,
add up to nonnegative terms and a positive number, no values satisfy all conditions (Farkas). The
factors are found by exact linear programming; a formula may also be multiplied by a nonnegative
symbol, and facts of the vocabulary (no more clients are used than there are) count as conditions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy

from fltheory.attacks.feasible import nonnegative_solution
from fltheory.claims.claim import Claim
from fltheory.claims.condition import Condition
from fltheory.claims.meaning import AT_MOST
from fltheory.claims.spaces.ranges import formulas, names_of
from fltheory.core.types import Formula
from fltheory.core.vocabulary import WORDS, symbol

BELOW = (("max_staleness", "num_rounds"),)
"""Pairs of quantities whose first is below the second in every run."""

ZERO_IN_RUNS = ("clients_per_round", "server_step_size", "smoothness")
"""Quantities that are positive in the vocabulary but may be 0 in a run: an empty round, a step size
set by a condition, linear losses."""

MOST_CONDITIONS = 12
"""Maximum number of conditions to consider."""


@dataclass(frozen=True)
class Bound:
    """A formula that is at most 0, or negative if `strict`, and the reason."""

    gap: sympy.Expr
    strict: bool
    why: str


def contradiction(claim: Claim) -> str:
    """A sentence that proves that no values satisfy the claim's conditions; empty without a proof.

    >>> from fltheory.papers.claim_files import claims_of
    >>> claim = {"id": "m.a", "says": "A.", "left": "num_clients", "sign": "<=", "right": "1"}
    >>> claim["assumes"] = ["num_clients > 2", "num_clients < 3"]
    >>> told = contradiction(claims_of({"paper": {"key": "m"}, "claim": [claim]})[0])
    >>> told.split(": ")[0]
    'num_clients > 2 and num_clients < 3 cannot hold together'
    >>> told.split(": ")[1]
    '(3 - num_clients) + (num_clients - 2) = 1, which would have to be at most 0'
    """
    stated = formulas(claim)
    if not 1 <= len(stated) <= MOST_CONDITIONS:
        return ""
    zero = _zero(stated) if claim.about else {}
    bounds = [bound for condition in stated for bound in _bounds(condition, zero)]
    facts = _facts(names_of(claim), zero, runs=bool(claim.about))
    factors = sorted(
        (s for s in {zero.get(s, s) for c in stated for s in c.symbols} if s.is_nonnegative),
        key=str,
    )
    for known in (
        bounds,
        [*bounds, *facts],
        [*(_times(b, s) for b in (*bounds, *facts) for s in (sympy.S.One, *factors))],
    ):
        told = _together(known)
        if told:
            return told
    return ""


def _zero(stated: Sequence[Condition]) -> dict[sympy.Symbol, sympy.Symbol]:
    """Symbol -> the same symbol, but nonnegative instead of positive, for quantities that may be 0
    in a run, unless a condition divides by them."""
    divided = set().union(
        *(
            sympy.fraction(sympy.together(side))[1].free_symbols
            for c in stated
            for side in (c.left, c.right)
        )
    )
    return {
        s: sympy.Symbol(s.name, nonnegative=True, **({"integer": True} if s.is_integer else {}))
        for s in map(symbol, ZERO_IN_RUNS)
        if s not in divided
    }


def _bounds(condition: Condition, zero: Mapping[sympy.Symbol, sympy.Symbol]) -> list[Bound]:
    """The bounds of a condition: one, or two for an equation; a negative whole number is at most
    -1."""
    gap = sympy.together((condition.left - condition.right).xreplace(zero))
    top, bottom = sympy.fraction(gap)
    gap = sympy.expand(top) if bottom.is_positive else sympy.expand(gap)
    if condition.sign == "=":
        return [Bound(gap, False, condition.text), Bound(-gap, False, condition.text)]
    if condition.sign == "<" and gap.is_integer:
        return [Bound(gap + 1, False, condition.text)]
    return [Bound(gap, condition.sign == "<", condition.text)]


def _facts(
    names: set[str], zero: Mapping[sympy.Symbol, sympy.Symbol], *, runs: bool
) -> list[Bound]:
    """Facts about the quantities of the vocabulary that follow from their meaning."""
    known = {
        word.name: zero.get(symbol(word.name), symbol(word.name))
        for word in WORDS
        if word.name in names
    }
    found = [
        Bound(known[a] - known[b], False, f"{a} <= {b}") for a, b in AT_MOST if {a, b} <= set(known)
    ]
    found += [
        Bound(known[a] + 1 - known[b], False, f"{a} < {b}")
        for a, b in BELOW
        if runs and {a, b} <= set(known)
    ]
    counts = sorted(name for name, one in known.items() if one.is_integer and one.is_positive)
    return found + [Bound(1 - known[name], False, f"{name} >= 1") for name in counts]


def _times(bound: Bound, factor: sympy.Expr) -> Bound:
    return Bound(
        sympy.expand(bound.gap * factor), bound.strict and bool(factor.is_positive), bound.why
    )


def _together(bounds: Sequence[Bound]) -> str:
    """The sentence for the first factors found: sum factor_k gap_k - (nonnegative terms) = 1, or 0
    if a strict bound is among them."""
    terms = sorted(
        {term for b in bounds for term in b.gap.as_coefficients_dict() if term != 1}, key=str
    )
    table = [b.gap.as_coefficients_dict() for b in bounds]
    spare = [term for term in terms if term.is_nonnegative]
    for strict in (False, True):
        rows = [
            [_number(coefficients[term]) for coefficients in table]
            + [-Fraction(term == other) for other in spare]
            for term in terms
        ]
        goal = [Fraction(0)] * len(terms)
        rows.append(
            [_number(coefficients[sympy.S.One]) for coefficients in table]
            + [Fraction(0)] * len(spare)
        )
        goal.append(Fraction(0 if strict else 1))
        if strict:
            rows.append(
                [Fraction(b.strict) for b in bounds]
                + [Fraction(bool(term.is_positive)) for term in spare]
            )
            goal.append(Fraction(1))
        found = nonnegative_solution(rows, goal)
        if found is not None:
            return _sentence(bounds, found[: len(bounds)], strict=strict)
    return ""


def _number(value: Formula) -> Fraction:
    rational = sympy.Rational(value)
    return Fraction(int(rational.p), int(rational.q))


def _sentence(bounds: Sequence[Bound], factors: Sequence[Fraction], *, strict: bool) -> str:
    used = [
        (b, sympy.Rational(f.numerator, f.denominator))
        for b, f in zip(bounds, factors, strict=True)
        if f
    ]
    least = min(f for _, f in used)
    parts = [f"({b.gap})" if f == least else f"{f / least}*({b.gap})" for b, f in used]
    total = sympy.expand(sum(f / least * b.gap for b, f in used))
    whys = list(dict.fromkeys(b.why for b, _ in used))
    subject = (
        f"{', '.join(whys[:-1])} and {whys[-1]} cannot hold together"
        if len(whys) > 1
        else f"{whys[0]} cannot hold"
    )
    limit = "below 0" if any(b.strict for b, _ in used) else "at most 0"
    if len(used) == 1:
        return f"{subject}: {total} would have to be {limit}"
    return f"{subject}: {' + '.join(parts)} = {total}, which would have to be {limit}"
