"""Run the checks of the papers in processes, and find their record."""

import importlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from fltheory.claims.checks.check import Check
from fltheory.claims.claim import Paper
from fltheory.claims.evidence import Verdict
from fltheory.claims.record import house_folder, record_folder
from fltheory.core.checked import check_kind
from fltheory.core.errors import InvalidInput
from fltheory.core.extras import MissingExtra
from fltheory.ledger.lines import LedgerLine, decide, read, record
from fltheory.papers import all_claims, find_claim, modules, papers


@dataclass(frozen=True)
class CheckTask:
    """One check, named by the module that holds it, so that another process can find it."""

    module: str
    index: int
    claim: str
    slow: bool

    def check(self) -> Check:
        found: Check = importlib.import_module(self.module).CHECKS[self.index]
        return found


def all_tasks() -> list[CheckTask]:
    """Every check of every paper; each must be about an existing claim."""
    tasks = []
    for module in modules():
        for index, check in enumerate(getattr(module, "CHECKS", ())):
            if check.claim not in all_claims():
                rule = "be about a claim that a paper states"
                raise InvalidInput(f"a check of {module.__name__}", rule, repr(check.claim)[:60])
            tasks.append(CheckTask(module.__name__, index, check.claim, check.slow))
    return tasks


def ledger_file(paper: Paper | None = None) -> Path:
    """The recorded verdicts on a paper's claims; without a paper, those of the papers in this
    package."""
    return (house_folder() if paper is None else record_folder(paper)) / "ledger.jsonl"


def recorded(about: str = "") -> list[LedgerLine]:
    """The recorded lines of all papers; with `about` only those in whose text it occurs."""
    return [
        line
        for file in sorted({ledger_file(paper) for paper in papers().values()})
        for line in read(file, about)
    ]


def record_lines(lines: Iterable[LedgerLine]) -> None:
    """Write lines into the ledgers of their papers, replacing the recorded lines of the same
    claims."""
    claims, by_file = all_claims(), dict[Path, list[LedgerLine]]()
    for line in lines:
        by_file.setdefault(ledger_file(claims[line.evidence.claim].source.paper), []).append(line)
    for file, fresh in by_file.items():
        record(file, fresh, claims)


def counterexample_file(claim_id: str) -> Path:
    """The file of the counterexample to a claim, which need not exist."""
    return record_folder(find_claim(claim_id).source.paper) / "counterexamples" / f"{claim_id}.json"


def run_task(task: CheckTask) -> LedgerLine:
    """Decide the claim of one task."""
    return decide(task.check(), find_claim(task.claim))


def run_tasks(
    tasks: Iterable[CheckTask],
    *,
    jobs: int,
    tell: Callable[[LedgerLine], None] = lambda line: None,
    missing: Callable[[CheckTask, MissingExtra], None] | None = None,
) -> list[LedgerLine]:
    """All lines, sorted by their keys, for any number of processes.

    `tell` is called with each line as it is done, `missing` with each check that needs an extra
    which is not installed; without `missing` the first of these ends the run.
    """
    check_kind("jobs", jobs, int)
    if jobs < 1:
        raise InvalidInput("jobs", "be at least 1", jobs)
    pending, lines = list(tasks), list[LedgerLine]()

    def done(task: CheckTask, outcome: Callable[[], LedgerLine]) -> None:
        try:
            lines.append(outcome())
        except MissingExtra as problem:
            if missing is None:
                raise
            missing(task, problem)
        else:
            tell(lines[-1])

    if jobs == 1 or len(pending) < 2:
        for task in pending:
            done(task, partial(run_task, task))
    else:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            submitted = {pool.submit(run_task, task): task for task in pending}
            for future in as_completed(submitted):
                done(submitted[future], future.result)
    return sorted(lines, key=lambda line: line.key)


def weak_links(verdict_of: Mapping[str, Verdict]) -> list[str]:
    """One sentence for each claim that is proved or refuted by a check that rests on a claim which
    is not proved."""
    told = []
    for task in all_tasks():
        needed = [
            claim for claim in task.check().rests_on if verdict_of.get(claim) is not Verdict.PROVED
        ]
        if needed and verdict_of.get(task.claim) in (Verdict.PROVED, Verdict.REFUTED):
            told.append(
                f"{task.claim}: {verdict_of[task.claim].name} rests on {', '.join(needed)}, not"
                " proved"
            )
    return told
