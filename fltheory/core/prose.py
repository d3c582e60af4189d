"""Sentences with formulas in plain text ("at most 2 sigma_L^2/tau_max"), shown in Unicode, HTML and
LaTeX."""

import re
from collections.abc import Callable, Iterator
from html import escape

from fltheory.core.letters import ACCENTS, GREEK, NO_ACCENT, in_latex, in_text

_GREEK = rf"(?:{'|'.join(GREEK)})(?:{'|'.join(ACCENTS)})?"
_ACCENTED = rf"(?!{'|'.join(NO_ACCENT)})[A-Za-z](?:{'|'.join(ACCENTS)})"
_INDEX = r"(?:_\{[^{}]*\}|_[A-Za-z0-9]+(?:,[A-Za-z0-9]+)*)"
_POWER = r"(?:\^\{[^{}]*\}|\^\([^()]*\)|\^[0-9]+(?:\.[0-9]+)?|\^[A-Za-z](?![A-Za-z])|\^\*)"
_SINGLE = "[B-HJ-Zb-z]"
_NOT_NAMED = "".join(f"(?<!{word} )" for word in ("Appendix", "copy", "Section", "step", "part"))
_FORMULA = re.compile(
    rf"(?<![A-Za-z_.\\'])(?:(?:{_GREEK}|{_ACCENTED})'?\*?{_INDEX}?\*?{_POWER}?"
    rf"|[A-Za-z]'?(?:\*{_INDEX}?{_POWER}?|{_INDEX}\*?{_POWER}?|{_POWER}|(?<!\d[A-Za-z])\d(?=[^\w.]|$))"
    rf"|(?<!\d){_NOT_NAMED}(?:(?<!(?<!\w)\(){_SINGLE}|{_SINGLE}(?!\)))(?![.'])"
    r"|grad(?= ?[A-Za-z](?:_\w+)?\b)|sqrt(?=\(| [A-Za-z]\b))(?:(?<=\^\d)|(?![\w]|\.[a-z]))"
    rf"|(?<=[)|\]\d]){_POWER}|(?<=[a-z]{{2}})\^\d+|<=|>=|(?<=\w) \* (?=\w)"
)
"""Letters with their indices, powers after brackets, and signs."""

_SIGNS = {"<=": ("≤", r"\le"), ">=": ("≥", r"\ge"), " * ": ("·", r"\cdot")}


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Pieces of the text; the second part says whether the piece is a formula."""
    place = 0
    for match in _FORMULA.finditer(text):
        if match.start() > place:
            yield text[place : match.start()], False
        yield match[0], True
        place = match.end()
    if place < len(text):
        yield text[place:], False


def _shown(text: str, words: Callable[[str], str], formula: Callable[[str], str]) -> str:
    return "".join(
        formula(part) if is_formula else words(part) for part, is_formula in _parts(text)
    )


def prose_in_text(text: str) -> str:
    """The sentence in Unicode.

    >>> prose_in_text("at most 4 (alpha_L sigma_L^2 + tau^2) if eta <= 1/L, see fraboni.def.beta")
    'at most 4 (α_L σ_L² + τ²) if η ≤ 1/L, see fraboni.def.beta'
    """

    def formula(part: str) -> str:
        if part in _SIGNS:
            return _SIGNS[part][0]
        return in_text(_power_alone(part)).removeprefix("|")

    return _shown(text, str, formula).replace("∇ ", "∇").replace("√ ", "√")


def prose_in_html(text: str) -> str:
    """The sentence in HTML, with indices below and powers above the line.

    >>> prose_in_html("4 sigma_L^2 < 1")
    '4 <i>σ</i><sub>L</sub><sup>2</sup> &lt; 1'
    """
    return _shown(text, escape, _html).replace("∇ ", "∇").replace("√ ", "√")


def prose_in_latex(text: str, words: Callable[[str], str]) -> str:
    """The sentence in LaTeX; `words` escapes what is no formula.

    >>> print(prose_in_latex("4 sigma_L^2 <= 1", str))
    4 $\\sigma_{L}^{2}$ $\\le$ 1
    """

    def formula(part: str) -> str:
        if part in _SIGNS:
            return f"${_SIGNS[part][1]}$"
        return (
            f"${in_latex(part)}$"
            if not part.startswith("^")
            else f"${{}}^{{{part[1:].strip('{}()')}}}$"
        )

    return _shown(text, words, formula)


def _power_alone(part: str) -> str:
    """A power without its base, with a bar in front of it that makes it readable."""
    return f"|{part}" if part.startswith("^") else part


def _html(part: str) -> str:
    if part in _SIGNS:
        return _SIGNS[part][0]
    if part.startswith("^"):
        return f"<sup>{escape(in_text(part[1:].strip('{}()')))}</sup>"
    match = re.match(r"(?P<base>[A-Za-z]+)(?P<mark>'?\*?)(?P<rest>.*)", part)
    assert match is not None  # it begins with a letter
    base = in_text(match["base"])
    rest = match["rest"]
    found = re.match(rf"(?P<sub>{_INDEX}|\d)?(?P<late>\*?)(?P<sup>{_POWER})?", rest)
    assert found is not None  # every part of it is optional
    sub = (found["sub"] or "").removeprefix("_").strip("{}")
    power = (found["sup"] or "").removeprefix("^").strip("{}()")
    raised = match["mark"] + found["late"] + power
    shown = f"<i>{base}</i>" if base not in ("∇", "√") else base
    shown += f"<sub>{escape(in_text(sub))}</sub>" if sub else ""
    return shown + (f"<sup>{escape(in_text(raised))}</sup>" if raised else "")
