"""`fltheory attack`: search for a counterexample to claims of the papers, or to a claim of one's
own."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from textwrap import shorten
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson

FAILED = 1
"""Exit code where an attack met an error of its own."""

RATIO, CELL = 14, 160
"""Most characters of a ratio and of a description in a table."""


def register(app: typer.Typer) -> None:
    """Add attack."""

    @command(app, "attack")
    def attack(
        patterns: Annotated[
            list[str],
            typer.Argument(
                metavar="CLAIM|PATTERN|FILE.toml|all",
                help="Claims: ids, prefixes, patterns, `all`, or a file of your own claims.",
            ),
        ],
        seconds: Annotated[
            float | None,
            typer.Option("--seconds", min=0.001, help="Processor time per claim at most."),
        ] = None,
        attempts: Annotated[
            int | None,
            typer.Option(
                "--attempts", help="Attempts per claim at most (400 unless told otherwise)."
            ),
        ] = None,
        seed: Annotated[
            int, typer.Option("--seed", help="The same seed and attempts give the same outcome.")
        ] = 0,
        jobs: Annotated[int, typer.Option("--jobs", help="Processes.")] = min(
            2, os.cpu_count() or 1
        ),
        folder: Annotated[
            Path | None,
            typer.Option("--store", help="Keep states there; a killed attack goes on from them."),
        ] = None,
        output: Annotated[
            Path | None,
            typer.Option("--output", "-o", help="Write counterexample files into this folder."),
        ] = None,
        worst_case: Annotated[
            bool,
            typer.Option(
                "--worst-case", help="Add the worst ratio over all functions on that run."
            ),
        ] = False,
        record: Annotated[
            bool, typer.Option("--record", help="Write the outcome into the record of attacks.")
        ] = False,
        summary: Annotated[
            Path | None,
            typer.Option("--summary", help="Write a summary of all outcomes as Markdown."),
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Try to break claims: search, decide exactly, shrink. Exit 0 whatever is found, 1 if an
        attack itself fails."""
        from fltheory.attacks.campaign import AttackTask
        from fltheory.attacks.records import record_all, write_file
        from fltheory.attacks.search import ATTEMPTS
        from fltheory.attacks.summary import as_markdown
        from fltheory.attacks.workers import run_all
        from fltheory.core.errors import InvalidInput

        if not 0 <= seed < 1 << 64:
            raise InvalidInput("seed", "be a whole number in [0, 2^64)", seed)
        most = ATTEMPTS if attempts is None else attempts
        if most < 1:
            raise InvalidInput("attempts", "be at least 1", most)
        tasks = [
            AttackTask(claim, seed, most, seconds, own, str(folder) if folder else None, worst_case)
            for claim, own in _claims(patterns)
        ]
        if record and any(task.own_file for task in tasks):
            raise InvalidInput("--record", "be for claims of the papers", "a file of your own")
        outcomes, started = [], time.monotonic()
        with _progress(len(tasks)) as (done, tell):
            for found in run_all(tasks, jobs=jobs, tell=tell):
                outcomes.append(found)
                if output is not None and found.file is not None:
                    found.data["counterexample"] = str(write_file(output, found))
                done(found)
        outcomes.sort(key=lambda found: found.data["id"])
        if record:
            record_all(outcomes)
        entries = [found.data for found in outcomes]
        if summary is not None:
            told = as_markdown(
                entries, wall=time.monotonic() - started, seed=seed, attempts=most, jobs=jobs
            )
            summary.write_text(told, encoding="utf-8")
        code = FAILED if any(entry["failed"] for entry in entries) else 0
        if len(outcomes) == 1:
            return Answer(entries, text=_with_file(outcomes[0]), exit_code=code)
        return Answer(entries, _tables(entries), exit_code=code)


def _claims(patterns: list[str]) -> list[tuple[str, str | None]]:
    """Ids, each with the file of one's own that states it; every id once."""
    from fltheory.core.errors import InvalidInput
    from fltheory.papers import all_claims, matching
    from fltheory.papers.claim_files import read_claims

    found: dict[str, str | None] = {}
    for pattern in patterns:
        if pattern.endswith(".toml"):
            own = {claim.id: pattern for claim in read_claims(Path(pattern))}
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
        elif pattern in all_claims():
            found[pattern] = None
        else:
            found |= {claim.id: None for claim in matching([] if pattern == "all" else [pattern])}
    return list(found.items())


def _with_file(found: Any) -> str:
    path = found.data["counterexample"]
    return found.text.replace(" FILE", f" {path}") if path else found.text


def _tables(entries: list[dict[str, Any]]) -> list[Table]:
    """A line per claim, then the attacks that failed, then totals."""
    from fltheory.core.words import counted

    rows = [
        (e["id"], e["verdict"], _short(e["ratio"]), str(e["instances"]), _found(e))
        for e in entries
        if not e["failed"]
    ]
    tables = (
        [
            Table(
                "",
                ("claim", "verdict", "left/right", "tried", "where it broke, or what was found"),
                rows,
            )
        ]
        if rows
        else []
    )
    failed = [(e["id"], e["note"]) for e in entries if e["failed"]]
    if failed:
        tables.append(
            Table("attacks that failed by an error of their own", ("claim", "error"), failed)
        )
    names = sorted({e["verdict"] for e in entries})
    totals = [(name, str(sum(e["verdict"] == name for e in entries))) for name in names]
    spent = sum(e["seconds"] for e in entries)
    instances = sum(e["instances"] for e in entries)
    title = (
        f"{counted(len(entries), 'claim')} attacked with"
        f" {counted(instances, 'admissible instance')} in {spent:.0f} CPU seconds"
    )
    return [*tables, Table(title, ("verdict", "claims"), totals)]


def _short(ratio: str) -> str:
    """A ratio that fits into a column: in decimals where its digits would not.

    >>> _short("12/11"), _short("281474976710656/152587890625"), _short("oo")
    ('12/11', '1844.67', 'oo')
    """
    if len(ratio) <= RATIO:
        return ratio
    try:
        return f"{float(Fraction(ratio)):.6g}"
    except (ValueError, OverflowError):
        return ratio.rpartition("(about ")[2].rstrip(")")  # a formula stays as it is


def _found(entry: dict[str, Any]) -> str:
    """What to say of an outcome in one cell, in whole words; a proof that the conditions contradict
    each other is told in full."""
    told = entry["where"] if entry["verdict"] == "REFUTED" else entry["note"]
    return str(told) if entry["verdict"] == "VACUOUS" else shorten(told, CELL, placeholder=" ...")


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """A line on stderr that tells the best ratio so far and where, and a count, while someone looks
    on."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        BarColumn(20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("attacks", total=total)

        def done(found: Any) -> None:
            bar.update(
                task, advance=1, description=escape(f"{found.data['id']}: {found.data['verdict']}")
            )

        def tell(news: Any) -> None:
            bar.update(task, description=escape(str(news)[:110]))

        yield done, tell
