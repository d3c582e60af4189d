"""A simpler run that contradicts a claim too: clients, rounds, delays and local steps are left out,
numbers are made plainer.

The choices that make a run hang together (one client less moves all that are read after it), so a
run is simplified once more as a run.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from fltheory.attacks.decide import contradicts
from fltheory.attacks.minimize.size import MOST_ROUNDS, CounterexampleSize, size_of
from fltheory.claims.checks.bound_on_run import on_scenario, unmet
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.scenario import Scenario, problem_fields
from fltheory.core.enclosure import Comparison
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.exact import shares
from fltheory.traces.trace import Trace

MOST_LOOKS = 300
"""Runs that one simplification may look at."""

FACTORS = tuple(
    Fraction(a, b)
    for a, b in ((1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 5), (5, 4), (4, 3), (3, 2), (2, 1))
)
"""What one step size is multiplied and the other divided by: theorems bound their product."""

REPEATED = 3
"""Rounds of a trace that is made of one round again and again: as many as a limit needs."""

UNITS = tuple(Fraction(a, b) for a, b in ((1, 4), (1, 3), (1, 2), (2, 1), (3, 1), (4, 1)))
STEEPER = frozenset({"curvatures", "curvature", "tilts", "bound"})
"""What losses are multiplied and the clients' step sizes divided by, and the parts of a problem
that grow with its losses."""

MAY_BE_ZERO = frozenset({"start", "optima", "centres", "tilts", "noise_squared"})
GIVEN = frozenset({"importance", "weights", "full_local_steps"})
"""Parts of a run whose numbers may become 0, and those whose numbers follow from others."""

Made = Callable[[], Scenario]
"""Makes a run, or refuses by name where there is none of the kind."""


def simplest(claim: Claim, instance: Instance) -> tuple[Instance, int]:
    """The lightest run found that meets every printed assumption and contradicts the claim exactly,
    and how many runs were looked at."""
    kept, looks, moved = instance, 0, True
    while moved:
        run, moved = Scenario.from_json((kept.scenario or {})["run"]), False
        weighed = sorted(
            ((_weight(claim, one), number, one) for number, one in enumerate(simpler(run))),
            key=lambda entry: entry[:2],
        )
        for weight, _, candidate in weighed[: MOST_LOOKS - looks]:
            if weight >= _weight(claim, run):
                break
            looks += 1
            found = _contradicting(claim, candidate)
            if found is not None:
                kept, moved = found, True
                break
    return kept, looks


def chosen_size(claim: Claim, instance: Instance) -> CounterexampleSize:
    """The size of a run all of whose numbers were chosen."""
    size = size_of(claim, instance)
    return replace(size, drawn=size.denominator)


def _weight(claim: Claim, run: Scenario) -> tuple[int, ...]:
    """Lighter is simpler: sizes, then noise, then digits, then those of the problem that are not
    0."""
    data = run.to_json()
    *sizes, digits = size_of(claim, Instance({}, "", {"run": data})).weight
    return (
        *sizes,
        bool(run.problem.noise_squared),
        digits,
        sum(map(str(data["problem"]).count, "123456789")),
    )


def simpler(run: Scenario) -> Iterator[Scenario]:
    """Runs with one thing less, the largest steps first; rounds in which nobody delivers come in
    only where there are some already.

    >>> from fltheory import Quadratic, Trace
    >>> run = Scenario("fedavg", Quadratic((2, 2), (0, 1)), Trace.fresh([[1, 0], [0, 1]]), start=0, local_step_size="1/4")
    >>> next(simpler(run)).says
    'fedavg on Quadratic, 2 clients, 1 round, 1 local step, step sizes 1/4 and 1, start 0'
    """
    busy = run.trace.delivers.any(axis=-1).all()
    for moves in (
        _fewer_clients,
        _fewer_rounds,
        _plainer_traces,
        _plainer_numbers,
        _other_step_sizes,
        _other_units,
    ):
        for made in moves(run):
            try:
                found = made()
            except InvalidInput:
                continue
            if found != run and (not busy or found.trace.delivers.any(axis=-1).all()):
                yield found


def _contradicting(claim: Claim, run: Scenario) -> Instance | None:
    try:
        if unmet(claim, run, stated_only=True):
            return None
        found = on_scenario(claim, run)
        return None if contradicts(claim, found) in (None, Comparison.UNKNOWN) else found
    except (InvalidInput, NotExact):
        return None


def _fewer_clients(run: Scenario) -> Iterator[Made]:
    """One client alone, then one less."""
    clients = range(run.trace.num_clients)
    for kept in (
        [[i] for i in clients] + [[j for j in clients if j != i] for i in clients]
        if len(clients) > 1
        else []
    ):
        yield partial(_of_clients, run, kept)


def _of_clients(run: Scenario, kept: list[int]) -> Scenario:
    """The run of some of its clients, whose importances add up to 1 again; weights that are the
    importances stay so."""
    trace, importance = run.trace, run.problem.importance
    total = sum(importance[i] for i in kept)
    if not total:
        raise InvalidInput("importance of the clients that are kept", "be above 0", total)
    left = shares([importance[i] / total for i in kept], len(kept))

    def part(value: Any) -> Any:
        if value == importance:
            return left
        return (
            tuple(value[i] for i in kept)
            if isinstance(value, tuple) and len(value) == trace.num_clients
            else value
        )

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


def _fewer_rounds(run: Scenario) -> Iterator[Made]:
    """The first rounds, then without one of them, then one of them again and again; only where the
    same step size serves all."""
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
        yield partial(replace, run, trace=_of_rounds(trace, [again] * REPEATED))


def _of_rounds(trace: Trace, kept: list[int]) -> Trace:
    """Work is as old as it was, where there are models as old."""
    delivers, delays, steps = (
        table[kept] for table in (trace.delivers, trace.delays, trace.local_steps)
    )
    return Trace.with_delays(
        delivers, np.minimum(delays, np.arange(len(delivers))[:, None]), local_steps=steps
    )


def _plainer_traces(run: Scenario) -> Iterator[Made]:
    """Everybody there, no delays, one local step, one local step less."""
    trace = run.trace
    most = max(int(trace.local_steps.max()), 1)
    everybody, now = np.ones_like(trace.delivers), np.where(trace.delivers, trace.local_steps, most)
    yield partial(replace, run, trace=Trace.with_delays(everybody, trace.delays, local_steps=now))
    yield partial(replace, run, trace=Trace.fresh(trace.delivers, local_steps=now))
    for steps in range(1, most):
        yield partial(replace, run, trace=trace.with_local_steps(np.minimum(now, steps)))


def _plainer_numbers(run: Scenario) -> Iterator[Made]:
    """One number plainer, or all of a part 0; step sizes, curvatures and probabilities stay above
    0.

    First without noise and from a point one farther off: both keep a model away from the optimum.
    """
    if run.problem.noise_squared:
        yield partial(
            _with_problem,
            replace(run, start=tuple(x + 1 for x in run.start)),
            {"noise_squared": Fraction(0)},
        )
    for name in problem_fields(run.problem)[1]:
        for value in (
            _plainer(getattr(run.problem, name), zero=name in MAY_BE_ZERO)
            if name not in GIVEN
            else ()
        ):
            yield partial(_with_problem, run, {name: value})
    for value in _plainer(run.start, zero=True):
        yield partial(replace, run, start=value)
    for name in ("local_step_size", "server_step_size"):
        for value in (
            _plainer(getattr(run, name), zero=False)
            if not isinstance(getattr(run, name), tuple)
            else ()
        ):
            yield partial(replace, run, **{name: value})
    for name in sorted(set(run.settings) - GIVEN):
        for value in _plainer(run.settings[name], zero=False):
            yield partial(replace, run, settings={**run.settings, name: value})


def _with_problem(run: Scenario, fields: Mapping[str, Any]) -> Scenario:
    return replace(run, problem=replace(run.problem, **fields))


def _plainer(value: Any, *, zero: bool) -> Iterator[Any]:
    """The value with one of its numbers plainer; where 0 is allowed, first with all of them 0.

    >>> list(map(str, _plainer(Fraction(9, 5), zero=False)))
    ['1', '2', '5/3', '7/4', '9/10']
    """
    if isinstance(value, tuple):
        if zero:
            yield _nothing(value)
        for i, part in enumerate(value):
            for one in _plainer(part, zero=zero):
                yield (*value[:i], one, *value[i + 1 :])
    elif isinstance(value, Fraction):
        sign = 1 if value > 0 else -1
        near = [Fraction(0)] * zero + [
            Fraction(sign),
            *(value.limit_denominator(q) for q in (1, 2, 3, 4)),
            value / 2,
        ]
        yield from (x for x in dict.fromkeys(near) if x != value and (zero or x * sign > 0))


def _nothing(value: Any) -> Any:
    return tuple(map(_nothing, value)) if isinstance(value, tuple) else Fraction(0)


def _other_step_sizes(run: Scenario) -> Iterator[Made]:
    """One step size longer, the other shorter; not where the server's is 1, as methods without one
    have it."""
    if isinstance(run.local_step_size, tuple) or run.server_step_size == 1:
        return
    for factor in FACTORS:
        yield partial(
            replace,
            run,
            local_step_size=run.local_step_size * factor,
            server_step_size=run.server_step_size / factor,
        )


def _other_units(run: Scenario) -> Iterator[Made]:
    """The same models, with losses counted in another unit."""
    if not isinstance(run.local_step_size, tuple):
        yield from (partial(_in_units, run, factor) for factor in UNITS)


def _in_units(run: Scenario, factor: Fraction) -> Scenario:
    """Losses times a factor, and step sizes of the clients divided by it.

    >>> from fltheory import Quadratic, Trace
    >>> run = Scenario("fedavg", Quadratic((1, 2), (0, 1)), Trace.fresh([[1, 1]]), start=0, local_step_size="1/8")
    >>> other = _in_units(run, Fraction(1, 2))
    >>> str(other.local_step_size), other.problem == Quadratic(("1/2", 1), (0, 1))
    ('1/4', True)
    """
    steeper = {
        name: _times(getattr(run.problem, name), factor)
        for name in problem_fields(run.problem)[1]
        if name in STEEPER
    }
    problem = replace(run.problem, noise_squared=run.problem.noise_squared * factor**2, **steeper)
    return replace(run, problem=problem, local_step_size=run.local_step_size / factor)


def _times(value: Any, factor: Fraction) -> Any:
    return (
        tuple(_times(part, factor) for part in value)
        if isinstance(value, tuple)
        else value * factor
    )
