"""Recorded runs of an experiment as series, by seed."""

import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from paper_reproductions.experiment import Part
from paper_reproductions.settings import Settings

BENCHMARK = Path(__file__).parent.parent / "benchmarks" / "results" / "logistic.json"


SHORT = 8
"""Letters of a cell's key that records keep."""


DEFAULTS = {field.name: field.default for field in fields(Settings)}


def _benchmark() -> float | None:
    """Client updates per CPU second of the engine's own benchmark (MIFA, one seed), where the
    repository is at hand."""
    if not BENCHMARK.is_file():
        return None
    contenders = json.loads(BENCHMARK.read_text(encoding="utf-8"))["results"]
    return next(
        (
            round(float(one["per_cpu_second"]), 1)
            for one in contenders
            if one["name"] == "fltheory MIFA, 1 seed"
        ),
        None,
    )


Numbers = dict[str, Any]


def timing_of(once: Numbers, client_updates: int) -> Numbers:
    """CPU seconds of the rounds alone and of the whole, evaluation and reading included; by cell,
    since experiments share cells."""
    running, whole = (
        sum(cell["timing"][part] for cell in once.values()) for part in ("running", "whole")
    )
    return {
        "running": round(running, 1),
        "whole": round(whole, 1),
        "client_updates_per_second": round(client_updates / max(running, 1e-9), 1),
        "benchmark": _benchmark(),
        "device": next(iter(once.values()))["timing"]["device"],
        "cells": {key[:SHORT]: round(cell["timing"]["whole"], 2) for key, cell in once.items()},
    }


def series_of(panel: Part, one: Part, cells: list[Numbers]) -> Numbers:
    """The curves of a series, one per seed; of a tuned one, those with the step size whose mean
    final loss is least."""
    labels = [f"{one.name} @ {step}" for step in one.tuned] or [one.name]
    tried = {
        label: [cell for cell in cells if (cell["panel"], cell["series"]) == (panel.name, label)]
        for label in labels
    }
    losses = {label: _final_loss(found) for label, found in tried.items()}
    chosen = min(losses, key=lambda label: losses[label])
    runs = tried[chosen]
    settings = runs[0]["settings"]
    longest = max(runs, key=lambda run: len(run["rounds"]))
    return {
        "name": one.name,
        "title": one.title.format(**settings),
        "settings": settings,
        "changed": {
            name: value for name, value in settings.items() if value != _plain(DEFAULTS[name])
        },
        "x": {"rounds": longest["rounds"], "times": longest["times"]},
        "measures": {
            name: [run["measures"][name] for run in runs] for name in settings["measures"]
        },
        "diverged": sum(run["diverged"] is not None for run in runs),
        "client_updates": sum(run["client_updates"] for run in runs),
        "rounds_with_updates": round(
            float(np.mean([run["rounds_with_updates"] for run in runs])), 2
        ),
        "tuning": (
            {
                label.partition(" @ ")[2]: None if math.isinf(loss) else round(loss, 5)
                for label, loss in losses.items()
            }
            if one.tuned
            else None
        ),
    }


def used_by(cell: Numbers) -> str:
    """What was read, and how much of it was used."""
    part = cell["settings"]["train_samples"]
    return cell["data"] + (f" ({part:,} for training)" if part else "")


def _final_loss(runs: list[Numbers]) -> float:
    if any(run["diverged"] is not None or "train_loss" not in run["measures"] for run in runs):
        return math.inf
    return float(np.mean([run["measures"]["train_loss"][-1] for run in runs]))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
