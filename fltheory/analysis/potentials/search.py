"""Search for a potential: the smallest rate, the smallest floor, the largest step; every answer is
rounded to rationals and decided exactly."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fltheory.analysis.potentials.assemble import Assembly
from fltheory.analysis.potentials.model import Model
from fltheory.analysis.potentials.program import ONE, MatrixInequality, MatrixProgram, Unknown
from fltheory.analysis.potentials.rounding import rounded

ABOVE = (Fraction(1, 10**6), Fraction(1, 10**5), Fraction(1, 10**4), Fraction(1, 10**3))
"""How far above the smallest rate a proof is looked for, as parts of the distance to 1."""

RATE_DIGITS = 9
"""Decimal digits of a rate."""

BISECTIONS = 14

FLOOR_SLACKS = (1.002, 1.02, 1.2)
"""How far above the smallest floor or cost a proof is looked for."""

STOPPED_SHORT = ("NumericalError", "InsufficientProgress")
"""The solver decided nothing; it is asked once more with costs of at most 1."""

FLOOR_SPANS = (0.002, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9)
"""Rates between the smallest one and 1 at which the floor is minimised."""


@dataclass(frozen=True)
class Potential:
    """Exact values that prove a model's inequalities at a rate; `numbers` maps unknowns."""

    model: Model
    rate: Fraction
    numbers: Mapping[Unknown, Fraction]


@dataclass(frozen=True)
class Outcome:
    """What a search ends with: a proof, or a number of the solver without a proof, or nothing."""

    proof: Potential | None
    numerical_rate: float | None
    why: str = ""


def smallest_rate(model: Model, lowest: Fraction) -> Outcome:
    """The smallest rate for which a potential is found; no rate below `lowest` is possible."""
    program = Assembly(model).program
    if not _feasible(program, 1 - 1e-7 * float(1 - lowest)):
        return Outcome(None, None, "the solver finds no potential at any rate below 1")
    first = lowest + (1 - lowest) * ABOVE[0]
    if _feasible(program, float(first)):
        low = high = float(lowest)
    else:
        low, high = float(lowest), 1.0
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (low, middle) if _feasible(program, middle) else (middle, high)
    for part in ABOVE:
        rate = _short(Fraction(high) + (1 - Fraction(high)) * part)
        if rate >= 1:
            continue
        proof = _proved(model, program, rate)
        if proof is not None:
            return Outcome(proof, float(rate))
    return Outcome(None, high, "the solver's potential could not be made exact")


def smallest_floor(
    model: Model,
    lowest: Fraction,
    costs: Callable[[float], Mapping[Unknown, float]],
    spans: tuple[float, ...] = FLOOR_SPANS,
    prepare: Callable[[MatrixProgram], MatrixProgram] = lambda program: program,
) -> Outcome:
    """Among several rates the proof with the smallest floor; `costs` are its weights at a rate."""
    found = Outcome(None, None, "the solver finds no potential")
    base, program = float(lowest), prepare(Assembly(model).program)
    tried = []
    for span in spans:
        rate = float(_short(Fraction(base + (1 - base) * span)))
        weights = costs(rate)
        for size in (1.0, max(weights.values())):
            answer = program.solve(rate, {u: c / size for u, c in weights.items()})
            if answer.feasible:
                tried.append((answer.objective * size, rate, size))
            if answer.status not in STOPPED_SHORT:
                break
    for slack in FLOOR_SLACKS:
        for value, rate, size in sorted(tried)[:3]:
            weights = {u: c / size for u, c in costs(rate).items()}
            limit = value / size * slack
            proof = _proved(model, program, _short(Fraction(rate)), weights, limit)
            if proof is not None:
                return Outcome(proof, rate)
    if tried:
        return Outcome(None, min(tried)[1], "the solver's potential could not be made exact")
    return found


def at_rate(model: Model, rate: Fraction) -> Outcome:
    """A proof at a given number in the rate."""
    program = Assembly(model).program
    proof = _proved(model, program, rate)
    if proof is not None:
        return Outcome(proof, float(rate))
    if _feasible(program, float(rate)):
        return Outcome(None, float(rate), "the solver's potential could not be made exact")
    return Outcome(None, None, "the solver finds no potential")


def cheapest(model: Model, costs: Mapping[Unknown, float], rate: Fraction = Fraction(1)) -> Outcome:
    """A proof at a given rate with nearly the smallest cost."""
    program = Assembly(model).program
    answer = program.solve(float(rate), costs)
    if not answer.feasible:
        return Outcome(None, None, "the solver finds no potential")
    for slack in (1.0005, *FLOOR_SLACKS[:2]):
        limit = answer.objective * (slack if answer.objective > 0 else 2 - slack)
        proof = _proved(model, program, rate, costs, limit)
        if proof is not None:
            return Outcome(proof, float(rate))
    return Outcome(None, float(rate), "the solver's potential could not be made exact")


def largest(
    accepts: Callable[[Fraction], bool], low: Fraction, high: Fraction, steps: int = 9
) -> Fraction | None:
    """The largest number in (low, high] that is accepted, up to a bisection; None if none is.

    >>> largest(lambda x: x <= Fraction(1, 3), Fraction(0), Fraction(1))
    Fraction(83, 250)
    """
    best = None
    for near in (Fraction(999, 1000), Fraction(997, 1000), Fraction(99, 100)):
        if accepts(_short(high * near, 4)):
            return _short(high * near, 4)
    for _ in range(steps):
        middle = _short((low + high) / 2, 4)
        if accepts(middle):
            best, low = middle, middle
        else:
            high = middle
    return best


def _feasible(program: MatrixProgram, rate: float) -> bool:
    return program.solve(rate).feasible


def _proved(
    model: Model,
    program: MatrixProgram,
    rate: Fraction,
    costs: Mapping[Unknown, float] | None = None,
    limit: float = 0.0,
) -> Potential | None:
    """A proof at this rate: from the centre of the feasible set, or with the largest margin."""
    wanted = program
    if costs is not None:
        entries = {(u, 0, 0): (Fraction(-c), Fraction(0)) for u, c in costs.items()}
        entries[ONE, 0, 0] = (Fraction(limit), Fraction(0))
        cap = MatrixInequality("cost", 1, entries)
        wanted = MatrixProgram(
            program.unknowns,
            program.positive,
            [*program.inequalities, cap],
            program.equalities,
        )
    for margin in (False, True):
        answer = wanted.solve(float(rate), margin=margin)
        if answer.feasible:
            values = {u: answer.values[u] for u in program.unknowns}
            exactly = rounded(program, values, rate)
            if exactly is not None:
                return Potential(model, rate, exactly)
    return None


def _short(value: Fraction, digits: int = RATE_DIGITS) -> Fraction:
    """Rounded to decimal digits, upwards for rates so that they are not below the value."""
    scale = 10**digits
    if digits == RATE_DIGITS:
        return Fraction(-(-value.numerator * scale // value.denominator), scale)
    size = 10 ** (digits - 1)
    whole = 1
    while value * whole < size:
        whole *= 10
    return Fraction(int(value * whole), whole)
