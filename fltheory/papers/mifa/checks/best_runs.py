"""MIFA runs at the edge of the best known conditions: absences as long as they may be, many
devices, few and many rounds."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from fltheory.claims.scenario import Scenario
from fltheory.core.randomness import Purpose, random_integers
from fltheory.core.types import ExactLike
from fltheory.papers.mifa.checks.runs import every_round
from fltheory.papers.mifa.checks.tools import known
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import max_staleness

F = Fraction
Rows = Sequence[Sequence[int]]


def coin_flips(num_rounds: int, num_clients: int, percent: int, longest: float) -> Rows:
    """Everybody in the first round, then each device with a chance; whoever has been away for
    `longest` rounds comes."""
    dice = random_integers(
        7, Purpose.SEARCH, num_rounds, percent, np.arange(num_rounds * num_clients)
    ).reshape(num_rounds, num_clients)
    rows, away = [], np.zeros(num_clients, int)
    for t in range(num_rounds):
        here = (dice[t] % 100 < percent) | (away + 1 > longest) | (t == 0)
        away = np.where(here, 0, away + 1)
        rows.append(tuple(int(x) for x in here))
    return rows


def late(num_rounds: int, num_clients: int, longest: Callable[[int], float]) -> Rows:
    """Every device stays away as long as it may; the devices start their absences one round
    apart."""
    rows, away = [], [0] * num_clients
    for t in range(1, num_rounds + 1):
        row = [
            int(t == 1 or (t == i % 3 + 2) or away[i] + 1 > longest(t)) for i in range(num_clients)
        ]
        away = [0 if here else age + 1 for here, age in zip(row, away, strict=True)]
        rows.append(tuple(row))
    return rows


def falling(
    problem: Quadratic, rows: Rows, offset: ExactLike, *, start: ExactLike = 1, local_steps: int = 1
) -> Scenario:
    """MIFA with eta_t = 4/(mu K (t + a))."""
    scale, a = known(problem.constants.strong_convexity) * local_steps, F(offset)
    sizes = tuple(F(4) / (scale * (t + a)) for t in range(1, len(rows) + 1))
    return Scenario(
        "mifa",
        problem,
        Trace.fresh(rows, local_steps=local_steps),
        start=start,
        local_step_size=sizes,
        parameters={"step_offset": a},
    )


def clients(count: int, top: int, noise: ExactLike, *, alike: bool = False) -> Quadratic:
    """Curvatures from 1 to `top`, optima apart unless `alike`."""
    curvatures = [1 if i % 2 == 0 else top for i in range(count)]
    optima = [0 if alike else (-1) ** i * (i % 5) for i in range(count)]
    return Quadratic(curvatures, optima, noise_squared=noise)


def _up_to_the_edge(top: int) -> Callable[[int], float]:
    """The staleness (t + a) mu/(40 L) with mu = 1, L = top and a = 100 L."""
    return lambda t: (t + 100 * top) / (40 * top)


def _at_most(longest: int) -> Callable[[int], float]:
    return lambda t: longest


def falling_runs() -> Iterator[Scenario]:
    """Offsets at the edge a = 100 L/mu or 40 L/mu times the staleness, absences as long as they may
    be, many devices and few rounds, many local steps."""
    for top, steps, noise in product((1, 4, 100), (1, 2, 6), (0, 4)):
        problem = clients(2, top, noise)
        optimum = known(problem.constants.optimum)[0]
        count = 12 if noise else 40
        for far in (0, 5) if noise else (5,):
            rows = late(count, 2, _up_to_the_edge(top))
            yield falling(problem, rows, 100 * top, start=optimum + far, local_steps=steps)
    for longest in (4, 15):
        rows = late(60, 3, _at_most(longest))
        yield falling(clients(3, 4, 0), rows, max(400, 160 * longest), start=9)
        yield falling(clients(3, 4, 9), rows[:20], max(400, 160 * longest), start=0)
    for count, rounds, noise in ((40, 5, 9), (100, 3, 1), (20, 30, 0)):
        rows = coin_flips(rounds, count, 30, 2)
        yield falling(clients(count, 4, noise), rows, 400, start=2)
    yield falling(Quadratic((1,), (0,)), every_round(400), 100, start=3)


def fixed_runs(sizes: Callable[[Fraction, int, int], Iterable[Fraction]]) -> Iterator[Scenario]:
    """A constant step size; `sizes` gives K eta from L, the largest staleness and K."""
    for top, steps, noise, longest in product((1, 10), (1, 2, 12), (0, 4), (0, 10)):
        for count, rounds in ((1, 16), (3, 8), (30, 3)):
            if (noise and count * rounds * steps > 60) or (steps > 2 and rounds > 12):
                continue
            rows = late(rounds, count, _at_most(longest))
            trace = Trace.fresh(rows, local_steps=steps)
            for round_step in sizes(F(top), int(max_staleness(trace)), steps):
                yield Scenario(
                    "mifa",
                    clients(count, top if count > 1 else 1, noise, alike=steps == 1),
                    trace,
                    start=4,
                    local_step_size=round_step / steps,
                )
    for steps, rounds in ((1, 40), (2, 12)):
        trace = Trace.fresh(coin_flips(rounds, 10, 20, 8), local_steps=steps)
        for round_step in sizes(F(4), 8, steps):
            size = round_step / steps
            yield Scenario("mifa", clients(10, 4, 0), trace, start=4, local_step_size=size)


def convex_sizes(top: Fraction, longest: int, steps: int) -> list[Fraction]:
    """h L at most 1/25 and h L tau at most 1/10, and a third of that."""
    edge = min(F(1, 25), F(1, 10 * max(longest, 1))) / top
    return [edge, edge / 3]


def nonconvex_sizes(top: Fraction, longest: int, steps: int) -> list[Fraction]:
    """4 h L <= 1, 8 (h L tau)^2 <= 1 and, with several steps, 32 alpha (h L)^2 (1 + nu) <= 1 at
    alpha = 2, and a third of that."""
    edge = min(F(1, 4), F(7, 20 * max(longest, 1)))
    if steps > 1:
        edge = min(edge, F(1, 8 * (1 + longest)))
    return [edge / top, edge / top / 3]


def smooth_runs(*, one_step: bool) -> Iterator[Scenario]:
    """Losses of one curvature h at most L (then |grad f_i|^2 <= 2 |grad f|^2 + 2 D), flat and
    steep."""
    for run in fixed_runs(nonconvex_sizes):
        steps = int(run.trace.local_steps.max())
        if one_step != (steps == 1):
            continue
        for curvature in (F(1), F(1, 20)):
            count = run.trace.num_clients
            optima = [(-1) ** i * (i % 3) for i in range(count)]
            problem = Quadratic(
                (curvature,) * count, optima, noise_squared=run.problem.noise_squared
            )
            size = run.local_step_size * known(run.problem.constants.smoothness) / curvature
            spread = 2 * max(
                (curvature * (known(problem.constants.optimum)[0] - c)) ** 2 for c in optima
            )
            yield Scenario(
                "mifa",
                problem,
                run.trace,
                start=run.start,
                local_step_size=size,
                parameters={"dissimilarity_slope": 2, "dissimilarity_offset": spread or F(1, 100)},
            )
