"""The roles in a run: an algorithm, a problem, and a problem that draws its own gradients."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeGuard, TypeVar, cast

from fltheory.core.checked import check_kind
from fltheory.core.errors import InvalidInput
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.engine.rounds import Round
from fltheory.engine.workers import LocalWork, Oracle, Worker
from fltheory.traces.trace import Trace


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


class Drawn(Protocol):
    """A problem that draws its own stochastic gradients by key; it may have a faster way to compute
    K steps of local SGD."""

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Axes of a batch of runs that differ in their seeds."""

    def oracle(self, arithmetic: Arithmetic) -> Oracle: ...

    def local_work(self, arithmetic: Arithmetic, batch: tuple[int, ...]) -> LocalWork | None: ...


def is_drawn(problem: object) -> TypeGuard[Drawn]:
    """Does the problem draw its own gradients?"""
    return all(hasattr(problem, part) for part in ("batch_shape", "oracle", "local_work"))


PARTS = {
    "algorithm": ("worker", "start", "step"),
    "problem": ("num_clients", "dimension", "affine"),
}
"""What an object needs for its role."""


def check_roles(algorithm: object, problem: object, trace: object) -> None:
    """Refuse arguments of a run that cannot play their role, such as a class instead of an object.

    >>> check_roles("fedavg", None, None)
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: algorithm must have worker, start, step, got 'fedavg'
    """
    check_role("algorithm", algorithm)
    check_role("problem", problem)
    check_kind("trace", trace, Trace)


def check_role(owner: str, value: object) -> None:
    """Refuse an object that cannot be an algorithm, or a problem."""
    if isinstance(value, type):
        raise InvalidInput(owner, "be an object", f"the class {value.__name__}")
    if not all(hasattr(value, part) for part in PARTS[owner]):
        raise InvalidInput(owner, f"have {', '.join(PARTS[owner])}", repr(value)[:60])
