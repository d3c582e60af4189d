"""Clients that act alike form a class; the worst case depends on the shares of the classes, not on
the number of clients."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.traces.trace import Trace

Members = tuple[tuple[int, ...], ...]
"""The clients of each class."""


def singletons(num_clients: int) -> Members:
    """One class per client: no symmetry is used.

    >>> singletons(2)
    ((0,), (1,))
    """
    return tuple((i,) for i in range(num_clients))


def alike(trace: Trace, *per_client: Sequence[Hashable]) -> Members:
    """Classes of clients with the same column of the trace and the same entry in each further list,
    such as weights.

    >>> alike(Trace.fresh([[1, 1, 1], [0, 1, 0]]))
    ((0, 2), (1,))
    """
    if trace.batch_shape:
        raise InvalidInput(
            "trace", "be a single one for a worst case", f"a batch of shape {trace.batch_shape}"
        )
    classes: dict[Hashable, list[int]] = {}
    for i in range(trace.num_clients):
        column = (
            trace.delivers[:, i].tobytes(),
            trace.started_from[:, i].tobytes(),
            trace.local_steps[:, i].tobytes(),
        )
        classes.setdefault((column, *(values[i] for values in per_client)), []).append(i)
    return tuple(tuple(members) for members in classes.values())


@dataclass(frozen=True)
class Compact:
    """A smaller group of clients with the same worst case; `kept` are their old indices, `factor`
    is old size / new size.

    In a class of n >= 2 each vector is the class mean plus a deviation. The program depends only on
    the class means, weighted by the classes' shares, and on the mean Gram matrix of the deviations;
    any positive semidefinite one occurs for every n >= 2 (take the corners of a regular simplex).
    So only the shares matter, and whether a class has one member or more.
    """

    trace: Trace
    members: Members
    kept: tuple[int, ...]
    factor: Fraction

    def shares(self, values: Iterable[Fraction]) -> tuple[Fraction, ...]:
        """Shares of a whole per client (weights, importance), scaled because each kept client
        stands for several."""
        listed = list(values)
        return tuple(listed[i] * self.factor for i in self.kept)


def compact(trace: Trace, members: Members) -> Compact:
    """The smallest group with the same shares of classes, in which classes of at least two members
    keep at least two.

    >>> halves = tuple(range(500)), tuple(range(500, 1000))
    >>> compact(Trace.fresh(np.ones((1, 1000), bool)), halves).members
    ((0, 1), (2, 3))
    """
    sizes = [len(group) for group in members]
    divisor = 1 if 1 in sizes else gcd(*sizes)
    double = 2 if divisor in sizes and divisor > 1 else 1
    kept = tuple(sorted(i for group in members for i in group[: len(group) // divisor * double]))
    place = {old: new for new, old in enumerate(kept)}
    smaller = tuple(tuple(place[i] for i in group if i in place) for group in members)
    columns = np.array(kept)
    small = Trace(
        trace.delivers[:, columns], trace.started_from[:, columns], trace.local_steps[:, columns]
    )
    return Compact(small, smaller, kept, Fraction(trace.num_clients, len(kept)))
