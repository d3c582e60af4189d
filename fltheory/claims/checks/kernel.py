"""Claims that a proof assistant has checked, read from the record of verification/kernel.

Coq is not needed here: the record names the theorem, the hash of its sources and the axioms, and
this check compares the hash with the sources and the claim with what the theorem was compared with.
`make prove` lets Coq check the sources themselves.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import TypedDict, cast

from fltheory.claims.checks.check import Check
from fltheory.claims.claim import Claim, Paper, named_statement
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.record import record_folder
from fltheory.claims.scope import Scope

AXIOMS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
"""The axioms of Coq's real numbers; no theorem may rest on another one."""

IMPORT = re.compile(r"^From FL Require (?:Import|Export) ([\w\s]+)\.", re.MULTILINE)


class KernelTheorem(TypedDict):
    """One entry of theorems.json, by the id of the claim."""

    theorem: str
    file: str
    says: str
    scope: str
    hypotheses: list[str]
    sources: str
    coq: str
    axioms: list[str]


def kernel_folder(paper: Paper) -> Path:
    """The folder of the Coq files that belong to a paper's record."""
    return record_folder(paper) / "kernel"


def kernel_theorems(paper: Paper) -> dict[str, KernelTheorem]:
    """What the proof assistant has checked, by the id of the claim; empty without a record."""
    file = kernel_folder(paper) / "theorems.json"
    if not file.exists():
        return {}
    return cast(dict[str, KernelTheorem], json.loads(file.read_text("utf-8")))


def fingerprint(claim: Claim) -> str:
    """Twelve hexadecimal digits of the statement and of the hypotheses: they change with either."""
    told = "\n".join([named_statement(claim), *(a.says for a in claim.assumes)])
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def digest(folder: Path, module: str) -> str:
    """sha256 over a Coq file and all files of the folder that it imports, sorted by name."""
    texts: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = (folder / f"{name}.v").read_text("utf-8")
            waiting += [part for group in IMPORT.findall(texts[name]) for part in group.split()]
    total = hashlib.sha256()
    for name in sorted(texts):
        total.update(f"{name}\0{texts[name]}\0".encode())
    return total.hexdigest()


def kernel_check(claim: str, *, compared: str) -> Check:
    """The check of a claim that a theorem of the record proves for everything that it says.

    `compared` is the fingerprint of the claim as it was when a reader compared it with the theorem;
    a claim that has changed since is not proved by it.
    """

    def decide(stated: Claim) -> Evidence:
        return check_kernel(stated, compared=compared)

    return Check(claim, decide)


def check_kernel(claim: Claim, *, compared: str) -> Evidence:
    """PROVED if the record names a theorem for the claim, its sources are those that were checked,
    it rests on no foreign axiom, and the claim is still the one that it was compared with."""
    entry = kernel_theorems(claim.source.paper).get(claim.id)
    problem = _problem(claim, entry, compared)
    if entry is None or problem:
        return Evidence(claim.id, Method.KERNEL, Verdict.UNDECIDED, "all cases", note=problem)
    return Evidence(
        claim.id,
        Method.KERNEL,
        Verdict.PROVED,
        "all cases",
        note=f"theorem {entry['theorem']} of {entry['file']}: {entry['says']} Recorded with Coq"
        f" {entry['coq']}, sources {entry['sources'][:12]}; `make prove` checks it again.",
        scope=Scope(everything=entry["scope"]),
    )


def _problem(claim: Claim, entry: KernelTheorem | None, compared: str) -> str:
    """Why the record does not prove the claim; empty if it does."""
    if entry is None:
        return "the record of the proof assistant has no theorem for it"
    if fingerprint(claim) != compared:
        return "the claim has changed since it was compared with the theorem"
    if foreign := set(entry["axioms"]) - AXIOMS:
        return f"the theorem rests on other axioms: {', '.join(sorted(foreign))}"
    folder, module = kernel_folder(claim.source.paper), Path(entry["file"]).stem
    try:
        now = digest(folder, module)
    except FileNotFoundError as missing:
        return f"a source is missing: {missing.filename}"
    return "" if now == entry["sources"] else "the sources have changed since they were checked"
