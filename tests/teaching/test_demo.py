"""Terminal demos, the page as a file and the page on the loopback address."""

import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from fractions import Fraction
from http.client import HTTPConnection
from itertools import product
from pathlib import Path

import pytest
import sympy
from typer.testing import CliRunner

from fltheory import FedAvg, Quadratic, Trace, limit_cycle, named_arithmetic
from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.papers import all_claims
from fltheory.teaching import page as pages
from fltheory.teaching.drift import drift
from fltheory.teaching.pictures import Curve, Picture, drift_picture
from fltheory.teaching.serve import server
from fltheory.teaching.terminal import lines, plain

SCENES = ("drift", "async", "stragglers", "anarchic")
APP = make_app()


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(APP, ["demo", *words])
    return result.exit_code, result.stdout, result.stderr


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


def leaning(key: str) -> list[tuple[object, ...]]:
    """Settings in which the mean over a period is not (t1 e1 + t2 e2)/(t1 + t2), in exact
    fractions."""
    found = []
    for blocks, size, steps in product(
        product((1, 2, 3, 5), repeat=2), ("1/100", "1/4", "1/2", "3/5", "19/20"), (1, 2, 3)
    ):
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
        Curve(name, name, "", [0, 1, 2], y)
        for name, y in (("a", [0.0, 1e9, float("inf")]), ("b", [0.0, 1.0, 0.5]))
    )
    picture = Picture("t", "round", (away, near), {"optimum": 0.5}, (), {})
    assert plain(lines(picture, 40, 8)).count("b") >= 3


def test_an_unfinished_frame_shows_a_beginning_of_the_curve() -> None:
    picture = drift_picture(methods=("fedavg",))
    half, whole = (plain(lines(picture, 78, 16, until=until)) for until in (14, None))
    assert 0 < half.count("o") < whole.count("o")


def test_in_a_terminal_the_plot_is_drawn_live() -> None:
    parent, child = pty.openpty()
    words = [
        sys.executable,
        "-c",
        (
            "import fltheory.cli.demo as d; d.SECONDS, d.FRAMES = 0.05, 3; import fltheory.cli;"
            " fltheory.cli.main()"
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


def test_the_exported_page_is_small_and_points_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    assert run("--export", str(file))[0] == 0
    text = file.read_text(encoding="utf-8")
    assert len(text.encode()) < 300_000
    outside = re.findall(
        r"""(?:src|href)\s*=\s*["'](?!#|data:,)[^"']*|@import|url\((?!#)|\bfetch\(|XMLHttpRequest|WebSocket""",
        text,
    )
    assert outside == []
    assert "{{" not in re.sub(r"<script.*?</script>", "", text, flags=re.S)


def test_what_the_page_explains_is_what_explain_prints() -> None:
    told = {claim: text for claim, (text, _) in json.loads(pages.data()).items()}
    assert set(pages.pointed_to()) <= set(told) <= set(all_claims())
    assert len(pages.pointed_to()) >= 20
    printed = (
        CliRunner()
        .invoke(APP, ["explain", "fedlaavg.thm1.closed"])
        .stdout.partition("How it was attacked")[0]
    )
    assert told["fedlaavg.thm1.closed"].strip() == printed.strip()


def test_modules_import_only_what_comes_before_them() -> None:
    with pytest.raises(InvalidInput, match="import what a module before it exports"):
        pages.script({"a.js": 'import { b } from "./b.js";\n', "b.js": "export const b = 1;\n"})
    with pytest.raises(InvalidInput, match="export names of its own"):
        pages.script({"a.js": "export const b = 1;\n", "b.js": "export const b = 2;\n"})


def test_the_scripts_keep_to_the_house_style() -> None:
    for name, text in pages.sources().items():
        lines_ = text.splitlines()
        assert (name, len(lines_) <= 300, [line for line in lines_ if len(line) > 140]) == (
            name,
            True,
            [],
        )
        assert not re.search(
            r"innerHTML|insertAdjacent|document\.write|\beval\(|new Function|TODO", text
        ), name


def test_the_policy_names_the_script_that_is_there() -> None:
    assert pages.policy("a", "s") != pages.policy("b", "s")
    assert pages.page_policy().startswith("default-src 'none'; script-src 'sha256-")


@pytest.fixture
def running() -> Iterator[int]:
    with server() as opened:
        threading.Thread(target=opened.serve_forever, daemon=True).start()
        yield opened.server_port
        opened.shutdown()


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [
        ("/", None, 200),
        ("/?x=1", None, 200),
        ("/etc/passwd", None, 404),
        ("/../pyproject.toml", None, 404),
        ("/", "example.org", 403),
    ],
)
def test_the_server_gives_its_page_and_nothing_else(
    path: str, host: str | None, status: int, running: int
) -> None:
    connection = HTTPConnection("127.0.0.1", running, timeout=10)
    connection.request("GET", path, headers={} if host is None else {"Host": host})
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == status
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert (b"<!doctype html>" in body) == (status == 200)
    connection.close()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_other_methods_are_refused_under_the_same_policy(method: str, running: int) -> None:
    connection = HTTPConnection("127.0.0.1", running, timeout=10)
    connection.request(method, "/", body=b"")
    answer = connection.getresponse()
    assert answer.status == 501
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    connection.close()


def test_a_visitor_who_leaves_early_is_no_event(
    running: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        visitor = socket.create_connection(("127.0.0.1", running))
        visitor.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )  # leaves with a reset
        visitor.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{running}\r\n\r\n".encode())
        visitor.close()
    connection = HTTPConnection("127.0.0.1", running, timeout=10)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    connection.close()
    assert capsys.readouterr().err == ""


def test_serving_stops_cleanly_when_interrupted() -> None:
    heard = (  # tests in the background inherit deafness to it
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    )
    words = [
        sys.executable,
        "-c",
        f"{heard}; import fltheory.cli; fltheory.cli.main()",
        "demo",
        "--serve",
        "--port",
        "0",
    ]
    process = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        shown, told = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, shown, told) == (0, "stopped\n", "")
