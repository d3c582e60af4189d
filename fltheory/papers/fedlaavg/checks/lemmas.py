"""Lemmas 1-7: reachability over all availability and ties, and exact expectations over all
noise."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, product

import numpy as np

from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import exact_root, known
from fltheory.claims.checks.enumeration import expectation, selections, signs, worst_staleness
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method
from fltheory.core.types import Array, Formula, Scalar
from fltheory.papers.fedlaavg.checks.definitions import round_tables
from fltheory.papers.fedlaavg.checks.literal import (
    Line,
    LiteralRun,
    Participation,
    Place,
    algorithm_3,
    outcomes,
)
from fltheory.papers.fedlaavg.checks.steps import (
    BALANCED,
    HALF,
    TUG,
    TURNS,
    local_steps,
    on_steps,
    single_steps,
)
from fltheory.traces.availability.noise_adaptive import NoiseAdaptive
from fltheory.traces.availability.within_window import WithinWindow
from fltheory.traces.selection import longest_absent
from fltheory.traces.trace_statistics import availability_window

SMALL = tuple((n, k, e) for n, e in product(range(1, 5), range(1, 4)) for k in range(1, n + 1))
LARGE = tuple(
    (n, k, e) for n, e in [*product((5, 6), (1, 2)), (4, 4), (3, 5)] for k in range(1, n + 1)
)


def counts(clients: int, used: int, window: int) -> dict[str, Scalar]:
    """N, K and E by symbol."""
    return {
        "num_clients": clients,
        "clients_per_round": used,
        "availability_window": window,
    }


def sparse_staleness(clients: int, used: int, window: int) -> int:
    """The worst staleness of Algorithm 1's selection if everybody is available exactly every E
    rounds."""
    rounds = 3 * -(-clients // used) * window
    chosen = longest_absent(WithinWindow(clients, window).matrix(rounds), used)
    return availability_window(chosen) - 1


def reachable(settings: Sequence[tuple[int, int, int]], what: str) -> Decide:
    """Lemma 1 over every availability sequence of any length and every tie-break, from the cold
    start."""

    @by_instances(
        Method.ENUMERATION,
        covers=f"all availability sequences of any length, all ties: {what}, every K",
    )
    def decide() -> Iterator[Instance]:
        for clients, used, window in settings:
            stop = 2 * -(-clients // used) * window + 2
            stale = worst_staleness(clients, used, window, stop_at=stop)
            yield Instance(
                {**counts(clients, used, window), "worst_staleness": stale},
                f"N={clients}, K={used}, E={window}",
            )

    return decide


@by_instances(Method.EXACT_RUN, covers="all N <= 10, K <= N, E <= 4: everybody every E rounds")
def attained() -> Iterator[Instance]:
    """Lemma 1 is sharp: everybody is available exactly every E rounds."""
    for clients, window in product(range(1, 11), range(1, 5)):
        for used in range(1, clients + 1):
            stale = sparse_staleness(clients, used, window)
            yield Instance(
                {**counts(clients, used, window), "worst_staleness": stale},
                f"N={clients}, K={used}, E={window}",
            )


@by_instances(
    Method.ENUMERATION,
    covers="all availability of two clients in three rounds of two iterations, all ties, K = 1",
)
def in_rounds() -> Iterator[Instance]:
    """Lemma 5: two clients, of which one is used in each of three rounds of two iterations."""
    for by_round in round_tables():
        for chosen in selections(by_round, 1):
            yield Instance(
                {
                    **counts(2, 1, availability_window(by_round)),
                    "worst_staleness": availability_window(chosen) - 1,
                },
                f"available {by_round.astype(int).tolist()}",
            )


def gradient_moments(line: Line, every: Sequence[LiteralRun], place: Place) -> dict[str, Fraction]:
    """E |g_i^t|^2 and E |g_i^t - grad f_i|^2 over equally likely runs."""
    slopes = [line.slope(place[0], run.points[place]) for run in every]
    values = [run.gradients[place] for run in every]
    noises = [g - s for g, s in zip(values, slopes, strict=True)]
    return {
        "gradient_second_moment": expectation([g * g for g in values]),
        "noise_second_moment": expectation([n * n for n in noises]),
    }


def second_moments(steps: int) -> Decide:
    """Lemmas 2 and 6: the second moments of each gradient of a run, over all noise."""

    @by_instances(Method.ENUMERATION, covers=f"two problems and starts, C = {steps}, all noise")
    def decide() -> Iterator[Instance]:
        for problem, start in product((TUG, BALANCED), (0, 2)):
            line = Line(problem)
            takes_part = TURNS[: 3 if steps == 1 else 2]
            every = [
                algorithm_3(line, takes_part, steps, Fraction(2, 5), Fraction(start), noise)
                for noise in outcomes(takes_part, steps, HALF)
            ]
            constants = {"gradient_noise": HALF, "gradient_bound": exact_root("5/4")}
            # the same gradients in all runs, as participation does not depend on the noise
            for client, t in every[0].gradients:
                values = {**gradient_moments(line, every, (client, t)), **constants}
                yield Instance(values, f"client {client}, t={t}")

    return decide


def drift(of_client: bool) -> Decide:
    """Lemma 4 and Corollary 2: changes of a client's gradient, or of the global one, between any
    two iterations, cold starts and virtual iterates included."""

    @by_instances(
        Method.ENUMERATION,
        covers="all pairs of iterations of four participations of two clients (two are cold"
        " starts), two problems, two starts, all noise",
    )
    def decide() -> Iterator[Instance]:
        for takes_part, steps, scale in (
            (TURNS, 1, HALF),
            (TURNS[1:], 1, HALF),
            (TURNS[1:], 2, Fraction(0)),
            (TURNS, 1, Fraction(0)),
        ):
            for problem, start in product((TUG, BALANCED), (0, 3)):
                yield from _changes(Line(problem), takes_part, steps, scale, start, of_client)

    return decide


def _changes(
    line: Line, takes_part: Participation, steps: int, scale: Fraction, start: int, of_client: bool
) -> Iterator[Instance]:
    size = Fraction(2, 5)
    every = [
        algorithm_3(line, takes_part, steps, size, Fraction(start), noise)
        for noise in outcomes(takes_part, steps, scale)
    ]
    constants = {
        "local_step_size": size,
        "smoothness": known(line.problem.constants.smoothness),
        "gradient_bound": exact_root(line.problem.bound**2 + scale**2),
    }
    for slope in slopes_of(line, of_client=of_client):
        for first, second in combinations(range(len(every[0].models)), 2):
            change = squared_change(slope, every, first, second)
            yield Instance({**constants, **change}, f"t0={first}, t={second}")


def slopes_of(line: Line, *, of_client: bool) -> list[Callable[[Fraction], Fraction]]:
    """The slope of every client, or of the global loss alone."""
    clients = range(line.problem.num_clients)
    return [partial(line.slope, i) for i in clients] if of_client else [line.mean_slope]


def squared_change(
    slope: Callable[[Fraction], Fraction], every: Sequence[LiteralRun], first: int, second: int
) -> dict[str, Scalar]:
    """E |slope(x^t) - slope(x^t0)|^2 over equally likely runs, and t - t0."""
    changes = [slope(run.models[second]) - slope(run.models[first]) for run in every]
    return {
        "squared_change": expectation([change**2 for change in changes]),
        "iterations_apart": second - first,
    }


def return_if_opposed(available: Array, drawn: Array) -> Array:
    """Client 1 stays away; client 2 comes back exactly when the two first noises have opposite
    signs."""
    opposed = (drawn[..., 0, 0] * drawn[..., 0, 1]) < 0
    return np.stack([np.zeros_like(opposed), opposed], axis=-1)


def noise_sums(latest: Sequence[Sequence[int]]) -> dict[str, Fraction]:
    """E |sum_i n_i|^2 and sum_i E |n_i|^2 over equally likely latest noises."""
    return {
        "noise_of_sum": expectation([Fraction(sum(pair)) ** 2 for pair in latest]),
        "sum_of_noises": expectation([Fraction(sum(n * n for n in pair)) for pair in latest]),
    }


@by_instances(Method.ENUMERATION, covers="all 16 outcomes of the noise")
def adaptive_noise() -> Iterator[Instance]:
    """Lemma 3 with availability that depends on the first round's noise: all +-1 noise of two
    clients in two rounds."""
    latest = []
    for drawn in signs(4):
        table = np.array(drawn).reshape(2, 2)
        there = NoiseAdaptive(return_if_opposed).matrix(table)
        latest.append([int(table[np.flatnonzero(there[:, i])[-1], i]) for i in range(2)])
    yield Instance(
        noise_sums(latest),
        "N=2, +-1 noise, client 2 takes part again exactly when the first two noises differ in"
        " sign",
    )


@by_instances(Method.ENUMERATION, covers="two clients, two rounds, everybody, all noise")
def full_participation() -> Iterable[Instance]:
    """Eq. (37): everybody takes part in every round, I = 0."""
    return (i for i in single_steps() if i.values["staleness_bound"] == 0)


@by_instances(Method.ENUMERATION, covers="+-1 noise of 2 to 8 clients, all outcomes")
def mean_noise() -> Iterator[Instance]:
    """Eq. (37): the root mean square of (1/N) times a sum of N independent signs."""
    for clients in range(2, 9):
        root = root_mean_square(clients, Fraction(1))
        yield Instance(
            {"num_clients": clients, "gradient_noise": 1, "root_mean_square_noise": root},
            f"N={clients}, +-1 noise",
        )


def root_mean_square(clients: int, scale: Fraction) -> Formula:
    """The root of E |(1/N) sum_i n_i|^2 for independent n_i = +-scale, by enumeration."""
    means = [scale * Fraction(sum(drawn), clients) for drawn in signs(clients)]
    return exact_root(expectation([mean**2 for mean in means]))


CHECKS = (
    Check("fedlaavg.lem1", reachable(SMALL, "N <= 4, E <= 3")),
    Check(
        "fedlaavg.lem1",
        reachable(LARGE, "N = 5, 6 with E <= 2, N = 4 with E = 4, N = 3 with E = 5"),
        slow=True,
    ),
    Check("fedlaavg.lem1.tight", attained),
    Check("fedlaavg.lem2", second_moments(1)),
    Check("fedlaavg.lem2.noise", second_moments(1)),
    Check(
        "fedlaavg.lem3", on_steps(single_steps, "up to three clients, four rounds, one local step")
    ),
    Check("fedlaavg.lem3.adaptive", adaptive_noise),
    Check("fedlaavg.lem4", drift(of_client=True)),
    Check("fedlaavg.cor2", drift(of_client=False)),
    Check("fedlaavg.eq37", full_participation),
    Check("fedlaavg.eq37.norm", mean_noise),
    Check("fedlaavg.eq37.norm.corrected", mean_noise),
    Check("fedlaavg.lem5", in_rounds),
    Check("fedlaavg.lem6", second_moments(2)),
    Check("fedlaavg.lem6.noise", second_moments(2)),
    Check(
        "fedlaavg.lem7",
        on_steps(local_steps, "two clients, up to four rounds of two or three local steps"),
    ),
)
