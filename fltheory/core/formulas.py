"""Parse formulas such as 2*L/(gamma*T) <= sqrt(N). Nothing is executed; length, nesting, digits and
powers are bounded."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy

from fltheory.core.errors import InvalidInput
from fltheory.core.expressions import power_bits

MAX_LENGTH = 2000
MAX_NESTING = 40
MAX_DIGITS = 40
MAX_POWER_BITS = 4000

SIGNS = ("<=", ">=", "<", ">", "=")
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_][A-Za-z0-9_]*)|(\*\*|[-+*/^(),]))")
_EXPONENT = re.compile(r"\s*\d+(?:\.\d+)?[eE][-+]?\d+")
_FUNCTIONS: Mapping[str, tuple[Callable[..., sympy.Expr], int]] = {
    "sqrt": (sympy.sqrt, 1),
    "exp": (sympy.exp, 1),
    "log": (sympy.log, 1),
    "abs": (sympy.Abs, 1),
    "ceil": (sympy.ceiling, 1),
    "floor": (sympy.floor, 1),
    "max": (sympy.Max, 2),
    "min": (sympy.Min, 2),
}
"""Functions by name, each with its least number of arguments; one means exactly one."""


def read_formula(
    text: str, symbols: Mapping[str, sympy.Symbol], owner: str = "formula"
) -> sympy.Expr:
    """The formula that the text denotes, over the given symbols.

    >>> x = sympy.Symbol("x")
    >>> read_formula("(x + 1)^2/4 - sqrt(2*x)", {"x": x})
    -sqrt(2)*sqrt(x) + (x + 1)**2/4
    """
    if not isinstance(text, str):
        raise InvalidInput(owner, 'be text, such as "2*smoothness"', repr(text)[:60])
    if len(text) > MAX_LENGTH:
        raise InvalidInput(owner, f"have at most {MAX_LENGTH} characters", len(text))
    reader = _Reader(_tokens(text, owner), symbols, owner)
    found = reader.sum(0)
    if reader.peek() is not None:
        raise InvalidInput(owner, "end after its last term", f"{reader.peek()!r} after it")
    if found.has(sympy.zoo, sympy.nan):
        raise InvalidInput(owner, "not divide by zero", repr(text)[:60])
    return found


def read_relation(
    text: str, symbols: Mapping[str, sympy.Symbol], owner: str = "condition"
) -> tuple[sympy.Expr, str, sympy.Expr]:
    """Both sides of a relation, and its sign.

    >>> read_relation("x <= 1/2", {"x": sympy.Symbol("x")})
    (x, '<=', 1/2)
    """
    if not isinstance(text, str):
        raise InvalidInput(owner, 'be text, such as "local_step_size <= 1"', repr(text)[:60])
    parts = re.split(r"(<=|>=|<|>|=)", text)
    if len(parts) != 3:
        raise InvalidInput(
            owner, f"have exactly one of the signs {' '.join(SIGNS)}", repr(text)[:60]
        )
    return read_formula(parts[0], symbols, owner), parts[1], read_formula(parts[2], symbols, owner)


def _tokens(text: str, owner: str) -> list[str]:
    tokens, place = [], 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None:
            raise InvalidInput(
                owner,
                "hold numbers, names, + - * / ^ and functions only",
                repr(text[place : place + 20].strip()),
            )
        power = _EXPONENT.match(text, place)
        if power:
            raise InvalidInput(
                owner,
                "write powers of ten out, 1/1000 or 0.001 for 1e-3",
                repr(power.group().strip()[:20]),
            )
        token = match.group().strip()
        if match.group(1) and len(token) > MAX_DIGITS:
            raise InvalidInput(
                owner, f"have numbers of at most {MAX_DIGITS} digits", token[:20] + "..."
            )
        tokens.append(token)
        place = match.end()
    return tokens


@dataclass
class _Reader:
    """Recursive descent: sum of products of powers of atoms."""

    tokens: list[str]
    symbols: Mapping[str, sympy.Symbol]
    owner: str
    place: int = 0

    def peek(self) -> str | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self) -> str:
        token = self.peek()
        if token is None:
            raise InvalidInput(self.owner, "be complete", "an early end")
        self.place += 1
        return token

    def expect(self, token: str) -> None:
        found = self.take()
        if found != token:
            raise InvalidInput(self.owner, f"have {token!r} there", repr(found))

    def sum(self, depth: int) -> sympy.Expr:
        if depth > MAX_NESTING:
            raise InvalidInput(self.owner, f"be nested at most {MAX_NESTING} deep", "a deeper one")
        total = self.product(depth)
        while self.peek() in ("+", "-"):
            total = (
                total + self.product(depth) if self.take() == "+" else total - self.product(depth)
            )
        return total

    def product(self, depth: int) -> sympy.Expr:
        total = self.signed(depth)
        while self.peek() in ("*", "/"):
            total = total * self.signed(depth) if self.take() == "*" else total / self.signed(depth)
        return total

    def signed(self, depth: int) -> sympy.Expr:
        if depth > MAX_NESTING:
            raise InvalidInput(self.owner, f"be nested at most {MAX_NESTING} deep", "a deeper one")
        if self.peek() in ("+", "-"):
            return self.signed(depth + 1) if self.take() == "+" else -self.signed(depth + 1)
        return self.power(depth)

    def power(self, depth: int) -> sympy.Expr:
        base = self.atom(depth)
        if self.peek() not in ("^", "**"):
            return base
        self.take()
        exponent = self.signed(depth + 1)
        if power_bits(base, exponent) > MAX_POWER_BITS:
            raise InvalidInput(
                self.owner,
                f"have powers of at most {MAX_POWER_BITS} bits",
                f"the exponent {str(exponent)[:20]}",
            )
        return base**exponent

    def atom(self, depth: int) -> sympy.Expr:
        token = self.take()
        if token == "(":
            inside = self.sum(depth + 1)
            self.expect(")")
            return inside
        if token[0].isdigit():
            return sympy.Rational(token)
        if token in _FUNCTIONS and self.peek() == "(":
            return self.call(token, depth)
        if token in self.symbols:
            return self.symbols[token]
        raise InvalidInput(
            self.owner,
            "use known symbols only (of `fltheory list quantities`, or declared in `where`)",
            repr(token[:40]),
        )

    def call(self, name: str, depth: int) -> sympy.Expr:
        function, least = _FUNCTIONS[name]
        self.expect("(")
        given = [self.sum(depth + 1)]
        while self.peek() == ",":
            self.take()
            given.append(self.sum(depth + 1))
        self.expect(")")
        if len(given) < least or (least == 1 and len(given) != 1):
            raise InvalidInput(
                f"{name}() in {self.owner}",
                f"have {least} argument{'s or more' if least > 1 else ''}",
                len(given),
            )
        return function(*given)
