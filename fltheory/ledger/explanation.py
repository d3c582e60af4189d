"""The explanation of a claim: as data, and as a page of text."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TypedDict

from fltheory.claims.checks.kernel import KernelTheorem
from fltheory.claims.claim import Authorship, Severity
from fltheory.claims.evidence import Method, Verdict
from fltheory.core.prose import prose_in_text
from fltheory.core.results import Table, as_dict, as_html, named_values
from fltheory.core.types import Json
from fltheory.ledger.lines import LedgerEntry
from fltheory.ledger.sceptic import CommandEntry
from fltheory.ledger.wording import glossary, line_parts, wrapped

WIDTH, NARROWEST, WIDEST = 80, 48, 110
"""Columns of the text: without a terminal, and at least and at most with one."""


class AssumptionEntry(TypedDict):
    """An assumption as data; `fails` says that the counterexample violates it."""

    id: str
    says: str
    stated_in_the_paper: bool
    fails: bool


class TrueForm(TypedDict):
    """The claim to state in place of one that is false or not proved; `adds` has the hypotheses
    that the other one does not have, `drops` those that it does without."""

    id: str
    verdict: str
    says: str
    statement: str
    assumptions: list[str]
    adds: list[str]
    drops: list[str]
    proof: str


@dataclass(frozen=True, repr=False)
class Explanation:
    """What a claim says, whether it is true, and how we know.

    Recorded attacks are shown beside the evidence, on which alone the verdict rests. `letters` has
    the paper's letter for each symbol, `where` what each letter stands for.
    """

    id: str
    rank: str
    verdict: str
    meaning: str
    severity: str
    says: str
    source: str
    version: str
    kind: str
    authorship: str
    formula: str
    reading: str
    alternatives: list[str]
    statement: str
    latex: str
    sign: str
    hides: str
    letters: dict[str, str]
    where: dict[str, str]
    assumptions: list[AssumptionEntry]
    note: str
    proof: str
    cite: str
    true_form: TrueForm | None
    evidence: list[LedgerEntry]
    kernel: KernelTheorem | None
    attacks: list[LedgerEntry]
    corrects: str | None
    corrected_by: list[str]
    rests_on: list[str]
    counterexample: str | None
    commands: list[CommandEntry]

    def to_dict(self) -> Json:
        return as_dict(asdict(self))

    def tables(self) -> list[Table]:
        shown = ("verdict", "meaning", "says", "source", "statement", "note", "counterexample")
        return [named_values(self.id, {name: getattr(self, name) or None for name in shown})]

    def __repr__(self) -> str:
        return as_text(self)

    _repr_html_ = as_html


def as_text(told: Explanation, width: int = WIDTH) -> str:
    """What is claimed, its hypotheses, what is true, what to cite, how we know, and what to run; of
    a claim that is false, what is true comes first."""
    width = max(NARROWEST, min(width, WIDEST))
    page = _Page(told, width)
    claimed, true = [page.claimed(), page.hypotheses()], [page.true(), page.cite()]
    middle = true + claimed if told.verdict == Verdict.REFUTED.name else claimed + true
    parts = [page.head(), *middle, page.known(), page.attacked(), page.commands(), page.words()]
    return "\n\n".join(part for part in parts if part)


@dataclass(frozen=True)
class _Page:
    """The sections of the text; one that has nothing to say is empty."""

    told: Explanation
    width: int

    def _section(self, title: str, parts: Iterable[str]) -> str:
        body = "\n".join(part for part in parts if part)
        return f"{title}\n{body}" if body else ""

    def _says(self, text: str, *, indent: int = 2, hang: int = 0) -> str:
        return wrapped(prose_in_text(text), self.width, indent=indent, hang=hang) if text else ""

    def _formula(self, text: str) -> str:
        return wrapped(text, self.width, indent=4, hang=4)

    def head(self) -> str:
        told = self.told
        title = f"{told.id}: {told.verdict}"
        parts = [wrapped(f"{title} ({told.meaning})", self.width, indent=0, hang=2)]
        if told.severity:
            severity = f"{told.severity.lower()}: {Severity[told.severity].value}"
            parts.append(wrapped(severity, self.width, indent=0, hang=2))
        return "\n".join(parts)

    def true(self) -> str:
        told, form = self.told, self.told.true_form
        parts = [self._says(told.note)]
        if form is not None:
            parts += [
                self._says(f"In its place, {form['id']} ({form['verdict']}): {form['says']}"),
                self._formula(form["statement"]),
                self._says(f"It assumes also: {'; '.join(form['adds'])}.") if form["adds"] else "",
                self._says(f"It does without: {'; '.join(form['drops'])}.")
                if form["drops"]
                else "",
            ]
        others = [other for other in told.corrected_by if form is None or other != form["id"]]
        what = "The refutation" if told.verdict == Verdict.REFUTED.name else "The proof"
        stands = form is not None or told.verdict == Verdict.PROVED.name
        also = "See also" if stands else "Corrected by"
        parts += [
            self._says(f"{also} {', '.join(others)}.") if others else "",
            self._says(f"It corrects {told.corrects}, or says more.") if told.corrects else "",
            self._says(f"{what} rests on {', '.join(told.rests_on)}.") if told.rests_on else "",
            self._says(self._proof()),
        ]
        return self._section("What is true", parts)

    def _proof(self) -> str:
        """Where the proof stands in words, and whether a machine has checked it."""
        told = self.told
        if not told.proof:
            return ""
        proved = told.kernel or told.verdict == Verdict.PROVED.name
        checked = "The proof in words" if proved else "Proof on paper, not machine-checked"
        return f"{checked}: {told.proof}"

    def cite(self) -> str:
        return self._section("What to cite", [self._says(self.told.cite)])

    def claimed(self) -> str:
        told = self.told
        parts = [
            self._says(told.says),
            self._says(f"{told.source}: {told.authorship}."),
            self._says(f"Version judged: {told.version}.", hang=2) if told.version else "",
            self._says(f"The paper has: {told.formula}", hang=2) if told.formula else "",
            self._says(f"We read it so: {told.reading}", hang=2) if told.reading else "",
            *(self._says(f"Or so: {other}", hang=2) for other in told.alternatives),
            "",
        ]
        claim = self._section("What is claimed", parts)
        given = "Under the hypotheses below," if told.assumptions else "In symbols,"
        statement = [
            f"  {given}",
            self._formula(told.statement),
            self._says(_of_order(told)),
            "  where",
            *(
                self._says(f"{letter}: {meaning}", indent=4, hang=4)
                for letter, meaning in told.where.items()
            ),
        ]
        return "\n".join([claim, *(part for part in statement if part)])

    def hypotheses(self) -> str:
        groups = (
            ("Hypotheses that the paper states", True),
            ("Hypotheses that are needed, but not stated in the paper", False),
        )
        if self.told.kind == Authorship.OURS.name:
            groups = (("Hypotheses", True), ("Hypotheses that the paper does not state", False))
        parts = []
        for title, stated in groups:
            rows = [
                self._says(
                    "- " + a["says"] + ("  [fails on the counterexample]" if a["fails"] else ""),
                    hang=2,
                )
                for a in self.told.assumptions
                if a["stated_in_the_paper"] is stated
            ]
            parts.append(self._section(title, rows))
        return "\n\n".join(part for part in parts if part)

    def known(self) -> str:
        lines = [self._evidence(line) for line in self.told.evidence]
        return self._section("How we know", lines or ["  nothing is recorded"])

    def _evidence(self, line: LedgerEntry) -> str:
        first, *rest = line_parts(line, self.told.letters)
        if self.told.kernel is not None and line["method"] == Method.KERNEL.name:
            return "\n".join([wrapped(first, self.width, hang=2), self._kernel()])
        body = [wrapped(first, self.width, hang=2)]
        return "\n".join([*body, *(wrapped(part, self.width, indent=4, hang=2) for part in rest)])

    def _kernel(self) -> str:
        theorem = self.told.kernel
        if theorem is None:
            return ""
        rows = (
            f"Checked by Coq {theorem['coq']}: {theorem['theorem']} in {theorem['file']}",
            f"Proves: {theorem['says']}",
            f"For: {theorem['scope']}",
            f"If: {'; '.join(theorem['hypotheses'])}" if theorem["hypotheses"] else "",
            f"Axioms: {', '.join(name.split('.')[-1] for name in theorem['axioms']) or 'none'}"
            " (those of Coq's real numbers)",
            f"Sources: sha256 {theorem['sources'][:12]}. Read the head of the file, the record of"
            " the run and the statement; Coq has checked the rest.",
        )
        return "\n".join(self._says(row, indent=4, hang=2) for row in rows if row)

    def attacked(self) -> str:
        return self._section("How it was attacked", map(self._evidence, self.told.attacks))

    def commands(self) -> str:
        rows = []
        for command in self.told.commands:
            rows += [self._says(f"{command['does']}:"), f"    {command['run']}"]
        return self._section("Check it yourself", rows)

    def words(self) -> str:
        told = self.told
        lines = (*told.evidence, *told.attacks)
        used = {told.verdict, *(line["verdict"] for line in lines)}
        used |= {told.true_form["verdict"]} if told.true_form else set()
        rows = [
            self._says(f"{name}: {meaning}", hang=2) for name, meaning in glossary(used).items()
        ]
        return self._section("Words", rows)


def _of_order(told: Explanation) -> str:
    """What an order of magnitude promises."""
    if told.sign != "= O of":
        return ""
    return "that is: the left side is at most a constant times the right side" + (
        f"; the constant depends on {told.hides} and on nothing else."
        if told.hides
        else ", with one constant for all admissible instances."
    )
