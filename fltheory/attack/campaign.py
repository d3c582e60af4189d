"""Attacks on many claims, in processes, with progress; each goes on where a killed one stopped."""

import queue
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from fltheory.attack import report, store
from fltheory.attack.decide import ratio_of
from fltheory.attack.moves import State
from fltheory.attack.search import ATTEMPTS, Attack, attack
from fltheory.attack.worst import worst_over_functions
from fltheory.claim_files import read_claims
from fltheory.claims import Claim, Order
from fltheory.errors import InvalidInput
from fltheory.ledger import Line, versions_now
from fltheory.papers import find_claim

SAVED_EVERY = 2.0
"""Seconds between two savings of the state of an attack, and between two tellings of how it goes."""


@dataclass(frozen=True)
class Task:
    """A claim to attack: one of the papers, or one of a file of the user's own."""

    claim: str
    seed: int = 0
    attempts: int = ATTEMPTS
    seconds: float | None = None
    own_file: str | None = None
    folder: str | None = None
    worst_case: bool = False

    def find(self) -> Claim:
        """The claim itself."""
        if self.own_file is None:
            return find_claim(self.claim)
        for claim in read_claims(Path(self.own_file)):
            if claim.id == self.claim:
                return claim
        raise InvalidInput(f"claim {self.claim}", f"be stated in {self.own_file}", "none of that id")


@dataclass(frozen=True)
class News:
    """How an attack goes: the best ratio so far, and where."""

    claim: str
    attempts: int
    best: str

    def __str__(self) -> str:
        return f"{self.claim}: {self.attempts} attempts, {self.best}"


@dataclass(frozen=True)
class Outcome:
    """What an attack found, in a form that another process can hand over."""

    line: Line
    data: dict[str, Any]
    text: str
    file: dict[str, Any] | None


_channel: list[Any] = []
"""Where a worker process tells its news."""


def run_all(tasks: Iterable[Task], *, jobs: int = 1, tell: Callable[[News], None] = lambda news: None) -> Iterator[Outcome]:
    """Outcomes as they come; with one job in the order of the tasks."""
    if jobs < 1:
        raise InvalidInput("jobs", "be at least 1", jobs)
    listed = list(tasks)
    if jobs == 1 or len(listed) == 1:
        for task in listed:
            yield run(task, tell=tell)
        return
    context = get_context("spawn")
    with context.Manager() as manager:
        news = manager.Queue()
        with ProcessPoolExecutor(jobs, mp_context=context, initializer=_channel.append, initargs=(news,)) as pool:
            pending: set[Future[Outcome]] = {pool.submit(run, task) for task in listed}
            while pending:
                done, pending = wait_for(pending, timeout=0.5, return_when="FIRST_COMPLETED")
                _drain(news, tell)
                for one in done:
                    yield one.result()


def _drain(news: Any, tell: Callable[[News], None]) -> None:
    while True:
        try:
            tell(news.get_nowait())
        except queue.Empty:
            return


def run(task: Task, *, tell: Callable[[News], None] | None = None) -> Outcome:
    """One attack, saved as it goes."""
    claim = task.find()
    folder = Path(task.folder) if task.folder else None
    send = tell or (_channel[0].put if _channel else lambda news: None)
    last = [time.monotonic()]

    def heard(claim: Claim, state: State) -> None:
        if time.monotonic() - last[0] > SAVED_EVERY:
            last[0] = time.monotonic()
            if folder is not None:
                store.save(folder, claim, task.seed, state)
            send(News(claim.id, state.attempts, _best(claim, state)))

    known = store.load(folder, claim, task.seed) if folder is not None else None
    found = attack(claim, seed=task.seed, attempts=task.attempts, seconds=task.seconds, state=known, tell=heard)
    if folder is not None:
        store.save(folder, claim, task.seed, found.state)
    return outcome(found, own_file=task.own_file, worst_case=task.worst_case)


def outcome(found: Attack, *, own_file: str | None = None, worst_case: bool = False) -> Outcome:
    """What is kept of an attack; with `worst_case`, what semidefinite programming says of the run that came closest."""
    line = Line(found.evidence, round(found.seconds, 2), versions_now())
    file = report.counterexample(found) if found.refuted else None
    worst = worst_over_functions(found.claim, found.instance) if worst_case and found.instance is not None else None
    text = report.as_text(found, own_file=own_file)
    if worst is not None:
        text += f"\n\nLead from semidefinite programming\n  left/right is at most {worst:.6g} over all functions of the class on that trace"
    return Outcome(line, {**report.as_data(found), "worst_case_ratio": worst}, text, file)


def _best(claim: Claim, state: State) -> str:
    if state.best is None:
        return "nothing admissible yet"
    score = state.best[1].score
    if isinstance(claim.statement, Order):
        return f"fastest growth scale^{score:.3g}: {state.best[1].says}"
    return f"best ratio {ratio_of(score):.4g}: {state.best[1].says}"
