"""What a sceptic runs: commands that repeat a counterexample, a check, a certificate or a proof."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypedDict

from fltheory.claims.checks.kernel import KernelTheorem
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.record import house_folder, record_folder
from fltheory.ledger.meanings import derived_alone
from fltheory.papers.library import entries_of, papers_option_of


class CommandEntry(TypedDict):
    """A command, what it does, and whether it needs nothing of this package."""

    does: str
    run: str
    standalone: bool


def shown(path: Path, *, in_clone: bool = False) -> str:
    """A path relative to the current folder if it lies below, else in full; with `in_clone`, as it
    is called in a clone of the repository, wherever that may be."""
    here = Path.cwd()
    if in_clone and path.is_relative_to(house_folder()):
        return f"verification/{path.relative_to(house_folder())}"
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def sceptics_commands(
    claim: Claim,
    evidence: Sequence[Evidence],
    *,
    counterexample: Path | None,
    origin: str,
    kernel: KernelTheorem | None,
    in_clone: bool = False,
) -> list[CommandEntry]:
    """The commands for one claim, in a clone and outside; `origin` is the kind of origin of its
    counterexample."""
    option, programs = papers_option_of(claim.id), house_folder()
    found: list[CommandEntry] = []

    def add(does: str, run: str, *, standalone: bool = False) -> None:
        found.append({"does": does, "run": run, "standalone": standalone})

    def at(path: Path) -> str:
        return shown(path, in_clone=in_clone)

    if counterexample is not None:
        add("repeat the counterexample", f"fltheory replay {claim.id}{option}")
        if derived_alone(claim, origin):
            add(
                "the same with Python's standard library alone",
                f"python3 {at(programs / 'replay.py')} {at(counterexample)}",
                standalone=True,
            )
    if kernel is not None:
        add("let Coq check the proof of this claim", f"fltheory prove {claim.id}{option}")
        prove = record_folder(claim.source.paper) / "kernel" / "prove.py"
        add(
            "let Coq check all proofs and print their axioms, without this package",
            f"python3 {at(prove)}",
            standalone=True,
        )
    for file in _certificates(claim, evidence):
        add(
            "check the certificate with Python's standard library alone",
            f"python3 {at(programs / 'check_inequality.py')} {at(file)}",
            standalone=True,
        )
    add("run its checks again", f"fltheory verify {claim.id} --full{option}")
    add("cite the paper", f"fltheory cite {claim.id}{option}")
    return found


def _certificates(claim: Claim, evidence: Iterable[Evidence]) -> list[Path]:
    """Files with certificates of the inequality that the claim states."""
    if not any(
        line.method is Method.SDP and line.verdict is not Verdict.REFUTED for line in evidence
    ):
        return []
    folder = record_folder(claim.source.paper) / "certificates" / "inequalities"
    names = [
        str(getattr(lemma, "name", ""))
        for lemma in entries_of(claim.source.paper.key, "LEMMAS")
        if getattr(lemma, "claim", "") == claim.id
    ]
    return [folder / f"{name}.json" for name in names]
