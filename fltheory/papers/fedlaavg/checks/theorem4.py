"""Theorem 4: exact runs with local steps, and its rates by substitution."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import product

import sympy

from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput
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
    sgd,
    too_fast,
)
from fltheory.papers.fedlaavg.checks.steps import BALANCED, HALF, TILTED, TUG, instances_of, mean_of
from fltheory.papers.fedlaavg.checks.theorem3 import ALONE, PARTS, STARTS, algebra
from fltheory.papers.fedlaavg.paper import BETA, SIGMA, B, C, E, G, L, N, T
from fltheory.papers.fedlaavg.statements.theorem4 import BOUND, STEP_SIZE
from fltheory.problems.clipped import Clipped
from fltheory.traces.availability.within_window import WithinWindow
from fltheory.traces.trace import Trace

END = "mean_squared_end_gradient"
SIZES = (Fraction(49, 100), Fraction(1, 4), Fraction(1, 20))


@cache
def virtual_runs(
    problems: tuple[Clipped, ...], sizes: tuple[Fraction, ...]
) -> tuple[Instance, ...]:
    """Mean squared gradients at the last virtual iterate of each round, exact expectations over all
    noise."""
    quiet = product(problems, PARTS, (1, 2, 3), sizes, (Fraction(0),))
    noisy = product(
        problems[:1], [parts[:2] for parts in (PARTS[1], PARTS[3])], (2,), sizes[:1], (HALF,)
    )
    found = []
    for problem, parts, steps, size, scale in [*quiet, *noisy]:
        iterations = instances_of(problem, parts, steps, size, Fraction(5, 2), scale)
        mean = mean_of(iterations[steps - 1 :: steps], "squared_end_gradient")
        found.append(Instance({**iterations[0].values, END: mean}, iterations[0].says))
    return tuple(found)


def on_virtual_runs(problems: tuple[Clipped, ...], sizes: tuple[Fraction, ...]) -> Decide:
    """Theorem 4 on exact runs of Algorithm 3."""

    @by_instances(
        Method.BOUND_ON_RUN,
        covers=f"exact runs of 1 to 3 local steps: {len(problems)} clipped problems, seven"
        f" participations with cold starts, {len(sizes)} step sizes, some with all +-noise",
    )
    def decide() -> Iterable[Instance]:
        return virtual_runs(problems, sizes)

    return decide


def server_runs() -> Iterator[Scenario]:
    """Exact runs with local steps, without noise."""
    for parts, steps, size, start in product(PARTS, (1, 3), SIZES, STARTS):
        yield Scenario(
            "fedlaavg",
            TUG,
            Trace.fresh(parts, local_steps=steps),
            start=start,
            local_step_size=size,
        )
    for steps, size in product((1, 2, 5), SIZES):
        yield Scenario(
            "fedlaavg",
            ALONE,
            Trace.fresh([[1]] * 6, local_steps=steps),
            start=1,
            local_step_size=size,
        )


def on_server_runs(claim: Claim) -> Evidence:
    """Theorem 4 at the server's models."""
    return check_on_runs(
        claim,
        server_runs(),
        covers=(
            "exact runs of 1 to 5 local steps: clipped problems, seven participations with cold "
            "starts, three step sizes"
        ),
    )


def terms(claim: Claim) -> Evidence:
    """Theorem 4's bound at the step size, with R so large that gamma = 1/(4L (1 + k))."""
    n, e, b = ROOTS
    rounds = 4 * b**2 * n**2 * (1 + MORE_ROUNDS) ** 2 / (C**2 * e**2)
    return check_symbolic(
        claim,
        derived=at_roots(BOUND, STEP_SIZE, rounds),
        covers="all N, E, beta, C, I, L, G, sigma, B and all R with gamma <= 1/(4L)",
    )


ONES: Path = {L: 1, SIGMA: 1}
LARGE_C: Path = {N: 16, E: 4, BETA: QUARTER, C: BIG, T: 4096, G: BIG, B: 1}
FEW: Path = {N: 16, E: 4, BETA: QUARTER, C: 3, G: 1, B: 1}
PATHS: dict[str, Path] = {
    "R grows": {**FEW, T: BIG},
    "N grows, R = E N^2/beta": {**FEW, N: BIG**4, T: 16 * BIG**8},
    "E and B grow, R = E^2 N^(3/2)/beta": {**FEW, E: BIG**2, T: 256 * BIG**4, B: BIG**2},
    "C grows": LARGE_C,
}


def on_path(name: str) -> Decide:
    """The order of Theorem 4 against its own bound along one path."""
    covers = f"Theorem 4's bound at the step size, {name}"
    return along(END, BOUND, STEP_SIZE, {**PATHS[name], **ONES}, covers)


def long_slope(claim: Claim) -> Evidence:
    """One client, gradient clip(x, -1, 1), E = s^2, R = s^6, C = 1, from a start so far away that
    the slope is 1 throughout.

    gamma = 1/(2 sqrt(E R)) = 1/(2 s^4), so R rounds travel at most s^2/2 and x0 = s^2/2 + 1
    suffices; then B = s^2/2 + 1/2 and the mean squared gradient is 1. The engine confirms this for
    s = 2 with a client that is there every E-th round.
    """
    run = Scenario(
        "fedlaavg",
        ALONE,
        Trace.fresh(WithinWindow(1, 4).matrix(64)),
        start=3,
        local_step_size=Fraction(1, 32),
    )
    measured = measure(run, ["mean_squared_gradient", "initial_loss_gap"])
    if measured != {"mean_squared_gradient": 1, "initial_loss_gap": Fraction(5, 2)}:
        raise InvalidInput("run with E = 4 and R = 64", "keep the slope 1", measured)
    one = sympy.S.One
    derived = {
        "mean_squared_end_gradient": one,
        "availability_window": BIG**2,
        "num_rounds": BIG**6,
        "participation_share": one,
        "num_clients": one,
        "gradient_bound": one,
        "gradient_noise": sympy.S.Zero,
        "smoothness": one,
        "initial_loss_gap": (BIG**2 + 1) / 2,
    }
    return check_order_limit(
        claim,
        derived=derived,
        variable=BIG,
        covers="one client on a long slope, E = s^2, R = s^6, growing s",
    )


EQ53 = "SGD on x^2/2 with unit noise, step size 1/4, growing R"
FORM = "Theorem 4's bound with I = 0, C = 2, step size 1/4, growing R"
CHECKS = (
    Check("fedlaavg.thm4", on_virtual_runs((TUG,), SIZES[:2])),
    Check("fedlaavg.thm4", on_virtual_runs((BALANCED, TILTED), SIZES), slow=True),
    Check("fedlaavg.thm4.server", on_server_runs),
    Check(
        "fedlaavg.thm4.chain",
        algebra("all values of the symbols"),
        everything="an identity in all its symbols",
    ),
    *(
        Check("fedlaavg.thm4.rate", on_path(path), plant=too_fast, slow=path != "R grows")
        for path in PATHS
    ),
    Check(
        "fedlaavg.thm4.explicit",
        terms,
        everything="an inequality in all its symbols over the range that it names",
    ),
    Check("fedlaavg.thm4.eq53", sgd(END, EQ53)),
    Check(
        "fedlaavg.thm4.eq53.corrected",
        in_order_form(END, BOUND, {**FULL, C: sympy.Integer(2)}, FORM),
        plant=partial(right_side_of, "fedlaavg.thm4.eq53"),
    ),
    Check("fedlaavg.eq55", long_slope),
    Check("fedlaavg.eq55.corrected", long_slope, plant=partial(right_side_of, "fedlaavg.eq55")),
    Check("fedlaavg.eq55.corrected", on_path("N grows, R = E N^2/beta"), plant=too_fast),
)
