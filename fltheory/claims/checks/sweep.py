"""Order claims, left = O(right): the ratio of both sides along a path in the admissible region."""

import math
from collections.abc import Sequence

import sympy

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Order, evaluate
from fltheory.claims.evidence import Counterexample, Evidence, Method, Verdict
from fltheory.core.enclosure import shown
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Values

GROWTH = 100
"""A ratio that grows by this factor along a sweep without slowing down counts as unbounded."""

GROWING = "growing"
"""The looseness of a claim whose ratio grew by GROWTH."""

FLAT = sympy.Rational(11, 10)
"""A ratio counts as bounded if its second half stays within this factor of the maximum of its first
half."""

NOTHING = "any constant times 0"
"""The right side of an order whose own right side is 0."""


def check_order_limit(
    claim: Claim, *, derived: Values, variable: sympy.Symbol, covers: str
) -> Evidence:
    """The exact limit of left/right as one variable grows: an infinite limit refutes the claim, a
    finite one supports it along this path.

    An order says that |left| <= C |right| with one constant C, so a right side that is 0 along the
    path refutes it if the left side is not 0.
    """
    _need_order(claim)
    given = {s: derived[s.name] for s in claim.symbols if s.name in derived}
    left, right = (side.xreplace(given) for side in (claim.statement.left, claim.statement.right))
    if right.is_zero and left.is_nonzero:
        example = Counterexample({s.name: v for s, v in given.items()}, f"left {left}", "is 0")
        return Evidence(
            claim.id,
            Method.SYMBOLIC,
            Verdict.REFUTED,
            covers,
            shown(left),
            NOTHING,
            "oo",
            counterexample=example,
        )
    ratio = sympy.simplify(left / right)
    limit = sympy.limit(ratio, variable, sympy.oo)
    if limit in (sympy.oo, -sympy.oo):
        example = Counterexample(
            {s.name: v for s, v in given.items()},
            f"ratio {ratio}",
            f"grows without bound as {variable} grows",
        )
        return Evidence(
            claim.id,
            Method.SYMBOLIC,
            Verdict.REFUTED,
            covers,
            shown(ratio),
            "any constant",
            "oo",
            counterexample=example,
        )
    if limit.is_finite:
        return Evidence(
            claim.id,
            Method.SYMBOLIC,
            Verdict.SUPPORTED,
            covers,
            shown(ratio),
            "a constant",
            shown(limit),
            note=f"left/right tends to {limit} as {variable} grows",
        )
    return Evidence(
        claim.id,
        Method.SYMBOLIC,
        Verdict.UNDECIDED,
        covers,
        shown(ratio),
        note=f"no limit found as {variable} grows",
    )


def check_order_sweep(claim: Claim, path: Sequence[Instance], *, covers: str) -> Evidence:
    """left/right at growing instances: a bounded ratio supports the order; growth by GROWTH that
    does not slow down is evidence against it.

    Finitely many instances cannot refute an order, because a larger constant may suffice: the
    verdict is then UNDECIDED, the looseness GROWING, and the note says which constants are
    excluded. `check_order_limit` refutes an order by an exact limit.
    """
    _need_order(claim)
    ratios = [
        evaluate(claim.statement.left, p.values) / evaluate(claim.statement.right, p.values)
        for p in path
    ]
    sizes = [float(r) for r in ratios]
    largest = max(range(len(sizes)), key=sizes.__getitem__)
    note = "ratios along the path: " + ", ".join(f"{r:.4g}" for r in sizes)
    grows = (
        len(sizes) >= 4
        and all(b > a for a, b in zip(sizes[-4:], sizes[-3:], strict=False))
        and sizes[-1] > GROWTH * sizes[0]
    )
    if grows and math.log(sizes[-1] / sizes[-2]) > 0.5 * math.log(sizes[-2] / sizes[-3]):
        shows = (
            f"; no constant below {sizes[-1]:.4g} will do, and the ratio still grows: evidence"
            " against every constant, not a refutation"
        )
        return Evidence(
            claim.id,
            Method.SWEEP,
            Verdict.UNDECIDED,
            covers,
            shown(ratios[-1]),
            "any constant",
            GROWING,
            note + shows,
        )
    bounded = len(sizes) >= 3 and max(sizes[len(sizes) // 2 :]) <= float(FLAT) * max(
        sizes[: len(sizes) // 2 + 1]
    )
    verdict = Verdict.SUPPORTED if bounded else Verdict.UNDECIDED
    return Evidence(
        claim.id,
        Method.SWEEP,
        verdict,
        covers,
        shown(ratios[largest]),
        "a constant",
        shown(ratios[largest]),
        note,
    )


def _need_order(claim: Claim) -> None:
    if not isinstance(claim.statement, Order):
        raise InvalidInput(
            f"claim {claim.id}", "be an Order for a sweep", type(claim.statement).__name__
        )
