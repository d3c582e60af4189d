"""Where the record of a paper is kept: ledger, counterexamples and certificates."""

from pathlib import Path

from fltheory.claims.claim import Paper

PACKAGE = Path(__file__).parents[1]


def house_folder() -> Path:
    """The record of the papers in this package: inside an installed package, beside it in a
    checkout."""
    installed = PACKAGE / "record"
    return installed if installed.is_dir() else PACKAGE.parent / "verification"


def record_folder(paper: Paper) -> Path:
    """The record of a paper: its own folder if it names one, else that of this package."""
    return house_folder() if paper.record is None else paper.record
