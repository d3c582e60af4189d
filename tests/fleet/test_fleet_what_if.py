"""What would change: other logs, other clients, other constants, side by side."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.fleet.log import FleetLog, from_matrix
from fltheory.fleet.readers import read_log
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.what_if import Situation, changed, thinned
from tests.fleet.logs import write

FLEETS = Path(__file__).parents[2] / "docs" / "fleets"
TABLE = np.random.default_rng(0).random((60, 9)) < 0.5
START: Situation = (from_matrix(TABLE), LearningTask(), frozenset())


def test_thinning_keeps_clients_that_were_there_and_no_more_than_asked() -> None:
    found = thinned(START[0], 3).matrix()
    assert (found <= TABLE).all()
    assert (found.sum(axis=1) == np.minimum(TABLE.sum(axis=1), 3)).all()
    kept = found.sum(axis=0) / TABLE.sum(axis=0)
    assert kept.min() > 0.4, "no client is left out on purpose"
    assert (thinned(START[0], 9).matrix() == TABLE).all()


def test_changes_change_what_they_say() -> None:
    log = changed(START, "drop=client_0+client_3")[0]
    assert (log.matrix() == np.delete(TABLE, [0, 3], axis=1)).all()
    assert changed(START, "window=2")[0].num_rounds == 30
    log, task, given = changed(START, "noise=1/2")
    assert (log, str(task.noise), given) == (START[0], "1/2", {"noise"})
    assert changed(START, "local-steps=4")[1].local_steps == 4


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("drop=nobody", "be a client of the log"),
        ("drop=" + "+".join(f"client_{i}" for i in range(9)), "leave a client"),
        ("window=0", "whole number above 0"),
        ("clients-per-round=1/2", "whole number above 0"),
        ("colour=red", "NAME=VALUE with a name of drop, window, clients-per-round"),
        ("drop", "NAME=VALUE"),
        ("noise=-1", "be positive"),
    ],
)
def test_changes_that_make_no_sense_are_refused(question: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        changed(START, question)


@pytest.mark.slow
def test_logs_and_changes_stand_side_by_side(tmp_path: Path) -> None:
    rows = ["a,b", *(f"{int(t % 4 > 0)},1" for t in range(40))]
    log = write(tmp_path / "a.csv", "\n".join(rows) + "\n")
    other = write(tmp_path / "b.csv", "\n".join(["a,b", *["1,1"] * 40]) + "\n")
    words = ["advise", str(log), "--noise=0", "--heterogeneity=1/10", "--strong-convexity=1/10"]
    asked = [*words, "--what-if=drop=a", "--versus", str(other), "--json"]
    told = json.loads(CliRunner().invoke(make_app(), asked).output)
    table = {row[0]: row[1:] for row in told["compared"]}
    assert told["compared"][0] == ["", "this log", "other log", "drop=a"]
    assert table["clients"] == ["2", "2", "1"]
    assert table["largest staleness"] == ["1", "0", "0"]
    assert float(table["influence misplaced by FedAvg"][0]) > 0.1
    assert table["influence misplaced by FedAvg"][1:] == ["0", "0"]
    assert CliRunner().invoke(make_app(), [*words, "--what-if=x"]).exit_code == 2


def test_a_window_lasts_as_long_as_its_rounds() -> None:
    log = from_matrix(TABLE)
    timed = FleetLog(**{**vars(log), "round_seconds": 30.0})
    assert timed.windowed(4).round_seconds == 120
    assert log.windowed(4).round_seconds is None


def test_dropping_a_client_of_deliveries_is_reading_the_file_without_its_rows(
    tmp_path: Path,
) -> None:
    lines = (FLEETS / "one_straggler.csv").read_text(encoding="utf-8").splitlines()
    log = read_log(write(tmp_path / "all.csv", "\n".join(lines) + "\n"))
    kept = [line for line in lines if not line.startswith(("machine_0,", "machine_3,"))]
    read = read_log(write(tmp_path / "less.csv", "\n".join(kept) + "\n"))
    found = changed((log, LearningTask(), frozenset()), "drop=machine_3+machine_0")[0]
    for name in ("names", "num_rounds", "max_delay", "latest", "round_seconds"):
        assert getattr(found, name) == getattr(read, name), name
    for name in ("first", "begins", "ends"):
        assert (getattr(found, name) == getattr(read, name)).all(), name
    assert found.deliveries is not None
    assert read.deliveries is not None
    assert (found.deliveries.seconds == read.deliveries.seconds).all()
    assert found.max_delay < log.max_delay
    with pytest.raises(InvalidInput, match="be for a log of rounds"):
        changed((log, LearningTask(), frozenset()), "window=2")
