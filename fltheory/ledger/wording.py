"""How evidence is worded: numbers that a reader can take in, formulas without program text, lines
of evidence, paragraphs."""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from textwrap import fill

from fltheory.claims.evidence import Method, Verdict
from fltheory.claims.scope import Scope
from fltheory.core.letters import RAISED, in_text, is_single
from fltheory.core.prose import prose_in_text
from fltheory.core.vocabulary import WORDS
from fltheory.ledger.claim_letters import OFFSET
from fltheory.ledger.lines import LedgerEntry

DIGITS = 12
"""Digits of a number that a reader sees."""

OUTCOMES = {
    "mean_squared_gradient",
    "min_squared_gradient",
    "mean_loss_gap",
    "weighted_loss_gap",
}

SHORT = 7
"""Longest fraction that stands without its decimal value."""

SIZES = {
    *(word.name for word in WORDS if word.name not in OUTCOMES),
    "largest_delay",
    "max_delay",
    "staleness_bound",
    "dimension",
    "importance_ratio",
    "iterations",
}
"""Quantities that say how large an instance is; all others are measured on it."""

_LONG = re.compile(r"(?<![\w.])-?\d+(?:\.\d+|/\d+)?(?![\w.])")
STAR = "\N{ASTERISK OPERATOR}"
"""Stands for the star of a letter such as x* while products are rewritten."""

_NAME = re.compile(r"[A-Za-z]\w*")
_PRODUCT = re.compile(r"(?<=[\w)])\*(?=[A-Za-zα-ω0-9(√])")
"""The star of a product in a remark: something stands on both sides of it."""

_POWER = re.compile(r"\*\*(\d+)(?!\d|\.\d)")
_DECIMAL_POWER = re.compile(r"\*\*(\d+\.\d+(?:e-?\d+)?)")
_ONE = re.compile(r"(?<![\w.,/])1 (fact|instance|case|certificate|path)s\b")
_FRACTION = re.compile(r"Fraction\((-?\d+), (\d+)\)")
_CONSTANT = re.compile(r"(?<=the constant of the order is )[^;]+")


def short_number(text: str) -> str:
    """An exact number with its decimal value beside it unless it is short; at most 12 digits.

    >>> short_number("14/15"), short_number("1/3 (about 0.333)"), short_number("2**x")
    ('14/15', '0.333', '2**x')
    >>> short_number("2401/1250"), short_number("1373262838234911699288245521/4096000000000000")
    ('2401/1250 ≈ 1.9208', '≈ 335269247616')
    """
    about = re.search(r"\(about ([^)]*)\)", text)
    if about:
        return about[1]
    if len(text) <= SHORT or not _LONG.fullmatch(text):
        return text
    try:
        value = Fraction(text)
        decimal = f"{float(value):.{DIGITS if len(text) > DIGITS else 6}g}"
    except (ValueError, ZeroDivisionError, OverflowError):
        return text if len(text) <= 4 * DIGITS else f"{text[: 2 * DIGITS]} ... ({len(text)} digits)"
    if len(text) > DIGITS:
        return decimal if Fraction(decimal) == value else f"≈ {decimal}"
    return f"{text} ≈ {decimal}" if "/" in text else text


def plain_words(text: str) -> str:
    """A note or a scenario without long numbers and program text.

    >>> plain_words("x**2 at step 123456789123456789/1000")
    'x² at step 1.23456789123e+14'
    >>> plain_words("tends to 3*x/(2*y) from f(x*), importance Fraction(1, 2)")
    'tends to 3·x/(2·y) from f(x*), importance 1/2'
    >>> plain_words("grows like scale**3.9e-06 in 1 cases")
    'grows like scale^(3.9e-06) in 1 case'
    """
    text = _FRACTION.sub(lambda found: str(Fraction(int(found[1]), int(found[2]))), text)
    text = _POWER.sub(lambda power: power[1].translate(RAISED), text)
    text = _DECIMAL_POWER.sub(r"^(\1)", text).replace("**", "^")
    text = _ONE.sub(r"1 \1", _PRODUCT.sub("·", text))
    text = _LONG.sub(
        lambda found: (
            short_number(found[0]).removeprefix("≈ ") if len(found[0]) > DIGITS else found[0]
        ),
        text,
    )
    return prose_in_text(text)


def side_in_words(text: str, letters: Mapping[str, str]) -> str:
    """One side of a comparison: a number, or a formula in the paper's letters.

    >>> side_in_words("ratio (num_rounds**2 + 1)/(3*scale)", {"num_rounds": "T"})
    'ratio (T² + 1)/(3·scale)'
    >>> side_in_words("oo", {}), side_in_words("7/2", {}), side_in_words("2*gap", {"gap": "f*"})
    ('∞', '7/2', '2·f*')
    """
    number = short_number(text)
    if number != text or not _NAME.search(text):
        return number
    if "**" not in text and "*" not in text and "_" not in text and text != "oo":
        return plain_words(text)

    def named(found: re.Match[str]) -> str:
        name = found[0]
        if name == "oo":
            return "∞"
        letter = letters.get(name)
        if letter is None:
            return name.replace("_", " ")
        shown = in_text(letter).replace("*", STAR)
        return shown if is_single(letter) else f"({shown})"

    text = _NAME.sub(named, text).replace("sqrt(", "√(")
    text = _POWER.sub(lambda power: power[1].translate(RAISED), text)
    return text.replace("**", "^").replace("*", "·").replace(STAR, "*")


GROWING = {"grow", "growth", "scale"}
"""Names that a path gives to the number that grows along it."""


def in_letters(text: str, letters: Mapping[str, str]) -> str:
    """A remark with the paper's letters for the names of quantities; a name of one word is taken
    for a quantity in formulas alone.

    >>> in_letters("left/right tends to 204 as num_rounds grows", {"num_rounds": "T-1"})
    'left/right tends to 204 as T-1 grows'
    >>> in_letters("smoothness: 2*smoothness", {"smoothness": "L"})
    'smoothness: 2*L'
    >>> in_letters("10*hardware_ratio**2", {"hardware_ratio": "tau_M / tau_1"})
    '10*(τ_M / τ_1)**2'
    """

    def named(found: re.Match[str]) -> str:
        letter = letters.get(found[0])
        beside = text[found.start() - 1 : found.start()] + text[found.end() : found.end() + 1]
        in_formula = any(sign in beside for sign in "*/^")
        if letter is None or not ("_" in found[0] or in_formula):
            return found[0]
        shown = in_text(letter)
        return f"({shown})" if in_formula and not is_single(letter) else shown

    return re.sub(r"\b[a-z]+(?:_[a-z]+)*\b", named, text)


def comparison(line: LedgerEntry, letters: Mapping[str, str]) -> str:
    """Both sides where they come closest, or where they contradict the claim."""
    if not line["left"]:
        return ""
    left, right, ratio = (
        side_in_words(line[name], letters) for name in ("left", "right", "looseness")
    )
    where = "There" if line["verdict"] == Verdict.REFUTED.name else "Nearest instance"
    if any("..." in line[name] and "(about " not in line[name] for name in ("left", "right")):
        # of a long formula the record has the two ends
        return f"{where}: left/right {ratio}" if ratio else ""
    told = f"{where}: left {left}, right {right}" + (f", left/right {ratio}" if ratio else "")
    growing = sorted(GROWING & {*_NAME.findall(line["left"] + line["right"])})
    return told + "".join(f"; {name}: the number that grows" for name in growing)


def trivial_text(line: LedgerEntry) -> str:
    """The bound without any theorem, and a warning where it is smaller than the claimed one."""
    told = f"Trivial bound there: {short_number(line['trivial'])}"
    try:
        weaker = float(Fraction(line["trivial"])) < float(Fraction(line["right"]))
    except (ValueError, ZeroDivisionError, OverflowError):
        return told
    return told + (", which is smaller: the claim says nothing in this instance" if weaker else "")


def covers_text(line: LedgerEntry, letters: Mapping[str, str]) -> str:
    """The scope of a line of evidence: why it leaves nothing out, or the sizes that were tried;
    what was merely measured on them is left out."""
    scope = Scope.from_json(line["scope"])
    if scope.everything:
        return f"Covers {_CONSTANT.sub(lambda one: side_in_words(one[0], letters), scope.says)}."
    sizes = [
        f"{_named(name, letters)} {_span(low, high)}"
        for name, (low, high) in scope.ranges.items()
        if name in SIZES
    ]
    sorts = [f"{name}: {', '.join(kinds)}" for name, kinds in scope.kinds.items()]
    if sizes or sorts:
        return f"Covers {'; '.join(sizes + sorts)}."
    return (
        "" if line["verdict"] == Verdict.REFUTED.name else "Covers what this line names, no more."
    )


def _named(name: str, letters: Mapping[str, str]) -> str:
    """A size under its letter where the claim has one, else in words."""
    letter = letters.get(name, "")
    short = is_single(letter) or OFFSET.fullmatch(letter)
    return f"{letter} =" if short else name.replace("_", " ")


def _span(low: str, high: str) -> str:
    first, last = (short_number(end).split(" ≈")[0].removeprefix("≈ ") for end in (low, high))
    return first if first == last else f"{first} to {last}"


def line_parts(line: LedgerEntry, letters: Mapping[str, str]) -> list[str]:
    """One line of evidence: what was done, what it covers, how near it came, and remarks."""
    return [
        part
        for part in (
            f"{line['verdict']} by {Method[line['method']].value}: "
            + plain_words(in_letters(line["scenario"], letters)),
            plain_words(covers_text(line, letters)),
            comparison(line, letters),
            trivial_text(line) if line["trivial"] else "",
            plain_words(in_letters(line["note"], letters)),
        )
        if part
    ]


def in_order(lines: Iterable[LedgerEntry]) -> list[LedgerEntry]:
    """Counterexamples first, then what covers everything, then the rest."""
    return sorted(
        lines,
        key=lambda line: (
            line["verdict"] != Verdict.REFUTED.name,
            not line["scope"]["everything"],
            line["verdict"] == Verdict.SUPPORTED.name,
        ),
    )


def glossary(used: Iterable[str]) -> dict[str, str]:
    """The verdicts that occur, with their meaning."""
    names = set(used)
    return {verdict.name: verdict.value for verdict in Verdict if verdict.name in names}


def wrapped(text: str, width: int, *, indent: int = 2, hang: int = 0) -> str:
    """A paragraph that breaks between words only."""
    return fill(
        text,
        width,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hang),
        break_long_words=False,
        break_on_hyphens=False,
    )
