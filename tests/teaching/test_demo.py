"""Terminal demos, the page as a file and the page on the loopback address."""

import json
import os
import pty
import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
import sympy

from fltheory import FedAvg, Quadratic, Trace, limit_cycle, named_arithmetic
from fltheory.teaching.drift import drift
from fltheory.teaching.pictures import DemoCurve, DemoPicture, drift_picture
from fltheory.teaching.terminal import lines, plain
from tests.teaching.demo_runs import run

SCENES = ("drift", "async", "stragglers", "anarchic")


@pytest.mark.parametrize("scene", SCENES)
def test_a_demo_is_one_screen_of_plain_text(scene: str) -> None:
    code, shown, _ = run(scene)
    assert code == 0
    assert "\x1b" not in shown
    assert len(shown.splitlines()) <= 23  # the last line of a screen is the prompt's
    assert max(map(len, shown.splitlines())) < 80
    assert "- - optimum" in shown


def test_the_drift_demo_names_the_cycle_exactly() -> None:
    _, shown, _ = run("drift")
    assert "14/15 (0.93333) at the end of each period, mean 3/4 (0.75)" in shown
    assert "m MIFA, FedLaAvg" in shown  # one curve, as they coincide
    assert "\n   0.5 |-" in shown
    assert next(line.split() for line in shown.splitlines() if "there" in line) == [
        "there",
        *"1222" * 7,
    ]
    found = json.loads(run("drift", "--json")[1])["methods"]["fedavg"]
    assert (found["limit"], found["mean"]) == ("14/15", "3/4")
    assert "has no limit" in run("drift", "--step-size", "1", "--methods", "fedavg")[1]


def leaning(key: str) -> list[object]:
    """Settings in which the mean over a period is not (t1 e1 + t2 e2)/(t1 + t2), in exact
    fractions."""
    found: list[object] = []
    pairs = [(one, other) for one in (1, 2, 3, 5) for other in (1, 2, 3, 5)]
    for blocks, size, steps in product(pairs, ("1/100", "1/4", "1/2", "3/5", "19/20"), (1, 2, 3)):
        numbers = drift(
            blocks=blocks,
            optima=("-1/3", 2),
            step_size=size,
            local_steps=steps,
            rounds=1,
            methods=(key,),
        )
        if numbers["methods"][key]["mean"] != (Fraction(-1, 3) * blocks[0] + 2 * blocks[1]) / sum(
            blocks
        ):
            found.append((blocks, size, steps))
    return found


@pytest.mark.slow
def test_without_memory_the_mean_over_a_period_is_that_of_whoever_is_there() -> None:
    assert leaning("fedavg") == []
    assert len(leaning("mifa")) > 100  # with memory it is the optimum
    step = sympy.Symbol("step", positive=True)
    pattern, problem = (
        Trace.fresh([[1, 0], [0, 1], [0, 1], [0, 1]] * 3),
        Quadratic(curvatures=(2, 2), optima=(0, 1)),
    )
    cycle = limit_cycle(
        FedAvg(), problem, pattern, local_step_size=step, arithmetic=named_arithmetic("symbolic")
    )
    assert cycle.mean is not None
    assert cycle.at_period_end is not None
    assert sympy.simplify(cycle.mean[0]) == sympy.Rational(3, 4)
    assert sympy.simplify(cycle.at_period_end[0] - sympy.Rational(3, 4)) != 0


def test_importance_sampling_and_fedprox_can_be_asked_for() -> None:
    _, shown, _ = run(
        "drift", "--methods", "fedprox,sampling", "--local-steps", "2", "--step-size", "1/10"
    )
    assert "FedProx" in shown
    assert "Importance sampling" in shown


def test_a_run_past_the_edge_is_told_as_such() -> None:
    assert "past the stability edge" in run("async", "--step-size", "3/2")[1]
    assert "has no limit" in run("anarchic", "--step-size", "2", "--delay", "2")[1]
    assert "keeps a floor" not in run("anarchic", "--step-size", "2", "--delay", "2")[1]
    assert "keeps a floor" in run("anarchic")[1]


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES)
def test_a_demo_draws_a_png_on_request(scene: str, tmp_path: Path) -> None:
    file = tmp_path / "plot.png"
    assert run(scene, "--png", str(file))[0] == 0
    assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "words",
    [
        ("drift", "--blocks", "1"),
        ("drift", "--blocks", "30,30"),
        ("drift", "--step-size", "0"),
        ("drift", "--methods", "sgd"),
        ("drift", "--optima", "0,1,2"),
        ("drift", "--start", "x"),
        ("drift", "--rounds", "0"),
        ("drift", "--png", "plot.txt"),
        ("async", "--update-times", "1"),
        ("async", "--update-times", "1,7"),
        ("async", "--window", "-1"),
        ("async", "--horizon", "0"),
        ("stragglers", "--probabilities", "1,1"),
        ("stragglers", "--probabilities", "0,1,1,1"),
        ("stragglers", "--sample-size", "5"),
        ("anarchic", "--rare", "1"),
        ("anarchic", "--gap", "0"),
        ("anarchic", "--delay", "9"),
        ("walk",),
        ("--export", "page.txt"),
        ("--export", "/no/such/folder/page.html"),
        ("--serve", "--port", "70000"),
        ("--port", "8000"),
        ("--port", "8000", "drift"),
        ("--export", "page.html", "--port", "8000"),
    ],
)
def test_bad_input_ends_with_code_2_and_one_line(words: tuple[str, ...]) -> None:
    code, shown, told = run(*words)
    assert code == 2
    assert shown == ""
    assert told
    assert "Traceback" not in told


def test_curves_that_run_away_leave_the_others_readable() -> None:
    away, near = (
        DemoCurve(name, name, "", [0, 1, 2], y)
        for name, y in (("a", [0.0, 1e9, float("inf")]), ("b", [0.0, 1.0, 0.5]))
    )
    picture = DemoPicture("t", "round", (away, near), {"optimum": 0.5}, (), {})
    assert plain(lines(picture, 40, 8)).count("b") >= 3


def test_an_unfinished_frame_shows_a_beginning_of_the_curve() -> None:
    picture = drift_picture(methods=("fedavg",))
    half, whole = (plain(lines(picture, 78, 16, until=until)) for until in (14, None))
    assert 0 < half.count("o") < whole.count("o")


@pytest.mark.slow
def test_in_a_terminal_the_plot_is_drawn_live() -> None:
    parent, child = pty.openpty()
    words = [
        sys.executable,
        "-c",
        (
            "import fltheory.cli.animation as d; d.SECONDS, d.FRAMES = 0.05, 3;"
            " import fltheory.cli; fltheory.cli.main()"
        ),
    ]
    process = subprocess.Popen(
        [*words, "demo", "drift"],
        stdout=child,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "100"},
    )
    os.close(child)
    told = b"".join(iter(lambda: _read(parent), b""))
    os.close(parent)
    assert process.wait() == 0
    assert b"\x1b[" in told
    assert told.count(b"Two clients take turns") >= 3


def _read(parent: int) -> bytes:
    try:
        return os.read(parent, 65536)
    except OSError:  # Linux says so when the other end is closed
        return b""
