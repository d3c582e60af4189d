"""Where figures and their data live, and how both are written."""

import json
import pkgutil
import re
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from PIL import Image

import figures.draw

HERE = Path(__file__).parent
FORMATS = ("png", "svg", "pdf")
DOTS_PER_INCH = 180
FINE_DIGITS = re.compile(r"\b([1-9]\d*\.\d\d)\d+")
"""Digits below a hundredth of a point in coordinates; small factors such as 0.015625 keep
theirs."""


def names() -> list[str]:
    """Every figure, by the modules that draw them.

    >>> "drift" in names()
    True
    """
    return sorted(module.name for module in pkgutil.iter_modules(figures.draw.__path__))


def data_file(name: str) -> Path:
    """The recorded numbers of a figure."""
    return HERE / "data" / f"{name}.json"


def read(name: str) -> dict[str, Any]:
    """The recorded numbers of a figure."""
    found: dict[str, Any] = json.loads(data_file(name).read_text(encoding="utf-8"))
    return found


def as_text(numbers: dict[str, Any]) -> str:
    """JSON with one short list per line, so that a changed number is a changed line."""
    return _text(numbers, "") + "\n"


def _text(value: Any, indent: str) -> str:
    flat = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not isinstance(value, dict | list) or (isinstance(value, list) and len(flat) <= 120):
        return flat
    deeper = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_text(part, deeper)}" for key, part in value.items()]
        return "{\n" + ",\n".join(deeper + part for part in parts) + f"\n{indent}}}"
    if all(isinstance(part, int | float | str) for part in value):
        return _wrapped([json.dumps(part, ensure_ascii=False) for part in value], indent)
    return "[\n" + ",\n".join(deeper + _text(part, deeper) for part in value) + f"\n{indent}]"


def _wrapped(parts: list[str], indent: str) -> str:
    lines, line = [], indent + " "
    for part in parts:
        if len(line) + len(part) > 130:
            lines.append(line.rstrip())
            line = indent + " "
        line += part + ", "
    return "[\n" + "\n".join([*lines, line[:-2]]) + f"\n{indent}]"


def save(figure: Any, name: str, folder: Path = HERE) -> None:
    """All formats, without the hour of drawing, so that the same numbers give the same files."""
    pixels = BytesIO()
    figure.savefig(pixels, format="png", dpi=DOTS_PER_INCH)
    # 128 colours are enough for a few flat ones with their soft edges, and halve the file.
    Image.open(pixels).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(
        folder / f"{name}.png", optimize=True
    )
    drawing = StringIO()
    figure.savefig(drawing, format="svg", metadata={"Date": None, "Creator": None})
    (folder / f"{name}.svg").write_text(
        FINE_DIGITS.sub(r"\1", drawing.getvalue()), encoding="utf-8"
    )
    figure.savefig(
        folder / f"{name}.pdf",
        format="pdf",
        metadata={"CreationDate": None, "Creator": None, "Producer": None},
    )
