"""Worst case over bound: the audit's numbers, ratios that never exceed 1, recorded numbers as they
are computed, honest refusals."""

import importlib
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fltheory.analysis.worst_case.answer as answer
from fltheory.analysis.worst_case.answer import WorstCase
from fltheory.analysis.worst_case.solve import Status
from fltheory.claims.bound_sweeps import SweepPoint
from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.ledger.looseness import SWEEPS, looseness, table, theorems

sys.path.insert(0, str(Path(__file__).parents[2]))
store = importlib.import_module("figures.store")
computing = importlib.import_module("figures.compute.looseness_worst_case")


def run(*words: str):
    return CliRunner().invoke(make_app(), ["looseness", *words])


def test_the_audits_numbers_for_theorem_2_come_out() -> None:
    for rounds, ratio in ((1, 0.25), (2, 0.3125), (3, 0.3281), (5, 0.3330), (7, 0.3333)):
        assert looseness("afl.thm2c", SweepPoint(num_rounds=rounds, period=1))[
            "ratio"
        ] == pytest.approx(ratio, abs=5e-5)
    for delay, ratio in ((1, 0.2742), (2, 0.2421), (3, 0.2128)):
        assert looseness("afl.thm2c", SweepPoint(num_rounds=5, period=delay + 1, late=10))[
            "ratio"
        ] == pytest.approx(ratio, abs=5e-5)


@pytest.mark.parametrize("theorem", theorems())
def test_the_first_row_of_each_sweep_is_as_recorded(theorem) -> None:
    recorded = store.read("looseness_worst_case")["sweeps"]
    for sweep, settings in SWEEPS.items():
        row = looseness(theorem, settings[0])
        series = recorded[sweep][theorem.split(".")[0]]
        assert (row["status"], series["at"][0], series["claims"][0]) == (
            "NUMERICAL",
            dict(row)[sweep],
            row["theorem"],
        )
        assert row["ratio"] == pytest.approx(series["ratio"][0], rel=1e-5)
        assert row["bound"] == pytest.approx(series["bound"][0], rel=1e-5)


def test_no_bound_is_exceeded_and_rows_are_complete() -> None:
    for series in (
        s for sweep in store.read("looseness_worst_case")["sweeps"].values() for s in sweep.values()
    ):
        assert all(0 < ratio <= 1 for ratio in series["ratio"])
        assert len(series["at"]) == len(series["ratio"]) == len(series["bound"])


def test_several_local_steps_of_fedlaavg_are_theorem_4s() -> None:
    assert (
        looseness("fedlaavg.thm3", SweepPoint(num_rounds=2, local_steps=2))["theorem"]
        == "fedlaavg.thm4.server"
    )


def test_the_command_prints_tables_and_json() -> None:
    found = json.loads(run("afl.thm2c", "--along", "max_staleness", "--json").stdout)
    assert [row["max_staleness"] for row in found] == [0, 1, 3, 7]
    assert found[0]["ratio"] > found[-1]["ratio"]
    shown = run("afl.thm2c", "--along", "max_staleness")
    assert (shown.exit_code, "along max staleness" in shown.stdout) == (0, True)


def test_a_worst_case_that_fails_is_no_number(monkeypatch) -> None:
    monkeypatch.setattr(answer, "worst_case", lambda case: WorstCase(Status.FAILED, why="too hard"))
    row = next(table(["afl.thm2c"], ["num_rounds"]))
    assert (row["ratio"], row["worst_case"], row["why"]) == (None, None, "too hard")
    assert run("afl.thm2c", "--along", "num_rounds").exit_code == 1


def test_unknown_names_and_sizes_are_refused() -> None:
    assert run("afl.thm9").exit_code == 2
    with pytest.raises(InvalidInput, match="sweep"):
        list(table(["afl.thm2c"], ["moon"]))
    with pytest.raises(InvalidInput, match="period must be at least 1"):
        SweepPoint(period=0)
    with pytest.raises(InvalidInput, match="late clients must be at most 10"):
        SweepPoint(late=11)


def test_rounding_of_recorded_numbers() -> None:
    assert (computing.rounded(None), computing.rounded(0.12345678)) == (None, 0.123457)
