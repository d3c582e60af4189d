"""How much work an exact answer would be, known beforehand: what would take for ever is refused at
once."""

from fractions import Fraction
from typing import Any

from fltheory.core.errors import InvalidInput
from fltheory.traces.trace import Trace

MOST_DIGITS = 10_000
"""Longest numbers that an exact run is expected to make; each local step adds the digits of its
factors."""

MOST_UNKNOWNS = 64
MOST_UNKNOWNS_SYMBOLIC = 12
"""Largest clients x coordinates whose period map is solved."""

MOST_SYMBOLIC_STEPS = 60
"""Longest run in formulas."""


def digits(value: Any) -> int:
    """Digits of a number, numerator and denominator together; nested lists count their longest
    entry.

    >>> digits(Fraction(31, 45)), digits((Fraction(1), Fraction(1, 1000)))
    (4, 5)
    """
    if isinstance(value, list | tuple):
        return max((digits(item) for item in value), default=0)
    number = Fraction(value)
    return sum(
        1 + int(abs(part).bit_length() * 0.30103) for part in (number.numerator, number.denominator)
    )


def sequential_steps(trace: Trace) -> int:
    """Gradient steps that follow one another: in each round as many as its busiest client takes."""
    return int(trace.local_steps.max(axis=-1).sum())


def check_exact_run(steps: int, *factors: Any) -> None:
    """Refuse an exact run whose numbers would grow too long."""
    expected = steps * sum(digits(factor) for factor in factors if factor is not None)
    if expected > MOST_DIGITS:
        raise InvalidInput(
            "exact numbers",
            f"stay below {MOST_DIGITS} digits (`simulate --arithmetic float` has no such limit)",
            f"about {expected} digits after {steps} local steps",
        )


def check_symbolic_run(steps: int) -> None:
    """Refuse formulas that would fill pages."""
    if steps > MOST_SYMBOLIC_STEPS:
        raise InvalidInput(
            "local steps in formulas", f"be at most {MOST_SYMBOLIC_STEPS} in all", steps
        )


def check_unknowns(num_clients: int, dimension: int, *, symbolic: bool) -> None:
    """Refuse a period map that is too large to solve."""
    most = MOST_UNKNOWNS_SYMBOLIC if symbolic else MOST_UNKNOWNS
    if num_clients * dimension > most:
        raise InvalidInput(
            "clients x coordinates",
            f"be at most {most} for an exact limit",
            f"{num_clients} x {dimension}",
        )
