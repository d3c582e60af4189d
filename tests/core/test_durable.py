"""A file is the old one or the new one, whatever happens to the process that writes it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fltheory.core.durable import locked, replace_text

OLD, NEW = "old\n" * 1000, "new\n" * 200_000

WRITER = """
import sys
from pathlib import Path
from fltheory.core.durable import replace_text
while True:
    for word in ("old", "new"):
        replace_text(Path(sys.argv[1]), (word + "\\n") * 100_000)
"""

FULL = """
import resource, signal, sys
from pathlib import Path
from fltheory.core.durable import replace_text
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
replace_text(Path(sys.argv[1]), "new\\n" * 200_000)
"""

APPENDER = """
import sys
from pathlib import Path
from fltheory.core.durable import locked, replace_text
path = Path(sys.argv[1])
for index in range(50):
    with locked(path):
        replace_text(path, path.read_text() + f"{sys.argv[2]} {index}\\n")
"""


def python(program: str, *arguments: object) -> list[str]:
    return [sys.executable, "-c", program, *map(str, arguments)]


@pytest.mark.parametrize("limit", [0, 1, 4096, 100_000, 799_999])
def test_a_full_disk_leaves_the_old_file(limit: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    replace_text(path, OLD)
    done = subprocess.run(python(FULL, path, limit), capture_output=True, text=True)
    assert done.returncode != 0
    assert "File too large" in done.stderr
    assert path.read_text() == OLD
    assert os.listdir(tmp_path) == ["file"]


def test_with_enough_room_the_same_program_writes_the_new_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    replace_text(path, OLD)
    subprocess.run(python(FULL, path, 800_000), check=True)
    assert path.read_text() == NEW


@pytest.mark.slow
def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for attempt in range(10):
        replace_text(path, OLD)
        writer = subprocess.Popen(python(WRITER, path))
        time.sleep(0.1 + 0.013 * attempt)
        writer.send_signal(signal.SIGKILL)
        writer.wait(timeout=10)
        assert set(path.read_text().splitlines()) in ({"old"}, {"new"})
        assert len(path.read_text().splitlines()) in (1000, 100_000)


@pytest.mark.slow
def test_two_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    replace_text(path, "")
    writers = [subprocess.Popen(python(APPENDER, path, name)) for name in "ab"]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    lines = path.read_text().splitlines()
    assert sorted(lines) == sorted(f"{name} {index}" for name in "ab" for index in range(50))


def test_the_lock_ends_with_its_block(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file"
    for _ in range(2):
        with locked(path):
            replace_text(path, "text")
    assert path.read_text() == "text"
