"""All outcomes of +-1 noise along AFA-CD's local paths, in fractions: what expectations in the
proofs' terms are taken over.

Written out by hand, apart from fltheory.engine.simulate, because the proofs speak of the exact
gradients along each local path.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

Gradient = Callable[[Fraction], Fraction]


@dataclass(frozen=True)
class Work:
    """One delivery: its update G, the exact average gradient Delta along its path, and the path
    itself."""

    update: Fraction
    exact: Fraction
    path: tuple[Fraction, ...]


def work(
    gradient: Gradient, start: Fraction, step_size: Fraction, noise: Sequence[Fraction]
) -> Work:
    """K = len(noise) local steps."""
    path, exact, drawn = [Fraction(start)], Fraction(0), Fraction(0)
    for n in noise:
        slope = gradient(path[-1])
        exact, drawn = exact + slope, drawn + slope + n
        path.append(path[-1] - step_size * (slope + n))
    return Work(drawn / len(noise), exact / len(noise), tuple(path[:-1]))


def works(gradient: Gradient, start: Fraction, step_size: Fraction, steps: int) -> list[Work]:
    """One delivery under every outcome of the noise, all equally likely."""
    return [work(gradient, start, step_size, signs) for signs in product((-1, 1), repeat=steps)]


def mean(values: Sequence[Fraction]) -> Fraction:
    """Exact average."""
    return sum(values, Fraction(0)) / len(values)


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
