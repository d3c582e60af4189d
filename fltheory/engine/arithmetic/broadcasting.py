"""Broadcast tables whose numbers stand in one list, row by row."""

from typing import Any

from fltheory.core.types import BoolArray

Shape = tuple[int, int]


def common_shape(left: tuple[int, ...], right: tuple[int, ...]) -> Shape:
    """The shape of two tables after broadcasting."""
    (a, b), (c, d) = left, right
    if (a != c and a != 1 and c != 1) or (b != d and b != 1 and d != 1):
        raise ValueError(f"shapes {left} and {right} do not fit")
    return (c if a == 1 else a), (d if b == 1 else b)


def broadcast(numbers: list[Any], old: tuple[int, ...], new: Shape) -> list[Any]:
    """Numbers of a table, row by row, broadcast to another shape."""
    if old[1] != new[1]:
        numbers = [number for number in numbers for _ in range(new[1])]
    return numbers * new[0] if old[0] != new[0] else numbers


def spread(mask: BoolArray, shape: Shape) -> list[bool]:
    """The mask for each number of a table."""
    flags = mask.ravel().tolist()
    return flags if mask.shape == shape else broadcast(flags, mask.shape, shape)
