"""Softmax regression data for all contenders: 100 clients with two classes and 570 samples each,
784 features."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np

CLIENTS, SAMPLES, FEATURES, CLASSES = 100, 570, 784, 10


def mnist(folder: Path) -> tuple[Any, Any]:
    """Training images in [0, 1] and labels, from the four files as they are distributed."""
    images = np.frombuffer(
        gzip.decompress((folder / "train-images-idx3-ubyte.gz").read_bytes()), np.uint8, offset=16
    )
    labels = np.frombuffer(
        gzip.decompress((folder / "train-labels-idx1-ubyte.gz").read_bytes()), np.uint8, offset=8
    )
    return images.reshape(-1, FEATURES).astype(np.float32) / 255, labels.astype(np.int64)


def like_mnist() -> tuple[Any, Any]:
    """Numbers of the same shape: a noisy prototype for each class, four fifths of the pixels
    dark."""
    draw = np.random.default_rng(0)
    labels = np.repeat(np.arange(CLASSES), CLIENTS * SAMPLES // CLASSES + SAMPLES)
    prototypes = draw.random((CLASSES, FEATURES), np.float32) * (
        draw.random((CLASSES, FEATURES)) < 0.2
    )
    return prototypes[labels] * draw.random((len(labels), FEATURES), np.float32), labels


def write_clients(path: Path, folder: Path | None) -> str:
    """Two classes to a client; says where the numbers come from."""
    features, labels = like_mnist() if folder is None else mnist(folder)
    draw = np.random.default_rng(1)
    pools = [draw.permutation(np.flatnonzero(labels == c)) for c in range(CLASSES)]
    chosen = [
        np.concatenate(
            [
                np.take(
                    pools[(i + k * (1 + i // CLASSES)) % CLASSES],
                    range(i * 285, i * 285 + 285),
                    mode="wrap",
                )
                for k in range(2)
            ]
        )
        for i in range(CLIENTS)
    ]
    np.savez(path, features=features[np.array(chosen)], labels=labels[np.array(chosen)])
    return "synthetic, shaped like MNIST" if folder is None else "MNIST"
