"""Keyed randomness on torch tensors: the same words as `fltheory.core.randomness` draws in NumPy,
on any device.

Integers and uniforms have the same bits as NumPy's; normals agree up to the rounding of logarithm
and cosine.
"""

from math import pi
from typing import Any

import numpy as np

from fltheory.core.randomness import Purpose, checked_counter, key_words, philox
from fltheory.engine.arithmetic.tensor import torch


def random_words(
    seed: Any, purpose: Purpose, rounds: Any, clients: Any, index: Any = 0, *, device: str = "cpu"
) -> list[Any]:
    """Four random 32-bit words for each broadcast (round, client, index), as int64 tensors on the
    device.

    >>> import fltheory.core.randomness
    >>> words, same = random_words(7, Purpose.TIES, 3, [0, 1]), fltheory.core.randomness.random_words(7, Purpose.TIES, 3, [0, 1])
    >>> [a.tolist() == b.tolist() for a, b in zip(words, same)]
    [True, True, True, True]
    """
    counter = [
        torch.as_tensor(np.atleast_1d(part), device=device)
        for part in checked_counter(rounds, clients, index)
    ]
    key = tuple(
        part if isinstance(part, int) else torch.as_tensor(part, device=device)
        for part in key_words(seed)
    )
    return philox(
        (key[0], key[1]),
        [*torch.broadcast_tensors(*counter), torch.tensor(int(purpose), device=device)],
    )


def random_integers(
    seed: Any, purpose: Purpose, rounds: Any, clients: Any, index: Any = 0, *, device: str = "cpu"
) -> Any:
    """Uniform integers in [0, 2^53)."""
    words = random_words(seed, purpose, rounds, clients, index, device=device)
    return (words[0] << 21) | (words[1] >> 11)


def uniforms(
    seed: Any, purpose: Purpose, rounds: Any, clients: Any, index: Any = 0, *, device: str = "cpu"
) -> Any:
    """Uniform numbers in [0, 1), multiples of 2^-53, in double precision."""
    return random_integers(seed, purpose, rounds, clients, index, device=device).double() * 2.0**-53


def normals(
    seed: Any, purpose: Purpose, rounds: Any, clients: Any, index: Any = 0, *, device: str = "cpu"
) -> Any:
    """Standard normal numbers (Box and Muller), in double precision."""
    words = random_words(seed, purpose, rounds, clients, index, device=device)
    radius = ((words[0] << 21 | words[1] >> 11) + 1).double() * 2.0**-53
    angle = (words[2] << 21 | words[3] >> 11).double() * 2.0**-53
    return torch.sqrt(-2 * torch.log(radius)) * torch.cos(2 * pi * angle)
