"""The identity behind MIFA's potential by algebra, its period by induction and exact runs, and a
potential of the distance for every staleness by the signs of coefficients."""

from collections.abc import Iterator
from fractions import Fraction

import sympy

from fltheory.algorithms.mifa import Mifa
from fltheory.analysis.potentials.closed_form import (
    AGE,
    ETA,
    MU,
    TAU,
    PotentialFormulas,
    conditions,
)
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.proof import ProofStep, check_proof
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scenario import Scenario
from fltheory.engine.simulate import simulate
from fltheory.papers.mifa.checks.best import on_runs
from fltheory.papers.mifa.paper import MAX_STALENESS, SMOOTH
from fltheory.papers.mifa.statements.potentials import AWAY, ELAPSED, MIXED, MOVED, STEP
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace


def taken_in_a_round(claim: Claim) -> Evidence:
    """The definition, with |d + m|^2 expanded."""
    taken = MOVED / STEP + AWAY / ELAPSED - (AWAY + 2 * MIXED + MOVED) / (ELAPSED + STEP)
    return check_symbolic(
        claim,
        derived={"taken_in_a_round": taken},
        covers="all step sizes and vectors, by their inner products",
    )


def period_by_induction(claim: Claim) -> Evidence:
    """The remembered gradient is L w_s in each round of a period: after j rounds the model is (1 -
    j eta L) w_s."""
    rounds = sympy.Symbol("j", integer=True, nonnegative=True)
    model = 1 - rounds * STEP * SMOOTH
    steps = (
        ProofStep("before the period", model.subs(rounds, 0) - 1, equal=True),
        ProofStep(
            "one round more", model.subs(rounds, rounds + 1) - (model - STEP * SMOOTH), equal=True
        ),
        ProofStep(
            "after tau_max + 1 rounds",
            model.subs(rounds, MAX_STALENESS + 1) - claim.statement.right,
            equal=True,
        ),
    )
    covers = "every tau_max, step size and L, by induction over the rounds; and exact runs"
    runs = check_instances(claim, periods(), method=Method.SYMBOLIC, covers=covers)
    return check_proof(claim, steps, runs=runs, covers=covers)


CLOSED_FORM = PotentialFormulas(
    square=(2 * TAU + 1) / (2 * AGE),
    mixed=2 * AGE,
    gradient=AGE * (TAU + 1 + AGE) / (2 * (TAU + 1)),
    common=(TAU + 1) * ETA,
    multiplier=MU / (1 + MU),
    theta=Fraction(1),
    reach=Fraction(1),
    largest_mu=Fraction(1, 10),
)
"""V_a = |x|^2 + (2 tau + 1)/(2a) |d|^2 + 2 a eta <d, g> + a (tau + 1 + a)/(2 (tau + 1)) eta |g|^2,
x counted from the optimum, d = x - x_s and g the gradient of the tilted loss at x_s, L = 1."""


def distance_by_closed_form(claim: Claim) -> Evidence:
    """V_{t+1} <= (1 - eta mu) V_t in the mean over the clients; V >= |x|^2, with equality at the
    start."""
    covers = (
        "every staleness, number of clients and dimension, all losses and all traces of the claim,"
        " by one potential in formulas; and exact runs"
    )
    runs = on_runs(claim, distance_runs, covers)
    return check_proof(claim, conditions(CLOSED_FORM), runs=runs, covers=covers)


def distance_runs() -> Iterator[Scenario]:
    """The largest step size and a small one, everybody together or late by turns."""
    for staleness in (0, 1, 2, 5):
        for rows in (
            [[1, 1]] + [[0, 0]] * staleness + [[1, 1]],
            [[1, 1]]
            + [[int(t % (staleness + 1) == i * staleness) for i in (0, 1)] for t in range(9)],
        ):
            for part in (1, Fraction(1, 8)):
                yield Scenario(
                    "mifa",
                    Quadratic(curvatures=(Fraction(1, 10), 1), optima=(-1, 2)),
                    Trace.fresh(rows),
                    start=3,
                    local_step_size=Fraction(part, staleness + 1),
                )


def periods() -> Iterator[Instance]:
    """One period of MIFA's own code, with two clients."""
    for staleness in range(6):
        for step, smoothness in (("1/4", 1), ("2/3", 2)):
            trace = Trace.fresh([[1, 1]] + [[0, 0]] * staleness)
            problem = Quadratic(curvatures=(smoothness,) * 2, optima=(0, 0))
            run = simulate(Mifa(), problem, trace, start=1, local_step_size=step)
            yield Instance(
                {
                    "period_factor": run.last[0],
                    "max_staleness": staleness,
                    "local_step_size": step,
                    "smoothness": smoothness,
                },
                f"{staleness} silent rounds, step size {step}, L = {smoothness}",
            )


CHECKS = (
    Check(
        "mifa.potential.distance",
        distance_by_closed_form,
        everything=(
            "the potential of one generic client falls on each of its moves, for all ages and all"
            " tau_max, as the signs of all coefficients show; the mean over the clients is the"
            " theorem"
        ),
    ),
    Check("mifa.potential.identity", taken_in_a_round, everything="an identity in all its symbols"),
    Check(
        "mifa.potential.period",
        period_by_induction,
        everything="an induction over the rounds of a period, for every tau_max, eta and L",
    ),
)
