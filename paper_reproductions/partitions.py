"""How samples are dealt to clients in the four papers' experiments; the same seed deals the same
way.

A partition lists the samples of each client and those that nobody holds; no sample is lost or held
twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.randomness import Purpose, normals, random_integers, uniforms
from fltheory.core.types import IntArray


@dataclass(frozen=True, eq=False)
class Partition:
    """`clients[i]` holds the places of client i's samples in the data set, `unused` those of no
    client; together each place once."""

    clients: tuple[IntArray, ...]
    unused: IntArray

    def __post_init__(self) -> None:
        every = np.concatenate([*self.clients, self.unused])
        if len(self.clients) == 0 or not np.array_equal(np.sort(every), np.arange(len(every))):
            raise InvalidInput(
                "partition", "hold every sample exactly once", f"{len(every)} entries"
            )
        for i, held in enumerate(self.clients):
            if len(held) == 0:
                raise InvalidInput(f"samples of client {i}", "be at least 1", 0)

    @property
    def num_clients(self) -> int:
        return len(self.clients)

    @property
    def samples(self) -> tuple[int, ...]:
        """Number of samples of each client."""
        return tuple(len(held) for held in self.clients)


def held_classes(partition: Partition, labels: Any) -> tuple[tuple[int, ...], ...]:
    """The classes of each client's samples, in order.

    >>> held_classes(iid([0, 1, 1], 1, seed=0), [0, 1, 1])
    ((0, 1),)
    """
    whole = np.asarray(labels)
    return tuple(tuple(np.unique(whole[held]).tolist()) for held in partition.clients)


def iid(labels: Any, num_clients: int, *, seed: int) -> Partition:
    """A random order of all samples, cut into parts whose sizes differ by at most 1 (Fraboni et
    al.'s MNIST).

    >>> iid([0] * 5, 2, seed=1).samples
    (3, 2)
    """
    clients = _clients(num_clients, len(labels))
    return Partition(
        tuple(np.array_split(_shuffled(np.arange(len(labels)), seed), clients)), _nobody()
    )


def by_classes(labels: Any, num_clients: int, classes_per_client: int, *, seed: int) -> Partition:
    """Equally many samples for each client, the same number from each of so many classes (MIFA Sec.
    7; AFL App. E.1, its p).

    Each client takes the classes that have been taken least, ties at random; so classes are used
    equally often, up to one. A class is cut into as many shards as its users, all shards as small
    as the smallest; what is left over is nobody's.

    >>> by_classes([0, 0, 1, 1, 2, 2], 3, 2, seed=0).samples
    (2, 2, 2)
    """
    pools = _pools(labels, seed)
    clients = _clients(num_clients, len(labels))
    if not 1 <= classes_per_client <= len(pools):
        raise InvalidInput("classes per client", f"lie in [1, {len(pools)}]", classes_per_client)
    used = np.zeros(len(pools), np.int64)
    chosen = []
    for i in range(clients):
        ties = random_integers(seed, Purpose.PARTITION, 1, i, np.arange(len(pools)))
        chosen.append(np.sort(np.lexsort((ties, used))[:classes_per_client]))
        used[chosen[-1]] += 1
    shard = min(len(pool) // int(count) for pool, count in zip(pools, used, strict=True) if count)
    if shard == 0:
        raise InvalidInput(
            "number of clients", "leave each of them a sample of each of its classes", clients
        )
    taken = np.zeros(len(pools), np.int64)
    held = []
    for classes in chosen:
        held.append(np.concatenate([pools[c][taken[c] : taken[c] + shard] for c in classes]))
        taken[classes] += shard
    return Partition(
        tuple(held),
        np.concatenate([pool[count:] for pool, count in zip(pools, taken, strict=True)]),
    )


def one_class_each(
    labels: Any, num_clients: int, *, relative_spread: Any = "1/6", seed: int
) -> Partition:
    """One class to a client, client i the class floor(i classes / clients), with sizes that follow
    a normal law (FedLaAvg Sec. 6.1.1).

    The paper has mean 60000/N and standard deviation 10000/N, a sixth of the mean. Classes are not
    equally large, so within a class all samples are dealt in proportion to draws from that law
    (below a tenth of the mean counts as a tenth); every client has one.

    >>> held_classes(one_class_each([1, 0, 1, 0, 0, 1], 4, seed=0), [1, 0, 1, 0, 0, 1])
    ((0,), (0,), (1,), (1,))
    """
    pools = _pools(labels, seed)
    clients = _clients(num_clients, len(labels))
    spread = float(exact(relative_spread, "relative spread"))
    drawn = np.maximum(1 + spread * normals(seed, Purpose.PARTITION, 2, np.arange(clients)), 0.1)
    held: list[IntArray] = []
    for c, pool in enumerate(pools):
        members = np.array([i for i in range(clients) if i * len(pools) // clients == c])
        if not 1 <= len(members) <= len(pool):
            raise InvalidInput(
                "number of clients",
                f"give class {c} between 1 and {len(pool)} of them",
                len(members),
            )
        sizes = 1 + _apportioned(drawn[members], len(pool) - len(members))
        held += np.split(pool, np.cumsum(sizes)[:-1])
    return Partition(tuple(held), _nobody())


def dirichlet(labels: Any, num_clients: int, *, concentration: Any, seed: int) -> Partition:
    """Equal sizes, up to one; each client's shares of the classes follow a Dirichlet law (Fraboni
    et al., Dir(0.1); Hsu et al. 2019).

    Clients are served in turn: when a class runs out, its share goes to the client's other classes,
    and to any class in the end.

    >>> dirichlet([0, 1] * 6, 4, concentration="1/10", seed=0).samples
    (3, 3, 3, 3)
    """
    from scipy.special import gammaincinv

    pools = _pools(labels, seed)
    clients = _clients(num_clients, len(labels))
    shape = float(exact(concentration, "concentration"))
    if shape <= 0:
        raise InvalidInput("concentration", "be above 0", shape)
    draws = uniforms(seed, Purpose.PARTITION, 3, np.arange(clients)[:, None], np.arange(len(pools)))
    weights = (
        gammaincinv(shape, draws) + 1e-300
    )  # gamma variables by their quantiles; a Dirichlet vector is their shares
    left = np.array([len(pool) for pool in pools])
    held = []
    for i in range(clients):
        size = len(labels) // clients + (i < len(labels) % clients)
        took = np.zeros(len(pools), np.int64)
        while (missing := size - took.sum()) > 0:
            open_weights = np.where(left > took, weights[i], 0)
            wanted = _apportioned(
                open_weights if open_weights.sum() > 1e-290 else np.where(left > took, 1.0, 0),
                int(missing),
            )
            took += np.minimum(wanted, left - took)
        held.append(
            np.concatenate(
                [
                    pool[len(pool) - n : len(pool) - n + k]
                    for pool, n, k in zip(pools, left, took, strict=True)
                ]
            )
        )
        left -= took
    return Partition(tuple(held), _nobody())


def by_group(groups: Any, num_clients: int, *, seed: int) -> Partition:
    """One natural owner of samples (a speaker, a user) to a client; random owners if there are more
    than clients.

    >>> by_group([0, 0, 1], 1, seed=0).num_clients
    1
    """
    owners = np.asarray(groups)
    names = np.unique(owners)
    clients = _clients(num_clients, len(names))
    chosen = np.sort(_shuffled(names, seed)[:clients])
    return Partition(
        tuple(np.flatnonzero(owners == name) for name in chosen),
        np.flatnonzero(~np.isin(owners, chosen)),
    )


def _clients(num_clients: int, most: int) -> int:
    if not isinstance(num_clients, int) or not 1 <= num_clients <= most:
        raise InvalidInput("number of clients", f"be a whole number in [1, {most}]", num_clients)
    return num_clients


def _nobody() -> IntArray:
    return np.zeros(0, np.int64)


def _shuffled(places: IntArray, seed: int) -> IntArray:
    """The entries in a random order that each entry's own key decides."""
    return places[np.argsort(random_integers(seed, Purpose.PARTITION, 0, 0, places), kind="stable")]


def _pools(labels: Any, seed: int) -> list[IntArray]:
    """The places of each class's samples, 0, 1, ..., shuffled."""
    whole = np.asarray(labels)
    if whole.ndim != 1 or len(whole) == 0 or whole.dtype.kind not in "iu" or whole.min() < 0:
        raise InvalidInput(
            "labels",
            "be one class for each of at least 1 samples",
            f"{whole.dtype} of shape {whole.shape}",
        )
    pools = [np.flatnonzero(whole == c) for c in range(int(whole.max()) + 1)]
    for c, pool in enumerate(pools):
        if len(pool) == 0:
            raise InvalidInput(f"class {c}", "have at least one sample", 0)
    return [_shuffled(pool, seed) for pool in pools]


def _apportioned(weights: Sequence[float] | Any, total: int) -> IntArray:
    """Whole numbers that sum to `total`, in proportion to the weights: rounded down, the rest to
    the largest remainders.

    >>> _apportioned([1, 1, 2], 5).tolist()
    [1, 1, 3]
    """
    shares = np.asarray(weights, float) / np.sum(weights) * total
    whole = np.floor(shares).astype(np.int64)
    rest = np.argsort(whole - shares, kind="stable")[: total - whole.sum()]
    whole[rest] += 1
    return whole
