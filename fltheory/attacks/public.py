"""Attack claims of the papers, or claims of one's own: search, decide exactly, shrink."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from textwrap import shorten

from fltheory.attacks.campaign import AttackOutcome, AttackTask, News
from fltheory.attacks.entries import AttackEntry
from fltheory.attacks.records import record_all, write_file
from fltheory.attacks.search import ATTEMPTS
from fltheory.attacks.summary import as_markdown
from fltheory.attacks.workers import run_all
from fltheory.core.checked import check_kind
from fltheory.core.errors import InvalidInput
from fltheory.core.extras import require
from fltheory.core.results import Table, as_data, as_html, as_text
from fltheory.core.types import Json
from fltheory.core.words import counted
from fltheory.papers import is_claim, matching
from fltheory.papers.claim_files import read_claims

LONGEST_RATIO, LONGEST_CELL = 14, 160
"""Most characters of a ratio and of a description in a table."""


@dataclass(frozen=True, repr=False)
class Attacks:
    """The outcome of each attack, by claim; `seconds` is the time that they took together; `bad`
    says what is wrong with claims that could not be read."""

    outcomes: tuple[AttackOutcome, ...]
    seed: int
    attempts: int
    jobs: int
    seconds: float
    bad: tuple[str, ...] = ()

    @property
    def entries(self) -> list[AttackEntry]:
        """One entry per claim, as `fltheory attack --json` prints them."""
        return [found.data for found in self.outcomes]

    @property
    def failed(self) -> bool:
        """Whether an attack met an error of its own."""
        return any(entry["failed"] for entry in self.entries)

    @property
    def refuted(self) -> tuple[str, ...]:
        """Ids of the claims that were broken."""
        return tuple(e["id"] for e in self.entries if e["verdict"] == "REFUTED")

    def summary(self) -> str:
        """All outcomes as Markdown."""
        return as_markdown(
            self.entries,
            wall=self.seconds,
            seed=self.seed,
            attempts=self.attempts,
            jobs=self.jobs,
        )

    def to_dict(self) -> Json:
        return {"seed": self.seed, "attempts": self.attempts, "attacks": as_data(self.entries)}

    def tables(self) -> list[Table]:
        """A line per claim, then the attacks that failed, then totals."""
        entries = self.entries
        rows = [
            (e["id"], e["verdict"], _short(e["ratio"]), str(e["instances"]), _found(e))
            for e in entries
            if not e["failed"]
        ]
        header = ("claim", "verdict", "left/right", "tried", "where it broke, or what was found")
        tables = [Table("", header, rows)] if rows else []
        failed = [(e["id"], e["note"]) for e in entries if e["failed"]]
        if failed:
            title = "attacks that failed because of an error of their own"
            tables.append(Table(title, ("claim", "error"), failed))
        verdicts = [e["verdict"] for e in entries]
        totals = [(name, str(verdicts.count(name))) for name in sorted(set(verdicts))]
        spent = sum(found.line.seconds for found in self.outcomes)
        instances = sum(e["instances"] for e in entries)
        title = (
            f"{counted(len(entries), 'claim')} attacked with"
            f" {counted(instances, 'admissible instance')} in {spent:.0f} CPU seconds"
        )
        return [*tables, Table(title, ("verdict", "claims"), totals)]

    def __repr__(self) -> str:
        if len(self.outcomes) != 1:
            return as_text(self)
        (found,) = self.outcomes
        path = found.data["counterexample"]
        return found.text.replace(" FILE", f" {path}") if path else found.text

    _repr_html_ = as_html


def attack(
    *patterns: str,
    attempts: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    jobs: int = 1,
    store: str | Path | None = None,
    output: str | Path | None = None,
    worst_case: bool = False,
    record: bool = False,
    begin: Callable[[int], None] = lambda total: None,
    done: Callable[[AttackOutcome], None] = lambda found: None,
    tell: Callable[[News], None] = lambda news: None,
) -> Attacks:
    """Search for a counterexample to each claim, decide exactly, and shrink what breaks it.

    `patterns` are ids, prefixes or patterns of claims, "all", or a .toml file of one's own claims.
    `attempts` (400 by default) and `seconds` (of processor time; there is no default limit on
    attempts then) limit the search per claim; the same seed and attempts give the same outcome.
    Interrupted attacks resume from the folder `store`;
    counterexample files are written into the folder `output`. With `worst_case`, the largest ratio
    over all functions is added for the run that came closest.

    >>> attack("fraboni.ex2.iff", attempts=50).refuted
    ('fraboni.ex2.iff',)
    """
    check_kind("seed", seed, int)
    if not 0 <= seed < 1 << 64:
        raise InvalidInput("seed", "be a whole number in [0, 2^64)", seed)
    if attempts is not None:
        check_kind("attempts", attempts, int)
        if attempts < 1:
            raise InvalidInput("attempts", "be at least 1", attempts)
    if worst_case:
        require("worst-case", "the worst ratio over all functions")
    bad: list[str] = []
    folder = None if store is None else str(store)
    tasks = [
        AttackTask(claim, seed, attempts, seconds, own, folder, worst_case)
        for claim, own in chosen_claims(patterns, bad=bad)
    ]
    if bad and not tasks:
        raise InvalidInput("claims of the file", "be in order", "; ".join(bad))
    if record and any(task.own_file for task in tasks):
        raise InvalidInput("--record", "be for claims of the papers", "a file of your own")
    begin(len(tasks))
    outcomes, started = list[AttackOutcome](), time.monotonic()
    for found in run_all(tasks, jobs=jobs, tell=tell):
        outcomes.append(found)
        if output is not None and found.file is not None:
            found.data["counterexample"] = str(write_file(Path(output), found))
        done(found)
    outcomes.sort(key=lambda found: found.data["id"])
    if record:
        record_all(outcomes)
    most = max((e.data["attempts"] for e in outcomes), default=0) if seconds else ATTEMPTS
    return Attacks(
        tuple(outcomes), seed, attempts or most, jobs, time.monotonic() - started, tuple(bad)
    )


def chosen_claims(
    patterns: Sequence[str], *, bad: list[str] | None = None
) -> list[tuple[str, str | None]]:
    """Ids, each with the file of one's own that states it; every id once. What is wrong with single
    claims of a file is added to `bad`, if it is given."""
    found: dict[str, str | None] = {}
    for pattern in patterns:
        if pattern.endswith(".toml"):
            own = {claim.id: pattern for claim in read_claims(Path(pattern), bad=bad)}
            twice = next((name for name in own if found.get(name, pattern) != pattern), None)
            if twice:
                raise InvalidInput(
                    f"claim {twice}",
                    "be stated in one file, for its results go by its id",
                    f"{found[twice]} and {pattern}",
                )
            found |= own
        elif os.sep in pattern or Path(pattern).is_file():
            raise InvalidInput(
                "file to attack",
                "be a .toml file of claims (docs/attack-your-claim.md); those of the papers go by "
                "their ids, such as afl.thm2, or by patterns",
                repr(pattern[-80:]),
            )
        elif is_claim(pattern):
            found[pattern] = None
        else:
            found |= {claim.id: None for claim in matching([] if pattern == "all" else [pattern])}
    return list(found.items())


def _short(ratio: str) -> str:
    """A ratio that fits into a column: in decimals where its digits would not.

    >>> _short("12/11"), _short("281474976710656/152587890625"), _short("oo")
    ('12/11', '1844.67', 'oo')
    """
    if len(ratio) <= LONGEST_RATIO:
        return ratio
    try:
        return f"{float(Fraction(ratio)):.6g}"
    except (ValueError, OverflowError):
        return ratio.rpartition("(about ")[2].rstrip(")")  # a formula stays as it is


def _found(entry: AttackEntry) -> str:
    """What to say of an outcome in one cell, in whole words; a proof that the conditions contradict
    each other is told in full."""
    told = entry["where"] if entry["verdict"] == "REFUTED" else entry["note"]
    return (
        told if entry["verdict"] == "VACUOUS" else shorten(told, LONGEST_CELL, placeholder=" ...")
    )
