"""Statements in the letters of their own paper: as plain text, LaTeX and MathML."""

import re
from collections.abc import Mapping
from xml.dom.minidom import Element, parseString

import sympy
from sympy.printing.mathml import MathMLPresentationPrinter
from sympy.printing.str import StrPrinter

from fltheory.claims.claim import Claim
from fltheory.core.letters import GREEK, in_latex, in_mathml, in_text, is_single
from fltheory.core.vocabulary import WORDS

_HEAD = re.compile(
    r"((?:[A-Za-z]|[a-zA-Z]+(?=_)|GREEK)['*]?(?:_\{[^{}]*\}|_\w+)?\*?)(?:: | of |, | = )".replace(
        "GREEK", "(?:" + "|".join(GREEK) + ")(?:bar|tilde)?"
    )
)
"""The letter with which an explanation begins, as in "tau: the largest delay"."""

_OFFSET = re.compile(r"([A-Za-z]+)([+-]\d+)")
"""A letter that counts from elsewhere: a paper's T is one more than the number of rounds."""

_WORDS = re.compile(r"[A-Za-z]+( [A-Za-z0-9]+)+")

TEXT_SIGNS = {"=": "=", "<=": "≤", ">=": "≥", "= O of": "= O"}
LATEX_SIGNS = {"=": "=", "<=": r"\le", ">=": r"\ge", "= O of": "= O"}

_USUAL = {word.name: word for word in WORDS}


def letter_of(claim: Claim, name: str) -> str:
    """The paper's letter for a symbol of a claim, in plain text.

    A symbol that the claim explains takes the letter before the colon of its explanation; another
    one the paper's letter for that quantity; without either, its name in words.

    >>> from fltheory.papers import find_claim
    >>> letter_of(find_claim("afl.thm2"), "local_step_size")
    'eta_L'
    """
    head = _HEAD.match(claim.where.get(name, ""))
    if head:
        return head[1]
    own = claim.source.paper.letters.get(name)
    if own is not None and name not in claim.where:
        return own.split(", ")[0]
    return name.replace("_", " ")


def _sides(claim: Claim) -> tuple[sympy.Expr, sympy.Expr, dict[str, str]]:
    """Both sides with the paper's own counts ("T-1" rounds), and the letter of every symbol."""
    moved, names = {}, {}
    for symbol in claim.symbols:
        letter = letter_of(claim, symbol.name)
        offset = _OFFSET.fullmatch(letter)
        if offset:
            counted = sympy.Symbol(f"counted {symbol.name}", **symbol.assumptions0)
            moved[symbol] = counted + int(offset[2])
            names[counted.name] = offset[1]
        else:
            names[symbol.name] = letter
    left, right = (
        side.xreplace(moved).doit() if moved else side
        for side in (claim.statement.left, claim.statement.right)
    )
    return left, right, names


class _TextPrinter(StrPrinter):
    """Formulas with visible products and powers."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self._names = names

    def _print_Symbol(self, expr: sympy.Symbol) -> str:  # noqa: N802
        return self._names.get(expr.name, expr.name)


class _MathPrinter(MathMLPresentationPrinter):
    """Presentation MathML, each symbol under its letter."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__({"mul_symbol": "⁢"})
        self._names = names

    def _print_Symbol(self, sym: sympy.Symbol, style: str = "plain") -> Element:  # noqa: N802
        drawn = self._names.get(sym.name, in_mathml(sym.name))
        element = parseString(drawn).documentElement
        assert element is not None  # a document has one
        return element


def _plain(letter: str) -> str:
    """A letter that may stand in a product; its star is no sign of multiplication."""
    if _WORDS.fullmatch(letter):
        return f"[{letter}]"
    shown = in_text(letter).replace("*", "∗")
    return shown if is_single(letter) else f"({shown})"


def statement_text(claim: Claim) -> str:
    """The statement on one line, in the paper's letters, with visible products.

    >>> from fltheory.papers import find_claim
    >>> statement_text(find_claim("afl.thm2.condition-b"))
    'largest step = 1/(L·(√(3·τ^2 + 1) + 1))'
    """
    left, right, names = _sides(claim)
    printer = _TextPrinter({name: _plain(letter) for name, letter in names.items()})

    def show(side: sympy.Expr) -> str:
        if side.is_Symbol:
            return in_text(names[side.name])
        text = str(printer.doprint(side))
        return text.replace("**", "^").replace("*", "·").replace("sqrt(", "√(").replace("∗", "*")

    order = claim.statement.sign == "= O of"
    told = f"({show(right)})" if order else f" {show(right)}"
    return f"{show(left)} {TEXT_SIGNS[claim.statement.sign]}{told}"


def statement_latex(claim: Claim) -> str:
    """The statement in LaTeX, in the paper's letters."""

    def draw(letter: str, *, alone: bool = False) -> str:
        if _WORDS.fullmatch(letter):
            return rf"\text{{{letter}}}"
        drawn = in_latex(letter)
        return drawn if alone or is_single(letter) else rf"\left({drawn}\right)"

    left, right, names = _sides(claim)
    drawn = {symbol: draw(names[symbol.name]) for symbol in left.free_symbols | right.free_symbols}

    def show(side: sympy.Expr) -> str:
        if side.is_Symbol:
            return draw(names[side.name], alone=True)
        # between words a product must be seen
        words = any(_WORDS.fullmatch(names[symbol.name]) for symbol in side.free_symbols)
        product = "dot" if words else None
        return str(sympy.latex(side, symbol_names=drawn, mul_symbol=product))

    order = claim.statement.sign == "= O of"
    told = rf"\left({show(right)}\right)" if order else show(right)
    return f"{show(left)} {LATEX_SIGNS[claim.statement.sign]} {told}"


def statement_mathml(claim: Claim) -> str:
    """The statement as one <math> element, in the paper's letters."""

    def draw(letter: str, *, alone: bool = False) -> str:
        if _WORDS.fullmatch(letter):
            return f"<mtext>{letter}</mtext>"
        drawn = in_mathml(letter)
        bare = alone or is_single(letter)
        return drawn if bare else f"<mrow><mo>(</mo>{drawn}<mo>)</mo></mrow>"

    left, right, names = _sides(claim)
    printer = _MathPrinter({name: draw(letter) for name, letter in names.items()})

    def show(side: sympy.Expr) -> str:
        if side.is_Symbol:
            return draw(names[side.name], alone=True)
        return str(printer._print(side).toxml())

    if claim.statement.sign == "= O of":
        told = f"<mo>=</mo><mi>O</mi><mrow><mo>(</mo>{show(right)}<mo>)</mo></mrow>"
    else:
        told = f"<mo>{TEXT_SIGNS[claim.statement.sign]}</mo>{show(right)}"
    return f'<math display="block"><mrow>{show(left)}{told}</mrow></math>'


def meanings(claim: Claim) -> dict[str, str]:
    """What each symbol of the claim stands for."""
    found = {}
    for name in sorted(symbol.name for symbol in claim.symbols):
        told = claim.where.get(name)
        if told is None:
            found[name] = _USUAL[name].says
            continue
        letter = letter_of(claim, name)
        found[name] = told.removeprefix(f"{letter}: ").removeprefix(f"{letter}, ")
    return found
