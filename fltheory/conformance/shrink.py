"""A simpler run on which an implementation and the reference still differ: fewest clients, then
fewest rounds, then simpler traces and numbers."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from fltheory.attacks.minimize.run_moves import MOVES, Made
from fltheory.claims.scenario import Scenario
from fltheory.conformance.compare import Difference, Trial, first_difference
from fltheory.core.errors import InvalidInput
from fltheory.core.types import BoolArray
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

MOST_LOOKS = 600
"""Maximum number of runs to look at."""

SIMPLE_SIZES = (Fraction(1), Fraction(1, 2), Fraction(1, 4))
"""Step sizes to try in place of others."""


def shrunk(
    trial: Trial, difference: Difference, admits: Callable[[BoolArray], bool]
) -> tuple[Difference, int]:
    """The lightest run found on which they differ, and the number of runs looked at;
    `admits` says which participation is tried."""
    kept, looks, moved = difference, 0, True
    while moved and looks < MOST_LOOKS:
        moved = False
        for candidate in _lighter(kept.run):
            if looks >= MOST_LOOKS:
                break
            looks += 1
            found = first_difference(trial, candidate) if admits(candidate.trace.delivers) else None
            if found is not None and _weight(found.run) < _weight(kept.run):
                kept, moved = found, True
                break
    return kept, looks


def _lighter(run: Scenario) -> Iterator[Scenario]:
    """Runs of smaller weight, the largest simplifications first."""
    weight = _weight(run)
    for moves in (_shorter, *MOVES, _simpler_cells, _simpler_sizes, _one_coordinate):
        for made in moves(run):
            try:
                found = made()
            except InvalidInput:
                continue
            if _weight(found) < weight:
                yield found


def _weight(run: Scenario) -> tuple[int, ...]:
    """Clients, rounds, coordinates, delays, local steps, absences, different step sizes, digits."""
    trace, data = run.trace, run.to_json()
    numbers = {name: part for name, part in data.items() if name not in ("trace", "settings")}
    sizes = run.local_step_size
    digits = [int(part) for part in re.findall(r"\d+", json.dumps(numbers))]
    return (
        trace.num_clients,
        trace.num_rounds,
        run.problem.dimension,
        int(trace.delays.sum()),
        int(trace.local_steps.max()),
        int(trace.local_steps.sum() - trace.delivers.sum()),
        int((~trace.delivers).sum()),
        len(set(sizes)) if isinstance(sizes, tuple) else 1,
        json.dumps(numbers).count("/"),
        sum(digits),
    )


def _shorter(run: Scenario) -> Iterator[Made]:
    """All rounds but one, with their step sizes; rounds that start from old models keep delays."""
    trace, sizes = run.trace, run.local_step_size
    for gone in range(trace.num_rounds if trace.num_rounds > 1 else 0):
        kept = [t for t in range(trace.num_rounds) if t != gone]
        delays = np.minimum(trace.delays[kept], np.arange(len(kept))[:, None])
        yield partial(
            replace,
            run,
            trace=Trace.with_delays(
                trace.delivers[kept], delays, local_steps=trace.local_steps[kept]
            ),
            local_step_size=tuple(sizes[t] for t in kept) if isinstance(sizes, tuple) else sizes,
        )


def _simpler_cells(run: Scenario) -> Iterator[Made]:
    """One client in one round: there, without delay, with one local step."""
    trace = run.trace
    for cell in np.argwhere(~trace.delivers):
        yield partial(_with_cell, run, tuple(cell), delay=0, steps=1)
    for cell in np.argwhere(trace.delays > 0):
        yield partial(_with_cell, run, tuple(cell), delay=0, steps=trace.local_steps[tuple(cell)])
    for cell in np.argwhere(trace.local_steps > 1):
        yield partial(_with_cell, run, tuple(cell), delay=trace.delays[tuple(cell)], steps=1)


def _with_cell(run: Scenario, cell: tuple[int, ...], *, delay: int, steps: int) -> Scenario:
    trace = run.trace
    delivers, delays, local_steps = (
        table.copy() for table in (trace.delivers, trace.delays, trace.local_steps)
    )
    delivers[cell], delays[cell], local_steps[cell] = True, delay, steps
    return replace(run, trace=Trace.with_delays(delivers, delays, local_steps=local_steps))


def _simpler_sizes(run: Scenario) -> Iterator[Made]:
    """One step size for all rounds, then simpler ones in one round."""
    sizes = run.local_step_size
    if not isinstance(sizes, tuple):
        return
    for one in (*SIMPLE_SIZES, *dict.fromkeys(sizes)):
        yield partial(replace, run, local_step_size=one)
    for t in range(len(sizes)):
        for one in SIMPLE_SIZES:
            yield partial(replace, run, local_step_size=(*sizes[:t], one, *sizes[t + 1 :]))


def _one_coordinate(run: Scenario) -> Iterator[Made]:
    """One of the coordinates."""
    problem = run.problem
    for j in range(problem.dimension if problem.dimension > 1 else 0):
        one = Quadratic(
            [row[j] for row in problem.curvatures],
            [row[j] for row in problem.optima],
            problem.importance,
        )
        yield partial(replace, run, problem=one, start=(run.start[j],))
