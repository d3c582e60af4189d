"""What a certificate file says, and whether it proves that; no solver is needed here."""

from fractions import Fraction
from typing import Any

from fltheory.errors import InvalidInput
from fltheory.worst_case.case import Case
from fltheory.worst_case.problem import Encoding
from verification.check_certificate import check


def document(encoding: Encoding) -> dict[str, Any]:
    """What a certificate says about a case, without the proof: rows over the basis, conditions and metric."""
    recording = encoding.recording
    return {
        "smoothness": str(encoding.functions.smoothness),
        "lowest_curvature": str(encoding.functions.lowest_curvature),
        "has_optimum": recording.has_optimum,
        "owners": list(recording.owners),
        "first_model": _sparse(recording.models[0]),
        "classes": [
            {"share": str(share), "block": recording.blocks.get(c, 0),
             "records": [{"point": _sparse(r.point), "gradient": _sparse(r.gradient)} for r in records]}
            for c, (share, records) in enumerate(zip(recording.shares, recording.records, strict=True))
        ],
        "points": [list(point) for point in recording.points],
        "start": encoding.start,
        "conditions": encoding.conditions.as_text(),
        "metric": encoding.metric.name,
        "weights": [str(w) for w in encoding.weights],
    }


def _sparse(row: Any) -> dict[str, str]:
    return {str(k): str(x) for k, x in enumerate(row) if x}


def verify(data: Any) -> Fraction:
    """The bound that a certificate proves for its own case: the method is run again, and must give the rows of the file."""
    try:
        bound = check(data)
    except ValueError as reason:
        raise InvalidInput("certificate", "prove its bound", reason) from None
    again = document(Case.from_json(data.get("case")).encode())
    for name, value in again.items():
        if data[name] != value:
            raise InvalidInput(f"{name} in a certificate", "be what the method itself gives", "something else")
    return Fraction(bound)
