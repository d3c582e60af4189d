"""Corollary 1: Theorem 3's bound at the corollary's step size, its order along paths, and the
staleness that it uses."""

from collections.abc import Iterator
from functools import partial
from itertools import product

import sympy

from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.enumeration import worst_staleness
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.errors import InvalidInput
from fltheory.papers.fedlaavg.checks.lemmas import counts
from fltheory.papers.fedlaavg.checks.orders import (
    BIG,
    FULL,
    MORE_ROUNDS,
    QUARTER,
    ROOTS,
    Path,
    along,
    at_roots,
    in_order_form,
    right_side_of,
    root_values,
    sgd,
    too_fast,
)
from fltheory.papers.fedlaavg.checks.theorem3 import algebra
from fltheory.papers.fedlaavg.paper import BETA, SIGMA, B, E, G, I, L, N, T
from fltheory.papers.fedlaavg.statements.corollary1 import SCALE, STEP_SIZE, TAIL
from fltheory.papers.fedlaavg.statements.theorem3 import BOUND

ONES: Path = {L: 1, SIGMA: 1, B: 1}
PATHS: dict[str, Path] = {
    "T grows": {N: 16, E: 4, BETA: QUARTER, T: BIG, G: 1},
    "N grows, T = E N^2/beta": {N: BIG**4, E: 4, BETA: QUARTER, T: 16 * BIG**8, G: 1},
    "E grows, T = E^2 N^(3/2)/beta": {N: 16, E: BIG**2, BETA: QUARTER, T: 256 * BIG**4, G: 1},
    "beta shrinks, T = E N^(3/2)/beta": {N: 16, E: 4, BETA: BIG**-2, T: 256 * BIG**2, G: 1},
    "G grows": {N: 16, E: 4, BETA: QUARTER, T: 4096, G: BIG},
}
SLOW = ("beta shrinks, T = E N^(3/2)/beta", "G grows")
MEAN = "mean_squared_gradient"


def on_path(name: str) -> Decide:
    """The order of Corollary 1 against Theorem 3's bound along one path."""
    covers = f"Theorem 3's bound at the step size, {name}"
    return along(MEAN, BOUND, STEP_SIZE, {**PATHS[name], **ONES}, covers)


def corollary(claim: Claim) -> Evidence:
    """Theorem 3's bound at the step size, with I = (2E/beta)/(1 + h) and T so large that gamma =
    1/(4L (1 + k))."""
    n, e, b = ROOTS
    slack = letter("slack_i", positive=True)
    rounds = 4 * b**2 * n**2 * (1 + MORE_ROUNDS) ** 2 / e**2
    staleness = {I: 2 * e**2 / b**2 / (1 + slack)}
    return check_symbolic(
        claim,
        derived=at_roots(BOUND.xreplace(staleness), STEP_SIZE, rounds),
        covers="all N, E, beta, L, G, sigma, B, all I <= 2E/beta, all T with gamma <= 1/(4L)",
    )


def past_threshold(claim: Claim) -> Evidence:
    """The second term against the G^2 part of the first, from T = E N^(3/2)/beta on."""
    n, e, b = ROOTS
    rounds = e**2 * n**6 / b**2 * (1 + MORE_ROUNDS) ** 2
    return check_symbolic(
        claim, derived=root_values(rounds), covers="all N, E, beta, G and all T >= E N^(3/2)/beta"
    )


def balance(claim: Claim) -> Evidence:
    """The T at which both terms are equal."""
    rounds = sympy.solve(sympy.Eq(TAIL, SCALE * G**2), T)
    if len(rounds) != 1:
        raise InvalidInput("solutions of the balance", "be one", rounds)
    return check_symbolic(
        claim, derived={"balancing_rounds": rounds[0]}, covers="all N, E, beta: solved for T"
    )


@by_instances(Method.ENUMERATION, covers="all availability and ties of four settings")
def reached() -> Iterator[Instance]:
    """The largest staleness over all availability and ties, against ceil(N/K) E."""
    for clients, used, window in ((1, 1, 1), (1, 1, 2), (2, 1, 1), (3, 2, 2)):
        stale = worst_staleness(clients, used, window, stop_at=50)
        yield Instance(
            {**counts(clients, used, window), "reached_staleness": stale},
            f"N={clients}, K={used}, E={window}",
        )


@by_instances(Method.ENUMERATION, covers="all N <= 12, K <= N, E = 1, 2, 7")
def staleness_order() -> Iterator[Instance]:
    """ceil(N/K) E - 1 against 2 E/beta."""
    for clients, window in product(range(1, 13), (1, 2, 7)):
        for used in range(1, clients + 1):
            yield Instance(counts(clients, used, window))


EQ34 = "SGD on x^2/2 with unit noise, step size 1/4, growing T"
FORM = "Theorem 3's bound with I = 0, step size 1/4, growing T"
CHECKS = (
    *(Check("fedlaavg.cor1", on_path(path), plant=too_fast, slow=path in SLOW) for path in PATHS),
    Check(
        "fedlaavg.cor1.explicit",
        corollary,
        everything="an inequality in all its symbols over the range that it names",
    ),
    Check(
        "fedlaavg.cor1.threshold",
        past_threshold,
        everything="an inequality in all its symbols over the range that it names",
    ),
    Check(
        "fedlaavg.cor1.rounds",
        balance,
        everything="an equation solved for all values of its symbols",
    ),
    Check("fedlaavg.cor1.speedup", on_path("N grows, T = E N^2/beta"), plant=too_fast),
    Check("fedlaavg.cor1.speedup", on_path("beta shrinks, T = E N^(3/2)/beta"), plant=too_fast),
    Check("fedlaavg.cor1.eq34", sgd(MEAN, EQ34)),
    Check(
        "fedlaavg.cor1.eq34.corrected",
        in_order_form(MEAN, BOUND, FULL, FORM),
        plant=partial(right_side_of, "fedlaavg.cor1.eq34"),
    ),
    Check("fedlaavg.cor1.staleness", reached),
    Check("fedlaavg.cor1.order", staleness_order),
    Check(
        "fedlaavg.cor1.half",
        algebra(
            "all step sizes in (0, 1/(4L)]",
            local_step_size=1 / (4 * L * (1 + letter("excess", nonnegative=True))),
        ),
        everything="an inequality for every L and every step size up to 1/(4L)",
    ),
)
