"""Theorem 1: the constant algorithm, the two indistinguishable instances, and the bias of those who
participate."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import exact_root
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.papers.afl.paper import APART, M
from fltheory.papers.afl.statements.lower_bound import EVER, HALF_GAP, SEEN, SLIP
from fltheory.problems.objective import global_gradient
from fltheory.problems.quadratic import Quadratic

OUTPUTS = tuple(Fraction(k, 2) for k in range(-4, 5))
DISTANCE = Fraction(3, 2)
"""sigma_G of the instances."""
SIZES = tuple((clients, ever) for clients in range(1, 8) for ever in range(1, clients + 1))


@by_instances(Method.EXACT_RUN, covers="the constant algorithm on the printed construction")
def constant_algorithm() -> Iterator[Instance]:
    """The algorithm that always returns 0, on the paper's own losses (x+G)^2 and
    (x-G)^2."""
    for gap, constant in product((1, 2), (1, Fraction(1, 1000))):
        problem = Quadratic((2, 2), (-gap, gap))
        error = global_gradient(problem, [[0]], RATIONAL)[0, 0] ** 2
        apart = exact_root(problem.constants.dissimilarity_squared)
        yield Instance(
            {"output_error": error, "omega_constant": constant, "dissimilarity": apart},
            f"xhat = 0, G = {gap}",
        )


def symbolic_gradients(point: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """Worker 1's gradient and the global one on the printed construction."""
    problem = Quadratic((2, 2), (-HALF_GAP, HALF_GAP))
    gradients = problem.gradients(SYMBOLIC)(SYMBOLIC.rows([[point], [point]]))[:, 0]
    return gradients[0], sum(gradients) / 2


def distance(claim: Claim) -> Evidence:
    """|grad f_1 - grad f| = 2G at every point of the printed construction."""
    client, mean = symbolic_gradients(sympy.Symbol("point", real=True))
    return check_symbolic(
        claim,
        derived={"gradient_distance": sympy.Abs(sympy.expand(client - mean))},
        covers="every point, every G",
    )


def value(claim: Claim) -> Evidence:
    """|grad f|^2 at distance epsilon from the optimum -G of worker 1."""
    return check_symbolic(
        claim,
        derived={"output_error": symbolic_gradients(SLIP - HALF_GAP)[1] ** 2},
        covers="every G and epsilon",
    )


def two_instances(clients: int, ever: int, apart: Fraction) -> tuple[Quadratic, Quadratic]:
    """x^2/2 for those who participate; the others add +c x or -c x with c = sigma_G M / max(s, M -
    s)."""
    tilt = apart * clients / max(ever, clients - ever)
    below, above = (
        Quadratic((1,) * clients, (0,) * ever + (side * tilt,) * (clients - ever))
        for side in (-1, 1)
    )
    return below, above


def squared_gradients(problems: Iterable[Quadratic], output: Fraction) -> list[Fraction]:
    """|grad f(xhat)|^2 on each instance."""
    return [global_gradient(problem, [[output]], RATIONAL)[0, 0] ** 2 for problem in problems]


def errors(sizes: Iterable[tuple[int, int]]) -> Iterator[Instance]:
    """The errors of an algorithm that returns xhat on both instances, for M and s as given."""
    for (clients, ever), output in product(sizes, OUTPUTS):
        squares = squared_gradients(two_instances(clients, ever, DISTANCE), output)
        yield Instance(
            {
                "worst_error": max(squares),
                "mean_of_two_errors": sum(squares) / 2,
                "seen_gradient": output,
                "num_clients": clients,
                "ever_participating": ever,
                "dissimilarity": DISTANCE,
            },
            f"M = {clients}, s = {ever}, xhat = {output}",
        )


@by_instances(
    Method.ENUMERATION, covers="all M <= 7, all s, 9 outputs (a randomized one averages them)"
)
def minimax() -> Iterable[Instance]:
    """The larger of the two errors is at least sigma_G^2 min(1, (M-s)/s)^2."""
    return errors(SIZES)


@by_instances(Method.ENUMERATION, covers="two workers, one participates, 9 outputs")
def two_workers() -> Iterable[Instance]:
    """Remark 1: two workers, of which one participates."""
    return errors(((2, 1),))


def general_identity(claim: Claim) -> Evidence:
    """Both global gradients, with the tilt c spread over M - s of M workers."""
    tilt = APART * M / sympy.Max(EVER, M - EVER)
    sides = [(SEEN + side * tilt * (M - EVER) / M) ** 2 for side in (-1, 1)]
    return check_symbolic(
        claim,
        derived={"mean_of_two_errors": sum(sides) / 2},
        covers="all M, s, sigma_G and all outputs",
    )


@by_instances(Method.ENUMERATION, covers="gradients of the instances themselves, all M <= 7, all s")
def identity_on_instances() -> Iterable[Instance]:
    """The mean of the two errors, measured on the instances."""
    return errors(SIZES)


@by_instances(Method.ENUMERATION, covers="both instances for all M <= 7 and all s")
def admissible() -> Iterator[Instance]:
    """Assumption 3 on both instances, with their own dissimilarity."""
    for clients, ever in SIZES:
        for problem in two_instances(clients, ever, DISTANCE):
            apart = exact_root(problem.constants.dissimilarity_squared)
            yield Instance(
                {"gradient_distance": apart, "dissimilarity": DISTANCE},
                f"M = {clients}, s = {ever}",
            )


@by_instances(
    Method.ENUMERATION, covers="all M <= 6, all s, all deviations of size 0 or sigma_G on a line"
)
def bias() -> Iterator[Instance]:
    """All extreme deviations d_i = grad f_i - grad f in {-1, 0, 1} that sum to 0."""
    for clients in range(1, 7):
        for deviations in product((-1, 0, 1), repeat=clients):
            if sum(deviations) == 0:
                for ever in range(1, clients + 1):
                    mean = abs(Fraction(sum(deviations[:ever]), ever))
                    yield Instance(
                        {
                            "bias": mean,
                            "num_clients": clients,
                            "ever_participating": ever,
                            "dissimilarity": 1,
                        },
                        f"M = {clients}, s = {ever}, deviations {deviations}",
                    )


CHECKS = (
    Check("afl.thm1", constant_algorithm),
    Check(
        "afl.thm1.distance",
        distance,
        everything=(
            "an identity in G and the point; the mean of two gradients is equally far from both"
        ),
    ),
    Check("afl.thm1.value", value, everything="an identity in G and epsilon"),
    Check("afl.thm1c", minimax),
    Check("afl.thm1c.identity", general_identity, everything="an identity in all its symbols"),
    Check("afl.thm1c.identity", identity_on_instances),
    Check("afl.thm1c.admissible", admissible),
    Check("afl.thm1c.upper", bias),
    Check("afl.rem1", two_workers),
)
