"""Condition: a hypothesis that is a formula, decided on a run or at values of its symbols."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import sympy

from fltheory.claims.claim import Assumption, evaluate
from fltheory.claims.fast_evaluation import Evaluate, as_number, compiled
from fltheory.claims.forever import about_limits
from fltheory.claims.measures import Measurements
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import Comparison, as_expression, compare
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.types import Values

_HOLDS = {
    "<=": (Comparison.BELOW, Comparison.EQUAL),
    "<": (Comparison.BELOW,),
    "=": (Comparison.EQUAL,),
}
_SIGNS = {"<=": "<=", "<": "<", "==": "="}


@dataclass(frozen=True)
class Condition:
    """A hypothesis left <= right, left < right or left = right, decided on a run or at values of
    its symbols.

    With `forever` it is one of a claim about limits: the trace of the run has no end.

    >>> step = Condition("x <= 1/2", sympy.Symbol("x"), "<=", sympy.Rational(1, 2))
    >>> step({"x": "1/2"}), step({"x": 1})
    (True, False)
    """

    text: str
    left: sympy.Expr
    sign: str
    right: sympy.Expr
    forever: bool = False

    @classmethod
    def of(cls, text: str, relation: sympy.Rel) -> "Condition":
        """The condition that a relation of sympy states.

        >>> Condition.of("x < 1", sympy.Lt(sympy.Symbol("x"), 1))({"x": "1/2"})
        True
        """
        return cls(text, relation.lhs, _SIGNS[relation.rel_op], relation.rhs)

    @cached_property
    def symbols(self) -> frozenset[sympy.Symbol]:
        return frozenset(self.left.free_symbols | self.right.free_symbols)

    @cached_property
    def names(self) -> frozenset[str]:
        """The quantities that it speaks of."""
        return frozenset(s.name for s in self.symbols)

    def __call__(self, thing: Scenario | Values) -> bool | None:
        """True or False; None if a side has no value, or if the sides are too close to decide."""
        if isinstance(thing, Scenario):
            forever = self.forever or about_limits(s.name for s in self.symbols)
            thing = Measurements(thing, forever=forever)
        quick = self._quick(thing)
        if quick is not None:
            return quick
        values = {s.name: thing[s.name] for s in self.symbols if s.name in thing}
        left, right = _value(self.left, values), _value(self.right, values)
        if left is None or right is None:
            return None
        found = compare(left, right)
        return None if found is Comparison.UNKNOWN else found in _HOLDS[self.sign]

    @cached_property
    def _sides(self) -> tuple[Evaluate, Evaluate]:
        return compiled(self.left), compiled(self.right)

    def _quick(self, values: Values) -> bool | None:
        """The answer in fractions; None if a side is irrational or has no value."""
        try:
            numbers = {name: as_number(values[name]) for name in self.names}
            left, right = (side(numbers) for side in self._sides)
        except (ZeroDivisionError, OverflowError, ValueError, KeyError, TypeError):
            return None
        if not (isinstance(left, Fraction) and isinstance(right, Fraction)):
            return None
        return (
            left == right
            if self.sign == "="
            else left < right or (left == right and self.sign == "<=")
        )

    def along(self, values: Values) -> bool | None:
        """True if it provably holds for every positive whole number in place of the one symbol that
        the values contain; None without a proof."""
        given = {s: as_expression(values.get(s.name, s)) for s in self.symbols}
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


def formula_assumption(name: str, says: str, *relations: sympy.Rel) -> Assumption:
    """A hypothesis that is one or several relations between quantities; unknown on a run on which
    one of them cannot be measured."""
    conditions = [Condition.of(says, relation) for relation in relations]

    def holds(scenario: Scenario) -> bool | None:
        try:
            found = [condition(scenario) for condition in conditions]
        except InvalidInput:
            return None
        return False if False in found else None if None in found else True

    return Assumption(name, says, holds)


def _value(side: sympy.Expr, values: Values) -> sympy.Expr | None:
    """A side at given values; None if it is not a real number."""
    try:
        found = evaluate(side, values)
    except (InvalidInput, NotExact):
        raise
    except ValueError:  # sympy raises it for Max or Min of numbers that are not real
        return None
    return None if found.has(sympy.zoo, sympy.nan) or found.is_extended_real is False else found
