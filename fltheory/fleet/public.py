"""Advice for a fleet from its own log, and the files that it is written to."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

from fltheory.core.errors import InvalidInput
from fltheory.core.extras import available
from fltheory.core.types import ExactLike
from fltheory.fleet.advice import Advice
from fltheory.fleet.readers import read_log
from fltheory.fleet.setting import LearningTask

FORMATS = (".html", ".json")
"""Endings of a report."""


def advise(
    log: str | Path,
    *,
    smoothness: ExactLike | None = None,
    strong_convexity: ExactLike | None = None,
    noise: ExactLike | None = None,
    heterogeneity: ExactLike | None = None,
    target: ExactLike | None = None,
    local_steps: int | None = None,
    round_seconds: float | None = None,
    report: str | Path | None = None,
    weights: str | Path | None = None,
    watch: Callable[[str], None] = lambda says: None,
) -> Advice:
    """What theory says about a fleet's own availability log: statistics, theorems that apply,
    FedAvg's bias, predicted rounds to a target, a recommendation and fair weights.

    `log` is CSV or Parquet: round and one 0/1 column per client, or client,start,end, or
    client,received,returned. Losses are in units of the initial gap; a constant that is not given
    is assumed, and the advice says so. `report` is a file that ends with .html or .json; `weights`
    is a CSV file for the recommended aggregation weights; `watch` is told what is being computed.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "fleet.csv"
    ...     _ = path.write_text("round,a,b\\n" + "".join(f"{t},1,{t % 2}\\n" for t in range(40)))
    ...     advice = advise(path)
    >>> advice.choice.best.method
    'FedLaAvg'
    """
    if report is not None:
        check_report(Path(report))
    constants = {
        "smoothness": smoothness,
        "strong_convexity": strong_convexity,
        "noise": noise,
        "heterogeneity": heterogeneity,
        "target": target,
        "local_steps": local_steps,
    }
    said = {name: value for name, value in constants.items() if value is not None}
    names = frozenset(said if round_seconds is None else (*said, "round_seconds"))
    advice = Advice(
        read_log(Path(log), round_seconds=round_seconds),
        LearningTask(**said),  # type: ignore[arg-type]
        names,
        None if weights is None else Path(weights).name,
        watch,
    )
    if report is not None:
        write_report(advice, Path(report), f"Advice for {Path(log).name}")
    if weights is not None:
        write_weights(advice, Path(weights))
    return advice


def check_report(file: Path) -> None:
    """Refuse a report that cannot be written, before the work for it starts."""
    if file.suffix not in FORMATS:
        raise InvalidInput("report file", "end with .html or .json", repr(file.name))


def write_report(advice: Advice, file: Path, title: str) -> None:
    """Write the advice as one page, or as JSON."""
    check_report(file)
    if file.suffix == ".json":
        file.write_text(json.dumps(advice.to_json(), indent=1) + "\n", encoding="utf-8")
        return
    from fltheory.fleet.page import page

    pictures = {}
    if available("plot"):
        from fltheory.fleet.pictures import draw

        pictures = draw(advice.summary)
    file.write_text(page(advice, pictures, title), encoding="utf-8")


def write_weights(advice: Advice, file: Path) -> None:
    """Write the share and the fair weight of each client as CSV."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["client", "share", "weight"])
        for name, share, weight in zip(
            advice.log.names, advice.shares, advice.fair_weights, strict=True
        ):
            writer.writerow([name, repr(float(share)), repr(float(weight)) if share > 0 else ""])
