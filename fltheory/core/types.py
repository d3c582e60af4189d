"""Names of the types that the whole package shares."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import sympy
    import torch

    Formula: TypeAlias = sympy.Expr
    Symbol: TypeAlias = sympy.Symbol
    TorchModule: TypeAlias = torch.nn.Module
    TorchTensor: TypeAlias = torch.Tensor
else:  # sympy and torch are slow to import, and torch is optional
    Formula = Symbol = TorchModule = TorchTensor = object

ExactLike: TypeAlias = int | float | str | Fraction
"""A number as a user may write it; `fltheory.core.exact.exact` turns it into a Fraction."""

Scalar: TypeAlias = int | float | Fraction | Formula
"""One coordinate in any arithmetic."""

Array: TypeAlias = np.ndarray
"""An array of any shape: floats, integers, booleans or exact objects."""

BoolArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
IntArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
FloatArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
WordArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.uint64]]

Nested: TypeAlias = ExactLike | Formula | Array | Sequence["Nested"]
"""Numbers of any kind: a single one, an array, or nested sequences."""

Whole: TypeAlias = int | Sequence["Whole"] | Array
"""Integers, or booleans as 1 and 0: a single one, an array, or nested sequences."""

Vector: TypeAlias = Sequence[ExactLike]
"""One number per client, or one per coordinate."""

Start: TypeAlias = Nested
"""A first model: one number for every coordinate, a vector, or rows with batch axes."""

Seed: TypeAlias = int | tuple[int, ...]
"""A seed; several of them give a batch of runs."""

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
Json: TypeAlias = dict[str, JsonValue]
"""The content of a JSON file; `dict[str, object]` before it has been checked."""

Values: TypeAlias = Mapping[str, Scalar | str]
"""Values of symbols by name."""

Schedule: TypeAlias = Callable[[int], ExactLike | Scalar]
"""A step size as a function of the round, counted from 0."""

StepSize: TypeAlias = ExactLike | Formula | Schedule
"""A constant step size, or a schedule."""
