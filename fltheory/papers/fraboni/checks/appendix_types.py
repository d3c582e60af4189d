"""Theorem 2 and Lemma 7 (Appendix B) over data types, and the order that Theorem 2 prints."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.proof import ProofStep
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Formula, Scalar
from fltheory.papers.fraboni.checks.lemmas import KINDS, LARGEST_STEPS, telling
from fltheory.papers.fraboni.checks.path_run import Number
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.runs import run_values, theorem_runs

F = Fraction


def typed_values(
    importance: Sequence[Fraction],
    weights: Sequence[Fraction],
    curvatures: Sequence[Number],
    optima: Sequence[Number],
    x: Number,
) -> dict[str, Scalar]:
    """Quantities of Lemma 7 and Theorem 2 for quadratic types h_j/2 (x - c_j)^2 with importance r
    and round weights s."""
    r, s, h, c = importance, weights, curvatures, optima
    total = sum(s, F(0))
    share = [w / total for w in s]
    here = [j for j, w in enumerate(s) if w]
    best = F(sum(s[j] * h[j] * c[j] for j in here)) / sum(s[j] * h[j] for j in here)
    losses = [h[j] * (F(x) - c[j]) ** 2 / 2 for j in range(len(r))]
    at_best = [h[j] * (best - c[j]) ** 2 / 2 for j in range(len(r))]
    slope = [h[j] * (F(x) - c[j]) for j in range(len(r))]
    apart = [a - b for a, b in zip(r, share, strict=True)]
    return {
        "smoothness": 1,
        "total_weight": total,
        "mismatch": sum(apart[j] ** 2 / share[j] for j in here),
        "squared_global_gradient": sum(a * g for a, g in zip(r, slope, strict=True)) ** 2,
        "squared_gradient_gap": sum(a * g for a, g in zip(apart, slope, strict=True)) ** 2,
        "round_excess": sum(s[j] * (losses[j] - at_best[j]) for j in here),
        "types_at_point": sum(share[j] * losses[j] for j in here),
        "types_at_optimum": sum(share[j] * at_best[j] for j in here),
        "absent_types": sum((r[j] * losses[j] for j in range(len(r)) if j not in here), F(0)),
    }


def types(claim: Claim) -> Evidence:
    """One type of large weight first, then two types over a grid of weights, curvatures and points
    (Lemma 7, Theorem 2)."""

    def instances() -> Iterator[Instance]:
        yield Instance(typed_values([F(1)], [F(10)], [F(1)], [0], 1), "one type of weight 10")
        weights = [s for s in product((F(0), F(1, 2), F(1), F(4)), repeat=2) if any(s)]
        points = tuple(map(F, ("-2", "0", "1/2", "1", "3")))
        for r, s, h, x in product((F(1, 2), F(1, 4), F(1)), weights, (F(1), F(1, 3)), points):
            yield Instance(
                typed_values([r, 1 - r], s, [F(1), h], [0, 1], x),
                f"importance {r}, weights {s[0]}, {s[1]}, curvature {h}, point {x}",
            )

    return check_instances(
        claim,
        telling(claim, instances()),
        method=Method.ENUMERATION,
        covers="one or two quadratic types over a grid of weights, curvatures and points",
    )


@by_instances(Method.EXACT_RUN, f"{LARGEST_STEPS}: {KINDS}")
def gradient_runs() -> Iterator[Instance]:
    """Theorem 2's quantities on every run without chance, noise and empty rounds."""
    return (
        gradient_run(q)
        for q in theorem_runs()
        if not q.is_random and not q.setting.noise and len(q.filled) == q.setting.num_rounds
    )


def gradient_run(q: Quantities) -> Instance:
    """Theorem 2's quantities on a whole run without chance, noise and empty rounds, each client a
    type of its own."""
    s = q.setting
    r, run = [F(1, s.num_clients)] * s.num_clients, q.runs[0][1]
    table = [
        typed_values(r, q.expected_weights[n], s.curvatures, s.optima, run.virtual[n][k][0])
        for n in q.filled
        for k in range(s.local_steps)
    ]

    def mean(value: Callable[[dict[str, Scalar]], Scalar]) -> Scalar:
        return sum((value(row) for row in table), F(0)) / len(table)

    return Instance(
        run_values(q)
        | {
            "mean_step_gradient": mean(lambda row: row["squared_global_gradient"]),
            "unrepresented": mean(lambda row: row["absent_types"]),
            "misrepresentation": mean(lambda row: row["mismatch"] * row["types_at_optimum"]),
            "largest_mismatch": max(row["mismatch"] for row in table),
        },
        f"{s.says}, {s.local_steps} local steps",
    )


_ABSENT = (
    "objective_spread misrepresentation unrepresented round_optimum_noise optimum_noise"
    " variance_excess max_staleness"
)
_ONE = "local_steps server_step_size covariance_factor initial_distance_squared"
LIGHT_CLIENT: dict[str, Formula] = {
    **dict.fromkeys(_ABSENT.split(), sympy.S.Zero),
    **dict.fromkeys(_ONE.split(), sympy.S.One),
}
"""Constants of Theorem 2 for one client without noise that starts at distance 1."""


def light_clients(claim: Claim) -> Evidence:
    """One client of weight w for 4/w rounds of step size 1/144: its gradients hardly shrink while
    the printed order is that of w.

    By Bernoulli's inequality (1 - w/144)^n >= 1 - n w/144, all 8/w factors of the last squared
    gradient leave at least 1 - 8/144.
    """
    grow, count, part = sympy.symbols("grow count part", positive=True)
    bernoulli = ProofStep(
        "(1 - n y)(1 - y) >= 1 - (n + 1) y",
        (1 - count * part) * (1 - part) - (1 - (count + 1) * part),
    )
    least = 1 - (8 * grow) * (1 / (144 * grow)) if bernoulli.holds() else sympy.S.Zero
    derived = LIGHT_CLIENT | {
        "mean_step_gradient": sympy.simplify(least),
        "num_rounds": 4 * grow,
        "local_step_size": sympy.Rational(1, 144),
        "largest_weight": 1 / grow,
    }
    return check_order_limit(
        claim,
        derived=derived,
        variable=grow,
        covers=(
            "one client of weight w = 1/x for 4x rounds; its squared gradients bounded below by"
            " Bernoulli's inequality; x grows"
        ),
    )


def two_types(claim: Claim) -> Evidence:
    """chi^2 = sum_j (r_j - s_j)^2 / s_j of two types (Theorem 2)."""
    r, s = sympy.Symbol("r1", positive=True), sympy.Symbol("s1", positive=True)
    return check_symbolic(
        claim,
        derived={"mismatch": (r - s) ** 2 / s + ((1 - r) - (1 - s)) ** 2 / (1 - s)},
        covers="two types with any weights",
    )


CHECKS = (
    Check("fraboni.lem7", types),
    Check("fraboni.thm2.display", types),
    Check("fraboni.thm2.display.corrected", types),
    Check("fraboni.thm2", light_clients),
    Check("fraboni.thm2.corrected", gradient_runs),
    Check("fraboni.def.chi", two_types),
)
