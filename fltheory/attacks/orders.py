"""Order claims: paths along which left/right grows. A space draws a path (formulas in SCALE);
floats suggest growth, an exact limit decides."""

import math
from dataclasses import dataclass, replace

import sympy

from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.fast_evaluation import as_number, compiled
from fltheory.claims.spaces.choices import SCALE
from fltheory.core.enclosure import as_expression, shown
from fltheory.core.errors import NotExact

SCALES = (10**2, 10**4, 10**6, 10**8)
"""The scales at which a path is evaluated before its limit is taken."""

GROWS = 0.005
"""Exponents of SCALE up to this count as no growth, and no limit is taken; even a logarithm still
grows like a power of 0.05 at 10^8."""

FASTEST, SHRINKS = 1000.0, -1.0
"""The exponents of a ratio that exceeds the range of floats or has 0 as right side, and of a ratio
that is 0."""

LARGEST_NUMBER = 100
"""Largest number in a path whose ratio exceeds the range of floats; with larger powers a limit
takes minutes."""


@dataclass(frozen=True)
class Growth:
    """left/right at the scales, and the exponent of SCALE that fits the last two."""

    ratios: tuple[float, ...]
    exponent: float

    def __str__(self) -> str:
        return (
            f"left/right grows like scale^{self.exponent:.3g}"
            f" ({', '.join(f'{r:.3g}' for r in self.ratios)})"
        )


def growth(claim: Claim, path: Instance) -> Growth | None:
    """How fast |left/right| grows, in floats; None if it has no value."""
    moves = any(
        isinstance(value, sympy.Basic) and value.has(SCALE) for value in path.values.values()
    )
    try:
        ratios = [_ratio_at(claim, path, scale) for scale in (SCALES if moves else SCALES[:1])]
    except (OverflowError, ZeroDivisionError, ValueError) as problem:
        return (
            Growth((), FASTEST)
            if moves and isinstance(problem, OverflowError) and _light(path)
            else None
        )
    if any(math.isnan(r) for r in ratios):
        return None
    if math.inf in ratios:
        return Growth((), FASTEST)
    if min(ratios) == 0:
        return Growth(tuple(ratios), SHRINKS)
    return Growth(
        tuple(ratios),
        math.log(ratios[-1] / ratios[-2]) / math.log(SCALES[-1] / SCALES[-2]) if moves else 0.0,
    )


def _light(path: Instance) -> bool:
    return all(
        abs(number) <= LARGEST_NUMBER
        for value in path.values.values()
        for number in as_expression(value).atoms(sympy.Integer)
    )


def _ratio_at(claim: Claim, path: Instance, scale: int) -> float:
    """|left/right| at one scale: infinite if only the right side is 0, NaN if both sides are 0."""
    here = {SCALE.name: as_number(scale)}
    values = {s.name: compiled(as_expression(path.values[s.name]))(here) for s in claim.symbols}
    left, right = compiled(claim.statement.left)(values), compiled(claim.statement.right)(values)
    if right == 0:
        return math.inf if left != 0 else math.nan
    return abs(float(left / right))


def decide_path(claim: Claim, path: Instance, *, covers: str) -> Evidence:
    """The verdict of the exact limit of left/right along the path: REFUTED if it is infinite,
    UNDECIDED if sympy finds none."""
    place = f"{covers}: {path.says}"
    try:
        derived = {s.name: as_expression(path.values[s.name]) for s in claim.symbols}
        evidence = check_order_limit(claim, derived=derived, variable=SCALE, covers=place)
    except (NotImplementedError, NotExact, ValueError) as problem:
        return Evidence(
            claim.id, Method.ATTACK, Verdict.UNDECIDED, place, note=f"no limit: {problem}"
        )
    grows = growth(claim, path)
    return replace(
        evidence, method=Method.ATTACK, note=str(grows) if grows and grows.ratios else ""
    )


def told_path(path: Instance) -> str:
    """The path in words: each quantity as a formula in SCALE."""
    return ", ".join(
        f"{name} = {shown(as_expression(value))}" for name, value in sorted(path.values.items())
    )
