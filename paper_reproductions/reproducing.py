"""An experiment from beginning to end: data, cells, record, figure, page; one folder for each, and one for the cells that they share."""

import json
from pathlib import Path
from typing import Any

from fltheory.data.datasets import load
from fltheory.data.download import Tell
from fltheory.data.tweets import own_copy
from paper_reproductions import drawing, pages
from paper_reproductions.experiment import Experiment
from paper_reproductions.results import collect
from paper_reproductions.runner import Told, run, write


def folder_of(output: Path, name: str, size: str) -> Path:
    """Where an experiment's files of that size are."""
    return output / f"{name}-{size}"


def lacks_data(experiment: Experiment, size: str, data_dir: Path | None = None) -> bool:
    """Whether it needs the one data set that only the user can have, and it is not there."""
    return any(cell.settings.data == "sentiment140" for cell in experiment.cells(size)) and own_copy(data_dir) is None


def reproduce(experiment: Experiment, size: str, output: Path, *, data_dir: Path | None = None, device: str = "cpu", jobs: int = 1,
              tell: Told | None = None, tell_download: Tell | None = None) -> dict[str, Any]:
    """Run what has not been run, then write result.json, figure.png, README.md and index.html."""
    folder = folder_of(output, experiment.id, size)
    for name in sorted({cell.settings.data for cell in experiment.cells(size)}):
        load(name, data_dir, tell=tell_download)  # before any process starts: downloads happen once, a bad file is told at once
    cells = run(experiment, size, output, data_dir=data_dir, device=device, jobs=jobs, tell=tell)
    record = collect(experiment, size, cells)
    publish(record, folder)
    write_index(output)
    return record


def write_index(output: Path) -> None:
    """One page over all experiments of a folder."""
    records = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(output.glob("*/result.json"))]
    write(output / "README.md", pages.as_markdown(pages.index(records)))


def publish(record: dict[str, Any], folder: Path) -> None:
    """The record and all that is made of it."""
    write(folder / "result.json", as_text(record))
    drawing.draw(record, folder / "figure.png")
    found = pages.blocks(record, "figure.png")
    write(folder / "README.md", pages.as_markdown(found))
    write(folder / "index.html", pages.as_html(found))


def as_text(value: Any, indent: str = "") -> str:
    """JSON with lists of numbers on one line, so that a changed curve is a changed line."""
    deeper = indent + " "
    if isinstance(value, dict) and value:
        inside = [f"{deeper}{json.dumps(key)}: {as_text(part, deeper)}" for key, part in value.items()]
        return "{\n" + ",\n".join(inside) + f"\n{indent}}}" + ("\n" if not indent else "")
    if isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        return "[\n" + ",\n".join(deeper + as_text(part, deeper) for part in value) + f"\n{indent}]"
    return json.dumps(value, separators=(",", ":"))
