"""Weights of clients, from the file that `fltheory advise --weights` writes."""

import csv
import math
from collections.abc import Collection, Mapping
from pathlib import Path

from fltheory.core.errors import InvalidInput
from fltheory.core.untrusted_io import bounded_text

MAX_BYTES = 1 << 28
SHOWN = 60


def client_weights(
    weights: str | Path | Mapping[str, float], methods: Collection[str]
) -> dict[str, float]:
    """The weight of each client that came; a file of another method is refused.

    >>> client_weights({"a": 0.5, "b": 2}, ("importance-sampling",))
    {'a': 0.5, 'b': 2.0}
    """
    if isinstance(weights, str | Path):
        found = _read(Path(weights), methods)
    else:
        found = {str(name): float(weight) for name, weight in weights.items()}
    for name, weight in found.items():
        if not (math.isfinite(weight) and weight >= 0):
            raise InvalidInput(f"weight of client {name!r}", "be a number of at least 0", weight)
    if not found:
        raise InvalidInput("weights", "have at least one client", "none")
    return found


def method_of(path: Path) -> str:
    """The method that the weights of a file belong to."""
    rows = _rows(path)
    return rows[0][3] if rows else ""


def _read(path: Path, methods: Collection[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for line, (name, _, weight, method) in enumerate(_rows(path), 2):
        place = f"line {line} of {path.name}"
        if method not in methods:
            rule = f"be {' or '.join(methods)}, the strategy's own"
            raise InvalidInput(f"method in {place}", rule, repr(method[:SHOWN]))
        try:
            if weight:  # empty for a client that never came
                found[name.removeprefix("'")] = float(weight)
        except ValueError:
            raise InvalidInput(f"weight in {place}", "be a number", repr(weight[:SHOWN])) from None
    return found


def _rows(path: Path) -> list[list[str]]:
    """The rows below the header, with four cells each."""
    try:
        rows = list(csv.reader(bounded_text(path, MAX_BYTES).splitlines()))
    except csv.Error as problem:
        raise InvalidInput(path.name, "be comma-separated", str(problem)) from None
    if not rows or rows[0] != ["client", "share", "weight", "method"]:
        shown = ",".join(rows[0])[:SHOWN] if rows else "nothing"
        rule = "be client,share,weight,method, as fltheory advise --weights writes it"
        raise InvalidInput(f"header of {path.name}", rule, shown)
    for line, row in enumerate(rows[1:], 2):
        if len(row) != 4:
            raise InvalidInput(f"line {line} of {path.name}", "have 4 cells", f"{len(row)} cells")
    return rows[1:]
