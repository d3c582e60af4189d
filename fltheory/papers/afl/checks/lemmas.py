"""Lemmas 1 and 2 (Appendix A): moments of an update over all signs of the noise."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method
from fltheory.papers.afl.checks.paths import (
    GRADIENTS,
    STEP_SIZES,
    linear,
    mean,
    squared_sums,
    works,
)


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
    """Lemmas 1 and 2 for one worker: E |G - Delta|^2, E <G - Delta, Delta>, E |G|^2, E
    |Delta|^2."""
    return single_updates()


def stop_at_first_nonzero() -> list[tuple[Fraction, tuple[int, ...]]]:
    """Noise 0 with chance 3/4 and +-2 with chance 1/8 each (variance 1); the worker stops when it
    sees noise, at most 2 steps."""
    law = {0: Fraction(3, 4), 2: Fraction(1, 8), -2: Fraction(1, 8)}
    return [(p, (n,)) for n, p in law.items() if n] + [(law[0] * p, (0, n)) for n, p in law.items()]


@by_instances(Method.PROBABILITY, covers="a worker that stops when it sees noise, at most 2 steps")
def adaptive_square() -> Iterator[Instance]:
    """Lemma 1 if the worker stops when it sees noise: E |G - Delta|^2 is the mean of (sum n /
    K)^2."""
    moment = sum(p * Fraction(sum(noise), len(noise)) ** 2 for p, noise in stop_at_first_nonzero())
    yield Instance(
        {"squared_noise_of_update": moment, "gradient_noise": 1},
        "noise 0 or +-2, stop at the first that is not 0",
    )


@by_instances(
    Method.PROBABILITY, covers="noise of +-1, a worker that stops after +1, at most 2 steps"
)
def adaptive_mean() -> Iterator[Instance]:
    """K = 1 if the first noise is +1, else 2: the mean of the noise of the update is 1/2 - 1/4."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    outcomes: list[tuple[Fraction, tuple[int, ...]]]
    outcomes = [(half, (1,)), (quarter, (-1, 1)), (quarter, (-1, -1))]
    yield Instance(
        {"mean_noise_of_update": sum(p * Fraction(sum(n), len(n)) for p, n in outcomes)},
        "stop after +1, else go on once",
    )


@by_instances(
    Method.ENUMERATION, covers="all signs of +-1 noise, K = 1..5, h = 1 and -1, four step sizes"
)
def excess() -> Iterator[Instance]:
    """E |G|^2 - E |Delta|^2 of one worker on h x^2/2 after K local steps, a = -eta_L h (Lemma 2 in
    closed form)."""
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
    """Lemma 2 with one and two workers at and inside the edge K L eta_L = 1."""
    for count, (name, gradient), part in product(
        range(1, 5), GRADIENTS.items(), (Fraction(1), Fraction(1, 3))
    ):
        size = part * (Fraction(1, count) if count > 1 else 5)
        for workers in (1, 2) if count < 4 else (1,):
            done = [works(gradient, Fraction(start), size, count) for start in (1, -2)[:workers]]
            updates, paths = squared_sums(list(product(*done)))
            yield Instance(
                {
                    "squared_update_sum": updates,
                    "squared_path_sum": paths,
                    "clients_per_round": workers,
                    "gradient_noise": 1,
                },
                f"{name}, K = {count}, m = {workers}",
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
)
