"""Decide the claims of the papers and compare the verdicts with the record."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from fltheory.claims.claim import Claim, Severity
from fltheory.claims.evidence import Verdict
from fltheory.core.durable import replace_text
from fltheory.core.extras import MissingExtra
from fltheory.core.results import Table, as_data, as_dict, as_html, as_text
from fltheory.core.types import Json
from fltheory.core.words import counted
from fltheory.ledger import runner
from fltheory.ledger.attack_record import contradicted
from fltheory.ledger.claim_list import tally_table
from fltheory.ledger.files_amiss import (
    attack_files_amiss,
    certificates_amiss,
    files_amiss,
    meanings_amiss,
    recorded_text,
    refuting,
)
from fltheory.ledger.integrity import (
    attacks_amiss,
    counterexamples_amiss,
    lines_amiss,
    theorems_amiss,
)
from fltheory.ledger.lines import LedgerLine, differences, verdicts
from fltheory.ledger.meanings import record_meanings
from fltheory.ledger.ranks import level, rank
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
        """Numbered results of the papers first, then all other claims by paper, then what was not
        checked, then totals with false claims by severity, and what the verdicts mean."""
        claims = {line.evidence.claim: all_claims()[line.evidence.claim] for line in self.lines}
        numbered = {name: claim for name, claim in claims.items() if rank(claim)}
        tables = [self._table("numbered results of the papers", numbered)] if numbered else []
        for key in dict.fromkeys(claim.source.paper.key for claim in claims.values()):
            others = {
                name: claim
                for name, claim in claims.items()
                if claim.source.paper.key == key and name not in numbered
            }
            tables += [self._table(key, others)] if others else []
        if self.not_checked:
            missing = [(one.claim, str(one)) for one in self.not_checked]
            tables.append(Table("not checked", ("claim", "reason"), missing))
        return [*tables, *self._totals(claims)]

    def _table(self, title: str, claims: Mapping[str, Claim]) -> Table:
        methods: dict[str, set[str]] = {}
        for line in self.lines:
            name = line.evidence.method.name.lower().replace("_", " ")
            methods.setdefault(line.evidence.claim, set()).add(name)
        rows = [
            (name, self._verdict(claim), ", ".join(sorted(methods[name])))
            for name, claim in sorted(claims.items(), key=lambda one: (level(one[1]), one[0]))
        ]
        return Table(title, ("claim", "verdict", "by"), rows)

    def _verdict(self, claim: Claim) -> str:
        """The verdict, and how bad it is that the claim is false."""
        verdict, severity = self.verdicts[claim.id], claim.severity
        if verdict is not Verdict.REFUTED or severity is None:
            return verdict.name
        return f"{verdict.name} ({severity.name.lower()})"

    def _totals(self, claims: Mapping[str, Claim]) -> list[Table]:
        found = [(claim, self.verdicts[name]) for name, claim in claims.items()]
        known = {verdict for _, verdict in found}
        seconds = sum(line.seconds for line in self.lines)
        differ = len(self.differences)
        title = (
            f"{counted(len(found), 'claim')} by {counted(len(self.lines), 'check')} in"
            f" {seconds:.0f} CPU seconds;"
            f" {differ} {'differs' if differ == 1 else 'differ'} from the ledger"
        )
        words = [(v.name, v.value) for v in Verdict if v in known]
        words += [
            (f"REFUTED ({one.name.lower()})", one.value)
            for one in Severity
            if any(verdict is Verdict.REFUTED and c.severity is one for c, verdict in found)
        ]
        totals = tally_table(found, title) if found else Table(title, (), [("nothing", "0")])
        return (
            [totals, Table("what it means", ("verdict", "meaning"), words)] if found else [totals]
        )

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
    told += record_amiss(wanted, recorded, Counter(task.claim for task in every), full=full)
    told += files_amiss(lines, {k: v for k, v in overall.items() if k in wanted})
    return Verification(tuple(lines), overall, tuple(told), tuple(sorted(missing, key=str)))


def record_amiss(
    wanted: set[str], recorded: list[LedgerLine], checks: Mapping[str, int], *, full: bool
) -> list[str]:
    """What is wrong with the record of these claims beside the fields of lines that were found
    again: missing, extra, doubled and unknown lines, attacks, files, meanings and theorems."""
    of_wanted = {k: v for k, v in verdicts(recorded).items() if k in wanted}
    return [
        *lines_amiss(recorded, checks, wanted),
        *attacks_amiss(wanted, replayed=full),
        *counterexamples_amiss(of_wanted),
        *theorems_amiss(),
        *attack_files_amiss(wanted),
        *meanings_amiss(wanted),
        *certificates_amiss(),
    ]


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
    record_meanings()
    refuted = refuting(lines)
    for claim_id in {line.evidence.claim for line in lines}:
        path = runner.counterexample_file(claim_id)
        if claim_id in refuted:
            text = recorded_text(claims[claim_id], refuted[claim_id])
            replace_text(path, text, make_folder=True)
        else:
            path.unlink(missing_ok=True)
