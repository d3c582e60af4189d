"""The README of the benchmarks has the numbers of the recorded results."""

import json
from pathlib import Path

import pytest

from benchmarks import readme
from benchmarks.worst_case_grid import exponent, problems


def test_the_readme_has_the_recorded_numbers() -> None:
    text = readme.README.read_text(encoding="utf-8")
    assert readme.with_results(text) == text, "run python -m benchmarks.readme"


def test_other_results_make_it_stale(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = readme.README.read_text(encoding="utf-8")
    (tmp_path / "results").mkdir()
    for file in (readme.HERE / "results").glob("*.json"):
        data = json.loads(file.read_text(encoding="utf-8"))
        if file.stem == "quadratic":
            data["results"][0]["per_cpu_second"] *= 2
        (tmp_path / "results" / file.name).write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.setattr(readme, "HERE", tmp_path)
    assert readme.with_results(text) != text


def test_growth_and_failures_of_the_grid_are_told() -> None:
    rows = [
        {"family": "steps", "size": n, "ours": 1.0, "ours seconds": n**3, "status": "NUMERICAL"}
        for n in (1, 2, 4, 8, 16, 32)
    ]
    assert exponent(rows, "ours") == pytest.approx(3)
    assert exponent(rows, "pepit") is None
    assert problems(rows) == []
    rows[0]["status"] = "INACCURATE"
    rows[1]["pepit"] = 1.1
    assert problems(rows) == ["steps 1: INACCURATE", "steps 2: pepit 1.1, ours 1.0"]
