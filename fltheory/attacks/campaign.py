"""One attack of a campaign: an interrupted attack resumes, and an error inside it becomes its
outcome."""

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from fltheory.attacks import report, store
from fltheory.attacks.entries import AttackEntry
from fltheory.attacks.moves import State
from fltheory.attacks.search import Attack, attack
from fltheory.attacks.worst import worst_over_functions
from fltheory.claims.claim import Claim, Order
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.spaces.scoring import ratio_of
from fltheory.core.words import counted
from fltheory.ledger.counterexamples import CounterexampleFile
from fltheory.ledger.lines import LedgerLine, versions_now
from fltheory.ledger.meanings import ClaimEntry, entry
from fltheory.papers import find_claim
from fltheory.papers.claim_files import find_own_claim

SAVED_EVERY = 2.0
"""Seconds between two checkpoints of an attack, and between two reports of its progress."""


@dataclass(frozen=True)
class AttackTask:
    """A claim to attack: a claim of the papers, or one from a user's file."""

    claim: str
    seed: int = 0
    attempts: int | None = None
    seconds: float | None = None
    own_file: str | None = None
    folder: str | None = None
    worst_case: bool = False

    def find(self) -> Claim:
        """The claim itself."""
        return (
            find_claim(self.claim)
            if self.own_file is None
            else find_own_claim(Path(self.own_file), self.claim)
        )


@dataclass(frozen=True)
class News:
    """Progress of an attack: the best ratio so far, and where it was found."""

    claim: str
    attempts: int
    best: str

    def __str__(self) -> str:
        return f"{self.claim}: {counted(self.attempts, 'attempt')}, {self.best}"


@dataclass(frozen=True)
class AttackOutcome:
    """The outcome of an attack, in a form that can be passed between processes."""

    line: LedgerLine
    data: AttackEntry
    text: str
    file: CounterexampleFile | None
    meaning: ClaimEntry | None = None
    """What the standalone replayer needs to know of a claim of one's own."""


def guarded(task: AttackTask, *, tell: Callable[[News], None] = lambda news: None) -> AttackOutcome:
    """One attack; any error becomes its outcome, so that an error in one claim does not end the
    attacks on the others."""
    try:
        return run(task, tell=tell)
    except Exception as problem:  # any error of a space, a measure or a formula is reported
        place = traceback.extract_tb(problem.__traceback__)[-1]
        return failed(
            task,
            f"{type(problem).__name__}: {problem} ({Path(place.filename).name}, line"
            f" {place.lineno})",
        )


def failed(task: AttackTask, why: str) -> AttackOutcome:
    """The outcome of an attack that ended with an error: nothing is decided."""
    note = f"the attack itself failed: {why[:300]}"
    evidence = Evidence(
        task.claim, Method.ATTACK, Verdict.UNDECIDED, f"seed {task.seed}", note=note
    )
    data: AttackEntry = {
        "id": task.claim,
        "verdict": "UNDECIDED",
        "failed": True,
        "seed": task.seed,
        "attempts": 0,
        "instances": 0,
        "ratio": "",
        "where": "",
        "note": note,
        "size": None,
        "exceeded": [],
        "seconds": 0.0,
        "counterexample": None,
    }
    return AttackOutcome(
        LedgerLine(evidence, 0.0, versions_now()), data, f"{task.claim}: UNDECIDED\n\n{note}", None
    )


def run(task: AttackTask, *, tell: Callable[[News], None]) -> AttackOutcome:
    """One attack, with regular checkpoints."""
    claim = task.find()
    folder = Path(task.folder) if task.folder else None
    last = [time.monotonic()]

    def heard(claim: Claim, state: State) -> None:
        if time.monotonic() - last[0] > SAVED_EVERY:
            last[0] = time.monotonic()
            if folder is not None:
                store.save(folder, claim, task.seed, state)
            tell(News(claim.id, state.tries, _best(claim, state)))

    known = store.load(folder, claim, task.seed) if folder is not None else None
    found = attack(
        claim, seed=task.seed, attempts=task.attempts, seconds=task.seconds, state=known, tell=heard
    )
    if folder is not None:
        store.save(folder, claim, task.seed, found.state)
    if known is not None and not found.refuted:  # a counterexample has been evaluated anew
        says = f"{found.evidence.note}; {counted(known.tries, 'attempt')} of all as a file says"
        found = replace(found, evidence=replace(found.evidence, note=says))
    told = outcome(found, own_file=task.own_file, worst_case=task.worst_case)
    told.data["resumed"] = known is not None
    return told


def outcome(
    found: Attack, *, own_file: str | None = None, worst_case: bool = False
) -> AttackOutcome:
    """What is kept of an attack; with `worst_case`, semidefinite programming bounds the ratio on
    the run that came closest."""
    line = LedgerLine(found.evidence, round(found.seconds, 2), versions_now())
    file = report.counterexample(found) if found.refuted else None
    worst = (
        worst_over_functions(found.claim, found.instance)
        if worst_case and found.instance is not None
        else None
    )
    text = report.as_text(found, own_file=own_file)
    if worst is not None:
        text += (
            "\n\nEstimate by semidefinite programming\n  left/right is at most"
            f" {worst:.6g} over all functions of the class on that trace"
        )
    told = report.as_data(found, worst_case_ratio=worst)
    return AttackOutcome(line, told, text, file, entry(found.claim) if own_file else None)


def _best(claim: Claim, state: State) -> str:
    if state.best is None:
        return "nothing admissible yet"
    score = state.best[1].score
    if isinstance(claim.statement, Order):
        return f"fastest growth scale^{score:.3g}: {state.best[1].says}"
    return f"best ratio {ratio_of(score):.4g}: {state.best[1].says}"
