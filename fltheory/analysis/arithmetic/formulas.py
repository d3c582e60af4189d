"""Formulas of certificates, read as quotients of polynomials."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from sympy.polys.rings import PolyElement

from fltheory.analysis.arithmetic.quotients import MAX_BITS, Quotient, StepCount, variables
from fltheory.analysis.arithmetic.quotients import wrong as _wrong

Fact: TypeAlias = tuple[Quotient, str]
"""A quotient that is 0 ("="), at least 0 (">=") or above 0 (">")."""

KINDS = ("nonnegative", "real", "vector")
"""Kinds of variables; a vector is read as any one of its coordinates."""

MAX_TEXT = 20_000
"""Maximum length of a formula in a certificate."""
STEPS_PER_CHARACTER = 35


@dataclass(frozen=True)
class Formulas:
    """Reads formulas over named quotients.

    `powers` give the variable that stands for base^exponent, `roots` formulas r >= 0 whose powers
    have r as root, `opaque` the variable that stands for a maximum, a ceiling and the like.

    >>> read = Formulas.over({"k": "nonnegative"}, roots=("1 + k",))
    >>> print((read("sqrt(1 + 2*k + k**2) - k")).without_variables())
    1
    """

    kinds: Mapping[str, str]
    one: Quotient
    names: Mapping[str, Quotient]
    roots: Sequence[str] = ()
    powers: Mapping[str, tuple[str, str]] = None  # type: ignore[assignment]
    opaque: Mapping[str, str] = None  # type: ignore[assignment]

    @classmethod
    def over(
        cls,
        kinds: Mapping[str, str],
        *,
        roots: Sequence[str] = (),
        powers: Mapping[str, tuple[str, str]] | None = None,
        opaque: Mapping[str, str] | None = None,
    ) -> "Formulas":
        """Formulas over variables of these kinds."""
        for name, kind in kinds.items():
            if kind not in KINDS or not name.isidentifier():
                raise _wrong(f"name variables of a kind in {', '.join(KINDS)}", f"{name}: {kind}")
        known = dict(zip(sorted(kinds) or ["nothing"], variables(sorted(kinds)), strict=True))
        one = next(iter(known.values())) ** 0
        texts = {ast.unparse(tree(text, one.work)): v for v, text in (opaque or {}).items()}
        if unknown := (set(powers or {}) | set(texts.values())) - set(kinds):
            raise _wrong("name its variables", sorted(unknown)[0])
        names = {name: known[name] for name in kinds}
        return cls(kinds, one, names, roots, powers or {}, texts)

    @property
    def signed(self) -> set[str]:
        """Variables that may be negative."""
        return {name for name, kind in self.kinds.items() if kind != "nonnegative"}

    def having(self, names: Mapping[str, Quotient]) -> "Formulas":
        """The same with more names, or with other meanings of names."""
        return replace(self, names={**self.names, **names})

    def __call__(self, text: str) -> Quotient:
        try:
            return self._at(tree(text, self.one.work))
        except RecursionError:
            raise _wrong("have formulas with values", text[:60]) from None

    def names_in(self, text: str) -> set[str]:
        """The names in a formula."""
        nodes = ast.walk(tree(text, self.one.work))
        return {node.id for node in nodes if isinstance(node, ast.Name)}

    def _at(self, node: ast.expr) -> Quotient:
        match node:
            case ast.Constant(value=int(x)) if type(x) is int and x.bit_length() <= MAX_BITS:
                return self.one.constant(x)
            case ast.Name(id=name):
                if name not in self.names:
                    raise _wrong("say what every symbol is", name)
                return self.names[name]
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return -self._at(x)
            case ast.BinOp(left=x, op=operation, right=y):
                return self._combined(operation, self._at(x), self._at(y))
            case ast.Call(func=ast.Name(id="sqrt"), args=[x], keywords=[]):
                return self._raised(self._at(x), self.one.constant(Fraction(1, 2)))
            case ast.Call() if ast.unparse(node) in self.opaque:
                return self.names[self.opaque[ast.unparse(node)]]
        raise _wrong("have formulas that it explains", ast.unparse(node)[:60])

    def _combined(self, operation: ast.operator, a: Quotient, b: Quotient) -> Quotient:
        match operation:
            case ast.Add():
                return a + b
            case ast.Sub():
                return a - b
            case ast.Mult():
                return a * b
            case ast.Div():
                return a / b
            case ast.Pow():
                return self._raised(a, b)
        raise _wrong("add, subtract, multiply, divide and raise", type(operation).__name__)

    def _raised(self, base: Quotient, exponent: Quotient) -> Quotient:
        fixed = exponent.without_variables()
        if fixed is None:
            return self._symbolic(base, exponent)
        if fixed.denominator == 1:
            return base ** int(fixed)
        for text in self.roots:
            root = self(text)
            if root**fixed.denominator == base and nonnegative(root, self.signed):
                return root**fixed.numerator
        raise _wrong("name a root for every power", str(fixed)[:40])

    def _symbolic(self, base: Quotient, exponent: Quotient) -> Quotient:
        """base^(a n + b) = u^a base^b for the variable u that stands for base^n."""
        found = self.one
        if exponent.denom != 1:
            raise _wrong("have whole exponents", str(exponent.denom)[:60])
        for monomial, factor in exponent.numer.terms():
            variable = base
            if any(monomial):
                part = replace(self.one, over=exponent.numer.ring.from_dict({monomial: 1}))
                known = [
                    v for v, (b, e) in self.powers.items() if self(b) == base and self(e) == part
                ]
                if not known:
                    raise _wrong("name every power", str(part.over)[:60])
                variable = self.names[known[0]]
            found *= variable ** int(factor)
        return found

    def degrees(self, fact: Quotient) -> set[int]:
        """The degrees of a quotient in the vectors; its denominator has none."""
        symbols = fact.over.ring.symbols
        places = [i for i, g in enumerate(symbols) if self.kinds.get(str(g)) == "vector"]
        if any(m[i] for m in fact.denom.itermonoms() for i in places):
            raise _wrong("not divide by vectors", str(fact.denom)[:60])
        return {sum(m[i] for i in places) for m in fact.numer.itermonoms()}

    def facts(self) -> Iterator[Fact]:
        """What holds of the opaque variables by definition, in the order of a certificate. One that
        is read as nonnegative must be so, like one that stands for a power."""
        for text, v in self.opaque.items():
            call = tree(text, self.one.work)
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
                raise _wrong("name calls only as opaque", text[:60])
            parts = [self._at(x) for x in call.args]
            above = [nonnegative(part, self.signed) for part in parts]
            least = any(above) if call.func.id == "Max" else all(above) or call.func.id == "Abs"
            self._must_be_above(v, least)
            yield from _by_definition(call.func.id, self.names[v], parts)
        for v, (base, _) in self.powers.items():
            self._must_be_above(v, nonnegative(self(base), self.signed))

    def _must_be_above(self, name: str, holds: bool) -> None:
        if name not in self.signed and not holds:
            raise _wrong("not take for granted that a meaning is at least 0", name)


def _by_definition(kind: str, v: Quotient, parts: list[Quotient]) -> Iterator[Fact]:
    if kind == "Abs":
        parts = [parts[0], -parts[0]]
    if kind in ("Max", "Abs", "Min"):
        gaps = [v - x if kind != "Min" else x - v for x in parts]
        yield from ((gap, ">=") for gap in gaps)
        if len(gaps) == 2:
            yield gaps[0] * gaps[1], "="
    if kind in ("ceiling", "floor"):
        gap = v - parts[0] if kind == "ceiling" else parts[0] - v
        yield gap, ">="
        yield 1 - gap, ">="


def tree(text: str, work: StepCount) -> ast.expr:
    """A formula as Python reads it."""
    if len(text) > MAX_TEXT:
        raise _wrong(f"have formulas of at most {MAX_TEXT} characters", f"{len(text)}")
    work.spend(STEPS_PER_CHARACTER * len(text))
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        raise _wrong("have formulas with values", f"{text[:60]}: {problem}"[:120]) from None


def nonnegative(fact: Quotient, signed: set[str]) -> bool:
    """No coefficient is below 0, and the powers of variables that may be negative are even."""
    return all(is_positive(p, signed) for p in (fact.numer, fact.denom))


def is_positive(p: PolyElement, signed: set[str]) -> bool:
    """The same of a polynomial."""
    odd = [i for i, g in enumerate(p.ring.symbols) if str(g) in signed]
    return all(x > 0 and not any(m[i] % 2 for i in odd) for m, x in p.terms())
