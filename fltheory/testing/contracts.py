"""What every method and every paper promises: one call tests a method or a paper of your own.

from fltheory.testing.contracts import check_algorithm, check_paper

def test_my_method():
    check_algorithm(MyMethod())

def test_my_paper():
    check_paper(Path(__file__).parents[1])
"""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
import sympy

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.sweep import GROWING
from fltheory.claims.claim import Claim, Identity, LowerBound, Order, UpperBound, evaluate
from fltheory.claims.evidence import Evidence, Verdict
from fltheory.core.errors import InvalidInput
from fltheory.core.extras import available
from fltheory.core.types import Array
from fltheory.engine.arithmetic import FLOAT, RATIONAL, Arithmetic, named_arithmetic
from fltheory.engine.roles import Algorithm
from fltheory.engine.simulate import simulate
from fltheory.papers.folders import add_papers
from fltheory.papers.library import claims_of, entries_of, key_of
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

CLOSE = 1e-12
PROBLEM = Quadratic(((1, 2), ("1/2", 1), (2, "3/2")), ((0, 1), (1, -1), (-2, "1/2")))
TRACE = Trace.with_delays(
    [[1, 1, 1], [0, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0]],
    [[0, 0, 0], [0, 1, 0], [2, 0, 1], [0, 0, 0], [0, 3, 0]],
    local_steps=[[2, 1, 3], [1, 2, 1], [1, 1, 2], [1, 1, 1], [3, 1, 1]],
)
"""Three clients with absences, old models and uneven work."""


def check_algorithm(method: Algorithm) -> None:
    """Raise AssertionError where a method breaks a promise on a small run with three clients.

    It gives the same models as fractions, formulas, floats and (where torch is installed) tensors;
    the same run twice gives the same models; a longer run extends a shorter one; a batch of traces
    gives what each trace gives; and nothing moves where every client is at its optimum.

    >>> from fltheory import FedAvg
    >>> check_algorithm(FedAvg())
    """
    exact = _run(method)
    _same(exact, _run(method), "the same run gives other models the second time")
    symbolic = _run(method, arithmetic="symbolic")
    rational = np.frompyfunc(lambda x: Fraction(int(x.p), int(x.q)), 1, 1)(symbolic)
    _same(exact, rational, "formulas and fractions give different models")
    for name in ("float", *(["tensor"] if available("tensor") else [])):
        apart = _run(method, arithmetic=name).astype(float) - exact.astype(float)
        if abs(apart).max() > CLOSE * max(1.0, abs(exact.astype(float)).max()):
            raise AssertionError(f"{name} and exact models differ by {abs(apart).max()}")
    short = _run(method, trace=TRACE.first(2))
    _same(exact[: len(short)], short, "a longer run does not extend a shorter one")
    other = Trace.fresh(np.ones_like(TRACE.delivers))
    both = Trace(
        *(
            np.stack([getattr(one, name) for one in (TRACE, other)])
            for name in ("delivers", "started_from", "local_steps")
        )
    )
    singles = np.stack([exact, _run(method, trace=other)])
    _same(singles, _run(method, trace=both), "a batch of traces gives other models than each one")
    resting = Quadratic(PROBLEM.curvatures, [(1, 2)] * PROBLEM.num_clients)
    _same(
        np.full_like(exact, 1) * np.array([Fraction(1), Fraction(2)]),
        _run(method, problem=resting),
        "the model moves although every client is at its optimum",
    )


def _run(
    method: Algorithm,
    *,
    problem: Quadratic = PROBLEM,
    trace: Trace = TRACE,
    arithmetic: str = "rational",
) -> Array:
    known: dict[str, Arithmetic] = {"rational": RATIONAL, "float": FLOAT}
    run = simulate(
        method,
        problem,
        trace,
        start=(1, 2),
        local_step_size=lambda index: Fraction(1, index + 4),
        server_step_size=lambda index: Fraction(index + 2, index + 3),
        arithmetic=known.get(arithmetic) or named_arithmetic(arithmetic),
    )
    return np.asarray(run.models)


def _same(one: Array, other: Array, says: str) -> None:
    if one.shape != other.shape or not (one == other).all():
        raise AssertionError(says)


def check_paper(folder: str | Path) -> Mapping[str, Evidence]:
    """Test a paper of your own, and return the evidence of the last check on each claim.

    AssertionError names a claim without a check, a special case with another value, a check that
    ends UNDECIDED, or a check that does not refute a planted falsehood.
    """
    path = Path(folder)
    add_papers(path)
    key = key_of(path)
    claims, found = claims_of(key), dict[str, Evidence]()
    for claim in claims.values():
        check_special_cases(claim)
    for check in entries_of(key, "CHECKS"):
        if not isinstance(check, Check):
            raise InvalidInput(f"CHECKS of {key}", "hold checks", repr(check)[:60])
        if check.claim not in claims:
            raise AssertionError(f"a check is about {check.claim}, which {key} does not state")
        found[check.claim] = check_check(check, claims[check.claim])
    if missing := sorted(set(claims) - set(found)):
        raise AssertionError(f"{missing[0]} has no check")
    return found


def check_special_cases(claim: Claim) -> None:
    """Compare every special case of a claim with the value that it should have."""
    for case in claim.special_cases:
        got = evaluate(getattr(claim.statement, case.side), case.values)
        digits = len(case.equals.partition(".")[2])
        allowed = sympy.Rational(1, 10**digits) if digits else 0
        if abs(got - sympy.Rational(case.equals)) > allowed:
            raise AssertionError(f"{claim.id}: {case.says}: {got} instead of {case.equals}")


def check_check(check: Check, claim: Claim) -> Evidence:
    """Run a check on its claim and on a planted falsehood, which it must refute."""
    found = check.decide(claim)
    if found.verdict is Verdict.UNDECIDED:
        raise AssertionError(f"the check of {claim.id} ends UNDECIDED: {found.note}")
    if check.plant is None and found.verdict in (Verdict.REFUTED, Verdict.VACUOUS):
        return found
    planted = falsehood(claim, found) if check.plant is None else check.plant(claim)
    if not is_contradicted(check.decide(planted)):
        said = planted.statement
        raise AssertionError(
            f"the check of {claim.id} does not refute a planted falsehood: {said.left} {said.sign}"
            f" {said.right}; give the check instances nearer to the bound, where not both sides are"
            " 0, or plant=... of its own"
        )
    return found


def falsehood(claim: Claim, found: Evidence) -> Claim:
    """A false version of a claim: an identity off by one, a bound tightened just beyond the best
    ratio that its check has found."""
    left, right = claim.statement.left, claim.statement.right
    if isinstance(claim.statement, Order):
        raise AssertionError(f"{claim.id} is an order: its Check needs plant=...")
    if isinstance(claim.statement, Identity):
        return claim.planted(right=right + 1)
    ratio = ratio_of(found.looseness)
    if isinstance(claim.statement, UpperBound):
        tight = right * ratio * sympy.Rational(99, 100) if ratio else left - 1
    elif isinstance(claim.statement, LowerBound):
        tight = right * ratio * sympy.Rational(101, 100) if ratio else left + 1
    return claim.planted(right=tight)


def is_contradicted(found: Evidence) -> bool:
    """Refuted; or, where finitely many instances cannot refute an order, its ratio grew without
    slowing down."""
    return found.verdict is Verdict.REFUTED or found.looseness == GROWING


def ratio_of(text: str) -> sympy.Rational | None:
    """The recorded looseness as a number, where it is a positive one."""
    try:
        value = sympy.Rational(text.split("about ")[-1].rstrip(")") if "about" in text else text)
    except (TypeError, ValueError):
        return None
    return value if value.is_finite and value > 0 else None
