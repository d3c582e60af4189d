"""Recommended weights are fair on the log."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fltheory.fleet import clocked
from fltheory.fleet.advice import Advice
from fltheory.fleet.log import from_matrix
from fltheory.fleet.public import write_weights
from fltheory.fleet.readers import read_log
from fltheory.fleet.recommend import Choice
from fltheory.fleet.setting import MEANINGS, LearningTask
from fltheory.traces.clocks import Asynchronous


@pytest.mark.slow
def test_weights_of_single_arrivals_are_those_of_the_prediction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many deliveries of a fast client as of a slow one, since it was logged for a shorter time:
    its next ones come faster."""
    rows = [
        f"{name},{took * k},{took * (k + 1)}"
        for name, took in (("fast", 1), ("slow", 4))
        for k in range(12)
    ]
    (tmp_path / "a.csv").write_text("\n".join(["client,received,returned", *rows]) + "\n")
    given = Advice(read_log(tmp_path / "a.csv"), LearningTask())
    assert given.summary.shares.tolist() == [1 / 2, 1 / 2]
    made = clocked.clocked(given.summary, 2)
    trace = made.run(Asynchronous(), 1).trace
    monkeypatch.setattr(
        Choice, "best", next(p for p in given.predictions if p.method.startswith("asynchronous"))
    )
    assert (
        given.weights.tolist()
        == pytest.approx([float(w) for w in made.times.weights(Asynchronous(), trace)])
        == [5 / 8, 5 / 2]
    )


@pytest.mark.slow
def test_a_weight_that_would_be_extreme_is_capped_and_the_bias_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second client comes in 1 of 100 rounds: it gets a fifth of its influence."""
    table = [[1, int(t == 50)] for t in range(100)]
    given = Advice(from_matrix(table), LearningTask(noise=0), frozenset(MEANINGS))
    best = next(p for p in given.predictions if p.member == "importance-sampling")
    monkeypatch.setattr(Choice, "best", best)
    assert given.weights.tolist() == [0.5, 10.0]
    assert given.capping["clients"] == 1
    assert given.capping["misplaced_influence"] == pytest.approx(0.5 / 0.6 - 0.5)
    assert "this misplaces 33.3% of the influence" in given.recommendation
    mild = Advice(from_matrix([[1, t % 2] for t in range(100)]), LearningTask(noise=0))
    assert mild.capping["clients"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("member", ["mifa", "importance-sampling"])
def test_weights_belong_to_the_recommended_method_and_the_file_says_so(
    member: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = from_matrix([[1, t % 2] for t in range(20)])
    given = Advice(replace(log, importance=np.array([0.25, 0.75])), LearningTask(noise=0))
    best = next(p for p in given.predictions if p.member == member)
    monkeypatch.setattr(Choice, "best", best)
    write_weights(given, tmp_path / "w.csv")
    rows = [row.split(",") for row in (tmp_path / "w.csv").read_text().splitlines()]
    assert {row[3] for row in rows[1:]} == {member}
    wanted = [0.25, 0.75] if member == "mifa" else [0.25, 1.5]
    assert [float(row[2]) for row in rows[1:]] == wanted


def test_where_everybody_is_always_there_fedavg_is_weighted_aggregation() -> None:
    given = Advice(from_matrix([[1, 1]] * 40), LearningTask(noise=0))
    fedavg = next(p for p in given.predictions if p.method.startswith("FedAvg over whoever"))
    assert given.choice.support(fedavg) >= 1
    assert "would reach the target" not in given.recommendation
