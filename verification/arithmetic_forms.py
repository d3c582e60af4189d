"""Quotients of polynomials with whole numbers as coefficients, and formulas read into them.

A monomial is a whole number with BITS bits for the power of each variable, so that products add;
a polynomial is {monomial: coefficient}. A quotient is (polynomial, {factor: power}), the polynomial
divided by the factors; a factor with a negative power multiplies. Factors are expanded only where
quotients are added. All work is counted: hostile formulas are refused after MOST steps.
"""

import ast
from fractions import Fraction
from math import gcd

from strict_json import need  # type: ignore[import-not-found]

BITS, MOST_VARIABLES, MOST_TEXT, MOST = 16, 24, 20_000, 4_000_000
PARSING, LARGEST = 35, 1 << 1000  # steps for a character; largest coefficient
FIELD = (1 << BITS) - 1
GUARD = sum(1 << (BITS * i + BITS - 1) for i in range(MOST_VARIABLES))


class Work:
    """Steps that a check may still take."""

    left = MOST

    @classmethod
    def start(cls):
        cls.left = MOST

    @classmethod
    def spend(cls, steps):
        cls.left -= steps
        need(cls.left >= 0, f"it takes more than {MOST} steps")


def product(p, q):
    Work.spend(len(p) * len(q) + 1)
    found: dict = {}
    for m, x in p.items():
        for n, y in q.items():
            found[m + n] = found.get(m + n, 0) + x * y
    need(all(not m & GUARD for m in found), "a power is too high")
    need(all(-LARGEST < x < LARGEST for x in found.values()), "a number is too large")
    return {m: x for m, x in found.items() if x}


def polynomial(factors):
    found = {0: 1}
    for factor, k in factors.items():
        for _ in range(k):
            found = product(found, dict(factor))
    return found


def constant(x):
    x = Fraction(x)
    over = {0: x.numerator} if x else {}
    return over, {frozenset({(0, x.denominator)}): 1} if x.denominator > 1 else {}


def plus(a, b, sign=1):
    common = {f: max(a[1].get(f, 0), b[1].get(f, 0)) for f in {**a[1], **b[1]}}
    found, other = (
        product(p, polynomial({f: k - own.get(f, 0) for f, k in common.items()}))
        for p, own in (a, b)
    )
    for m, x in other.items():
        found[m] = found.get(m, 0) + sign * x
    return ({m: x for m, x in found.items() if x}, common)


def times(a, b):
    powers = {f: a[1].get(f, 0) + b[1].get(f, 0) for f in {**a[1], **b[1]}}
    return (product(a[0], b[0]), {f: k for f, k in powers.items() if k})


def power(a, n):
    need(n >= 0 or a[0], "nothing is divided by 0")
    if n == 0 or not a[0]:
        return constant(1) if n == 0 else a
    Work.spend(len(a[0]))
    need(all(abs(k * n) < FIELD for k in (1, *a[1].values())), "a power is too high")
    powers = {f: k * n for f, k in a[1].items()}
    content = gcd(*a[0].values())
    own = frozenset((m, x // content) for m, x in a[0].items())
    found = times((constant(1)[0], {own: -n}), (constant(1)[0], powers))
    return times(found, ({0: 1}, {frozenset({(0, content)}): -n})) if content > 1 else found


def expanded(a):
    """Numerator and denominator as polynomials."""
    over = product(a[0], polynomial({f: -k for f, k in a[1].items() if k < 0}))
    return over, polynomial({f: k for f, k in a[1].items() if k > 0})


def same(a, b):
    return not plus(a, b, -1)[0]


def number(a):
    """The value of a quotient without variables; None if it has some."""
    over, under = expanded(a)
    known = set(over) <= {0} and set(under) <= {0}
    return Fraction(over.get(0, 0), under[0]) if known else None


class Reader:
    """Reads formulas. Variables are nonnegative, real, or a vector (by any of its coordinates).
    `powers` are {variable: (base, exponent)}, `roots` formulas r >= 0 with (r^q)^(1/q) = r,
    `opaque` {variable: Max, Min, ceiling, ...} of something."""

    def __init__(self, variables, roots=(), powers=None, opaque=None):
        need(len(variables) <= MOST_VARIABLES, f"more than {MOST_VARIABLES} variables")
        self.place = {v: BITS * i for i, v in enumerate(variables)}
        self.names: dict = {v: power(({1 << k: 1}, {}), 1) for v, k in self.place.items()}
        self.signed = {v for v, kind in variables.items() if kind != "nonnegative"}
        self.vectors = {v for v, kind in variables.items() if kind == "vector"}
        self.roots, self.powers = list(roots), powers or {}
        self.opaque = {ast.unparse(tree(text)): v for v, text in (opaque or {}).items()}

    def with_names(self, names):
        other = object.__new__(Reader)
        other.__dict__.update(self.__dict__, names={**self.names, **names})
        return other

    def mask(self, variables, bits=FIELD):
        """The bits of some variables in a monomial."""
        return sum(bits << self.place[v] for v in variables)

    def nonnegative(self, a):
        """No coefficient is below 0, and the powers of variables that may be negative are even."""
        odd = self.mask(self.signed, 1)
        return all(x >= 0 and not m & odd for p in expanded(a) for m, x in p.items())

    def degrees(self, a):
        """The degrees of a quotient in the vectors."""
        return self.degrees_of(*expanded(a))

    def degrees_of(self, over, under):
        vectors = self.mask(self.vectors)
        need(not any(m & vectors for m in under), "nothing is divided by a vector")
        return {sum(m >> self.place[v] & FIELD for v in self.vectors) for m in over}

    def powers_follow(self, moved, branch, state, inputs):
        """Variables for powers move as their exponents: to base^n at the start (branch 0), and in a
        step by as many factors as the exponent grows."""
        for v, (base, exponent) in self.powers.items():
            if {v, exponent} & state:
                steps = number(plus(moved(exponent), self(exponent if branch else "0"), -1))
                before = self(v) if branch else constant(1)
                need(steps is not None and steps.denominator == 1, f"{exponent} moves by itself")
                after = times(before, power(self(base), int(steps)))
                need(same(moved(v), after), f"{v} moves by itself")
                need(not names_in(base) & (state | inputs), f"{v} has a base that changes")

    def signs_of_meanings(self):
        """A variable that stands for a power or a maximum and is read as nonnegative is so."""
        for text, v in self.opaque.items():
            call = tree(text)
            need(isinstance(call, ast.Call) and isinstance(call.func, ast.Name), "not a call")
            above = [self.nonnegative(self._at(x)) for x in call.args]
            ways = {"Max": any(above), "Abs": True}
            need(v in self.signed or ways.get(call.func.id, all(above)), f"{v} may be negative")
        for v, (base, _) in self.powers.items():
            need(v in self.signed or self.nonnegative(self(base)), f"{v} may be negative")

    def facts(self):
        """What holds of the opaque variables by their definition."""
        for text, v in self.opaque.items():
            call = tree(text)
            parts, v = [self._at(x) for x in call.args], self.names[v]
            kind = call.func.id
            if kind in ("Max", "Min", "Abs"):
                parts += [times(constant(-1), parts[0])] if kind == "Abs" else []
                gaps = [plus(v, x, -1) for x in parts]
                gaps = [times(constant(-1), x) for x in gaps] if kind == "Min" else gaps
                yield from ((gap, ">=") for gap in gaps)
                if len(gaps) == 2:
                    yield times(*gaps), "="
            if kind in ("ceiling", "floor"):
                gap = plus(v, parts[0], -1) if kind == "ceiling" else plus(parts[0], v, -1)
                yield gap, ">="
                yield plus(constant(1), gap, -1), ">="

    def __call__(self, text):
        return self._at(tree(text))

    def _at(self, node):
        match node:
            case ast.Constant(value=int(x)) if type(x) is int and abs(x) < LARGEST:
                return constant(x)
            case ast.Name(id=name):
                need(name in self.names, f"{name[:40]} has no meaning")
                return self.names[name]
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return times(constant(-1), self._at(x))
            case ast.BinOp(left=x, op=ast.Add(), right=y):
                return plus(self._at(x), self._at(y))
            case ast.BinOp(left=x, op=ast.Sub(), right=y):
                return plus(self._at(x), self._at(y), -1)
            case ast.BinOp(left=x, op=ast.Mult(), right=y):
                return times(self._at(x), self._at(y))
            case ast.BinOp(left=x, op=ast.Div(), right=y):
                return times(self._at(x), power(self._at(y), -1))
            case ast.BinOp(left=x, op=ast.Pow(), right=y):
                return self._raised(self._at(x), self._at(y))
            case ast.Call(func=ast.Name(id="sqrt"), args=[x], keywords=[]):
                return self._raised(self._at(x), constant(Fraction(1, 2)))
            case ast.Call() if ast.unparse(node) in self.opaque:
                return self.names[self.opaque[ast.unparse(node)]]
        raise ValueError(f"{ast.unparse(node)[:60]} is not known here")

    def _raised(self, a, b):
        n = number(b)
        if n is not None and n.denominator == 1:
            return power(a, int(n))
        if n is not None:
            roots = [r for r in map(self, self.roots) if self.nonnegative(r)]
            root = [r for r in roots if same(power(r, n.denominator), a)]
            need(root, f"no root is named for the power {str(n)[:40]}")
            return power(root[0], n.numerator)
        found = constant(1)
        over, under = expanded(b)
        for m, x in over.items():
            known = [
                v
                for v, (base, e) in self.powers.items()
                if same(self(base), a) and expanded(self(e)) == ({m: 1}, {0: 1})
            ]
            if number((under, {})) != 1 or (m and not known):
                raise ValueError("an exponent is a whole combination of names with powers")
            found = times(found, power(self.names[known[0]] if m else a, x))
        return found


def tree(text):
    """A formula as Python reads it."""
    need(isinstance(text, str) and len(text) <= MOST_TEXT, f"a formula above {MOST_TEXT} signs")
    Work.spend(PARSING * len(text))
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"{text[:40]!r} is no formula") from None


def names_in(text):
    """The names in a formula."""
    return {node.id for node in ast.walk(tree(text)) if isinstance(node, ast.Name)}
