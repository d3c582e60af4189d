"""Local paths of AFA-CD under all outcomes of +-1 noise, in fractions: the proofs take their
expectations over these.

The paths do not use fltheory.engine.simulate, because the proofs speak of the exact gradients along
each local path.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

Gradient = Callable[[Fraction], Fraction]
Exact = int | Fraction


def linear(curvature: Exact, tilt: Exact = 0) -> Gradient:
    """The gradient h x + b of a parabola, or of a linear loss if h = 0."""
    return lambda x: curvature * x + tilt


def clipped(curvature: Exact, bound: Exact = 1) -> Gradient:
    """The gradient of a Huber loss: h x, clipped to [-bound, bound]."""
    return lambda x: max(min(curvature * x, Fraction(bound)), -Fraction(bound))


GRADIENTS = {
    "convex": linear(1),
    "concave": linear(-1),
    "flat": linear(0, 1),
    "clipped convex": clipped(1),
    "clipped concave": clipped(-1),
}
STEP_SIZES = (Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2))


@dataclass(frozen=True)
class LocalPath:
    """One delivery: its update G, the exact average gradient Delta along its path, and the path
    itself."""

    update: Fraction
    exact: Fraction
    path: tuple[Fraction, ...]


def work(
    gradient: Gradient, start: Fraction, step_size: Fraction, noise: Sequence[Exact]
) -> LocalPath:
    """One delivery of K = len(noise) local steps x^{k+1} = x^k - eta_L (gradient(x^k) +
    noise_k)."""
    path, exact, drawn = [Fraction(start)], Fraction(0), Fraction(0)
    for n in noise:
        slope = gradient(path[-1])
        exact, drawn = exact + slope, drawn + slope + n
        path.append(path[-1] - step_size * (slope + n))
    return LocalPath(drawn / len(noise), exact / len(noise), tuple(path[:-1]))


def works(gradient: Gradient, start: Fraction, step_size: Fraction, steps: int) -> list[LocalPath]:
    """One delivery under every outcome of the noise, all equally likely."""
    return [work(gradient, start, step_size, signs) for signs in product((-1, 1), repeat=steps)]


def mean(values: Sequence[Fraction]) -> Fraction:
    """Exact average."""
    return sum(values, Fraction(0)) / len(values)


def squared_sums(outcomes: Sequence[Sequence[LocalPath]]) -> tuple[Fraction, Fraction]:
    """E |sum of G_i|^2 and E |sum of Delta_i|^2 over equally likely deliveries of all workers."""
    zero = Fraction(0)
    return (
        mean([sum((w.update for w in done), zero) ** 2 for done in outcomes]),
        mean([sum((w.exact for w in done), zero) ** 2 for done in outcomes]),
    )


@dataclass(frozen=True)
class History:
    """One outcome of a whole run: the models, and in each round the sum of Delta_i over those who
    deliver."""

    models: tuple[Fraction, ...]
    path_sums: tuple[Fraction, ...]


def histories(
    gradients: Sequence[Gradient],
    arrivals: Sequence[Sequence[tuple[int, int, int]]],
    *,
    start: Fraction,
    local_step_size: Fraction,
    server_step_size: Fraction,
) -> Iterator[History]:
    """AFA-CD under every outcome of the noise; `arrivals[t]` lists (worker, delay, local steps) of
    M_t."""
    draws = sum(steps for row in arrivals for _, _, steps in row)
    for signs in product((-1, 1), repeat=draws):
        noise, models, sums = iter(signs), [Fraction(start)], []
        for t, row in enumerate(arrivals):
            done = [
                work(
                    gradients[i],
                    models[t - delay],
                    local_step_size,
                    [next(noise) for _ in range(steps)],
                )
                for i, delay, steps in row
            ]
            sums.append(sum((w.exact for w in done), Fraction(0)))
            models.append(
                models[t]
                - server_step_size * local_step_size * sum(w.update for w in done) / len(row)
            )
        yield History(tuple(models), tuple(sums))
