"""Compute the worst case of a method, with a proof and an attained value on request."""

from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction

from fltheory.analysis.worst_case.build_structure import structure
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.certificate import certify, inside
from fltheory.analysis.worst_case.encoding import Encoding
from fltheory.analysis.worst_case.interior import InteriorResult, solve_structured
from fltheory.analysis.worst_case.lower import Witness, extracted
from fltheory.analysis.worst_case.program import build
from fltheory.analysis.worst_case.quadratic_search import best_quadratic
from fltheory.analysis.worst_case.solve import solve
from fltheory.analysis.worst_case.status import ACCEPTED, UNBOUNDED, Solution, Status
from fltheory.analysis.worst_case.structure import Structure
from fltheory.core.errors import InvalidInput
from fltheory.core.results import Table, as_dict, as_html, as_text, named_values
from fltheory.core.types import Json
from fltheory.engine.arithmetic import FLOAT, RATIONAL

NO_CERTIFICATE_WITH_NOISE = (
    "with noise the value bounds an expectation, for which there are no certificates"
)
"""Why a noisy worst case has no certificate."""

MAX_CLARABEL_BLOCK = 40
"""Largest block that is given to Clarabel if our own method fails: Clarabel's work grows with the
sixth power of the size."""

SOLVER_RANGE = (Fraction(1, 10**9), Fraction(10**12))
"""Range of the given bounds. The solvers compare with absolute levels, and far outside this range
they have called wrong numbers accurate."""


@dataclass(frozen=True, repr=False)
class WorstCase:
    """`value` is the solver's number (None unless accurate), `bound` the proved upper bound, and
    `certificate` its proof.

    `witness` holds functions of the class, given by exact inner products and values, that attain
    `attained`. Together with the bound this encloses the worst case.
    """

    status: Status
    value: float | None = None
    bound: Fraction | None = None
    certificate: Json | None = None
    block_sizes: tuple[int, ...] = ()
    num_constraints: int = 0
    violation: float = 0.0
    """Largest violation of an omitted constraint, relative to the value."""
    why: str = ""
    witness: Witness | None = None
    encoding: Encoding | None = None

    @property
    def attained(self) -> Fraction | None:
        """The metric of the witness: an exact lower bound."""
        return None if self.witness is None else self.witness.metric

    def to_dict(self) -> Json:
        """Everything but the encoding; exact numbers are texts."""
        return as_dict(
            {
                "status": self.status.name,
                "value": self.value,
                "bound": self.bound,
                "attained": self.attained,
                "attained_by": None if self.witness is None else self.witness.how,
                "why": self.why,
                "block_sizes": self.block_sizes,
                "num_constraints": self.num_constraints,
                "violation": self.violation,
                "certificate": self.certificate,
            }
        )

    def tables(self) -> list[Table]:
        """The numbers and what they mean, for people."""
        shown: dict[str, object] = {"worst case": self.value, "status": self.status.value}
        if self.bound is not None:
            shown["proved upper bound"] = f"{float(self.bound):.12g}"
        if self.attained is not None and self.witness is not None:
            shown["attained lower bound"] = f"{float(self.attained):.12g}"
            shown["attained by"] = self.witness.how
        if self.why:
            shown["why"] = self.why
        shown |= {"block sizes": self.block_sizes, "constraints": self.num_constraints}
        return [named_values("worst case", shown)]

    __repr__ = as_text
    _repr_html_ = as_html


def worst_case(case: Case, *, certified: bool = False, enclosed: bool = False) -> WorstCase:
    """The largest metric over all functions of the class, on any number of coordinates.

    With `certified`, the function searches for an exact proof of an upper bound; with `enclosed`,
    for exact functions that nearly attain the worst case.

    >>> from fltheory import Trace
    >>> from fltheory.analysis.worst_case.function_classes import FunctionClass
    >>> from fltheory.analysis.worst_case.question import Conditions, Question
    >>> question = Question(FunctionClass(1), Conditions(distance_squared=1))
    >>> descent = Case("fedavg", Trace.fresh([[1], [1]]), question, local_step_size=1)
    >>> worst_case(descent)  # the value is L / (4 num_rounds + 2)
    worst case
      worst case   0.1
      status       computed by a solver that reports full accuracy; not a proof
      block sizes  4
      constraints  13
    >>> both = worst_case(descent, certified=True, enclosed=True)
    >>> both.attained <= Fraction(1, 10) <= both.bound
    True
    >>> both.bound - both.attained < Fraction(1, 10**6)
    True
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
    elif max(encoding.block_sizes) > MAX_CLARABEL_BLOCK or noisy:
        found = Solution(
            Status.INACCURATE,
            why=(
                "the solver broke down"
                if fast is None
                else (
                    f"the solver stopped at a relative error of {fast.error:.0e}; omitted"
                    f" constraints are violated by up to {fast.violation:.0e} of the value"
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
        and max(encoding.block_sizes) <= MAX_CLARABEL_BLOCK
    ):
        certificate = certify(small, encoding, found.value, inside(build(encoding), found.value))
    witness = (
        _best_witness(encoding, problem, fast)
        if enclosed and not noisy and found.why != UNBOUNDED
        else None
    )
    answer = WorstCase(
        found.status,
        found.value,
        block_sizes=encoding.block_sizes,
        num_constraints=encoding.num_constraints,
        violation=violation,
        why=found.why,
        witness=witness,
        encoding=encoding,
    )
    if found.value is None or not certified:
        return answer
    if certificate is None:
        why = NO_CERTIFICATE_WITH_NOISE if noisy else "no exact certificate was found"
        return replace(answer, why=why)
    bound = Fraction(str(certificate["bound"]))
    return replace(
        answer,
        status=Status.CERTIFIED,
        value=min(found.value, float(bound)),  # the proved bound may be below the solver's number
        bound=bound,
        certificate=certificate,
        why="",
    )


def _best_witness(
    encoding: Encoding, problem: Structure, fast: InteriorResult | None
) -> Witness | None:
    """The solver's worst function or the best quadratic, whichever attains more."""
    found = [None if fast is None else extracted(encoding, problem, fast), best_quadratic(encoding)]
    return max(
        (witness for witness in found if witness is not None),
        key=lambda witness: witness.metric,
        default=None,
    )


def in_usual_units(case: Case) -> None:
    """Refuse bounds so small or large that the solvers treat them as zero or infinity."""
    given = {"smoothness": case.question.functions.smoothness, **vars(case.question.conditions)}
    for name, value in given.items():
        if value is not None and value != 0 and not SOLVER_RANGE[0] <= value <= SOLVER_RANGE[1]:
            rule = (
                f"lie between {float(SOLVER_RANGE[0]):g} and {float(SOLVER_RANGE[1]):g} for the"
                " solvers: choose other units of length or loss"
            )
            raise InvalidInput(name.replace("_", " "), rule, shown(value))


def shown(value: Fraction) -> str:
    """Three digits of a number, even if it is outside the range of floats.

    >>> shown(Fraction(1, 10**400)), shown(Fraction(3, 2))
    ('about 1e-400', 'about 1.5')
    """
    with localcontext() as context:
        context.prec = 3
        return f"about {Decimal(value.numerator) / Decimal(value.denominator):g}"
