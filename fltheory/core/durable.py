"""Write files so that a kill or a full disk leaves the old text or the new one, never a part."""

import errno
import fcntl
import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def replace_text(path: Path, text: str, *, make_folder: bool = False) -> None:
    """Put the text in place of the file in one step: the text is written and synced beside it, then
    renamed. If anything fails, the old file stays as it was. The folder must exist, unless it is to
    be made.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     replace_text(Path(folder, "b.txt"), "new")
    ...     print(Path(folder, "b.txt").read_text(), len(list(Path(folder).iterdir())))
    new 1
    """
    if make_folder:
        path.parent.mkdir(parents=True, exist_ok=True)
    replace_bytes(path, text.encode("utf-8"))


def replace_bytes(path: Path, data: bytes) -> None:
    """Put bytes in place of the file in one step. A link is replaced, not followed; a device or a
    pipe, such as /dev/stdout, is written to."""
    if path.exists() and not path.is_file():
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        path.write_bytes(data)
        return
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        there = path.exists() and not path.is_symlink()
        os.chmod(fresh, path.stat().st_mode & 0o777 if there else 0o644)
        os.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the only lock on a file's folder while reading the file and writing it anew; a second
    writer waits, and the lock of a process that dies is gone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        for left in path.parent.glob(f".{glob.escape(path.name)}.*.new"):
            left.unlink(missing_ok=True)  # of a writer that was killed: nobody else holds the lock
        yield
    finally:
        os.close(handle)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
