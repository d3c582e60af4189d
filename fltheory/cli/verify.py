"""`fltheory verify`: decide the claims of the papers and compare the verdicts with the record."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from fltheory.cli.answers import REFUSED, Answer, command
from fltheory.cli.options import AsJson, Papers, add_papers
from fltheory.cli.progress import watched
from fltheory.core.errors import InvalidInput

if TYPE_CHECKING:
    from fltheory.ledger.lines import LedgerLine

DIFFERS = 1
"""Exit code when a verdict is not as recorded."""

CPUS = min(2, os.cpu_count() or 1)


def register(app: typer.Typer) -> None:
    """Add verify."""

    @command(app, "verify")
    def verify(
        patterns: Annotated[
            list[str] | None,
            typer.Argument(
                metavar="CLAIM",
                help="Ids, prefixes or patterns of claims (all by default), or .toml files of your"
                " own claims, which an attack decides.",
            ),
        ] = None,
        full: Annotated[
            bool, typer.Option("--full/--fast", help="Run the slow checks too.")
        ] = False,
        record: Annotated[
            bool,
            typer.Option("--record", help="Run all checks and write the outcome into the ledger."),
        ] = False,
        jobs: Annotated[int, typer.Option("--jobs", help="Number of processes.")] = CPUS,
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Decide claims by proof, enumeration, exact runs or sweeps; exit 1 if a verdict differs
        from the ledger, or if a claim of your own is refuted.

        Example: fltheory verify fraboni.ex2
        """
        from fltheory.ledger.verify import verify as run

        add_papers(papers)
        if of_ones_own(patterns or []):
            return _attacked(patterns or [], record=record, jobs=jobs)
        with watched("checks") as bar:

            def tell(line: "LedgerLine") -> None:
                bar.advance(f"{line.evidence.claim}: {line.evidence.verdict.name}")

            found = run(
                *(patterns or ()), full=full, record=record, jobs=jobs, begin=bar.begin, tell=tell
            )
        for sentence in found.differences:
            typer.echo(f"differs from the ledger: {sentence}", err=True)
        for missing in found.not_checked:
            typer.echo(f"{missing.claim}: {missing}", err=True)
        return Answer(found.entries, found.tables(), exit_code=0 if found.agrees else DIFFERS)


def of_ones_own(patterns: list[str]) -> bool:
    """Whether the patterns are files of one's own claims, for which there is no record."""
    files = [one for one in patterns if one.endswith(".toml")]
    if files and len(files) < len(patterns):
        other = next(one for one in patterns if one not in files)
        rule = "be files of your own claims only, or ids of recorded claims only"
        raise InvalidInput("claims to verify", rule, f"{files[0]} and {other}")
    return bool(files)


def _attacked(files: list[str], *, record: bool, jobs: int) -> Answer:
    """An attack decides claims of one's own."""
    from fltheory.attacks.public import attack

    with watched("claims") as bar:
        found = attack(
            *files,
            record=record,
            jobs=jobs,
            begin=bar.begin,
            done=lambda one: bar.advance(
                f"{one.line.evidence.claim}: {one.line.evidence.verdict.name}"
            ),
        )
    for problem in found.bad:
        typer.echo(f"error: {problem}", err=True)
    code = REFUSED if found.bad else DIFFERS if found.failed or found.refuted else 0
    return Answer(found.entries, found.tables(), exit_code=code)
