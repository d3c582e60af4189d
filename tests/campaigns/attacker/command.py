"""`python -m tests.campaigns.attacker`: plant falsehoods in true claims and see whether the
attacker finds them; attack true claims under many seeds."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson


def register(app: typer.Typer) -> None:
    """Add mutate."""

    @command(app, "mutate")
    def mutate(
        patterns: Annotated[
            list[str] | None,
            typer.Argument(metavar="[PATTERN]...", help="Mutants or their claims."),
        ] = None,
        seconds: Annotated[
            float, typer.Option("--seconds", min=0.001, help="Processor time per attack at most.")
        ] = 30.0,
        seed: Annotated[int, typer.Option("--seed", help="Seed of the attacks.")] = 0,
        jobs: Annotated[int, typer.Option("--jobs", help="Processes.")] = min(
            2, os.cpu_count() or 1
        ),
        true: Annotated[
            int,
            typer.Option(
                "--true", help="Attack true claims so many times under new seeds instead."
            ),
        ] = 0,
        attempts: Annotated[
            int | None, typer.Option("--attempts", help="Attempts per attack at most.")
        ] = None,
        held_out: Annotated[
            bool,
            typer.Option("--held-out", help="The second set, which the attacker was not tuned on."),
        ] = False,
        listed: Annotated[
            bool, typer.Option("--list", help="Show the mutants; attack nothing.")
        ] = False,
        record: Annotated[
            bool,
            typer.Option("--record", help="Plant mutants anew and write the list (takes minutes)."),
        ] = False,
        output: Annotated[
            Path | None,
            typer.Option(
                "--output", "-o", help="Write the outcome of all attacks as JSON into this file."
            ),
        ] = None,
        summary: Annotated[
            Path | None,
            typer.Option(
                "--summary", help="Write a summary of the attacks on mutants as Markdown."
            ),
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """How many planted falsehoods does the attacker refute? Exit 1 if a true claim is
        refuted."""
        from fltheory.core.errors import InvalidInput
        from tests.campaigns.attacker import mutant_file, mutants, teeth
        from tests.campaigns.attacker.teeth_summary import as_markdown

        if not 0 <= seed < 1 << 32:
            raise InvalidInput("seed", "be a whole number in [0, 2^32)", seed)
        if true < 0:
            raise InvalidInput("--true", "be at least 0", true)
        if true and held_out:
            raise InvalidInput("--held-out", "be for mutants, not for true claims", "--true")
        file = mutant_file.mutants_file(held_out=held_out)
        if record:
            plant = mutants.plant_held_out if held_out else mutants.plant_all
            with _progress(len(claims := mutants.true_claims())) as tell:
                mutant_file.record(
                    plant(claims, tell=lambda claim, found: tell(f"{claim}: {found}")), file
                )
        if true:
            claims = [
                claim for claim in mutants.true_claims() if _wanted(claim.id, claim.id, patterns)
            ]
            work = list(
                teeth.on_true_claims(
                    claims,
                    count=true,
                    seed=seed,
                    attempts=attempts or TRUE_ATTEMPTS,
                    seconds=seconds,
                )
            )
            with _progress(len(work)) as tell:
                trials = teeth.run_trials(work, jobs=jobs, tell=lambda trial: tell(trial.name))
            return _of_true_claims(trials, output)
        found = mutant_file.read(file, lambda name, claim: _wanted(name, claim, patterns))
        if not found:
            raise InvalidInput(
                "pattern", "match a mutant of the list", repr((patterns or [""])[0][:80])
            )
        if listed or record:
            return _list(found)
        work = list(
            teeth.on_mutants(
                [mutant.id for mutant, _ in found],
                seed=seed,
                seconds=seconds,
                attempts=attempts or teeth.MOST_ATTEMPTS,
            )
        )
        with _progress(len(work)) as tell:
            trials = teeth.run_trials(work, jobs=jobs, tell=lambda trial: tell(trial.name))
        told = _of_mutants(
            trials, {mutant.id: mutant for mutant, _ in found}, output, held_out=held_out
        )
        if summary is not None:
            data: Any = told.data
            summary.write_text(as_markdown(data, seed=seed, seconds=seconds), encoding="utf-8")
        return told


TRUE_ATTEMPTS = 60
"""Attempts of one attack on a true claim, of which there are very many."""


def make_app() -> typer.Typer:
    """The command."""
    app = typer.Typer(
        no_args_is_help=False,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    register(app)
    return app


def _wanted(name: str, claim: str, patterns: list[str] | None) -> bool:
    return not patterns or any(
        fnmatchcase(name, p) or fnmatchcase(claim, p) or claim.startswith(p + ".") for p in patterns
    )


def _list(found: list[Any]) -> Answer:
    data = [
        {
            "id": m.id,
            "of": m.of,
            "operator": m.operator,
            "why": m.why,
            "left": w.left,
            "right": w.right,
        }
        for m, w in found
    ]
    rows = [(m.id, m.why[:90], f"{w.left[:24]} against {w.right[:24]}") for m, w in found]
    counts = Counter(m.operator for m, _ in found)
    totals = [(name, str(count)) for name, count in counts.most_common()]
    return Answer(
        data,
        [
            Table(f"{len(found)} mutants", ("mutant", "what is false in it", "a witness"), rows),
            Table("by kind", ("kind", "mutants"), totals),
        ],
    )


def _of_mutants(
    trials: list[Any], known: dict[str, Any], output: Path | None, *, held_out: bool
) -> Answer:
    entries = [
        trial.to_json()
        | {
            "of": known[trial.name].of,
            "operator": known[trial.name].operator,
            "why": known[trial.name].why,
        }
        for trial in trials
    ]
    survivors = [entry for entry in entries if not entry["refuted"]]
    spent = sum(entry["seconds"] for entry in entries)
    name = "held-out" if held_out else "first"
    data = {
        "set": name,
        "mutants": len(entries),
        "refuted": len(entries) - len(survivors),
        "share": round(1 - len(survivors) / len(entries), 4),
        "seconds": round(spent, 1),
        "survivors": survivors,
        "attacks": entries,
    }
    _write(output, data)
    kinds = Counter(entry["operator"] for entry in entries)
    lost = Counter(entry["operator"] for entry in survivors)
    title = (
        f"{name} set: {data['refuted']} of {len(entries)} mutants refuted"
        f" ({100 * data['share']:.1f} %) in {spent:.0f} CPU seconds"
    )
    tables = [
        Table(
            title,
            ("kind", "mutants", "survivors"),
            [(name, str(n), str(lost[name])) for name, n in kinds.most_common()],
        )
    ]
    if survivors:
        rows = [
            (
                entry["id"],
                entry["why"][:70],
                f"{entry['attempts']} attempts; {entry['reason'][:90]}",
            )
            for entry in survivors
        ]
        tables.append(
            Table("survivors", ("mutant", "what is false in it", "why it survived"), rows)
        )
    return Answer(data, tables)


def _of_true_claims(trials: list[Any], output: Path | None) -> Answer:
    broken = [trial.to_json() for trial in trials if trial.refuted]
    spent = sum(trial.seconds for trial in trials)
    data = {
        "attacks": len(trials),
        "claims": len({trial.name for trial in trials}),
        "instances": sum(trial.instances for trial in trials),
        "seconds": round(spent, 1),
        "refuted": broken,
    }
    _write(output, data)
    title = (
        f"{len(trials)} attacks on {data['claims']} true claims in {spent:.0f} CPU seconds:"
        f" {len(broken)} refuted"
    )
    rows = [(entry["id"], str(entry["seed"]), entry["reason"][:100]) for entry in broken] or [
        ("none", "", "")
    ]
    return Answer(
        data, [Table(title, ("refuted", "seed", "how"), rows)], exit_code=1 if broken else 0
    )


def _write(output: Path | None, data: dict[str, Any]) -> None:
    if output is not None:
        output.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    """A bar on stderr, where someone looks on."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        BarColumn(20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("attacks", total=total)
        yield lambda what: bar.update(task, advance=1, description=what)
