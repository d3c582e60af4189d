"""Sides and conditions of claims as Coq definitions, made from their sympy expressions.

A theorem of verification/kernel is stated about these definitions, so that it cannot drift from the
claim: their arguments are implicit and have the names of the vocabulary.
"""

import re
import textwrap
from collections.abc import Mapping
from typing import TypeAlias

import sympy
from sympy.logic.boolalg import Boolean

from fltheory.claims.claim import Claim
from fltheory.core.errors import InvalidInput

Condition: TypeAlias = Boolean
"""A relation between expressions, or several joined by And and Or."""

ATOM, POWER, PRODUCT, SUM = range(4)
"""How tightly a term binds; an argument that binds less tightly than its place needs brackets."""

SIGNS = {
    sympy.Le: "<=",
    sympy.Lt: "<",
    sympy.Ge: ">=",
    sympy.Gt: ">",
    sympy.Eq: "=",
    sympy.Ne: "<>",
}
JOINS = {sympy.And: " /\\ ", sympy.Or: " \\/ "}
FUNCTIONS = {
    sympy.exp: "exp",
    sympy.log: "ln",
    sympy.Abs: "Rabs",
    sympy.floor: "floor",
    sympy.ceiling: "ceiling",
}
CONSTANTS = {sympy.pi: "PI", sympy.E: "(exp 1)"}
CHOICES = {sympy.Max: "Rmax", sympy.Min: "Rmin"}
NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
RESERVED = {"as", "at", "else", "end", "exists", "for", "fun", "if", "in", "let", "match", "mod"}
WIDTH = 118
TIE = "\u00a0"
"""A space at which no line is broken."""


def term(expression: sympy.Expr) -> str:
    """The expression as a real number of Coq.

    >>> x, n = sympy.symbols("x n", positive=True)
    >>> term(3 * x**2 / (2 * sympy.sqrt(n)) - sympy.Max(n - 1, 1))
    '3 * x ^ 2 / (2 * sqrt n) - Rmax 1 (n - 1)'
    """
    return _term(expression)[0]


def proposition(condition: Condition) -> str:
    """The condition as a proposition of Coq.

    >>> x, n = sympy.symbols("x n", positive=True)
    >>> proposition(sympy.Or(sympy.Eq(n, 1), x * n <= sympy.Rational(1, 2)))
    'n = 1 \\\\/ n * x <= 1 / 2'
    """
    for kind, sign in SIGNS.items():
        if isinstance(condition, kind):
            left, right = condition.args
            return f"{term(left)} {sign} {term(right)}"
    for join, joined in JOINS.items():
        if isinstance(condition, join):
            parts = sorted(condition.args, key=lambda part: len(str(part)))
            return joined.join(_bracketed(part) for part in parts)
    raise InvalidInput("condition", "be relations joined by And and Or", repr(condition)[:80])


def definitions(claim: Claim, conditions: Mapping[str, Condition]) -> str:
    """All that a theorem needs of a claim: the sides that are formulas, and its conditions."""
    sides = [
        _define(coq_name(claim.id, side), "R", term(expression), expression.free_symbols)
        for side, expression in sides_of(claim).items()
    ]
    told = [
        _define(
            coq_name(claim.id, f"condition_{key}"),
            "Prop",
            proposition(condition),
            condition.free_symbols,
        )
        for key, condition in conditions.items()
    ]
    left, right = (
        coq_name(claim.id, side) if side in sides_of(claim) else term(expression)
        for side, expression in (
            ("left", claim.statement.left),
            ("right", claim.statement.right),
        )
    )
    return "\n".join(
        [f"(** ** {claim.id}", f"    {left} {claim.statement.sign} {right} *)", *sides, *told]
    )


def sides_of(claim: Claim) -> dict[str, sympy.Expr]:
    """The sides of the statement that are formulas, not a single measured quantity."""
    sides = {"left": claim.statement.left, "right": claim.statement.right}
    return {side: e for side, e in sides.items() if not isinstance(e, sympy.Symbol)}


def defined_names(claim: Claim, conditions: Mapping[str, Condition]) -> list[str]:
    """The names that `definitions` defines; the statement of the theorem must use each."""
    return [
        *(coq_name(claim.id, side) for side in sides_of(claim)),
        *(coq_name(claim.id, f"condition_{key}") for key in conditions),
    ]


def coq_name(claim_id: str, part: str) -> str:
    """The name of a definition.

    >>> coq_name("afl.thm2.half", "right")
    'afl_thm2_half_right'
    """
    return re.sub(r"\W", "_", f"{claim_id}_{part}")


def _define(name: str, kind: str, body: str, symbols: set[sympy.Symbol]) -> str:
    """One definition, with its arguments implicit and in the order of the alphabet."""
    names = sorted(symbol.name for symbol in symbols)
    for one in names:
        if not NAME.match(one) or one in RESERVED:
            raise InvalidInput(f"symbol of {name}", "be a lower-case name that Coq allows", one)
    given = f" {{{' '.join(names)} : R}}" if names else ""
    head = textwrap.wrap(f"Definition {name}{given} : {kind} :=", WIDTH, subsequent_indent="    ")
    tied = re.sub(r" (\^|/) |(?<=sqrt) ", lambda m: m[0].replace(" ", TIE), f"{body}.")
    lines = textwrap.wrap(tied, WIDTH, initial_indent="  ", subsequent_indent="  ")
    return "\n".join([*head, *lines]).replace(TIE, " ")


def _bracketed(condition: Condition) -> str:
    inside = proposition(condition)
    return f"({inside})" if isinstance(condition, tuple(JOINS)) else inside


def _term(e: sympy.Expr) -> tuple[str, int]:
    """Text, and how tightly it binds."""
    if e.is_Integer:
        return (str(e), ATOM) if e >= 0 else (f"({e})", ATOM)
    if e.is_Rational:
        return (f"{e.p} / {e.q}", PRODUCT) if e.p >= 0 else (f"({e.p}) / {e.q}", PRODUCT)
    if e.is_Symbol:
        return e.name, ATOM
    if e in CONSTANTS:
        return CONSTANTS[e], ATOM
    if e.is_Add:
        return _sum(e), SUM
    if e.is_Pow and e.exp.is_number and e.exp > 0:
        return _power(e), POWER
    if e.is_Pow and not e.exp.is_number:
        return _symbolic_power(e), POWER
    if e.is_Mul or e.is_Pow:
        return _product(e), PRODUCT
    for kind, name in FUNCTIONS.items():
        if isinstance(e, kind):
            return f"{name} {_inside(e.args[0], ATOM)}", POWER
    for kind, name in CHOICES.items():
        if isinstance(e, kind):
            first, *rest = sorted(e.args, key=sympy.default_sort_key)
            other = kind(*rest, evaluate=False) if len(rest) > 1 else rest[0]
            return f"{name} {_inside(first, ATOM)} {_inside(other, ATOM)}", POWER
    raise InvalidInput("expression for Coq", "use known functions only", repr(e)[:80])


def _inside(e: sympy.Expr, binding: int) -> str:
    """The text in brackets, if it binds less tightly than its place."""
    text, found = _term(e)
    return text if found <= binding else f"({text})"


def _sum(e: sympy.Expr) -> str:
    """Terms with a plus before those with a minus."""
    text = ""
    signed = [(bool(part.as_coeff_Mul()[0] < 0), part) for part in e.as_ordered_terms()]
    for negative, part in sorted(signed, key=lambda one: one[0]):
        told = _inside(-part if negative else part, PRODUCT)
        text += f" {'-' if negative else '+'} {told}"
    return text[3:] if text.startswith(" + ") else f"0{text}"


def _product(e: sympy.Expr) -> str:
    """Numerator factors over denominator factors."""
    above, below = [], []
    for factor in e.as_ordered_factors():
        if factor.is_Rational and not factor.is_Integer:
            if factor.p != 1:
                above.append(_inside(sympy.Integer(factor.p), ATOM))
            below.append(str(factor.q))
        elif factor.is_Pow and factor.exp.is_number and factor.exp < 0:
            below.append(_inside(1 / factor, POWER))
        else:
            above.append(_inside(factor, POWER))
    numerator = " * ".join(above) or "1"
    if not below:
        return numerator
    bottom = " * ".join(below)
    return f"{numerator} / ({bottom})" if len(below) > 1 else f"{numerator} / {bottom}"


def _power(e: sympy.Expr) -> str:
    """A positive power: whole, or a half or a quarter of a whole number."""
    if e.exp.is_Integer:
        return f"{_inside(e.base, ATOM)} ^ {e.exp}"
    root = f"sqrt {_inside(e.base, ATOM)}"
    if e.exp.q == 4:
        root = f"sqrt ({root})"
    if e.exp.q in (2, 4):
        return root if e.exp.p == 1 else f"({root}) ^ {e.exp.p}"
    raise InvalidInput("power for Coq", "have a whole, half or quarter exponent", repr(e)[:80])


def _symbolic_power(e: sympy.Expr) -> str:
    """A power whose exponent is a whole number by the kinds of its symbols."""
    if not e.exp.is_integer:
        raise InvalidInput("power for Coq", "have a whole exponent", repr(e)[:80])
    return f"power {_inside(e.base, ATOM)} {_inside(e.exp, ATOM)}"
