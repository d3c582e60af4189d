"""`fltheory advise`: what theory says about a fleet's own availability log."""

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson
from fltheory.core.errors import InvalidInput
from fltheory.fleet.setting import MEANINGS, LearningTask

if TYPE_CHECKING:
    from fltheory.fleet.report import Report


def assumed(name: str, **more: Any) -> Any:
    """The option of a constant, whose default is that of the task."""
    return typer.Option(help=MEANINGS[name], show_default=str(getattr(LearningTask, name)), **more)


def register(app: typer.Typer) -> None:
    @command(app, "advise")
    def advise(
        log: Annotated[
            Path,
            typer.Argument(
                help=(
                    "CSV (commas, semicolons or tabs) or Parquet: round and one 0/1 column per"
                    " client, or "
                    "client,start,end, or client,received,returned."
                ),
                exists=True,
                dir_okay=False,
            ),
        ],
        smoothness: Annotated[str | None, assumed("smoothness")] = None,
        strong_convexity: Annotated[str | None, assumed("strong_convexity")] = None,
        noise: Annotated[str | None, assumed("noise")] = None,
        heterogeneity: Annotated[str | None, assumed("heterogeneity")] = None,
        target: Annotated[str | None, assumed("target")] = None,
        local_steps: Annotated[int | None, assumed("local_steps", min=1)] = None,
        round_seconds: Annotated[float | None, typer.Option(help=MEANINGS["round_seconds"])] = None,
        output: Annotated[
            Path | None,
            typer.Option("--output", "-o", help="Report: a file that ends with .html or .json."),
        ] = None,
        weights: Annotated[
            Path | None, typer.Option(help="CSV file for the recommended aggregation weights.")
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Statistics, theorems that apply, FedAvg's bias, predicted rounds to a target and fair
        weights for your own log.

        Example: fltheory advise fleet.csv --target 1/50 -o fleet.html --weights weights.csv
        """
        from fltheory.fleet.advice import Advice
        from fltheory.fleet.readers import read_log

        if output is not None and output.suffix not in (".html", ".json"):
            raise InvalidInput("report file", "end with .html or .json", repr(output.name))
        constants: dict[str, Any] = {
            "smoothness": smoothness,
            "strong_convexity": strong_convexity,
            "noise": noise,
            "heterogeneity": heterogeneity,
            "target": target,
            "local_steps": local_steps,
        }
        said = {name: value for name, value in constants.items() if value is not None}
        names = frozenset(said if round_seconds is None else (*said, "round_seconds"))
        given = Advice(
            read_log(log, round_seconds=round_seconds),
            LearningTask(**said),
            names,
            None if weights is None else weights.name,
        )
        told = given.to_json()
        if output is not None:
            _write_report(given, output, log.name)
        if weights is not None:
            _write_weights(given, weights)
        written = [
            (what, str(path))
            for what, path in (("report", output), ("weights", weights))
            if path is not None
        ]
        return Answer(told, [*_tables(told), *([Table("written", (), written)] if written else [])])


def _write_report(given: Any, output: Path, name: str) -> None:
    if output.suffix == ".json":
        output.write_text(json.dumps(given.to_json(), indent=1) + "\n", encoding="utf-8")
        return
    from fltheory.fleet.page import page
    from fltheory.fleet.pictures import draw

    output.write_text(page(given, draw(given.summary), f"Advice for {name}"), encoding="utf-8")


def _write_weights(given: Any, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["client", "share", "weight"])
        for name, share, weight in zip(
            given.log.names, given.shares, given.fair_weights, strict=True
        ):
            writer.writerow([name, repr(float(share)), repr(float(weight)) if share > 0 else ""])


def _tables(told: "Report") -> list[Table]:
    from fltheory.fleet.page import error_of, input_rows, step_of
    from fltheory.fleet.words import counted

    def number(value: Any) -> str:
        return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)

    basis = str(told["availability"]["basis"])
    stats = [
        (name.replace("_", " "), number(value))
        for name, value in told["availability"].items()
        if name != "basis"
    ]
    rows = [
        (
            p["method"],
            (
                "never"
                if p["rounds"] is None
                else f"{p['rounds']}{' (log repeated)' if p['repeats_log'] else ''}"
            ),
            "-" if p["seconds"] is None else f"{p['seconds']:.0f}",
            step_of(p),
            error_of(p),
            number(p["floor"]),
        )
        for p in told["predictions"]
    ]
    unit = "updates" if told["log"]["deliveries"] else "rounds"
    certified = [(g["method"], step_of(g), number(g["gap_at_most"])) for g in told["guarantees"]]
    guaranteed = [
        Table(
            f"gap after {counted(held['rounds'])} of {', '.join(held['clients'])} from round"
            f" {held['first_round']} on, for all losses with these curvatures, without noise"
            f" ({held['basis']})",
            ("method", "step size", "at most"),
            certified,
        )
        for held in told["guarantees"][:1]
    ]
    theorems = [
        (
            f"{r['method']}\n{r['claim']}\n{r['ledger']}",
            "yes" if r["applies"] else "no",
            "\n".join(
                [
                    f"step size: {r['step_size']}",
                    *(
                        f"fails: {c['says']}: {c['where']}"
                        for c in r["conditions"]
                        if c["holds"] is False
                    ),
                ]
            ),
        )
        for r in told["theorems"]
    ]
    return [
        Table(
            "what this follows from", ("constant", "value", "source", "meaning"), input_rows(told)
        ),
        Table(
            told["recommendation"],
            (),
            [
                ("clients", str(told["log"]["clients"])),
                ("rounds", str(told["log"]["rounds"])),
                *stats,
                ("these are", basis),
            ],
        ),
        Table(
            f"predictions ({told['predictions'][0]['basis']}). {told['log']['horizon']}",
            ("method", unit, "seconds", "step size", "error", "floor"),
            rows,
        ),
        *guaranteed,
        Table("theorems", ("theorem", "applies", "on this log"), theorems),
    ]
