"""Exact scenarios over the whole region of a theorem: first its edges, the simplest first, then
keyed draws; and exact means over samples.

The edges are one client and many, one arrival and all, one local step and many, no delay and the
largest, and the largest step sizes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, isqrt
from typing import TypeVar

import numpy as np

from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.randomness import Purpose, below, random_integers
from fltheory.core.types import Array, BoolArray, ExactLike
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.traces.trace import Trace

T = TypeVar("T")

StepSize = ExactLike | tuple[ExactLike, ...]
"""One local step size, or one for each round."""

StepRule = Callable[[CommonCurvature, Trace], Iterable[tuple[StepSize, ExactLike]]]
"""(problem, trace) -> the (local, server) step sizes to try there, extreme ones included."""

MAX_SEQUENCES = 5000
"""Largest number of sample sequences in an exact mean."""


def below_root(square: ExactLike, *, digits: int = 6) -> Fraction:
    """The largest number with `digits` decimals whose square is at most `square`: an irrational
    edge, approached from inside.

    >>> below_root(2, digits=3), below_root("1/4")
    (Fraction(707, 500), Fraction(1, 2))
    """
    number = exact(square, "square")
    if number < 0:
        raise InvalidInput("square", "be at least 0", number)
    scale = 10**digits
    return Fraction(isqrt(number.numerator * scale**2 // number.denominator), scale)


def tilted(
    num_clients: int,
    *,
    curvature: ExactLike = 1,
    spread: ExactLike = 1,
    noise_squared: ExactLike = 0,
) -> CommonCurvature:
    """Clients h/2 x^2 + b_i x whose tilts b_i sum to 0 and reach +-spread, so that the
    dissimilarity is exactly `spread` (0 for one client).

    >>> tilted(3).tilts
    ((Fraction(-1, 1),), (Fraction(0, 1),), (Fraction(1, 1),))
    """
    size = exact(spread, "spread")
    tilts = [size * (2 * i - num_clients + 1) / max(num_clients - 1, 1) for i in range(num_clients)]
    return CommonCurvature(curvature, tilts, noise_squared=noise_squared)


@dataclass(frozen=True)
class Region:
    """Ranges for the scenarios of a theorem; with `everyone_first`, all clients deliver without
    delay in round 0."""

    algorithm: str
    clients: tuple[int, ...] = (1, 2, 3)
    rounds: tuple[int, ...] = (1, 2, 3, 5)
    local_steps: tuple[int, ...] = (1, 2, 3)
    delays: tuple[int, ...] = (0, 1, 2)
    curvatures: tuple[ExactLike, ...] = (1, Fraction(1, 3), 2)
    spreads: tuple[ExactLike, ...] = (0, 1)
    noises: tuple[ExactLike, ...] = (0, 1)
    starts: tuple[ExactLike, ...] = (1, 0, -2)
    everyone_first: bool = False

    def edges(self, steps: StepRule) -> Iterator[Scenario]:
        """Every combination of extreme values: the most or fewest local steps, the largest or no
        delay, by the first client or by all."""
        for clients, taken, delay, rounds, spread, noise in product(
            _ends(self.clients),
            _ends(self.local_steps),
            _ends(self.delays),
            _ends(self.rounds),
            _ends(self.spreads),
            _ends(self.noises),
        ):
            for per_round in sorted({1, clients}):
                delivers = np.tile(np.arange(clients) < per_round, (rounds, 1))
                late = np.minimum(np.arange(rounds), delay)[:, None]
                trace = self._trace(delivers, late, np.full(delivers.shape, taken))
                problem = tilted(
                    clients, curvature=self.curvatures[0], spread=spread, noise_squared=noise
                )
                yield from self._scenarios(problem, trace, self.starts[0], steps)

    def draws(self, steps: StepRule, *, count: int, seed: int) -> Iterator[Scenario]:
        """Scenarios drawn from the whole region; the same seed and count give the same scenarios.

        Without noise and tilts the first start is used: at the optimum nothing would move.
        """
        for index in range(count):
            picks = iter(random_integers(seed, Purpose.SEARCH, index, 0, np.arange(8)).tolist())

            def pick(options: Sequence[T], number: Iterator[int] = picks) -> T:
                return options[next(number) % len(options)]

            clients, rounds, taken, delay = (
                pick(o) for o in (self.clients, self.rounds, self.local_steps, self.delays)
            )
            per_round = pick(tuple(range(1, clients + 1)))
            problem = tilted(
                clients,
                curvature=pick(self.curvatures),
                spread=pick(self.spreads),
                noise_squared=pick(self.noises),
            )
            places = (
                seed,
                Purpose.SEARCH,
                1 + index * 64 + np.arange(rounds)[:, None],
                1 + np.arange(clients),
            )
            order = np.argsort(random_integers(*places), axis=1)
            delivers = np.zeros((rounds, clients), np.bool_)
            np.put_along_axis(delivers, order[:, :per_round], True, axis=1)
            late = below(np.minimum(np.arange(rounds)[:, None], delay) + 1, *places, index=1)
            trace = self._trace(delivers, late, 1 + below(taken, *places, index=2))
            still = problem.constants.dissimilarity_squared == problem.noise_squared == 0
            yield from self._scenarios(
                problem, trace, self.starts[0 if still else index % len(self.starts)], steps
            )

    def _trace(self, delivers: BoolArray, delays: Array, local_steps: Array) -> Trace:
        chosen = delivers.copy()
        if self.everyone_first:
            chosen[0] = True
        return Trace.with_delays(chosen, delays, local_steps=local_steps)

    def _scenarios(
        self, problem: CommonCurvature, trace: Trace, start: ExactLike, steps: StepRule
    ) -> Iterator[Scenario]:
        for local, server in steps(problem, trace):
            yield Scenario(
                self.algorithm,
                problem,
                trace,
                start=start,
                local_step_size=local,
                server_step_size=server,
            )


def _ends(options: tuple[T, ...]) -> tuple[T, ...]:
    """The first and the last choice."""
    return (options[0], options[-1]) if options[0] != options[-1] else options[:1]


def sample_sequences(
    num_clients: int, clients_per_round: int, num_rounds: int
) -> Iterator[BoolArray]:
    """All equally likely participation matrices if each round takes a uniform subset of the clients
    (AFL Sec. 4.1, Theorem 3).

    >>> [matrix.astype(int).tolist() for matrix in sample_sequences(2, 1, 1)]
    [[[1, 0]], [[0, 1]]]
    """
    if not 1 <= clients_per_round <= num_clients:
        raise InvalidInput("clients per round", f"lie in [1, {num_clients}]", clients_per_round)
    count = comb(num_clients, clients_per_round) ** num_rounds
    if count > MAX_SEQUENCES:
        raise InvalidInput("number of sample sequences", f"be at most {MAX_SEQUENCES}", count)
    subsets = list(combinations(range(num_clients), clients_per_round))
    for chosen in product(subsets, repeat=num_rounds):
        matrix = np.zeros((num_rounds, num_clients), np.bool_)
        for row, members in zip(matrix, chosen, strict=True):
            row[list(members)] = True
        yield matrix


def mean_measure(scenarios: Iterable[Scenario], name: str) -> Fraction:
    """The exact mean of a measured quantity over equally likely scenarios.

    >>> runs = [
    ...     Scenario("afa-cd", tilted(2), Trace.fresh(delivers), start=1, local_step_size=1)
    ...     for delivers in sample_sequences(2, 1, 2)
    ... ]
    >>> mean_measure(runs, "mean_squared_gradient")
    Fraction(1, 1)
    """
    values = [Fraction(measure(scenario, [name])[name]) for scenario in scenarios]
    if not values:
        raise InvalidInput("scenarios of a mean", "hold at least one", 0)
    return sum(values, Fraction(0)) / len(values)
