"""Worst cases against closed forms, explicit losses, and PEPit where it is installed."""

import random
import sys
import time
from fractions import Fraction as F
from functools import cache
from itertools import pairwise
from math import isclose
from pathlib import Path
from typing import Any

from benchmarks.worst_case import PEPIT, Peer
from benchmarks.worst_case_cases import case
from fltheory.analysis.worst_case.public import worst_case
from fltheory.claims.scenario import Scenario
from fltheory.problems.piecewise import PiecewiseQuadratic
from fltheory.traces.trace import Trace
from tests.campaigns.differing.questions import Refused
from verification.replay_losses import Losses
from verification.replay_measures import Measured

__all__ = ["PEPIT", "against_pepit", "bounds_agree"]

ROUNDING = 1e-6
PEPIT_CASES = 60
PLANS = (((1,),), ((1,), (1,)), ((1, 1), (1, 0)), ((1, 1), (0, 1), (1, 0)), ((1, 1), (1, 1)))


@cache
def bound(plan: tuple[tuple[int, ...], ...], name: str, size: F, least: F, steps: int) -> float:
    """The largest f(x_T) - f* over all losses with curvatures in [least, 1], |x_0 - x*| <= 1 and
    mean squared gradients of at most 1 at the optimum."""
    found = worst_case(
        name,
        Trace.fresh(plan, local_steps=steps),
        local_step_size=size,
        strong_convexity=least,
        heterogeneity=1,
    )
    assert found.worst_case is not None
    return float(found.worst_case)


def descent_agrees(chance: random.Random) -> bool:
    """Gradient descent: L R^2/(4 n h L + 2) for step sizes h up to 1/L (Drori and Teboulle)."""
    rounds, size = chance.randint(1, 5), F(chance.randint(1, 4), 4)
    exact = 1 / (4 * rounds * float(size) + 2)
    return isclose(bound(((1,),) * rounds, "fedavg", size, F(0), 1), exact, rel_tol=ROUNDING)


def losses_of(chance: random.Random, clients: int, least: F) -> PiecewiseQuadratic:
    """Losses of one coordinate with curvatures in [least, 1]."""

    def bend() -> F:
        return chance.choice((least, F(1), least + (1 - least) * F(chance.randint(0, 8), 8)))

    knots = tuple(sorted({F(chance.randint(-16, 16), 8) for _ in range(4)} | {F(-9), F(9)}))
    slopes = []
    for _ in range(clients):
        row = [F(chance.randint(-4, 0))]
        for a, b in pairwise(knots):
            row.append(row[-1] + bend() * (b - a))
        slopes.append(row)
    return PiecewiseQuadratic(knots, slopes, [(bend(), bend()) for _ in slopes])


def bounds_agree(chance: random.Random) -> bool:
    """A closed form, or an explicit loss, which may not exceed the worst case."""
    if chance.random() < 0.1:
        return descent_agrees(chance)
    plan = chance.choice(PLANS)
    name = chance.choice(("fedavg", "mifa"))
    size, least = F(1, chance.randint(1, 3)), chance.choice((F(0), F(1, 4)))
    steps = chance.choice((1, 2))
    problem = losses_of(chance, len(plan[0]), least)
    best = problem.constants.optimum
    if best is None:
        raise Refused("no single optimum")
    tilts = [s[0].at(best[0]) for s in Losses(_problem(problem)).slopes]
    apart = sum((g * g for g in tilts), F(0)) / len(tilts)
    kept = F(1) if apart <= 1 else 1 / (1 + apart)  # tilted until the optimum is close to all
    rows = [[x - (1 - kept) * g for x in row] for row, g in zip(problem.slopes, tilts, strict=True)]
    run = Scenario(
        name,
        PiecewiseQuadratic(problem.knots, rows, problem.ends),
        Trace.fresh(plan, local_steps=steps),
        start=best[0] + chance.choice((-1, 1)),
        local_step_size=size,
    )
    m = Measured(run.to_json())
    return float(m.gap(m.only(m.rounds))) <= bound(plan, name, size, least, steps) + ROUNDING


def _problem(problem: PiecewiseQuadratic) -> Any:
    run = Scenario(
        "fedavg", problem, Trace.fresh([[1] * len(problem.slopes)]), start=0, local_step_size=1
    )
    return run.to_json()["problem"]


def question(chance: random.Random, number: int) -> dict[str, Any]:
    """A random worst case as both programs read it."""
    rounds, clients = chance.randint(1, 3), chance.randint(1, 3)
    plan = [[1] * clients] + [
        [chance.randint(0, 1) for _ in range(clients)] for _ in range(rounds - 1)
    ]
    plan = [row if any(row) else [1] * clients for row in plan]
    convex = chance.random() < 0.7
    about: dict[str, float] = {"distance": 1.0, "heterogeneity": chance.choice((0.5, 1.0))}
    if not convex:
        about = {"gap": 1.0, "dissimilarity": 0.5}
    return case(
        f"random {number}",
        chance.choice(("average", "memory")),
        plan,
        size=[chance.choice((0.25, 0.5, 1.0)) for _ in range(rounds)],
        convexity=chance.choice((0.0, 0.125)) if convex else 0.0,
        convex=convex,
        delays=[[chance.randint(0, min(t, 1)) for _ in range(clients)] for t in range(rounds)],
        local_steps=chance.choice((1, 2)),
        metric=chance.choice(("loss", "mean_gradient")) if convex else "mean_gradient",
        **about,
    )


def against_pepit(cases: int = PEPIT_CASES) -> tuple[int, list[str], int]:
    """How many random worst cases PEPit and the library computed, those that differ, seconds."""
    begun = time.process_time()
    ours = Peer(Path(sys.executable), "ours_worst_case.py")
    theirs = Peer(PEPIT, "pepit_worst_case.py")
    chance, bad = random.Random("worst cases"), []
    for number in range(cases):
        asked = question(chance, number)
        mine, other = (peer.solve(asked)["value"] for peer in (ours, theirs))
        if not isclose(mine, other, rel_tol=1e-4, abs_tol=1e-6):
            bad.append(f"worst-case, PEPit {asked}: {mine} and {other}")
    ours.stop()
    theirs.stop()
    return cases, bad, round(time.process_time() - begun)
