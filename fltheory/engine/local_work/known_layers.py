"""Translate a torch module into layers that differentiate themselves, if all parts are known."""

from typing import TypeAlias

from fltheory.core.types import TorchModule, TorchTensor
from fltheory.engine.arithmetic.tensor import torch
from fltheory.engine.local_work.convolutions import (
    LEAST_CHANNELS_FOR_TORCH,
    ByNumber,
    Convolved,
    Unfolded,
)
from fltheory.engine.local_work.layers import Dense, Flat, Layer, Rectified, Tanh
from fltheory.engine.local_work.pooling import LargestOfFour, MeanOfFour

nn = torch.nn

Views: TypeAlias = dict[TorchTensor, tuple[TorchTensor, TorchTensor]]
"""For each parameter, its part of the flat weights and of the flat gradient."""


def layers_of(module: TorchModule, views: Views) -> tuple[Layer, ...] | None:
    """The layers of a module, or None if one of its parts is not known.

    >>> layers_of(nn.Sequential(nn.ReLU(), nn.MaxPool2d(2)), {})
    (LargestOfFour(), Rectified())
    """
    found: list[Layer] = []
    for part in module if type(module) is nn.Sequential else [module]:
        layer = _layer(part, views)
        if layer is None:
            return None
        # The maximum of rectified numbers is the rectified maximum, computed on a quarter of the
        # pixels and with the same gradient, so the two layers change places.
        swaps = found and isinstance(layer, LargestOfFour) and isinstance(found[-1], Rectified)
        found.insert(len(found) - 1 if swaps else len(found), layer)
    return tuple(found)


def _layer(part: TorchModule, views: Views) -> Layer | None:
    if type(part) is nn.Linear:
        return Dense(*_pairs(part, views))
    if type(part) is nn.Conv2d:
        return _convolution(part, views)
    if type(part) is nn.Flatten:
        return Flat() if (part.start_dim, part.end_dim) == (1, -1) else None
    if type(part) is nn.MaxPool2d:
        squares = (part.kernel_size, part.stride, part.padding, part.dilation) == (2, 2, 0, 1)
        plain = not part.ceil_mode and not part.return_indices
        return LargestOfFour() if squares and plain else None
    if type(part) is nn.AvgPool2d:
        squares = (part.kernel_size, part.stride, part.padding) == (2, 2, 0)
        return MeanOfFour() if squares and not part.ceil_mode else None
    if type(part) is nn.ReLU:
        return Rectified()
    return Tanh() if type(part) is nn.Tanh else None


def _convolution(part: TorchModule, views: Views) -> Layer | None:
    steps = (part.stride, part.dilation, part.groups)
    plain = steps == ((1, 1), (1, 1), 1) and part.padding_mode == "zeros"
    if not plain or isinstance(part.padding, str):
        return None
    known = (*_pairs(part, views), part.padding)
    if part.weight.dtype is not torch.float32:
        return Unfolded(*known)
    if part.out_channels >= LEAST_CHANNELS_FOR_TORCH:
        return Convolved(*known, torch.channels_last)
    return ByNumber(Unfolded(*known), Convolved(*known, torch.contiguous_format))


def _pairs(
    part: TorchModule, views: Views
) -> tuple[TorchTensor, TorchTensor | None, TorchTensor, TorchTensor | None]:
    """Weight, bias and their gradients."""
    weight, for_weight = views[part.weight]
    bias, for_bias = (None, None) if part.bias is None else views[part.bias]
    return weight, bias, for_weight, for_bias
