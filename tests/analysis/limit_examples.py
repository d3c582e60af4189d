"""The examples of the papers whose limits are known."""

from fractions import Fraction as F

from fltheory import Quadratic, Trace

EXAMPLE_1 = Quadratic(curvatures=(2, 2), optima=(0, 1))
HALVES = Quadratic(curvatures=(1, 1), optima=(0, 1))


def alternating(first: int, second: int) -> Trace:
    return Trace.fresh(([[1, 0]] * first + [[0, 1]] * second) * 4)


def taking_turns(rounds: int) -> Trace:
    return Trace.continuous([[1, 0], [0, 1]] * (rounds // 2))


def numbers(limit) -> list[F]:
    return [point[0] for point in limit.cycle]
