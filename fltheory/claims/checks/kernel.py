"""Claims that a proof assistant has checked, read from the record of verification/kernel.

Coq is not needed here: the record names the theorem, the hash of its sources and the axioms. The
check compares the hash with the sources, and the claim with what the theorem is stated about: the
definitions of Claims_PAPER.v, which are made from the claim's own expressions. `make prove` lets
Coq check the sources themselves.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict, cast

from fltheory.analysis.certificate_fields import fields
from fltheory.claims.checks.check import Check
from fltheory.claims.claim import Claim, Paper
from fltheory.claims.coq import Condition, defined_names, definitions
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.record import record_folder
from fltheory.claims.scope import Scope
from fltheory.core.errors import InvalidInput
from fltheory.core.untrusted_io import bounded_json, bounded_toml

AXIOMS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
"""The axioms of Coq's real numbers; no theorem may rest on another one."""

IMPORT = re.compile(r"^From FL Require (?:Import|Export) ([\w\s]+)\.", re.MULTILINE)

COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
GAP = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|bypass_check)\b")
"""Words with which a Coq file takes something for granted."""

TEXTS = ("theorem", "file", "says", "scope", "sources", "coq")
LISTS = ("hypotheses", "axioms")
MAX_BYTES = 1_000_000


class KernelTheorem(TypedDict):
    """One entry of the record of a Coq file, by the id of the claim."""

    theorem: str
    file: str
    says: str
    scope: str
    hypotheses: list[str]
    sources: str
    coq: str
    axioms: list[str]


@dataclass(frozen=True)
class FormalTheorem:
    """What ties a claim to its theorem in the record of the proof assistant.

    `conditions` are the scalar conditions of the theorem, by a short key: relations between the
    claim's own expressions. `hypotheses` is the fingerprint of the claim's assumptions as they were
    when a reader compared them with the theorem.
    """

    claim: str
    hypotheses: str
    conditions: Mapping[str, Condition] = field(default_factory=dict)

    def check(self) -> Check:
        """The check that reads the record."""
        return Check(self.claim, self.decide)

    def decide(self, claim: Claim) -> Evidence:
        """PROVED if the record names a theorem for the claim that is stated about the claim's own
        expressions, its sources are those that were checked, and it rests on no foreign axiom."""
        entry = kernel_theorems(claim.source.paper).get(claim.id)
        problem = self._problem(claim, entry)
        if entry is None or problem:
            return Evidence(claim.id, Method.KERNEL, Verdict.UNDECIDED, "all cases", note=problem)
        return Evidence(
            claim.id,
            Method.KERNEL,
            Verdict.PROVED,
            "all cases",
            note=f"theorem {entry['theorem']} of {entry['file']}: {entry['says']}",
            scope=Scope(everything=entry["scope"]),
        )

    def _problem(self, claim: Claim, entry: KernelTheorem | None) -> str:
        """Why the record does not prove the claim; empty if it does."""
        if entry is None:
            return "the record of the proof assistant has no theorem for it"
        now = fingerprint(claim)
        if now != self.hypotheses:
            return f"its hypotheses have changed since they were compared with the theorem: {now}"
        folder, module = kernel_folder(claim.source.paper), Path(entry["file"]).stem
        try:
            if told := _listed(claim.id, entry, folder / f"{module}.toml"):
                return told
            stated = (folder / f"{statements_module(claim.source.paper)}.v").read_text("utf-8")
            if definitions(claim, self.conditions) not in stated:
                return "the claim has changed: run python -m fltheory.ledger.coq, mend the theorem"
            used = statement_of(entry["theorem"], (folder / f"{module}.v").read_text("utf-8"))
            for name in defined_names(claim, self.conditions):
                if name not in used:
                    return f"the statement of the theorem does not use {name}"
            if foreign := set(entry["axioms"]) - AXIOMS:
                return f"the theorem rests on other axioms: {', '.join(sorted(foreign))}"
            if digest(folder, module) != entry["sources"]:
                return "the sources have changed since they were checked"
            if gap := GAP.search(COMMENT.sub(" ", "\n".join(sources(folder, module).values()))):
                return f"a source of the theorem contains {gap[0]}"
        except FileNotFoundError as missing:
            return f"a source is missing: {missing.filename}"
        return ""


def kernel_folder(paper: Paper) -> Path:
    """The folder of the Coq files that belong to a paper's record."""
    return record_folder(paper) / "kernel"


def statements_module(paper: Paper) -> str:
    """The Coq file with the sides and conditions of a paper's claims."""
    return f"Claims_{paper.key}"


def kernel_theorems(paper: Paper) -> dict[str, KernelTheorem]:
    """What the proof assistant has checked, by the id of the claim; empty without a record. Every
    entry has the fields of a theorem and no others, and no claim has two."""
    found: dict[str, KernelTheorem] = {}
    for file in sorted(kernel_folder(paper).glob("*.json")):
        entries = fields(bounded_json(file, MAX_BYTES), file.name)
        for claim, given in entries.items():
            owner = f"theorem of {claim[:60]} in {file.name}"
            entry = fields(given, owner)
            wrong = [n for n in {*entry, *TEXTS, *LISTS} if not _of_its_type(n, entry.get(n))]
            if wrong:
                rule = f"have the texts {', '.join(TEXTS)} and the lists {', '.join(LISTS)} only"
                raise InvalidInput(owner, rule, f"trouble with {sorted(wrong)[0][:60]!r}")
            if claim in found:
                raise InvalidInput(owner, "be the only one of its claim", "a second one")
            found[claim] = cast(KernelTheorem, entry)
    return found


def _of_its_type(name: str, value: object) -> bool:
    if name in LISTS:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return name in TEXTS and isinstance(value, str)


def _listed(claim: str, entry: KernelTheorem, file: Path) -> str:
    """Why the theorem is none of those that the list beside its Coq file gives to the claim, with
    the same words; empty if it is."""
    if entry["file"] != f"verification/kernel/{file.stem}.v":
        return f"the theorem is said to be in {entry['file'][:60]}"
    listed = bounded_toml(file, MAX_BYTES).get("theorem")
    for one in listed if isinstance(listed, list) else []:
        if one.get("name") == entry["theorem"] and claim in one.get("claims", ()):
            if all(one.get(name) == entry[name] for name in ("says", "scope", "hypotheses")):
                return ""
            return f"{file.name} says something else of the theorem {entry['theorem'][:60]}"
    return f"{file.name} lists no theorem {entry['theorem'][:60]} of the claim"


def fingerprint(claim: Claim) -> str:
    """Twelve hexadecimal digits of the claim's hypotheses, which change with their sentences."""
    told = "\n".join(assumption.says for assumption in claim.assumes)
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def statement_of(theorem: str, text: str) -> set[str]:
    """The names in the statement of a theorem, from its name to its proof; comments do not count.

    >>> sorted(statement_of("one", "Theorem one : (* two *) one_right = 1.\\nProof. lra. Qed."))
    ['1', 'one_right']
    """
    code = COMMENT.sub(" ", text)
    found = re.search(rf"^Theorem {re.escape(theorem)}\b(.*?)^Proof\.", code, re.DOTALL | re.M)
    return set(re.findall(r"\w+", found[1])) if found else set()


def sources(folder: Path, module: str) -> dict[str, str]:
    """A Coq file and all files of the folder that it imports."""
    texts: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = (folder / f"{name}.v").read_text("utf-8")
            waiting += [part for group in IMPORT.findall(texts[name]) for part in group.split()]
    return texts


def digest(folder: Path, module: str) -> str:
    """sha256 over a Coq file and all files of the folder that it imports, sorted by name."""
    total = hashlib.sha256()
    for name, text in sorted(sources(folder, module).items()):
        total.update(f"{name}\0{text}\0".encode())
    return total.hexdigest()


def how_to_check(claim: Claim) -> str:
    """What a sceptic reads and runs: hypotheses, axioms, version, hash and commands."""
    entry = kernel_theorems(claim.source.paper).get(claim.id)
    if entry is None:
        return ""
    needed = "; ".join(entry["hypotheses"]) or "none beyond the record of the run"
    axioms = ", ".join(name.split(".")[-1] for name in entry["axioms"]) or "none"
    return (
        f"Hypotheses: {needed}. Axioms (of Coq's real numbers): {axioms}. Recorded with Coq"
        f" {entry['coq']}, sha256 of its sources {entry['sources'][:12]}. To check it, read the"
        f" head, the record of the run and the statement in {entry['file']}, and run"
        f" `fltheory prove {claim.id}`, or `make prove` for all theorems."
    )
