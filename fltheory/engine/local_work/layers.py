"""Layers of small networks that differentiate themselves, without autograd: what a minibatch of few
images needs, and no more.

A layer maps inputs to outputs and what it keeps, and the outputs' gradient and what it kept to the
inputs' gradient; the gradients of its own parameters are added up in place. Images have shape
(samples, channels, height, width) in whatever order memory has them.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from fltheory.engine.arithmetic.tensor import torch

nn: Any = torch.nn
functional: Any = torch.nn.functional

WIDE = 32
"""Channels of a convolution's outputs from which on torch's own, channels last in memory, beats a
product with unfolded images."""

MANY = 32
"""Samples from which on torch's own beats it for fewer channels too. Both only in single
precision."""


class Layer(Protocol):
    """One step of a network."""

    def forward(self, inputs: Any) -> tuple[Any, Any]:
        """(outputs, what backward will need)."""
        ...

    def backward(self, kept: Any, gradient: Any, *, onward: bool) -> Any:
        """The gradient with respect to the inputs if it is wanted onward; it may overwrite the one
        it is given."""
        ...


@dataclass(frozen=True, eq=False)
class Dense:
    """x A^T + b."""

    weight: Any
    bias: Any
    weight_gradient: Any
    bias_gradient: Any

    def forward(self, inputs: Any) -> tuple[Any, Any]:
        return functional.linear(inputs, self.weight, self.bias), inputs

    def backward(self, kept: Any, gradient: Any, *, onward: bool) -> Any:
        self.weight_gradient.addmm_(gradient.T, kept)
        if self.bias_gradient is not None:
            self.bias_gradient.add_(gradient.sum(0))
        return gradient @ self.weight if onward else None


@dataclass(frozen=True, eq=False)
class Unfolded:
    """A convolution as one product for each row i of its kernel, y = sum_i A_i P_i + b, with images
    unfolded along their rows only.

    P, (channels x kernel's columns, samples x height x width of the outputs), holds every shift of
    the images by a column of the kernel. P_i is P from its i-th row of pixels on. So windows run
    from one image into the next: those outputs, below each image, are not used.
    """

    weight: Any
    bias: Any
    weight_gradient: Any
    bias_gradient: Any
    padding: tuple[int, int]

    def forward(self, inputs: Any) -> tuple[Any, Any]:
        (down, across), (outputs, _, rows, columns) = self.padding, self.weight.shape
        images = functional.pad(inputs.transpose(0, 1), (across, across, down, down)).contiguous()
        channels, samples, height, width = images.shape
        wide, (channel, sample, row, one) = width - columns + 1, images.stride()
        shifted = images.as_strided(
            (channels, columns, samples, height, wide), (channel, one, sample, row, one)
        )
        unfolded = shifted.reshape(channels * columns, samples * height * wide)
        found = images.new_empty((outputs, samples * height * wide))
        seen = found[:, : found.shape[1] - (rows - 1) * wide]
        for i, (kernel, window) in enumerate(
            zip(self.kernels(), self.windows(unfolded, wide), strict=True)
        ):
            if i > 0:
                torch.addmm(seen, kernel, window, out=seen)
            elif self.bias is None:
                torch.mm(kernel, window, out=seen)
            else:
                torch.addmm(self.bias[:, None], kernel, window, out=seen)
        return found.view(outputs, samples, height, wide)[:, :, : height - rows + 1].transpose(
            0, 1
        ), (unfolded, images.shape)

    def backward(self, kept: Any, gradient: Any, *, onward: bool) -> Any:
        unfolded, shape = kept
        if self.bias_gradient is not None:
            self.bias_gradient.add_(gradient.sum((0, 2, 3)))
        if not onward:
            table = self.lowered(gradient, shape, 1)[
                :, : unfolded.shape[1] - (self.weight.shape[2] - 1) * gradient.shape[3]
            ]
            for i, window in enumerate(self.windows(unfolded, gradient.shape[3])):
                self.weight_gradient[:, :, i].add_(
                    (window @ table.T).T.reshape(self.weight[:, :, i].shape)
                )
            return None
        (outputs, channels, rows, columns), table = (
            self.weight.shape,
            self.lowered(gradient, shape, self.weight.shape[2]),
        )
        self.weight_gradient.add_(
            (table @ unfolded.T).view(rows, outputs, channels, columns).permute(1, 2, 0, 3)
        )
        return self.folded(self.kernels().flatten(0, 1).T @ table, shape, gradient.shape[3])

    def kernels(self) -> Any:
        """Rows of the kernels, (outputs, channels x columns) each."""
        return self.weight.permute(2, 0, 1, 3).flatten(2)

    def windows(self, unfolded: Any, wide: int) -> list[Any]:
        """What each row of the kernels sees of unfolded images."""
        rows, pixels = self.weight.shape[2], unfolded.shape[1]
        return [unfolded[:, i * wide : pixels - (rows - 1 - i) * wide] for i in range(rows)]

    def lowered(self, gradient: Any, shape: tuple[int, ...], times: int) -> Any:
        """The outputs' gradient among zeros where P has its pixels, 0, 1, ... rows further down:
        (times x outputs, columns of P)."""
        high, wide = gradient.shape[2:]
        found = gradient.new_zeros((times, len(self.weight), *shape[1:3], wide))
        for i in range(times):
            found[i, :, :, i : i + high] = gradient.transpose(0, 1)
        return found.view(times * len(self.weight), -1)

    def folded(self, lines: Any, shape: tuple[int, ...], wide: int) -> Any:
        """Shifted images added up where they came from, without the padding."""
        channels, samples, height, width = shape
        shifted = lines.view(channels, -1, samples, height, wide)
        images = lines.new_zeros(shape)
        for j in range(shifted.shape[1]):
            images[..., j : j + wide] += shifted[:, j]
        down, across = self.padding
        return images[:, :, down : height - down, across : width - across].transpose(0, 1)


@dataclass(frozen=True, eq=False)
class Convolved:
    """A convolution by torch's own kernels, in the given order of memory."""

    weight: Any
    bias: Any
    weight_gradient: Any
    bias_gradient: Any
    padding: tuple[int, int]
    order: Any

    def forward(self, inputs: Any) -> tuple[Any, Any]:
        images, weight = (one.contiguous(memory_format=self.order) for one in (inputs, self.weight))
        return functional.conv2d(images, weight, self.bias, padding=self.padding), (images, weight)

    def backward(self, kept: Any, gradient: Any, *, onward: bool) -> Any:
        images, weight = kept
        gradient = gradient.contiguous(memory_format=self.order)
        wanted = [onward, True, self.bias is not None]
        found, for_weight, for_bias = torch.ops.aten.convolution_backward(
            gradient,
            images,
            weight,
            [len(weight)],
            [1, 1],
            list(self.padding),
            [1, 1],
            False,
            [0, 0],
            1,
            wanted,
        )
        self.weight_gradient.add_(for_weight)
        if self.bias_gradient is not None:
            self.bias_gradient.add_(for_bias)
        return found


@dataclass(frozen=True, eq=False)
class ByNumber:
    """One of two ways to do the same, by the number of samples."""

    few: Layer
    many: Layer

    def forward(self, inputs: Any) -> tuple[Any, Any]:
        return (self.many if len(inputs) >= MANY else self.few).forward(inputs)

    def backward(self, kept: Any, gradient: Any, *, onward: bool) -> Any:
        return (self.many if len(gradient) >= MANY else self.few).backward(
            kept, gradient, onward=onward
        )


@dataclass(frozen=True)
class Rectified:
    """max(x, 0)."""

    def forward(self, inputs: Any) -> tuple[Any, Any]:
        outputs = functional.relu(inputs)
        return outputs, outputs

    def backward(self, kept: Any, gradient: Any, *, onward: bool) -> Any:
        return torch.ops.aten.threshold_backward(gradient, kept, 0)


@dataclass(frozen=True)
class Tanh:
    """tanh(x)."""

    def forward(self, inputs: Any) -> tuple[Any, Any]:
        outputs = torch.tanh(inputs)
        return outputs, outputs

    def backward(self, kept: Any, gradient: Any, *, onward: bool) -> Any:
        return gradient * (1 - kept * kept)


@dataclass(frozen=True)
class Flat:
    """All of a sample in one row."""

    def forward(self, inputs: Any) -> tuple[Any, Any]:
        return inputs.flatten(1), inputs.shape

    def backward(self, kept: Any, gradient: Any, *, onward: bool) -> Any:
        return gradient.reshape(kept)


def halves(images: Any, axis: int) -> tuple[Any, Any]:
    """Even and odd places of an axis; a last one without a partner is left out."""
    pairs = images.shape[axis] // 2
    even, odd = [slice(None)] * 4, [slice(None)] * 4
    even[axis], odd[axis] = slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
    return images[tuple(even)], images[tuple(odd)]


@dataclass(frozen=True)
class LargestOfFour:
    """The largest of each square of four pixels; of equal ones the first takes the gradient, as in
    torch."""

    def forward(self, inputs: Any) -> tuple[Any, Any]:
        left, right = halves(inputs, 3)
        sides = torch.maximum(left, right)
        upper, lower = halves(sides, 2)
        return torch.maximum(upper, lower), (inputs, right > left, lower > upper)

    def backward(self, kept: Any, gradient: Any, *, onward: bool) -> Any:
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

    def forward(self, inputs: Any) -> tuple[Any, Any]:
        upper, lower = halves(inputs, 2)
        left, right = halves(upper + lower, 3)
        return (left + right).mul_(0.25), inputs

    def backward(self, kept: Any, gradient: Any, *, onward: bool) -> Any:
        share = gradient * 0.25
        found = torch.zeros_like(kept)
        for rows in halves(found, 2):
            for pixels in halves(rows, 3):
                pixels.copy_(share)
        return found


def layers_of(module: Any, views: dict[Any, tuple[Any, Any]]) -> tuple[Layer, ...] | None:
    """The layers of a sequence of known kinds, or nothing; `views` has weights and gradient of each
    parameter.

    >>> layers_of(nn.Sequential(nn.ReLU(), nn.MaxPool2d(2)), {})
    (LargestOfFour(), Rectified())
    """
    found: list[Layer] = []
    for part in module if type(module) is nn.Sequential else [module]:
        layer = _layer(part, views)
        if layer is None:
            return None
        # The largest of rectified numbers is the rectified largest, on a quarter of the pixels,
        # with the same gradient.
        place = (
            len(found) - 1
            if found and isinstance(layer, LargestOfFour) and isinstance(found[-1], Rectified)
            else len(found)
        )
        found.insert(place, layer)
    return tuple(found)


def _layer(part: Any, views: dict[Any, tuple[Any, Any]]) -> Layer | None:
    if type(part) is nn.Linear:
        return Dense(*_pairs(part, views))
    if type(part) is nn.Conv2d:
        plain = (part.stride, part.dilation, part.groups, part.padding_mode) == (
            (1, 1),
            (1, 1),
            1,
            "zeros",
        )
        if not plain or isinstance(part.padding, str):
            return None
        known = (*_pairs(part, views), part.padding)
        if part.weight.dtype is not torch.float32:
            return Unfolded(*known)
        if part.out_channels >= WIDE:
            return Convolved(*known, torch.channels_last)
        return ByNumber(Unfolded(*known), Convolved(*known, torch.contiguous_format))
    if type(part) is nn.Flatten:
        return Flat() if (part.start_dim, part.end_dim) == (1, -1) else None
    if type(part) is nn.MaxPool2d:
        alike = (
            part.kernel_size,
            part.stride,
            part.padding,
            part.dilation,
            part.ceil_mode,
            part.return_indices,
        )
        return LargestOfFour() if alike == (2, 2, 0, 1, False, False) else None
    if type(part) is nn.AvgPool2d:
        return (
            MeanOfFour()
            if (part.kernel_size, part.stride, part.padding, part.ceil_mode) == (2, 2, 0, False)
            else None
        )
    if type(part) is nn.ReLU:
        return Rectified()
    return Tanh() if type(part) is nn.Tanh else None


def _pairs(part: Any, views: dict[Any, tuple[Any, Any]]) -> tuple[Any, Any, Any, Any]:
    """Weight, bias and their gradients."""
    (weight, for_weight), (bias, for_bias) = (
        views[part.weight],
        (None, None) if part.bias is None else views[part.bias],
    )
    return weight, bias, for_weight, for_bias
