"""CIFAR-10 in its binary form: records of one label byte and 3072 bytes of red, green and blue planes. Nothing in it is executed.

A batch may also lie as one PNG of 10,000 rows, one image to a row, with the labels in JSON files; it then has to give the same bytes.
"""

import json
import tarfile
from hashlib import md5, sha256
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.data.download import Tell, download
from fltheory.data.files import KnownFile, cache_folder, checked, find
from fltheory.errors import InvalidInput

HOME = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"
ARCHIVE_MD5 = "c32a1d4ab5d03f1284b67883e8d87530"
"""As the data set's page publishes it."""

IMAGES, PIXELS = 10_000, 3072
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
"""sha256 of the label bytes of every batch; the whole content is known of two of them, the rest rests on the archive's checksum."""


def batches(data_dir: Path | None = None, *, tell: Tell | None = None) -> dict[str, Any]:
    """Every batch that is found, as (10000, 3073) bytes; without batch 1 or the test batch the archive is downloaded."""
    found = {name: records for name in LABELS if (records := _batch(name, data_dir)) is not None}
    if not {"data_batch_1", "test_batch"} <= set(found):
        archive = find(Path("cifar10") / Path(HOME).name, data_dir)
        if archive is None:
            archive = download((HOME,), cache_folder() / "cifar10" / Path(HOME).name, _check_archive, tell=tell)
        _check_archive(archive)
        found = {name: _records(_member(archive, name), name, str(archive)) for name in LABELS}
    return found


def _batch(name: str, data_dir: Path | None) -> Any:
    """A batch from its own file, or from its picture, or None."""
    path = find(FOLDER / f"{name}.bin", data_dir)
    if path is not None:
        return _records(path.read_bytes(), name, str(path))
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
        raise ImportError("CIFAR-10 as PNG files needs Pillow: pip install 'fltheory[plot]'") from None
    whole = json.loads((picture.parent / ("test_labels.json" if name == "test_batch" else "train_labels.json")).read_text())
    first = 0 if name == "test_batch" else IMAGES * (int(name[-1]) - 1)
    labels = np.array(whole[first : first + IMAGES], np.uint8)
    with Image.open(picture) as image:
        if image.size != (PIXELS // 3, IMAGES) or len(labels) != IMAGES:
            raise InvalidInput(str(picture), f"have {IMAGES} images and labels", f"{image.size[1]} images, {len(labels)} labels")
        planes = np.asarray(image.convert("RGB")).transpose(0, 2, 1).reshape(IMAGES, PIXELS)
    return np.concatenate([labels[:, None], planes], axis=1).tobytes()


def _check_archive(path: Path) -> None:
    found = md5(path.read_bytes(), usedforsecurity=False).hexdigest()
    if found != ARCHIVE_MD5:
        raise InvalidInput(str(path), f"be the archive with MD5 {ARCHIVE_MD5}", f"MD5 {found}")


def _member(archive: Path, name: str) -> bytes:
    """One file of the archive, read in memory: nothing is unpacked to a place that the archive chooses."""
    with tarfile.open(archive) as files:
        member = files.extractfile(str(FOLDER / f"{name}.bin"))
        return b"" if member is None else member.read(SIZE + 1)
