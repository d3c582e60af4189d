"""The step sizes at which the sides of a condition are equal: a formula for each condition, once,
then its value on each run."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import sympy

from fltheory.claims.condition import Condition
from fltheory.claims.fast_evaluation import as_number, compiled
from fltheory.claims.measures import Measurements
from fltheory.core.enclosure import as_expression
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.types import Values

STEP = "local_step_size"


def roots_of(condition: Condition, known: Measurements) -> Iterator[Fraction | float]:
    """The positive step sizes at which the sides of a condition are equal."""
    for solution in solutions(condition):
        try:
            values = {s.name: as_number(known[s.name]) for s in solution.free_symbols}
            found = compiled(solution)(values)
        except (InvalidInput, NotExact, ValueError, ZeroDivisionError, OverflowError, TypeError):
            continue
        if not isinstance(found, complex) and found > 0:
            yield found


@cache
def solutions(condition: Condition) -> tuple[sympy.Expr, ...]:
    """The step size as a formula in the other symbols, wherever the sides are equal."""
    step = next((s for s in condition.symbols if s.name in (STEP, "first_step_size")), None)
    if step is None:
        return ()
    gap = sympy.numer(sympy.together(condition.left - condition.right))
    sides = [gap]
    for side in (condition.left, condition.right):
        if isinstance(side, sympy.Min | sympy.Max):
            other = condition.right if side is condition.left else condition.left
            sides = [sympy.numer(sympy.together(other - part)) for part in side.args]
    found: list[sympy.Expr] = []
    for one in sides:
        top = sympy.expand(one)
        if not top.is_polynomial(step) or not 1 <= sympy.degree(top, step) <= 2:
            continue
        a, b, c = (top.coeff(step, k) for k in (2, 1, 0))
        if a == 0:
            found.append(-c / b)
        else:
            root = sympy.sqrt(b * b - 4 * a * c)
            found += [(-b + root) / (2 * a), (-b - root) / (2 * a)]
    return tuple(found)


def linear_root(gap: sympy.Expr, symbol: sympy.Symbol, values: Values) -> sympy.Expr | None:
    """The root of the expression in the symbol, the other symbols given; None if it is not linear
    in the symbol, or has no value at the others."""
    given = {s: as_expression(values[s.name]) for s in gap.free_symbols if s != symbol}
    try:
        top = sympy.expand(sympy.numer(sympy.together(gap.xreplace(given))))
    except ValueError:  # sympy raises it for max or min of what is divided by 0
        return None
    if not top.is_polynomial(symbol) or sympy.degree(top, symbol) != 1:
        return None
    root: sympy.Expr = sympy.simplify(-top.coeff(symbol, 0) / top.coeff(symbol, 1))
    return root
