"""Check a stored certificate: of a worst case, of an inequality, or for every horizon."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from fltheory import algorithms
from fltheory.analysis.inequalities import inequality
from fltheory.analysis.inequalities.checker import check
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.proof import FORMAT, verify
from fltheory.analysis.worst_case.statement import sentence
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.registry import members
from fltheory.core.results import Table, as_dict, as_html, as_text, named_values
from fltheory.core.types import Json
from fltheory.core.untrusted_io import bounded_json

FOREVER = "fltheory forever certificate 1"
"""The format of certificates for every horizon."""

MAX_BYTES = 1 << 24
"""Largest certificate file."""
LARGEST_QUESTION = 16_000
"""Moves of a client, times the cube of the models of a round, that are checked within 2 s."""


@dataclass(frozen=True, repr=False)
class CertificateChecked:
    """Whether a certificate is a proof, and of what: the bound on a worst case, or the factor on
    the right side of an inequality. `says` is derived from what was checked, not read."""

    proved: bool
    kind: str
    says: str | None
    value: Fraction | None
    why: str = ""
    checkable: bool = True
    """False if its method is not known here, so that nothing is said about the proof."""

    def to_dict(self) -> Json:
        if not self.proved:
            unknown = {} if self.checkable else {"checkable": False}
            return as_dict({"proved": False, self.kind: None, "why": self.why, **unknown})
        about = None if self.value is None else float(self.value)
        return as_dict({"proved": True, "says": self.says, self.kind: self.value, "about": about})

    def tables(self) -> list[Table]:
        return [named_values("certificate", self.to_dict())]

    __repr__ = as_text
    _repr_html_ = as_html


def check_certificate(file: str | Path) -> CertificateChecked:
    """Check a certificate in exact arithmetic, and that its method gives what it speaks of; no
    solver is needed.

    >>> from fltheory.claims.record import house_folder
    >>> file = sorted((house_folder() / "certificates").glob("*.json"))[0]
    >>> check_certificate(file).proved
    True
    """
    if not isinstance(file, str | Path):
        raise InvalidInput("certificate", "be the name of a file", repr(file)[:60])
    path = Path(file)
    data = bounded_json(path, MAX_BYTES, path.name)
    form = data.get("format") if isinstance(data, dict) else None
    if isinstance(data, dict) and form == FOREVER:
        return _checked_forever(data)
    if not isinstance(data, dict) or form not in (FORMAT, inequality.FORMAT):
        raise InvalidInput(path.name, f"be a file of the format {FORMAT!r}", "another one")
    kind = "bound" if form == FORMAT else "factor"
    method = _method_of(data)
    if form == FORMAT and "case" not in data:
        why = "the file names no method, so nothing says what its points are"
        return CertificateChecked(False, kind, None, None, why, checkable=False)
    if method is not None and method not in members(algorithms):
        why = (
            f"the method {method[:80]!r} is not known here: give the module or file that defines it"
            " with fltheory --plugins, before the command"
        )
        return CertificateChecked(False, kind, None, None, why, checkable=False)
    try:
        if form == FORMAT:
            value, says = verify(data), sentence(Case.from_json(data["case"]))
        else:
            value = check(data)
            says = inequality.Inequality.from_json(data).sentence(value)
    except InvalidInput as reason:
        return CertificateChecked(False, kind, None, None, str(reason))
    return CertificateChecked(True, kind, says, value)


def _checked_forever(data: Mapping[str, object]) -> CertificateChecked:
    """A certificate for every horizon: the method's code is run again, only numbers are read."""
    from fltheory.analysis.potentials.certificate import question_from_json, refuted, size_of
    from fltheory.analysis.potentials.statement import sentence_of

    method = data.get("method")
    if method not in members(algorithms):
        why = f"the method {str(method)[:80]!r} is not known here"
        return CertificateChecked(False, "rate", None, None, why, checkable=False)
    try:
        if size_of(question_from_json(data)) > LARGEST_QUESTION:
            why = "a question of this size is checked by verification/check_forever.py only"
            return CertificateChecked(False, "rate", None, None, why, checkable=False)
        reasons = refuted(data)
        if reasons:
            return CertificateChecked(False, "rate", None, None, reasons[0])
        return CertificateChecked(True, "rate", sentence_of(data), exact(data["rate"]))
    except (InvalidInput, KeyError, TypeError, AttributeError, ValueError) as reason:
        return CertificateChecked(False, "rate", None, None, f"malformed: {reason}")


def _method_of(data: Mapping[str, object]) -> str | None:
    """The name of the method that a certificate is about, if it has one."""
    case = data.get("case")
    name = case.get("algorithm") if isinstance(case, Mapping) else None
    return name if isinstance(name, str) else None
