"""The problem and the assumptions of Sec. 3, on losses whose constants are known."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

import sympy

from fltheory.algorithms.anarchic import AfaCrossDevice
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import exact_root, known
from fltheory.claims.checks.exact_run import tilted
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import ExactLike
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.engine.noise import Written, every_sign
from fltheory.engine.simulate import simulate
from fltheory.problems.clipped import Clipped
from fltheory.problems.objective import Objective, global_gradient, global_loss
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

PROBLEMS: tuple[Objective, ...] = (
    tilted(1),
    tilted(3, curvature=2),
    tilted(2, curvature=-1, spread=3),
    tilted(4, curvature=0),
    Clipped(centres=(0, 4), bound=1),
    Clipped(centres=(0, 1, 5), bound=2, curvatures=(1, 3, -1)),
)
QUADRATICS: tuple[Objective, ...] = (
    tilted(3),
    Quadratic((1, 2), (0, 3)),
    tilted(4, curvature=-2, spread=2),
)
POINTS = tuple(Fraction(k, 2) for k in range(-6, 7))


def gradients_at(problem: Objective, x: ExactLike) -> list[Fraction]:
    """Every client's exact gradient at a point of the line."""
    return list(problem.gradients(RATIONAL)(RATIONAL.rows([[x]] * problem.num_clients))[:, 0])


def central_slope(problem: Objective, x: Fraction) -> Fraction:
    """(f(x + 1) - f(x - 1))/2, which is f'(x) for quadratics."""
    ahead, behind = (global_loss(problem, [[x + side]], RATIONAL)[0, 0] for side in (1, -1))
    return Fraction(ahead - behind) / 2


@by_instances(Method.EXACT_RUN, covers="quadratic clients, 13 points each")
def slopes() -> Iterator[Instance]:
    """f is the plain average of the f_i, so f' is the average of their gradients (Sec. 3)."""
    for problem, x in product(QUADRATICS, POINTS):
        yield Instance(
            {
                "global_slope": central_slope(problem, x),
                "mean_client_slope": sum(gradients_at(problem, x)) / problem.num_clients,
            },
            f"x = {x}",
        )


def client_gradients() -> Iterator[tuple[Objective, Fraction, list[Fraction]]]:
    """Every problem at every point, with the gradients of its clients."""
    for problem, x in product(PROBLEMS, POINTS):
        yield problem, x, gradients_at(problem, x)


@by_instances(
    Method.EXACT_RUN, covers="all pairs of 13 points on six problems, flat and concave ones too"
)
def lipschitz() -> Iterator[Instance]:
    """Assumption 1: |grad f_i(x) - grad f_i(y)| <= L |x - y|."""
    for (problem, x, here), (other, y, there) in product(client_gradients(), repeat=2):
        if problem is other and x < y:
            for i, (a, b) in enumerate(zip(here, there, strict=True)):
                yield Instance(
                    {
                        "gradient_change": abs(a - b),
                        "distance": y - x,
                        "smoothness": known(problem.constants.smoothness),
                    },
                    f"client {i}, points {x} and {y}",
                )


@by_instances(Method.EXACT_RUN, covers="13 points on six problems with known constants")
def apart() -> Iterator[Instance]:
    """Assumption 3: |grad f_i(x) - grad f(x)| <= sigma_G everywhere."""
    for problem, x, gradients in client_gradients():
        mean = global_gradient(problem, [[x]], RATIONAL)[0, 0]
        bound = exact_root(problem.constants.dissimilarity_squared)
        for i, gradient in enumerate(gradients):
            yield Instance(
                {"gradient_distance": abs(gradient - mean), "dissimilarity": bound},
                f"client {i} at {x}",
            )


def quadratics_apart(claim: Claim) -> Evidence:
    """Assumption 3 on h_1 x^2/2 and h_2 x^2/2: the distance |h_1 - h_2| |x|/2 has no bound."""
    first, second, x = sympy.symbols("first_curvature second_curvature point", real=True)
    pair = Quadratic((first, second), (0, 0))
    gradients = pair.gradients(SYMBOLIC)(SYMBOLIC.rows([[x], [x]]))[:, 0]
    apart = sympy.Abs(gradients[0] - sum(gradients) / 2)
    return check_symbolic(
        claim,
        derived={"gradient_distance": apart},
        covers="two quadratic clients with any curvatures, any point",
    )


def aggregates(noise: Written, trace: Trace, says: str) -> Instance:
    """Mean move of AFA-CD over all outcomes of the noise, and the mean exact gradient of those who
    take part."""
    problem = tilted(trace.num_clients)
    run = simulate(
        AfaCrossDevice(),
        problem,
        trace,
        start=1,
        local_step_size="1/4",
        server_step_size=2,
        noise=noise,
    )
    moves = (run.models[..., 0, 0] - run.models[..., 1, 0]) * 2
    arrived = [
        g for g, here in zip(gradients_at(problem, 1), trace.delivers[0], strict=True) if here
    ]
    mean = sum(arrived, Fraction(0)) / len(arrived)
    return Instance({"mean_update": sum(moves) / len(moves), "mean_gradient": mean}, says)


@by_instances(Method.EXACT_RUN, covers="one round of AFA-CD")
def only_first_unbiased() -> Iterator[Instance]:
    """Assumption 2 read for the first m workers only: worker 2 is biased and arrives."""
    yield aggregates(
        Written([[[[[0], [1]]]]]),
        Trace.fresh([[0, 1]]),
        "M = 2, m = 1, worker 2 arrives and its gradient is off by 1",
    )


@by_instances(
    Method.ENUMERATION,
    covers="every set of arrivals among up to 3 workers, every sign of the noise",
)
def all_unbiased() -> Iterator[Instance]:
    """Assumption 2 for all M workers: E G_t is the mean exact gradient of those who arrive."""
    for clients in (1, 2, 3):
        for row in product((0, 1), repeat=clients):
            if any(row):
                trace = Trace.fresh([row])
                yield aggregates(every_sign(trace), trace, "all signs of the noise")


@by_instances(Method.ENUMERATION, covers="noise of +-1, K = 1..6 local steps, all signs")
def fixed_steps() -> Iterator[Instance]:
    """Mean of G - Delta = (1/K) sum of the noise, over all signs, for numbers of local steps K that
    do not depend on the noise."""
    for steps in range(1, 7):
        means = [Fraction(sum(signs), steps) for signs in product((-1, 1), repeat=steps)]
        yield Instance({"mean_noise_of_update": sum(means) / 2**steps}, f"K = {steps}")


@by_instances(Method.ENUMERATION, covers="uniform sampling without replacement")
def fixed_size_samples() -> Iterator[Instance]:
    """P(i and j in M_t) and P(i in M_t) for uniform subsets: arrivals are not independent."""
    for clients, size in ((2, 1), (3, 1), (3, 2), (10, 5)):
        subsets = list(combinations(range(clients), size))
        pair, single = (
            Fraction(sum(set(who) <= set(s) for s in subsets), len(subsets))
            for who in ((0, 1), (0,))
        )
        yield Instance(
            {"pair_probability": pair, "single_probability": single},
            f"uniform subsets of {size} among {clients}",
        )


CHECKS = (
    Check("afl.def.problem", slopes),
    Check("afl.asm1", lipschitz),
    Check("afl.asm2", only_first_unbiased),
    Check("afl.asm2.everyone", all_unbiased),
    Check("afl.asm3", apart),
    Check(
        "afl.asm3.quadratics",
        quadratics_apart,
        everything="it speaks of two quadratics; an identity in all its symbols",
    ),
    Check("afl.asm4-implicit", fixed_steps),
    Check("afl.arrivals.independent", fixed_size_samples),
)
