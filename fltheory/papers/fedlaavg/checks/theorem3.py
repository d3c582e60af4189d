"""Theorem 3 and Corollary 1: exact runs, exact expectations, an adversary that watches the noise,
and the corollary by substitution."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import sympy

from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.enumeration import worst_staleness
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim, evaluate, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import Comparison, as_expression, compare
from fltheory.core.errors import InvalidInput
from fltheory.papers import find_claim
from fltheory.papers.fedlaavg.checks.adaptive import mean_squared_model
from fltheory.papers.fedlaavg.checks.steps import (
    BALANCED,
    EVERYONE,
    HALF,
    LATE,
    TILTED,
    TUG,
    TURNS,
    instances_of,
)
from fltheory.papers.fedlaavg.paper import BETA, GAMMA, SIGMA, B, E, G, I, L, N, T
from fltheory.papers.fedlaavg.statements.corollary1 import SCALE, STEP_SIZE, TAIL
from fltheory.papers.fedlaavg.statements.theorem3 import BOUND
from fltheory.problems.clipped import Clipped
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

ALONE = Clipped(centres=(0,), bound=1)
STEEP = Clipped(centres=(0, 1), bound=Fraction(3, 2), curvatures=(4, Fraction(1, 4)))
PARTS = (
    EVERYONE,
    TURNS,
    LATE,
    TURNS[1:],
    ((0, 1), (0, 1), (0, 1), (1, 0)),
    ((0, 0), (1, 0), (0, 1)),
    ((1, 1),),
)
"""Who takes part: everybody, in turns, and cold starts in which some client or nobody has been
heard from at first."""


def runs(problems: tuple[Clipped, ...]) -> Iterator[Scenario]:
    """Exact runs without noise; the step sizes reach up to (and including) 1/(2L), which a claim
    may refuse."""
    sizes = (Fraction(1, 2), Fraction(49, 100), Fraction(1, 20))
    for problem, parts, size, start in product(
        problems, PARTS, sizes, (Fraction(-1, 4), Fraction(5, 2))
    ):
        yield Scenario(
            "fedlaavg",
            problem,
            Trace.fresh(parts),
            start=start,
            local_step_size=size / problem.constants.smoothness,
        )
    for rounds, size, start in product((1, 4, 16), sizes, (1, 3)):
        yield Scenario(
            "fedlaavg", ALONE, Trace.fresh([[1]] * rounds), start=start, local_step_size=size
        )
        yield Scenario(
            "fedlaavg", ALONE, Trace.fresh([[0], [1]] * rounds), start=start, local_step_size=size
        )


def on_runs(problems: tuple[Clipped, ...]) -> Decide:
    """The bound on exact runs."""

    def decide(claim: Claim) -> Evidence:
        return check_on_runs(
            claim,
            runs(problems),
            covers=(
                f"exact runs: two clients, {len(problems)} clipped problems, seven participations"
                " with cold starts, and one client for up to 32 rounds, step sizes up to 1/(2L)"
            ),
        )

    return decide


@cache
def noisy_runs() -> tuple[Instance, ...]:
    """Exact expectations over all noise: mean squared gradients, cold starts included."""
    found = []
    for problem, parts, size, scale in product(
        (TUG, BALANCED), PARTS[:4], (Fraction(2, 5), Fraction(1, 10)), (HALF, Fraction(2))
    ):
        rounds = parts[:3]
        steps = instances_of(problem, rounds, 1, size, Fraction(3, 2), scale)
        mean = sum((step.values["squared_gradient"] for step in steps), Fraction(0)) / len(steps)
        warm = all(rounds[0])
        found.append(
            Instance(
                dict(steps[0].values) | {"mean_squared_gradient": mean, "warm": int(warm)},
                steps[0].says,
            )
        )
    return tuple(found)


def on_noise(claim: Claim) -> Evidence:
    needs_warm = any(assumption.id == "fedlaavg.warm" for assumption in claim.assumes)
    chosen = (i for i in noisy_runs() if i.values["warm"] or not needs_warm)
    return check_instances(
        claim,
        chosen,
        method=Method.ENUMERATION,
        covers=(
            "exact expectations over all +-1/2 and +-2 noise: two clients, "
            "two clipped problems, three rounds"
        ),
    )


@by_instances(Method.PROBABILITY, covers="exact second moments of the two-state chain")
def adversary() -> Iterator[Instance]:
    """N = K = 1, E = 2, I = 1, f' = clip(x, -1, 1), +-1 noise, x0 = 0, so B = 0, L = 1, sigma = 1,
    G^2 = 2."""
    for size, rounds in ((Fraction(1, 400), 100), (Fraction(1, 400), 560)):
        exact = mean_squared_model(size, rounds)
        floor = Fraction(int(exact * 10**12), 10**12)
        values = {
            "mean_squared_gradient": floor,
            "local_step_size": size,
            "num_rounds": rounds,
            "num_clients": 1,
            "staleness_bound": 1,
            "smoothness": 1,
            "gradient_noise": 1,
            "gradient_bound": sympy.sqrt(2),
            "initial_loss_gap": 0,
        }
        yield Instance(
            values,
            f"one client that skips a round after positive noise, step size {size}, {rounds}"
            " rounds; left side rounded down to twelve decimals",
        )


def algebra(covers: str, **derived: Any) -> Decide:
    """A purely symbolic check with the same substitutions each time."""
    return lambda claim: check_symbolic(claim, derived=derived, covers=covers)


@by_instances(Method.EXACT_RUN, covers="step sizes up to 1/(2L)")
def boundary() -> Iterator[Instance]:
    for size in (Fraction(1, 4), Fraction(49, 100), HALF):
        rest = 1 - 2 * size
        yield Instance(
            {"local_step_size": size, "smoothness": 1, "factor": 1 / rest if rest else 0},
            f"L=1, step size {size}" + ("" if rest else ": no number will do, 0 stands for any"),
        )


BELOW_HALF = 1 / (2 * L * (1 + letter("excess", positive=True)))
"""All step sizes in (0, 1/(2L))."""


def substituted(bound: sympy.Expr) -> dict[str, Any]:
    """The bound at Corollary 1's step size, in positive letters: N = n^4, E = e^2, beta = b^2, I =
    (2E/beta)/(1 + h).

    T is so large that gamma = 1/(4L (1 + k)).
    """
    n, e, b, h, k = (
        letter(name, positive=True) for name in ("root_n", "root_e", "root_b", "slack_i", "slack_t")
    )
    rounds = 4 * b**2 * n**2 * (1 + k) ** 2 / e**2
    at = {N: n**4, E: e**2, BETA: b**2, T: rounds}
    size = sympy.powdenest(STEP_SIZE.xreplace(at), force=True)
    value = bound.xreplace({GAMMA: size, I: 2 * e**2 / b**2 / (1 + h)}).xreplace(at)
    return {
        "bound_at_step_size": value,
        "num_clients": n**4,
        "availability_window": e**2,
        "participation_share": b**2,
        "num_rounds": rounds,
    }


def corollary(claim: Claim) -> Evidence:
    return check_symbolic(
        claim,
        derived=substituted(BOUND),
        covers="all N, E, beta, L, G, sigma, B, all I <= 2E/beta, all T with gamma <= 1/(4L)",
    )


def past_threshold(claim: Claim) -> Evidence:
    n, e, b, k = (letter(name, positive=True) for name in ("root_n", "root_e", "root_b", "slack_t"))
    rounds = e**2 * n**6 / b**2 * (1 + k) ** 2
    derived = {
        "num_clients": n**4,
        "availability_window": e**2,
        "participation_share": b**2,
        "num_rounds": rounds,
    }
    return check_symbolic(
        claim, derived=derived, covers="all N, E, beta, G and all T >= E N^(3/2)/beta"
    )


def balance(claim: Claim) -> Evidence:
    rounds = sympy.solve(sympy.Eq(TAIL, SCALE * G**2), T)
    if len(rounds) != 1:
        raise InvalidInput("solutions of the balance", "be one", rounds)
    return check_symbolic(
        claim, derived={"balancing_rounds": rounds[0]}, covers="all N, E, beta: solved for T"
    )


FULL = {
    I: sympy.S.Zero,
    GAMMA: sympy.Rational(1, 4),
    L: sympy.S.One,
    N: sympy.Integer(3),
    G: sympy.Integer(2),
    SIGMA: sympy.S.One,
    B: sympy.S.One,
}
"""Full participation with some constants."""

ONES = {L: 1, SIGMA: 1, B: 1}
BIG = letter("growth", integer=True, positive=True)
PATHS: dict[str, dict[sympy.Symbol, Any]] = {
    "T grows": {N: 16, E: 4, BETA: sympy.Rational(1, 4), T: BIG, G: 1},
    "N grows, T = E N^2/beta": {N: BIG**4, E: 4, BETA: sympy.Rational(1, 4), T: 16 * BIG**8, G: 1},
    "E grows, T = E^2 N^(3/2)/beta": {
        N: 16,
        E: BIG**2,
        BETA: sympy.Rational(1, 4),
        T: 256 * BIG**4,
        G: 1,
    },
    "beta shrinks, T = E N^(3/2)/beta": {N: 16, E: 4, BETA: BIG**-2, T: 256 * BIG**2, G: 1},
    "G grows": {N: 16, E: 4, BETA: sympy.Rational(1, 4), T: 4096, G: BIG},
}


SLOW = ("beta shrinks, T = E N^(3/2)/beta", "G grows")


def along(path: str) -> Decide:
    """The order claim with Theorem 3's bound in place of the mean squared gradient, along one
    path."""

    def decide(claim: Claim) -> Evidence:
        at = PATHS[path] | ONES
        left = BOUND.xreplace({GAMMA: STEP_SIZE, I: 2 * E / BETA}).subs(at)
        derived = {s.name: as_expression(v) for s, v in at.items()} | {
            "mean_squared_gradient": left
        }
        return check_order_limit(
            claim,
            derived=derived,
            variable=BIG,
            covers=f"Theorem 3's bound at the step size, {path}",
        )

    return decide


def too_fast(claim: Claim) -> Claim:
    """The right side divided by T and by G^4."""
    return claim.planted(right=claim.statement.right / (T * G**4))


def sgd_mean_square() -> sympy.Expr:
    """Mean of E x_t^2, t < T, for x -> (1 - gamma) x - gamma n with gamma = 1/4, sigma = 1, x0 = 1,
    as a formula in T.

    E x_t^2 = 1/7 + 6/7 (9/16)^t, compared with exact runs of the engine before it is used.
    """
    ratio = sympy.Rational(9, 16)
    formula = sympy.Rational(1, 7) + sympy.Rational(6, 7) * (1 - ratio**T) / (T * (1 - ratio))
    for rounds in (1, 2, 5):
        run = Scenario(
            "fedlaavg",
            Quadratic((1,), (0,), noise_squared=1),
            Trace.fresh([[1]] * rounds),
            start=1,
            local_step_size="1/4",
        )
        measured = measure(run, ["mean_squared_gradient"])["mean_squared_gradient"]
        if compare(evaluate(formula, {"num_rounds": rounds}), measured) is not Comparison.EQUAL:
            raise InvalidInput(
                "mean square of SGD", f"be {measured} after {rounds} rounds", formula
            )
    return formula


def sgd(claim: Claim) -> Evidence:
    """One client, always there, f = x^2/2: the gradient bound plays no part, because I = 0."""
    one = sympy.S.One
    derived = {
        "mean_squared_gradient": sgd_mean_square(),
        "staleness_bound": sympy.S.Zero,
        "local_step_size": one / 4,
        "smoothness": one,
        "num_clients": one,
        "gradient_bound": 2 * one,
        "gradient_noise": one,
        "initial_loss_gap": one / 2,
    }
    return check_order_limit(
        claim,
        derived=derived,
        variable=T,
        covers="SGD on x^2/2 with unit noise, step size 1/4, growing T",
    )


def theorem_in_order_form(claim: Claim) -> Evidence:
    """Theorem 3's own bound for full participation."""
    derived = {s.name: v for s, v in FULL.items()} | {"mean_squared_gradient": BOUND.xreplace(FULL)}
    return check_order_limit(
        claim,
        derived=derived,
        variable=T,
        covers="Theorem 3's bound with I = 0, step size 1/4, growing T",
    )


def without_noise_term(claim: Claim) -> Claim:
    return claim.planted(right=find_claim("fedlaavg.cor1.eq34").statement.right)


@by_instances(Method.ENUMERATION, covers="all availability and ties of four settings")
def reached() -> Iterator[Instance]:
    for clients, used, window in ((1, 1, 1), (1, 1, 2), (2, 1, 1), (3, 2, 2)):
        yield Instance(
            {
                "num_clients": clients,
                "clients_per_round": used,
                "availability_window": window,
                "reached_staleness": worst_staleness(clients, used, window, stop_at=50),
            },
            f"N={clients}, K={used}, E={window}",
        )


@by_instances(Method.ENUMERATION, covers="all N <= 12, K <= N, E = 1, 2, 7")
def staleness_order() -> Iterator[Instance]:
    for clients, window in product(range(1, 13), (1, 2, 7)):
        for used in range(1, clients + 1):
            yield Instance(
                {
                    "num_clients": clients,
                    "clients_per_round": used,
                    "availability_window": window,
                }
            )


SPEEDUP = BOUND.xreplace({I: sympy.S.Zero, GAMMA: sympy.sqrt(N) / (2 * L * sympy.sqrt(T))})

CHECKS = (
    Check("fedlaavg.thm3", on_runs((TUG,))),
    Check("fedlaavg.thm3", on_runs((BALANCED, TILTED, STEEP)), slow=True),
    Check("fedlaavg.thm3", on_noise),
    Check("fedlaavg.thm3.adaptive", adversary),
    Check("fedlaavg.thm3.chain", algebra("all values of the symbols")),
    Check("fedlaavg.thm3.boundary", boundary),
    Check("fedlaavg.thm3.improved", on_runs((TUG,))),
    Check("fedlaavg.thm3.improved", on_runs((BALANCED, TILTED, STEEP)), slow=True),
    Check("fedlaavg.thm3.improved", on_noise),
    Check("fedlaavg.thm3.improved.gap", algebra("all values of the symbols")),
    Check(
        "fedlaavg.thm3.informative",
        algebra(
            "all values and all step sizes below 1/(2L)",
            local_step_size=BELOW_HALF,
            bound_of_theorem_3=BOUND.xreplace({GAMMA: BELOW_HALF}),
        ),
    ),
    Check(
        "fedlaavg.thm3.fullpart",
        algebra("all values: Theorem 3 with I = 0 at this step size", bound_at_step_size=SPEEDUP),
    ),
    *(Check("fedlaavg.cor1", along(path), plant=too_fast, slow=path in SLOW) for path in PATHS),
    Check("fedlaavg.cor1.explicit", corollary),
    Check("fedlaavg.cor1.threshold", past_threshold),
    Check("fedlaavg.cor1.rounds", balance),
    Check("fedlaavg.cor1.speedup", along("N grows, T = E N^2/beta"), plant=too_fast),
    Check("fedlaavg.cor1.speedup", along("beta shrinks, T = E N^(3/2)/beta"), plant=too_fast),
    Check("fedlaavg.cor1.eq34", sgd),
    Check("fedlaavg.cor1.eq34.corrected", theorem_in_order_form, plant=without_noise_term),
    Check("fedlaavg.cor1.staleness", reached),
    Check("fedlaavg.cor1.order", staleness_order),
    Check(
        "fedlaavg.cor1.half",
        algebra(
            "all step sizes in (0, 1/(4L)]",
            local_step_size=1 / (4 * L * (1 + letter("excess", nonnegative=True))),
        ),
    ),
)
