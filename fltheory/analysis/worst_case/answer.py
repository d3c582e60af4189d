"""The worst case of a method, with what the number is worth."""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.certificate import certify, inside
from fltheory.analysis.worst_case.encoding import Encoding
from fltheory.analysis.worst_case.interior import Result, solve_structured
from fltheory.analysis.worst_case.lower import Witness, extracted
from fltheory.analysis.worst_case.program import build
from fltheory.analysis.worst_case.quadratic_search import best_quadratic
from fltheory.analysis.worst_case.solve import solve
from fltheory.analysis.worst_case.status import ACCEPTED, UNBOUNDED, Solution, Status
from fltheory.analysis.worst_case.structure import Structure, structure
from fltheory.core.errors import InvalidInput
from fltheory.engine.arithmetic import FLOAT, RATIONAL

NOISY = (
    "certificates speak of functions: with noise the value bounds an expectation, and there is none"
)
LARGE = 40
"""Blocks above this size are not given to Clarabel, where our own method fails: its work grows with
the sixth power of the size."""

USUAL = (Fraction(1, 10**9), Fraction(10**12))
"""The solvers compare with absolute levels: far outside this range they were seen to call wrong
numbers accurate."""


@dataclass(frozen=True)
class WorstCase:
    """`value` is the solver's number (None unless fully accurate), `bound` the proved one,
    `certificate` its proof.

    `witness` are functions of the class, given by exact inner products and values, that attain
    `attained`: with the bound, both ends of an enclosure of the worst case.
    """

    status: Status
    value: float | None = None
    bound: Fraction | None = None
    certificate: dict[str, Any] | None = None
    block_sizes: tuple[int, ...] = ()
    num_constraints: int = 0
    violation: float = 0.0
    """By how much of the value a constraint that was left out is violated, where some were."""
    why: str = ""
    witness: Witness | None = None
    encoding: Encoding | None = None

    @property
    def attained(self) -> Fraction | None:
        return None if self.witness is None else self.witness.metric


def worst_case(case: Case, *, certified: bool = False, enclosed: bool = False) -> WorstCase:
    """The largest metric over all functions of the class, on any number of coordinates.

    With `certified`, an exact proof of an upper bound is looked for; with `enclosed`, also exact
    functions that nearly attain it.

    >>> from fltheory import Trace
    >>> from fltheory.analysis.worst_case.function_classes import FunctionClass
    >>> from fltheory.analysis.worst_case.question import Conditions, Question
    >>> descent = Case("fedavg", Trace.fresh([[1], [1]]), Question(FunctionClass(1), Conditions(distance_squared=1)), local_step_size=1)
    >>> round(worst_case(descent).value, 8)  # L / (4 num_rounds + 2)
    0.1
    >>> both = worst_case(descent, certified=True, enclosed=True)
    >>> both.attained <= Fraction(1, 10) <= both.bound, both.bound - both.attained < Fraction(1, 10**6)
    (True, True)
    """
    in_usual_units(case)
    small = case.compact()
    encoding = small.encode(RATIONAL if certified or enclosed else FLOAT)
    certificate, violation, noisy = None, 0.0, bool(encoding.recording.noises)
    problem = structure(encoding)
    fast = solve_structured(problem)
    if fast is not None and fast.unbounded:
        found = Solution(Status.FAILED, why=UNBOUNDED)
    elif fast is not None and fast.error <= ACCEPTED:
        found, violation = Solution(Status.NUMERICAL, fast.value, error=fast.error), fast.violation
        certificate = (
            certify(small, encoding, fast.value, [fast.inner]) if certified and not noisy else None
        )
    elif max(encoding.block_sizes) > LARGE or noisy:
        found = Solution(
            Status.INACCURATE,
            why=(
                "the solver broke down"
                if fast is None
                else (
                    f"the solver stopped at a relative error of {fast.error:.0e}; constraints that"
                    f" were left out are violated by up to {fast.violation:.0e} of the value"
                )
            ),
        )
    else:
        found = solve(build(encoding))
    if (
        certified
        and not noisy
        and certificate is None
        and found.value is not None
        and max(encoding.block_sizes) <= LARGE
    ):
        certificate = certify(small, encoding, found.value, inside(build(encoding), found.value))
    witness = (
        _best_witness(encoding, problem, fast)
        if enclosed and not noisy and found.why != UNBOUNDED
        else None
    )
    size: dict[str, Any] = {
        "witness": witness,
        "encoding": encoding,
        "block_sizes": encoding.block_sizes,
        "num_constraints": encoding.num_constraints,
        "violation": violation,
    }
    if certificate is not None and found.value is not None:
        bound = Fraction(
            certificate["bound"]
        )  # where it is below the solver's own multipliers' number, it is the better one of the two
        return WorstCase(
            Status.CERTIFIED, min(found.value, float(bound)), bound, certificate, **size
        )
    why = (
        (NOISY if noisy else "no exact certificate was found")
        if found.value is not None and certified
        else found.why
    )
    return WorstCase(found.status, found.value, why=why, **size)


def _best_witness(encoding: Encoding, problem: Structure, fast: Result | None) -> Witness | None:
    """The larger of what the solver's worst function and the best quadratic attain, both exact."""
    found = [None if fast is None else extracted(encoding, problem, fast), best_quadratic(encoding)]
    return max(
        (witness for witness in found if witness is not None),
        key=lambda witness: witness.metric,
        default=None,
    )


def in_usual_units(case: Case) -> None:
    """Refuse sizes that the solvers cannot tell from nothing or from infinity."""
    given = {"smoothness": case.question.functions.smoothness, **vars(case.question.conditions)}
    for name, value in given.items():
        if value is not None and value != 0 and not USUAL[0] <= value <= USUAL[1]:
            rule = (
                f"lie between {float(USUAL[0]):g} and {float(USUAL[1]):g} for the solvers: choose"
                " other units of length or loss"
            )
            raise InvalidInput(name.replace("_", " "), rule, shown(value))


def shown(value: Fraction) -> str:
    """About as large, in few letters, even where a float cannot hold it.

    >>> shown(Fraction(1, 10**400)), shown(Fraction(3, 2))
    ('about 1e-400', 'about 1.5')
    """
    with localcontext() as context:
        context.prec = 3
        return f"about {Decimal(value.numerator) / Decimal(value.denominator):g}"
