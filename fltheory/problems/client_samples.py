"""Check what learning problems are given: samples and labels of each client, minibatches, weight
decay."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import Array, ExactLike, Nested, Whole


def client_samples(
    features: Sequence[Nested], labels: Sequence[Whole], *, num_classes: int | None = None
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Finite samples of one shape and a class for each of them, for every client.

    >>> features, labels = client_samples([[[1, 0]], [[0, 1], [1, 1]]], [[0], [1, 0]])
    >>> [rows.shape for rows in features]
    [(1, 2), (2, 2)]
    """
    tables, classes = [np.asarray(rows) for rows in features], [np.asarray(row) for row in labels]
    if not tables or len(classes) != len(tables):
        rule = f"have one list for each of {len(tables)} clients, at least 1"
        raise InvalidInput("labels", rule, f"{len(classes)} lists")
    known = "" if num_classes is None else f" in 0..{num_classes - 1}"
    for i, (rows, row) in enumerate(zip(tables, classes, strict=True)):
        if rows.shape[1:] != tables[0].shape[1:] or len(rows) == 0 or not np.isfinite(rows).all():
            rule = "be finite samples of one shape, at least 1"
            raise InvalidInput(f"features of client {i}", rule, f"shape {rows.shape}")
        fits = row.shape == rows.shape[:1] and row.dtype.kind in "iu" and row.min() >= 0
        if not fits or (num_classes is not None and row.max() >= num_classes):
            rule = f"be one class{known} for each of {len(rows)} samples"
            raise InvalidInput(f"labels of client {i}", rule, f"{row.dtype} of shape {row.shape}")
    return tuple(tables), tuple(classes)


def training_settings(batch_size: int | None, weight_decay: ExactLike) -> Fraction:
    """The weight decay, after a check of both.

    >>> training_settings(10, "1/100")
    Fraction(1, 100)
    """
    if batch_size is not None and batch_size < 1:
        raise InvalidInput("batch size", "be at least 1", batch_size)
    decay = exact(weight_decay, "weight decay")
    if decay < 0:
        raise InvalidInput("weight decay", "be at least 0", decay)
    return decay
