"""How long a worst case takes: an estimate before, a limit, and reports during the solve."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import TypeVar

from fltheory.analysis.worst_case.all_constraints import AllConstraints
from fltheory.core.errors import InvalidInput
from fltheory.core.time_limits import TimeIsUp, processor_time

OPERATIONS_PER_SECOND, CLARABEL_OPERATIONS_PER_SECOND = 1.7e10, 1.2e9
"""Floating-point operations per processor second of our steps, which are matrix products, and of
Clarabel's sparse factorisations (measured on one thread)."""

PRODUCT_OPERATIONS = 24
"""Operations per pair of constraints and basis vector in the linear system of one step."""

FIRST_STEPS, STEPS_PER_LOCAL_STEP, MAX_GROWTH = 5, 25, 4.2
"""Steps of our method in all: 5 + 25 K with K local steps. The last round has min(K, 4.2) times the
constraints of the first: measured with K = 1 to 10, T to 60 and 200 steps of gradient descent."""

CLARABEL_ITERATIONS = 25
"""Usual number of Clarabel's iterations."""

LONG = 2.0
"""Seconds from which on an estimate is told."""


TICK = 0.05
"""The system's timers may end so many seconds early."""

Found = TypeVar("Found")


def quiet(says: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class SolverTime:
    """The processor time that a worst case may take, and who is told how it goes.

    >>> SolverTime().left, SolverTime(10**6).over
    (inf, False)
    """

    seconds: float | None = None
    watch: Callable[[str], None] = quiet
    begin: float = field(default_factory=process_time)

    def __post_init__(self) -> None:
        if self.seconds is None:
            return
        if not isinstance(self.seconds, int | float) or not self.seconds > 0:
            raise InvalidInput("seconds", "be a number above 0", self.seconds)

    @property
    def left(self) -> float:
        """Seconds that are left; infinity without a limit."""
        if self.seconds is None:
            return float("inf")
        return self.seconds - (process_time() - self.begin)

    @property
    def over(self) -> bool:
        return self.left <= 0

    def tell(self, expected: float) -> None:
        """Tell an estimate before a long solve."""
        if expected > LONG:
            self.watch(f"about {expected:.2g} s of processor time")

    @property
    def says(self) -> str:
        """That it is over."""
        return f"the {self.seconds:g} s of processor time that were allowed are over"

    def within(self, make: Callable[[], Found]) -> Found | None:
        """What a function returns, or None if the time ends before."""
        if self.seconds is None:
            return make()
        if self.over:
            return None
        try:
            with processor_time(self.left + TICK):
                return make()
        except TimeIsUp:
            if not self.over:  # the limit of somebody else
                raise
            return None


def estimated_seconds(problem: AllConstraints, local_steps: int) -> float:
    """Processor seconds of our method, about: 5 + 25 K steps, each with the products of m
    constraints over blocks of n vectors and a factorisation, 24 m^2 n + 2/3 m^3 operations."""
    growth = min(local_steps, MAX_GROWTH)
    first = problem.only(problem.first.nonzero()[0])
    products = sum(
        PRODUCT_OPERATIONS * min(growth * len(part.pieces), len(problem.bounds)) ** 2 * len(block)
        for part, block in zip(first.parts, first.objective, strict=True)
    )
    constraints = min(growth * len(first.bounds), len(problem.bounds))
    steps = FIRST_STEPS + STEPS_PER_LOCAL_STEP * local_steps
    return float(steps * (products + 2 / 3 * constraints**3) / OPERATIONS_PER_SECOND)


def clarabel_seconds(block_sizes: Sequence[int]) -> float:
    """Processor seconds of Clarabel, about: it factors a dense matrix of n (n + 1) / 2 rows for
    each block, which takes a third of their cube."""
    work = sum((size * (size + 1) / 2) ** 3 / 3 for size in block_sizes)
    return CLARABEL_ITERATIONS * work / CLARABEL_OPERATIONS_PER_SECOND
