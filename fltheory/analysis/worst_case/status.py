"""What a worst case is worth: only an exact certificate is a bound; a solver's number is given when
it is accurate enough to compare."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

ACCEPTED = 1e-7
"""The one level of every solver: duality gap, residuals and the violation of constraints that were
left out, each relative to the value, must be at most this, or the number is not given. Values are
compared with other tools, and certificates with values, to a millionth; this is a tenth of that."""

UNBOUNDED = (
    "there is no finite worst case: no bound follows from these conditions (bound the start, or the"
    " heterogeneity at the optimum)"
)
INFEASIBLE = "no function satisfies all conditions"


class Status(Enum):
    """What a worst case is worth; the value is the sentence that the reader sees."""

    CERTIFIED = "proved: an exact certificate was found and checked"
    NUMERICAL = "computed by a solver that reports full accuracy; not a proof"
    INACCURATE = "the solver stopped short of its accuracy, so no number is given"
    FAILED = "no number could be computed"


@dataclass(frozen=True)
class Solution:
    """`value` and `multipliers` are there only for a status of full accuracy; `why` tells what
    happened otherwise."""

    status: Status
    value: float | None = None
    multipliers: Any = None
    why: str = ""
    error: float = float("inf")
    """Largest of the relative gap and the residuals."""
