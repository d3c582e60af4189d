"""Order claims: directions in which left/right grows. A space draws a path (formulas in SCALE); a limit decides, numbers only point."""

import math
from dataclasses import dataclass, replace
from typing import Any

import sympy

from fltheory.attack.leads import as_number, compiled
from fltheory.attack.source import SCALE
from fltheory.checks.instances import Instance
from fltheory.checks.sweep import check_order_limit
from fltheory.claims import Claim, evaluate
from fltheory.enclosure import as_expression, shown
from fltheory.errors import NotExact
from fltheory.evidence import Evidence, Method, Verdict

SCALES = (10**2, 10**4, 10**6, 10**8)
"""Where a path is looked at before its limit is taken."""

GROWS = 0.02
"""Exponents of SCALE below this count as no growth: a logarithm of 10^8 still grows like a power of 0.05."""


@dataclass(frozen=True)
class Growth:
    """left/right at the scales, and the exponent of SCALE that fits their last step."""

    ratios: tuple[float, ...]
    exponent: float

    def __str__(self) -> str:
        return f"left/right grows like scale^{self.exponent:.3g} ({', '.join(f'{r:.3g}' for r in self.ratios)})"


def ratio_along(claim: Claim, path: Instance) -> sympy.Expr:
    """left/right as a formula in SCALE."""
    given = {s: as_expression(path.values[s.name]) for s in claim.symbols}
    ratio: sympy.Expr = (claim.statement.left / claim.statement.right).xreplace(given)
    return ratio


def growth(claim: Claim, path: Instance) -> Growth | None:
    """How fast the ratio grows, in floats; None where it has no value."""
    try:
        ratios = [abs(_ratio_at(claim, path, scale)) for scale in SCALES]
        if not all(math.isfinite(r) and r > 0 for r in ratios):
            return None
        step = math.log(SCALES[-1] / SCALES[-2])
        return Growth(tuple(ratios), math.log(ratios[-1] / ratios[-2]) / step)
    except (ZeroDivisionError, OverflowError, ValueError):
        return None


def _ratio_at(claim: Claim, path: Instance, scale: int) -> float:
    here = {SCALE.name: as_number(scale)}
    values = {s.name: compiled(as_expression(path.values[s.name]))(here) for s in claim.symbols}
    left, right = compiled(claim.statement.left)(values), compiled(claim.statement.right)(values)
    return float(left / right)


def decide_path(claim: Claim, path: Instance, *, covers: str) -> Evidence | None:
    """REFUTED where the exact limit of left/right along the path is infinite, else None."""
    try:
        derived = {s.name: as_expression(path.values[s.name]) for s in claim.symbols}
        evidence = check_order_limit(claim, derived=derived, variable=SCALE, covers=f"{covers}: {path.says}")
    except (NotImplementedError, NotExact, ValueError):  # sympy has no limit for some formulas: then nothing is decided
        return None
    if evidence.verdict is not Verdict.REFUTED:
        return None
    grows = growth(claim, path)
    return replace(evidence, method=Method.ATTACK, note=str(grows) if grows else "")


def at_scale(path: Instance, scale: int) -> dict[str, Any]:
    """The values of a path at one scale, exact."""
    return {name: evaluate(as_expression(value), {SCALE.name: scale}) for name, value in path.values.items()}


def told_path(path: Instance) -> str:
    """The path in words: each quantity as a formula in SCALE."""
    return ", ".join(f"{name} = {shown(as_expression(value))}" for name, value in sorted(path.values.items()))
