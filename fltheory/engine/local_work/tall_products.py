"""Products of many matrices with one table, with the same bits whoever is beside."""

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from fltheory.core.types import TorchTensor

if TYPE_CHECKING:
    import torch


def products(stack: TorchTensor, table: TorchTensor) -> TorchTensor:
    """Every matrix of a stack times one table: in one product if that gives the same bits as
    separate products, else one by one.

    One tall product is nearly twice as fast as many flat ones, but a library may sum in another
    order for another height.
    """
    if _tall_keeps_bits(
        tuple(stack.shape), tuple(table.shape), table.stride(0) == 1, stack.dtype, stack.device
    ):
        return (stack.reshape(-1, stack.shape[-1]) @ table).reshape(
            *stack.shape[:-1], table.shape[-1]
        )
    result = stack.new_empty((*stack.shape[:-1], table.shape[-1]))
    for i, one in enumerate(stack):
        result[i] = one.clone() @ table
    return result


@cache
def _tall_keeps_bits(
    shape: tuple[int, int, int],
    table: tuple[int, int],
    transposed: bool,
    dtype: "torch.dtype",
    device: "torch.device",
) -> bool:
    """Whether one tall product has the bits of separate products, tried once for each shape: the
    order of summation depends on shapes and strides, not on the numbers."""
    from fltheory.engine.arithmetic.tensor import torch

    def numbers(shape: tuple[int, ...]) -> TorchTensor:
        return (
            torch.arange(int(np.prod(shape)), dtype=torch.float64)
            .sin()
            .reshape(shape)
            .to(dtype=dtype, device=device)
        )

    stack, right = numbers(shape), numbers(table[::-1]).mT if transposed else numbers(table)
    tall = (stack.reshape(-1, shape[-1]) @ right).reshape(*shape[:-1], -1)
    return all(
        torch.equal(one.clone() @ right, rows) for one, rows in zip(stack, tall, strict=True)
    )
