"""The status of a worst case: only an exact certificate proves a bound; a solver's number is
reported if it is accurate enough to compare."""

from dataclasses import dataclass
from enum import Enum

from fltheory.core.types import FloatArray

ACCEPTED = 1e-7
"""Accuracy required of every solver: the duality gap, the residuals and the violation of omitted
constraints, relative to the value, must be at most this; otherwise no number is reported. Values
are compared with other tools, and certificates with values, to a millionth; this is a tenth."""

UNBOUNDED = (
    "there is no finite worst case: no bound follows from these conditions (bound the start, or the"
    " heterogeneity at the optimum)"
)
INFEASIBLE = "no function satisfies all conditions"


class Status(Enum):
    """The status of a worst case; the value is the sentence that the reader sees."""

    CERTIFIED = "proved: an exact certificate was found and checked"
    NUMERICAL = "computed by a solver that reports full accuracy; not a proof"
    INACCURATE = "the solver stopped short of its accuracy, so no number is given"
    FAILED = "no number could be computed"


@dataclass(frozen=True)
class Solution:
    """A solver's answer; `value` and `multipliers` exist only at full accuracy, and `why` says what
    happened otherwise."""

    status: Status
    value: float | None = None
    multipliers: FloatArray | None = None
    why: str = ""
    error: float = float("inf")
    """Largest of the relative gap and the residuals."""
