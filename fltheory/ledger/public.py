"""Ask the ledger: explain a claim, cite its paper, replay its counterexample, write the report, see
how loose a bound is."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from fltheory.claims.evidence import Verdict
from fltheory.claims.record import record_folder
from fltheory.core.durable import replace_text
from fltheory.core.errors import InvalidInput
from fltheory.core.extras import require
from fltheory.core.results import Table, as_data, as_html, as_text
from fltheory.core.types import Json, JsonValue
from fltheory.ledger import runner
from fltheory.ledger.attack_record import recorded_attacks, standing
from fltheory.ledger.counterexamples import read_file
from fltheory.ledger.explain import Explanation, bibtex, explanation, recorded_counterexample
from fltheory.ledger.lines import verdicts
from fltheory.papers import all_claims, claims_of, find_claim, is_claim, papers

if TYPE_CHECKING:
    from fltheory.ledger.replays import Replay


def explain(claim_id: str, *, claims: str | Path | None = None) -> Explanation:
    """What a claim says, whether it is true, and how we know; `claims` is the .toml file that
    states the claim, where it is not a claim of a paper.

    >>> explain("fraboni.ex2").verdict
    'REFUTED'
    """
    if claims is not None:
        from fltheory.ledger.own_claims import explanation_of_own
        from fltheory.papers.claim_files import find_own_claim

        return explanation_of_own(find_own_claim(Path(claims), claim_id), Path(claims))
    claim = find_claim(claim_id)
    lines = runner.recorded(f'"{claim.source.paper.key}.')  # corrections are of the same paper
    verdict_of = verdicts(lines)
    attacks = [line for line in recorded_attacks(claim_id) if line.evidence.claim == claim_id]
    return explanation(
        claim,
        [line for line in lines if line.evidence.claim == claim_id],
        list(claims_of(claim.source.paper.key).values()),
        recorded_counterexample(claim),
        attacks=standing(attacks, verdict_of.get(claim_id, Verdict.UNDECIDED)),
        verdict_of=verdict_of,
    )


@dataclass(frozen=True, repr=False)
class Citation:
    """The paper of a claim, as BibTeX."""

    id: str
    bibtex: str

    def to_dict(self) -> Json:
        return {"id": self.id, "bibtex": self.bibtex}

    def tables(self) -> list[Table]:
        return [Table(self.id, (), [(self.bibtex,)])]

    def __repr__(self) -> str:
        return self.bibtex

    _repr_html_ = as_html


def cite(claim_id: str) -> Citation:
    """The paper of a claim, as BibTeX.

    >>> print(cite("mifa.thm5.1"))  # doctest: +ELLIPSIS
    @inproceedings{mifa2021,
    ...
    """
    return Citation(claim_id, bibtex(find_claim(claim_id)))


def replay(file: str | Path, *, claims: str | Path | None = None) -> "Replay":
    """Check a counterexample again: run it and compare both sides of its claim exactly.

    `file` is a counterexample file, or the id of a claim for the recorded one. `claims` is the
    .toml file that states the claim, where it is not a claim of a paper.

    >>> replay("fedlaavg.thm1.fixed").confirmed
    True
    """
    from fltheory.ledger.replays import replay as replay_data
    from fltheory.papers.claim_files import find_own_claim

    recorded = not Path(file).exists() and is_claim(str(file))
    data = read_file(runner.counterexample_file(str(file)) if recorded else Path(file))
    name = data["claim"]
    claim = find_claim(name) if claims is None else find_own_claim(Path(claims), name)
    return replay_data(data, claim)


@dataclass(frozen=True, repr=False)
class WrittenReport:
    """The written report: its file, and how many claims have which verdict."""

    file: str
    summary: str

    def to_dict(self) -> Json:
        return {"file": self.file, "summary": self.summary}

    def tables(self) -> list[Table]:
        return [Table("", (), [(self.file, self.summary)])]

    def __repr__(self) -> str:
        return f"{self.file}: {self.summary}"

    _repr_html_ = as_html


def report(output: str | Path) -> WrittenReport:
    """Write the ledger as one page (.html, .md or .tex): each claim, its verdict and its evidence;
    counterexample files are copied beside it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     "claims in all" in report(f"{folder}/ledger.md").summary
    True
    """
    from fltheory.ledger.report import render
    from fltheory.ledger.report_rows import rows, totals

    file = Path(output)
    found = rows(list(all_claims().values()), runner.recorded(), recorded_attacks())
    text = render(found, file.suffix)
    replace_text(file, text, make_folder=True)
    for folder in sorted({record_folder(paper) for paper in papers().values()}):
        examples = folder / "counterexamples"
        if examples.is_dir() and file.parent.resolve() != folder.resolve():
            shutil.copytree(examples, file.parent / "counterexamples", dirs_exist_ok=True)
    return WrittenReport(str(file), totals(found))


LOOSENESS_COLUMNS = {
    "num_rounds": "rounds",
    "local_steps": "steps",
    "max_staleness": "oldest",
    "mean_staleness": "mean age",
    "worst_case": "worst case",
    "bound": "bound",
    "ratio": "worst/bound",
}
"""Fields of a row and their titles; `oldest` and `mean age` are the staleness in rounds."""


@dataclass(frozen=True, repr=False)
class Looseness:
    """Worst cases beside theorems' bounds: one row per theorem and point of a sweep."""

    rows: tuple[Json, ...]
    bad: tuple[str, ...] = ()
    """What is wrong with claims of one's own that have no worst case to compare."""

    @property
    def complete(self) -> bool:
        """Whether every worst case could be computed."""
        return all(row["ratio"] is not None for row in self.rows)

    def to_dict(self) -> Json:
        return {"rows": as_data(self.rows)}

    def tables(self) -> list[Table]:
        """One table per theorem and sweep, narrow enough for a terminal of 80 columns."""
        return [
            Table(
                f"{theorem} along {str(sweep).replace('_', ' ')} (ages in rounds)",
                tuple(LOOSENESS_COLUMNS.values()),
                [
                    [_short(row[name]) for name in LOOSENESS_COLUMNS]
                    for row in self.rows
                    if (row["theorem"], row["along"]) == (theorem, sweep)
                ],
            )
            for theorem, sweep in dict.fromkeys((row["theorem"], row["along"]) for row in self.rows)
        ]

    __repr__ = as_text
    _repr_html_ = as_html


def looseness(
    *theorems: str,
    along: Sequence[str] = (),
    watch: Callable[[int, str], None] = lambda total, says: None,
) -> Looseness:
    """How far a theorem's bound lies above the worst that can happen, by semidefinite programming.

    `theorems` are ids of claims (all that have a sweep by default), or a .toml file of one's own
    claims, `along` what is varied:
    num_rounds, local_steps, max_staleness or mean_staleness. Data is exact and without noise.
    `watch` is called before each worst case, with their number and what is computed.

    >>> found = looseness("afl.thm2c", along=["num_rounds"])  # doctest: +SKIP
    """
    from fltheory.ledger import looseness as worst
    from fltheory.ledger.own_claims import own_sweeps

    require("worst-case", "looseness")
    files = [one for one in theorems if one.endswith(".toml")]
    bad: list[str] = []
    known = worst.theorems()
    listed = [one for one in theorems or known if one not in files]
    for file in files:
        own = own_sweeps(Path(file), bad)
        known, listed = known | own, [*listed, *own]
    if bad and not listed:
        raise InvalidInput("claims of the file", "have a worst case to compare", "; ".join(bad))
    found = worst.table(listed, list(along or worst.SWEEPS), known=known, watch=watch)
    return Looseness(tuple(cast(Json, row) for row in found), tuple(bad))


def _short(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.5g}" if isinstance(value, int | float) else "-"
