"""Order claims: directions in which left/right grows. A space draws a path (formulas in SCALE); a
limit decides, numbers only point."""

import math
from dataclasses import dataclass, replace
from typing import Any

import sympy

from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.spaces.choices import SCALE
from fltheory.claims.spaces.fast_evaluation import as_number, compiled
from fltheory.core.enclosure import as_expression, shown
from fltheory.core.errors import NotExact

SCALES = (10**2, 10**4, 10**6, 10**8)
"""Where a path is looked at before its limit is taken."""

GROWS = 0.005
"""Exponents of SCALE below this count as no growth, and no limit is taken: a logarithm of 10^8
still grows like a power of 0.05."""

FASTEST, SHRINKS = 1000.0, -1.0
"""The exponents of a ratio that leaves the range of floats or whose right side is 0, and of one
that is 0."""

LIGHT = 100
"""Largest number in a path whose ratio leaves the range of floats: for longer powers a limit takes
minutes."""


@dataclass(frozen=True)
class Growth:
    """left/right at the scales, and the exponent of SCALE that fits their last step."""

    ratios: tuple[float, ...]
    exponent: float

    def __str__(self) -> str:
        return (
            f"left/right grows like scale^{self.exponent:.3g}"
            f" ({', '.join(f'{r:.3g}' for r in self.ratios)})"
        )


def ratio_along(claim: Claim, path: Instance) -> sympy.Expr:
    """left/right as a formula in SCALE."""
    given = {s: as_expression(path.values[s.name]) for s in claim.symbols}
    ratio: sympy.Expr = (claim.statement.left / claim.statement.right).xreplace(given)
    return ratio


def growth(claim: Claim, path: Instance) -> Growth | None:
    """How fast the size of the ratio grows, in floats; None where it has no value."""
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
        abs(number) <= LIGHT
        for value in path.values.values()
        for number in as_expression(value).atoms(sympy.Integer)
    )


def _ratio_at(claim: Claim, path: Instance, scale: int) -> float:
    """|left/right| at one scale: infinite where the right side alone is 0, no number where both
    are."""
    here = {SCALE.name: as_number(scale)}
    values = {s.name: compiled(as_expression(path.values[s.name]))(here) for s in claim.symbols}
    left, right = compiled(claim.statement.left)(values), compiled(claim.statement.right)(values)
    if right == 0:
        return math.inf if left != 0 else math.nan
    return abs(float(left / right))


def decide_path(claim: Claim, path: Instance, *, covers: str) -> Evidence:
    """What the exact limit of left/right along the path says: REFUTED where it is infinite,
    UNDECIDED where sympy finds none."""
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


def at_scale(path: Instance, scale: int) -> dict[str, Any]:
    """The values of a path at one scale, exact."""
    return {
        name: evaluate(as_expression(value), {SCALE.name: scale})
        for name, value in path.values.items()
    }


def told_path(path: Instance) -> str:
    """The path in words: each quantity as a formula in SCALE."""
    return ", ".join(
        f"{name} = {shown(as_expression(value))}" for name, value in sorted(path.values.items())
    )
