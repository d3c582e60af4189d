"""Losses against which gradient steps are slow although the gradient never falls: between two
points of a run it dips, so that a step gains as little as the smoothness permits."""

from fractions import Fraction

from fltheory.claims.spaces.choices import Choices
from fltheory.problems.piecewise import PiecewiseQuadratic

F = Fraction
STRIDES = tuple(F(a, b) for a, b in ((1, 1), (1, 2), (1, 1), (9, 10), (1, 10), (1, 1)))
"""Distances of two crests over their height over the smoothness: step sizes times smoothness."""

MOST_CRESTS = 60


def draw_waves(choices: Choices, clients: int, rounds: int) -> PiecewiseQuadratic:
    """Equal clients with curvatures 1 and -1 in turn; the gradient is 1 at every crest, and 0 at
    the distance 1 before the first. There is a crest for each round, or fewer.

    >>> waves = draw_waves(Choices.replay([0, 0, 0]), 1, 1)
    >>> [str(x) for x in waves.knots], [str(g) for g in waves.slopes[0]]
    (['0', '1/2', '1'], ['1', '1/2', '1'])
    """
    half = choices.choice(STRIDES) / 2
    crests = min(choices.choice((rounds, rounds, 1, 2, max(rounds // 2, 1))), MOST_CRESTS)
    right = choices.choice((F(1), F(0)))
    knots = [half * k for k in range(2 * crests + 1)]
    row = [F(1) - half * (k % 2) for k in range(2 * crests + 1)]
    return PiecewiseQuadratic(knots, [row] * clients, [(F(1), right)] * clients)


def is_wave(problem: PiecewiseQuadratic) -> bool:
    """Does the gradient have crests, as above?"""
    row = problem.slopes[0]
    return len(row) % 2 == 1 and max(row) == row[0] == row[-1] > row[1]
