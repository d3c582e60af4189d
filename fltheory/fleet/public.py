"""Advice for a fleet from its own log, and the files that it is written to."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fltheory.core.durable import replace_text
from fltheory.core.errors import InvalidInput
from fltheory.core.extras import available
from fltheory.core.plain import csv_cell
from fltheory.core.results import Table
from fltheory.core.types import ExactLike
from fltheory.fleet.advice import Advice
from fltheory.fleet.columns import parse_columns
from fltheory.fleet.readers import ReadingOptions, read_log
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.what_if import changed, numbers_of, side_by_side

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
    columns: str | Mapping[str, str] | None = None,
    timezone: str | None = None,
    time_unit: str | None = None,
    strict: bool = False,
    importance: str | Path | None = None,
    report: str | Path | None = None,
    weights: str | Path | None = None,
    certificate: str | Path | None = None,
    watch: Callable[[str], None] = lambda says: None,
) -> Advice:
    """What theory says about a fleet's own availability log: statistics, theorems that apply,
    FedAvg's bias, predicted rounds to a target, a recommendation and fair weights.

    `log` is CSV, JSON or Parquet: round and one 0/1 column per client, or round,client, or
    client,start,end, or client,received,returned, or client,time,active. The names of its columns
    are guessed, or told by `columns` ("client=cid,round=server_round"). Local times need a
    `timezone`; numbers are seconds unless `time_unit` is ms, us or ns. Bad rows are counted in
    `log.notes`, or refused if `strict`. `importance` is a file with the columns client and
    num_examples; without it, such a column of the log counts, or all clients are equal.

    Losses are in units of the initial gap; a constant that is not given is assumed, and methods are
    compared for other values of it too. `report` is a file that ends with .html or .json; `weights`
    is a CSV file for the weights of the recommended method, `certificate` a file for the proof of
    its step size; `watch` is told what is being computed.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "fleet.csv"
    ...     _ = path.write_text("round,a,b\\n" + "".join(f"{t},1,{t % 2}\\n" for t in range(40)))
    ...     advice = advise(path)
    >>> advice.choice.best.method
    'FedLaAvg'
    """
    if not isinstance(log, str | Path):
        raise InvalidInput("log", "be the name of a CSV, JSON or Parquet file", repr(log)[:60])
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
    how = ReadingOptions(
        parse_columns(columns) if isinstance(columns, str) else columns,
        timezone,
        time_unit,
        strict,
        None if importance is None else Path(importance),
    )
    advice = Advice(
        read_log(Path(log), round_seconds=round_seconds, how=how),
        LearningTask(**said),  # type: ignore[arg-type]
        names,
        None if weights is None else Path(weights).name,
        watch,
    )
    if report is not None:
        write_report(advice, Path(report), f"Advice for {Path(log).name}")
    if weights is not None:
        write_weights(advice, Path(weights))
    if certificate is not None:
        write_certificate(advice, Path(certificate))
    return advice


def compare(
    advice: Advice,
    *,
    what_if: Sequence[str] = (),
    versus: Advice | None = None,
    watch: Callable[[str], None] = lambda says: None,
) -> Table:
    """The advice beside that for another log, and for each change of the first one, such as
    "drop=client7", "window=2", "clients-per-round=20" or "noise=1/2"."""
    columns = {"this log": numbers_of(advice)}
    if versus is not None:
        columns["other log"] = numbers_of(versus)
    for question in what_if:
        log, task, given = changed((advice.log, advice.task, advice.given), question)
        watch(f"what if {question}")
        windows = question.strip().startswith("window") and log.num_rounds < advice.log.num_rounds
        name = f"{question} (its rounds are windows)" if windows else question
        columns[name] = numbers_of(Advice(log, task, given, None, watch))
    return side_by_side(columns)


def check_report(file: Path) -> None:
    """Refuse a report that cannot be written, before the work for it starts."""
    if file.suffix not in FORMATS:
        raise InvalidInput("report file", "end with .html or .json", repr(file.name))


def write_report(advice: Advice, file: Path, title: str) -> None:
    """Write the advice as one page, or as JSON."""
    check_report(file)
    if file.suffix == ".json":
        replace_text(file, json.dumps(advice.to_json(), indent=1) + "\n")
        return
    from fltheory.fleet.page import page

    pictures = {}
    if available("plot"):
        from fltheory.fleet.pictures import draw

        pictures = draw(advice.summary, advice.to_json()["curves"])
    replace_text(file, page(advice, pictures, title))


def write_certificate(advice: Advice, file: Path) -> None:
    """Write the certificate of the proved step size."""
    told, proof = without_certificate(advice), advice.proof
    if told or proof is None:
        raise InvalidInput("--certificate", "be for a step size with a certificate", told)
    replace_text(file, json.dumps(proof.certificate, indent=1) + "\n")


def without_certificate(advice: Advice) -> str:
    """Why there is no certificate, empty if there is one."""
    proof = advice.proof
    if proof is None:
        return "no step size that is proved"
    return "" if proof.certificate is not None else f"the claim {proof.claim} of the ledger"


def write_weights(advice: Advice, file: Path) -> None:
    """Write the share and the weight of each client as CSV, with the method that they belong to."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["client", "share", "weight", "method"])
    for name, share, weight in zip(advice.log.names, advice.shares, advice.weights, strict=True):
        told = repr(float(weight)) if share > 0 else ""
        writer.writerow([csv_cell(name), repr(float(share)), told, advice.choice.best.member])
    replace_text(file, stream.getvalue())
