"""Whether multipliers prove a bound on a worst case; all but them comes from the case itself."""

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
from fltheory.analysis.worst_case.encoding import Constraint, Encoding
from fltheory.core.errors import InvalidInput
from fltheory.core.quadratic_forms import Form, whole_sum
from fltheory.core.semidefinite import is_semidefinite


@dataclass(frozen=True)
class Combination:
    """Multipliers [kind, about, y] of an encoding's constraints and the bound that they are said to
    prove, as a file has them."""

    encoding: Encoding
    multipliers: object
    bound: object


def check(said: Combination) -> Fraction:
    """The bound b that is proved: b - metric = sum_k y_k (b_k - left side k) + <Z, Gram matrix>.

    So b = sum_k y_k b_k with y >= 0, the function values of sum_k y_k (left side k) are those of
    the metric C, and Z = sum_k y_k A_k - C is positive semidefinite in each block.
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
    """Each multiplier with its constraint, which must be one of the case's own."""
    if encoding.recording.noises:
        raise InvalidInput("case of a certificate", "be without noise", "gradient noise")
    known = {(each.kind, each.about): each for each in encoding.constraints()}
    for name in multipliers:
        if name not in known:
            raise _unproved(f"a multiplier of {told(name)}, which is no constraint of the case")
    return [(y, known[name]) for name, y in multipliers.items()]


def _values_left(
    used: Iterable[tuple[int, Constraint]], metric: dict[tuple[int, ...], Fraction], common: int
) -> dict[tuple[int, ...], Fraction]:
    """Factors of the function values in the sum of constraints minus those in the metric."""
    total: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for y, constraint in used:
        for name, factor in constraint.values.items():
            total[name] += y * factor
    for name, factor in metric.items():
        total[name] -= common * factor
    return total
