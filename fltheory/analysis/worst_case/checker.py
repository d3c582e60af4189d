"""Exact check that multipliers of a case's constraints prove a bound on its worst case."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from fltheory.analysis.certificate_fields import (
    Name,
    multipliers_of,
    short_fraction,
    short_together,
    told,
)
from fltheory.analysis.worst_case.encoding import Coefficients, Constraint, Encoding, ValueName
from fltheory.core.errors import InvalidInput
from fltheory.core.quadratic_forms import Form, whole_sum
from fltheory.core.semidefinite import is_semidefinite


@dataclass(frozen=True)
class Combination:
    """Multipliers [kind, about, y] of an encoding's constraints and the stated bound, unchecked."""

    encoding: Encoding
    multipliers: object
    bound: object


def check(said: Combination) -> Fraction:
    """The proved bound b: b - metric = sum_k y_k (b_k - left side k) + <Z, Gram matrix>.

    So b = sum_k y_k b_k with y >= 0, the function values in sum_k y_k (left side k) are those of
    the metric C, and Z = sum_k y_k A_k - C is positive semidefinite in each block. A wrong proof is
    an error.
    """
    encoding, stated = said.encoding, short_fraction(said.bound, "bound of a certificate")
    used = _chosen(encoding, multipliers_of(said.multipliers))
    common = short_together([stated, *(y for y, _ in used)])
    whole = [(y.numerator * (common // y.denominator), constraint) for y, constraint in used]
    if sum((y * constraint.bound for y, constraint in whole), Fraction(0)) != stated * common:
        raise _unproved("the multipliers do not prove the stated bound")
    terms, values = encoding.objective()
    for name, left in _values_left(whole, values, common).items():
        if left:
            raise _unproved(f"function values are left over at {name}")
    added = [(y, term) for y, constraint in whole for term in constraint.terms]
    added += [(-common, term) for term in terms]
    for block in range(len(encoding.block_sizes)):
        forms = [Form(y, term.places, term.matrix) for y, term in added if term.block == block]
        if not is_semidefinite(whole_sum(encoding.vectors(block), forms)[0]):
            raise _unproved(f"the remainder in block {block} is no sum of squares")
    return stated


def _unproved(reason: str) -> InvalidInput:
    return InvalidInput("certificate", "prove its bound", reason)


def _chosen(
    encoding: Encoding, multipliers: dict[Name, Fraction]
) -> list[tuple[Fraction, Constraint]]:
    """Each multiplier with its constraint, which must be a constraint of the case."""
    if encoding.recording.noises:
        raise InvalidInput("case of a certificate", "be without noise", "gradient noise")
    known = {(each.kind, each.about): each for each in encoding.constraints()}
    for name in multipliers:
        if name not in known:
            raise _unproved(f"a multiplier of {told(name)}, which is no constraint of the case")
    return [(y, known[name]) for name, y in multipliers.items()]


def _values_left(
    used: Iterable[tuple[int, Constraint]], metric: Coefficients, common: int
) -> Coefficients:
    """Factors of the function values in the sum of constraints minus those in the metric."""
    total: defaultdict[ValueName, Fraction] = defaultdict(Fraction)
    for y, constraint in used:
        for name, factor in constraint.values.items():
            total[name] += y * factor
    for name, factor in metric.items():
        total[name] -= common * factor
    return total
