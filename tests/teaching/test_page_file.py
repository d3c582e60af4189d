"""The page as a file and as served: its size, policy, explanations, and answers to requests."""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fltheory.core.errors import InvalidInput
from fltheory.papers import all_claims
from fltheory.teaching import page as pages
from fltheory.teaching.serve import server
from tests.teaching.demo_runs import APP, run


def test_the_exported_page_is_small_and_points_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    assert run("--export", str(file))[0] == 0
    text = file.read_text(encoding="utf-8")
    assert len(text.encode()) < 400_000
    outside = re.findall(
        r"""(?:src|href)\s*=\s*["'](?!#|data:,)[^"']*|@import|url\((?!#|data:)|\bfetch\(|XMLHttpRequest|WebSocket""",
        text,
    )
    assert outside == []
    assert "{{" not in re.sub(r"<script.*?</script>", "", text, flags=re.S)


def test_what_the_page_explains_is_what_explain_prints() -> None:
    told = {claim: text for claim, (text, _) in json.loads(pages.data())["claims"].items()}
    assert set(pages.pointed_to()) <= set(told) <= set(all_claims())
    assert len(pages.pointed_to()) >= 20
    printed = (
        CliRunner()
        .invoke(APP, ["explain", "fedlaavg.thm1.closed"])
        .stdout.partition("How it was attacked")[0]
    )
    shown, _, words = told["fedlaavg.thm1.closed"].partition("\nCheck it yourself\n")
    assert shown.strip() == printed.strip()
    assert words


def test_modules_import_only_what_comes_before_them() -> None:
    with pytest.raises(InvalidInput, match="import what an earlier module exports"):
        pages.script({"a.js": 'import { b } from "./b.js";\n', "b.js": "export const b = 1;\n"})
    with pytest.raises(InvalidInput, match="export names that no earlier"):
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
    assert pages.policy(["a"], "s") != pages.policy(["b"], "s")
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


@pytest.mark.slow
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
