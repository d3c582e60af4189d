"""Samples of one pool dealt to any number of clients: from a CSV file, or from MNIST's files."""

import gzip
import io
import zlib
from functools import lru_cache
from pathlib import Path

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import Array
from fltheory.core.untrusted_io import bounded_bytes
from fltheory.problems.samples import MOST_BYTES, MOST_NUMBERS, Samples, read_samples

IMAGES, LABELS = "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"
"""MNIST's training files, as they are distributed."""


@lru_cache(maxsize=2)
def pooled(path: Path) -> Samples:
    """All samples of a CSV file (client, label and features), or of a folder with MNIST's two
    training files, as those of one client."""
    if path.is_dir():
        return images_and_labels(path / IMAGES, path / LABELS)
    held = read_samples(path)
    return Samples(
        [np.concatenate(list(held.features))], [np.concatenate(list(held.labels))], held.num_classes
    )


def dealt(pool: Samples, num_clients: int, samples: int) -> Samples:
    """`samples` samples for each client, of two classes by turns: client i has the classes i and
    i + 1, and takes the next samples of each, beginning again where a class ends.

    >>> pool = Samples([np.arange(6.0)[:, None]], [np.array([0, 0, 1, 1, 2, 2])], 3)
    >>> [rows[:, 0].tolist() for rows in dealt(pool, 3, 2).features]
    [[0.0, 2.0], [3.0, 4.0], [5.0, 1.0]]
    """
    labels = pool.labels[0]
    classes = [int(label) for label in np.unique(labels)]
    places = {label: np.flatnonzero(labels == label) for label in classes}
    if num_clients * samples * pool.features[0].shape[1] > MOST_NUMBERS:
        rule = f"give at most {MOST_NUMBERS} numbers to all clients"
        raise InvalidInput("clients x samples x features", rule, f"{num_clients} clients")
    used = dict.fromkeys(classes, 0)
    chosen = []
    for i in range(num_clients):
        mine = []
        for j in range(samples):
            label = classes[(i + j % 2) % len(classes)]
            mine.append(places[label][used[label] % len(places[label])])
            used[label] += 1
        chosen.append(np.array(mine))
    features = [pool.features[0][mine] for mine in chosen]
    return Samples(features, [labels[mine] for mine in chosen], pool.num_classes)


def images_and_labels(pictures: Path, classes: Path) -> Samples:
    """Images in [0, 1] and labels, from two compressed files, as those of one client."""
    images, labels = _table(pictures, 16), _table(classes, 8)
    if len(labels) == 0 or len(images) == 0 or len(images) % len(labels):
        rule = f"have one label in {classes.name} for each image"
        told = f"{len(images)} bytes of images, {len(labels)} labels"
        raise InvalidInput(f"{pictures}", rule, told)
    features = images.reshape(len(labels), -1).astype(float) / 255
    return Samples([features], [labels.astype(np.int64)], int(labels.max()) + 1)


def _table(path: Path, header: int) -> Array:
    """The bytes of a compressed table after its header."""
    try:
        packed = io.BytesIO(bounded_bytes(path, MOST_BYTES, str(path)))
        data = gzip.GzipFile(fileobj=packed).read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as problem:
        raise InvalidInput(f"{path}", "be a whole gzip file", str(problem)[:60]) from None
    if len(data) > MOST_BYTES:
        raise InvalidInput(f"{path}", f"hold at most {MOST_BYTES} bytes", "more")
    return np.frombuffer(data[header:], np.uint8)
