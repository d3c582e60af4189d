"""Section 4 and Appendix C: orders along paths that respect Theorem 1's step size."""

from functools import partial

import sympy

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence
from fltheory.core.types import Formula, Symbol
from fltheory.papers.fraboni.paper import SPREAD, STALENESS, K, M, N
from fltheory.papers.fraboni.statements.application_bounds import (
    CYCLE,
    HARDWARE,
    SAMPLED,
    SAMPLED_BOUND,
)

Path = dict[str, Formula]
_ONES = (
    "smoothness hardware_ratio slowest_cycle initial_distance_squared objective_spread"
    " optimum_noise round_optimum_noise round_optimum_noise_squared gradient_bound local_steps"
    " max_staleness"
)
ONES: Path = dict.fromkeys(_ONES.split(), sympy.S.One) | dict.fromkeys(
    ("num_clients", "balance_period"), sympy.S(2)
)
BIG = sympy.S(10) ** 8
"""Rounds enough for the step size of Theorem 1; a square, so that 1/sqrt(KN) stays rational along
the paths."""


def path(variable: Symbol, **growing: Formula) -> tuple[Symbol, Path]:
    """All other symbols 1 or 2, the named ones as given; the variable itself stays free."""
    return variable, {
        name: value for name, value in (ONES | growing).items() if name != variable.name
    }


ROUNDS, STEPS = path(N), path(K, num_rounds=BIG * K**3)
CLIENTS, HARDER = path(M, num_rounds=BIG * M**6), path(HARDWARE, num_rounds=BIG * HARDWARE**20)
CYCLES = path(CYCLE, num_rounds=BIG * CYCLE**20)
APART = path(SPREAD, num_rounds=2 * BIG, local_steps=sympy.S(2))


def along(where: tuple[Symbol, Path], claim: Claim) -> Evidence:
    """The limit of left/right as the variable of a path grows (Section 4)."""
    variable, derived = where
    used = {
        name: value for name, value in derived.items() if name in {s.name for s in claim.symbols}
    }
    grown = ", ".join(
        f"{name} = {value}" for name, value in used.items() if getattr(value, "free_symbols", None)
    )
    return check_order_limit(
        claim,
        derived=used,
        variable=variable,
        covers=f"growing {variable}" + (f" with {grown}" if grown else ""),
    )


def smaller(variable: Symbol, claim: Claim) -> Claim:
    """A falsehood: the right side divided by the variable that grows."""
    return claim.planted(right=claim.statement.right / variable)


def orders(name: str, *paths: tuple[Symbol, Path]) -> tuple[Check, ...]:
    """One check per path; the planted falsehood divides the right side by the variable."""
    return tuple(
        Check(f"fraboni.{name}", partial(along, where), plant=partial(smaller, where[0]))
        for where in paths
    )


def refuting(name: str, where: tuple[Symbol, Path]) -> Check:
    """A check along a path on which the printed order fails."""
    return Check(f"fraboni.{name}", partial(along, where))


CENTRAL = path(K, local_step_size=1 / (144 * K), num_rounds=BIG * K)
CENTRAL_ROUNDS = path(N, local_step_size=1 / sympy.sqrt(N))
ALIKE: Path = {"balance_period": sympy.S.One, "objective_spread": sympy.S.Zero}
FEW = path(N, num_clients=sympy.sqrt(N), **ALIKE)
FEWER = path(N, num_clients=N ** sympy.Rational(1, 4), **ALIKE)
DELAYED = path(STALENESS, num_rounds=STALENESS**4, local_step_size=STALENESS**-3)
SLOW = path(
    STALENESS, num_rounds=STALENESS**3, local_step_size=STALENESS**-2, balance_period=STALENESS
)


def long_run(claim: Claim) -> Evidence:
    """One of two clients per round, start at the optimum, x = eta_l K; a lower bound on the
    limiting gap.

    A round moves by phi >= x - x^2/2, so E theta^2 tends to phi/(2 - phi) >= phi/2, and half of it
    times (1 - x)^2 bounds the gap below.
    """
    grow = sympy.Symbol("grow", positive=True)
    x = 1 / (144 * grow)  # K = grow^2 local steps of size x/K
    derived = {
        "limiting_gap": (x - x**2 / 2) / 4 * (1 - x) ** 2,
        "local_step_size": x / grow**2,
        "local_steps": grow**2,
        "num_clients": sympy.S(2),
        "covariance_factor": sympy.S.Zero,
        **dict.fromkeys(("server_step_size", "optimum_noise", "variance_excess"), sympy.S.One),
    }
    return check_order_limit(
        claim,
        derived=derived,
        variable=grow,
        covers=(
            "one of two clients sampled, K local steps, eta_l K = 1/(144 sqrt(K)); lower bound on"
            " the gap; K grows"
        ),
    )


def long_run_bound(claim: Claim) -> Evidence:
    """The same clients and steps, with the limit of the right side of thm1.best."""
    grow = sympy.Symbol("grow", positive=True)
    derived = {
        "local_step_size": 1 / (144 * grow**3),
        "local_steps": grow**2,
        "num_clients": sympy.S(2),
        "covariance_factor": sympy.S.Zero,
        **dict.fromkeys(("server_step_size", "optimum_noise", "variance_excess"), sympy.S.One),
    }
    values = derived | {"smoothness": sympy.S.One}
    bound = SAMPLED_BOUND.subs({s: values[s.name] for s in SAMPLED_BOUND.free_symbols})
    return check_order_limit(
        claim,
        derived=derived | {"limiting_bound": bound},
        variable=grow,
        covers="one of two clients sampled, K local steps, eta_l K = 1/(144 sqrt(K)); K grows",
    )


def without_steps(claim: Claim) -> Claim:
    """A falsehood: the order without the factor K of beta."""
    return claim.planted(right=SAMPLED)


CHECKS = (
    *orders("eq11", ROUNDS, STEPS, CLIENTS),
    refuting("eq13", STEPS),
    refuting("eq13.heterogeneity", HARDER),
    *orders("eq13.corrected", ROUNDS, STEPS, CLIENTS, HARDER),
    refuting("eq15", STEPS),
    *orders("eq15.corrected", ROUNDS, STEPS, CLIENTS, CYCLES),
    refuting("eq33", CENTRAL),
    *orders("eq33.corrected", CENTRAL, CENTRAL_ROUNDS),
    refuting("eq34", APART),
    *orders("eq34.corrected", APART, ROUNDS, STEPS),
    refuting("lit", FEW),
    *orders("lit.corrected", FEWER),
    refuting("lit.stich", DELAYED),
    *orders("lit.zinkevich", SLOW),
    Check("fraboni.app.unbiased", long_run),
    Check("fraboni.app.unbiased.corrected", long_run_bound, plant=without_steps),
)
