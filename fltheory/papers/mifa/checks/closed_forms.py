"""Theorem 5.1 solved: sums by algebra, products by induction, noise by exact runs, the asymptote by
integrals and usage counts."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np
import sympy

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.proof import ProofStep, check_proof
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.engine.noise import every_sign
from fltheory.engine.simulate import simulate
from fltheory.papers.mifa.checks.runs import decreasing_steps, every_round, periodic
from fltheory.papers.mifa.paper import CLIENTS, CONVEX, NOISE, ROUNDS
from fltheory.papers.mifa.statements.closed_forms import (
    NOISE_GAP,
    NOISE_ROUND,
    WEIGHT_TOTAL,
    A,
    T,
    X,
)
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import mean_staleness, usages

TIME = sympy.Symbol("t", integer=True, positive=True)


def weight(time: sympy.Expr) -> sympy.Expr:
    """(t + a - 1)(t + a - 2)."""
    return (time + A - 1) * (time + A - 2)


def weights_sum(claim: Claim) -> Evidence:
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
    for num_rounds in (1, 2, 9, 40):
        scenario = decreasing_steps(Quadratic((1,), (0,)), every_round(num_rounds), initial_gap=1)
        models = simulate(
            scenario.method,
            scenario.problem,
            scenario.trace,
            start=1,
            local_step_size=scenario.local_schedule,
        ).models[:, 0]
        weights = [Fraction((t + 100) * (t + 99)) for t in range(num_rounds + 1)]
        average = sum(w * x for w, x in zip(weights, models, strict=True)) / sum(weights)
        yield Instance(
            {"step_offset": 100, "num_rounds": num_rounds, "averaged_model": average},
            f"{num_rounds} rounds",
        )


def noise_of_runs(claim: Claim) -> Evidence:
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
            values = measure(scenario, [s.name for s in claim.symbols])
            yield Instance(
                values,
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

    def keep(t: sympy.Expr) -> sympy.Expr:
        return rising / ((t + A - 1) * (t + A - 2) * (t + A - 3) * (t + A - 4))

    def total(t: sympy.Expr) -> sympy.Expr:
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


def _summand(expression: sympy.Expr) -> sympy.Expr:
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


def asymptotes() -> Iterator[Instance]:
    """Noise at time u T moves the average by a power of u; an update used g times moves it g times
    as much (bounded gaps, T growing)."""
    point = sympy.Symbol("u", positive=True)
    for curvature, periods in (
        (1, [1]),
        (1, [2]),
        (2, [1, 3]),
        (5, [1, 2, 4]),
        (Fraction(3, 2), [5, 2]),
    ):
        trace = Trace.fresh(periodic(60, periods))
        factor = Fraction(int((usages(trace) ** 2).sum()), trace.num_clients * trace.num_rounds)
        power = sympy.Rational(4) * sympy.Rational(str(curvature))
        # weights 3 v^2 dv on models that keep (u/v)^c of noise drawn at u with step 4/(mu u)
        response = sympy.simplify(
            sympy.integrate(sympy.expand(3 * point**power * TIME ** (2 - power)), (TIME, point, 1))
        )
        spread = sympy.integrate(sympy.expand((4 * response / point) ** 2), (point, 0, 1))
        value = (
            sympy.Rational(str(curvature))
            / 2
            * spread
            * sympy.Rational(factor.numerator, factor.denominator)
        )
        yield Instance(
            {
                "scaled_gap": value / len(periods),
                "curvature": curvature,
                "strong_convexity": 1,
                "gradient_noise": 1,
                "local_steps": 1,
                "num_clients": len(periods),
                "mean_staleness": mean_staleness(trace),
            },
            f"curvature {curvature}, periods {periods}",
        )


def asymptote(claim: Claim) -> Evidence:
    return check_instances(
        claim,
        asymptotes(),
        method=Method.SYMBOLIC,
        covers=(
            "five curvatures and periodic availabilities: exact integrals over the scaled rounds,"
            " exact usage counts; that the limit may be taken under the sum is not machine-checked"
        ),
    )


def limit_of_noise(claim: Claim) -> Evidence:
    """24/35: T times the exact noise formula, its sum written out, as T grows."""
    unit = {CONVEX: 1, CLIENTS: 1, NOISE: 1}
    value = sympy.limit(sympy.cancel((T * summed_noise()).subs(unit)), ROUNDS, sympy.oo)
    values = {
        "scaled_gap": value,
        "curvature": 1,
        "strong_convexity": 1,
        "gradient_noise": 1,
        "local_steps": 1,
        "num_clients": 1,
        "mean_staleness": 0,
    }
    return check_instances(
        claim,
        [Instance(values, "curvature mu, everybody active")],
        method=Method.SYMBOLIC,
        covers="curvature mu and everybody active: exact limit of the closed form, for every a",
    )


@cache
def summed_noise() -> sympy.Expr:
    """The noise formula as a rational function of T and a: powers are summed by Bernoulli
    polynomials."""
    term = sympy.Poly(
        ((NOISE_ROUND + A - 1) * (NOISE_ROUND + A - 2) * (T - NOISE_ROUND)) ** 2, NOISE_ROUND
    )
    total = sum(
        c * (sympy.bernoulli(k + 1, ROUNDS + 1) - sympy.bernoulli(k + 1, 1)) / (k + 1)
        for (k,), c in term.terms()
    )
    return NOISE_GAP.replace(lambda node: isinstance(node, sympy.Sum), lambda node: total)


def slope_of_noise(claim: Claim) -> Evidence:
    scaled = sympy.cancel(
        (A * summed_noise()).subs({CONVEX: 1, CLIENTS: 1, NOISE: 1}).subs(ROUNDS, X * A - 1)
    )
    limit = sympy.limit(scaled, A, sympy.oo)
    return check_symbolic_cases(
        claim,
        [{"noise_slope": sympy.simplify(X * sympy.diff(limit, X) / limit)}],
        covers="every T/a, in the limit of large a, given the formula of mifa.thm5.1.noise",
    )


def mean_over_signs(scenario: Scenario) -> Fraction:
    """Gap of the averaged model over all outcomes of +-sigma noise, one run for each."""
    noise = every_sign(scenario.trace, scale=int(scenario.problem.noise_squared**0.5))
    run = simulate(
        scenario.method,
        scenario.problem,
        scenario.trace,
        start=scenario.start,
        local_step_size=scenario.local_schedule,
        noise=noise,
    )
    offset = scenario.parameters["step_offset"]
    weights = np.array(
        [(t + offset) * (t + offset - 1) for t in range(scenario.trace.num_rounds + 1)],
        dtype=object,
    )
    averages = np.einsum("t,btc->bc", weights / weights.sum(), run.models)[:, 0]
    curvature = sum(h for (h,) in scenario.problem.curvatures) / scenario.problem.num_clients
    return sum(
        curvature / 2 * (x - scenario.problem.constants.optimum[0]) ** 2 for x in averages
    ) / len(averages)


def expectations_agree(claim: Claim) -> Evidence:
    def instances() -> Iterator[Instance]:
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

    return check_instances(
        claim,
        instances(),
        method=Method.ENUMERATION,
        covers="all outcomes of +-2 noise in four runs of two devices",
    )


CHECKS = (
    Check("mifa.thm5.1.W", weights_sum),
    Check("mifa.thm5.1.det", shrinkage_by_induction),
    Check("mifa.thm5.1.noise", noise_for_all_rounds),
    Check("mifa.thm5.1.asymptote", asymptote),
    Check("mifa.thm5.1.asymptote", limit_of_noise, rests_on=("mifa.thm5.1.noise",)),
    Check("mifa.thm5.1.exact", expectations_agree),
    Check("mifa.thm5.1.slope", slope_of_noise, rests_on=("mifa.thm5.1.noise",)),
)
