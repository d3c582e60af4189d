"""Measure the attacker's power on claims of other people's papers, whose ids tell whether they are
true: python -m tests.campaigns.attacker.outside.power SET [--seconds S] [--only PATTERN] [--record]

SET is `test` (the frozen set) or a file beside this one, such as `dev.toml`.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fltheory.attacks.search import attack
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.papers.claim_files import read_claims
from tests.campaigns import record
from tests.campaigns.attacker.outside.frozen import MISLABELLED

HERE = Path(__file__).parent
PAGE = HERE / "power.md"
SECONDS = 30.0

INTRODUCTION = """# Power on claims from outside

What `make power POWER=--record` wrote: true theorems of other people's papers as claim files, and
the same theorems with errors as they occur in print. The files in `test/` were committed before
they were attacked for the first time, and have not changed since (`frozen.txt`). A false claim
counts as found if it is refuted within {seconds:g} s of search on one core, with seed 0; no true
claim may be refuted.
"""


@dataclass(frozen=True)
class Tried:
    """A claim, its label and what the attack said."""

    claim: Claim
    verdict: str
    note: str
    ratio: str
    searched: float

    @property
    def false(self) -> bool:
        return ".false." in self.claim.id

    @property
    def refuted(self) -> bool:
        return self.verdict == Verdict.REFUTED.name

    @property
    def mark(self) -> str:
        """Whether the attack was right."""
        if self.refuted == self.false:
            return "ok"
        return "MISSED" if self.false else "WRONG"

    def line(self) -> str:
        """One line for the terminal."""
        told = f"{self.verdict} {self.ratio[:30]} {self.searched:.1f} s; {self.note[:100]}"
        return f"{self.mark:6} {self.claim.id} {told}"


def claims_of_set(name: str) -> list[Claim]:
    """The claims of a file, or of all files of a folder."""
    path = HERE / name
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    return [claim for file in files for claim in read_claims(file) if claim.id not in MISLABELLED]


def tried(claim: Claim, seconds: float) -> Tried:
    """One attack."""
    found = attack(claim, seconds=seconds)
    evidence = found.evidence
    return Tried(claim, evidence.verdict.name, evidence.note, evidence.looseness, found.searched)


def summary(outcomes: Iterable[Tried]) -> str:
    """The figure, in one line.

    >>> summary([])
    '0 of 0 false claims refuted; 0 of 0 true claims refuted'
    """
    every = list(outcomes)
    false, true = ([one for one in every if one.false is label] for label in (True, False))
    return (
        f"{sum(one.refuted for one in false)} of {len(false)} false claims refuted;"
        f" {sum(one.refuted for one in true)} of {len(true)} true claims refuted"
    )


def page(outcomes: Sequence[Tried], seconds: float) -> tuple[str, dict[str, Sequence[str]]]:
    """The introduction with the misses, and one row for each paper."""
    rows: dict[str, Sequence[str]] = {}
    for key in sorted({one.claim.id.split(".")[0] for one in outcomes}):
        own = [one for one in outcomes if one.claim.id.split(".")[0] == key]
        false, true = ([one for one in own if one.false is label] for label in (True, False))
        rows[key] = (
            f"{sum(one.refuted for one in false)} of {len(false)}",
            f"{sum(one.refuted for one in true)} of {len(true)}",
            own[0].claim.source.paper.title,
        )
    missed = [f"- `{one.claim.id}`: {one.claim.says}" for one in outcomes if one.mark == "MISSED"]
    wrong = [f"- `{one.claim.id}` is true" for one in outcomes if one.mark == "WRONG"]
    parts = [INTRODUCTION.format(seconds=seconds), f"\n**{summary(outcomes)}.**\n"]
    for title, listed in (("Missed", missed), ("Refuted although true", wrong)):
        parts += [f"\n{title}:\n\n", "\n".join(listed) + "\n"] if listed else []
    return "".join(parts), rows


def main(arguments: Sequence[str]) -> int:
    """Attack every claim of a set; the exit code is 1 if a true claim was refuted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", nargs="?", default="test")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--only", default="", help="part of the ids")
    parser.add_argument("--record", action="store_true", help="write power.md")
    given = parser.parse_args(arguments)
    outcomes = []
    for claim in claims_of_set(given.set):
        if given.only in claim.id:
            outcomes.append(tried(claim, given.seconds))
            print(outcomes[-1].line(), flush=True)
    print(f"{summary(outcomes)}; {given.seconds:g} s each, seed 0")
    if given.record:
        introduction, rows = page(outcomes, given.seconds)
        record.write(PAGE, introduction, ("paper", "false refuted", "true refuted", "title"), rows)
    return int(any(one.mark == "WRONG" for one in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
