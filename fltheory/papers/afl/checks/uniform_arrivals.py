"""Theorem 3 at large server steps, over all sample sequences, and the steps of its proof."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product

from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.exact_run import (
    Region,
    below_root,
    mean_measure,
    sample_sequences,
    tilted,
)
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.types import Scalar
from fltheory.papers.afl.checks.general_arrivals import DRIFT, LAG
from fltheory.papers.afl.checks.sampling import VECTORS, sample_quantities, sampled_settings
from fltheory.papers.afl.paper import (
    APART,
    GAP,
    NOISE,
    PER_ROUND,
    SPREAD,
    STEP,
    L,
    T,
)
from fltheory.papers.afl.statements.uniform_arrivals import MOVE, spread
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.traces.trace import Trace

PER_ROUND_3 = (
    STEP * (L**2 * LAG + DRIFT)
    + L * STEP**2 * NOISE**2 / PER_ROUND
    + STEP * MOVE * SPREAD * (3 * DRIFT + 3 * APART**2)
)
"""What one round adds in the proof of Theorem 3: g/2 A3 with A3 <= 2 L^2 A4 + 2 A5, L A2, and
g (Lg + L^2 g^2 tau^2) rho |Delta|^2 with |Delta|^2 <= 3 A5 + 3 sigma_G^2 + 3 |grad f|^2."""


def large_server_steps(delays: tuple[int, ...]) -> Decide:
    """Theorem 3 as printed, all workers arrive, g = 1 and 3: for m = M its conditions do not limit
    g."""

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


FIXED = [
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
]
"""Quantities that are the same on every sample sequence."""


def sampled(
    problem: CommonCurvature,
    size: int,
    delays: Sequence[Sequence[int]],
    steps: int,
    local: Fraction,
    server: Fraction,
) -> Instance:
    """Means over all equally likely sequences of m = `size` workers per round; `delays[t][i]` is
    the delay of worker i if it arrives in round t."""
    runs = [
        Scenario(
            "afa-cd",
            problem,
            Trace.with_delays(rows, delays, local_steps=steps),
            start=1,
            local_step_size=local,
            server_step_size=server,
        )
        for rows in sample_sequences(problem.num_clients, size, len(delays))
    ]
    means: dict[str, Scalar] = {
        "max_delay": max(max(row) for row in delays),
        "mean_squared_gradient": mean_measure(runs, "mean_squared_gradient"),
    }
    return Instance(
        {**measure(runs[0], FIXED), **means},
        f"M = {problem.num_clients}, m = {size}, K = {steps}, eta_L = {local}, eta = {server},"
        f" delays {delays}",
    )


@by_instances(
    Method.PROBABILITY,
    covers="m = 1 of 2 or 3 workers, tau = 0, eta eta_L = 3, all sample sequences",
)
def large_step_with_sampling() -> Iterator[Instance]:
    """Theorem 3 as printed, one worker per round, no delay, g = 3."""
    for clients, rounds in ((2, 1), (3, 2)):
        equal, delays = tilted(clients, spread=0), [[0] * clients] * rounds
        yield sampled(equal, 1, delays, 1, Fraction(1, 20), Fraction(60))


def corrected_steps(
    clients: int, size: int, steps: int, delay: int, smoothness: Fraction
) -> Iterator[tuple[Fraction, Fraction]]:
    """Local steps that use up a part of (iii) and of the drift condition; the server step then at
    the edge of (ii) and (iii)."""
    rho = spread(clients, size)
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
    """Theorem 3 with the conditions (ii) and (iii) that its proof needs."""
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
            yield sampled(problem, size, delays, steps, local, server)


def brackets(weights: Callable[[Fraction], tuple[Fraction, ...]], told: str) -> Decide:
    """The step after (b12), with weights for Lg + L^2 g^2 tau^2 that may depend on rho."""

    @by_instances(Method.ENUMERATION, covers=f"all subsets for M = 2..6, weights {told}")
    def decide() -> Iterator[Instance]:
        for clients, size in sampled_settings():
            values = sample_quantities(VECTORS[:clients], size)
            for weight in weights(spread(clients, size)):
                yield Instance(
                    values | {"move_weight": weight},
                    f"M = {clients}, m = {size}, weight {weight}",
                )

    return decide


def any_weight(factor: Fraction) -> tuple[Fraction, ...]:
    """1/10, 1 and 3, whatever the finite-population factor rho is."""
    return (Fraction(1, 10), Fraction(1), Fraction(3))


def allowed_weight(factor: Fraction) -> tuple[Fraction, ...]:
    """1/(2 (1 - rho)), its tenth, and 7 where the finite-population factor rho is 1."""
    if factor == 1:
        return (Fraction(7),)
    return 1 / (2 * (1 - factor)), 1 / (20 * (1 - factor))


def assembled(claim: Claim) -> Evidence:
    """Steps (b1) to (b13) put together: what one round adds, summed and divided by g/4."""
    return check_symbolic(
        claim,
        derived={"assembled_bound": (GAP / T + PER_ROUND_3) / (STEP / 4)},
        covers="all values of the parameters",
    )


ALLOWED = "1/(2 (1 - rho)), its tenth, and 7 where rho = 1"
CHECKS = (
    Check("afl.thm3", large_server_steps((0,))),
    Check("afl.thm3", large_server_steps((1,))),
    Check("afl.thm3", large_step_with_sampling),
    Check("afl.thm3c", over_all_samples),
    Check("afl.thm3.bracket", brackets(any_weight, "1/10, 1 and 3")),
    Check("afl.thm3.bracketc", brackets(allowed_weight, ALLOWED)),
    Check("afl.thm3.assembly", assembled, everything="an identity in all its symbols"),
)
