"""Moves that make a run simpler: fewer clients and rounds, simpler traces and numbers, other step
sizes and units."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np

from fltheory.attacks.minimize.size import MOST_ROUNDS
from fltheory.claims.scenario import Scenario
from fltheory.claims.written_problems import problem_fields
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact, shares
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

Nested: TypeAlias = "Fraction | tuple[Nested, ...]"
"""A number, or numbers in nested tuples."""

STEP_FACTORS = tuple(
    Fraction(a, b)
    for a, b in ((1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 5), (5, 4), (4, 3), (3, 2), (2, 1))
)
"""Factors by which one step size is multiplied and the other divided: theorems bound the
product."""

REPETITIONS = 3
"""Number of rounds of a trace that repeats one round: as many as a limit needs."""

LOSS_UNITS = tuple(Fraction(a, b) for a, b in ((1, 4), (1, 3), (1, 2), (2, 1), (3, 1), (4, 1)))
GROWS_WITH_LOSS = frozenset({"curvatures", "curvature", "tilts", "bound"})
"""Factors by which losses are multiplied and the clients' step sizes divided, and the parts of a
problem that grow with its losses."""

MAY_BE_ZERO = frozenset({"start", "optima", "centres", "tilts", "noise_squared"})
DERIVED = frozenset({"importance", "weights", "full_local_steps"})
"""Parts of a run whose numbers may be 0, and parts whose numbers follow from others."""

Made = Callable[[], Scenario]
"""Makes a run; raises InvalidInput if there is no such run."""


def _fewer_clients(run: Scenario) -> Iterator[Made]:
    """One client alone, then all clients but one."""
    clients = range(run.trace.num_clients)
    for kept in (
        [[i] for i in clients] + [[j for j in clients if j != i] for i in clients]
        if len(clients) > 1
        else []
    ):
        yield partial(_of_clients, run, kept)


def _of_clients(run: Scenario, kept: list[int]) -> Scenario:
    """The run of some of its clients, with importances that add up to 1 again; weights that equal
    the importances stay equal to them."""
    trace, importance = run.trace, run.problem.importance
    total = sum(importance[i] for i in kept)
    if not total:
        raise InvalidInput("importance of the clients that are kept", "be above 0", total)
    left = shares([importance[i] / total for i in kept], len(kept))

    def part(value: object) -> object:
        if not isinstance(value, tuple) or len(value) != trace.num_clients:
            return value
        if _same_numbers(value, importance):
            return left
        return tuple(value[i] for i in kept)

    problem = replace(
        run.problem,
        **{name: part(getattr(run.problem, name)) for name in problem_fields(run.problem)[1]},
    )
    tables = (trace.delivers[:, kept], trace.started_from[:, kept], trace.local_steps[:, kept])
    return replace(
        run,
        problem=problem,
        trace=Trace(*tables),
        settings={name: part(value) for name, value in run.settings.items()},
    )


def _same_numbers(values: tuple[object, ...], others: tuple[Fraction, ...]) -> bool:
    """Are these the same numbers? A run that was read from a file has its settings as text.

    >>> _same_numbers(("1/2", "1/2"), (Fraction(1, 2), Fraction(1, 2)))
    True
    """
    if any(isinstance(value, tuple) for value in values):
        return False
    return tuple(exact(value) for value in values) == others


def _fewer_rounds(run: Scenario) -> Iterator[Made]:
    """The first rounds, then all rounds but one, then one round repeated; only if all rounds have
    the same step size."""
    trace = run.trace
    if isinstance(run.local_step_size, tuple):
        return
    for rounds in range(1, trace.num_rounds):
        yield partial(replace, run, trace=trace.first(rounds))
    for gone in range(trace.num_rounds - 1):
        yield partial(
            replace, run, trace=_of_rounds(trace, [t for t in range(trace.num_rounds) if t != gone])
        )
    for again in range(min(trace.num_rounds, MOST_ROUNDS)):
        yield partial(replace, run, trace=_of_rounds(trace, [again] * REPETITIONS))


def _of_rounds(trace: Trace, kept: list[int]) -> Trace:
    """The kept rounds of a trace; delays stay the same, if there are models of that age."""
    delivers, delays, steps = (
        table[kept] for table in (trace.delivers, trace.delays, trace.local_steps)
    )
    return Trace.with_delays(
        delivers, np.minimum(delays, np.arange(len(delivers))[:, None]), local_steps=steps
    )


def _simpler_traces(run: Scenario) -> Iterator[Made]:
    """All clients in every round, no delays, fewer local steps."""
    trace = run.trace
    most = max(int(trace.local_steps.max()), 1)
    everybody, now = np.ones_like(trace.delivers), np.where(trace.delivers, trace.local_steps, most)
    yield partial(replace, run, trace=Trace.with_delays(everybody, trace.delays, local_steps=now))
    yield partial(replace, run, trace=Trace.fresh(trace.delivers, local_steps=now))
    for steps in range(1, most):
        yield partial(replace, run, trace=trace.with_local_steps(np.minimum(now, steps)))


def _simpler_numbers(run: Scenario) -> Iterator[Made]:
    """One number simpler, or all numbers of a part 0; step sizes, curvatures and probabilities stay
    positive.

    First without noise but with a start that is larger by 1: both keep a model away from the
    optimum.
    """
    yield from _simpler_losses(run)
    if run.problem.noise_squared:
        yield partial(
            _with_problem,
            replace(run, start=tuple(x + 1 for x in run.start)),
            {"noise_squared": Fraction(0)},
        )
    for name in problem_fields(run.problem)[1]:
        for value in (
            _simpler(getattr(run.problem, name), zero=name in MAY_BE_ZERO)
            if name not in DERIVED
            else ()
        ):
            yield partial(_with_problem, run, {name: value})
    for value in _simpler(run.start, zero=True):
        yield partial(replace, run, start=value)
    for name in ("local_step_size", "server_step_size"):
        for value in (
            _simpler(getattr(run, name), zero=False)
            if not isinstance(getattr(run, name), tuple)
            else ()
        ):
            yield partial(replace, run, **{name: value})
    for name in sorted(set(run.settings) - DERIVED):
        for value in _simpler(run.settings[name], zero=False):
            yield partial(replace, run, settings={**run.settings, name: value})


def _simpler_losses(run: Scenario) -> Iterator[Made]:
    """Quadratic clients with curvature 1 and optima 0, or 0 and 1, instead of other losses."""
    clients = run.trace.num_clients
    if isinstance(run.problem, Quadratic) or run.problem.dimension > 1:
        return
    for optima in ((0,) * clients, tuple(i % 2 for i in range(clients))):
        problem = Quadratic((1,) * clients, optima, run.problem.importance)
        yield partial(replace, run, problem=problem)


def _with_problem(run: Scenario, fields: Mapping[str, Nested]) -> Scenario:
    return replace(run, problem=replace(run.problem, **fields))


def _simpler(value: object, *, zero: bool) -> Iterator[Nested]:
    """The value with one of its numbers simpler; if 0 is allowed, first with all numbers 0.

    >>> list(map(str, _simpler(Fraction(9, 5), zero=False)))
    ['1', '2', '5/3', '7/4', '9/10']
    """
    if isinstance(value, tuple):
        if zero:
            yield _nothing(value)
        for i, part in enumerate(value):
            for one in _simpler(part, zero=zero):
                yield (*value[:i], one, *value[i + 1 :])
    elif isinstance(value, Fraction):
        sign = 1 if value > 0 else -1
        near = [Fraction(0)] * zero + [
            Fraction(sign),
            *(value.limit_denominator(q) for q in (1, 2, 3, 4)),
            value / 2,
        ]
        yield from (x for x in dict.fromkeys(near) if x != value and (zero or x * sign > 0))


def _nothing(value: object) -> Nested:
    return tuple(map(_nothing, value)) if isinstance(value, tuple) else Fraction(0)


def _other_step_sizes(run: Scenario) -> Iterator[Made]:
    """One step size longer, the other shorter; not if the server's is 1, as in methods without
    one."""
    if isinstance(run.local_step_size, tuple) or run.server_step_size == 1:
        return
    for factor in STEP_FACTORS:
        yield partial(
            replace,
            run,
            local_step_size=run.local_step_size * factor,
            server_step_size=run.server_step_size / factor,
        )


def _other_units(run: Scenario) -> Iterator[Made]:
    """The same models, with losses in another unit."""
    if not isinstance(run.local_step_size, tuple):
        yield from (partial(_in_units, run, factor) for factor in LOSS_UNITS)


def _in_units(run: Scenario, factor: Fraction) -> Scenario:
    """Losses times a factor, and step sizes of the clients divided by it.

    >>> from fltheory import Quadratic, Trace
    >>> problem, trace = Quadratic((1, 2), (0, 1)), Trace.fresh([[1, 1]])
    >>> run = Scenario("fedavg", problem, trace, start=0, local_step_size="1/8")
    >>> other = _in_units(run, Fraction(1, 2))
    >>> str(other.local_step_size), other.problem == Quadratic(("1/2", 1), (0, 1))
    ('1/4', True)
    """
    steeper = {
        name: _times(getattr(run.problem, name), factor)
        for name in problem_fields(run.problem)[1]
        if name in GROWS_WITH_LOSS
    }
    problem = replace(run.problem, noise_squared=run.problem.noise_squared * factor**2, **steeper)
    return replace(run, problem=problem, local_step_size=run.local_step_size / factor)


def _times(value: Nested, factor: Fraction) -> Nested:
    return (
        tuple(_times(part, factor) for part in value)
        if isinstance(value, tuple)
        else value * factor
    )


MOVES = (
    _fewer_clients,
    _fewer_rounds,
    _simpler_traces,
    _simpler_numbers,
    _other_step_sizes,
    _other_units,
)
"""All moves, the largest simplifications first."""
