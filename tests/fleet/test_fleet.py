"""Fleet logs: exact statistics, every kind of file, predictions that simulation confirms, advice
that can be acted on."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from fltheory import FedAvg, Trace
from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.fleet.advice import Advice
from fltheory.fleet.conditions import initial_gap
from fltheory.fleet.fair import capped
from fltheory.fleet.gap_curves import settled
from fltheory.fleet.log import FleetLog, from_matrix, from_runs
from fltheory.fleet.pictures import heat_map_cells
from fltheory.fleet.plans import predict
from fltheory.fleet.predict import Grid, Prediction, stand_in
from fltheory.fleet.readers import read_log
from fltheory.fleet.setting import MEANINGS, LearningTask
from fltheory.fleet.summary import Summary
from fltheory.traces import trace_statistics
from tests.fleet.logs import tables, write

EXAMPLES = Path(__file__).parents[2] / "docs/fleets"


@given(tables)
def test_statistics_of_runs_are_those_of_the_table(rows: list[list[bool]]) -> None:
    table = np.array(rows)
    table[0] = True
    summary, trace = Summary(from_matrix(table)), Trace.fresh(table)
    assert (summary.log.matrix() == table).all()
    assert summary.max_staleness == trace_statistics.max_staleness(trace)
    assert summary.mean_staleness == trace_statistics.mean_staleness(trace)
    assert summary.availability_window == trace_statistics.availability_window(table)
    assert [Fraction(int(x), len(table)) for x in summary.rounds_there] == list(
        trace_statistics.participation(trace)
    )
    assert summary.present.tolist() == table.sum(axis=1).tolist()
    counted = np.bincount(
        trace_statistics.staleness(trace).ravel(), minlength=summary.max_staleness + 1
    )
    assert summary.staleness_counts().tolist() == counted.tolist()
    fair = np.mean([row / row.sum() for row in table.astype(float) if row.any()], axis=0)
    assert np.allclose(summary.fedavg_weights, fair)
    assert initial_gap(summary, 0.25) == float(
        max(Fraction(0), trace_statistics.initial_gap(trace, Fraction(1, 4)))
    )


@given(tables)
def test_a_table_with_late_or_absent_clients(rows: list[list[bool]]) -> None:
    table = np.array(rows)
    summary = Summary(from_matrix(table))
    assert (summary.log.matrix() == table).all()
    firsts = [int(np.argmax(column)) if column.any() else len(table) for column in table.T]
    assert summary.first_seen.tolist() == firsts
    assert summary.availability_window == trace_statistics.availability_window(table)
    order = np.argsort(summary.shares, kind="stable")
    assert np.allclose(heat_map_cells(summary), table.T[order])


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 11), st.integers(1, 4)), min_size=1, max_size=12
    )
)
def test_runs_that_touch_or_overlap_become_one(runs: list[tuple[int, int, int]]) -> None:
    table = np.zeros((15, 4), bool)
    for client, begin, length in runs:
        table[begin : begin + length, client] = True
    log = from_runs("abcd", 15, *zip(*((c, b, b + n) for c, b, n in runs), strict=True))
    assert (log.matrix() == table).all()


def test_a_log_whose_runs_are_wrong_is_refused() -> None:
    ints = lambda *x: np.array(x, np.int64)  # noqa: E731
    for first, begins, ends in (
        (ints(0, 1), ints(3), ints(2)),
        (ints(0, 1), ints(0), ints(9)),
        (ints(0, 2), ints(0, 1), ints(2, 3)),
        (ints(0, 2), ints(0), ints(1)),
    ):
        with pytest.raises(InvalidInput):
            FleetLog(("a",), 5, first, begins, ends)


def test_the_best_step_is_the_best_of_the_grid_and_none_where_the_target_is_out_of_reach() -> None:
    summary = Summary(read_log(EXAMPLES / "flaky_silos.csv"))
    fleet = stand_in(summary, 40)
    trace, task = Trace.fresh(fleet.available[:400]), LearningTask(heterogeneity=0)

    def predicted(task: LearningTask) -> Prediction:
        return Grid([task], []).predict(fleet, "FedAvg", "fedavg", FedAvg(), trace, "")

    assert predicted(LearningTask()).rounds is None, "FedAvg is biased here"
    found = predicted(task)
    assert found.rounds is not None
    responses = fleet.responses(FedAvg(), trace)
    gaps = fleet.gaps(responses, found.steps[found.column], task)
    assert (gaps[found.rounds :] <= 0.05).all()
    assert gaps[found.rounds - 1] > 0.05
    others = [settled(fleet.gaps(responses, step, task), 0.05) for step in found.steps]
    assert min(others) == found.rounds


@pytest.mark.slow
def test_memory_and_weights_beat_fedavg_on_every_example_with_absences() -> None:
    for name in ("diurnal_phones", "flaky_silos"):
        told = json.loads(
            CliRunner()
            .invoke(
                make_app(), ["advise", str(EXAMPLES / f"{name}.csv"), "--target=1/10", "--json"]
            )
            .output
        )
        floors = {
            p["method"].split()[0]: p["floor"]
            for p in told["predictions"]
            if "waits" not in p["method"]
        }
        assert max(floors["MIFA"], floors["FedLaAvg"], floors["FedAvg-IS,"]) < floors["FedAvg"] / 4
        assert told["fedavg_bias"]["misplaced_influence"] > 0.1


@pytest.mark.slow
def test_the_straggler_is_not_waited_for() -> None:
    told = json.loads(
        CliRunner()
        .invoke(make_app(), ["advise", str(EXAMPLES / "one_straggler.csv"), "--json"])
        .output
    )
    seconds = {p["method"].split()[0]: p["seconds"] for p in told["predictions"]}
    assert (
        min(v for k, v in seconds.items() if k != "FedAvg" and v is not None)
        < seconds["FedAvg"] / 2
    )


@pytest.mark.slow
def test_the_weights_file_is_that_of_the_recommended_method(tmp_path: Path) -> None:
    advice = Advice(read_log(EXAMPLES / "flaky_silos.csv"), LearningTask())
    assert np.allclose(advice.weights, 1 / 8)
    out, weights = tmp_path / "r.html", tmp_path / "w.csv"
    result = CliRunner().invoke(
        make_app(),
        ["advise", str(EXAMPLES / "flaky_silos.csv"), "-o", str(out), "--weights", str(weights)],
    )
    assert result.exit_code == 0, result.output
    page = out.read_text()
    assert page.count("data:image/png") == 4
    assert "http" not in page
    assert len(weights.read_text().splitlines()) == 9
    assert (
        CliRunner()
        .invoke(
            make_app(), ["advise", str(EXAMPLES / "flaky_silos.csv"), "-o", str(tmp_path / "r.txt")]
        )
        .exit_code
        == 2
    )


@pytest.mark.parametrize(
    "options",
    [
        {"target": 2},
        {"strong_convexity": 2},
        {"noise": -1},
        {"smoothness": 0},
        {"local_steps": 0},
        {"strong_convexity": "1e-400"},
        {"noise": "1e300"},
        {"smoothness": 10**400},
    ],
)
def test_a_task_that_makes_no_sense_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        LearningTask(**options)


def test_a_client_that_never_came_and_a_single_client() -> None:
    told = Advice(from_matrix([[1, 1, 0], [1, 0, 0]]), LearningTask())
    shares = told.summary.shares
    assert told.wanted.tolist() == [1 / 2, 1 / 2, 0], "the two that came count"
    assert capped(told.wanted, shares).tolist() == [1 / 2, 1, 0]
    assert math.isnan(told.weights[2])
    alone = predict(Summary(from_matrix([[1]] * 30)), [LearningTask(noise=0)])
    assert all(p.rounds is not None for p in alone)


def test_an_empty_fleet_is_refused_and_a_client_that_comes_very_late_is_left_out() -> None:
    with pytest.raises(InvalidInput, match="available in some round"):
        Advice(from_matrix([[0, 0]] * 3), LearningTask())
    late = from_runs("ab", 5000, [0, 1], [0, 4500], [5000, 5000])
    assert stand_in(Summary(late), 40).clients == (0,)
    with pytest.raises(InvalidInput, match="first 4000 rounds"):
        stand_in(Summary(from_runs("b", 5000, [0], [4500], [5000])), 40)


@pytest.mark.slow
def test_a_method_that_is_biased_is_not_recommended_where_bias_matters() -> None:
    """On the straggler's log AFA-CD is the first below the target, and leans towards the fast
    machines."""
    every = frozenset(MEANINGS)
    advice = Advice(read_log(EXAMPLES / "one_straggler.csv"), LearningTask(target="1/30"), every)
    assert advice.predictions[0].method.startswith("AFA-CD")
    assert "Use MIFA" in advice.recommendation
    assert "AFA-CD, each arrival at once would reach the target after" in advice.recommendation
    everybody = Advice(from_matrix([[1, 1]] * 40), LearningTask(noise=0))
    assert everybody.bias == 0
    assert "would reach the target" not in everybody.recommendation


def test_who_never_came_is_said() -> None:
    assert (
        "1 of 2 clients never came"
        in Advice(from_matrix([[1, 0]] * 40), LearningTask(noise=0)).recommendation
    )


@pytest.mark.slow
def test_times_as_different_as_can_be_leave_nothing_out(tmp_path: Path) -> None:
    text = "client,received,returned\na,0,1\nb,0,1000000001\na,1,2\n"
    methods = [
        p.method.split()[0]
        for p in Advice(read_log(write(tmp_path / "a.csv", text)), LearningTask()).predictions
    ]
    assert sorted(methods) == [
        "AFA-CD,",
        "AFA-CS,",
        "FedAvg",
        "FedBuff",
        "FedFix",
        "FedLaAvg,",
        "MIFA,",
        "asynchronous",
    ]


def test_pauses_between_deliveries_count(tmp_path: Path) -> None:
    log = read_log(
        write(tmp_path / "a.csv", "client,received,returned\na,0,1\na,100,101\na,200,201\n")
    )
    assert log.deliveries is not None
    assert log.deliveries.of(0).tolist() == [1, 100, 100]
