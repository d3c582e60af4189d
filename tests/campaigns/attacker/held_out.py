"""Operators of the held-out mutants: other factors, exponents, shifts and exchanges than those of
tests.campaigns.attacker.operators.

Spaces and search were once completed after a look at the survivors of the first set. The second set
was written down before the attacker met it, by the operators below, and an alteration that an
operator of the first set makes too is left out of it.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import sympy

from fltheory.claims.claim import Claim, Identity, Order, UpperBound
from tests.campaigns.attacker.operators import PAIRS, Altered, Operator, on_sides, same_kind

Rewrites = Iterator[tuple[sympy.Expr, str]]


def _scaled_slightly(claim: Claim) -> Iterator[Altered]:
    """The constant of the right side, wrong by a tenth or a quarter, towards a falsehood."""
    for factor in (sympy.Rational(3, 4), sympy.Rational(9, 10)):
        used = factor if isinstance(claim.statement, UpperBound) else 1 / factor
        if not isinstance(claim.statement, Order):
            yield (
                claim.planted(right=used * claim.statement.right),
                f"the right side is multiplied by {used}",
            )


def _below_the_equality(claim: Claim) -> Iterator[Altered]:
    if isinstance(claim.statement, Identity):
        right = sympy.Rational(49, 50) * claim.statement.right
        yield (
            replace(claim, statement=UpperBound(claim.statement.left, right)),
            "the left is said to be at most 49/50 of what it equals",
        )


def _term_miscounted(part: sympy.Expr) -> Rewrites:
    if part.is_Add:
        for term in part.args:
            if not term.is_number:
                yield part - term / 2, f"half of the term {term} is forgotten"
                yield part + term, f"the term {term} is counted twice"


def _half_power_lost(part: sympy.Expr) -> Rewrites:
    if part.is_Pow and part.exp.is_number:
        less = part.exp - sympy.sign(part.exp) / 2
        yield part.base**less, f"the exponent {part.exp} of {part.base} becomes {less}"


def _root_taken(part: sympy.Expr) -> Rewrites:
    if isinstance(part, sympy.Symbol) and part.is_nonnegative:
        yield sympy.sqrt(part), f"the root of {part} stands for {part}"
        yield part**3, f"{part} is cubed"


def _shifted_by_two(part: sympy.Expr) -> Rewrites:
    if isinstance(part, sympy.Symbol) and part.is_integer:
        yield 2 * part, f"{part} is counted twice"
        yield part + 2, f"{part} is counted two too high"
        yield part - 2, f"{part} is counted two too low"


def _number_nudged(part: sympy.Expr) -> Rewrites:
    if part.is_Add or part.is_Mul:
        for number in part.args:
            if number.is_Integer and number not in (-1, 0, 1):
                for other in (number - 1, number + 1):
                    yield (
                        part.func(other, *(arg for arg in part.args if arg is not number)),
                        f"the {number} becomes {other} in {part}",
                    )


def _sum_misread(part: sympy.Expr) -> Rewrites:
    if part.is_Add and not any(arg.could_extract_minus_sign() for arg in part.args):
        yield sympy.Max(*part.args), f"the sum {part} becomes its largest term"
        yield part / len(part.args), f"the sum {part} becomes the mean of its terms"
        yield sympy.Mul(*part.args), f"the sum {part} becomes a product"


def _square_spread(part: sympy.Expr) -> Rewrites:
    if part.is_Pow and part.exp == 2 and part.base.is_Add:
        yield (
            sympy.Add(*(term**2 for term in part.base.args)),
            f"the square of {part.base} becomes a sum of squares",
        )


def _monotonicity_reversed(part: sympy.Expr) -> Rewrites:
    if isinstance(part, sympy.Symbol):
        yield (
            1 / part,
            f"{part} acts the other way round: it is divided by where it was multiplied with",
        )
    elif (
        part.is_Pow
        and part.exp.is_number
        and part.exp < 0
        and not isinstance(part.base, sympy.Symbol)
    ):
        yield 1 / part, f"{part.base} is multiplied with where it was divided by"


def _wrong_base_case(part: sympy.Expr) -> Rewrites:
    if isinstance(part, sympy.Symbol) and part.is_integer and part.is_nonnegative:
        least = 2 if part.is_positive else 1
        yield sympy.Max(part, least), f"{part} = {least - 1} is treated like {least}"


def _extreme_ignored(part: sympy.Expr) -> Rewrites:
    if isinstance(part, sympy.Max | sympy.Min):
        for kept in part.args:
            yield kept, f"of {part} only {kept} is kept"


def _rounded_otherwise(part: sympy.Expr) -> Rewrites:
    if isinstance(part, sympy.ceiling):
        yield sympy.floor(part.args[0]) + 1, f"{part.args[0]} is rounded up even where it is whole"
    if isinstance(part, sympy.floor):
        yield sympy.ceiling(part.args[0]), f"{part.args[0]} is rounded up, not down"
    if isinstance(part, sympy.log):
        yield part / 2, f"the logarithm is taken of the root of {part.args[0]}"
    if (
        part.is_Mul
        and not part.is_integer
        and all(s.is_integer for s in part.free_symbols)
        and part.free_symbols
    ):
        yield sympy.floor(part), f"{part} is rounded down"
        yield sympy.ceiling(part), f"{part} is rounded up"


def _absolute_lost(part: sympy.Expr) -> Rewrites:
    if isinstance(part, sympy.Abs):
        yield part.args[0], f"the absolute value of {part.args[0]} is lost"


def _mistaken(claim: Claim) -> Iterator[Altered]:
    """A quantity of the right side replaced by another one of the claim that the first set does not
    take for it."""
    names = {found.name: found for found in claim.symbols}
    known = {frozenset(pair) for pair in PAIRS}
    for old in sorted(names):
        for new in sorted(names):
            if old != new and not same_kind(old, new) and frozenset((old, new)) not in known:
                right = claim.statement.right
                if names[old] in right.free_symbols:
                    yield (
                        claim.planted(right=right.subs(names[old], names[new])),
                        f"{old} is replaced by {new} on the right",
                    )


def _two_conditions_removed(claim: Claim) -> Iterator[Altered]:
    for lost in combinations([a for a in claim.assumes if a.stated], 2):
        kept = tuple(a for a in claim.assumes if a not in lost)
        yield (
            replace(claim, assumes=kept),
            f"the conditions {lost[0].id} and {lost[1].id} are removed",
        )


HELD_OUT = (
    Operator(
        "two-conditions-removed", "two printed conditions are removed", _two_conditions_removed
    ),
    Operator("absolute-lost", "an absolute value is lost", on_sides(_absolute_lost)),
    Operator(
        "extreme-ignored",
        "only one argument of a maximum or minimum is kept",
        on_sides(_extreme_ignored),
    ),
    Operator(
        "rounded-otherwise",
        "a quotient is rounded, or rounded the other way",
        on_sides(_rounded_otherwise),
    ),
    Operator(
        "square-spread", "the square of a sum becomes a sum of squares", on_sides(_square_spread)
    ),
    Operator(
        "wrong-base-case",
        "the smallest case is treated like the next one",
        on_sides(_wrong_base_case),
    ),
    Operator("sum-misread", "a sum becomes a maximum, a mean or a product", on_sides(_sum_misread)),
    Operator(
        "number-nudged", "a whole number is one too low or too high", on_sides(_number_nudged)
    ),
    Operator("shifted-by-two", "a count is off by two, or doubled", on_sides(_shifted_by_two)),
    Operator("half-power-lost", "half a power is lost", on_sides(_half_power_lost)),
    Operator(
        "term-miscounted",
        "half of a term is forgotten, or it is counted twice",
        on_sides(_term_miscounted),
    ),
    Operator("mistaken", "a quantity stands in the place of one of another kind", _mistaken),
    Operator(
        "monotonicity-reversed",
        "a quantity acts the other way round",
        on_sides(_monotonicity_reversed),
    ),
    Operator("root-taken", "a root or a cube stands for a quantity", on_sides(_root_taken)),
    Operator(
        "below-equality",
        "an equality becomes an upper bound a little below it",
        _below_the_equality,
    ),
    Operator(
        "scaled-slightly",
        "the constant of the right side is wrong by a tenth or a quarter",
        _scaled_slightly,
    ),
)
"""Every kind of falsehood of the second set, the peculiar ones first."""
