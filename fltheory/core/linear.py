"""Exact linear algebra for period maps: z -> A z + b over the rationals or over rational functions
of symbols."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fltheory.core.errors import NotExact
from fltheory.core.types import Array, Formula

if TYPE_CHECKING:
    from sympy import Poly
    from sympy.polys.domains.domain import Domain
    from sympy.polys.domains.domainelement import DomainElement

    Element: TypeAlias = DomainElement

MAX_ROOT_BITS = 1000
"""Longest coefficients under an exact square root, in bits: simplifying more means factoring long
numbers."""


@dataclass(frozen=True)
class ReachableMap:
    """The period map on the states that a run can reach: z = origin + sum_j y_j directions[j], y ->
    matrix y + offset. Entries are elements of `field`."""

    origin: list["Element"]
    directions: list[list["Element"]]
    matrix: list[list["Element"]]
    offset: list["Element"]
    field: "Domain"

    def fixed_point(self) -> Array | None:
        """The unique reachable z with z = A z + b, or None where there is none or more than one."""
        from sympy.polys.matrices import DomainMatrix
        from sympy.polys.matrices.exceptions import DMNonInvertibleMatrixError

        size, point = len(self.offset), list(self.origin)
        if size:
            one = self.field.one
            system = [
                [(one if i == j else self.field.zero) - self.matrix[i][j] for j in range(size)]
                for i in range(size)
            ]
            right = DomainMatrix([[x] for x in self.offset], (size, 1), self.field)
            try:
                solution = DomainMatrix(system, (size, size), self.field).lu_solve(right).to_list()
            except DMNonInvertibleMatrixError:
                return None
            for (y,), direction in zip(solution, self.directions, strict=True):
                point = [p + y * d for p, d in zip(point, direction, strict=True)]
        return np.array([*self._read(point), None], dtype=object)[:-1]

    def characteristic(self) -> list[Fraction]:
        """Coefficients of det(z - matrix), highest degree first; formulas where there are
        symbols."""
        from sympy.polys.matrices import DomainMatrix

        size = len(self.offset)
        if not size:
            return [Fraction(1)]
        return self._read(DomainMatrix(self.matrix, (size, size), self.field).charpoly())

    def _read(self, values: list["Element"]) -> list[Fraction]:
        """Field elements as Fractions, or as sympy expressions where there are symbols."""
        if self.field.is_QQ:
            return [Fraction(int(x.numerator), int(x.denominator)) for x in values]
        return [self.field.to_sympy(x) for x in values]


def reachable_map(matrix: Array, offset: Array, starts: Array) -> ReachableMap:
    """Restrict z -> A z + b to the smallest invariant affine set that contains the starts.

    This removes what the method conserves, for instance that a running mean equals the mean of the
    table. The arrays hold Fractions or rational functions of symbols.
    """
    field, convert = _field([*matrix.ravel(), *offset, *starts.ravel()])
    columns = [[convert(x) for x in column] for column in matrix.T]
    shift = [convert(x) for x in offset]
    states = [[convert(x) for x in state] for state in starts]

    def image(vector: list["Element"]) -> list["Element"]:
        result = [field.zero] * len(shift)
        for x, column in zip(vector, columns, strict=True):
            if x:
                result = [r + x * c if c else r for r, c in zip(result, column, strict=True)]
        return result

    origin = states[0]
    moved = [a + b - z for a, b, z in zip(image(origin), shift, origin, strict=True)]
    queue = [[s - o for s, o in zip(state, origin, strict=True)] for state in states[1:]] + [moved]
    basis: list[list[Element]] = []
    pivots: list[int] = []
    while queue:
        vector = queue.pop(0)
        for row, pivot in zip(basis, pivots, strict=True):
            vector = _without(vector, row, pivot)
        pivot = next((k for k, x in enumerate(vector) if x), -1)
        if pivot < 0:
            continue
        vector = [x / vector[pivot] for x in vector]
        basis = [_without(row, vector, pivot) for row in basis] + [vector]
        pivots.append(pivot)
        queue.append(image(vector))
    images = [image(row) for row in basis]
    return ReachableMap(
        origin,
        basis,
        [[column[p] for column in images] for p in pivots],
        [moved[p] for p in pivots],
        field,
    )


def _without(vector: list["Element"], row: list["Element"], pivot: int) -> list["Element"]:
    """`vector` minus the multiple of `row` that clears its pivot entry (row[pivot] is 1)."""
    factor = vector[pivot]
    return (
        [x - factor * r if r else x for x, r in zip(vector, row, strict=True)] if factor else vector
    )


def _field(
    values: Sequence[Fraction | Formula],
) -> tuple["Domain", Callable[[Fraction | Formula], "Element"]]:
    """The smallest field that contains the values, and the conversion into it."""
    from sympy import QQ

    symbols = sorted({s for x in values for s in getattr(x, "free_symbols", ())}, key=str)
    field = QQ.frac_field(*symbols) if symbols else QQ

    def convert(value: Fraction | Formula) -> "Element":
        return (
            field.from_sympy(value)
            if hasattr(value, "free_symbols")
            else field.convert_from(QQ(value.numerator, value.denominator), QQ)
        )

    return field, convert


def is_schur_stable(coefficients: list[Fraction]) -> bool:
    """Whether all roots lie strictly inside the unit circle, decided exactly by the recursion of
    Schur and Cohn.

    >>> is_schur_stable([Fraction(1), Fraction(-1), Fraction(1, 4)])
    True
    >>> is_schur_stable([Fraction(1), Fraction(-1), Fraction(1)])
    False
    """
    polynomial = list(coefficients)
    while len(polynomial) > 1:
        lead, last = polynomial[0], polynomial[-1]
        if abs(last) >= abs(lead):
            return False
        mirrored = polynomial[::-1]
        polynomial = [lead * a - last * b for a, b in zip(polynomial, mirrored, strict=True)][:-1]
        polynomial = [a / polynomial[0] for a in polynomial]
    return True


def spectral_radius(coefficients: list[Fraction]) -> tuple[float, Formula | None]:
    """Largest modulus of a root: as a float, and as an exact number where factors of degree one, or
    of degree two with coefficients of at most MAX_ROOT_BITS, decide it.

    >>> spectral_radius([Fraction(1), Fraction(-1), Fraction(-1)])[1]
    (1 + sqrt(5))/2
    """
    import sympy

    from fltheory.core.expressions import bits

    z = sympy.Symbol("z")
    polynomial = sympy.Poly([sympy.Rational(c.numerator, c.denominator) for c in coefficients], z)
    known, estimate = sympy.S.Zero, 0.0
    for factor, _ in polynomial.factor_list()[1]:
        try:
            short = factor.degree() <= 1 or (
                factor.degree() == 2 and bits(factor.as_expr()) <= MAX_ROOT_BITS
            )
            exact = _largest_modulus(factor) if short else None
        except ValueError:  # sympy takes square factors out of a root and fails on some numbers
            exact = None
        known, estimate = (
            (known, max(estimate, _largest_estimate(factor)))
            if exact is None
            else (max(known, exact), estimate)
        )
    if float(known) > estimate * (1 + 1e-9) or estimate == 0:
        return float(known), known
    return max(float(known), estimate), None


def _largest_estimate(factor: "Poly") -> float:
    """Largest modulus of a root in double precision, computed with as many digits as the
    coefficients have."""
    from mpmath import mp
    from mpmath.libmp import NoConvergence

    from fltheory.core.expressions import bits

    length = bits(factor.as_expr())
    if factor.degree() == 2:
        with mp.workprec(2 * length + 100):
            a, b, c = (mp.mpf(int(x)) for x in factor.clear_denoms(convert=True)[1].all_coeffs())
            discriminant = b * b - 4 * a * c
            return float(
                mp.sqrt(c / a)
                if discriminant < 0
                else (abs(b) + mp.sqrt(discriminant)) / (2 * abs(a))
            )
    for digits in (30, 30 + length):
        try:
            return max(abs(complex(root)) for root in factor.nroots(n=digits, maxsteps=200))
        except NoConvergence:
            continue
    raise NotExact(
        f"the spectral radius needs the roots of a polynomial of degree {factor.degree()}, which"
        " were not found"
    )


def _largest_modulus(factor: "Poly") -> Formula:
    """Largest modulus of a root of a rational polynomial of degree one or two."""
    import sympy

    coefficients = factor.all_coeffs()
    if len(coefficients) == 2:
        return abs(coefficients[1] / coefficients[0])
    a, b, c = coefficients
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return sympy.sqrt(c / a)
    return sympy.factor_terms(sympy.radsimp((abs(b) + sympy.sqrt(discriminant)) / (2 * abs(a))))
