"""Climbing: move the real numbers of a space's best instance along the gradient of log(left/right).

Derivatives are finite differences, so that formulas and whole runs are treated alike; every
instance on the way is drawn by choices, admissible, and decided exactly like any other. Whole
numbers and traces stay fixed.
"""

import math
from dataclasses import replace

from fltheory.attacks.moves import State, looked
from fltheory.claims.claim import Claim, Identity, Order
from fltheory.claims.spaces.choices import FINE, Choices, Real, Taken
from fltheory.claims.spaces.scoring import UNTOLD
from fltheory.claims.spaces.space import Space

MOST_REALS = 8
DIFFERENCE = 4 / FINE
STEPS = (1.0, 0.5, 0.25, 0.0625)
"""Maximum number of moved numbers, the difference for a derivative as a share of the interval, and
the lengths of the steps along the gradient."""


def can_climb(claim: Claim, space: Space, state: State) -> bool:
    """Does the space have a best instance from which no climb has started? Orders and identities
    have no ratio to climb."""
    pool = state.pools.get(space.id, ())
    smooth = not isinstance(claim.statement, Order | Identity)
    return smooth and bool(pool) and state.climbed.get(space.id) != pool[0].taken


def climb(claim: Claim, space: Space, state: State) -> State:
    """The state after one climb: a derivative by every real number, then steps of four lengths
    along the gradient."""
    top = state.pools[space.id][0]
    state = replace(state, climbed={**state.climbed, space.id: top.taken})
    choices = Choices.replay(top.taken)
    space.draw(choices, claim)
    moving = [real for real in choices.reals if real.high > real.low][:MOST_REALS]
    start = _height(top.score)
    slopes = []
    for real in moving:
        ahead = real.share + (DIFFERENCE if real.share <= 0.5 else -DIFFERENCE)
        state, score = _moved(claim, space, state, top.taken, [(real, ahead)])
        slopes.append((_height(score) - start) / (ahead - real.share) if score > UNTOLD else 0.0)
        if state.broken:
            return state
    steepest = max((abs(slope) for slope in slopes), default=0.0)
    for step in STEPS if steepest else ():
        moves = [
            (real, real.share + step * slope / steepest)
            for real, slope in zip(moving, slopes, strict=True)
        ]
        state, _ = _moved(claim, space, state, top.taken, moves)
        if state.broken:
            return state
    return state


def _moved(
    claim: Claim, space: Space, state: State, taken: Taken, moves: list[tuple[Real, float]]
) -> tuple[State, float]:
    """Look at the instance with some of its numbers moved to given shares of their intervals."""
    changed = list(taken)
    for real, share in moves:
        changed[real.place : real.place + 2] = [real.fine, round(FINE * min(max(share, 0.0), 1.0))]
    return looked(claim, space, Choices.replay(changed), replace(state, steered=state.steered + 1))


def _height(score: float) -> float:
    """log(left/right) at a score, which is tanh(log(left/right)/2)."""
    return 2 * math.atanh(min(max(score, -1 + 1e-12), 1 - 1e-12))
