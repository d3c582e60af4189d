"""The floor that additive noise leaves in methods with memory, from a potential for exact
gradients.

A stored update has noise e_i that is used again, so it is not independent of the newest model x.
Compare the run with the one in which e_i is left out: in m rounds they part by at most (eta/N)
psi_m |e_i| with psi_0 = 0 and psi_{m+1} = psi_m (1 + eta L) + 1. Hence |E <e_i, x>| <= (eta/N)
psi_m s^2 and |E <e_i, x_{t+1} - x>| <= (eta/N) (1 + eta L psi_m) s^2. In the potential's inequality
noise enters by the relation x_{t+1} - x + eta (g_i + e_i), whose multiplier is Y_n x_{t+1} + Y_x x;
so a round costs at most cost_a = 2 eta^2 (s^2/N) (|Y_n| (1 + eta L psi_a) + |Y_n + Y_x| psi_a)
for a client of age a. The costs rise with the age, and an age that falls begins anew at 0. So at
a rate r all rounds together cost at most those of the walk 0, 1, ..., tau, 0, 1, ..., tau:
(cost_tau + r cost_{tau-1} + ... + r^tau cost_0)/(1 - r^{tau+1}).
If nobody is ever silent, all noise is new: with V = |x|^2 a round costs eta^2 s^2/N.

The noise is additive: its distribution does not depend on the models, draws are independent, and
availability does not react to them.
"""

from collections.abc import Mapping
from fractions import Fraction

from fltheory.analysis.potentials.program import (
    Affine,
    MatrixInequality,
    MatrixProgram,
    Unknown,
)

LATER, NOW = ("Y", "update", "n"), ("Y", "update", "x")
SIZES: tuple[tuple[Unknown, tuple[Unknown, ...]], ...] = (
    ("size of Y_n", ((LATER, ()),)),
    ("size of Y_n + Y_x", ((LATER, ()), (NOW, ()))),
)
"""Unknowns that are at least the absolute value of a sum of multipliers."""


def separation(step: Fraction, staleness: int) -> Fraction:
    """psi_tau.

    >>> separation(Fraction(1, 2), 2)
    Fraction(5, 2)
    """
    found = Fraction(0)
    for _ in range(staleness):
        found = found * (1 + step) + 1
    return found


def weights(step: Fraction, staleness: int, rate: Fraction) -> tuple[Fraction, Fraction]:
    """The factors of |Y_n| and |Y_n + Y_x| in the floor, per s^2/N and with L = 1.

    >>> weights(Fraction(1, 2), 1, Fraction(1, 2))
    (Fraction(4, 3), Fraction(2, 3))
    """
    first, second = Fraction(0), Fraction(0)
    for age in range(staleness + 1):
        psi = separation(step, age)
        first, second = first * rate + 1 + step * psi, second * rate + psi
    scale = 2 * step**2 / (1 - rate ** (staleness + 1))
    return scale * first, scale * second


def with_sizes(program: MatrixProgram) -> MatrixProgram:
    """The same program with unknowns that bound the absolute values from above."""
    one, minus = (Fraction(1), Fraction(0)), (Fraction(-1), Fraction(0))
    for name, parts in SIZES:
        program.unknown(name, positive=True)
        for sign in (one, minus):
            entries: dict[tuple[Unknown, int, int], Affine] = {(name, 0, 0): one}
            entries |= {(part, 0, 0): sign for part in parts}
            program.inequalities.append(MatrixInequality(str(name), 1, entries))
    return program


def costs(step: Fraction, staleness: int, rate: float) -> Mapping[Unknown, float]:
    """The floor per s^2/N as a sum over the sizes."""
    found = weights(step, staleness, Fraction(rate))
    return {name: float(weight) for (name, _), weight in zip(SIZES, found, strict=True)}


def floor(
    numbers: Mapping[Unknown, Fraction], rate: Fraction, step: Fraction, staleness: int
) -> Fraction:
    """The floor per s^2/N that a potential proves, with L = 1: distances count in units of s/L."""
    if not staleness:
        return step**2 / (1 - rate)
    later, now = (numbers.get((name, ()), Fraction(0)) for name in (LATER, NOW))
    first, second = weights(step, staleness, rate)
    return first * abs(later) + second * abs(later + now)
