"""What the server does with returned models: the rules behind the strategies, in plain NumPy.

A model is a list of arrays. A rule gets the model that was sent, what came back, and the clients'
step size of the round; it returns the next model. The tests compare the rules with the exact
algorithms to 1e-12.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from fltheory.core.errors import InvalidInput

Arrays = list[npt.NDArray[np.float64]]


class ReturnedModel(NamedTuple):
    """What a client returned: the difference to the model that it received, and its local steps."""

    client: str
    difference: Arrays
    local_steps: int = 1


class ServerUpdate(Protocol):
    """The next model."""

    def __call__(
        self, model: Arrays, returned: Sequence[ReturnedModel], step_size: float
    ) -> Arrays: ...


@dataclass(frozen=True)
class KnownWeights:
    """The weight of each client; `default` is for clients that are not in the file (None: they are
    refused)."""

    weights: Mapping[str, float]
    default: float | None = None

    def of(self, client: str) -> float:
        """The weight of one client."""
        found = self.weights.get(client, self.default)
        if found is None:
            rule = "be in the weights file (or give default_weight)"
            raise InvalidInput(f"client {client!r}", rule, "a client that is not")
        return found


@dataclass(frozen=True)
class AddWeighted:
    """x <- x + sum over arrivals of w_i delta_i, without dividing by the sum of the weights
    (Fraboni et al., eq. 5; importance sampling in MIFA Sec. 3)."""

    weights: KnownWeights

    def __call__(
        self, model: Arrays, returned: Sequence[ReturnedModel], step_size: float
    ) -> Arrays:
        return added(model, [(self.weights.of(one.client), one.difference) for one in returned])


@dataclass(frozen=True)
class AddRemembered:
    """The latest difference of every client stays in memory; x <- x + sum over all clients of
    w_i memory_i, where clients that never came have zeros (FedLaAvg).

    `per_step_size` keeps the difference divided by the clients' step size and uses it with that of
    the current round (MIFA); `per_step` also divides by the number of local steps (AFA-CS).
    """

    weights: KnownWeights
    per_step_size: bool = False
    per_step: bool = False
    memory: dict[str, Arrays] = field(default_factory=dict)

    def __call__(
        self, model: Arrays, returned: Sequence[ReturnedModel], step_size: float
    ) -> Arrays:
        size = step_size if self.per_step_size else 1.0
        for one in returned:
            self.weights.of(one.client)  # refuses a stranger before anything is kept
            parts = size * (one.local_steps if self.per_step else 1)
            self.memory[one.client] = [layer / parts for layer in one.difference]
        kept = [(size * self.weights.of(name), held) for name, held in self.memory.items()]
        return added(model, kept)


@dataclass(frozen=True)
class AddBuffered:
    """Differences wait until there are `size` of them; then all are added with their weights
    (FedBuff). Each one belongs to the model that its client received."""

    weights: KnownWeights
    size: int
    waiting: list[ReturnedModel] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InvalidInput("buffer size", "be at least 1", self.size)

    def __call__(
        self, model: Arrays, returned: Sequence[ReturnedModel], step_size: float
    ) -> Arrays:
        self.waiting.extend(returned)
        if len(self.waiting) < self.size:
            return model
        full = [(self.weights.of(one.client), one.difference) for one in self.waiting]
        self.waiting.clear()
        return added(model, full)


def added(model: Arrays, terms: Sequence[tuple[float, Arrays]]) -> Arrays:
    """The model plus weighted differences, layer by layer.

    >>> added([np.zeros(1)], [(0.5, [np.ones(1)]), (2.0, [np.ones(1)])])[0].tolist()
    [2.5]
    """
    moved = [np.array(layer, dtype=np.float64) for layer in model]
    for weight, difference in terms:
        for layer, change in zip(moved, difference, strict=True):
            layer += weight * change
    return moved
