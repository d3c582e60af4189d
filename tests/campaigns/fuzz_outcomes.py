"""Outcomes of fuzzing a reader, and the page that records them."""

import ast
import inspect
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.campaigns import record
from tests.campaigns.readers import READERS, Reader

ROOT = Path(__file__).parent.parent.parent


SECONDS, MEGABYTES, LENGTH = 2, 1024, 4096


RUNS = 100_000


LEAST_PAST_FORMAT = 0.2


RECORD = Path(__file__).with_name("fuzz.md")


INTRODUCTION = """# Fuzzing of every reader of users' files

What `make fuzz FUZZ=--record` wrote: inputs that each reader got from atheris, the largest \
memory of its process, how many inputs got past
the check of the format, how many were accepted, by how many rules others were refused, and \
what was found (an exception that escaped, more
than 2 s for an input, more than 1 GB). `code` stands for the modules that read, as they were: \
`make fuzz FUZZ='--stale --record'` runs
what has changed since.
"""


HEADER = (
    "reader",
    "inputs",
    "MB",
    "past the format",
    "accepted",
    "kinds of refusal",
    "findings",
    "with",
    "code",
)


MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Files are written a hundred thousand times: into memory, where there is such a folder."""


@dataclass(frozen=True)
class Outcome:
    """What a campaign against one reader came to."""

    inputs: int
    megabytes: int
    seconds: float
    tally: Counter[str]
    finding: str

    @property
    def refusals(self) -> int:
        return sum(kind.startswith("refused") for kind in self.tally)

    @property
    def accepted(self) -> float:
        return self.tally["accepted"] / max(sum(self.tally.values()), 1)

    def __str__(self) -> str:
        return (
            f"{self.inputs} inputs, {self.seconds:.0f} s, {self.megabytes} MB,"
            f" {past_format(self.tally):.0%} past the format, {self.accepted:.1%} accepted,"
            f" {self.refusals} kinds of refusal, {'FINDING' if self.finding else 'nothing found'}"
        )

    def row(self, name: str) -> tuple[str, ...]:
        return (
            str(self.inputs),
            str(self.megabytes),
            f"{past_format(self.tally):.0%}",
            f"{self.accepted:.1%}",
            str(self.refusals),
            "YES" if self.finding else "none",
            record.versions("atheris"),
            record.fingerprint(code_of(READERS[name])),
        )


def past_format(tally: Counter[str]) -> float:
    return 1 - tally["format"] / max(sum(tally.values()), 1)


def code_of(reader: Reader) -> set[str]:
    """The files that read: those of the calls that it answers for, and those that it imports."""
    imported = (
        node.module
        for node in ast.walk(ast.parse(inspect.getsource(reader.read).lstrip()))
        if isinstance(node, ast.ImportFrom) and node.module
    )
    files = {f"{module.replace('.', '/')}.py" for module in imported} | {
        site.split(":")[0] for site in reader.sites
    }
    return {
        name for name in files if (ROOT / name).exists() and not name.startswith("fltheory/errors")
    }


def stale(names: list[str], runs: int) -> list[str]:
    """Readers that have no recorded campaign of so many inputs with nothing found, against the code
    as it is."""
    known = {name: (int(row[0]), row[5], row[-1]) for name, row in record.read(RECORD).items()}
    good = {
        name
        for name, (inputs, findings, code) in known.items()
        if name in READERS
        and inputs >= runs
        and findings == "none"
        and code == record.fingerprint(code_of(READERS[name]))
    }
    return [name for name in names if name not in good]
