"""The closed grammar of a worst-case certificate: fields, types, ranges, and as many numbers in the
name of a constraint as its kind has."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from strict_json import (  # type: ignore[import-not-found]
    fields,
    index,
    items,
    need,
    number,
    row,
)

LARGEST_BASIS = 500
TEXTS = {
    "LOSS": "f - f* at a weighted average of the models",
    "MEAN_LOSS": "the weighted mean of f - f* over the models",
    "MEAN_SQUARED_GRADIENT": "the weighted mean of |grad f|^2 over the models",
    "MIN_SQUARED_GRADIENT": "the smallest |grad f|^2 over the models",
}
CONDITIONS = {
    "distance_squared": "|x_0 - x*|^2",
    "loss_gap": "f(x_0) - f*",
    "heterogeneity": "mean |grad f_i(x*)|^2",
    "gradient_bound_squared": "|grad f_i|^2",
    "dissimilarity_squared": "|grad f_i - grad f|^2",
    "mean_dissimilarity_squared": "mean |grad f_i - grad f|^2",
}
ARITY = {
    "interpolation": 3,
    "gradient": 2,
    "dissimilarity": 2,
    "mean_dissimilarity": 1,
    "floor": 1,
    "minimum": 1,
    "gap": 0,
    "distance": 0,
    "heterogeneity": 0,
}
LATER = ("dissimilarity_squared", "mean_dissimilarity_squared")
STATED = [
    "format",
    "smoothness",
    "lowest_curvature",
    "has_optimum",
    "owners",
    "first_model",
    "classes",
    "points",
    "start",
    "conditions",
    "metric",
    "weights",
    "multipliers",
    "bound",
]


def grammar(data):
    """Refuse what is no certificate; every field is read here before it is used."""
    fields(data, "the certificate", STATED, ("says", "case"))
    need(isinstance(data.get("says", ""), str), "says is no text")
    need(type(data["has_optimum"]) is bool, "has_optimum is neither true nor false")
    need(data["metric"] in list(TEXTS), f"{str(data['metric'])[:40]!r} is no metric")
    size = len(items(data["owners"], "owners"))
    need(size <= LARGEST_BASIS, f"the basis has more than {LARGEST_BASIS} vectors")
    classes = items(data["classes"], "classes")
    for owner in data["owners"]:
        index(owner, len(classes) + 1, "owners")
    for c in classes:
        fields(c, "a class", ("share", "block", "records"))
        number(c["share"])
        index(c["block"], len(classes) + 1, "block of a class")
        for record in items(c["records"], "records"):
            fields(record, "a record", ("point", "gradient"))
            for part, entries in record.items():
                row(entries, size, f"{part} of a record")
    row(data["first_model"], size, "first_model")
    for point in items(data["points"], "points"):
        for c, r in zip(classes, items(point, "a point", len(classes)), strict=True):
            index(r, len(c["records"]), "record of a point")
    for text in items(data["weights"], "weights", len(data["points"])):
        number(text)
    if data["start"] is not None:
        index(data["start"], len(data["points"]), "start")
    conditions(data["conditions"])
    for name in ("smoothness", "lowest_curvature", "bound"):
        number(data[name])
    _multipliers(data, classes)


def conditions(given):
    fields(given, "conditions", [n for n in CONDITIONS if n not in LATER], LATER)
    for name, text in given.items():
        need(text is None or number(text) >= 0, f"the condition {name} is negative")


def _multipliers(data, classes):
    """Each multiplier names a constraint of the file, by as many numbers as its kind has, once."""
    points, seen = len(data["points"]), set()
    for entry in items(data["multipliers"], "multipliers"):
        kind, about, y = items(entry, "a multiplier", 3)
        need(isinstance(kind, str) and kind in ARITY, f"{str(kind)[:40]!r} does not hold here")
        named = items(about, f"what a multiplier of kind {kind!r} is about", ARITY[kind])
        if kind in ("interpolation", "gradient"):
            c, *records = named
            index(c, len(classes), "class of a multiplier")
            for r in records:
                index(r, len(classes[c]["records"]), "record of a multiplier")
        else:
            limits = (points, len(classes))[: ARITY[kind]]
            for k, below in zip(named, limits, strict=True):
                index(k, below, f"what a multiplier of kind {kind!r} is about")
        need(kind != "interpolation" or named[1] != named[2], "a record is compared with itself")
        need((kind, *named) not in seen, f"a second multiplier of {kind!r}")
        seen.add((kind, *named))
        need(number(y) >= 0, "a multiplier is negative")
