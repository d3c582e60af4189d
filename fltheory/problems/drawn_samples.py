"""Samples of all clients on a device, and the minibatches that are drawn there by key."""

import numpy as np

from fltheory.core.randomness import Purpose, key_words, philox, split_product
from fltheory.core.types import Array, Seed, TorchTensor
from fltheory.engine.arithmetic import Arithmetic


class DrawnSamples:
    """Equally many samples for every client, on a device; a minibatch has samples drawn with
    replacement.

    The samples of a local step have the key (seed, minibatches, round, client, step * batch_size +
    place).

    >>> import torch
    >>> from fltheory.engine.arithmetic.tensor import Tensor
    >>> tables = [np.eye(3)], [np.array([0, 1, 1])]
    >>> data = DrawnSamples(*tables, 2, 4, 7, Tensor(), "cpu")
    >>> [tuple(part.shape) for part in data.minibatch(torch.tensor(5), 0)]
    [(1, 1, 4, 3), (1, 1, 4)]
    """

    def __init__(
        self,
        features: "list[Array] | tuple[Array, ...]",
        labels: "list[Array] | tuple[Array, ...]",
        num_classes: int,
        batch_size: int,
        seed: Seed,
        arithmetic: Arithmetic,
        device: str,
    ) -> None:
        from fltheory.engine.arithmetic.tensor import placed, torch

        self.features: TorchTensor = arithmetic.rows(np.stack(features))
        self.labels = placed(np.stack(labels), device)
        self.classes: TorchTensor = torch.arange(num_classes, device=device)[:, None]
        self.batch_size = batch_size
        seeds = seed if isinstance(seed, tuple) else (seed,)
        first, second = (
            placed(np.asarray(word), device)[:, None, None]
            for word in key_words(np.array(seeds, dtype=object))
        )
        self.key = (first, second)
        self.clients = torch.arange(len(features), device=device)[:, None]
        self.places = torch.arange(batch_size, device=device)

    def minibatch(self, index: int, step: int) -> tuple[TorchTensor, TorchTensor]:
        """Features and labels of a round and a local step, for every run and client."""
        purpose = 0 * self.places + int(Purpose.MINIBATCH)
        places = self.places + step * self.batch_size
        counter = [places, self.clients, index + 0 * self.places, purpose]
        words = philox(self.key, counter, product=split_product)
        which = words[0] * self.labels.shape[-1] >> 32
        return self.features[self.clients, which], self.labels[self.clients, which]

    def errors(self, logits: TorchTensor, labels: TorchTensor) -> TorchTensor:
        """(softmax(logits) - e_y) / (number of samples), for classes x samples in the last axes."""
        targets = (self.classes == labels[..., None, :]).to(logits.dtype)
        return (logits.softmax(-2) - targets) / labels.shape[-1]


def products(left: TorchTensor, right: TorchTensor) -> TorchTensor:
    """sum_k left[..., i, k] right[..., j, k], added up in an order that depends on nothing else.

    >>> import torch
    >>> products(torch.ones(1, 2), torch.ones(3, 2)).tolist()
    [[2.0, 2.0, 2.0]]
    """
    return (left[..., :, None, :] * right[..., None, :, :]).sum(-1)
