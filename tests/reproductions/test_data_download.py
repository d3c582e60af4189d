"""Downloads from a server on this machine: what is right is kept, whatever is wrong is refused by
name, in bounded time and space."""

import gzip
import threading
import time
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fltheory.core.errors import InvalidInput
from paper_reproductions.command import _progress
from paper_reproductions.data import datasets, download, files

CONTENT = bytes(range(256)) * 400
GOOD, BOMB = gzip.compress(CONTENT), gzip.compress(bytes(30_000_000))


class Home(BaseHTTPRequestHandler):
    """A path decides what goes wrong."""

    def do_GET(self) -> None:
        match self.path.split("/")[1]:
            case "good":
                self.send(GOOD)
            case "other":
                self.send(gzip.compress(CONTENT[::-1]))
            case "cut":
                self.send(GOOD[:-40], told=len(GOOD))
            case "cut-unsaid":
                self.send(GOOD[:-40], told=None)
            case "bomb":
                self.send(BOMB)
            case "huge":
                self.send(GOOD, told=download.MOST_BYTES + 1)
            case "endless":
                self.send(GOOD * 40, told=None)
            case "error":
                self.send_error(500)
            case "nonsense":
                self.wfile.write(b"hello\r\n\r\n")
            case "slow":
                self.send(b"", told=len(GOOD))
                for _ in range(40):
                    self.wfile.write(b"x")
                    time.sleep(0.05)
            case "silent":
                self.send(b"", told=len(GOOD))
                self.connection.settimeout(60)
                self.rfile.read(1)  # until the other side gives up
            case "mnist":
                self.send(gzip.compress(PARTS[int(self.path[-4])]))
            case _:
                self.send_error(404)

    def send(self, body: bytes, told: int | None = -1) -> None:
        self.send_response(200)
        if told is not None:
            self.send_header("Content-Length", str(len(body) if told < 0 else told))
        self.end_headers()
        self.wfile.write(body)

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


PARTS = [bytes(16) + bytes(range(196)) * 12, bytes(8) + bytes([5, 0, 4])] * 2


@pytest.fixture(scope="module")
def home() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Home)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(files.VARIABLE, raising=False)


def known(home: str, *paths: str) -> files.KnownFile:
    homes = tuple(f"{home}/{path}/sample.gz" for path in paths)
    return files.KnownFile("set", "sample.gz", len(CONTENT), sha256(CONTENT).hexdigest(), homes)


def test_a_good_file_is_kept_and_told(home: str, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    assert files.read(known(home, "good"), tell=lambda *state: told.append(state)) == CONTENT
    assert told[-1] == ("sample.gz", len(GOOD), len(GOOD))
    assert [path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()] == [
        "sample.gz"
    ]
    assert files.read(known(home, "error")) == CONTENT, "the second time it comes from the cache"


WRONG = {
    "other": "got sha256",
    "cut": r"sample\.gz must arrive whole, \d+ bytes, got \d+ bytes: it is truncated",
    "cut-unsaid": "be a whole gzip file",
    "bomb": "got a longer file",
    "huge": "have at most",
    "error": "HTTP Error 500",
    "missing": "HTTP Error 404",
    "nonsense": "hello",
    "slow": "arrive within 0.5 seconds",
    "silent": "timed out",
}


@pytest.mark.parametrize("path", WRONG)
def test_what_is_wrong_is_refused_by_name_and_not_kept(
    path: str, home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if path in ("slow", "silent"):
        monkeypatch.setattr(download, "MOST_SECONDS" if path == "slow" else "SECONDS", 0.5)
    with pytest.raises(InvalidInput, match=WRONG[path]) as refused:
        files.read(known(home, path))
    assert str(refused.value).startswith("sample.gz must be in --data-dir")
    assert f"{home}/{path}/sample.gz" in str(refused.value)
    assert not [found for found in (tmp_path / "cache").rglob("*") if found.is_file()]


def test_more_than_was_announced_is_cut_off(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "MOST_BYTES", 2 * len(GOOD))
    told: list[int] = []
    with pytest.raises(InvalidInput, match="have at most"):
        files.read(known(home, "endless"), tell=lambda name, done, whole: told.append(done))
    assert max(told, default=0) <= download.MOST_BYTES


def test_the_next_home_is_asked(home: str) -> None:
    assert files.read(known(home, "error", "other", "cut", "bomb", "good")) == CONTENT


def test_a_data_set_comes_through_the_progress_bar(
    home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tuple(
        files.KnownFile(
            "mnist", f"{i}.gz", len(part), sha256(part).hexdigest(), (f"{home}/mnist/{i}.gz",)
        )
        for i, part in enumerate(PARTS)
    )
    monkeypatch.setattr(files, "MNIST", mine)
    told: list[str] = []
    with _progress("title") as (_, tell_download):

        def tell(name: str, done: int, whole: int) -> None:
            told.append(name)
            tell_download(name, done, whole)

        found = datasets.load("mnist", tell=tell)
    assert sorted(set(told)) == ["0.gz", "1.gz", "2.gz", "3.gz"]
    assert np.array_equal(found.labels, [5, 0, 4])
