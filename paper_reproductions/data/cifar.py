"""CIFAR-10 in its binary form: records of one label byte and 3072 bytes of red, green and blue
planes. Nothing in it is executed.

A batch may also lie as one PNG of 10,000 rows, one image to a row, with the labels in JSON files;
it then has to give the same bytes.
"""

import io
import tarfile
import zlib
from hashlib import md5, sha256
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.untrusted_io import bounded_bytes, bounded_json, first_bytes
from paper_reproductions.data.download import Tell, download
from paper_reproductions.data.files import KnownFile, cache_folder, checked, find

HOME = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"
ARCHIVE_MD5 = "c32a1d4ab5d03f1284b67883e8d87530"
"""As the data set's page publishes it."""

IMAGES, PIXELS = 10_000, 3072
MOST_BYTES = 1 << 28
"""Of an archive, a picture or a list of labels."""
SIZE = IMAGES * (1 + PIXELS)
FOLDER = Path("cifar-10-batches-bin")
WHOLE = {
    "data_batch_1": "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
    "test_batch": "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b",
}
LABELS = {
    "data_batch_1": "d829dbdf32167c9d7b3687cee66d92d80d46c441308b5aca0d11e8b69e27dac9",
    "data_batch_2": "5d18f7371ed35ea9ade77952fe958b0660a45cd6c8b8a8970030f21612cfd7e3",
    "data_batch_3": "32cf77b0ee2e790b1c4384d2d82e42dc1571b87e67f6da8f444b2725b2973f65",
    "data_batch_4": "d2815e3f8f656272864920fc0edde56b04ec9cf81bf397c0dd3069f4aea51aeb",
    "data_batch_5": "2ddf3ab27d5d04409c94ce7b56849c243129c10de1058ae0bfe14c77e934800c",
    "test_batch": "cec8a24a1e92aa2ecaa0bbd3dbfa86bf6cd8759fbd209a832824c8cf0afca9d5",
}
"""sha256 of the label bytes of every batch; the whole content is known of two of them, the rest
rests on the archive's checksum."""


def batches(data_dir: Path | None = None, *, tell: Tell | None = None) -> dict[str, Any]:
    """Every batch that is found, as (10000, 3073) bytes; without batch 1 or the test batch the
    archive is downloaded."""
    found = {name: records for name in LABELS if (records := _batch(name, data_dir)) is not None}
    if not {"data_batch_1", "test_batch"} <= set(found):
        archive = find(Path("cifar10") / Path(HOME).name, data_dir)
        if archive is None:
            archive = download(
                (HOME,), cache_folder() / "cifar10" / Path(HOME).name, _check_archive, tell=tell
            )
        _check_archive(archive)
        found = {name: _records(_member(archive, name), name, str(archive)) for name in LABELS}
    return found


def _batch(name: str, data_dir: Path | None) -> Any:
    """A batch from its own file, or from its picture, or None."""
    path = find(FOLDER / f"{name}.bin", data_dir)
    if path is not None:
        return _records(first_bytes(path, SIZE + 1), name, str(path))
    picture = find(Path("cifar10") / f"{name}.png", data_dir)
    return None if picture is None else _records(_from_picture(picture, name), name, str(picture))


def _records(content: bytes, name: str, owner: str) -> Any:
    """The bytes as records, once they are known to be the right ones."""
    if name in WHOLE:
        checked(content, KnownFile("", f"{name}.bin", SIZE, WHOLE[name]), owner)
    if len(content) != SIZE:
        raise InvalidInput(owner, f"hold {SIZE} bytes of {name}.bin", f"{len(content)} bytes")
    records = np.frombuffer(content, np.uint8).reshape(IMAGES, 1 + PIXELS)
    if sha256(records[:, 0].tobytes()).hexdigest() != LABELS[name]:
        raise InvalidInput(owner, f"have the labels of {name}.bin", "other labels")
    return records


def _from_picture(picture: Path, name: str) -> bytes:
    try:
        from PIL import Image
    except ImportError:
        raise ImportError(
            "CIFAR-10 as PNG files needs Pillow: pip install 'fltheory[plot]'"
        ) from None
    try:
        with Image.open(io.BytesIO(bounded_bytes(picture, MOST_BYTES)), formats=["PNG"]) as image:
            if image.size != (PIXELS // 3, IMAGES):  # before its pixels are unpacked
                raise InvalidInput(
                    str(picture),
                    f"have {IMAGES} images of {PIXELS // 3} pixels",
                    f"{image.size[1]} x {image.size[0]}",
                )
            planes = np.asarray(image.convert("RGB")).transpose(0, 2, 1).reshape(IMAGES, PIXELS)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as problem:
        if isinstance(problem, InvalidInput):
            raise
        raise InvalidInput(str(picture), "be a whole PNG picture", str(problem)[:80]) from None
    labels = _labels(
        picture.parent / ("test_labels.json" if name == "test_batch" else "train_labels.json"),
        0 if name == "test_batch" else IMAGES * (int(name[-1]) - 1),
    )
    return np.concatenate([labels[:, None], planes], axis=1).tobytes()


def _labels(path: Path, first: int) -> Any:
    """The labels of one batch from a JSON list."""
    whole = bounded_json(path, MOST_BYTES, str(path))
    part = whole[first : first + IMAGES] if isinstance(whole, list) else []
    if len(part) != IMAGES or not all(type(label) is int and 0 <= label < 10 for label in part):
        raise InvalidInput(
            str(path),
            f"be a list with {IMAGES} labels from 0 to 9 at place {first}",
            f"{len(part)} entries there",
        )
    return np.array(part, np.uint8)


def _check_archive(path: Path) -> None:
    found = md5(bounded_bytes(path, MOST_BYTES), usedforsecurity=False).hexdigest()
    if found != ARCHIVE_MD5:
        raise InvalidInput(str(path), f"be the archive with MD5 {ARCHIVE_MD5}", f"MD5 {found}")


def _member(archive: Path, name: str) -> bytes:
    """One file of the archive, read in memory: nothing is unpacked to a place that the archive
    chooses."""
    try:
        with tarfile.open(archive) as files:
            member = files.extractfile(str(FOLDER / f"{name}.bin"))
            return b"" if member is None else member.read(SIZE + 1)
    except (tarfile.TarError, KeyError, EOFError, OSError, zlib.error, RecursionError) as problem:
        raise InvalidInput(
            str(archive), f"be an archive with {name}.bin", str(problem)[:80]
        ) from None
