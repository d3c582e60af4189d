"""Theorems on a log: which assumptions hold, where they fail, and who is named."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from fltheory.core.errors import InvalidInput
from fltheory.fleet.advice import Advice
from fltheory.fleet.log import FleetLog, from_matrix
from fltheory.fleet.readers import read_log
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.summary import Summary
from fltheory.fleet.theorems import largest_total_weight, read_theorems
from tests.fleet.logs import tables, write


def test_assumptions_that_fail_name_the_client() -> None:
    log = from_matrix([[1, 0, 1], [1, 1, 0], [1, 0, 0]], ["x", "late", "y"])
    readings = {r.claim: r for r in read_theorems(Summary(log), LearningTask())}
    assert not readings["mifa.thm5.1.best"].applies
    assert (
        readings["mifa.thm5.1.best"].conditions[1].where
        == "late: not available at first; all have been seen by round 2"
    )
    never = read_theorems(Summary(from_matrix([[1, 0], [1, 0]], ["x", "gone"])), LearningTask())
    assert all("gone" in r.conditions[0].where and not r.applies for r in never)


def test_no_theorem_that_is_false_as_printed_is_advised() -> None:
    told = Advice(from_matrix([[1, 1]] * 5), LearningTask()).to_json()["theorems"]
    assert {reading["ledger"] for reading in told} <= {"PROVED", "CERTIFIED", "SUPPORTED"}


@given(tables)
def test_the_largest_total_weight_is_that_of_the_busiest_round(rows: list[list[bool]]) -> None:
    table = np.array(rows)
    table[0] = True
    weights = 1 / (table.shape[1] * table.mean(axis=0))
    assert np.isclose(
        largest_total_weight(Summary(from_matrix(table))),
        max(1, (table * weights).sum(axis=1).max()),
    )


def reading_of(claim: str, log: FleetLog, task: LearningTask | None = None) -> Any:
    return next(
        reading
        for reading in read_theorems(Summary(log), task or LearningTask())
        if reading.claim == claim
    )


def test_conditions_of_anarchic_theorems_are_those_of_the_paper() -> None:
    """Numbers worked out by hand from the corrected Theorems 3 and 4 at step sizes 1/sqrt T, sqrt m
    and sqrt N."""
    device = reading_of("afl.thm3c", from_matrix([[1, 1]] * 10_000))
    assert device.applies
    assert device.conditions[-1].where == "they are 0, 0.0283, 0.012"
    silo = reading_of("afl.thm4c", from_matrix([[1, 1]] * 10_000))
    assert silo.applies
    assert silo.conditions[-1].where.startswith("they are 0.188 and 0;")
    halves = reading_of("afl.thm4c", from_matrix([[1, 1]] + [[1, 0], [0, 1]] * 5000))
    assert halves.conditions[-1].where.startswith("they are 0.216 and 0.00137;")
    assert not reading_of("afl.thm4c", from_matrix([[1, 1]] * 100)).applies, "12 L g > 1"
    steep = reading_of("afl.thm4c", from_matrix([[1, 1]] * 10_000), LearningTask(smoothness=20))
    assert not steep.applies, "smoothness counts"


def test_a_sample_is_never_shown_to_be_uniform_and_unequal_rounds_are_seen() -> None:
    assert [
        c.holds
        for c in reading_of("afl.thm3c", from_matrix([[1, 0], [0, 1]] * 500)).conditions[2:4]
    ] == [True, None]
    assert reading_of("afl.thm3c", from_matrix([[1, 1], [0, 1]] * 2)).conditions[2].holds is False


def test_late_work_is_no_fresh_work(tmp_path: Path) -> None:
    log = read_log(write(tmp_path / "a.csv", "client,received,returned\na,0,1\na,1,2\nb,0,2.5\n"))
    for claim in ("mifa.thm5.1.best", "fedlaavg.cor1"):
        assert [
            c.holds
            for c in reading_of(claim, log).conditions
            if c.says == "local work starts from the newest model"
        ] == [False]
    assert "delays up to 3" in reading_of("afl.thm4c", log).conditions[-1].says, (
        "absent for one round, with work two rounds old"
    )
    with pytest.raises(InvalidInput, match="log of deliveries"):
        read_log(tmp_path / "a.csv", round_seconds=1)


@pytest.mark.slow
def test_where_an_assumption_fails_the_round_and_the_client_are_named() -> None:
    readings = {
        r.claim: r
        for r in read_theorems(
            Summary(from_matrix([[1, 1], [0, 0], [1, 0], [1, 0], [0, 0]], ["a", "b"])),
            LearningTask(),
        )
    }
    told = {c.says: c.where for r in readings.values() for c in r.conditions if c.holds is False}
    assert told["some client is available in every round"] == "2 empty rounds, the first is round 2"
    assert told["the same number of clients arrives in every round"] == "0 in round 2, 2 in round 1"
    grown = next(
        c for c in readings["mifa.thm5.1.best"].conditions if c.says.startswith("staleness")
    )
    assert grown.where.endswith("longest absence: b, 4 rounds, from round 2 to 5")
    absences = Advice(from_matrix([[0, 1], [0, 1], [1, 0]]), LearningTask()).to_json()[
        "longest_absences"
    ]
    assert [(x["rounds"], x["from_round"]) for x in absences] == [(2, 1), (1, 3)]
