"""Appendix A.5: the conditions on the learning rate."""

from collections.abc import Iterator
from fractions import Fraction

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Formula, Scalar
from fltheory.papers.fraboni.checks.sampling import Scheme, uniform
from fltheory.papers.fraboni.paper import ALPHA, STALENESS, L
from fltheory.traces.weights import asynchronous_weights

F = Fraction


def condition(claim: Claim) -> Evidence:
    """A.5 at the largest step sizes of Theorem 1, with K = 1 + k and rho = 1 + r; alpha and beta
    only enlarge the left side, so both are 1."""
    k, r = sympy.Symbol("k", nonnegative=True), sympy.Symbol("r", nonnegative=True)
    worst = {"covariance_factor": sympy.S.One, "variance_excess": sympy.S.One}
    return _at_limit(
        claim,
        worst | {"local_steps": 1 + k, "largest_total_weight": 1 + r},
        "all K, tau and rho >= 1 with alpha = beta = 1, the worst case, at the largest step sizes"
        " of Theorem 1",
    )


def wide_condition(claim: Claim) -> Evidence:
    """The same for 2 alpha + beta = 12 rho, the largest value allowed; smaller ones only help."""
    k, r = sympy.Symbol("k", nonnegative=True), sympy.Symbol("r", nonnegative=True)
    beta = 12 * (1 + r) - 2 * ALPHA
    return _at_limit(
        claim,
        {"local_steps": 1 + k, "largest_total_weight": 1 + r, "variance_excess": beta},
        "all K, tau and rho >= 1 with 2 alpha + beta = 12 rho, at the largest step sizes of"
        " Theorem 1",
    )


def _at_limit(claim: Claim, more: dict[str, Formula], covers: str) -> Evidence:
    steps, total = more["local_steps"], more["largest_total_weight"]
    step = 1 / (144 * steps * L * total**2 * (STALENESS + 1))
    return check_symbolic(
        claim,
        derived=more | {"local_step_size": 1 / (48 * steps * L), "effective_step_size": step},
        covers=covers,
    )


def condition_values(
    scheme: Scheme, *, local_steps: int, smoothness: Fraction
) -> dict[str, Scalar]:
    """A.5 for a sampling scheme without delay, at the largest step size of Theorem 1."""
    total = max(F(1), sum(scheme.moment(i) for i in scheme.clients))
    step = 1 / (48 * local_steps * smoothness) * min(F(1), 1 / (3 * total**2))
    return {
        "local_steps": local_steps,
        "smoothness": smoothness,
        "max_staleness": 0,
        "largest_total_weight": total,
        "covariance_factor": scheme.covariance_factor,
        "variance_excess": scheme.variance_excess,
        "local_step_size": step,
        "effective_step_size": step,
    }


@by_instances(Method.ENUMERATION, "an unbiased sampling scheme")
def one_of_twenty() -> Iterator[Instance]:
    """Uniform sampling of one of twenty clients, one of them with importance 0.99 (A.5)."""
    scheme = uniform(20, 1, (F(99, 100), *(F(1, 1900),) * 19))
    yield Instance(condition_values(scheme, local_steps=1, smoothness=F(1)), scheme.says)


@by_instances(Method.EXACT_RUN, "asynchronous FedAvg with the weights of eq. (12)")
def excesses() -> Iterator[Instance]:
    """beta = max d_i of asynchronous FedAvg with time-based weights (A.5)."""
    for times in ((1, 1), (1, 5), (1, 2)):
        largest = max(asynchronous_weights(times))
        yield Instance({"variance_excess": largest}, f"update times {times}")


LARGEST = (
    "both step sizes, alpha and beta enter with positive signs; at their largest values proved"
    " for all K, tau and rho"
)

CHECKS = (
    *(Check(f"fraboni.lr.c{i}", condition, everything=LARGEST) for i in range(1, 7)),
    Check("fraboni.lr", one_of_twenty),
    Check("fraboni.lr.corrected", wide_condition, everything=LARGEST),
    Check("fraboni.lr.beta", excesses),
)
