"""Files of known content: where they are looked for, and how a wrong or truncated one is refused by
name."""

import gzip
import os
import zlib
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from fltheory.core.errors import InvalidInput
from fltheory.core.untrusted_io import first_bytes
from paper_reproductions.data.download import Tell, download

EMBEDDED = Path(__file__).parent / "embedded"
VARIABLE = "FLTHEORY_DATA"


@dataclass(frozen=True)
class KnownFile:
    """A file as its home distributes it; `size` and `digest` (sha256) belong to the content, after
    gzip where the name ends with .gz."""

    folder: str
    name: str
    size: int
    digest: str
    homes: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        return Path(self.folder) / self.name


MNIST_HOMES = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "http://yann.lecun.com/exdb/mnist/",
)
MNIST = tuple(
    KnownFile(
        "mnist",
        f"{name}-ubyte.gz",
        size,
        digest,
        tuple(f"{home}{name}-ubyte.gz" for home in MNIST_HOMES),
    )
    for name, size, digest in (
        (
            "train-images-idx3",
            47040016,
            "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        ),
        (
            "train-labels-idx1",
            60008,
            "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        ),
        (
            "t10k-images-idx3",
            7840016,
            "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        ),
        (
            "t10k-labels-idx1",
            10008,
            "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
        ),
    )
)
DIGITS = KnownFile(
    "", "digits.gz", 116805, "68aea062d35a127749050fa0e52dca09d6569ac08092c925610e0954e172dde2"
)
SPEECHES = KnownFile(
    "", "speeches.gz", 59804, "19207a31a71c0d325f4b2c80e3303b758838c688291d7d867a2fde46e255831d"
)
SHAKESPEARE = KnownFile(
    "shakespeare",
    "tinyshakespeare_input.txt",
    1115394,
    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
    ("https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",),
)


def cache_folder() -> Path:
    """Where downloads are kept: fltheory in $XDG_CACHE_HOME, by default ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fltheory"


def search_folders(data_dir: Path | None = None) -> list[Path]:
    """The folders in which data are looked for, in this order: the given one, $FLTHEORY_DATA, the
    cache.

    >>> search_folders(EMBEDDED)[0] == EMBEDDED, search_folders()[-1] == cache_folder()
    (True, True)
    """
    if data_dir is not None and not data_dir.is_dir():
        raise InvalidInput("data folder", "be a folder that exists", f"'{data_dir}'")
    chosen = [
        data_dir,
        Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None,
        cache_folder(),
    ]
    return [folder for folder in chosen if folder is not None]


def find(known: Path, data_dir: Path | None = None) -> Path | None:
    """The first folder's file of that name, with or without the data set's own folder."""
    for folder in search_folders(data_dir):
        for place in (folder / known, folder / known.name):
            if place.is_file():
                return place
    return None


def content(path: Path, known: KnownFile) -> bytes:
    """The bytes of a file, uncompressed, if they are the known ones; else the file is refused by
    name."""
    found = (
        _uncompressed(path, known.size)
        if known.name.endswith(".gz")
        else first_bytes(path, known.size + 1)
    )
    return checked(found, known, str(path))


def checked(found: bytes, known: KnownFile, owner: str) -> bytes:
    """The content, if size and checksum are the known ones."""
    if len(found) < known.size:
        raise InvalidInput(
            owner,
            f"hold {known.size} bytes of {known.name}",
            f"{len(found)} bytes: it is truncated",
        )
    if len(found) > known.size or (digest := sha256(found).hexdigest()) != known.digest:
        told = "a longer file" if len(found) > known.size else f"sha256 {digest}"
        raise InvalidInput(owner, f"have the content of {known.name} (sha256 {known.digest})", told)
    return found


def _uncompressed(path: Path, size: int) -> bytes:
    """At most one byte more than the known size, so that a bomb does not explode."""
    try:
        with gzip.open(path) as file:
            return file.read(size + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise InvalidInput(
            str(path), "be a whole gzip file", f"one that is truncated or damaged ({problem})"
        ) from None


def read(known: KnownFile, data_dir: Path | None = None, *, tell: Tell | None = None) -> bytes:
    """Content of a known file: embedded, from the folders, or downloaded into the cache."""
    if not known.homes:
        return content(EMBEDDED / known.name, known)
    path = find(known.path, data_dir)
    if path is None:
        path = download(
            known.homes, cache_folder() / known.path, lambda file: content(file, known), tell=tell
        )
    return content(path, known)
