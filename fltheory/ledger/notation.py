"""Statements in the letters of their own paper: as plain text, LaTeX and MathML."""

import re
from collections.abc import Mapping
from functools import cache
from typing import TypeAlias
from xml.dom.minidom import Element, parseString

import sympy
from sympy.printing.latex import LatexPrinter
from sympy.printing.mathml import MathMLPresentationPrinter
from sympy.printing.str import StrPrinter

from fltheory.claims.claim import Claim, Statement
from fltheory.core.letters import (
    GREEK,
    RAISED,
    in_latex,
    in_mathml,
    in_text,
    is_single,
    split_accent,
)
from fltheory.ledger.claim_letters import IN_WORDS, OFFSET, letters_of

_ROOT = re.compile(r"√\((\w+)\)")
_POWER = re.compile(r"\^(\d+)(?![\d.])")

_TIDIED = {
    "<mo></mo>": "",
    "<mo/>": "",
    "<mo>-</mo>": "<mo>−</mo>",
    "<mo>(</mo>": '<mo form="prefix">(</mo>',
    "<mo>)</mo>": '<mo form="postfix">)</mo>',
}
_TIDY = re.compile("|".join(map(re.escape, _TIDIED)))
"""Operators of sympy's MathML without empty ones, with real minus signs and tight brackets."""

TEXT_SIGNS = {"=": "=", "<=": "≤", ">=": "≥", "= O of": "= O"}
LATEX_SIGNS = {"=": "=", "<=": r"\le", ">=": r"\ge", "= O of": "= O"}


Letters: TypeAlias = tuple[tuple[sympy.Symbol, str], ...]
"""The letter of every symbol of a claim: with its statement, all that the notation depends on, so
that each statement is drawn once."""


def _lettered(claim: Claim) -> tuple[Statement, Letters]:
    letters = letters_of(claim)
    symbols = sorted(claim.symbols, key=lambda symbol: str(symbol.name))
    return claim.statement, tuple((symbol, letters[symbol.name]) for symbol in symbols)


@cache
def _sides(statement: Statement, letters: Letters) -> tuple[sympy.Expr, sympy.Expr, dict[str, str]]:
    """Both sides with the paper's own counts ("T-1" rounds), and the letter of every symbol.

    The symbols are named so that sympy sorts them as papers do: Greek letters first, then Latin
    ones, then words; and a power or factor that needs brackets is a symbol of its own.
    """
    moved, names = {}, dict[str, str]()
    for symbol, letter in letters:
        offset = 0
        if counts := OFFSET.fullmatch(letter):
            letter, offset = counts[1], int(counts[2])
        named = sympy.Symbol(f"{_rank(letter)}{letter} {symbol.name}", **symbol.assumptions0)
        moved[symbol] = named + offset
        names[named.name] = letter
    left = _bracketed(statement.left.xreplace(moved), names)
    return left, _bracketed(statement.right.xreplace(moved), names), names


def _rank(letter: str) -> str:
    """Greek letters first, then Latin ones, then long expressions and words."""
    word = re.match(r"[A-Za-z]*", letter)
    stem = split_accent(word[0])[0] if word else ""
    if not is_single(letter) and _index_only(letter) is None:
        return "d "
    return "a " if stem in GREEK else "b " if len(stem) == 1 else "c "


_index_only = re.compile(r"[A-Za-z]+'?\*?(_\{[^{}]*\}|_\w+)?(\^\{[^{}]*\}|\^\w+)?").fullmatch
"""A letter with an index and an exponent, such as x^{t-1}: brackets are for its powers alone."""


def _bracketed(side: sympy.Expr, names: dict[str, str]) -> sympy.Expr:
    """The formula with symbols named "(...)" where the letter needs brackets."""

    def marked(part: sympy.Expr) -> sympy.Expr:
        name = f"{part.name} in brackets"
        names[name] = f"({names[part.name]})"
        return sympy.Symbol(name, **part.assumptions0)

    def visit(node: sympy.Expr, inside: type) -> sympy.Expr:
        if isinstance(node, sympy.Symbol):
            if node.name not in names:
                return node
            letter = names[node.name]
            if is_single(letter) or IN_WORDS.fullmatch(letter):
                return node
            bare = inside is not sympy.Pow if _index_only(letter) else inside is sympy.Function
            return node if bare else marked(node)
        if not node.args:
            return node
        kind = sympy.Pow if node.is_Pow else sympy.Function if node.is_Function else sympy.Add
        return node.func(*(visit(part, kind) for part in node.args))

    return side if side.is_Symbol else visit(side, sympy.Add)


class _Ordered:
    """Sums that do not begin with a minus sign."""

    def _as_ordered_terms(self, expr: sympy.Expr, order: str | None = None) -> list[sympy.Expr]:
        terms = list(super()._as_ordered_terms(expr, order=order))  # type: ignore[misc]
        first = next((t for t in terms if not t.could_extract_minus_sign()), terms[0])
        return [first, *(term for term in terms if term is not first)]


class _TextPrinter(_Ordered, StrPrinter):
    """Formulas with visible products and powers."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self._names = names

    def _print_Symbol(self, expr: sympy.Symbol) -> str:  # noqa: N802
        return self._names.get(expr.name, expr.name)

    def _print_Abs(self, expr: sympy.Abs) -> str:  # noqa: N802
        return f"|{self._print(expr.args[0])}|"

    def _print_Max(self, expr: sympy.Max) -> str:  # noqa: N802
        return f"max({self.stringify(expr.args, ', ')})"

    def _print_Min(self, expr: sympy.Min) -> str:  # noqa: N802
        return f"min({self.stringify(expr.args, ', ')})"


class _LatexPrinter(_Ordered, LatexPrinter):
    """Formulas in LaTeX."""


class _MathPrinter(_Ordered, MathMLPresentationPrinter):
    """Presentation MathML, each symbol under its letter."""

    def __init__(self, names: Mapping[str, str], product: str) -> None:
        super().__init__({"mul_symbol": product})
        self._names = names

    def _print_Symbol(self, sym: sympy.Symbol, style: str = "plain") -> Element:  # noqa: N802
        drawn = self._names.get(sym.name, in_mathml(sym.name))
        element = parseString(drawn).documentElement
        assert element is not None  # a document has one
        return element


def _has_words(side: sympy.Expr, names: Mapping[str, str]) -> bool:
    """Between words a product must be seen."""
    return any(IN_WORDS.fullmatch(names.get(one.name, "")) for one in side.free_symbols)


def _plain(letter: str) -> str:
    """A letter that may stand in a product; its star is no sign of multiplication."""
    return f"[{letter}]" if IN_WORDS.fullmatch(letter) else in_text(letter).replace("*", "∗")


def statement_text(claim: Claim) -> str:
    """The statement on one line, in the paper's letters, with visible products.

    >>> from fltheory.papers import find_claim
    >>> statement_text(find_claim("afl.thm2.condition-b"))
    'largest step = 1/(L·(√(3·τ² + 1) + 1))'
    """
    return _text(*_lettered(claim))


@cache
def _text(statement: Statement, letters: Letters) -> str:
    left, right, names = _sides(statement, letters)
    printer = _TextPrinter({name: _plain(letter) for name, letter in names.items()})

    def show(side: sympy.Expr) -> str:
        if side.is_Symbol:
            return in_text(names[side.name])
        text = str(printer.doprint(side))
        text = text.replace("**", "^").replace("*", "·").replace("sqrt(", "√(").replace("∗", "*")
        text = _ROOT.sub(r"√\1", text)
        return _POWER.sub(lambda found: found[1].translate(RAISED), text)

    order = statement.sign == "= O of"
    told = f"({show(right)})" if order else f" {show(right)}"
    return f"{show(left)} {TEXT_SIGNS[statement.sign]}{told}"


def statement_latex(claim: Claim) -> str:
    """The statement in LaTeX, in the paper's letters."""
    return _latex(*_lettered(claim))


@cache
def _latex(statement: Statement, letters: Letters) -> str:
    left, right, names = _sides(statement, letters)

    def draw(letter: str) -> str:
        return rf"\text{{{letter}}}" if IN_WORDS.fullmatch(letter) else in_latex(letter)

    def show(side: sympy.Expr) -> str:
        if side.is_Symbol:
            return draw(names[side.name])
        settings = {
            "symbol_names": {s: draw(names.get(s.name, s.name)) for s in side.free_symbols},
            "mul_symbol": "dot" if _has_words(side, names) else None,
            "parenthesize_super": False,
        }
        return str(_LatexPrinter(settings).doprint(side))

    order = statement.sign == "= O of"
    told = rf"\left({show(right)}\right)" if order else show(right)
    return f"{show(left)} {LATEX_SIGNS[statement.sign]} {told}"


LONG = 36
"""Operations in a product from which on its sum is multiplied out, so that a line may break."""


def _spread(side: sympy.Expr) -> sympy.Expr:
    """The side with long products of one sum multiplied out."""
    parts = []
    for part in sympy.Add.make_args(side):
        sums = [factor for factor in part.args if factor.is_Add and len(factor.args) > 2]
        if part.is_Mul and len(sums) == 1 and part.count_ops() >= LONG:
            parts += [part / sums[0] * term for term in sums[0].args]
        else:
            parts.append(part)
    return sympy.Add(*parts)


@cache
def _pieces(statement: Statement, letters: Letters) -> list[str]:
    """The statement as MathML in pieces between which a line may break: the left side with its
    sign, then the terms of the right side."""
    left, right, names = _sides(statement, letters)

    def draw(letter: str) -> str:
        return f"<mtext>{letter}</mtext>" if IN_WORDS.fullmatch(letter) else in_mathml(letter)

    drawn = {name: draw(letter) for name, letter in names.items()}

    def terms(side: sympy.Expr) -> list[str]:
        if side.is_Symbol:
            return [drawn[side.name]]
        side = _spread(side)
        printer = _MathPrinter(drawn, "dot" if _has_words(side, names) else "")
        parts = printer._as_ordered_terms(side) if side.is_Add else [side]
        pieces = []
        for place, part in enumerate(parts):
            minus = place > 0 and part.could_extract_minus_sign()
            shown = str(printer._print(-part if minus else part).toxml())
            sign = "" if place == 0 else f'<mo form="infix">{"−" if minus else "+"}</mo>'
            pieces.append(_TIDY.sub(lambda found: _TIDIED[found[0]], sign + shown))
        return pieces

    *begin, last = terms(left)
    sign = TEXT_SIGNS[statement.sign]
    if statement.sign != "= O of":
        return [*begin, f"{last}{_relation(sign)}", *terms(right)]
    first, *rest = terms(right)
    inside = [f"<mi>O</mi><mo>(</mo>{first}", *rest]
    inside[-1] += "<mo>)</mo>"
    return [*begin, f"{last}{_relation('=')}", *inside]


def _relation(sign: str) -> str:
    """A sign with space around it wherever it stands."""
    return f'<mo form="infix" lspace="0.28em" rspace="0.28em">{sign}</mo>'


def statement_mathml(claim: Claim) -> str:
    """The statement as one <math> element, in the paper's letters."""
    return f'<math display="block"><mrow>{"".join(_pieces(*_lettered(claim)))}</mrow></math>'


def statement_lines(claim: Claim) -> str:
    """The statement as several <math> elements, so that a page can break its lines between the
    terms of a sum."""
    return " ".join(
        f'<math displaystyle="true"><mrow>{piece}</mrow></math>'
        for piece in _pieces(*_lettered(claim))
    )
