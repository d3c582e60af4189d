"""The other side of a largest step: a trace of the language and a quadratic on which the method
fails, decided exactly by the map of one period."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from fltheory.analysis.affine import StateSpace
from fltheory.analysis.limits import limit_cycle
from fltheory.analysis.potentials.language import (
    Delays,
    Language,
    Periodic,
    RandomAvailability,
    Staleness,
    Turns,
    Windows,
)
from fltheory.analysis.potentials.question import ForeverQuestion
from fltheory.analysis.potentials.weighted import built, is_weighted, share_of_rounds, works_late
from fltheory.core.linear import ReachableMap, is_schur_stable, reachable_map, spectral_radius
from fltheory.core.types import IntArray
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.roles import Algorithm
from fltheory.engine.rounds import rounds as rounds_of
from fltheory.engine.rounds import schedule
from fltheory.engine.run import make_run
from fltheory.engine.simulate import simulate
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

DIGITS = 10**6
"""A step that breaks is found up to this part of 1/L."""

LATE_DIGITS = 10**4
"""The same for late gradients, whose largest proved step is less close."""

FEW = 6
"""Up to so many rounds, uneven traces are tried as well."""


@dataclass(frozen=True)
class Breaks:
    """On losses L x^2/2 of all clients and this repeated trace, the run does not converge for the
    step size `step` (in units of 1/L)."""

    step: Fraction
    rounds: tuple[str, ...]
    spectral_radius: float
    instead: str = ""
    """What the clients do, where it is not a repeated trace."""

    def told(self) -> str:
        """The trace and the loss in words."""
        clients = len(self.rounds[0])
        who = f"{clients} client{'s' * (clients > 1)} with loss L x^2/2"
        return f"{who}, deliveries {self.instead or ' '.join(self.rounds) + ' repeated'}"


def breaking(question: ForeverQuestion) -> Breaks | None:
    """The smallest step found at which a periodic trace and a quadratic break the method."""
    if question.local_steps > 8:
        return None
    if isinstance(question.language, RandomAvailability) and works_late(question.method):
        return None
    if isinstance(question.language, RandomAvailability):
        return _random_breaking(question, question.language.chance)
    if isinstance(question.language, Delays):
        return _late_breaking(question, question.language.bound)
    best: Breaks | None = None
    for rounds in candidates(question.language):
        high = _first_unstable(
            lambda step, rounds=rounds: period_map(question, rounds, step)[0],  # type: ignore[misc]
            Fraction(4) if best is None else best.step,
        )
        if high is not None and (best is None or high < best.step):
            best = Breaks(high, rounds, period_map(question, rounds, high)[1])
    return best


def lowest_rate(question: ForeverQuestion) -> Fraction:
    """What quadratics do along a trace of the language: no potential can have a smaller rate."""
    ends, language = (question.lowest, Fraction(1)), question.language
    if isinstance(language, RandomAvailability):
        found = [moment_radius(question, language.chance, question.step, c) for c in ends]
        return _below(max(found))
    if isinstance(language, Turns):
        return _below(float(max(abs(1 - question.step * c) for c in ends)) ** 2)
    if isinstance(language, Delays):
        late_rates = [
            late_map(question, ages, question.step, c)[1] ** (2 / len(ages))
            for ages in late_words(language.bound)
            for c in ends
        ]
        return _below(max(late_rates))
    if not isinstance(language, Staleness):
        rates = [
            period_map(question, rounds, question.step, c)[1] ** (2 / len(rounds))
            for rounds in candidates(language)
            for c in ends
        ]
        return _below(max(rates, default=0.0))
    trace = Trace.fresh([[1]], local_steps=question.local_steps)
    squares = []
    for curvature in ends:
        problem = Quadratic(curvatures=(curvature,), optima=(0,))
        run = simulate(question.algorithm, problem, trace, start=1, local_step_size=question.step)
        squares.append(Fraction(run.last[0]) ** 2)
    return max(squares)


def _below(value: float) -> Fraction:
    """A short fraction just below a float."""
    return max(Fraction(int(value * 10**9) - 1, 10**9), Fraction(0))


def _first_unstable(
    stable: Callable[[Fraction], bool], high: Fraction, digits: int = DIGITS
) -> Fraction | None:
    """The end of stability by bisection, as a short fraction if one decides alike; None if the
    upper end is stable."""
    low = Fraction(0)
    if stable(high):
        return None
    while high - low > Fraction(1, digits):
        middle = (low + high) / 2
        low, high = (middle, high) if stable(middle) else (low, middle)
    simple = high.limit_denominator(1000)
    return simple if low <= simple and not stable(simple) else high


def candidates(language: Language) -> Iterator[tuple[str, ...]]:
    """Everybody together as rarely as allowed; two clients by turns; one always, one rarely; for
    windows, late in one and early in the next."""
    if isinstance(language, Staleness):
        bound = language.bound
        yield ("1",) + ("0",) * bound
        if 1 <= bound <= FEW:
            period = bound + 1
            yield tuple(
                "".join("1" if (t + shift) % period == 0 else "0" for shift in (0, period // 2))
                for t in range(period)
            )
            yield tuple("11" if t == 0 else "10" for t in range(period))
    elif isinstance(language, Windows):
        size = language.length
        yield ("1",) + ("0",) * (size - 1)
        yield ("1",) + ("0",) * (2 * size - 2) + ("1",) * (size > 1)
    elif isinstance(language, Periodic):
        word = language.pattern
        yield tuple(word)
        for shift in range(1, min(len(word), 6)):
            turned = word[shift:] + word[:shift]
            yield tuple(a + b for a, b in zip(word, turned, strict=True))


def _late_breaking(question: ForeverQuestion, bound: int) -> Breaks | None:
    """The same for one client that delivers in every round, with ages that are repeated: always the
    largest one, or rising from 0 and staying at the largest one for a while."""
    best: Breaks | None = None
    for ages in late_words(bound):

        def stable(step: Fraction, ages: tuple[int, ...] = ages) -> bool:
            return late_map(question, ages, step)[0]

        high = _first_unstable(stable, Fraction(4) if best is None else best.step, LATE_DIGITS)
        if high is not None and (best is None or high < best.step):
            told = f"in every round, gradients {' '.join(map(str, ages))} rounds old, repeated"
            best = Breaks(high, ("1",), late_map(question, ages, high)[1], told)
    return best


def late_words(bound: int) -> Iterator[tuple[int, ...]]:
    """Ages of gradients that are repeated: always the largest one, always 0, or rising from 0 and
    staying at the largest one for a while."""
    yield (bound,)
    if bound:
        yield (0,)
    if bound <= FEW:
        yield from ((*range(bound), *(bound,) * stays) for stays in (1, 2, 3) if bound)


def late_map(
    question: ForeverQuestion,
    ages: tuple[int, ...],
    step: Fraction,
    curvature: Fraction = Fraction(1),
) -> tuple[bool, float]:
    """Like `period_map`, for gradients of these ages."""
    rounds = len(ages) * 3 if len(ages) > 1 else 2 * max(ages) + 3
    old = np.minimum(np.resize(ages, rounds), np.arange(rounds))[:, None]
    trace = Trace.with_delays(np.ones((rounds, 1), bool), old, local_steps=question.local_steps)
    problem = Quadratic(curvatures=(curvature,), optima=(0,))
    found = limit_cycle(question.algorithm, problem, trace, local_step_size=step)
    return bool(found.stable), float(found.spectral_radius or 0.0)


def period_map(
    question: ForeverQuestion,
    rounds: tuple[str, ...],
    step: Fraction,
    curvature: Fraction = Fraction(1),
) -> tuple[bool, float]:
    """Whether the period's map is stable, exactly, and its spectral radius."""
    pattern = np.array([[int(c) for c in row] for row in rounds])
    pattern, clients = np.concatenate([pattern] * 4), pattern.shape[1]
    trace = Trace.fresh(pattern, local_steps=question.local_steps)
    if works_late(question.method):
        trace = replace(trace, started_from=last_received(pattern))
    problem = Quadratic(curvatures=(curvature,) * clients, optima=(0,) * clients)
    found = limit_cycle(algorithm_for(question, clients), problem, trace, local_step_size=step)
    return bool(found.stable), float(found.spectral_radius or 0.0)


def algorithm_for(question: ForeverQuestion, clients: int) -> Algorithm:
    """The method, with the weights of so many clients if it needs some."""
    language = question.language
    if is_weighted(question.method) and isinstance(
        language, RandomAvailability | Windows | Periodic
    ):
        return built(question.method, share_of_rounds(language), clients)
    return question.algorithm


def last_received(delivers: IntArray) -> IntArray:
    """Rounds whose models are worked on by clients that start anew after each delivery."""
    started = np.zeros_like(delivers)
    for t in range(1, len(delivers)):
        started[t] = np.where(delivers[t - 1] == 1, t, started[t - 1])
    return np.where(delivers == 1, started, np.arange(len(delivers))[:, None])


def second_moments(
    question: ForeverQuestion, chance: Fraction, step: Fraction, curvature: Fraction = Fraction(1)
) -> ReachableMap:
    """The map of E z z' in one round, for clients that deliver together with this chance: p A (x) A
    + (1 - p) B (x) B with the maps A and B of a round with and without deliveries, on the moments
    that a run can reach."""
    maps = []
    for delivers in (1, 0):
        trace = Trace.fresh([[delivers]], local_steps=question.local_steps)
        problem = Quadratic(curvatures=(curvature,), optima=(0,))
        run = make_run(algorithm_for(question, 1), problem, trace, arithmetic=RATIONAL)
        space = StateSpace(run)
        (round,) = rounds_of(trace, RATIONAL, schedule(step), schedule(1))
        images = space.vector(
            run.advance(space.state(space.zero_and_units(space.size)), round), (space.size + 1,)
        )
        maps.append((images[1:] - images[0]).T)
    whole = chance * np.kron(maps[0], maps[0]) + (1 - chance) * np.kron(maps[1], maps[1])
    start = space.vector(run.start(RATIONAL.rows(np.ones((1, 1), int))))
    nothing = 0 * np.kron(start, start)
    return reachable_map(whole, nothing, np.stack([nothing, np.kron(start, start)]))


def _random_breaking(question: ForeverQuestion, chance: Fraction) -> Breaks | None:
    """Where E x_t^2 stops to vanish for clients that deliver together on L x^2/2; the
    characteristic polynomial of the second moments decides exactly."""

    def stable(step: Fraction) -> bool:
        return is_schur_stable(second_moments(question, chance, step).characteristic())

    high = _first_unstable(stable, Fraction(4))
    if high is None:
        return None
    radius = moment_radius(question, chance, high)
    return Breaks(high, ("1",), radius, f"together with probability {chance}, in mean square")


def moment_radius(
    question: ForeverQuestion, chance: Fraction, step: Fraction, curvature: Fraction = Fraction(1)
) -> float:
    """The factor of E x_t^2 per round."""
    return spectral_radius(second_moments(question, chance, step, curvature).characteristic())[0]
