"""Lemmas 1 and 2 and the terms A4 to A6 by exhaustive noise, closed recursions and runs at the edge
of their conditions."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.exact_run import below_root
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.afl.checks.paths import Gradient, histories, mean, work, works
from fltheory.papers.afl.paper import K

STEP_SIZES = (Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2))


def linear(curvature: Any, tilt: Any = 0) -> Gradient:
    return lambda x: curvature * x + tilt


def clipped(curvature: Any, bound: Any = 1) -> Gradient:
    return lambda x: max(min(curvature * x, Fraction(bound)), -Fraction(bound))


GRADIENTS = {
    "convex": linear(1),
    "concave": linear(-1),
    "flat": linear(0, 1),
    "clipped convex": clipped(1),
    "clipped concave": clipped(-1),
}


def single_updates(steps: range = range(1, 5)) -> Iterator[Instance]:
    """Moments of one update under all signs of the noise, sigma_L = 1."""
    for count, (name, gradient), size in product(steps, GRADIENTS.items(), STEP_SIZES):
        done = works(gradient, Fraction(1), size, count)
        values = {
            "squared_noise_of_update": mean([(w.update - w.exact) ** 2 for w in done]),
            "noise_times_path": mean([(w.update - w.exact) * w.exact for w in done]),
            "squared_update_sum": mean([w.update**2 for w in done]),
            "squared_path_sum": mean([w.exact**2 for w in done]),
            "gradient_noise": 1,
            "local_steps": count,
            "clients_per_round": 1,
        }
        yield Instance(values, f"{name} loss of curvature 1, K = {count}, eta_L = {size}, x = 1")


@by_instances(
    Method.ENUMERATION,
    covers="all signs of +-1 noise, K = 1..4, convex, concave, flat and clipped losses, eta_L from"
    " 1/10 to 2",
)
def all_single_updates() -> Iterable[Instance]:
    return single_updates()


def stop_at_first_nonzero() -> list[tuple[Fraction, tuple[int, ...]]]:
    """Noise 0 with chance 3/4 and +-2 with chance 1/8 each (variance 1); the worker stops when it
    sees noise, at most 2 steps."""
    law = {0: Fraction(3, 4), 2: Fraction(1, 8), -2: Fraction(1, 8)}
    return [(p, (n,)) for n, p in law.items() if n] + [(law[0] * p, (0, n)) for n, p in law.items()]


@by_instances(Method.PROBABILITY, covers="a worker that stops when it sees noise, at most 2 steps")
def adaptive_square() -> Iterable[Instance]:
    moment = sum(p * Fraction(sum(noise), len(noise)) ** 2 for p, noise in stop_at_first_nonzero())
    instance = Instance(
        {"squared_noise_of_update": moment, "gradient_noise": 1},
        "noise 0 or +-2, stop at the first that is not 0",
    )
    return [instance]


@by_instances(
    Method.PROBABILITY, covers="noise of +-1, a worker that stops after +1, at most 2 steps"
)
def adaptive_mean() -> Iterable[Instance]:
    """K = 1 if the first noise is +1, else 2: the mean of the noise of the update is 1/2 - 1/4."""
    outcomes = [(Fraction(1, 2), (1,)), (Fraction(1, 4), (-1, 1)), (Fraction(1, 4), (-1, -1))]
    instance = Instance(
        {"mean_noise_of_update": sum(p * Fraction(sum(n), len(n)) for p, n in outcomes)},
        "stop after +1, else go on once",
    )
    return [instance]


@by_instances(
    Method.ENUMERATION, covers="all signs of +-1 noise, K = 1..5, h = 1 and -1, four step sizes"
)
def excess() -> Iterator[Instance]:
    for count, curvature, size in product(range(1, 6), (1, -1), STEP_SIZES):
        done = works(linear(curvature), Fraction(1), size, count)
        value = mean([w.update**2 for w in done]) - mean([w.exact**2 for w in done])
        yield Instance(
            {"excess": value, "local_steps": count, "signed_rate": -size * curvature},
            f"K = {count}, h = {curvature}",
        )


@by_instances(
    Method.ENUMERATION, covers="all signs of +-1 noise, K = 1..4, K L eta_L = 1 and 1/3, m = 1, 2"
)
def short_updates() -> Iterator[Instance]:
    """One and two workers at and inside the edge K L eta_L = 1."""
    for count, (name, gradient), part in product(
        range(1, 5), GRADIENTS.items(), (1, Fraction(1, 3))
    ):
        size = part * (Fraction(1, count) if count > 1 else 5)
        for workers in (1, 2) if count < 4 else (1,):
            done = [works(gradient, Fraction(start), size, count) for start in (1, -2)[:workers]]
            pairs = list(product(*done))
            yield Instance(
                {
                    "squared_update_sum": mean([sum(w.update for w in p) ** 2 for p in pairs]),
                    "squared_path_sum": mean([sum(w.exact for w in p) ** 2 for p in pairs]),
                    "clients_per_round": workers,
                    "gradient_noise": 1,
                },
                f"{name}, K = {count}, m = {workers}",
            )


ARRIVALS = (
    (((0, 0, 1),), ((0, 1, 1),)),
    (((0, 0, 2),), ((0, 1, 2),)),
    (((0, 0, 2),), ((1, 0, 1),), ((0, 2, 1),)),
    (((0, 0, 1), (1, 0, 2)), ((0, 1, 1), (1, 0, 1))),
    (((0, 0, 1), (1, 0, 1)), ((0, 0, 1), (1, 1, 1)), ((0, 2, 1), (1, 1, 1))),
)


def lags(sizes: dict[int, tuple[Fraction, ...]]) -> Iterator[Instance]:
    """Moments of the lag in the last round of small runs; `sizes` gives the local step sizes for
    each largest K."""
    for row, curvature in product(ARRIVALS, (1, -1)):
        most, delay = max(k for r in row for _, _, k in r), max(d for r in row for _, d, _ in r)
        for size, server in product(sizes[most], (Fraction(1, 4), Fraction(1))):
            runs = list(
                histories(
                    [linear(curvature, 1), linear(curvature, -1)],
                    row,
                    start=Fraction(1),
                    local_step_size=size,
                    server_step_size=server / size,
                )
            )
            t = len(row) - 1
            lag = mean([(h.models[t] - h.models[t - d]) ** 2 for h in runs for _, d, _ in row[t]])
            window = sum(
                mean([h.path_sums[k] ** 2 for h in runs]) for k in range(max(t - delay, 0), t)
            )
            yield Instance(
                {
                    "mean_squared_lag": lag,
                    "window_sum": window,
                    "max_delay": delay,
                    "clients_per_round": len(row[0]),
                    "gradient_noise": 1,
                    "local_step_size": size,
                    "server_step_size": server / size,
                },
                f"h = {curvature}, eta_L = {size}, g = {server}, arrivals (worker, delay, K):"
                f" {row}",
            )


@by_instances(
    Method.ENUMERATION,
    covers="all signs of +-1 noise in runs of 2 or 3 rounds, delays 1 and 2, m = 1 and 2, eta_L up"
    " to 2",
)
def lag_at_any_step() -> Iterable[Instance]:
    return lags({1: STEP_SIZES, 2: STEP_SIZES})


@by_instances(
    Method.ENUMERATION,
    covers="all signs of +-1 noise in runs of 2 or 3 rounds, delays 1 and 2, m = 1 and 2, K L"
    " eta_L <= 1 or K = 1",
)
def lag_of_short_work() -> Iterable[Instance]:
    return lags({1: STEP_SIZES, 2: (Fraction(1, 10), Fraction(1, 2))})


@by_instances(
    Method.EXACT_RUN, covers="local paths of K = 2..4 steps on five losses, with and without noise"
)
def gaps() -> Iterator[Instance]:
    for count, (name, gradient), size in product(range(2, 5), GRADIENTS.items(), STEP_SIZES):
        for noise in ((0,) * count, (1,) * count, (1, -1, 1, 1)[:count]):
            done = work(gradient, Fraction(1, 2), size, noise)
            first = gradient(done.path[0])
            yield Instance(
                {
                    "squared_gradient_gap": (first - done.exact) ** 2,
                    "smoothness": 1,
                    "local_steps": count,
                    "mean_squared_gap": mean([(first - gradient(x)) ** 2 for x in done.path]),
                    "mean_squared_drift": mean([(x - done.path[0]) ** 2 for x in done.path]),
                },
                f"{name}, K = {count}, eta_L = {size}, noise {noise}",
            )


def drifts(edges: dict[int, Any], *, curvatures: tuple[Any, ...]) -> Iterator[Instance]:
    """E |x^k - x|^2 on quadratics: mean m_{k+1} = r m_k - eta g, variance v_{k+1} = r^2 v_k + eta^2
    sigma^2, r = 1 - eta h."""
    for (steps, size), curvature, (noise, apart, slope) in product(
        edges.items(),
        curvatures,
        ((0, 1, 0), (1, 0, 0), (0, 0, 1), (1, 1, 1), (1, 2, Fraction(1, 2))),
    ):
        moved, variance, ratio = Fraction(0), Fraction(0), 1 - size * curvature
        for k in range(1, steps):
            moved = ratio * moved - size * (slope + apart)
            variance = ratio**2 * variance + size**2 * noise**2
            growth = (steps - 1) * ((1 + Fraction(1, steps - 1)) ** k - 1)
            yield Instance(
                {
                    "squared_drift": moved**2 + variance,
                    "local_steps": steps,
                    "local_step_size": size,
                    "gradient_noise": noise,
                    "dissimilarity": apart,
                    "squared_gradient": slope**2,
                    "unrolled_factor": growth,
                },
                f"h = {curvature}, K = {steps}, k = {k}, eta_L = {size}, |grad f| = {slope},"
                f" client's gradient {slope + apart}",
            )


@by_instances(
    Method.EXACT_RUN,
    covers="quadratics with L = 1, K = 2..12, the largest step size allowed, noise, tilt and"
    " gradient apart and together",
)
def drift() -> Iterable[Instance]:
    edges = {
        steps: below_root(Fraction(1, 6 * (2 * steps**2 - 3 * steps + 1))) for steps in range(2, 13)
    }
    return drifts(edges, curvatures=(1, -1, Fraction(-1, 2), 0))


@by_instances(Method.EXACT_RUN, covers="K = 2, L = 1/100, eta_L = 4: 18 L^2 eta_L^2 = 0.0288")
def unrolled() -> Iterable[Instance]:
    """A flat loss, L = 1/100 counted for it: eta_L = 4 satisfies 6 (2K^2 - 3K + 1) L^2 eta_L^2 <= 1
    for K = 2."""
    return drifts({2: Fraction(4)}, curvatures=(0,))


def room(claim: Claim) -> Evidence:
    return check_symbolic(
        claim, derived={"room_for_drift": 1 / (K - 1) - 1 / (2 * K - 1)}, covers="all K > 1"
    )


@by_instances(Method.EXACT_RUN, covers="K = 2..60")
def growth() -> Iterator[Instance]:
    for steps in range(2, 61):
        factors = [(steps - 1) * ((1 + Fraction(1, steps - 1)) ** k - 1) for k in range(steps)]
        yield Instance(
            {
                "unrolled_factor": factors[-1],
                "mean_unrolled_factor": mean(factors),
                "local_steps": steps,
            },
            f"K = {steps}",
        )


CHECKS = (
    *(
        Check(name, all_single_updates)
        for name in ("afl.lem1", "afl.lem1.mean", "afl.lem1.sharp", "afl.lem2")
    ),
    Check("afl.lem1.adaptive", adaptive_square),
    Check("afl.lem1.adaptive-mean", adaptive_mean),
    Check("afl.lem2.closed", excess),
    Check("afl.lem2c", short_updates),
    Check("afl.a4", lag_at_any_step),
    Check("afl.a4c", lag_of_short_work),
    Check("afl.a5", gaps),
    Check("afl.a5.equality", gaps),
    Check("afl.a6", drift),
    Check("afl.a6.unrolled", unrolled),
    Check("afl.a6.room", room),
    Check("afl.a6.growth", growth),
    Check("afl.a6.mean-growth", growth),
)
