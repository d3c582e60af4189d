"""Where AFL's lemmas and the terms A4 to A6 may fail: updates under all signs of the noise, lags
and drift."""

from fractions import Fraction
from itertools import islice, product

from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.papers.afl.checks.path_terms import (
    largest_local_step,
    last_lag,
    last_window,
    path_gaps,
    squared_drifts,
    unrolled_factors,
)
from fltheory.papers.afl.checks.paths import (
    clipped,
    histories,
    linear,
    mean,
    squared_sums,
    work,
    works,
)
from fltheory.papers.afl.spaces.conditions import restated

MOST_DRAWS = 7
"""Most noise draws of a run whose outcomes are all enumerated."""


def _updates(choices: Choices, claim: Claim) -> Drawn:
    """Deliveries of one or two workers under all signs of the noise; short work where the claim
    asks for it."""
    steps, workers = choices.whole(1, 4), choices.whole(1, 2)
    curvature = choices.choice(
        (Fraction(1), Fraction(-1), Fraction(0), Fraction(1, 2), Fraction(3))
    )
    size = choices.number("1/4", 2) * choices.power(10, most=1)
    if claim.id == "afl.lem2c":
        choices.require(steps == 1 or steps * abs(curvature) * size <= 1, "afl.short-work")
    single = claim.id not in ("afl.lem2c", "afl.lem2")
    workers = 1 if single or steps > 3 else workers
    gradient = (
        clipped(curvature)
        if choices.flag() and claim.id != "afl.lem2.closed"
        else linear(curvature, choices.number(-1, 1))
    )
    done = [works(gradient, choices.number(-2, 2), size, steps) for _ in range(workers)]
    updates, paths = squared_sums(list(product(*done)))
    first = done[0]
    return {
        "squared_noise_of_update": mean([(w.update - w.exact) ** 2 for w in first]),
        "noise_times_path": mean([(w.update - w.exact) * w.exact for w in first]),
        "mean_noise_of_update": mean([w.update - w.exact for w in first]),
        "squared_update_sum": updates,
        "squared_path_sum": paths,
        "gradient_noise": 1,
        "local_steps": steps,
        "clients_per_round": workers,
        "local_step_size": size,
        "excess": updates - paths,
        "signed_rate": -size * curvature,
        "smoothness": abs(curvature),
    }


def _watching(choices: Choices, claim: Claim) -> Drawn:
    """A worker that decides after its first gradient whether to stop; noise 0 or +-v with variance
    1, at most 2 steps."""
    size = choices.whole(1, 2)
    share = Fraction(1, 2 * size**2)
    law = {size: share, -size: share} | ({0: 1 - 2 * share} if size > 1 else {})
    stops = {n: choices.flag() for n in law}
    outcomes: list[tuple[Fraction, tuple[int, ...]]]
    outcomes = [(p, (n,)) for n, p in law.items() if stops[n]]
    outcomes += [(p * q, (n, k)) for n, p in law.items() if not stops[n] for k, q in law.items()]
    return {
        "squared_noise_of_update": sum(p * Fraction(sum(n), len(n)) ** 2 for p, n in outcomes),
        "gradient_noise": 1,
        "mean_noise_of_update": sum(p * Fraction(sum(n), len(n)) for p, n in outcomes),
    }


def _lag(choices: Choices, claim: Claim) -> Drawn:
    """Small runs with delays under all signs of the noise; the lag of the work that is used in the
    last round."""
    rounds, workers = choices.whole(2, 3), choices.whole(1, 2)
    arrivals = [
        [(i, choices.whole(0, t), choices.whole(1, 3)) for i in range(workers)]
        for t in range(rounds)
    ]
    choices.require(
        sum(k for row in arrivals for _, _, k in row) <= MOST_DRAWS, "few enough noise draws"
    )
    curvature = choices.choice((Fraction(1), Fraction(-1), Fraction(0)))
    size, server = choices.number("1/4", 2), choices.number("1/4", 2)
    most = max(k for row in arrivals for _, _, k in row)
    delay = max(d for row in arrivals for _, d, _ in row)
    choices.require(delay >= 1, "a delay")
    if claim.id == "afl.a4c":
        choices.require(most == 1 or most * abs(curvature) * size <= 1, "afl.short-work")
    tilt, start = choices.number(-1, 1), choices.number(-2, 2)
    runs = list(
        histories(
            [linear(curvature, tilt), linear(curvature, -tilt)],
            arrivals,
            start=start,
            local_step_size=size,
            server_step_size=server,
        )
    )
    return {
        "mean_squared_lag": last_lag(runs, [d for _, d, _ in arrivals[-1]]),
        "window_sum": last_window(runs, delay),
        "max_delay": delay,
        "clients_per_round": workers,
        "gradient_noise": 1,
        "local_step_size": size,
        "server_step_size": server,
        "local_steps": most,
        "smoothness": abs(curvature),
    }


def _gaps(choices: Choices, claim: Claim) -> Drawn:
    """One local path with any noise in {-1, 0, 1}; L may be larger than the curvature."""
    steps, curvature = choices.whole(1, 4), choices.choice((Fraction(1), Fraction(-1), Fraction(2)))
    gradient = clipped(curvature) if choices.flag() else linear(curvature, choices.number(-1, 1))
    done = work(
        gradient,
        choices.number(-2, 2),
        choices.number("1/4", 2),
        choices.many(lambda: choices.whole(-1, 1), steps),
    )
    gaps = path_gaps(gradient, done)
    return {
        "squared_gradient_gap": gaps["squared_gradient_gap"],
        "smoothness": abs(curvature) * choices.choice((1, 2)),
        "local_steps": steps,
        "mean_squared_gap": gaps["mean_squared_gap"],
        "mean_squared_drift": gaps["mean_squared_drift"],
    }


def _drift(choices: Choices, claim: Claim) -> Drawn:
    """Quadratics under 6 (2K^2 - 3K + 1) L^2 eta_L^2 <= 1; L may be larger than the curvature, and
    small if that is 0."""
    steps = choices.whole(2, 8)
    curvature = choices.choice((Fraction(1), Fraction(-1), Fraction(0), Fraction(1, 100)))
    smoothness = max(abs(curvature), choices.choice((Fraction(1), Fraction(1, 100))))
    size = largest_local_step(steps, smoothness) * choices.choice(
        (Fraction(1), Fraction(1, 2), Fraction(1, 10))
    )
    size = Fraction(int(size)) if size > 1 else size  # simple where it can be
    noise, apart, slope = choices.whole(0, 2), choices.whole(0, 2), choices.whole(-2, 2)
    k = choices.whole(1, steps - 1)
    drifts = squared_drifts(size, curvature, slope + apart, noise)
    factors = unrolled_factors(steps)
    return {
        "squared_drift": next(islice(drifts, k - 1, None)),
        "local_steps": steps,
        "local_step_size": size,
        "gradient_noise": noise,
        "dissimilarity": apart,
        "squared_gradient": slope**2,
        "unrolled_factor": factors[-1],
        "mean_unrolled_factor": mean(factors),
        "room_for_drift": Fraction(1, steps - 1) - Fraction(1, 2 * steps - 1),
        "smoothness": smoothness,
    }


SPACES = restated(
    (
        given(
            "Deliveries of up to four local steps under all signs of the noise: convex, concave,"
            " flat and clipped losses, any step size.",
            "squared_noise_of_update noise_times_path mean_noise_of_update squared_update_sum"
            " squared_path_sum gradient_noise local_steps clients_per_round local_step_size excess"
            " signed_rate smoothness",
            (
                "afl.lem1",
                "afl.lem1.mean",
                "afl.lem1.sharp",
                "afl.lem2",
                "afl.lem2c",
                "afl.lem2.closed",
                "afl.asm4-implicit",
            ),
            _updates,
        ),
        given(
            "Every rule by which a worker stops after its first gradient.",
            "squared_noise_of_update gradient_noise mean_noise_of_update",
            ("afl.lem1.adaptive", "afl.lem1.adaptive-mean"),
            _watching,
        ),
        given(
            "Runs of up to three rounds with delays under all signs of the noise.",
            "mean_squared_lag window_sum max_delay clients_per_round gradient_noise local_step_size"
            " server_step_size",
            ("afl.a4", "afl.a4c"),
            _lag,
        ),
        given(
            "Local paths of up to four steps, any noise.",
            "squared_gradient_gap smoothness local_steps mean_squared_gap mean_squared_drift",
            ("afl.a5", "afl.a5.equality"),
            _gaps,
        ),
        given(
            "Drift on quadratics up to the largest step size allowed, L as large as it must be or"
            " larger.",
            "squared_drift local_steps local_step_size gradient_noise dissimilarity"
            " squared_gradient unrolled_factor mean_unrolled_factor room_for_drift smoothness",
            ("afl.a6", "afl.a6.room", "afl.a6.growth", "afl.a6.mean-growth"),
            _drift,
        ),
    )
)
