"""Pooling over squares of four pixels, with its own gradient."""

from dataclasses import dataclass

from fltheory.core.types import TorchTensor
from fltheory.engine.arithmetic.tensor import torch


def halves(images: TorchTensor, axis: int) -> tuple[TorchTensor, TorchTensor]:
    """Even and odd places of an axis; a last place without a partner is left out."""
    pairs = images.shape[axis] // 2
    even, odd = [slice(None)] * 4, [slice(None)] * 4
    even[axis], odd[axis] = slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
    return images[tuple(even)], images[tuple(odd)]


@dataclass(frozen=True)
class LargestOfFour:
    """The largest of each square of four pixels; among equal pixels the first receives the
    gradient, as in torch."""

    def forward(
        self, inputs: TorchTensor
    ) -> tuple[TorchTensor, tuple[TorchTensor, TorchTensor, TorchTensor]]:
        left, right = halves(inputs, 3)
        sides = torch.maximum(left, right)
        upper, lower = halves(sides, 2)
        return torch.maximum(upper, lower), (inputs, right > left, lower > upper)

    def backward(
        self,
        kept: tuple[TorchTensor, TorchTensor, TorchTensor],
        gradient: TorchTensor,
        *,
        onward: bool,
    ) -> TorchTensor:
        inputs, right, lower = kept
        sides = torch.zeros_like(inputs[..., : inputs.shape[3] // 2])
        above, below = halves(sides, 2)
        torch.mul(gradient, lower, out=below)
        torch.sub(gradient, below, out=above)
        found = torch.zeros_like(inputs)
        first, second = halves(found, 3)
        torch.mul(sides, right, out=second)
        torch.sub(sides, second, out=first)
        return found


@dataclass(frozen=True)
class MeanOfFour:
    """The mean of each square of four pixels."""

    def forward(self, inputs: TorchTensor) -> tuple[TorchTensor, TorchTensor]:
        upper, lower = halves(inputs, 2)
        left, right = halves(upper + lower, 3)
        return (left + right).mul_(0.25), inputs

    def backward(self, kept: TorchTensor, gradient: TorchTensor, *, onward: bool) -> TorchTensor:
        share = gradient * 0.25
        found = torch.zeros_like(kept)
        for rows in halves(found, 2):
            for pixels in halves(rows, 3):
                pixels.copy_(share)
        return found
