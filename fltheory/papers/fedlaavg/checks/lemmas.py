"""Lemmas 1-7: reachability over all availability and ties, and exact expectations over all
noise."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy

from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.enumeration import expectation, selections, signs, worst_staleness
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method
from fltheory.papers.fedlaavg.checks.literal import Line, algorithm_3, outcomes
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


def _worst(settings: Any) -> Iterator[Instance]:
    for clients, used, window in settings:
        stop = 2 * -(-clients // used) * window + 2
        yield Instance(
            {
                "num_clients": clients,
                "clients_per_round": used,
                "availability_window": window,
                "worst_staleness": worst_staleness(clients, used, window, stop_at=stop),
            },
            f"N={clients}, K={used}, E={window}",
        )


def reachable(settings: Any, what: str) -> Decide:
    """Lemma 1 over every availability sequence of any length and every tie-break, from the cold
    start."""

    @by_instances(
        Method.ENUMERATION,
        covers=f"all availability sequences of any length, all ties: {what}, every K",
    )
    def decide() -> Iterable[Instance]:
        return _worst(settings)

    return decide


@by_instances(Method.EXACT_RUN, covers="all N <= 10, K <= N, E <= 4: everybody every E rounds")
def attained() -> Iterator[Instance]:
    for clients, window in product(range(1, 11), range(1, 5)):
        for used in range(1, clients + 1):
            rounds = 3 * -(-clients // used) * window
            chosen = longest_absent(WithinWindow(clients, window).matrix(rounds), used)
            yield Instance(
                {
                    "num_clients": clients,
                    "clients_per_round": used,
                    "availability_window": window,
                    "worst_staleness": availability_window(chosen) - 1,
                },
                f"N={clients}, K={used}, E={window}",
            )


@by_instances(
    Method.ENUMERATION,
    covers="all availability of two clients in three rounds of two iterations, all ties, K = 1",
)
def in_rounds() -> Iterator[Instance]:
    """Two clients, three rounds of two iterations: available in a round if in both its iterations;
    one client per round."""
    tables = {
        np.array(bits).reshape(3, 2, 2).all(axis=1).tobytes()
        for bits in product((False, True), repeat=12)
    }
    for table in sorted(tables):
        by_round = np.frombuffer(table, np.bool_).reshape(3, 2)
        for chosen in selections(by_round, 1):
            yield Instance(
                {
                    "num_clients": 2,
                    "clients_per_round": 1,
                    "availability_window": availability_window(by_round),
                    "worst_staleness": availability_window(chosen) - 1,
                },
                f"available {by_round.astype(int).tolist()}",
            )


def second_moments(steps: int) -> Decide:
    """E |g_i^t|^2 and E |g_i^t - grad f_i|^2 for each gradient of a run, over all noise."""

    @by_instances(Method.ENUMERATION, covers=f"two problems and starts, C = {steps}, all noise")
    def decide() -> Iterator[Instance]:
        for problem, start in product((TUG, BALANCED), (0, 2)):
            line = Line(problem)
            takes_part = TURNS[: 3 if steps == 1 else 2]
            every = [
                algorithm_3(line, takes_part, steps, Fraction(2, 5), Fraction(start), noise)
                for noise in outcomes(takes_part, steps, HALF)
            ]
            for client, t in every[
                0
            ].gradients:  # the same in all runs, as participation does not depend on the noise
                slopes = [line.slope(client, run.points[client, t]) for run in every]
                values = [run.gradients[client, t] for run in every]
                noise = expectation([(g - s) ** 2 for g, s in zip(values, slopes, strict=True)])
                yield Instance(
                    {
                        "gradient_second_moment": expectation([g * g for g in values]),
                        "noise_second_moment": noise,
                        "gradient_noise": HALF,
                        "gradient_bound": sympy.sqrt(sympy.Rational(5, 4)),
                    },
                    f"client {client}, t={t}",
                )

    return decide


def drift(of_client: bool) -> Decide:
    """Changes of a client's gradient, or of the global one, between any two iterations, cold starts
    and virtual iterates included."""

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
    line: Line, takes_part: Any, steps: int, scale: Fraction, start: int, of_client: bool
) -> Iterator[Instance]:
    size = Fraction(2, 5)
    every = [
        algorithm_3(line, takes_part, steps, size, Fraction(start), noise).models
        for noise in outcomes(takes_part, steps, scale)
    ]
    slopes = (
        [lambda x: line.slope(0, x), lambda x: line.slope(1, x)] if of_client else [line.mean_slope]
    )
    bound = line.problem.bound**2 + scale**2
    known = {
        "local_step_size": size,
        "smoothness": line.problem.constants.smoothness,
        "gradient_bound": sympy.sqrt(sympy.Rational(bound.numerator, bound.denominator)),
    }
    for slope in slopes:
        table = [[slope(x) for x in models] for models in every]
        for first, second in product(range(len(every[0])), repeat=2):
            if first < second:
                change = expectation([(row[second] - row[first]) ** 2 for row in table])
                yield Instance(
                    known | {"squared_change": change, "iterations_apart": second - first},
                    f"t0={first}, t={second}",
                )


def return_if_opposed(available: Any, drawn: Any) -> Any:
    """Client 1 stays away; client 2 comes back exactly when the two first noises have opposite
    signs."""
    opposed = (drawn[..., 0, 0] * drawn[..., 0, 1]) < 0
    return np.stack([np.zeros_like(opposed), opposed], axis=-1)


@by_instances(Method.ENUMERATION, covers="all 16 outcomes of the noise")
def adaptive_noise() -> Iterator[Instance]:
    """All +-1 noise of two clients in two rounds, with availability that has seen the first round's
    noise."""
    tables = [np.array(drawn).reshape(2, 2) for drawn in signs(4)]
    latest = []
    for table in tables:
        there = NoiseAdaptive(return_if_opposed).matrix(table)
        latest.append([int(table[np.flatnonzero(there[:, i])[-1], i]) for i in range(2)])
    yield Instance(
        {
            "noise_of_sum": expectation([Fraction(sum(pair)) ** 2 for pair in latest]),
            "sum_of_noises": expectation([Fraction(sum(n * n for n in pair)) for pair in latest]),
        },
        "N=2, +-1 noise, client 2 takes part again exactly when the first two noises differ in"
        " sign",
    )


@by_instances(Method.ENUMERATION, covers="two clients, two rounds, everybody, all noise")
def full_participation() -> Iterable[Instance]:
    return (i for i in single_steps() if i.values["staleness_bound"] == 0)


@by_instances(Method.ENUMERATION, covers="+-1 noise of 2 to 8 clients, all outcomes")
def mean_noise() -> Iterator[Instance]:
    """(1/N) times a sum of N independent signs."""
    for clients in range(2, 9):
        second = expectation([Fraction(sum(drawn), clients) ** 2 for drawn in signs(clients)])
        root = sympy.sqrt(sympy.Rational(second.numerator, second.denominator))
        yield Instance(
            {"num_clients": clients, "gradient_noise": 1, "root_mean_square_noise": root},
            f"N={clients}, +-1 noise",
        )


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
