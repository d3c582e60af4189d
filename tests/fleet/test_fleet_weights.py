"""Recommended weights are fair on the log."""

from pathlib import Path

import pytest

from fltheory.fleet import clocked
from fltheory.fleet.advice import Advice
from fltheory.fleet.readers import read_log
from fltheory.fleet.recommend import Choice
from fltheory.fleet.setting import LearningTask
from fltheory.traces.clocks import Asynchronous


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
    made = clocked.clocked(given.summary, LearningTask(), 2)
    trace = made.run(Asynchronous(), 1).trace
    monkeypatch.setattr(
        Choice, "best", next(p for p in given.predictions if p.method.startswith("asynchronous"))
    )
    assert (
        given.fair_weights.tolist()
        == pytest.approx([float(w) for w in made.times.weights(Asynchronous(), trace)])
        == [5 / 8, 5 / 2]
    )
