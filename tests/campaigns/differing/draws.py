"""Random runs with odd corners: unequal local steps, empty rounds, clients that never come, late
work, zero importance, several coordinates, clipped and bent losses, noise, random participation."""

import random
from fractions import Fraction as F
from itertools import pairwise
from typing import Any

from fltheory.claims.participation import Participation
from fltheory.claims.scenario import Scenario
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.piecewise import PiecewiseQuadratic
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from verification import replay_runs

WAITING = ("sync", "async", "fedfix", "fedbuff")


def number(chance: random.Random) -> F:
    """A small fraction."""
    return F(chance.randint(-6, 6), chance.randint(1, 5))


def plan_of(chance: random.Random, rounds: int, clients: int) -> list[list[int]]:
    """Who delivers: with empty rounds and clients that never come."""
    odds = [chance.choice((0.0, 0.3, 0.6, 1.0, 1.0)) for _ in range(clients)]
    table = [[int(chance.random() < p) for p in odds] for _ in range(rounds)]
    if chance.random() < 0.2:
        table[chance.randrange(rounds)] = [0] * clients
    if chance.random() < 0.3:
        table[0] = [1] * clients
    return table


def shares_of(chance: random.Random, clients: int) -> tuple[F, ...] | None:
    """Importances, some of them 0."""
    shares = [chance.randint(0, 3) for _ in range(clients)]
    total = sum(shares)
    return tuple(F(s, total) for s in shares) if total else None


def problem_of(chance: random.Random, clients: int, size: int, noise: F | int = 0) -> Any:
    """Quadratic, clipped, tilted or piecewise quadratic losses."""
    weights, kind = shares_of(chance, clients), chance.random()

    def table(draw: Any) -> tuple[tuple[F, ...], ...]:
        return tuple(tuple(draw() for _ in range(size)) for _ in range(clients))

    def bend() -> F:
        return F(chance.randint(1, 6), chance.randint(1, 3))

    if kind < 0.2 and size == 1:
        knots = tuple(sorted({number(chance) for _ in range(4)} | {F(-7), F(7)}))
        slopes = []
        for _ in range(clients):
            rises = chance.random() < 0.7
            row = [F(-chance.randint(1, 4))]
            for a, b in pairwise(knots):
                row.append(
                    row[-1] + (b - a) * (F(chance.randint(0, 3)) if rises else number(chance))
                )
            slopes.append(tuple(row))
        flat = chance.random() < 0.5
        ends = [(F(0), F(0)) if flat else (F(1, 2), bend()) for _ in range(clients)]
        return PiecewiseQuadratic(knots, tuple(slopes), tuple(ends), weights, noise)
    if kind < 0.4:
        bound = F(chance.randint(1, 4), 2)
        centres, curved = table(lambda: number(chance)), table(bend)
        return Clipped(centres, bound, curved, weights, noise)
    if kind < 0.5 and clients > 1:
        tilts = [[number(chance) for _ in range(size)] for _ in range(clients)]
        tilts[-1] = [-sum(column[:-1]) for column in zip(*tilts, strict=True)]
        curvature = chance.choice((F(0), F(1), F(2, 3), F(-1)))
        return CommonCurvature(curvature, tuple(map(tuple, tilts)), None, noise)
    same = chance.random() < 0.3
    curved = table(lambda: F(2)) if same else table(bend)
    return Quadratic(curved, table(lambda: number(chance)), weights, noise)


def settings_of(chance: random.Random, name: str, clients: int) -> dict[str, Any]:
    """What a method needs besides step sizes."""
    settings: dict[str, Any] = {}
    if "fedprox" in name:
        settings["proximal_strength"] = str(F(chance.randint(0, 4), 2))
    if name in WAITING:
        settings["weights"] = tuple(str(F(chance.randint(0, 4), 3)) for _ in range(clients))
    if name == "importance-sampling":
        settings["probabilities"] = tuple(f"1/{chance.randint(1, 4)}" for _ in range(clients))
    if name == "partial-work":
        settings["full_local_steps"] = 3
        settings["importance"] = tuple([F(1, clients)] * clients)
    return settings


def scenario_of(chance: random.Random) -> Scenario:
    """A run without chance."""
    clients, rounds = chance.randint(1, 4), chance.randint(1, 7)
    size = chance.choice((1, 1, 2, 3))
    plan = plan_of(chance, rounds, clients)
    delays = [[chance.choice((0, 0, 1, 2)) for _ in range(clients)] for _ in range(rounds)]
    delays = [[min(d, t) for d in row] for t, row in enumerate(delays)]
    steps = [[chance.randint(1, 3) for _ in range(clients)] for _ in range(rounds)]
    name = chance.choice(sorted(replay_runs.ALGORITHMS))
    changing = tuple(F(1, chance.randint(1, 9)) for _ in range(rounds))
    return Scenario(
        name,
        problem_of(chance, clients, size),
        Trace.with_delays(plan, delays, local_steps=steps),
        start=tuple(number(chance) for _ in range(size)),
        local_step_size=changing if chance.random() < 0.4 else changing[0],
        server_step_size=F(chance.randint(1, 6), chance.randint(1, 4)),
        settings=settings_of(chance, name, clients),
        averaging=changing if chance.random() < 0.5 else (),
        parameters={"step_offset": chance.randint(1, 9)},
    )


def law_of(chance: random.Random, clients: int) -> Participation:
    """A law of participation."""
    kind = chance.choice(("bernoulli", "uniform", "cyclic", "markov"))
    odds = tuple(F(chance.randint(0, 4), 4) for _ in range(clients))
    if kind == "bernoulli":
        return Participation(kind, odds)
    if kind == "markov":
        return Participation(kind, tuple(F(1, chance.randint(1, 4)) for _ in odds), odds)
    groups = clients if kind == "cyclic" and chance.random() < 0.5 else 1
    most = clients // groups
    return Participation(kind, clients_per_round=chance.randint(1, most), groups=groups)


def random_scenario_of(chance: random.Random) -> Scenario:
    """A short run with noise, relative noise, or random participation."""
    clients, rounds = chance.randint(1, 3), chance.randint(1, 3)
    size = chance.choice((1, 1, 2))
    law = law_of(chance, clients) if chance.random() < 0.6 else None
    noise = chance.choice((0, 1, 4, F(9, 4), 2)) if chance.random() < 0.7 else 0
    name = chance.choice(sorted(replay_runs.ALGORITHMS))
    plan = [[1] * clients] * rounds if law else plan_of(chance, rounds, clients)
    steps = [[chance.choice((1, 1, 2)) for _ in range(clients)]] * rounds
    return Scenario(
        name,
        problem_of(chance, clients, size, noise),
        Trace.fresh(plan, local_steps=steps),
        start=tuple(number(chance) for _ in range(size)),
        local_step_size=F(1, chance.randint(2, 9)),
        server_step_size=F(chance.randint(1, 4), 2),
        settings=settings_of(chance, name, clients),
        participation=law,
        relative_noise=F(1, 2) if chance.random() < 0.2 else 0,
        averaging=tuple(F(t + 1) for t in range(rounds)),
    )
