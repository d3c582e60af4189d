"""Losses that oscillate, so that their gradients are bounded: 1 - cosine and sine."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

from fltheory.core.checked import Checked, default, frozen
from fltheory.core.exact import shares
from fltheory.core.registry import Member
from fltheory.core.types import ExactLike, Vector
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.problems.constants import Constants
from fltheory.problems.tables import Shares, Table, TableLike, all_equal, noise_variance, table


@frozen
class OneMinusCosine:
    """f_i(x) = sum_j 1 - cos(x_j - c_ij) with gradient sin(x - c_i): smooth, not convex, minimal at
    every c_i + 2 pi k.

    >>> OneMinusCosine(centres=(0, 1), noise_squared="1/4").constants.gradient_bound_squared
    Fraction(5, 4)
    """

    centres: Checked[TableLike, Table]
    importance: Checked[Vector | None, Shares] = default(None)
    noise_squared: Checked[ExactLike, Fraction] = default(0)

    def __post_init__(self) -> None:
        _check(self, "centres", table(self.centres, "centre"))

    @property
    def num_clients(self) -> int:
        return len(self.centres)

    @property
    def dimension(self) -> int:
        return len(self.centres[0])

    @property
    def affine(self) -> bool:
        """Gradients are not affine in the point."""
        return False

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> sin(x - c_i)."""
        centres = arithmetic.rows(self.centres)
        return lambda rows: arithmetic.sin(rows - centres)

    def losses(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> f_i at row i, one number."""
        centres = arithmetic.rows(self.centres)
        return lambda rows: (1 - arithmetic.cos(rows - centres)).sum(axis=-1, keepdims=True)

    @cached_property
    def constants(self) -> Constants:
        return _trigonometric(self.centres, self.noise_squared, infimum=Fraction(0))


@frozen
class Sine:
    """f_i(x) = sum_j sin(x_j + a_ij) with gradient cos(x + a_i) and phases a_i.

    >>> Sine(phases=(0, 0)).constants.infimum
    Fraction(-1, 1)
    """

    phases: Checked[TableLike, Table]
    importance: Checked[Vector | None, Shares] = default(None)
    noise_squared: Checked[ExactLike, Fraction] = default(0)

    def __post_init__(self) -> None:
        _check(self, "phases", table(self.phases, "phase"))

    @property
    def num_clients(self) -> int:
        return len(self.phases)

    @property
    def dimension(self) -> int:
        return len(self.phases[0])

    @property
    def affine(self) -> bool:
        """Gradients are not affine in the point."""
        return False

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> cos(x + a_i)."""
        phases = arithmetic.rows(self.phases)
        return lambda rows: arithmetic.cos(rows + phases)

    def losses(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> f_i at row i, one number."""
        phases = arithmetic.rows(self.phases)
        return lambda rows: arithmetic.sin(rows + phases).sum(axis=-1, keepdims=True)

    @cached_property
    def constants(self) -> Constants:
        return _trigonometric(self.phases, self.noise_squared, infimum=Fraction(-self.dimension))


def _check(problem: "OneMinusCosine | Sine", name: str, angles: Table) -> None:
    """Check and set the fields of a new problem."""
    checked = {
        name: angles,
        "importance": shares(problem.importance, len(angles)),
        "noise_squared": noise_variance(problem.noise_squared),
    }
    for field, value in checked.items():
        object.__setattr__(problem, field, value)


def _trigonometric(angles: Table, noise_squared: Fraction, *, infimum: Fraction) -> Constants:
    """Smoothness 1 and gradients in [-1, 1] in each coordinate; the other constants are rational
    only if all clients are equal."""
    alike = all_equal(angles)
    return Constants(
        smoothness=Fraction(1),
        gradient_noise_squared=noise_squared,
        gradient_bound_squared=len(angles[0]) + noise_squared,
        dissimilarity_squared=Fraction(0) if alike else None,
        infimum=infimum if alike else None,
    )


MEMBERS = (
    Member(
        "one-minus-cosine",
        "f_i(x) = 1 - cos(x - c_i): bounded gradients, not convex",
        lambda settings: OneMinusCosine(
            settings.need("optima"), settings.get("importance"), settings.get("noise_squared", 0)
        ),
        "--optima 0,1",
        OneMinusCosine,
    ),
    Member(
        "sine",
        "f_i(x) = sin(x + a_i): bounded gradients, not convex",
        lambda settings: Sine(
            settings.need("phases"), settings.get("importance"), settings.get("noise_squared", 0)
        ),
        "--phases 0,1",
        Sine,
    ),
)
