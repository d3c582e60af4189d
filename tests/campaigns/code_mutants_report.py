"""The report of `make mutants`, code_mutants.md: scores, survivors and the reasons that are written
there by hand."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

LEAST = {"core": 0.85}
LEAST_OF_CHECKS = 0.95
"""Share of a module's mutants that must be stopped, in the core and in all that says yes."""
UNEXPLAINED = "NOT EXPLAINED."

INTRODUCTION = """# Mutation testing: {area}

`make mutants` changes one small thing at a time in a copy of the code (mutmut) and runs the \
tests that are about that module.
A mutant is stopped when a test fails, or when the time limit ends a run that a change made \
endless; every other mutant is a survivor and
counts against the score, whether it can be told from the code or not. Seconds are processor \
time of the last run, which may have repeated survivors alone. The change of each survivor, and \
of each
mutant that ran into the time limit, stands below with the reason; a survivor without a reason, \
or a score below {least:.0%}, fails the campaign.
`code` stands for the module as it was; a release brings the record up to date (RELEASING.md).

mutmut changes bodies of functions, and defaults that are names, numbers or strings. It leaves \
alone: module constants, defaults of
dataclass fields, decorators, annotations, docstrings, and the calls of `len` and `isinstance` \
with what is inside them. It has no operator
that deletes a statement, and a comparison only gains or loses its equality, or is negated. \
Properties, which it would leave alone too, are
opened into methods in the copy (`_body_of_...` below). Tests run with 40 examples for each \
property (100 in `make test`, unless a test says
how many); doctests and a few slow tests do not run, so the scores are those of fewer tests \
than `make test` has. A mutant may use 20 s of
processor time.

"""


@dataclass(frozen=True)
class Change:
    """One mutant: the function, the lines as they are, the lines as they became; and why it
    survives."""

    function: str
    old: str
    new: str
    why: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.function, self.old, self.new

    def line(self) -> str:
        return f"- {self.function}: `{self.old}` became `{self.new}`. {self.why}".rstrip()


@dataclass(frozen=True)
class Result:
    """What became of a module's mutants."""

    module: str
    tests: tuple[str, ...]
    total: int
    killed: int
    seconds: int
    late: tuple[Change, ...]
    survivors: tuple[Change, ...]
    code: str

    @property
    def score(self) -> float:
        return (self.killed + len(self.late)) / self.total if self.total else 0.0

    def headline(self) -> str:
        return (
            f"{self.module}: {self.score:.1%}, {self.total} mutants, {self.killed} killed,"
            f" {len(self.late)} timed out, {len(self.survivors)} survived, {self.seconds} s, code"
            f" {self.code}, {' '.join(self.tests)}"
        )

    def explained(self, recorded: "Mapping[str, Result]") -> "Result":
        """With the reasons that the record has for the same changes."""
        old = recorded.get(self.module)
        known = {change.key: change.why for change in (*old.late, *old.survivors)} if old else {}
        late, survivors = (
            tuple(replace(change, why=known.get(change.key) or UNEXPLAINED) for change in changes)
            for changes in (self.late, self.survivors)
        )
        return replace(self, late=late, survivors=survivors)


HEADLINE = re.compile(
    r"(?P<module>\S+): [\d.]+%, (?P<total>\d+) mutants, (?P<killed>\d+) killed, \d+ timed out, \d+"
    r" survived, "
    r"(?P<seconds>\d+) s, code (?P<code>\w+), (?P<tests>.+)"
)
ITEM = re.compile(r"- (?P<function>\S+): `(?P<old>.*)` became `(?P<new>.*?)`\. ?(?P<why>.*)")


def least(area: str) -> float:
    return LEAST.get(area, LEAST_OF_CHECKS)


def faults(result: Result, area: str) -> list[str]:
    """Sentences on what is wrong with a module's outcome."""
    low = (
        [f"{result.module}: {result.score:.1%} is below {least(area):.0%}"]
        if result.score < least(area)
        else []
    )
    bare = [change for change in (*result.late, *result.survivors) if change.why == UNEXPLAINED]
    return low + [f"{result.module}: {change.line()}" for change in bare]


def write(path: Path, area: str, results: Mapping[str, Result]) -> None:
    """The whole report of an area."""
    parts = [INTRODUCTION.format(area=area, least=least(area))]
    killed, total = (
        sum(numbers)
        for numbers in zip(
            *((r.killed + len(r.late), r.total) for r in results.values()), strict=True
        )
    )
    seconds = sum(result.seconds for result in results.values())
    parts.append(
        f"All modules: {killed / total:.1%}, {killed} of {total} mutants stopped, {seconds} s.\n\n"
    )
    for result in results.values():
        parts.append(f"## {result.headline()}\n\n")
        for title, changes in (
            ("Stopped by the time limit:", result.late),
            ("Survivors:", result.survivors),
        ):
            if changes:
                parts.append(
                    "\n".join([title, "", *(change.line() for change in changes)]) + "\n\n"
                )
    path.write_text("".join(parts).rstrip() + "\n", encoding="utf-8")


def read(path: Path) -> dict[str, Result]:
    """The recorded outcomes with their reasons; an absent file holds none."""
    found: dict[str, Result] = {}
    changes: dict[str, list[Change]] = {}
    for section in path.read_text(encoding="utf-8").split("\n## ")[1:] if path.exists() else []:
        head, *lines = section.splitlines()
        match = HEADLINE.fullmatch(head)
        if match is None:
            raise SystemExit(f"{path.name}: not a headline: {head}")
        changes, title = {"Stopped by the time limit:": [], "Survivors:": []}, ""
        for line in lines:
            title = line if line in changes else title
            if item := ITEM.fullmatch(line):
                changes[title].append(Change(**item.groupdict()))
        late, survivors = (tuple(found_here) for found_here in changes.values())
        found[match["module"]] = Result(
            match["module"],
            tuple(match["tests"].split()),
            int(match["total"]),
            int(match["killed"]),
            int(match["seconds"]),
            late,
            survivors,
            match["code"],
        )
    return found
