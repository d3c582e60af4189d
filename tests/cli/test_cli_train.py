"""Learning problems and compiled runs on the command line: falling losses, the same bits for any
number of runs, refusals with reasons."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.engine.compiled import NUMBA

pytest.importorskip("torch")
SMALL = "--clients 4 --samples 12 --features 5 --classes 3 --batch-size 4 --local-steps 2"
RUN = f"train --algorithm mifa --availability bernoulli:1/2 --step-size 1/5 --rounds 12 {SMALL}"


def fltheory(line: str) -> Any:
    return CliRunner().invoke(make_app(), line.split())


def answer(line: str) -> dict[str, Any]:
    result = fltheory(f"{line} --json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("problem", "parameters"), [("logistic", 3 * 6), ("network", 5 * 16 + 16 + 16 * 3 + 3)]
)
def test_losses_fall_and_runs_are_the_same_in_any_batch(
    problem: str, parameters: int, tmp_path: Path
) -> None:
    together = answer(f"{RUN} --problem {problem} --runs 3 --seed 7 -o {tmp_path / 'losses.json'}")
    assert together["parameters"] == parameters
    assert together["rounds"] == list(range(13))
    assert together["mean_loss"][-1] < 0.9 * together["mean_loss"][0]
    assert json.loads((tmp_path / "losses.json").read_text(encoding="utf-8")) == together
    again = answer(f"{RUN} --problem {problem} --runs 2 --seed 7 --single")
    assert np.array(again["losses"]) == pytest.approx(
        np.array(together["losses"])[again["rounds"], :2], rel=1e-4
    )
    assert len(set(together["losses"][-1])) == 3, "seeds differ"
    table = fltheory(f"{RUN} --problem {problem}")
    assert "global loss before each round" in table.stdout


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["logistic", "network"])
def test_runs_side_by_side_are_single_runs_up_to_the_last_bits(problem: str) -> None:
    line = f"{RUN} --problem {problem} --rounds 40"
    together = answer(f"{line} --runs 2 --seed 7")
    assert answer(f"{line} --runs 2 --seed 7") == together
    alone, beside = answer(f"{line} --seed 7")["losses"], np.array(together["losses"])[:, 0]
    assert np.abs(np.array(alone)[:, 0] / beside - 1).max() <= 1e-12
    assert "relatively by 1e-12" in " ".join(
        fltheory("train --help").stdout.replace("│", " ").split()
    )


def test_the_loss_of_a_linear_model_at_zero_is_the_logarithm_of_the_classes() -> None:
    assert answer(RUN)["losses"][0] == pytest.approx([np.log(3)], rel=1e-12)


def test_given_data(tmp_path: Path) -> None:
    file = tmp_path / "samples.csv"
    draw = np.random.default_rng(0)
    rows = [f"{'ab'[k % 2]},{k % 3},{draw.normal() + k % 3},{draw.normal()}" for k in range(20)]
    file.write_text("\n".join(["client,label,height,width", *rows]), encoding="utf-8")
    found = answer(
        f"train --algorithm fedavg --data {file} --step-size 1/10 --rounds 5 --batch-size 4"
        " --local-steps 1,2"
    )
    assert (found["clients"], found["parameters"]) == (2, 9)
    assert found["mean_loss"][-1] < found["mean_loss"][0]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["label,client,x", "0,a,1"], "be client,label and names of features"),
        (["client,label,x", "a,0,one"], "line 2"),
        (["client,label,x", "a,-1,1"], "line 2"),
        (["client,label,x", "a,0,1,2"], "line 2"),
        (["client,label,x"], "have samples"),
        (["client,label,x", "a,0,nan"], "finite"),
        (["client,label,x", 'a,0,"1'], "comma-separated"),
    ],
)
def test_bad_data_is_refused(lines: list[str], message: str, tmp_path: Path) -> None:
    file = tmp_path / "samples.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    result = fltheory(f"train --algorithm fedavg --data {file} --step-size 1/10 --rounds 2")
    assert result.exit_code == 2
    assert message in result.stderr


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "samples.csv").write_bytes(b"client,label,x\n\xff,0,1\n")
    result = fltheory(
        f"train --algorithm fedavg --data {tmp_path / 'samples.csv'} --step-size 1/10 --rounds 2"
    )
    assert (result.exit_code, "UTF-8" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            f"{RUN} --step-size 1e300 --weight-decay 1 --local-steps 3",
            "in round 0 the delivery of client 0 is not finite",
        ),
        (
            f"{RUN} --problem network --step-size 1e300 --weight-decay 1 --local-steps 3",
            "in round 0 the delivery of client 0 is not finite",
        ),
        (f"{RUN} --device nowhere", "--device must be one that torch has here"),
        (f"{RUN} --device meta", "got 'meta'"),
        (f"{RUN} --local-steps 1,2", "--local-steps"),
        (f"{RUN} --features 100000000", "features must be at most"),
        (f"{RUN} --algorithm mifaa", "algorithm must be one"),
        (f"{RUN} --runs 1000000000", "runs must be at most"),
        (f"{RUN} --classes 100000000", "classes x features must be at most"),
        (f"{RUN} --clients 1{'0' * 400}", "a number of 402 digits"),
        (f"{RUN} --step-size 1e300", "keep the loss finite"),
        ("train --algorithm mifa --step-size 1/2 --rounds 2 --data /dev/zero", "bytes"),
        ("train --algorithm mifa --step-size 1/2 --rounds 2 --data /nowhere.csv", "/nowhere.csv"),
    ],
)
def test_divergence_and_bad_options_are_told(line: str, message: str) -> None:
    result = fltheory(line)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.slow
@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
def test_compiled_runs_are_the_float_runs() -> None:
    line = (
        "simulate --algorithm mifa --availability bernoulli:1/2 --optima 0,1 --step-size 2/(t+9)"
        " --rounds 30 --local-steps 3 --noise gaussian:2 --seed 4 --arithmetic"
    )
    assert answer(f"{line} compiled")["models"] == pytest.approx(
        answer(f"{line} float")["models"], rel=1e-12, abs=1e-13
    )
    for wrong, message in (
        ("--algorithm scaffold", "for a compiled run"),
        ("--noise signs:1", "--noise must be written gaussian"),
        ("--problem clipped --gradient-bound 1", "be quadratic"),
        ("--step-size 1e300", "not finite"),
    ):
        result = fltheory(f"{line} compiled {wrong}")
        assert result.exit_code == 2
        assert message in result.stderr
