"""Pages of reproductions: weakened outcomes, recorded outcomes, published numbers, shared runs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paper_reproductions import experiment, formats, pages
from paper_reproductions.claims import (
    decide,
)
from paper_reproductions.results import collect, contrasts, single_run

RECORDED = sorted(
    (Path(__file__).parents[2] / "paper_reproductions" / "results").glob("*-small/result.json")
)


def test_a_page_says_what_weakens_an_outcome() -> None:
    def row(**changed: Any) -> dict[str, Any]:
        plain = {
            "says": "s",
            "kind": "positive",
            "measure": "train_loss",
            "at": "final",
            "margin": 0.0,
            "terms": [[1.0, "p", "a"]],
            "outcome": "supported",
            "together": "supported",
            "seeds_needed": None,
            "mean": 1.0,
            "interval": [0.5, 1.5],
            "sign_flip": 0.1,
            "note": "",
        }
        return plain | changed

    kinds = [
        row(),
        row(together="undecided"),
        row(outcome="undecided", together="undecided", seeds_needed=17),
        row(outcome="undecided", together="undecided"),
    ]
    page = {
        "claims": kinds,
        "seeds": 5,
        "panels": [{"name": "p", "title": "P", "series": [{"name": "a", "title": "A"}]}],
    }
    outcomes = [line[1] for line in pages._claims(page)[1]]
    assert outcomes == [
        "**supported**",
        "**supported** (by itself)",
        "**undecided** (about 17 seeds would decide)",
        "**undecided** (not with 1,000 seeds)",
    ]
    assert "1 of the 2 decided claims stay decided" in pages._how_decided(page)
    assert "98.750% each" in pages._how_decided(page)
    assert "<strong>supported</strong> (by itself)" in formats.as_html(
        [("heading", "h"), ("text", outcomes[1])]
    )


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.parent.name)
def test_recorded_outcomes_follow_from_the_recorded_curves(file: Path) -> None:
    recorded = json.loads(file.read_text())
    one = experiment.find(recorded["experiment"])
    assert [found["says"] for found in recorded["claims"]] == [
        wanted.says
        for wanted in one.claims
        if any(wanted.says == found["says"] for found in recorded["claims"])
    ]
    for found in recorded["claims"]:
        wanted = next(wanted for wanted in one.claims if wanted.says == found["says"])
        assert (found["kind"], found["at"], found["margin"]) == (
            wanted.kind,
            wanted.at,
            wanted.margin,
        )
        assert decide(wanted, contrasts(wanted, recorded)).outcome.value == found["outcome"]


@pytest.mark.slow
def test_published_numbers_stand_beside_ours() -> None:
    one = experiment.find("afl-table2")
    cells = []
    for cell in one.cells("smoke"):
        curve = [0.1, 0.85 + cell.seed / 100, 0.8]
        cells.append(
            {
                "panel": cell.panel,
                "series": cell.series,
                "seed": cell.seed,
                "data": "planted",
                "rounds": [0, 1, 2],
                "times": None,
                "settings": json.loads(json.dumps(cell.settings.__dict__)),
                "measures": {"test_accuracy": curve},
                "client_updates": 1,
                "rounds_with_updates": 1,
                "diverged": None,
                "key": cell.key,
                "timing": {"running": 1.0, "whole": 2.0, "device": "cpu"},
            }
        )
    rows = collect(one, "smoke", cells)["published"]
    first = next(
        row
        for row in rows
        if row["row"]["p"] == "1"
        and row["column"] == "sync_const"
        and "LR" in row["row"]["model_dataset"]
    )
    assert (first["printed"], first["ours"], first["tail"], first["best"], first["difference"]) == (
        0.8916,
        0.8,
        0.8,
        0.855,
        -0.0916,
    )
    assert first["single"] == [0.8, 0.8]
    told = pages.blocks(collect(one, "smoke", cells), None)
    words = next(content for kind, content in told if kind == "text" and "marked *" in content)
    assert "In 0 of the" in words, (
        "a printed number outside the range of single runs is told as such"
    )


def test_the_range_of_a_single_run_holds_as_often_as_it_says() -> None:
    draw = np.random.default_rng(5)
    samples = draw.normal(size=(4000, 6))
    inside = [low <= one[-1] <= high for one in samples for low, high in (single_run(one[:-1]),)]
    assert 0.93 < np.mean(inside) < 0.97
    naive = [abs(one[-1] - one[:-1].mean()) <= 1.96 * one[:-1].std(ddof=1) for one in samples]
    assert np.mean(naive) < 0.93, (
        "the planted one, without Student's t and the mean's own error, does not"
    )


def test_runs_that_experiments_share_are_counted_once() -> None:
    def record(name: str, cells: dict[str, float]) -> dict[str, Any]:
        return {
            "experiment": name,
            "place": "x",
            "size": "small",
            "seeds": 2,
            "claims": [],
            "published": [],
            "timing": {
                "whole": sum(cells.values()),
                "running": 1,
                "client_updates_per_second": 5,
                "benchmark": 700,
                "cells": cells,
            },
        }

    words = pages.index([record("a", {"k": 60.0, "l": 30.0}), record("b", {"l": 30.0, "m": 30.0})])[
        -1
    ][1]
    assert words.startswith("120 CPU seconds in all")
