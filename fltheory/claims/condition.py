"""Condition: a hypothesis that is a formula, decided on a run or at values of its symbols."""

from dataclasses import dataclass

import sympy

from fltheory.claims.claim import evaluate
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import Comparison, as_expression, compare
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.types import Values

_HOLDS = {
    "<=": (Comparison.BELOW, Comparison.EQUAL),
    "<": (Comparison.BELOW,),
    "=": (Comparison.EQUAL,),
}


@dataclass(frozen=True)
class Condition:
    """A hypothesis left <= right, left < right or left = right, decided on a run or at values of
    its symbols.

    >>> step = Condition("x <= 1/2", sympy.Symbol("x"), "<=", sympy.Rational(1, 2))
    >>> step({"x": "1/2"}), step({"x": 1})
    (True, False)
    """

    text: str
    left: sympy.Expr
    sign: str
    right: sympy.Expr

    @property
    def symbols(self) -> frozenset[sympy.Symbol]:
        return frozenset(self.left.free_symbols | self.right.free_symbols)

    def __call__(self, thing: Scenario | Values) -> bool | None:
        """True or False; None if a side has no value, or if the sides are too close to decide."""
        values = (
            measure(thing, {s.name for s in self.symbols}) if isinstance(thing, Scenario) else thing
        )
        left, right = _value(self.left, values), _value(self.right, values)
        if left is None or right is None:
            return None
        found = compare(left, right)
        return None if found is Comparison.UNKNOWN else found in _HOLDS[self.sign]

    def along(self, values: Values) -> bool | None:
        """True if it provably holds for every positive whole number in place of the one symbol that
        the values contain; None without a proof."""
        given = {s: as_expression(values[s.name]) for s in self.symbols}
        try:
            gap = sympy.together((self.right - self.left).xreplace(given))
        except ValueError:  # as in _value
            return None
        beyond = sympy.Symbol("beyond", nonnegative=True)
        for one in gap.free_symbols:
            gap = gap.xreplace({one: 1 + beyond})
        forms = (gap, sympy.factor(gap), sympy.expand(gap))
        if self.sign == "=":
            return True if sympy.simplify(gap) == 0 else None
        return (
            True
            if any(f.is_positive or (self.sign == "<=" and f.is_nonnegative) for f in forms)
            else None
        )


def _value(side: sympy.Expr, values: Values) -> sympy.Expr | None:
    """A side at given values; None if it is not a real number."""
    try:
        found = evaluate(side, values)
    except (InvalidInput, NotExact):
        raise
    except ValueError:  # sympy raises it for Max or Min of numbers that are not real
        return None
    return None if found.has(sympy.zoo, sympy.nan) or found.is_extended_real is False else found
