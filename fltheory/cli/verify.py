"""`fltheory verify`: decide the claims of the four papers and compare the verdicts with the
record."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson

DIFFERS = 1
"""Exit code when a verdict is not as recorded."""


def register(app: typer.Typer) -> None:
    """Add verify."""

    @command(app, "verify")
    def verify(
        patterns: Annotated[
            list[str] | None,
            typer.Argument(metavar="[PATTERN]...", help="Claims: ids, prefixes or patterns."),
        ] = None,
        full: Annotated[
            bool, typer.Option("--full/--fast", help="Run the slow checks too.")
        ] = False,
        record: Annotated[
            bool,
            typer.Option("--record", help="Run all checks and write the outcome into the ledger."),
        ] = False,
        jobs: Annotated[int, typer.Option("--jobs", help="Processes.")] = min(
            2, os.cpu_count() or 1
        ),
        as_json: AsJson = False,
    ) -> Answer:
        """Decide claims by proof, enumeration, exact runs or sweeps; exit 1 if a verdict differs
        from the ledger."""
        from fltheory.attacks.records import contradicted
        from fltheory.ledger import lines as ledger
        from fltheory.ledger import runner
        from fltheory.papers import matching

        # one by one, so that a pattern that matches nothing is refused beside one that does
        wanted = {
            claim.id
            for one in ([[pattern] for pattern in patterns] if patterns else [[]])
            for claim in matching(one)
        }
        complete = full or record
        tasks = [
            task
            for task in runner.all_tasks()
            if task.claim in wanted and (complete or not task.slow)
        ]
        with _progress(len(tasks)) as tell:
            lines = runner.run_tasks(tasks, jobs=jobs, tell=tell)
        recorded = runner.recorded()
        told = [] if record else ledger.differences(recorded, lines, complete=complete)
        if record:
            _record(lines)
        ran = {line.key for line in lines}
        not_run = (
            []
            if complete
            else [
                line for line in recorded if line.key not in ran and line.evidence.claim in wanted
            ]
        )
        overall = ledger.verdicts(lines + not_run)
        told += [] if record else runner.weak_links(ledger.verdicts(recorded) | overall)
        told += contradicted(overall)
        entries = [
            {**line.to_json(), "overall": overall[line.evidence.claim].name} for line in lines
        ]
        for sentence in told:
            typer.echo(f"differs from the ledger: {sentence}", err=True)
        return Answer(entries, _tables(overall, lines, told), exit_code=DIFFERS if told else 0)


def _record(lines: list[Any]) -> None:
    """Write the ledger, and a counterexample file for each refuted claim."""
    from fltheory.ledger import lines as ledger
    from fltheory.ledger import runner
    from fltheory.ledger.counterexamples import to_file
    from fltheory.papers import all_claims

    claims = all_claims()
    ledger.record(runner.ledger_file(), lines, claims)
    refuted: dict[str, Any] = {}
    for line in lines:
        if line.evidence.counterexample is not None:
            refuted.setdefault(line.evidence.claim, line.evidence)
    for claim_id in {line.evidence.claim for line in lines}:
        path = runner.counterexample_file(claim_id)
        if claim_id in refuted:
            path.parent.mkdir(exist_ok=True)
            path.write_text(
                json.dumps(to_file(claims[claim_id], refuted[claim_id], by_check=True), indent=1)
                + "\n",
                encoding="utf-8",
            )
        else:
            path.unlink(missing_ok=True)


def _tables(overall: dict[str, Any], lines: list[Any], told: list[str]) -> list[Table]:
    """One table of verdicts per paper, then a line of totals."""
    from fltheory.claims.evidence import Verdict

    by_claim: dict[str, list[Any]] = {}
    for line in lines:
        by_claim.setdefault(line.evidence.claim, []).append(line)
    tables = []
    for paper in sorted({claim.split(".")[0] for claim in by_claim}):
        rows = [
            (
                claim,
                overall[claim].name,
                ", ".join(sorted({x.evidence.method.value for x in found})),
                _short(found[0].evidence.looseness),
            )
            for claim, found in sorted(by_claim.items())
            if claim.startswith(f"{paper}.")
        ]
        tables.append(Table(paper, ("claim", "verdict", "by", "left/right"), rows))
    counts = {v: sum(overall[claim] is v for claim in by_claim) for v in Verdict}
    summary = [(v.name, str(n), v.value) for v, n in counts.items() if n]
    seconds = sum(line.seconds for line in lines)
    title = (
        f"{len(by_claim)} claims by {len(lines)} checks in {seconds:.0f} CPU seconds; {len(told)}"
        " differ from the ledger"
    )
    return [*tables, Table(title, ("verdict", "claims", "meaning"), summary)]


def _short(looseness: str) -> str:
    """A ratio as text of a few characters: short ones as they are, long ones as a decimal."""
    if len(looseness) <= 12:
        return looseness
    try:
        return f"{float(Fraction(looseness)):.4g}"
    except (ValueError, ZeroDivisionError):
        return looseness.split("about ")[-1].rstrip(")")[:12]


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """A bar on stderr while the checks run, where someone looks on."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("checks", total=total)

        def tell(line: Any) -> None:
            bar.update(
                task, advance=1, description=f"{line.evidence.claim}: {line.evidence.verdict.name}"
            )

        yield tell
