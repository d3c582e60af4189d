"""Running the checks of the `verification` folder, in processes, and where their record is kept."""

import importlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from fltheory.checks.check import Check
from fltheory.claims import Claim
from fltheory.errors import InvalidInput
from fltheory.evidence import Verdict
from fltheory.ledger import Line, decide, verdicts
from fltheory.papers import all_claims, find_claim, modules


@dataclass(frozen=True)
class Task:
    """One check, named by the module that holds it, so that another process can find it."""

    module: str
    index: int
    claim: str
    slow: bool

    def check(self) -> Check:
        found: Check = importlib.import_module(self.module).CHECKS[self.index]
        return found


def all_tasks() -> list[Task]:
    """Every check of the verification folder; each must speak of a claim that exists."""
    import verification

    tasks = []
    for module in modules(verification):
        for index, check in enumerate(getattr(module, "CHECKS", ())):
            find_claim(check.claim)
            tasks.append(Task(module.__name__, index, check.claim, check.slow))
    return tasks


def folder() -> Path:
    """Where the ledger and the counterexamples are."""
    import verification

    return Path(str(verification.__file__)).parent


def ledger_file() -> Path:
    """The record of all verdicts."""
    return folder() / "ledger.jsonl"


def counterexample_file(claim_id: str) -> Path:
    """Where the counterexample to a claim is kept, if there is one."""
    return folder() / "counterexamples" / f"{claim_id}.json"


def run_task(task: Task) -> Line:
    """Decide the claim of one task."""
    return decide(task.check(), all_claims()[task.claim])


def run_tasks(tasks: Iterable[Task], *, jobs: int, tell: Callable[[Line], None] = lambda line: None) -> list[Line]:
    """All lines, in the order of their keys whatever the number of processes; `tell` hears of each as it is done."""
    if jobs < 1:
        raise InvalidInput("jobs", "be at least 1", jobs)
    pending = list(tasks)
    lines = []
    if jobs == 1 or len(pending) < 2:
        for task in pending:
            lines.append(run_task(task))
            tell(lines[-1])
    else:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            for done in as_completed([pool.submit(run_task, task) for task in pending]):
                lines.append(done.result())
                tell(lines[-1])
    return sorted(lines, key=lambda line: line.key)


def weak_links(verdict_of: Mapping[str, Verdict]) -> list[str]:
    """Sentences on claims that are proved or refuted by a check that rests on a claim which is not proved itself."""
    told = []
    for task in all_tasks():
        needed = [claim for claim in task.check().rests_on if verdict_of.get(claim) is not Verdict.PROVED]
        if needed and verdict_of.get(task.claim) in (Verdict.PROVED, Verdict.REFUTED):
            told.append(f"{task.claim}: {verdict_of[task.claim].name} rests on {', '.join(needed)}, not proved")
    return told


def undecided_claims(claims: Iterable[Claim], lines: Iterable[Line]) -> list[str]:
    """Claims without any line."""
    told = verdicts(lines)
    return [claim.id for claim in claims if claim.id not in told]
