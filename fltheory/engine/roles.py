"""The roles in a run: an algorithm, a problem, and a problem that draws its own gradients."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar, cast, runtime_checkable

from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.engine.rounds import Round
from fltheory.engine.workers import LocalWork, Oracle, Worker


class ServerState(Protocol):
    """A named tuple of rows; the first field is the model, one row."""

    @property
    def model(self) -> Rows: ...

    def __iter__(self) -> Iterator[Rows]: ...


State = TypeVar("State", bound=ServerState)


def with_rows(state: State, rows: Iterable[Rows]) -> State:
    """A state of the same kind with other rows."""
    make = cast(Callable[..., State], type(state))
    return make(*rows)


class Algorithm(Protocol[State]):
    """The server side of a method, and the worker that its clients run."""

    @property
    def worker(self) -> Worker: ...

    def start(self, model: Rows, zeros: Rows) -> State:
        """The first state; `zeros` has one zero row per client."""

    def step(self, state: State, deliveries: Rows, round: Round) -> State:
        """The state after a round; `deliveries` is zero for clients that do not deliver."""


class Problem(Protocol):
    """The clients' losses; `gradients` maps row i to the gradient of client i's loss at row i."""

    @property
    def num_clients(self) -> int: ...

    @property
    def dimension(self) -> int: ...

    @property
    def affine(self) -> bool: ...

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]: ...


@runtime_checkable
class Drawn(Protocol):
    """A problem that draws its own stochastic gradients by key; it may have a faster way to compute
    K steps of local SGD."""

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Axes of a batch of runs that differ in their seeds."""

    def oracle(self, arithmetic: Arithmetic) -> Oracle: ...

    def local_work(self, arithmetic: Arithmetic, batch: tuple[int, ...]) -> LocalWork | None: ...
