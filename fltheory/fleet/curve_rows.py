"""Curves of expected gaps of the methods, as data for pictures."""

import math
from collections.abc import Sequence

from fltheory.fleet.answer_rows import CurveRow
from fltheory.fleet.gap_curves import curve_points
from fltheory.fleet.predict import Prediction

CURVES = 5
"""Methods that are shown at most."""


def curve_rows(predictions: Sequence[Prediction], best: Prediction) -> list[CurveRow]:
    """Curves of the recommended method, of plain FedAvg and of the fastest others."""
    others = sorted(
        (p for p in predictions if p.curves is not None and p is not best),
        key=lambda p: (p.member != "fedavg", p.rounds is None, p.rounds or 0),
    )
    found: list[CurveRow] = []
    for one in (best, *others[: CURVES - 1]):
        column = one.column
        if one.curves is None:
            continue
        at, gaps = curve_points(one.num_rounds), one.curves[:, column]
        times = at * one.per_round if one.clock is None else one.clock[at]
        found.append(
            {
                "method": one.method,
                "step_size": float(one.steps[column]),
                "unit": "seconds" if one.clock is not None else one.unit,
                "times": [float(x) for x in times],
                "gap": [_finite(x) for x in gaps[0]],
                "least": [_finite(x) for x in gaps.min(axis=0)],
                "largest": [_finite(x) for x in gaps.max(axis=0)],
                "basis": one.basis.value,
            }
        )
    return found


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
