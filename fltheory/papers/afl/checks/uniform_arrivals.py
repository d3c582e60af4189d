"""Theorem 3 at large server steps, over all sample sequences, and put together again; Corollary 2
and Remark 4 by substitution."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from fltheory.algorithms.anarchic import AfaCrossDevice
from fltheory.algorithms.fedavg import FedAvg
from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.exact_run import (
    Region,
    below_root,
    mean_measure,
    sample_sequences,
    tilted,
)
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.engine.simulate import simulate
from fltheory.papers.afl.checks.error_ball import faster, orders, substituted
from fltheory.papers.afl.checks.sampling import subsets
from fltheory.papers.afl.paper import (
    APART,
    DELAY,
    GAP,
    LOCAL,
    NOISE,
    PER_ROUND,
    SERVER,
    SPREAD,
    STEP,
    K,
    L,
    M,
    T,
)
from fltheory.papers.afl.statements.uniform_arrivals import MOVE
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace


def large_server_steps(delays: tuple[int, ...]) -> Any:
    """All workers arrive, g = 3: the printed conditions hold, for they do not speak of g when m =
    M."""

    def decide(claim: Claim) -> Evidence:
        region = Region(
            "afa-cd",
            clients=(1,),
            rounds=(1, 2) if delays == (0,) else (3,),
            local_steps=(1,),
            delays=delays,
        )
        runs = region.edges(lambda problem, trace: [(Fraction(1, 20), 20), (Fraction(1, 20), 60)])
        return check_on_runs(
            claim,
            runs,
            covers=f"one worker, K = 1, delays {delays}, eta_L = 1/20, eta eta_L = 1 and 3",
        )

    return decide


def sampled(
    problem: Any, size: int, delays: Any, steps: int, local: Fraction, server: Fraction, rounds: int
) -> Instance:
    """Means over all equally likely sample sequences; the delays of all workers are fixed
    beforehand."""
    runs = [
        Scenario(
            "afa-cd",
            problem,
            Trace.with_delays(rows, delays, local_steps=steps),
            start=1,
            local_step_size=local,
            server_step_size=server,
        )
        for rows in sample_sequences(problem.num_clients, size, rounds)
    ]
    fixed = (
        "initial_loss_gap",
        "smoothness",
        "gradient_noise",
        "dissimilarity",
        "num_rounds",
        "num_clients",
        "local_step_size",
        "server_step_size",
        "local_steps",
        "clients_per_round",
    )
    values = measure(runs[0], fixed) | {"max_delay": max(max(row) for row in delays)}
    values["mean_squared_gradient"] = mean_measure(runs, "mean_squared_gradient")
    return Instance(
        values,
        f"M = {problem.num_clients}, m = {size}, K = {steps}, eta_L = {local}, eta = {server},"
        f" delays {delays}",
    )


@by_instances(
    Method.PROBABILITY,
    covers="m = 1 of 2 or 3 workers, tau = 0, eta eta_L = 3, all sample sequences",
)
def large_step_with_sampling() -> Iterable[Instance]:
    return (
        sampled(
            tilted(clients, spread=0),
            1,
            [[0] * clients] * rounds,
            1,
            Fraction(1, 20),
            Fraction(60),
            rounds,
        )
        for clients, rounds in ((2, 1), (3, 2))
    )


def corrected_steps(
    clients: int, size: int, steps: int, delay: int, smoothness: Fraction
) -> Iterator[tuple[Fraction, Fraction]]:
    """Local steps that use up a part of (iii) and of the drift condition; the server step then at
    the edge of (ii) and (iii)."""
    rho = Fraction(clients - size, size * max(clients - 1, 1))
    for part in (Fraction(1, 2), Fraction(1, 20)):
        drift = min(
            part / (120 * (delay + 1)),
            Fraction(steps**2, max(6 * (2 * steps**2 - 3 * steps + 1), 1)),
        )
        local = below_root(drift) / (steps * smoothness)
        used = (steps * smoothness * local) ** 2
        limits = [Fraction(1, 2) / (1 - rho)] if rho != 1 else []
        if rho:
            limits.append((Fraction(1, delay + 1) - 120 * used) / (4 * rho * (90 * used + 3)))
        step = min(limits)
        if delay:  # largest u with u + u^2 tau^2 <= step, from inside
            step = 2 * step / (1 + below_root(1 + 4 * delay**2 * step) + Fraction(1, 10**6))
        yield local, step / (smoothness * local)


@by_instances(
    Method.PROBABILITY,
    covers="all sample sequences of up to 3 workers and 3 rounds, K = 1, 2, tau = 0, 1, exact"
    " noise, steps at the edge of the conditions",
)
def over_all_samples() -> Iterator[Instance]:
    for (clients, size), steps, delay, noise in product(
        ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2)), (1, 2), (0, 1), (0, 1)
    ):
        if clients == 3 and not noise:
            continue
        rounds = 3 if clients < 3 else 2
        delays = [
            [min(t, delay) if i % 2 == 0 else 0 for i in range(clients)] for t in range(rounds)
        ]
        problem = tilted(clients, noise_squared=noise)
        for local, server in corrected_steps(clients, size, steps, delay, Fraction(1)):
            yield sampled(problem, size, delays, steps, local, server, rounds)


def brackets(weights: Any) -> Any:
    @by_instances(Method.ENUMERATION, covers="all subsets for M = 2..6, weights " + weights.__doc__)
    def decide() -> Iterator[Instance]:
        for instance in subsets():
            values, clients = instance.values, instance.values["num_clients"]
            rho = Fraction(
                clients - values["clients_per_round"],
                values["clients_per_round"] * (clients - 1),
            )
            for weight in weights(rho):
                yield Instance(
                    {
                        "move_weight": weight,
                        "expected_mean_square": values["expected_mean_square"],
                        "num_clients": clients,
                        "square_of_mean": values["square_of_mean"],
                        "clients_per_round": values["clients_per_round"],
                        "mean_of_squares": values["sum_of_squares"] / clients,
                    },
                    f"{instance.says}, weight {weight}",
                )

    return decide


def any_weight(rho: Fraction) -> tuple[Fraction, ...]:
    """1/10, 1 and 3"""
    return (Fraction(1, 10), Fraction(1), Fraction(3))


def allowed_weight(rho: Fraction) -> tuple[Fraction, ...]:
    """1/(2 (1 - rho)), its tenth, and 7 where rho = 1"""
    return (1 / (2 * (1 - rho)), 1 / (20 * (1 - rho))) if rho != 1 else (Fraction(7),)


def assembled(claim: Claim) -> Evidence:
    """g/2 A3 with A3 <= 2 L^2 A4 + 2 A5, L A2, and g (Lg + L^2 g^2 tau^2) rho |Delta|^2.

    There |Delta|^2 <= 3 A5 + 3 sigma_G^2 + 3 |grad f|^2.
    """
    drift = 5 * K * L**2 * LOCAL**2 * (NOISE**2 + 6 * K * APART**2)
    lag = STEP**2 * DELAY**2 * NOISE**2 / PER_ROUND
    per_round = (
        STEP * (L**2 * lag + drift)
        + L * STEP**2 * NOISE**2 / PER_ROUND
        + STEP * MOVE * SPREAD * (3 * drift + 3 * APART**2)
    )
    return check_symbolic(
        claim,
        derived={"assembled_bound": (GAP / T + per_round) / (STEP / 4)},
        covers="all values of the parameters",
    )


def several_clients(expression: sympy.Expr) -> sympy.Expr:
    """rho without its special case M = 1."""
    return expression.xreplace({sympy.Max(M - 1, 1): M - 1})


def formula(claim: Claim) -> Evidence:
    return check_symbolic(
        claim,
        derived={"theorem_bound": several_clients(substituted("afl.thm3"))},
        covers="substitution, M > 1",
    )


def leading(claim: Claim) -> Evidence:
    scaled = sympy.expand(
        several_clients(substituted("afl.thm3")) * sympy.sqrt(PER_ROUND) * sympy.sqrt(T)
    )
    return check_symbolic(
        claim,
        derived={"leading_constant": sympy.limit(scaled, T, sympy.oo)},
        covers="limit T to infinity, M > 1, all parameters",
    )


def against_fedavg(factor: Any, steps: range) -> Any:
    def decide(claim: Claim) -> Evidence:
        def cases() -> Iterator[dict[str, Any]]:
            first, second, start = sympy.symbols("first_optimum second_optimum start", real=True)
            for taken in steps:
                problem = Quadratic((1, 3), (first, second))
                trace = Trace.fresh([[1, 1], [1, 0]], local_steps=taken)
                models = [
                    simulate(
                        method,
                        problem,
                        trace,
                        start=start,
                        local_step_size=LOCAL,
                        server_step_size=size,
                        arithmetic=SYMBOLIC,
                    ).models[2, 0]
                    for method, size in (
                        (AfaCrossDevice(), factor(taken) * SERVER),
                        (FedAvg(), SERVER),
                    )
                ]
                yield {"afa_model": models[0], "fedavg_model": models[1]}

        return check_symbolic_cases(
            claim,
            cases(),
            covers=(
                f"symbolic runs of two rounds, two workers, K in {list(steps)}, all step sizes and"
                " optima"
            ),
        )

    return decide


CHECKS = (
    Check("afl.thm3", large_server_steps((0,))),
    Check("afl.thm3", large_server_steps((1,))),
    Check("afl.thm3", large_step_with_sampling),
    Check("afl.thm3c", over_all_samples),
    Check("afl.thm3.bracket", brackets(any_weight)),
    Check("afl.thm3.bracketc", brackets(allowed_weight)),
    Check("afl.thm3.assembly", assembled),
    *(Check("afl.cor2", decide, plant=faster) for _, decide in orders("afl.thm3")),
    Check("afl.cor2.substituted", formula),
    Check("afl.rem4", leading),
    Check("afl.rem4.fedavg", against_fedavg(lambda taken: 1, range(1, 4))),
    Check("afl.rem4.fedavg.corrected", against_fedavg(lambda taken: taken, range(1, 4))),
)
