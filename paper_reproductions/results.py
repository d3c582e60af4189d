"""From the cells' numbers to one record of an experiment: curves by seed, decided claims, published
numbers beside ours, speed."""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np

from paper_reproductions.claims import ERROR, Claim, Decision, decide, summary
from paper_reproductions.experiment import Experiment, find
from paper_reproductions.series import (
    Numbers,
    series_of,
    timing_of,
    used_by,
)

PRINTED = Path(__file__).parent.parent / "fltheory" / "papers"


def collect(experiment: Experiment, size: str, cells: list[Numbers]) -> Numbers:
    """Everything that figures and pages show, as plain numbers; `timing` alone may differ between
    executions."""
    panels: list[Numbers] = []
    for panel in experiment.panels:
        series = [
            series_of(panel, one, cells) for pair, one in experiment.pairs(size) if pair is panel
        ]
        if series:
            panels.append(
                {
                    "name": panel.name,
                    "title": panel.title.format(**series[0]["settings"]),
                    "series": series,
                }
            )
    record: Numbers = {
        "experiment": experiment.id,
        "title": experiment.title,
        "paper": experiment.paper,
        "place": experiment.place,
        "says": experiment.says,
        "size": size,
        "seeds": experiment.size(size).seeds,
        "first_seed": experiment.size(size).first_seed,
        "data": sorted({used_by(cell) for cell in cells}),
        "x": experiment.x,
        "draw": list(experiment.draw),
        "deviations": [*experiment.deviations, *experiment.size(size).deviations],
        "remarks": list(experiment.size(size).remarks),
        "panels": panels,
    }
    record["claims"] = decided(experiment, record)
    record["published"] = published(experiment, record)
    once = {cell["key"]: cell for cell in cells}  # equal settings are run once, under several names
    record["client_updates"] = sum(cell["client_updates"] for cell in once.values())
    record["timing"] = timing_of(once, record["client_updates"])
    return record


def find_series(record: Numbers, panel: str, series: str) -> Numbers | None:
    """The series of that name in that panel, if this size runs it."""
    return next(
        (
            one
            for part in record["panels"]
            if part["name"] == panel
            for one in part["series"]
            if one["name"] == series
        ),
        None,
    )


def _runs(claim: Claim, record: Numbers) -> bool:
    return all(find_series(record, panel, series) for _, panel, series in claim.terms)


def contrasts(claim: Claim, record: Numbers) -> list[float]:
    """One contrast for each seed: the claim's coefficients times the summaries of its runs; not a
    number where one diverged."""
    totals = np.zeros(record["seeds"])
    for coefficient, panel, series in claim.terms:
        found = find_series(record, panel, series)
        assert found is not None
        points = len(found["x"]["rounds"])
        better = claim.measure == "test_accuracy"
        for seed, curve in enumerate(found["measures"][claim.measure]):
            whole = len(curve) == points and np.isfinite(curve).all() and not found["diverged"]
            totals[seed] += coefficient * (
                summary(curve, claim.at, larger_is_better=better) if whole else math.nan
            )
    return [float(total) for total in totals]


def _told(decision: Decision, together: Decision) -> Numbers:
    claim = decision.claim
    return {
        "says": claim.says,
        "kind": claim.kind,
        "measure": claim.measure,
        "at": claim.at,
        "margin": claim.margin,
        "terms": [list(term) for term in claim.terms],
        "outcome": decision.outcome.value,
        "together": together.outcome.value,
        "seeds_needed": decision.seeds_needed,
        "contrasts": [None if math.isnan(x) else float(f"{x:.5g}") for x in decision.contrasts],
        "mean": None if decision.mean is None else float(f"{decision.mean:.5g}"),
        "interval": (
            None
            if decision.interval is None
            else [float(f"{end:.5g}") for end in decision.interval]
        ),
        "sign_flip": None if decision.sign_flip is None else float(f"{decision.sign_flip:.5g}"),
        "note": decision.note,
    }


def published(experiment: Experiment, record: Numbers) -> list[Numbers]:
    """The printed number of each run that has one, and ours: mean and standard deviation over the
    seeds."""
    if not experiment.published:
        return []
    with (PRINTED / experiment.published["table"]).open(encoding="utf-8") as file:
        printed = list(csv.DictReader(file))
    measure, at, rows = experiment.published["measure"], experiment.published["at"], []
    for panel, one in experiment.pairs(record["size"]):
        found = find_series(record, panel.name, one.name)
        if not (panel.published and one.published and found):
            continue
        line = next(
            row
            for row in printed
            if all(row[name] == value for name, value in panel.published.items())
        )
        readings = {
            name: np.array(
                [
                    summary(curve, name, larger_is_better=True)
                    for curve in found["measures"][measure]
                ]
            )
            for name in ("final", "tail", "best")
        }
        ours, wanted = readings[at], float(line[one.published])
        rows.append(
            {
                "panel": panel.name,
                "series": one.name,
                "row": panel.published,
                "column": one.published,
                "printed": wanted,
                "ours": round(float(ours.mean()), 4),
                "spread": round(float(ours.std(ddof=1)), 4) if len(ours) > 1 else None,
                "single": (
                    [round(min(max(end, 0.0), 1.0), 4) for end in single_run(ours)]
                    if len(ours) > 1
                    else None
                ),  # accuracies
                "tail": round(float(readings["tail"].mean()), 4),
                "best": round(float(readings["best"].mean()), 4),
                "difference": round(float(ours.mean()) - wanted, 4),
            }
        )
    return rows


def single_run(values: Any) -> tuple[float, float]:
    """Where one further run would end with probability 95%, if ends are normal: mean +- t sd sqrt(1
    + 1/runs).

    >>> [round(end, 2) for end in single_run(np.array([0.8, 0.85, 0.9]))]
    [0.6, 1.1]
    """
    from scipy.stats import t

    reach = float(
        t.ppf(1 - ERROR / 2, len(values) - 1) * values.std(ddof=1) * math.sqrt(1 + 1 / len(values))
    )
    return float(values.mean()) - reach, float(values.mean()) + reach


def refreshed(record: Numbers) -> Numbers:
    """The record with words, claims and printed numbers as the experiment's file has them now; its
    curves decide again.

    A record of other seeds than the file's stays as it is.
    """
    one = find(record["experiment"])
    size = one.size(record["size"])
    if (size.seeds, size.first_seed) != (record["seeds"], record["first_seed"]):
        return record
    words = {
        "title": one.title,
        "place": one.place,
        "says": one.says,
        "deviations": [*one.deviations, *size.deviations],
        "remarks": list(size.remarks),
    }
    return record | words | {"claims": decided(one, record), "published": published(one, record)}


def decided(experiment: Experiment, record: Numbers) -> list[Numbers]:
    """The outcome of every claim whose runs the record has, by itself and together with all others
    (Bonferroni)."""
    found = [
        (claim, contrasts(claim, record)) for claim in experiment.claims if _runs(claim, record)
    ]
    return [
        _told(decide(claim, values), decide(claim, values, error=ERROR / len(found)))
        for claim, values in found
    ]
