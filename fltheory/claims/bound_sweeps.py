"""How far a theorem's bound lies above the worst case: what a paper declares for it.

A paper lists `BoundSweep`s in LOOSENESS; `fltheory.ledger.looseness` computes the worst cases.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fltheory.analysis.worst_case.case import Case
from fltheory.claims.claim import Claim
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Scalar
from fltheory.traces.trace import Trace

CLIENTS = 10


@dataclass(frozen=True)
class SweepPoint:
    """One point of a sweep: `late` of ten clients deliver only every `period` rounds (or `late` of
    ten rounds use work that is period - 1 rounds old)."""

    num_rounds: int = 6
    local_steps: int = 1
    period: int = 2
    late: int = 5

    def __post_init__(self) -> None:
        for name, least in (("num_rounds", 1), ("local_steps", 1), ("period", 1), ("late", 0)):
            if getattr(self, name) < least:
                raise InvalidInput(
                    name.replace("_", " "), f"be at least {least}", getattr(self, name)
                )
        if self.late > CLIENTS:
            raise InvalidInput("late clients", f"be at most {CLIENTS}", self.late)

    def by_turns(self) -> Trace:
        """Late clients deliver in rounds 0, period, 2 period, ...; the others in every round."""
        rows = [
            [t % self.period == 0 or i >= self.late for i in range(CLIENTS)]
            for t in range(self.num_rounds)
        ]
        return Trace.fresh(rows, local_steps=self.local_steps)

    def aged(self) -> Trace:
        """One loss whose gradients are period - 1 rounds old in some rounds, as if several clients
        of one data type took turns."""
        rounds = np.arange(self.num_rounds)
        old = (rounds * self.late) % CLIENTS + self.late >= CLIENTS  # evenly spread
        ages = np.where(old, np.minimum(rounds, self.period - 1), 0)[:, None]
        return Trace.with_delays(
            np.ones((self.num_rounds, 1), bool), ages, local_steps=self.local_steps
        )


Asked = tuple[Case, dict[str, Scalar]]
"""A worst case, and the values of the symbols of the theorem's right side in it."""


@dataclass(frozen=True)
class BoundSweep:
    """A theorem whose bound is compared with the worst case at the points of sweeps.

    `asks` gives the worst case of a point and the values of the bound's symbols there; rounds,
    clients, local steps, L = 1 and no noise are known unless it says otherwise. `says` describes
    the setting in one sentence. `several_steps` is the claim that speaks of several local steps,
    where it is another one. `stated` is the claim itself, if no paper has it, and `admits` tells
    whether its conditions allow for a point. `at_largest_step`: the first step size of the worst
    case is the largest that the theorem allows.
    """

    claim: str
    asks: Callable[[SweepPoint], Asked]
    says: str
    several_steps: str = ""
    stated: Claim | None = None
    admits: Callable[[SweepPoint], bool] = lambda point: True
    at_largest_step: bool = False

    def claim_at(self, point: SweepPoint) -> str:
        """The id of the claim whose right side is the bound at a point."""
        return self.several_steps if self.several_steps and point.local_steps > 1 else self.claim
