"""An adversary that observes the gradient noise and decides who is available next; it is not an
availability model.

MIFA's Theorems 5.1 and 6.1 and FedLaAvg's Theorems 3 and 4 need availability that is independent of
the gradient noise but do not say so. This adversary refutes them as stated. It has no
`matrix(num_rounds)`: it maps a table of noise to a matrix.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import Array, BoolArray, Nested

Reaction = Callable[[BoolArray, Array], BoolArray]
"""(who was available, noise drawn) in all rounds so far, (..., rounds, clients) -> who is available
next, (..., clients)."""


def skip_after_positive(available: BoolArray, drawn: Array) -> BoolArray:
    """A client that has just drawn positive noise skips exactly one round, which biases the
    remembered updates by 1/3."""
    return ~(available[..., -1, :] & (drawn[..., -1, :] > 0))


@dataclass(frozen=True)
class NoiseAdaptive:
    """All clients are available in the first round; after that the reaction decides, only from the
    noise that was actually drawn.

    A client draws no noise in rounds in which it is absent: the reaction sees 0 there.

    >>> NoiseAdaptive().matrix([[+1], [+1], [-1], [+1], [-1]])[:, 0].astype(int).tolist()
    [1, 0, 1, 1, 0]
    """

    reaction: Reaction = skip_after_positive

    def matrix(self, noise: Nested) -> BoolArray:
        """Availability for a (..., rounds, clients) table of noise."""
        table = np.asarray(noise)
        if table.ndim < 2 or 0 in table.shape:
            raise InvalidInput(
                "noise", "have at least one round and one client", f"shape {table.shape}"
            )
        if not np.issubdtype(table.dtype, np.number) or not np.isfinite(table).all():
            raise InvalidInput("noise", "hold finite numbers", f"{table.dtype} values")
        available = np.ones(table.shape, np.bool_)
        drawn = table.copy()
        for t in range(1, table.shape[-2]):
            available[..., t, :] = self.reaction(available[..., :t, :], drawn[..., :t, :])
            drawn[..., t, :] = np.where(available[..., t, :], table[..., t, :], 0)
        return available
