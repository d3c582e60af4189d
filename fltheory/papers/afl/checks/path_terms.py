"""Terms A4, A5 and A6 of the proofs (Appendix B.2): the lag of old models, the gap between local
and global gradients, and the drift of local models."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count, product

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.exact_run import below_root
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.papers.afl.checks.paths import (
    GRADIENTS,
    STEP_SIZES,
    Exact,
    Gradient,
    History,
    LocalPath,
    histories,
    linear,
    mean,
    work,
)
from fltheory.papers.afl.paper import K

ARRIVALS = (
    (((0, 0, 1),), ((0, 1, 1),)),
    (((0, 0, 2),), ((0, 1, 2),)),
    (((0, 0, 2),), ((1, 0, 1),), ((0, 2, 1),)),
    (((0, 0, 1), (1, 0, 2)), ((0, 1, 1), (1, 0, 1))),
    (((0, 0, 1), (1, 0, 1)), ((0, 0, 1), (1, 1, 1)), ((0, 2, 1), (1, 1, 1))),
)


def last_lag(runs: Sequence[History], delays: Sequence[int]) -> Fraction:
    """(1/m) sum over M_t of E |x_t - x_{t - tau_i}|^2 in the last round t of small runs."""
    t = len(runs[0].path_sums) - 1
    return mean([(run.models[t] - run.models[t - d]) ** 2 for run in runs for d in delays])


def last_window(runs: Sequence[History], delay: int) -> Fraction:
    """Sum over the last tau rounds of E |sum of Delta_i over M_k|^2."""
    t = len(runs[0].path_sums) - 1
    squares = [mean([run.path_sums[k] ** 2 for run in runs]) for k in range(max(t - delay, 0), t)]
    return sum(squares, Fraction(0))


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
            yield Instance(
                {
                    "mean_squared_lag": last_lag(runs, [d for _, d, _ in row[-1]]),
                    "window_sum": last_window(runs, delay),
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
    """Term A4 as printed: no condition on the local step size."""
    return lags({1: STEP_SIZES, 2: STEP_SIZES})


@by_instances(
    Method.ENUMERATION,
    covers="all signs of +-1 noise in runs of 2 or 3 rounds, delays 1 and 2, m = 1 and 2, K L"
    " eta_L <= 1 or K = 1",
)
def lag_of_short_work() -> Iterable[Instance]:
    """Term A4 under the condition K L eta_L <= 1 unless K = 1."""
    return lags({1: STEP_SIZES, 2: (Fraction(1, 10), Fraction(1, 2))})


def path_gaps(gradient: Gradient, done: LocalPath) -> dict[str, Fraction]:
    """The quantities of term A5 along one local path."""
    start, first = done.path[0], gradient(done.path[0])
    return {
        "squared_gradient_gap": (first - done.exact) ** 2,
        "mean_squared_gap": mean([(first - gradient(x)) ** 2 for x in done.path]),
        "mean_squared_drift": mean([(x - start) ** 2 for x in done.path]),
    }


@by_instances(
    Method.EXACT_RUN, covers="local paths of K = 2..4 steps on five losses, with and without noise"
)
def gaps() -> Iterator[Instance]:
    """Term A5: |grad f_i(x) - Delta_i|^2 against the means of |grad f_i(x) - grad f_i(x^j)|^2 and
    of |x^j - x|^2 over the local path."""
    for steps, (name, gradient), size in product(range(2, 5), GRADIENTS.items(), STEP_SIZES):
        for noise in ((0,) * steps, (1,) * steps, (1, -1, 1, 1)[:steps]):
            done = work(gradient, Fraction(1, 2), size, noise)
            yield Instance(
                {**path_gaps(gradient, done), "smoothness": 1, "local_steps": steps},
                f"{name}, K = {steps}, eta_L = {size}, noise {noise}",
            )


def squared_drifts(size: Exact, curvature: Exact, slope: Exact, noise: Exact) -> Iterator[Fraction]:
    """E |x^k - x|^2 for k = 1, 2, ... on a quadratic: mean m_{k+1} = r m_k - eta g, variance
    v_{k+1} = r^2 v_k + eta^2 sigma^2, r = 1 - eta h."""
    moved, variance, ratio = Fraction(0), Fraction(0), 1 - size * curvature
    while True:
        moved = ratio * moved - size * slope
        variance = ratio**2 * variance + size**2 * noise**2
        yield moved**2 + variance


def unrolled_factors(steps: int) -> list[Fraction]:
    """S_k = (K-1) [(1 + 1/(K-1))^k - 1] for k = 0, ..., K-1, from unrolling eq. (9)."""
    return [(steps - 1) * ((1 + Fraction(1, steps - 1)) ** k - 1) for k in range(steps)]


def drifts(edges: Mapping[int, Fraction], *, curvatures: Sequence[Exact]) -> Iterator[Instance]:
    """Term A6 on quadratics: `edges` gives the local step size for each K."""
    sources: tuple[tuple[int, int, Exact], ...] = (
        (0, 1, 0),
        (1, 0, 0),
        (0, 0, 1),
        (1, 1, 1),
        (1, 2, Fraction(1, 2)),
    )  # (noise, tilt, global gradient)
    for (steps, size), curvature, (noise, apart, slope) in product(
        edges.items(), curvatures, sources
    ):
        moments = squared_drifts(size, curvature, slope + apart, noise)
        for k, factor, squared in zip(count(1), unrolled_factors(steps)[1:], moments, strict=False):
            yield Instance(
                {
                    "squared_drift": squared,
                    "local_steps": steps,
                    "local_step_size": size,
                    "gradient_noise": noise,
                    "dissimilarity": apart,
                    "squared_gradient": slope**2,
                    "unrolled_factor": factor,
                },
                f"h = {curvature}, K = {steps}, k = {k}, eta_L = {size}, |grad f| = {slope},"
                f" client's gradient {slope + apart}",
            )


def largest_local_step(steps: int, smoothness: Fraction = Fraction(1)) -> Fraction:
    """Just inside the root of 6 (2K^2 - 3K + 1) L^2 eta_L^2 = 1, K > 1."""
    return below_root(Fraction(1, 6 * (2 * steps**2 - 3 * steps + 1)) / smoothness**2)


@by_instances(
    Method.EXACT_RUN,
    covers="quadratics with L = 1, K = 2..12, the largest step size allowed, noise, tilt and"
    " gradient apart and together",
)
def drift() -> Iterable[Instance]:
    """Term A6 at the edge of its condition 6 (2K^2 - 3K + 1) L^2 eta_L^2 <= 1."""
    return drifts(
        {steps: largest_local_step(steps) for steps in range(2, 13)},
        curvatures=(1, -1, Fraction(-1, 2), 0),
    )


def room(claim: Claim) -> Evidence:
    """Step (a11): 6 K L^2 eta_L^2 may take 1/(K-1) - 1/(2K-1)."""
    return check_symbolic(
        claim, derived={"room_for_drift": 1 / (K - 1) - 1 / (2 * K - 1)}, covers="all K > 1"
    )


@by_instances(Method.EXACT_RUN, covers="K = 2..60")
def growth() -> Iterator[Instance]:
    """The last of the unrolled factors S_k, and their mean, against multiples of K (eq. (9))."""
    for steps in range(2, 61):
        factors = unrolled_factors(steps)
        yield Instance(
            {
                "unrolled_factor": factors[-1],
                "mean_unrolled_factor": mean(factors),
                "local_steps": steps,
            },
            f"K = {steps}",
        )


CHECKS = (
    Check("afl.a4", lag_at_any_step),
    Check("afl.a4c", lag_of_short_work),
    Check("afl.a5", gaps),
    Check("afl.a5.equality", gaps),
    Check("afl.a6", drift),
    Check(
        "afl.a6.room",
        room,
        everything="an identity in K, for every K > 1; with one local step there is no drift",
    ),
    Check("afl.a6.growth", growth),
    Check("afl.a6.mean-growth", growth),
)
