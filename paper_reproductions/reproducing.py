"""An experiment from beginning to end: data, cells, record, figure, page; one folder for each, and
one for the cells that they share."""

import json
import os
import platform
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import fltheory
from fltheory.core.durable import replace_text
from fltheory.engine.arithmetic.tensor import torch
from paper_reproductions import drawing, formats, pages
from paper_reproductions.data.datasets import load
from paper_reproductions.data.download import Tell
from paper_reproductions.data.tweets import own_copy
from paper_reproductions.experiment import Experiment
from paper_reproductions.results import collect
from paper_reproductions.runner import Told, processes, run, stored
from paper_reproductions.series import SHORT

Watch = Callable[[str], AbstractContextManager[tuple[Told, Tell]]]
"""Shows the progress of one experiment: told of runs and of downloads."""

RUN = "run.json"
CPU_FACTS = Path("/proc/cpuinfo")


def folder_of(output: Path, name: str, size: str) -> Path:
    """Where an experiment's files of that size are."""
    return output / f"{name}-{size}"


def lacks_data(experiment: Experiment, size: str, data_dir: Path | None = None) -> bool:
    """Whether it needs the one data set that only the user can have, and it is not there."""
    return (
        any(cell.settings.data == "sentiment140" for cell in experiment.cells(size))
        and own_copy(data_dir) is None
    )


def reproduce_all(
    chosen: Sequence[Experiment],
    size: str,
    output: Path,
    *,
    watch: Watch,
    data_dir: Path | None = None,
    device: str = "cpu",
    jobs: int = 1,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """One experiment after the other: their records, and how long all of it took by the clock,
    which `run.json` keeps too."""
    began, when = monotonic(), datetime.now(UTC)
    (output / RUN).unlink(missing_ok=True)  # what it said of older records
    kept = {
        cell.key for one in chosen for cell in one.cells(size) if stored(output, cell) is not None
    }
    records = []
    with processes(jobs) as pool:
        for one in chosen:
            with watch(f"{one.id} --{size}") as (tell, tell_download):
                records.append(
                    reproduce(
                        one,
                        size,
                        output,
                        data_dir=data_dir,
                        device=device,
                        pool=pool,
                        tell=tell,
                        tell_download=tell_download,
                    )
                )
    cells = {
        key: seconds for record in records for key, seconds in record["timing"]["cells"].items()
    }
    old = {key[:SHORT] for key in kept}
    told = {
        "experiments": [one.id for one in chosen],
        "size": size,
        "began": when.isoformat(timespec="seconds"),
        "jobs": jobs,
        "device": device,
        "runs": len(cells),
        "kept": len(old & set(cells)),
        "seconds": round(monotonic() - began, 1),
        "cpu_seconds": round(sum(seconds for key, seconds in cells.items() if key not in old), 1),
        "processor": processor(),
        "cores": os.cpu_count(),
        "fltheory": fltheory.__version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
    }
    replace_text(output / RUN, as_text(told), make_folder=True)
    write_index(output)
    return records, told


def processor() -> str:
    """The processor's own name where the system tells it, else the machine's."""
    facts = CPU_FACTS.read_text(encoding="utf-8", errors="replace") if CPU_FACTS.is_file() else ""
    names = [
        line.partition(":")[2].strip()
        for line in facts.splitlines()
        if line.startswith("model name")
    ]
    return names[0] if names else platform.processor() or platform.machine()


def reproduce(
    experiment: Experiment,
    size: str,
    output: Path,
    *,
    data_dir: Path | None = None,
    device: str = "cpu",
    pool: ProcessPoolExecutor | None = None,
    tell: Told | None = None,
    tell_download: Tell | None = None,
) -> dict[str, Any]:
    """Run what has not been run, then write result.json, figure.png, README.md and index.html."""
    folder = folder_of(output, experiment.id, size)
    for name in sorted({cell.settings.data for cell in experiment.cells(size)}):
        load(
            name, data_dir, tell=tell_download
        )  # before any process starts: downloads happen once, a bad file is told at once
    cells = run(experiment, size, output, data_dir=data_dir, device=device, pool=pool, tell=tell)
    record = collect(experiment, size, cells)
    publish(record, folder)
    write_index(output)
    return record


def write_index(output: Path) -> None:
    """One page over all experiments of a folder."""
    records = [
        json.loads(file.read_text(encoding="utf-8"))
        for file in sorted(output.glob("*/result.json"))
    ]
    last = (
        json.loads((output / RUN).read_text(encoding="utf-8")) if (output / RUN).is_file() else None
    )
    replace_text(
        output / "README.md", formats.as_markdown(pages.index(records, last)), make_folder=True
    )


def publish(record: dict[str, Any], folder: Path) -> None:
    """The record and all that is made of it."""
    replace_text(folder / "result.json", as_text(record), make_folder=True)
    drawing.draw(record, folder / "figure.png")
    found = pages.blocks(record, "figure.png")
    replace_text(folder / "README.md", formats.as_markdown(found))
    replace_text(folder / "index.html", formats.as_html(found))


def as_text(value: Any, indent: str = "") -> str:
    """JSON with lists of numbers on one line, so that a changed curve is a changed line."""
    deeper = indent + " "
    if isinstance(value, dict) and value:
        inside = [
            f"{deeper}{json.dumps(key)}: {as_text(part, deeper)}" for key, part in value.items()
        ]
        return "{\n" + ",\n".join(inside) + f"\n{indent}}}" + ("\n" if not indent else "")
    if isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        return "[\n" + ",\n".join(deeper + as_text(part, deeper) for part in value) + f"\n{indent}]"
    return json.dumps(value, separators=(",", ":"))
