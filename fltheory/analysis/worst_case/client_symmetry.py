"""Clients that act alike form a class; the worst case depends on the proportions of the classes,
not on the number of clients."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.traces.trace import Trace

Members = tuple[tuple[int, ...], ...]


def singletons(num_clients: int) -> Members:
    """Every client for itself: no symmetry is used.

    >>> singletons(2)
    ((0,), (1,))
    """
    return tuple((i,) for i in range(num_clients))


def alike(trace: Trace, *per_client: Sequence[Any]) -> Members:
    """Clients with the same column of the trace and the same numbers in each further list, such as
    weights.

    >>> alike(Trace.fresh([[1, 1, 1], [0, 1, 0]]))
    ((0, 2), (1,))
    """
    if trace.batch_shape:
        raise InvalidInput(
            "trace", "be a single one for a worst case", f"a batch of shape {trace.batch_shape}"
        )
    classes: dict[Any, list[int]] = {}
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
    """A smaller group of clients with the same worst case: `kept` are their old numbers, `factor` =
    old size / new size.

    In a class of n >= 2 each vector is the class mean plus a deviation. All that the program sees
    are means over classes, weighted by the classes' shares, and the mean Gram matrix of the
    deviations; any positive semidefinite one occurs for every n >= 2 (take the corners of a regular
    simplex). So only shares matter, and whether a class has one member or more.
    """

    trace: Trace
    members: Members
    kept: tuple[int, ...]
    factor: Fraction

    def shares(self, values: Iterable[Any]) -> tuple[Any, ...]:
        """Numbers per client that are shares of a whole (weights, importance): kept ones stand for
        more clients each."""
        listed = list(values)
        return tuple(listed[i] * self.factor for i in self.kept)


def compact(trace: Trace, members: Members) -> Compact:
    """The smallest group with the same shares of classes, and with at least two members where there
    were at least two.

    >>> compact(Trace.fresh(np.ones((1, 1000), bool)), (tuple(range(500)), tuple(range(500, 1000)))).members
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
