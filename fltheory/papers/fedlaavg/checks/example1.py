"""Example 1: two clients that take turns, its availability window, and the staleness on it."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method
from fltheory.core.types import Scalar
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.alternating import Alternating
from fltheory.traces.selection import longest_absent
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import availability_window


@dataclass(frozen=True)
class TwoBlocks:
    """Losses (x - e_i)^2; client 1 alone is available for t1 rounds, then client 2 alone for t2
    rounds, and so on."""

    first: int
    second: int
    optima: tuple[int | Fraction, int | Fraction] = (0, 1)

    @property
    def says(self) -> str:
        """The blocks in words."""
        return f"t1={self.first}, t2={self.second}"

    @property
    def blocks(self) -> dict[str, Scalar]:
        """t1 and t2 by symbol."""
        return {"first_block": self.first, "second_block": self.second}

    @property
    def values(self) -> dict[str, Scalar]:
        """t1, t2, e1 and e2 by symbol."""
        first, second = self.optima
        return {**self.blocks, "first_optimum": first, "second_optimum": second}

    @property
    def problem(self) -> Quadratic:
        """Both clients' losses, which have curvature 2."""
        return Quadratic((2, 2), self.optima)

    @property
    def availability(self) -> Alternating:
        """Who is available in each round."""
        return Alternating(2, (self.first, self.second))

    def trace(self, periods: int, *, local_steps: int = 1) -> Trace:
        """Whoever is available delivers, for so many periods of t1 + t2 rounds."""
        rounds = periods * (self.first + self.second)
        return Trace.fresh(self.availability.matrix(rounds), local_steps=local_steps)


def window_and_staleness(example: TwoBlocks) -> dict[str, Scalar]:
    """The least window of Assumption 4, and the staleness under Algorithm 1's selection of one
    client per round, over four periods."""
    available = example.availability.matrix(4 * (example.first + example.second))
    return {
        "availability_window": availability_window(available),
        "staleness_bound": availability_window(longest_absent(available, 1)) - 1,
    }


@by_instances(Method.EXACT_RUN, covers="all blocks up to 6, four periods")
def windows() -> Iterator[Instance]:
    """Scan for absences, and run the selection of Algorithm 1 with one client per round."""
    for first, second in product(range(1, 7), repeat=2):
        example = TwoBlocks(first, second)
        yield Instance(example.blocks | window_and_staleness(example), example.says)


CHECKS = (
    Check("fedlaavg.ex1", windows),
    Check("fedlaavg.ex1.staleness", windows),
)
