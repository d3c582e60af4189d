"""Corollary 2 and Remark 4: Theorem 3 at the corollary's step sizes, and AFA-CD beside FedAvg."""

from collections.abc import Iterator

import sympy

from fltheory.algorithms.anarchic import AfaCrossDevice
from fltheory.algorithms.fedavg import FedAvg
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence
from fltheory.core.types import Values
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.engine.simulate import simulate
from fltheory.papers.afl.checks.orders import corollary_orders, faster, substituted
from fltheory.papers.afl.paper import (
    LOCAL,
    PER_ROUND,
    SERVER,
    M,
    T,
)
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace


def several_clients(expression: sympy.Expr) -> sympy.Expr:
    """rho without its special case M = 1."""
    return expression.xreplace({sympy.Max(M - 1, 1): M - 1})


def formula(claim: Claim) -> Evidence:
    """Eq. (3) at eta_L = 1/sqrt(T), eta = sqrt(m)."""
    return check_symbolic(
        claim,
        derived={"theorem_bound": several_clients(substituted("afl.thm3"))},
        covers="substitution, M > 1",
    )


def leading(claim: Claim) -> Evidence:
    """Remark 4: the limit of sqrt(mT) times the bound of Theorem 3* as T grows."""
    scaled = sympy.expand(
        several_clients(substituted("afl.thm3star")) * sympy.sqrt(PER_ROUND) * sympy.sqrt(T)
    )
    return check_symbolic(
        claim,
        derived={"leading_constant": sympy.limit(scaled, T, sympy.oo)},
        covers="limit T to infinity, M > 1, all parameters",
    )


def against_fedavg(claim: Claim) -> Evidence:
    """Remark 4: synchronous AFA-CD with server step size K eta against FedAvg with eta."""

    def cases() -> Iterator[Values]:
        first, second, start = sympy.symbols("first_optimum second_optimum start", real=True)
        problem = Quadratic((1, 3), (first, second))
        for taken in (1, 2, 3):
            models = (
                simulate(
                    method,
                    problem,
                    Trace.fresh([[1, 1], [1, 0]], local_steps=taken),
                    start=start,
                    local_step_size=LOCAL,
                    server_step_size=size,
                    arithmetic=SYMBOLIC,
                ).models[2, 0]
                for method, size in ((AfaCrossDevice(), taken * SERVER), (FedAvg(), SERVER))
            )
            yield dict(zip(("afa_model", "fedavg_model"), models, strict=True))

    return check_symbolic_cases(
        claim,
        cases(),
        covers="symbolic runs of two rounds, two workers, K = 1, 2, 3, all step sizes and optima",
    )


CHECKS = (
    *(Check("afl.cor2", decide, plant=faster) for decide in corollary_orders("afl.thm3star")),
    Check(
        "afl.cor2.substituted",
        formula,
        everything="an identity in all its symbols, for M > 1, where its right side is defined",
    ),
    Check("afl.rem4", leading, everything="the limit of a formula, for all values of its symbols"),
    Check("afl.rem4.fedavg", against_fedavg),
)
