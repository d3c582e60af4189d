"""The explanation of a claim: as data, and as one screen of text."""

import re
from dataclasses import asdict, dataclass
from fractions import Fraction
from textwrap import fill
from typing import TypedDict

from fltheory.claims.claim import Severity
from fltheory.claims.evidence import Method, Verdict
from fltheory.claims.scope import Scope
from fltheory.core.results import Table, as_dict, as_html, named_values
from fltheory.core.types import Json
from fltheory.ledger.lines import LedgerEntry
from fltheory.papers.library import papers_option_of

WIDTH, DIGITS = 98, 12
"""Columns of the text, and digits of a number that a reader sees."""


class AssumptionEntry(TypedDict):
    """An assumption as data; `fails` says that the counterexample violates it."""

    id: str
    says: str
    stated_in_the_paper: bool
    fails: bool


@dataclass(frozen=True, repr=False)
class Explanation:
    """What a claim says, whether it is true, and how we know.

    Recorded attacks are shown beside the evidence, on which alone the verdict rests.
    """

    id: str
    verdict: str
    meaning: str
    severity: str
    says: str
    source: str
    authorship: str
    formula: str
    reading: str
    alternatives: list[str]
    statement: str
    latex: str
    where: dict[str, str]
    assumptions: list[AssumptionEntry]
    note: str
    proof: str
    cite: str
    evidence: list[LedgerEntry]
    attacks: list[LedgerEntry]
    corrects: str | None
    corrected_by: list[str]
    counterexample: str | None

    def to_dict(self) -> Json:
        return as_dict(asdict(self))

    def tables(self) -> list[Table]:
        shown = ("verdict", "meaning", "says", "source", "statement", "note", "counterexample")
        return [named_values(self.id, {name: getattr(self, name) or None for name in shown})]

    def __repr__(self) -> str:
        return as_text(self)

    _repr_html_ = as_html


def short_number(text: str) -> str:
    """An exact number as it is if it is short, else its value with at most 12 digits.

    >>> short_number("14/15"), short_number("1/3 (about 0.333)"), short_number("2**x")
    ('14/15', '0.333', '2**x')
    >>> short_number("1373262838234911699288245521/4096000000000000000000000000")
    '0.335269247616'
    """
    about = re.search(r"\(about ([^)]*)\)", text)
    if about:
        return about[1]
    if len(text) <= DIGITS:
        return text
    try:
        return f"{float(Fraction(text)):.{DIGITS}g}"
    except (ValueError, ZeroDivisionError, OverflowError):
        return text if len(text) <= WIDTH else text[:WIDTH] + " ..."


def as_text(told: Explanation) -> str:
    """What is claimed, its hypotheses, what is true, what to cite, and how we know; of a claim that
    is false, what is true comes first."""
    claimed, true = [*_claimed(told), *_hypotheses(told)], _true(told)
    middle = true + claimed if told.verdict == Verdict.REFUTED.name else claimed + true
    parts = [_head(told), *middle]
    known = "\n".join(line_text(line) for line in told.evidence) or "  nothing is recorded yet"
    parts.append(f"\nHow we know\n{known}")
    if told.attacks:
        attacks = "\n".join(line_text(line) for line in told.attacks)
        parts.append(f"\nHow it was attacked\n{attacks}")
    if told.counterexample:
        parts.append(
            f"\nReplay the counterexample\n  fltheory replay {told.counterexample}"
            f"{papers_option_of(told.id)}\n"
            f"  python3 verification/replay.py {told.counterexample}   (standard library only)"
        )
    return "\n".join([*parts, *_glossary(told)])


def _head(told: Explanation) -> str:
    severity = (
        f"\n{told.severity.lower()}: {Severity[told.severity].value}" if told.severity else ""
    )
    return f"{told.id}: {told.verdict} ({told.meaning}){severity}"


def _true(told: Explanation) -> list[str]:
    parts = []
    if told.note:
        parts.append(f"\nWhat is true\n{_wrapped(told.note)}")
    if told.corrects:
        parts.append(f"  This corrects {told.corrects}.")
    if told.corrected_by:
        parts.append(_wrapped(f"Corrected by {', '.join(told.corrected_by)}."))
    if told.proof:
        parts.append(f"  Proof on paper, not machine-checked: {told.proof}")
    return [*parts, f"\nWhat to cite\n  {told.cite}"]


def _claimed(told: Explanation) -> list[str]:
    parts = [f"\nWhat is claimed\n{_wrapped(told.says)}", f"  {told.source}: {told.authorship}"]
    if told.formula:
        parts.append(_wrapped(f"The paper has: {told.formula}"))
    if told.reading:
        parts.append(_wrapped(f"We read it so: {told.reading}"))
    parts += [_wrapped(f"Or so: {other}") for other in told.alternatives]
    parts.append(f"\nStatement\n{_wrapped(told.statement)}\n  LaTeX: {told.latex}")
    parts.append("\nwhere")
    parts += [_wrapped(f"{letter}: {says}") for letter, says in told.where.items()]
    return parts


def _hypotheses(told: Explanation) -> list[str]:
    groups = (
        (
            "Hypotheses that the paper states",
            [a for a in told.assumptions if a["stated_in_the_paper"]],
        ),
        (
            "Hypotheses that are needed, but not stated in the paper",
            [a for a in told.assumptions if not a["stated_in_the_paper"]],
        ),
    )
    parts = []
    for title, members in groups:
        if members:
            rows = [
                _wrapped(a["says"] + ("  [fails in the counterexample]" if a["fails"] else ""))
                for a in members
            ]
            parts.append(f"\n{title}\n" + "\n".join(rows))
    return parts


def line_text(line: LedgerEntry) -> str:
    """One line of evidence: what was done, what it covers, how near it came."""
    parts = [f"{line['verdict']} by {Method[line['method']].value}: {line['scenario']}"]
    covered = Scope.from_json(line["scope"]).says
    if covered:
        parts.append(f"Covers {covered}.")
    if line["left"]:
        left, right, ratio = (short_number(line[name]) for name in ("left", "right", "looseness"))
        where = "There" if line["verdict"] == Verdict.REFUTED.name else "Nearest"
        parts.append(
            f"{where}: left {left}, right {right}" + (f", left/right {ratio}" if ratio else "")
        )
    if line["trivial"]:
        parts.append(trivial_text(line))
    if line["note"]:
        parts.append(line["note"])
    first, *rest = parts
    return "\n".join([_wrapped(first), *(_wrapped(part, indent="    ") for part in rest)])


def trivial_text(line: LedgerEntry) -> str:
    """The bound without any theorem, and a warning where it is smaller than the claimed one."""
    told = f"Trivial bound there: {short_number(line['trivial'])}"
    try:
        weaker = float(Fraction(line["trivial"])) < float(Fraction(line["right"]))
    except (ValueError, ZeroDivisionError, OverflowError):
        return told
    return told + (", which is smaller: the claim says nothing in this instance" if weaker else "")


def _glossary(told: Explanation) -> list[str]:
    """The words for strength that occur below the headline, with their meaning."""
    used = {line["verdict"] for line in (*told.evidence, *told.attacks)} - {told.verdict}
    meant = [f"  {v.name}: {v.value}" for v in Verdict if v.name in used]
    return ["\nWords\n" + "\n".join(meant)] if meant else []


def _wrapped(text: str, *, indent: str = "  ") -> str:
    return fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
