"""Has the attacker teeth? Mutants are attacked by search alone, and true claims again and again
under new seeds."""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from fltheory.attacks.search import Attack, attack, spaces_for
from fltheory.claims.claim import Claim
from fltheory.core.errors import InvalidInput
from fltheory.papers import find_claim
from tests.campaigns.attacker.mutant_file import Mutant, find_mutant

MOST_ATTEMPTS = 20_000
"""Attempts on a mutant at most; its seconds usually end before."""


@dataclass(frozen=True)
class Trial:
    """One attack on a mutant or on a true claim: `name` is the id of either, `reason` why it
    survived or what broke it."""

    name: str
    refuted: bool
    attempts: int
    instances: int
    seconds: float
    reason: str
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "id": self.name,
            "refuted": self.refuted,
            "attempts": self.attempts,
            "instances": self.instances,
            "seconds": round(self.seconds, 2),
            "seed": self.seed,
            "reason": self.reason,
        }


def try_mutant(name: str, seed: int, attempts: int, seconds: float) -> Trial:
    """Attack one mutant; the witness that shows it false is not handed over."""
    mutant: Mutant = find_mutant(name)
    return _trial(name, mutant.claim, seed, attempts, seconds)


def try_claim(name: str, seed: int, attempts: int, seconds: float) -> Trial:
    """Attack one claim of a paper."""
    return _trial(name, find_claim(name), seed, attempts, seconds)


def _trial(name: str, claim: Claim, seed: int, attempts: int, seconds: float) -> Trial:
    started = time.process_time()
    found = attack(claim, seed=seed, attempts=attempts, seconds=seconds)
    return Trial(
        name,
        found.refuted,
        found.state.tries,
        found.state.instances,
        time.process_time() - started,
        _reason(found),
        seed,
    )


def _reason(found: Attack) -> str:
    if found.refuted:
        return (
            f"{found.evidence.left} against {found.evidence.right}:"
            f" {found.instance.says if found.instance else ''}"
        )
    return found.evidence.note


Try = Callable[[str, int, int, float], Trial]
Job = tuple[Try, str, int, int, float]


def run_trials(
    work: Iterable[Job], *, jobs: int, tell: Callable[[Trial], None] = lambda trial: None
) -> list[Trial]:
    """All trials, sorted by name and seed whatever the number of processes; `tell` hears of each as
    it is done."""
    if jobs < 1:
        raise InvalidInput("jobs", "be at least 1", jobs)
    pending, done = list(work), []
    if jobs == 1 or len(pending) < 2:
        for run, name, seed, attempts, seconds in pending:
            done.append(run(name, seed, attempts, seconds))
            tell(done[-1])
    else:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            futures = [
                pool.submit(run, name, seed, attempts, seconds)
                for run, name, seed, attempts, seconds in pending
            ]
            for one in as_completed(futures):
                done.append(one.result())
                tell(done[-1])
    return sorted(done, key=lambda trial: (trial.name, trial.seed))


def on_mutants(
    names: Iterable[str], *, seed: int, seconds: float, attempts: int = MOST_ATTEMPTS
) -> Iterator[Job]:
    """The work of attacking mutants."""
    return ((try_mutant, name, seed, attempts, seconds) for name in names)


def on_true_claims(
    claims: Iterable[Claim], *, count: int, seed: int, attempts: int, seconds: float
) -> Iterator[Job]:
    """`count` attacks on claims that are held to be true, claim after claim, with a new seed in
    every turn."""
    able = [claim.id for claim in claims if spaces_for(claim)]
    if not able:
        raise InvalidInput("true claims to attack", "be at least one that a space serves", "none")
    for index in range(count):
        yield try_claim, able[index % len(able)], seed + index // len(able), attempts, seconds
