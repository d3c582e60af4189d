"""Keyed randomness on torch tensors: the same words as `fltheory.core.randomness` draws in NumPy,
on any device.

Integers and uniforms have the same bits as with NumPy; normals agree up to the rounding of
logarithm and cosine.
"""

from math import pi

import numpy as np

from fltheory.core.randomness import Purpose, checked_counter, key_words, philox, split_product
from fltheory.core.types import TorchTensor, Whole
from fltheory.engine.arithmetic.tensor import placed, torch


def random_words(
    seed: Whole,
    purpose: Purpose,
    rounds: Whole,
    clients: Whole,
    index: Whole = 0,
    *,
    device: str = "cpu",
) -> list[TorchTensor]:
    """Four random 32-bit words for each (round, client, index) after broadcasting, as int64 tensors
    on the device.

    >>> from fltheory.core import randomness
    >>> words = random_words(7, Purpose.TIES, 3, [0, 1])
    >>> same = randomness.random_words(7, Purpose.TIES, 3, [0, 1])
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
    seed: Whole,
    purpose: Purpose,
    rounds: Whole,
    clients: Whole,
    index: Whole = 0,
    *,
    device: str = "cpu",
) -> TorchTensor:
    """Uniform integers in [0, 2^53)."""
    words = random_words(seed, purpose, rounds, clients, index, device=device)
    return (words[0] << 21) | (words[1] >> 11)


def uniforms(
    seed: Whole,
    purpose: Purpose,
    rounds: Whole,
    clients: Whole,
    index: Whole = 0,
    *,
    device: str = "cpu",
) -> TorchTensor:
    """Uniform numbers in [0, 1), multiples of 2^-53, in double precision."""
    return random_integers(seed, purpose, rounds, clients, index, device=device).double() * 2.0**-53


def normals(
    seed: Whole,
    purpose: Purpose,
    rounds: Whole,
    clients: Whole,
    index: Whole = 0,
    *,
    device: str = "cpu",
) -> TorchTensor:
    """Standard normal numbers in double precision, by the method of Box and Muller."""
    return normals_of(random_words(seed, purpose, rounds, clients, index, device=device))


def normals_of(words: list[TorchTensor]) -> TorchTensor:
    """Standard normal numbers from random words."""
    radius = ((words[0] << 21 | words[1] >> 11) + 1).double() * 2.0**-53
    angle = (words[2] << 21 | words[3] >> 11).double() * 2.0**-53
    return torch.sqrt(-2 * torch.log(radius)) * torch.cos(2 * pi * angle)


class DeviceNormals:
    """Normal numbers for every run, client and coordinate, of which only the round is given: the
    rest of the keys lies on the device.

    >>> draws = DeviceNormals((7, 8), clients=3, dimension=2, device="cpu")
    >>> first = draws(torch.tensor(5), 0)
    >>> same = normals(7, Purpose.GRADIENT_NOISE, 5, np.arange(3)[:, None], np.arange(2))
    >>> bool((first[0] == same).all())
    True
    """

    def __init__(
        self, seeds: tuple[int, ...], *, clients: int, dimension: int, device: str
    ) -> None:
        first, second = key_words(np.array(seeds, dtype=object))
        self.key = tuple(
            placed(np.asarray(word), device)[:, None, None] for word in (first, second)
        )
        self.clients = torch.arange(clients, device=device)[:, None]
        self.places = torch.arange(dimension, device=device)

    def __call__(self, index: TorchTensor, step: int) -> TorchTensor:
        """The numbers of a round and a local step."""
        purpose = torch.full_like(self.places, int(Purpose.GRADIENT_NOISE))
        places = self.places + step * len(self.places)
        counter = [places, self.clients, index, purpose]
        words = philox((self.key[0], self.key[1]), counter, product=split_product)
        return normals_of(words)
