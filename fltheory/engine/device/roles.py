"""The roles in a run on a device: a problem that works there, and what is kept of the models."""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from fltheory.core.types import TorchTensor
from fltheory.engine.arithmetic.base import Arithmetic, Rows
from fltheory.engine.workers import LocalWork, Oracle


@runtime_checkable
class OnDevice(Protocol):
    """A problem whose gradients and noise are computed where the rows are."""

    @property
    def num_clients(self) -> int: ...

    @property
    def dimension(self) -> int: ...

    @property
    def batch_shape(self) -> tuple[int, ...]: ...

    @property
    def round_numbers(self) -> int:
        """Numbers of the largest table that a run computes with."""

    def on_device(self, arithmetic: Arithmetic, device: str) -> "OnDeviceWork": ...


class OnDeviceWork(NamedTuple):
    """Stochastic gradients, exact gradients, and all local steps at once if there is such a way;
    rounds are tensors."""

    oracle: Oracle
    gradients: Callable[[Rows], Rows]
    local_work: LocalWork | None = None


class Statistic(NamedTuple):
    """What is kept of the models: `add(sums, model, round, gradients)` takes the model before a
    round (a row for each run), the number of the round as a tensor, and the clients' exact
    gradients. The last call has the last model."""

    start: Callable[[TorchTensor], tuple[TorchTensor, ...]]
    add: Callable[
        [tuple[TorchTensor, ...], TorchTensor, TorchTensor, Callable[[Rows], Rows]],
        tuple[TorchTensor, ...],
    ]
