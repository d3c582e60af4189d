"""Minibatches without replacement within an epoch: a new order of a client's samples for every
(seed, client, round, epoch).

Local step k of a client with n samples uses minibatch k mod ceil(n/b) of epoch floor(k /
ceil(n/b)); the last minibatch of an epoch may be short.
"""

from typing import cast

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.randomness import Purpose, random_words
from fltheory.core.types import Array, IntArray, Whole

EPOCH_SHIFT = 20
"""The draws of an epoch are numbered from epoch * 2^20 on, with four samples per draw."""

_PADDING = 1 << 62


def sample_orders(
    seeds: Whole, index: Whole, clients: Whole, epochs: Whole, samples: Whole, *, most: int
) -> IntArray:
    """The order of the samples for each (seed, round, client, epoch, number of samples) after
    broadcasting, with `most` entries.

    The first n entries are a permutation of 0..n-1; the rest is padding. Samples are sorted by 30
    random bits each.

    >>> order = sample_orders(0, 3, np.arange(2), 0, np.array([4, 3]), most=4)
    >>> [sorted(row.tolist()) for row in order], order[1, 3].item()
    ([[0, 1, 2, 3], [0, 1, 2, 3]], 3)
    """
    epochs = np.asarray(epochs)
    if most > 4 << EPOCH_SHIFT or np.any(epochs >= 1 << (32 - EPOCH_SHIFT)):
        raise InvalidInput(
            "minibatches",
            f"have at most {4 << EPOCH_SHIFT} samples and {1 << (32 - EPOCH_SHIFT)} epochs a round",
            f"{most} samples, epoch {epochs.max()}",
        )
    places = [np.asarray(part)[..., None] for part in (seeds, index, clients, epochs)]
    blocks = (places[3] << EPOCH_SHIFT) + np.arange(-(-most // 4))
    words = np.stack(
        random_words(places[0], Purpose.MINIBATCH, places[1], places[2], blocks), axis=-1
    )
    words = words.reshape(*words.shape[:-2], -1)[..., :most]
    number = np.arange(most)
    keys = (words >> 2 << 32 | number) + np.where(
        number < np.asarray(samples)[..., None], 0, _PADDING
    )
    return np.asarray(np.sort(keys, axis=-1) & 0xFFFFFFFF)


def minibatch(
    step: int | IntArray, samples: int | IntArray, batch_size: int
) -> tuple[Array, Array, Array]:
    """(epoch, first place in its order, size) of the minibatch of a local step; integers for
    integers.

    >>> minibatch(np.array([5, 6]), 570, 100)
    (array([0, 1]), array([500,   0]), array([ 70, 100]))
    """
    number, held = cast(Array, step), cast(Array, samples)
    per_epoch = -(-held // batch_size)
    first = number % per_epoch * batch_size
    return number // per_epoch, first, np.minimum(batch_size, held - first)
