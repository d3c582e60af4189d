"""Theorem 6.1: exact runs against its bound, its step size and thresholds by algebra, its remark by
substitution."""

from dataclasses import replace

import sympy

from fltheory.claims.checks.bound_on_run import on_scenario
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import check_instances
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Formula
from fltheory.papers.mifa.checks.runs import constant_step, every_round
from fltheory.papers.mifa.checks.tools import check_convex_slack
from fltheory.papers.mifa.paper import CLIENTS, MAX_STALENESS, MEAN_WORST, ROUNDS, SMOOTH, STEPS
from fltheory.papers.mifa.statements.nonconvex import (
    BOUND_OF_THEOREM,
    CURVED,
    EFFORT,
    STEP_SIZE,
    THEOREM_M6_PRINTED_STEP,
)
from fltheory.problems.quadratic import Quadratic

MORE = letter("more", nonnegative=True)


def with_step_size(claim: Claim) -> Evidence:
    """eta = sqrt(N/(K T L (1 + nubar))) substituted (Theorem 6.1)."""
    return check_symbolic(
        claim,
        derived={"local_step_size": STEP_SIZE},
        covers="the theorem's step size, all constants",
    )


def at_horizon(claim: Claim, horizon: Formula, covers: str) -> Evidence:
    """The claim with the step size of Theorem 6.1 where T equals the given threshold."""
    size = STEP_SIZE.subs(ROUNDS, horizon - 1)
    return check_symbolic(claim, derived={"local_step_size": size}, covers=covers)


def second_threshold(claim: Claim) -> Evidence:
    """T >= 16 L N K (Theorem 6.1, second threshold)."""
    horizon = 16 * SMOOTH * CLIENTS * STEPS + MORE
    return at_horizon(claim, horizon, "every T >= 16 L N K and every staleness")


def third_threshold(claim: Claim) -> Evidence:
    """T = 8 K N nu_max^2 (L^2 + rho delta)/L (Theorem 6.1, third threshold)."""
    horizon = 8 * STEPS * CLIENTS * MAX_STALENESS**2 * CURVED / SMOOTH
    return at_horizon(claim, horizon, "T at the third threshold, all constants")


def corrected_gives_printed(claim: Claim) -> Evidence:
    """The right side of mifa.thm6.1.corrected over the printed order stays below 34 as T grows; A4
    is at least 0 (Theorem 6.1)."""
    free = (claim.statement.right.free_symbols | THEOREM_M6_PRINTED_STEP.free_symbols) - {ROUNDS}
    unit: dict[str, Formula] = {s.name: sympy.Integer(1) for s in free} | {
        "local_steps": sympy.Integer(2)
    }
    proved = THEOREM_M6_PRINTED_STEP.xreplace({s: unit[s.name] for s in free if s.name in unit})
    return check_order_limit(
        claim,
        derived=unit | {"min_squared_gradient": proved},
        variable=ROUNDS,
        covers="the right side of mifa.thm6.1.corrected over the printed order, constants 1, K = 2",
    )


def without_noise_and_gap(claim: Claim) -> Claim:
    """A falsehood: the printed order over sqrt(T)."""
    return claim.planted(right=claim.statement.right / sympy.sqrt(ROUNDS + 1))


def peak_of_ratio(claim: Claim) -> Evidence:
    """The quadratic of the proof in y, for the slack is convex in y (Theorem 6.1)."""
    return check_convex_slack(
        claim, EFFORT, sample={}, covers="every y > 0: the slack is convex and touches 0 at y = 1/2"
    )


def theorem_gives_remark(claim: Claim) -> Evidence:
    """The bound of Theorem 6.1 at nu_i = 0 (Remark 6.1)."""
    bound = BOUND_OF_THEOREM.subs({MEAN_WORST: 0, MAX_STALENESS: 0})
    return check_symbolic(
        claim,
        derived={"bound_of_theorem": bound},
        covers="nu_i = 0 substituted into Theorem 6.1, all constants",
    )


def leading_rate(claim: Claim) -> Evidence:
    """The limit of sqrt(T) times the bound of Theorem 6.1 (Section 1)."""
    root = letter("root_of_iterates", positive=True)
    scaled = sympy.expand(
        sympy.powdenest(root * BOUND_OF_THEOREM.subs(ROUNDS, root**2 - 1), force=True)
    )
    return check_symbolic(
        claim,
        derived={"leading_term": sympy.limit(scaled, root, sympy.oo)},
        covers="limit of sqrt(T) times the bound of Theorem 6.1, all constants",
    )


def everybody_active(claim: Claim) -> Evidence:
    """One device that is always active: noise and a start away from the optimum leave a gradient,
    and with nubar = 0 the rate printed in the related work is 0, whatever its constant."""
    run = constant_step(Quadratic((1,), (0,), noise_squared=1), every_round(15), slope=1, start=2)
    instance = on_scenario(
        claim, replace(run, parameters={"constant": 10**9}), says="one device, always active"
    )
    return check_instances(
        claim,
        [instance],
        method=Method.EXACT_RUN,
        covers="one device that is always active, hidden constant 10^9",
    )


CHECKS = (
    Check(
        "mifa.thm6.1",
        corrected_gives_printed,
        plant=without_noise_and_gap,
        rests_on=("mifa.thm6.1.corrected",),
    ),
    Check("mifa.thm6.1.balance", with_step_size, everything="an identity in all its symbols"),
    Check("mifa.thm6.1.noise", with_step_size, everything="an identity in all its symbols"),
    Check("mifa.thm6.1.drift", with_step_size, everything="an identity in all its symbols"),
    Check("mifa.thm6.1.threshold", second_threshold, everything="an inequality in all its symbols"),
    Check(
        "mifa.thm6.1.stale_threshold", third_threshold, everything="an identity in all its symbols"
    ),
    Check(
        "mifa.thm6.1.quadratic",
        peak_of_ratio,
        everything="an inequality for every y > 0, by convexity",
    ),
    Check("mifa.rem6.1", theorem_gives_remark, everything="an identity in all its symbols"),
    Check("mifa.intro.nonconvex", leading_rate, everything="an identity in all its symbols"),
    Check("mifa.related.rate", everybody_active),
)
