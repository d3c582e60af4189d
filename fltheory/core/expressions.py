"""Formulas as nested lists, which a JSON file can hold and a reader needs no parser for: ["+",
"1/2", ["*", {"symbol": "x"}, "3"]]."""

import sympy

from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.exact import exact
from fltheory.core.types import JsonValue

MAX_DEPTH = 60
MAX_NODES = 5000
MAX_BITS = 13_000
"""Longest number in a formula from a file: about 3,900 digits, which Python still prints."""

_FUNCTIONS = {
    "exp": sympy.exp,
    "log": sympy.log,
    "max": sympy.Max,
    "min": sympy.Min,
    "abs": sympy.Abs,
    "ceiling": sympy.ceiling,
    "floor": sympy.floor,
}
_OPERATORS = {"+": sympy.Add, "*": sympy.Mul, "^": sympy.Pow, **_FUNCTIONS}


def to_lists(expression: sympy.Expr) -> JsonValue:
    """A formula as nested lists.

    >>> to_lists(sympy.Symbol("x") ** 2 / 3)
    ['*', '1/3', ['^', {'symbol': 'x'}, '2']]
    """
    if expression.is_Rational:
        return str(expression)
    if isinstance(expression, sympy.Symbol):
        return {"symbol": expression.name}
    if expression is sympy.E:
        return ["exp", "1"]
    if isinstance(expression, sympy.Sum) and len(expression.limits) == 1:
        index, first, last = expression.limits[0]
        return [
            "sum",
            to_lists(expression.function),
            to_lists(index),
            to_lists(first),
            to_lists(last),
        ]
    for name, kind in _OPERATORS.items():
        if isinstance(expression, kind):
            return [name, *(to_lists(arg) for arg in expression.args)]
    raise NotExact(f"{expression} cannot be written as a list")


def bits(expression: sympy.Expr) -> int:
    """Total number of binary digits of the numbers in a formula.

    >>> bits(sympy.Rational(3, 4))
    5
    """
    return sum(
        int(number.p).bit_length() + int(number.q).bit_length()
        for number in expression.atoms(sympy.Rational)
    )


def power_bits(base: sympy.Expr, exponent: sympy.Expr) -> float:
    """An upper bound on the binary digits of a power, without computing it; infinite for an
    irrational exponent.

    >>> power_bits(sympy.Integer(9), sympy.Integer(3)) >= bits(sympy.Integer(9) ** 3)
    True
    """
    if not exponent.is_number:
        return 0
    return (
        -(-abs(int(exponent.p)) * (bits(base) + 1) // int(exponent.q))
        if exponent.is_Rational
        else float("inf")
    )


def from_lists(data: object) -> sympy.Expr:
    """The formula that nested lists denote; nothing is executed and sizes are bounded.

    >>> from_lists(["*", "1/3", ["^", {"symbol": "x"}, "2"]])
    x**2/3
    """
    budget = [MAX_NODES]

    def read(node: object, depth: int) -> sympy.Expr:
        budget[0] -= 1
        if depth > MAX_DEPTH or budget[0] < 0:
            raise InvalidInput(
                "formula", f"have at most {MAX_NODES} parts and depth {MAX_DEPTH}", "a larger one"
            )
        if isinstance(node, str):
            number = exact(node, "number of a formula")
            return sympy.Rational(number.numerator, number.denominator)
        if isinstance(node, dict) and isinstance(node.get("symbol"), str) and len(node) == 1:
            return sympy.Symbol(node["symbol"])
        if isinstance(node, list) and len(node) == 5 and node[0] == "sum":
            term, index, first, last = (read(part, depth + 1) for part in node[1:])
            if not isinstance(index, sympy.Symbol):
                raise InvalidInput("index of a sum in a formula", "be a symbol", repr(node[2])[:60])
            return sympy.Sum(term, (index, first, last))
        if (
            isinstance(node, list)
            and len(node) > 1
            and isinstance(node[0], str)
            and node[0] in _OPERATORS
        ):
            parts = [read(part, depth + 1) for part in node[1:]]
            if node[0] == "^" and (len(parts) != 2 or power_bits(*parts) > MAX_BITS):
                raise InvalidInput(
                    "power in a formula",
                    f"have one exponent, and at most {MAX_BITS} bits",
                    repr(node)[:60],
                )
            found = _OPERATORS[node[0]](*parts)
            if bits(found) > MAX_BITS:
                raise InvalidInput(
                    "numbers of a formula", f"have at most {MAX_BITS} bits", repr(node)[:60]
                )
            return found
        raise InvalidInput(
            "part of a formula", "be a number, a symbol or an operation", repr(node)[:60]
        )

    return read(data, 0)
