"""Claims whose assumptions are all formulas: their symbols are free and take any values that the
conditions allow."""

from fractions import Fraction

import sympy

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Order
from fltheory.claims.condition import Condition
from fltheory.claims.meaning import AT_MOST, ONLY_OF_RUNS
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.claims.spaces.space import Draw, Space
from fltheory.claims.spaces.step_roots import linear_root
from fltheory.core import vocabulary
from fltheory.core.types import Scalar
from fltheory.papers import papers

POWERS, STEEP_POWERS = (0, 1, 2, -1, -2), (0, 1, 2, 3, 4, 5, -1, -2, -3)
"""Powers of SCALE by which quantities grow along a path."""

UNIT = frozenset({"availability_probability", "importance"})
"""Quantities that are at most 1."""


def conditions(claim: Claim) -> list[Condition] | None:
    """The printed assumptions as formulas; None if one of them can only be decided on a run."""
    stated = [a.holds for a in claim.assumes if a.stated]
    return (
        [c for c in stated if isinstance(c, Condition)]
        if all(isinstance(c, Condition) for c in stated)
        else None
    )


def free_symbols(claim: Claim) -> Space | None:
    """The space of free symbols, for a user's claim about formulas: every symbol takes any value
    that its kind and the claim's conditions allow.

    None for claims about runs, for claims with outcomes of runs, and for claims of the papers,
    whose symbols have a meaning.
    """
    names = frozenset(symbol.name for symbol in claim.symbols)
    known = conditions(claim)
    of_a_paper = claim.source.paper.key in papers()
    if claim.about or known is None or names & ONLY_OF_RUNS or of_a_paper:
        return None
    return Space(
        "free symbols",
        "Every symbol takes any value of its kind that the claim's conditions allow.",
        names,
        free_draw(known),
    )


def free_draw(known: list[Condition]) -> Draw:
    """Draw every symbol, then check the conditions; some draws put a symbol on the edge of a
    condition."""

    def draw(choices: Choices, claim: Claim) -> Instance:
        symbols = sorted(
            claim.symbols | {s for c in known for s in c.symbols}, key=lambda s: s.name
        )
        path = isinstance(claim.statement, Order)
        powers = (STEEP_POWERS if choices.flag() else POWERS) if path else ()
        values: dict[str, Scalar] = {}
        for symbol in symbols:
            number = draw_symbol(choices, symbol)
            power = choices.choice(powers) if path else 0
            if (symbol.is_integer and power < 0) or (symbol.name in UNIT and power > 0):
                power = 0
            values[symbol.name] = (
                sympy.Rational(number.numerator, number.denominator) * SCALE**power
                if power
                else number
            )
        for condition in known:
            if condition.sign == "=" or (not path and choices.flag()):
                _to_the_edge(choices, condition, symbols, values)
        for low, high in AT_MOST:
            if low in values and high in values:
                fact = Condition(
                    f"{low} <= {high}", vocabulary.symbol(low), "<=", vocabulary.symbol(high)
                )
                choices.require(fact.along(values) if path else fact(values), fact.text)
        for condition in known:
            choices.require(condition.along(values) if path else condition(values), condition.text)
        return Instance(values, ", ".join(f"{name} = {value}" for name, value in values.items()))

    return draw


def draw_symbol(choices: Choices, symbol: sympy.Symbol) -> Fraction:
    """A value that the symbol's assumptions allow: small numbers, powers of ten, both signs if
    both are allowed."""
    if symbol.is_integer:
        low = 1 if symbol.is_positive else 0 if symbol.is_nonnegative else -8
        wide = choices.flag()
        return Fraction(choices.whole(low, 1000 if wide else 8))
    least = (
        Fraction(1, 4)
        if symbol.is_positive
        else Fraction(0)
        if symbol.is_nonnegative
        else Fraction(-4)
    )
    number = choices.number(least, 1 if symbol.name in UNIT else 4)
    return number if symbol.name in UNIT else number * choices.power(10, most=3)


def _to_the_edge(
    choices: Choices, condition: Condition, symbols: list[sympy.Symbol], values: dict[str, Scalar]
) -> None:
    """Solve a condition for one of its symbols, if it is linear in that symbol, so that it holds
    with equality; along a path the solution is a formula."""
    own = [s for s in symbols if s in condition.symbols]
    if not own:
        return
    symbol = choices.choice(own)
    root = linear_root(condition.left - condition.right, symbol, values)
    if root is None:
        return
    if symbol.is_integer and not root.is_integer and root.has(SCALE):
        root = sympy.numer(sympy.together(root))  # beyond the edge, where conditions bound below
    allowed = all(
        getattr(root, f"is_{kind}")
        for kind in ("positive", "nonnegative", "integer")
        if getattr(symbol, f"is_{kind}")
    )
    if allowed and root.is_real:
        values[symbol.name] = Fraction(int(root.p), int(root.q)) if root.is_Rational else root
