"""The statement in a certificate file, and the check that the file proves it, without a solver."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

import fltheory.algorithms
from fltheory.analysis.certificate_fields import fields, same_fields
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.checker import Combination, check
from fltheory.analysis.worst_case.encoding import Encoding
from fltheory.core.errors import InvalidInput
from fltheory.core.registry import find_member, is_own
from fltheory.core.types import Json

FORMAT = "fltheory worst-case certificate 1"


def document(encoding: Encoding) -> Json:
    """The statement of a certificate, without proof: rows over the basis, conditions and metric."""
    recording = encoding.recording
    return {
        "smoothness": str(encoding.functions.smoothness),
        "lowest_curvature": str(encoding.functions.lowest_curvature),
        "has_optimum": recording.has_optimum,
        "owners": list(recording.owners),
        "first_model": _sparse(recording.models[0]),
        "classes": [
            {
                "share": str(share),
                "block": recording.blocks.get(c, 0),
                "records": [
                    {"point": _sparse(r.point), "gradient": _sparse(r.gradient)} for r in records
                ],
            }
            for c, (share, records) in enumerate(
                zip(recording.shares, recording.records, strict=True)
            )
        ],
        "points": [list(point) for point in recording.points],
        "start": encoding.start,
        "conditions": encoding.conditions.as_text(),
        "metric": encoding.metric.name,
        "weights": [str(w) for w in encoding.weights],
    }


def _sparse(row: Iterable[Fraction]) -> Json:
    return {str(k): str(x) for k, x in enumerate(row) if x}


def _closed(told: Mapping[str, object], case: Case) -> None:
    """Refuse fields that no certificate has, and settings that the method does not take."""
    if not isinstance(told.get("says", ""), str):
        raise InvalidInput("says in a certificate", "be a text", repr(told["says"])[:60])
    given: Mapping[str, Json] = told["case"]  # type: ignore[assignment]  # the case was read from it
    known = case.to_json()
    unknown = sorted({*given} - {*known, "virtual"})
    unknown += sorted({*given["trace"]} - {*known["trace"]})  # type: ignore[misc]
    if is_own(fltheory.algorithms, case.algorithm):
        needed = find_member(fltheory.algorithms, case.algorithm).needs
        unknown += sorted(set(case.settings) - needed - {"importance"})
    if unknown:
        rule = "have the fields of a case and the settings of its method only"
        raise InvalidInput("case of a certificate", rule, repr(unknown)[:60])
    known = {**known, "virtual": case.question.virtual, "by_class": bool(case.by_class)}
    same_fields({"virtual": False, **given}, known, "be written as it is read")


def verify(data: object) -> Fraction:
    """The bound that a certificate proves for its own case; a wrong certificate is an error.

    The method is run again. It must give the rows of the file, and the constraints come from that
    run.
    """
    told = fields(data, "certificate")
    case = Case.from_json(told.get("case"))
    _closed(told, case)
    encoding = case.encode()
    try:
        again = document(encoding)
    except ValueError:  # Python writes no numbers of more than 4300 digits
        rule = "give rows of short numbers"
        raise InvalidInput("case of a certificate", rule, "longer ones") from None
    same_fields(told, again, "be what the method itself gives")
    if unknown := sorted(set(told) - {*again, "format", "says", "case", "multipliers", "bound"}):
        rule = "have the fields of its format only"
        raise InvalidInput("certificate", rule, repr(unknown)[:60])
    return check(Combination(encoding, told.get("multipliers"), told.get("bound")))
