"""Theorem 5.1 solved: sums by algebra, products and noise by induction and exact runs."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.proof import ProofStep, check_proof
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.types import Formula
from fltheory.engine.noise import every_sign
from fltheory.engine.simulate import simulate
from fltheory.papers.mifa.checks.runs import (
    average_weights,
    decreasing_steps,
    every_round,
    periodic,
)
from fltheory.papers.mifa.checks.tools import known
from fltheory.papers.mifa.paper import CLIENTS, CONVEX, NOISE, ROUNDS
from fltheory.papers.mifa.statements.closed_forms import NOISE_ROUND, WEIGHT_TOTAL, A, T
from fltheory.problems.quadratic import Quadratic

TIME = sympy.Symbol("t", integer=True, positive=True)


def weight(time: Formula) -> Formula:
    """(t + a - 1)(t + a - 2)."""
    return (time + A - 1) * (time + A - 2)


def weights_sum(claim: Claim) -> Evidence:
    """W_T = sum over t = 1..T of (t + a - 1)(t + a - 2), by summing a polynomial (Theorem 5.1)."""
    total = sympy.summation(sympy.expand(weight(TIME)), (TIME, 1, T))
    return check_symbolic(
        claim, derived={"weight_total": total}, covers="every a and T, by summing a polynomial"
    )


def shrinkage_by_induction(claim: Claim) -> Evidence:
    """w_t is a product, and W_T times the claim's right side must grow by the next weight times the
    next model."""
    model = A * (A - 1) * (A - 2) * (A - 3) / (weight(TIME) * (TIME + A - 3) * (TIME + A - 4))
    total = (WEIGHT_TOTAL * claim.statement.right).subs(ROUNDS, TIME - 1)
    following = TIME + 1
    steps = (
        model.subs(TIME, 1) - 1,
        model.subs(TIME, following) - model * (1 - 4 / (TIME + A)),
        total.subs(TIME, 1) - weight(sympy.S.One),
        total.subs(TIME, following) - total - weight(following) * model.subs(TIME, following),
    )
    covers = "every a and T, by induction over T; and exact runs"
    runs = check_instances(claim, shrinking_runs(), method=Method.SYMBOLIC, covers=covers)
    if runs.verdict is Verdict.SUPPORTED and all(sympy.simplify(step) == 0 for step in steps):
        return Evidence(
            claim.id,
            Method.SYMBOLIC,
            Verdict.PROVED,
            covers,
            runs.left,
            runs.right,
            note="for all values of the symbols",
        )
    return runs


def shrinking_runs() -> Iterator[Instance]:
    """(wbar_T - w*)/(w_1 - w*) of exact runs without noise, a = 100 (Theorem 5.1)."""
    for num_rounds in (1, 2, 9, 40):
        scenario = decreasing_steps(Quadratic((1,), (0,)), every_round(num_rounds), initial_gap=1)
        models = simulate(
            scenario.method,
            scenario.problem,
            scenario.trace,
            start=1,
            local_step_size=scenario.local_schedule,
        ).models[:, 0]
        weights = average_weights(Fraction(100), num_rounds)
        average = sum(w * x for w, x in zip(weights, models, strict=True)) / sum(weights)
        yield Instance(
            {"step_offset": 100, "num_rounds": num_rounds, "averaged_model": average},
            f"{num_rounds} rounds",
        )


def noise_of_runs(claim: Claim) -> Evidence:
    """E f(wbar_T) - f* of exact runs from the optimum, which noise alone makes (Theorem 5.1)."""

    def instances() -> Iterator[Instance]:
        for clients, num_rounds, convexity, gap in (
            (1, 1, 1, 1),
            (1, 2, 1, 1),
            (2, 3, 1, 3),
            (1, 5, 2, 1),
            (2, 6, 3, 4),
            (1, 9, 1, 1),
        ):
            problem = Quadratic((convexity,) * clients, (0,) * clients, noise_squared=4)
            scenario = decreasing_steps(
                problem, every_round(num_rounds, clients), initial_gap=gap, start=0
            )
            yield Instance(
                measure(scenario, [s.name for s in claim.symbols]),
                f"{clients} devices, {num_rounds} rounds, mu = {convexity}, a ="
                f" {scenario.parameters['step_offset']}",
            )

    return check_instances(
        claim,
        instances(),
        method=Method.EXACT_RUN,
        covers="exact expectations of six runs with one and two devices",
    )


def noise_for_all_rounds(claim: Claim) -> Evidence:
    """Noise of round s moves w_t by 4/(mu (s + a)) times keep(s, t) = prod (1 - 4/(r + a)); the
    weighted sum of these telescopes."""
    s = NOISE_ROUND
    rising = (s + A) * (s + A - 1) * (s + A - 2) * (s + A - 3)

    def keep(t: Formula) -> Formula:
        return rising / ((t + A - 1) * (t + A - 2) * (t + A - 3) * (t + A - 4))

    def total(t: Formula) -> Formula:
        """Sum over s < r <= t of weight(r) keep(r)."""
        return rising * (t - s) / ((s + A - 3) * (t + A - 3))

    moved = 4 / (CONVEX * (s + A)) * total(T) / WEIGHT_TOTAL
    gap = CONVEX / 2 * NOISE**2 / CLIENTS * sympy.Sum(moved**2, (s, 1, ROUNDS))
    steps = [
        ProofStep("keep(s, s + 1) = 1", keep(s + 1) - 1, equal=True),
        ProofStep(
            "keep(s, t + 1) = keep(s, t) (1 - 4/(t + a))",
            keep(TIME + 1) - keep(TIME) * (1 - 4 / (TIME + A)),
            equal=True,
        ),
        ProofStep("the sum is empty at t = s", total(s), equal=True),
        ProofStep(
            "the sum grows by the next weight",
            total(TIME + 1) - total(TIME) - weight(TIME + 1) * keep(TIME + 1),
            equal=True,
        ),
        ProofStep(
            "summands are those of the claim",
            _summand(gap) - _summand(claim.statement.right),
            equal=True,
        ),
    ]
    return check_proof(
        claim,
        steps,
        runs=noise_of_runs(claim),
        covers="every a, T, N, mu and sigma, by induction over the rounds; and six exact runs",
    )


def _summand(expression: Formula) -> Formula:
    """What is added up over the rounds s = 1..T-1, its factors included; not a number if the
    expression is no such sum."""
    sums = list(expression.atoms(sympy.Sum))
    if (
        len(sums) != 1
        or tuple(sums[0].limits[0]) != (NOISE_ROUND, 1, ROUNDS)
        or sympy.expand(expression.subs(sums[0], 0)) != 0
    ):
        return sympy.nan
    return expression.subs(sums[0], sums[0].function)


def mean_over_signs(scenario: Scenario) -> Fraction:
    """Gap of the averaged model over all outcomes of +-sigma noise, one run for each."""
    problem, offset = scenario.problem, scenario.parameters["step_offset"]
    run = simulate(
        scenario.method,
        problem,
        scenario.trace,
        start=scenario.start,
        local_step_size=scenario.local_schedule,
        noise=every_sign(scenario.trace, scale=int(problem.noise_squared**0.5)),
    )
    weights = np.array(average_weights(offset, scenario.trace.num_rounds), dtype=object)
    averages = np.einsum("t,btc->bc", weights / weights.sum(), run.models)[:, 0]
    curvature = sum(h for (h,) in problem.curvatures) / problem.num_clients
    (optimum,) = known(problem.constants.optimum)
    return curvature / 2 * sum((x - optimum) ** 2 for x in averages) / len(averages)


@by_instances(Method.ENUMERATION, "all outcomes of +-2 noise in four runs of two devices")
def expectations_agree() -> Iterator[Instance]:
    """E f(wbar_T) - f* from single responses, and as the mean over all signs of the noise
    (Theorem 5.1)."""
    pair = Quadratic((1, 4), (1, -1), noise_squared=4)
    for pattern, steps in (
        (every_round(2, 2), 1),
        (periodic(4, [1, 2]), 1),
        (periodic(2, [1, 2]), 2),
        (periodic(5, [2, 5]), 1),
    ):
        scenario = decreasing_steps(pair, pattern, initial_gap=4, local_steps=steps)
        yield Instance(
            measure(scenario, ["weighted_loss_gap"])
            | {"mean_over_signs": mean_over_signs(scenario)},
            f"{pattern}, K = {steps}",
        )


CHECKS = (
    Check("mifa.thm5.1.W", weights_sum, everything="an identity in all its symbols"),
    Check(
        "mifa.thm5.1.det",
        shrinkage_by_induction,
        everything="an induction over all rounds, for every offset",
    ),
    Check(
        "mifa.thm5.1.noise",
        noise_for_all_rounds,
        everything="an induction over all rounds, for every offset, N, mu and sigma",
    ),
    Check("mifa.thm5.1.exact", expectations_agree),
)
