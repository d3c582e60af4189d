"""The worst case of a method, with what the number is worth."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.arithmetic import FLOAT, RATIONAL
from fltheory.worst_case.case import Case
from fltheory.worst_case.certificate import certify, inside
from fltheory.worst_case.interior import ACCEPTED, solve_structured
from fltheory.worst_case.program import build
from fltheory.worst_case.solve import Solution, Status, solve
from fltheory.worst_case.structure import structure

LARGE = 30
"""Blocks above this size go to the interior-point method that knows their structure first."""


@dataclass(frozen=True)
class WorstCase:
    """`value` is the solver's number (None unless fully accurate), `bound` the proved one, `certificate` its proof."""

    status: Status
    value: float | None = None
    bound: Fraction | None = None
    certificate: dict[str, Any] | None = None
    block_sizes: tuple[int, ...] = ()
    num_constraints: int = 0
    violation: float = 0.0
    """By how much of the value a constraint that was left out is violated, where some were."""
    why: str = ""


def worst_case(case: Case, *, certified: bool = False) -> WorstCase:
    """The largest metric over all functions of the class, on any number of coordinates.

    >>> from fltheory import Trace
    >>> from fltheory.worst_case.encode import Conditions, FunctionClass, Question
    >>> descent = Case("fedavg", Trace.fresh([[1], [1]]), Question(FunctionClass(1), Conditions(distance_squared=1)), local_step_size=1)
    >>> round(worst_case(descent).value, 8)  # L / (4 num_rounds + 2)
    0.1
    """
    small = case.compact()
    encoding = small.encode(RATIONAL if certified else FLOAT)
    fast = solve_structured(structure(encoding)) if max(encoding.block_sizes) > LARGE else None
    if fast is not None and fast.error <= ACCEPTED:
        found, violation = Solution(Status.NUMERICAL, fast.value), fast.violation
        certificate = certify(small, encoding, fast.value, [fast.inner]) if certified else None
    else:
        program, violation = build(encoding), 0.0
        found, certificate = solve(program), None
        if found.value is not None and certified:
            certificate = certify(small, encoding, found.value, inside(program, found.value))
    size: dict[str, Any] = {"block_sizes": encoding.block_sizes, "num_constraints": encoding.num_constraints, "violation": violation}
    if certificate is not None:
        return WorstCase(Status.CERTIFIED, found.value, Fraction(certificate["bound"]), certificate, **size)
    why = "no exact certificate was found" if found.value is not None and certified else found.why
    return WorstCase(found.status, found.value, why=why, **size)
