"""The problem, the assumptions, delays counted exhaustively, and the boxes run as printed and as
the proofs need them."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.exact_run import tilted
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scenario import Scenario
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.engine.noise import Written, every_sign
from fltheory.engine.simulate import simulate
from fltheory.papers.afl.paper import LOCAL, SERVER
from fltheory.papers.afl.statements.setting import SLOPE, START, TILTS
from fltheory.problems.clipped import Clipped
from fltheory.problems.objective import global_gradient, global_loss
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import model_reuses

PROBLEMS = (
    tilted(1),
    tilted(3, curvature=2),
    tilted(2, curvature=-1, spread=3),
    tilted(4, curvature=0),
    Clipped(centres=(0, 4), bound=1),
    Clipped(centres=(0, 1, 5), bound=2, curvatures=(1, 3, -1)),
)
POINTS = tuple(Fraction(k, 2) for k in range(-6, 7))


@by_instances(Method.EXACT_RUN, covers="quadratic clients, 13 points each")
def slopes() -> Iterator[Instance]:
    for problem, x in product(
        (tilted(3), Quadratic((1, 2), (0, 3)), tilted(4, curvature=-2, spread=2)), POINTS
    ):
        ahead, behind = (global_loss(problem, [[x + side]], RATIONAL)[0, 0] for side in (1, -1))
        clients = problem.gradients(RATIONAL)(RATIONAL.rows([[x]] * problem.num_clients))[:, 0]
        yield Instance(
            {
                "global_slope": (ahead - behind) / 2,
                "mean_client_slope": sum(clients) / problem.num_clients,
            },
            f"x = {x}",
        )


def client_gradients() -> Iterator[tuple[object, Fraction, list[Fraction]]]:
    for problem, x in product(PROBLEMS, POINTS):
        yield (
            problem,
            x,
            list(problem.gradients(RATIONAL)(RATIONAL.rows([[x]] * problem.num_clients))[:, 0]),
        )


@by_instances(
    Method.EXACT_RUN, covers="all pairs of 13 points on six problems, flat and concave ones too"
)
def lipschitz() -> Iterator[Instance]:
    for (problem, x, here), (other, y, there) in product(client_gradients(), repeat=2):
        if problem is other and x < y:
            for i, (a, b) in enumerate(zip(here, there, strict=True)):
                yield Instance(
                    {
                        "gradient_change": abs(a - b),
                        "distance": y - x,
                        "smoothness": problem.constants.smoothness,
                    },
                    f"client {i}, points {x} and {y}",
                )


@by_instances(Method.EXACT_RUN, covers="13 points on six problems with known constants")
def apart() -> Iterator[Instance]:
    for problem, x, gradients in client_gradients():
        mean = global_gradient(problem, [[x]], RATIONAL)[0, 0]
        largest = problem.constants.dissimilarity_squared
        bound = sympy.sqrt(sympy.Rational(largest.numerator, largest.denominator))
        for i, gradient in enumerate(gradients):
            yield Instance(
                {"gradient_distance": abs(gradient - mean), "dissimilarity": bound},
                f"client {i} at {x}",
            )


def quadratics_apart(claim: Claim) -> Evidence:
    first, second, x = sympy.symbols("first_curvature second_curvature point", real=True)
    gradients = Quadratic((first, second), (0, 0)).gradients(SYMBOLIC)(SYMBOLIC.rows([[x], [x]]))[
        :, 0
    ]
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
    gradients = problem.gradients(RATIONAL)(RATIONAL.rows([[1]] * trace.num_clients))[:, 0]
    mean = gradients[trace.delivers[0]].sum() / int(trace.delivers[0].sum())
    return Instance({"mean_update": sum(moves) / len(moves), "mean_gradient": mean}, says)


@by_instances(Method.EXACT_RUN, covers="one round of AFA-CD")
def only_first_unbiased() -> Iterable[Instance]:
    biased = Written([[[[[0], [1]]]]])
    return [
        aggregates(
            biased,
            Trace.fresh([[0, 1]]),
            "M = 2, m = 1, worker 2 arrives and its gradient is off by 1",
        )
    ]


@by_instances(
    Method.ENUMERATION,
    covers="every set of arrivals among up to 3 workers, every sign of the noise",
)
def all_unbiased() -> Iterable[Instance]:
    traces = [
        Trace.fresh([row])
        for clients in (1, 2, 3)
        for row in product((0, 1), repeat=clients)
        if any(row)
    ]
    return (aggregates(every_sign(trace), trace, "all signs of the noise") for trace in traces)


@by_instances(Method.ENUMERATION, covers="noise of +-1, K = 1..6 local steps, all signs")
def fixed_steps() -> Iterable[Instance]:
    """Mean of G - Delta = (1/K) sum of the noise, over all signs, for every K that looks at
    nothing."""
    return (
        Instance(
            {
                "mean_noise_of_update": (
                    sum(Fraction(sum(signs), steps) for signs in product((-1, 1), repeat=steps))
                    / 2**steps
                )
            },
            f"K = {steps}",
        )
        for steps in range(1, 7)
    )


@by_instances(Method.ENUMERATION, covers="uniform sampling without replacement")
def fixed_size_samples() -> Iterator[Instance]:
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


def delay_sequences(num_rounds: int, max_delay: int) -> Iterator[tuple[int, ...]]:
    return product(*(range(min(t, max_delay) + 1) for t in range(num_rounds)))


@by_instances(
    Method.ENUMERATION, covers="all delay sequences of 1, 4 and 7 rounds with delays up to 3"
)
def reuse() -> Iterator[Instance]:
    for rounds, most in [(r, d) for d in range(4) for r in (1, 4, 7)]:
        worst = max(
            int(
                model_reuses(
                    Trace.with_delays(np.ones((rounds, 1), bool), np.array(s)[:, None])
                ).max()
            )
            for s in delay_sequences(rounds, most)
        )
        yield Instance({"uses_of_a_model": worst, "max_delay": most}, f"{rounds} rounds")


@by_instances(Method.ENUMERATION, covers="all delay sequences of 7 rounds with delays 1 to 3")
def windows() -> Iterator[Instance]:
    for most in range(1, 4):
        worst = max(
            sum(t - delay <= k < t for t, delay in enumerate(s))
            for s in delay_sequences(7, most)
            for k in range(7)
        )
        yield Instance(
            {"windows_over_an_increment": worst, "max_delay": most}, f"delays up to {most}"
        )


def box(algorithm: str) -> Decide:
    """x -> x - eta G with eta = 3, eta_L = 1/1000 on x^2/2: eta eta_L = 3/1000 is far inside the
    theorems' conditions."""

    def decide(claim: Claim) -> Evidence:
        runs = (
            Scenario(
                algorithm,
                Quadratic((1,), (0,)),
                Trace.fresh([[1]] * rounds),
                start=1,
                local_step_size="1/1000",
                server_step_size=3000,
                parameters={"box_server_step": 3},
            )
            for rounds in range(1, 9)
        )
        return check_on_runs(
            claim,
            runs,
            covers=(
                "x^2/2, one worker, one local step, no delay, no noise, eta = 3, eta_L = 1/1000, T"
                " = 1..8"
            ),
        )

    return decide


def one_round(claim: Claim) -> Evidence:
    """Symbolic runs of one round; K is a number in each, everything else a symbol."""

    def cases() -> Iterator[dict[str, Any]]:
        for steps in range(1, 5):
            run = simulate(
                AfaCrossDevice(),
                Quadratic((SLOPE,), (0,)),
                Trace.fresh([[1]], local_steps=steps),
                start=START,
                local_step_size=LOCAL,
                server_step_size=SERVER,
                arithmetic=SYMBOLIC,
            )
            yield {"model_after_round": run.models[1, 0], "local_steps": steps}

    return check_symbolic_cases(
        claim,
        cases(),
        covers="symbolic runs with K = 1..4 local steps, any step sizes, curvature and start",
    )


def skipped_round(claim: Claim) -> Evidence:
    problem = Quadratic((SLOPE, SLOPE), (-TILTS[0] / SLOPE, -TILTS[1] / SLOPE))
    run = simulate(
        AfaCrossSilo(),
        problem,
        Trace.fresh([[1, 1], [1, 0]]),
        start=START,
        local_step_size=LOCAL,
        server_step_size=SERVER,
        arithmetic=SYMBOLIC,
    )
    return check_symbolic(
        claim,
        derived={"model_after_round": run.models[2, 0]},
        covers="symbolic run of two rounds with two clients",
    )


CHECKS = (
    Check("afl.def.problem", slopes),
    Check("afl.asm1", lipschitz),
    Check("afl.asm2", only_first_unbiased),
    Check("afl.asm2.everyone", all_unbiased),
    Check("afl.asm3", apart),
    Check("afl.asm3.quadratics", quadratics_apart),
    Check("afl.asm4-implicit", fixed_steps),
    Check("afl.arrivals.independent", fixed_size_samples),
    Check("afl.delay-stats", reuse),
    Check("afl.delay-stats.windows", windows),
    Check("afl.alg2", box("afa-cd")),
    Check("afl.alg2.proof", one_round),
    Check("afl.alg3", box("afa-cs")),
    Check("afl.alg3.proof", skipped_round),
)
