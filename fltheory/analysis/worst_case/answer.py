"""Compute the worst case of a method, with a proof and an attained value on request."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction

from fltheory.analysis.worst_case.all_constraints import AllConstraints
from fltheory.analysis.worst_case.build_structure import structure
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.certificate import certify, inside
from fltheory.analysis.worst_case.chain_solve import solve_chain
from fltheory.analysis.worst_case.encoding import Encoding
from fltheory.analysis.worst_case.interior import InteriorResult, solve_structured
from fltheory.analysis.worst_case.lower import Witness, extracted
from fltheory.analysis.worst_case.program import build
from fltheory.analysis.worst_case.quadratic_search import best_quadratic
from fltheory.analysis.worst_case.solve import solve
from fltheory.analysis.worst_case.solver_time import (
    SolverTime,
    clarabel_seconds,
    estimated_seconds,
    quiet,
)
from fltheory.analysis.worst_case.status import ACCEPTED, UNBOUNDED, Solution, Status
from fltheory.core.errors import InvalidInput
from fltheory.core.results import Table, as_dict, as_html, as_text, named_values
from fltheory.core.types import Json
from fltheory.engine.arithmetic import FLOAT, RATIONAL

NO_CERTIFICATE_WITH_NOISE = (
    "with noise the value bounds an expectation, for which there are no certificates"
)
"""Why a noisy worst case has no certificate."""

NO_CERTIFICATE = "no exact certificate was found"
"""Why another one has none."""

LONG_ENOUGH = 0.3
"""Estimated seconds of our method from which on Clarabel may go first."""

WORTH_A_CHAIN = 0.03
"""Estimated seconds of our method from which on a chain of small blocks is tried."""

MAX_CLARABEL_BLOCK, MAX_CERTIFIED_BLOCK = 56, 40
"""Largest block that is given to Clarabel if our own method fails, for a value and for the point
inside from which a certificate is made: Clarabel's work grows with the sixth power of the size."""

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


def worst_case(
    case: Case,
    *,
    certified: bool = False,
    enclosed: bool = False,
    seconds: float | None = None,
    watch: Callable[[str], None] = quiet,
) -> WorstCase:
    """The largest metric over all functions of the class, on any number of coordinates.

    With `certified`, the function searches for an exact proof of an upper bound; with `enclosed`,
    for exact functions that nearly attain the worst case. After so many `seconds` of processor time
    it returns what it has, and says what is missing; `watch` is told how it goes.

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
    time = SolverTime(seconds, watch)
    in_usual_units(case)
    small = case.compact()
    encoding = time.within(lambda: small.encode(RATIONAL if certified or enclosed else FLOAT))
    problem = None if encoding is None else time.within(lambda: structure(encoding))
    if encoding is None or problem is None:
        return WorstCase(Status.INACCURATE, why=f"{time.says}, before the solver began")
    noisy = bool(encoding.recording.noises)
    found, fast = _solved(encoding, problem, _local_steps(small), time, certified or enclosed)
    certificate, late = None, False
    if certified and not noisy and found.value is not None:
        certificate = time.within(lambda: _certificate(small, encoding, found, fast, time))
        late = time.over
    witness = None
    if enclosed and not noisy and found.why != UNBOUNDED:
        witness = time.within(lambda: _best_witness(encoding, problem, fast))
    answer = WorstCase(
        found.status,
        found.value,
        block_sizes=encoding.block_sizes,
        num_constraints=encoding.num_constraints,
        violation=fast.violation if fast is not None and fast.error <= ACCEPTED else 0.0,
        why=found.why,
        witness=witness,
        encoding=encoding,
    )
    if found.value is None or not certified:
        without = enclosed and witness is None and time.over and not answer.why
        return (
            replace(answer, why=f"{time.says}, before functions were found") if without else answer
        )
    if certificate is None:
        why = f"{time.says}, before an exact certificate was found" if late else NO_CERTIFICATE
        return replace(answer, why=NO_CERTIFICATE_WITH_NOISE if noisy else why)
    bound = Fraction(str(certificate["bound"]))
    return replace(
        answer,
        status=Status.CERTIFIED,
        value=min(found.value, float(bound)),  # the proved bound may be below the solver's number
        bound=bound,
        certificate=certificate,
        why="",
    )


def _local_steps(case: Case) -> int:
    return max(int(case.trace.local_steps.max()), 1)


def _solved(
    encoding: Encoding, problem: AllConstraints, local_steps: int, time: SolverTime, proved: bool
) -> tuple[Solution, InteriorResult | None]:
    """The worst case by our method or, if it fails, by Clarabel; and what ours found.

    A chain of small blocks goes first where it is estimated to be faster than our method; with
    local steps, Clarabel on the whole problem goes before our method where that is. Where proofs or
    functions are wanted, our method goes first, since they come from its points.
    """
    noisy, sizes = bool(encoding.recording.noises), encoding.block_sizes
    expected, other = estimated_seconds(problem, local_steps), clarabel_seconds(sizes)
    first = local_steps > 1 and LONG_ENOUGH < expected > other and not (noisy or proved)
    if expected > WORTH_A_CHAIN and not proved:
        chained = solve_chain(problem, most=expected, time=time)
        if chained is not None:
            return Solution(Status.NUMERICAL, chained.value, error=chained.error), chained
    time.tell(min(expected, other if first else expected))
    tried = None
    if first:
        tried = solve(build(encoding), limit=lambda: time.left)
        if tried.value is not None or tried.why == UNBOUNDED:
            return tried, None
    fast = solve_structured(problem, time=time)
    if fast is not None and fast.unbounded:
        return Solution(Status.FAILED, why=UNBOUNDED), fast
    if fast is not None and fast.error <= ACCEPTED:
        return Solution(Status.NUMERICAL, fast.value, error=fast.error), fast
    if fast is None:
        why = "the solver broke down"
    else:
        why = (
            f"the solver stopped at a relative error of {fast.error:.0e}; omitted constraints are"
            f" violated by up to {fast.violation:.0e} of the value"
        )
    if time.over:
        return Solution(Status.INACCURATE, why=f"{time.says}: {why}"), fast
    # without a limit, Clarabel is tried up to a size; with one, where it may end in time
    small = max(sizes) <= MAX_CLARABEL_BLOCK if time.seconds is None else other <= time.left
    if tried is not None or noisy or not small:
        return Solution(Status.INACCURATE, why=why), fast
    time.watch(f"{why}; Clarabel tries, about {other:.2g} s")
    found = solve(build(encoding), limit=lambda: time.left)
    return (
        replace(found, why=f"{time.says}: {why}") if time.over and found.value is None else found
    ), fast


def _certificate(
    case: Case, encoding: Encoding, found: Solution, fast: InteriorResult | None, time: SolverTime
) -> Json | None:
    """From the multipliers of our method, or else from a point that Clarabel finds."""
    if found.value is None:
        return None
    time.watch("proving")
    certificate = None
    if fast is not None and fast.error <= ACCEPTED:
        certificate = certify(case, encoding, found.value, [fast.inner])
    if certificate is None and max(encoding.block_sizes) <= MAX_CERTIFIED_BLOCK:
        points = inside(build(encoding), found.value, limit=lambda: time.left)
        certificate = certify(case, encoding, found.value, points)
    return certificate


def _best_witness(
    encoding: Encoding, problem: AllConstraints, fast: InteriorResult | None
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
