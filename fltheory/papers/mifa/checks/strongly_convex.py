"""Theorem 5.1: refuted as printed, supported as corrected; its corollaries by substitution."""

from collections.abc import Iterator
from dataclasses import replace

import sympy

from fltheory.algorithms.mifa import Mifa, MifaState
from fltheory.claims.checks.bound_on_run import check_on_runs, on_scenario
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import check_instances
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Formula
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.papers.mifa.checks.algorithms import MODEL, column, one_round
from fltheory.papers.mifa.checks.runs import (
    decreasing_steps,
    every_round,
    searched_runs,
)
from fltheory.papers.mifa.paper import (
    INITIAL_GAP,
    ITERATES,
    MAX_STALENESS,
    MEAN_STALENESS,
    ROUNDS,
    STEPS,
)
from fltheory.papers.mifa.statements.best import THEOREM_M5_TERMS
from fltheory.papers.mifa.statements.strongly_convex import FIRST_TERM, SECOND_TERM
from fltheory.problems.quadratic import Quadratic

GROWING = letter("x", positive=True)
EXTRA_STEPS = letter("extra_steps", nonnegative=True)


def terms_give_printed(claim: Claim) -> Evidence:
    """The right side of mifa.thm5.1.terms over the printed order stays below 1800 as T grows."""
    free = (claim.statement.right.free_symbols | THEOREM_M5_TERMS.free_symbols) - {ROUNDS}
    unit: dict[str, Formula] = {s.name: sympy.Integer(1) for s in free} | {
        "local_steps": sympy.Integer(2)
    }
    proved = THEOREM_M5_TERMS.xreplace({s: unit[s.name] for s in free})
    return check_order_limit(
        claim,
        derived=unit | {"weighted_loss_gap": proved},
        variable=ROUNDS,
        covers="the right side of mifa.thm5.1.terms over the printed order, constants 1, K = 2",
    )


def without_noise(claim: Claim) -> Claim:
    """A falsehood: the printed order over T."""
    return claim.planted(right=claim.statement.right / (ROUNDS + 1))


def tiny_initial_gap(claim: Claim) -> Evidence:
    """t0 = 10^-6 against a constant of 10^9."""
    scenario = decreasing_steps(Quadratic((1,), (0,)), every_round(1), initial_gap="1/1000000")
    instance = on_scenario(
        claim,
        replace(scenario, parameters={**scenario.parameters, "constant": 10**9}),
        says="always active",
    )
    return check_instances(
        claim,
        [instance],
        method=Method.EXACT_RUN,
        covers="one exact device, one round, t0 = 10^-6, hidden constant 10^9",
    )


def bound_on_many_runs(claim: Claim) -> Evidence:
    """E f(wbar_T) - f* on drawn problems and availabilities (Theorem 5.1)."""
    return check_on_runs(
        claim,
        searched_runs(80),
        covers=(
            "80 exact expectations with drawn curvatures (condition numbers 1, 4, 9), minimisers,"
            " noise, availability, local steps and starts: up to three devices and twelve rounds"
        ),
    )


def early_steps_are_short(claim: Claim) -> Evidence:
    """eta_t <= 4/(mu K (1 + a)), written in L = mu (1 + z)^2 (Theorem 5.1)."""
    convexity, excess, more = (
        sympy.Symbol("strong_convexity", positive=True),
        letter("excess", nonnegative=True),
        letter("more", nonnegative=True),
    )
    root = 1 + excess
    return check_symbolic(
        claim,
        derived={
            "smoothness": convexity * root**2,
            "strong_convexity": convexity,
            "step_offset": 100 * root**3 + more,
        },
        covers="every L = mu (1 + z)^2 and every a >= 100 (L/mu)^1.5",
    )


def local_drift_is_not_dominated(claim: Claim) -> Evidence:
    """All problem constants 1, everybody active, two local steps, N = x^2, t0 = 1/x: the condition
    asks for T = 2 only."""
    unit = dict.fromkeys(
        (
            "strong_convexity",
            "smoothness",
            "gradient_noise",
            "dissimilarity_at_optimum",
            "initial_distance",
        ),
        sympy.Integer(1),
    )
    derived = unit | {
        "mean_staleness": sympy.Integer(0),
        "max_staleness": sympy.Integer(0),
        "local_steps": sympy.Integer(2),
        "num_clients": GROWING**2,
        "initial_gap": 1 / GROWING,
        "num_rounds": sympy.Integer(1),
    }
    return check_order_limit(
        claim,
        derived=derived,
        variable=GROWING,
        covers=(
            "T = N K (tau_max^2 + t0^2)/(taubar + 1) with K = 2, N = x^2, "
            "t0 = 1/x, tau = 0 and all problem constants 1"
        ),
    )


def terms_are_equal(claim: Claim) -> Evidence:
    """The T at which the two terms of Theorem 5.1 are equal."""
    (rounds,) = sympy.solve(sympy.simplify((FIRST_TERM - SECOND_TERM) * ITERATES**2), ROUNDS)
    return check_symbolic(
        claim,
        derived={"turning_point": rounds + 1},
        covers="all values of the constants, by solving for T",
    )


def theorem_gives_remark(claim: Claim) -> Evidence:
    """tau = 0 and t0 = 1 in the right side of Theorem 5.1, K = 1 + k."""
    bound = (
        (FIRST_TERM + SECOND_TERM)
        .subs({MEAN_STALENESS: 0, MAX_STALENESS: 0, INITIAL_GAP: 1})
        .subs(STEPS, 1 + EXTRA_STEPS)
    )
    return check_symbolic(
        claim,
        derived={"bound_of_theorem": bound, "local_steps": 1 + EXTRA_STEPS},
        covers="tau = 0 and t0 = 1 substituted into Theorem 5.1, all constants and K = 1 + k",
    )


def exponential_start(claim: Claim) -> Evidence:
    """No noise, equal clients: only the initial errors remain."""
    derived = {s.name: sympy.Integer(1) for s in claim.symbols if s is not ROUNDS}
    derived |= {"gradient_noise": sympy.Integer(0), "dissimilarity_at_optimum": sympy.Integer(0)}
    return check_order_limit(
        claim,
        derived=derived,
        variable=ROUNDS,
        covers="no noise, no dissimilarity, other constants 1",
    )


def silent_device(claim: Claim) -> Evidence:
    """The error of the mean update in the first round when one device is silent (Remark 5.2)."""

    def cases() -> Iterator[dict[str, Formula]]:
        for clients in range(1, 5):
            fresh, zeros = column("fresh", clients), SYMBOLIC.zeros((clients, 1))
            state = MifaState(SYMBOLIC.rows([[MODEL]]), zeros)
            updates = [
                Mifa().step(state, fresh, one_round((here, *[1] * (clients - 1)))).updates.sum()
                / clients
                for here in (0, 1)
            ]
            yield {
                "update_error": updates[0] - updates[1],
                "missing_update": fresh[0, 0],
                "num_clients": sympy.Integer(clients),
            }

    return check_symbolic_cases(
        claim,
        cases(),
        covers="the first round with one device silent out of one to four, any updates",
    )


def leading_rate(claim: Claim) -> Evidence:
    """The limit of T times the bound of Theorem 5.1 (Section 1)."""
    limit = sympy.limit(sympy.simplify(ITERATES * (FIRST_TERM + SECOND_TERM)), ROUNDS, sympy.oo)
    return check_symbolic(
        claim,
        derived={"leading_term": limit / ITERATES},
        covers="limit of T times the bound of Theorem 5.1, all constants",
    )


CHECKS = (
    Check(
        "mifa.thm5.1",
        terms_give_printed,
        plant=without_noise,
        rests_on=("mifa.thm5.1.terms",),
    ),
    Check("mifa.thm5.1.constant", tiny_initial_gap),
    Check("mifa.thm5.1.terms", bound_on_many_runs, slow=True),
    Check("mifa.thm5.1.eval", early_steps_are_short, everything="an inequality in all its symbols"),
    Check("mifa.thm5.1.dominance", local_drift_is_not_dominated),
    Check(
        "mifa.thm5.1.dominance.corrected",
        terms_are_equal,
        everything="an identity in all its symbols",
    ),
    Check(
        "mifa.rem5.1",
        theorem_gives_remark,
        everything="an inequality between two formulas, in all their symbols",
    ),
    Check("mifa.rem5.1.match", exponential_start),
    Check("mifa.rem5.2", silent_device),
    Check("mifa.intro.rates", leading_rate, everything="an identity in all its symbols"),
)
