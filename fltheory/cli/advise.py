"""`fltheory advise`: what theory says about a fleet's own availability log."""

import csv
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson
from fltheory.errors import InvalidInput


def register(app: typer.Typer) -> None:
    @command(app, "advise")
    def advise(
        log: Annotated[Path, typer.Argument(help="CSV (commas, semicolons or tabs) or Parquet: round and one 0/1 column per client, or "
                                                 "client,start,end, or client,received,returned.", exists=True, dir_okay=False)],
        smoothness: Annotated[str, typer.Option(help="Largest curvature L of the clients' losses.")] = "1",
        strong_convexity: Annotated[str, typer.Option(help="Least curvature mu.")] = "1/10",
        noise: Annotated[str, typer.Option(help="Variance of a stochastic gradient, in units of the initial gap.")] = "1/10",
        heterogeneity: Annotated[str, typer.Option(help="Mean squared client gradient at the optimum, in the same units.")] = "1/10",
        target: Annotated[str, typer.Option(help="Loss gap to reach, as a part of the initial one.")] = "1/20",
        local_steps: Annotated[int, typer.Option(min=1, help="Gradient steps per delivery.")] = 1,
        round_seconds: Annotated[float | None, typer.Option(help="Length of a round, for logs of stretches of time.")] = None,
        output: Annotated[Path | None, typer.Option("--output", "-o", help="Report: a file that ends with .html or .json.")] = None,
        weights: Annotated[Path | None, typer.Option(help="CSV file for the recommended aggregation weights.")] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Statistics, theorems that apply, FedAvg's bias, predicted rounds to a target and fair weights for your own log.

        Example: fltheory advise fleet.csv --target 1/50 -o fleet.html --weights weights.csv
        """
        from fltheory.fleet.advice import Advice
        from fltheory.fleet.readers import read_log
        from fltheory.fleet.setting import Task

        if output is not None and output.suffix not in (".html", ".json"):
            raise InvalidInput("report file", "end with .html or .json", repr(output.name))
        task = Task(smoothness, strong_convexity, noise, heterogeneity, target, local_steps)
        given = Advice(read_log(log, round_seconds=round_seconds), task)
        told = given.to_json()
        if output is not None:
            _write_report(given, output, log.name)
        if weights is not None:
            _write_weights(given, weights)
        return Answer(told, _tables(told))


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
        for name, share, weight in zip(given.log.names, given.summary.shares, given.fair_weights, strict=True):
            writer.writerow([name, repr(float(share)), repr(float(weight)) if share > 0 else ""])


def _tables(told: dict[str, Any]) -> list[Table]:
    from fltheory.fleet.page import error_of

    def number(value: Any) -> str:
        return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)

    basis = told["availability"]["basis"]
    stats = [(name.replace("_", " "), number(value)) for name, value in told["availability"].items() if name != "basis"]
    rows = [(p["method"], "never" if p["rounds"] is None else str(p["rounds"]), number(p["seconds"]), number(p["step_size"]),
             error_of(p), number(p["floor"])) for p in told["predictions"]]
    certified = [(g["method"], g["step_size"], number(g["gap_at_most"])) for g in told["guarantees"]]
    held = told["guarantees"][0] if certified else {}
    guaranteed = [Table(f"gap after {held['rounds']} rounds of {', '.join(held['clients'])} from round {held['first_round']} on, "
                        f"for all losses with these curvatures, without noise ({held['basis']})",
                        ("method", "step size", "at most"), certified)] if certified else []
    theorems = [(r["claim"], r["ledger"], r["method"], "yes" if r["applies"] else "no",
                 "; ".join(f"{c['says']}: {c['where']}" for c in r["conditions"] if c["holds"] is False)) for r in told["theorems"]]
    return [
        Table(told["recommendation"], (), [("clients", str(told["log"]["clients"])), ("rounds", str(told["log"]["rounds"])), *stats,
                                           ("these are", basis)]),
        Table(f"predictions ({told['predictions'][0]['basis']})", ("method", "rounds", "seconds", "step size", "error", "floor"), rows),
        *guaranteed,
        Table("theorems", ("claim", "ledger", "method", "applies", "fails on this log"), theorems),
    ]
