"""The worst case of a method, with what the number is worth."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.worst_case.case import Case
from fltheory.worst_case.certificate import certify
from fltheory.worst_case.program import build
from fltheory.worst_case.solve import Status, solve


@dataclass(frozen=True)
class WorstCase:
    """`value` is the solver's number (None unless fully accurate), `bound` the proved one, `certificate` its proof."""

    status: Status
    value: float | None = None
    bound: Fraction | None = None
    certificate: dict[str, Any] | None = None
    block_sizes: tuple[int, ...] = ()
    num_constraints: int = 0
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
    encoding = small.encode()
    program = build(encoding)
    found = solve(program)
    size = {"block_sizes": encoding.block_sizes, "num_constraints": program.num_constraints}
    if found.value is None or not certified:
        return WorstCase(found.status, found.value, why=found.why, **size)  # type: ignore[arg-type]
    certificate = certify(small, encoding, program, found.value)
    if certificate is None:
        return WorstCase(Status.NUMERICAL, found.value, why="no exact certificate was found", **size)  # type: ignore[arg-type]
    return WorstCase(Status.CERTIFIED, found.value, Fraction(certificate["bound"]), certificate, **size)  # type: ignore[arg-type]
