"""The worst case of AFA-CD beside the bound of Theorem 2 with corrected conditions."""

from fractions import Fraction
from math import isqrt

from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.claims.bound_sweeps import Asked, BoundSweep, SweepPoint

GAP = Fraction(1, 2)


def theorem_2(at: SweepPoint) -> Asked:
    """One worker, L = 1, f(x_0) - f* <= 1/2, step sizes just inside the theorem's (corrected)
    conditions."""
    trace = at.aged()
    delay = int(trace.delays.max())
    local = _below_root(Fraction(1, 180 * max(delay, 1))) / at.local_steps
    step = Fraction(2) / (2 + _above_root(4 + 12 * delay**2))  # 2 L g + 3 tau^2 L^2 g^2 <= 1
    question = Question(
        FunctionClass(1, convex=False), Conditions(loss_gap=GAP), Metric.MEAN_SQUARED_GRADIENT
    )
    values = {
        "max_delay": delay,
        "local_step_size": local,
        "server_step_size": step / local,
        "initial_loss_gap": GAP,
        "dissimilarity": 0,
        "clients_per_round": 1,
    }
    return Case("afa-cd", trace, question, local, step / local), values


def _below_root(number: Fraction, digits: int = 10**6) -> Fraction:
    """A fraction at most a millionth below the root."""
    return Fraction(isqrt(number.numerator * digits**2 // number.denominator), digits)


def _above_root(number: int) -> Fraction:
    root = _below_root(Fraction(number))
    return root if root**2 == number else root + Fraction(1, 10**6)


LOOSENESS = (
    BoundSweep(
        "afl.thm2c",
        theorem_2,
        "AFA-CD Theorem 2 (corrected): one loss, in some rounds with old gradients.",
        at_largest_step=True,
    ),
)
