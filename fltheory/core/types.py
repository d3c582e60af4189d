"""Names for the types that the whole package shares."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import sympy

    Formula: TypeAlias = sympy.Expr
    Symbol: TypeAlias = sympy.Symbol
else:  # sympy takes long to import
    Formula = Symbol = object

ExactLike: TypeAlias = "int | float | str | Fraction"
"""A number as a user may give it; `fltheory.core.exact.exact` makes a Fraction of it."""

Scalar: TypeAlias = "int | float | Fraction | Formula"
"""One coordinate in any arithmetic."""

Array: TypeAlias = np.ndarray
"""An array of any shape, of floats, whole numbers, booleans or exact objects."""

BoolArray: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]"
IntArray: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"
FloatArray: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"

JsonValue: TypeAlias = "None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]"
Json: TypeAlias = "dict[str, JsonValue]"
"""What a JSON file may hold; `dict[str, object]` where it has not been looked at yet."""

Values: TypeAlias = Mapping[str, "Scalar | str"]
"""Values of symbols by name."""

Schedule: TypeAlias = Callable[[int], Scalar]
"""A step size as a function of the round, counted from 0."""

Vector: TypeAlias = Sequence[ExactLike]
