"""Convolutions that differentiate themselves: as products with unfolded images, or by torch's own
kernels."""

from dataclasses import dataclass

from fltheory.core.types import TorchTensor
from fltheory.engine.arithmetic.tensor import torch
from fltheory.engine.local_work.layers import Layer

functional = torch.nn.functional

LEAST_CHANNELS_FOR_TORCH = 32
"""From this number of output channels on, torch's own convolution with channels last in memory is
faster than a product with unfolded images. Single precision only."""

LEAST_SAMPLES_FOR_TORCH = 32
"""From this number of samples on, torch's own convolution is faster for fewer channels too. Single
precision only."""


@dataclass(frozen=True, eq=False)
class Unfolded:
    """A convolution as one product for each row i of its kernel, y = sum_i A_i P_i + b, with images
    unfolded along their rows only.

    P has shape (channels x kernel columns, samples x height x width of the outputs) and holds the
    images shifted by each column of the kernel. P_i is P from its i-th row of pixels on. Windows
    therefore run from one image into the next; those outputs, below each image, are not used.
    """

    weight: TorchTensor
    bias: TorchTensor | None
    weight_gradient: TorchTensor
    bias_gradient: TorchTensor | None
    padding: tuple[int, int]

    def forward(
        self, inputs: TorchTensor
    ) -> tuple[TorchTensor, tuple[TorchTensor, tuple[int, ...]]]:
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

    def backward(
        self, kept: tuple[TorchTensor, tuple[int, ...]], gradient: TorchTensor, *, onward: bool
    ) -> TorchTensor:
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

    def kernels(self) -> TorchTensor:
        """The rows of the kernels, each of shape (outputs, channels x columns)."""
        return self.weight.permute(2, 0, 1, 3).flatten(2)

    def windows(self, unfolded: TorchTensor, wide: int) -> list[TorchTensor]:
        """The part of the unfolded images that each row of the kernels is multiplied with."""
        rows, pixels = self.weight.shape[2], unfolded.shape[1]
        return [unfolded[:, i * wide : pixels - (rows - 1 - i) * wide] for i in range(rows)]

    def lowered(self, gradient: TorchTensor, shape: tuple[int, ...], times: int) -> TorchTensor:
        """The gradient of the outputs at the pixels of P, padded with zeros and moved 0, 1, ...
        rows down: (times x outputs, columns of P)."""
        high, wide = gradient.shape[2:]
        found = gradient.new_zeros((times, len(self.weight), *shape[1:3], wide))
        for i in range(times):
            found[i, :, :, i : i + high] = gradient.transpose(0, 1)
        return found.view(times * len(self.weight), -1)

    def folded(self, lines: TorchTensor, shape: tuple[int, ...], wide: int) -> TorchTensor:
        """The sum of the shifted images at their original places, without the padding."""
        channels, samples, height, width = shape
        shifted = lines.view(channels, -1, samples, height, wide)
        images = lines.new_zeros(shape)
        for j in range(shifted.shape[1]):
            images[..., j : j + wide] += shifted[:, j]
        down, across = self.padding
        return images[:, :, down : height - down, across : width - across].transpose(0, 1)


@dataclass(frozen=True, eq=False)
class Convolved:
    """A convolution by torch's own kernels, in the given memory order."""

    weight: TorchTensor
    bias: TorchTensor | None
    weight_gradient: TorchTensor
    bias_gradient: TorchTensor | None
    padding: tuple[int, int]
    order: torch.memory_format

    def forward(self, inputs: TorchTensor) -> tuple[TorchTensor, tuple[TorchTensor, TorchTensor]]:
        images, weight = (one.contiguous(memory_format=self.order) for one in (inputs, self.weight))
        return functional.conv2d(images, weight, self.bias, padding=self.padding), (images, weight)

    def backward(
        self, kept: tuple[TorchTensor, TorchTensor], gradient: TorchTensor, *, onward: bool
    ) -> TorchTensor:
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
    """One of two implementations of the same layer, chosen by the number of samples."""

    few: Layer
    many: Layer

    def forward(self, inputs: TorchTensor) -> tuple[TorchTensor, object]:
        return (self.many if len(inputs) >= LEAST_SAMPLES_FOR_TORCH else self.few).forward(inputs)

    def backward(self, kept: object, gradient: TorchTensor, *, onward: bool) -> TorchTensor:
        return (self.many if len(gradient) >= LEAST_SAMPLES_FOR_TORCH else self.few).backward(
            kept, gradient, onward=onward
        )
