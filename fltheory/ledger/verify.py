"""Decide the claims of the papers and compare the verdicts with the record."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fltheory.claims.evidence import Evidence, Verdict
from fltheory.core.durable import replace_text
from fltheory.core.extras import MissingExtra
from fltheory.core.results import Table, as_data, as_dict, as_html, as_text
from fltheory.core.types import Json
from fltheory.core.words import counted
from fltheory.ledger import runner
from fltheory.ledger.attack_record import contradicted
from fltheory.ledger.counterexamples import to_file
from fltheory.ledger.lines import LedgerLine, differences, verdicts
from fltheory.papers import all_claims, matching


@dataclass(frozen=True)
class NotChecked:
    """A check that needs an extra which is not installed."""

    claim: str
    extra: str

    def __str__(self) -> str:
        return f"not checked: needs the extra {self.extra}"


@dataclass(frozen=True, repr=False)
class Verification:
    """What the checks found: `lines` of evidence, the overall verdict on each claim, sentences on
    what differs from the ledger, and checks that could not be made."""

    lines: tuple[LedgerLine, ...]
    verdicts: dict[str, Verdict]
    differences: tuple[str, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether every verdict is as recorded."""
        return not self.differences

    @property
    def entries(self) -> list[Json]:
        """One entry per check, as `fltheory verify --json` prints them."""
        return [
            as_dict({**line.to_json(), "overall": self.verdicts[line.evidence.claim].name})
            for line in self.lines
        ]

    def to_dict(self) -> Json:
        return {
            "agrees": self.agrees,
            "verdicts": {claim: verdict.name for claim, verdict in self.verdicts.items()},
            "lines": as_data(self.entries),
            "differences": list(self.differences),
            "not_checked": {missing.claim: missing.extra for missing in self.not_checked},
        }

    def tables(self) -> list[Table]:
        """One table of verdicts per paper, then what was not checked, then totals."""
        by_claim: dict[str, list[Evidence]] = {}
        for line in self.lines:
            by_claim.setdefault(line.evidence.claim, []).append(line.evidence)
        tables = []
        for paper in sorted({claim.split(".")[0] for claim in by_claim}):
            rows = [
                (
                    claim,
                    self.verdicts[claim].name,
                    ", ".join(sorted({x.method.value for x in found})),
                    _short(found[0].looseness),
                )
                for claim, found in sorted(by_claim.items())
                if claim.startswith(f"{paper}.")
            ]
            tables.append(Table(paper, ("claim", "verdict", "by", "left/right"), rows))
        if self.not_checked:
            missing = [(one.claim, str(one)) for one in self.not_checked]
            tables.append(Table("not checked", ("claim", "reason"), missing))
        return [*tables, self._totals(by_claim)]

    def _totals(self, claims: Iterable[str]) -> Table:
        known = [self.verdicts[claim] for claim in claims]
        rows = [(v.name, str(known.count(v)), v.value) for v in Verdict if v in known]
        seconds = sum(line.seconds for line in self.lines)
        differ = len(self.differences)
        title = (
            f"{counted(len(known), 'claim')} by {counted(len(self.lines), 'check')} in"
            f" {seconds:.0f} CPU seconds;"
            f" {differ} {'differs' if differ == 1 else 'differ'} from the ledger"
        )
        return Table(title, ("verdict", "claims", "meaning"), rows or [("-", "0", "-")])

    __repr__ = as_text
    _repr_html_ = as_html


def verify(
    *patterns: str,
    full: bool = False,
    record: bool = False,
    jobs: int = 1,
    begin: Callable[[int], None] = lambda total: None,
    tell: Callable[[LedgerLine], None] = lambda line: None,
) -> Verification:
    """Decide claims by proof, enumeration, exact runs or sweeps, and compare with the ledger.

    `patterns` are ids, prefixes or patterns of claims; without one, all claims are decided. Slow
    checks run only with `full`. With `record` all checks run and the outcome is written into the
    ledger. `begin` hears how many checks there are, `tell` each line as it is found.

    >>> found = verify("fraboni.ex2.iff")
    >>> found.agrees, found.verdicts["fraboni.ex2.iff"].name
    (True, 'REFUTED')
    """
    # one by one, so that a pattern that matches nothing is refused beside one that does
    wanted = {
        claim.id
        for one in ([[pattern] for pattern in patterns] if patterns else [[]])
        for claim in matching(one)
    }
    complete = full or record
    every = runner.all_tasks()
    tasks = [task for task in every if task.claim in wanted and (complete or not task.slow)]
    idle = [f"{claim}: no check decides it" for claim in sorted(wanted - {t.claim for t in every})]
    begin(len(tasks))
    missing: list[NotChecked] = []

    def note(task: runner.CheckTask, problem: MissingExtra) -> None:
        missing.append(NotChecked(task.claim, problem.extra))

    lines = runner.run_tasks(tasks, jobs=jobs, tell=tell, missing=None if record else note)
    if record:
        record_outcome(lines)
        overall = verdicts(lines)
        return Verification(tuple(lines), overall, tuple(idle + contradicted(overall)))
    recorded = runner.recorded()
    unchecked = {one.claim for one in missing}
    told = idle + differences(
        [line for line in recorded if line.evidence.claim not in unchecked],
        [line for line in lines if line.evidence.claim not in unchecked],
        complete=complete,
    )
    told += differences(
        [line for line in recorded if line.evidence.claim in unchecked],
        [line for line in lines if line.evidence.claim in unchecked],
        complete=False,
    )
    overall = verdicts(lines + _not_run(recorded, lines, wanted if not complete else unchecked))
    told += runner.weak_links(verdicts(recorded) | overall)
    told += contradicted(overall)
    return Verification(tuple(lines), overall, tuple(told), tuple(sorted(missing, key=str)))


def _not_run(
    recorded: Iterable[LedgerLine], lines: Iterable[LedgerLine], claims: set[str]
) -> list[LedgerLine]:
    """Recorded lines of these claims whose checks were not run: the record speaks for them."""
    ran = {line.key for line in lines}
    return [line for line in recorded if line.key not in ran and line.evidence.claim in claims]


def record_outcome(lines: Sequence[LedgerLine]) -> None:
    """Write the ledger, and a counterexample file for each refuted claim."""
    claims = all_claims()
    runner.record_lines(lines)
    refuted: dict[str, Evidence] = {}
    for line in lines:
        if line.evidence.counterexample is not None:
            refuted.setdefault(line.evidence.claim, line.evidence)
    for claim_id in {line.evidence.claim for line in lines}:
        path = runner.counterexample_file(claim_id)
        if claim_id in refuted:
            written = to_file(claims[claim_id], refuted[claim_id], by_check=True)
            replace_text(path, json.dumps(written, indent=1) + "\n")
        else:
            path.unlink(missing_ok=True)


def _short(looseness: str) -> str:
    """A ratio as text of a few characters: short ones as they are, long ones as a decimal."""
    if len(looseness) <= 12:
        return looseness
    try:
        return f"{float(Fraction(looseness)):.4g}"
    except (ValueError, ZeroDivisionError):
        return looseness.split("about ")[-1].rstrip(")")[:12]
