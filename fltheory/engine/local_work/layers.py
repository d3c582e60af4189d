"""Layers of small networks that differentiate themselves without autograd, which is faster for
small minibatches.

`forward` maps inputs to outputs and to what `backward` needs; `backward` maps the gradient with
respect to the outputs to the gradient with respect to the inputs, and adds the gradients of the
layer's own parameters in place. Images have shape (samples, channels, height, width) in any memory
order.
"""

from dataclasses import dataclass
from typing import Protocol, TypeVar

from fltheory.core.types import TorchTensor
from fltheory.engine.arithmetic.tensor import torch

functional = torch.nn.functional

Kept = TypeVar("Kept")
"""What a layer keeps between its forward and its backward pass."""


class Layer(Protocol[Kept]):
    """One layer of a network."""

    def forward(self, inputs: TorchTensor) -> tuple[TorchTensor, Kept]:
        """(outputs, what backward will need)."""
        ...

    def backward(self, kept: Kept, gradient: TorchTensor, *, onward: bool) -> TorchTensor | None:
        """The gradient with respect to the inputs, if `onward`; it may overwrite `gradient`."""
        ...


@dataclass(frozen=True, eq=False)
class Dense:
    """x A^T + b."""

    weight: TorchTensor
    bias: TorchTensor | None
    weight_gradient: TorchTensor
    bias_gradient: TorchTensor | None

    def forward(self, inputs: TorchTensor) -> tuple[TorchTensor, TorchTensor]:
        return functional.linear(inputs, self.weight, self.bias), inputs

    def backward(self, kept: TorchTensor, gradient: TorchTensor, *, onward: bool) -> TorchTensor:
        self.weight_gradient.addmm_(gradient.T, kept)
        if self.bias_gradient is not None:
            self.bias_gradient.add_(gradient.sum(0))
        return gradient @ self.weight if onward else None


@dataclass(frozen=True)
class Rectified:
    """max(x, 0)."""

    def forward(self, inputs: TorchTensor) -> tuple[TorchTensor, TorchTensor]:
        outputs = functional.relu(inputs)
        return outputs, outputs

    def backward(self, kept: TorchTensor, gradient: TorchTensor, *, onward: bool) -> TorchTensor:
        return torch.ops.aten.threshold_backward(gradient, kept, 0)


@dataclass(frozen=True)
class Tanh:
    """tanh(x)."""

    def forward(self, inputs: TorchTensor) -> tuple[TorchTensor, TorchTensor]:
        outputs = torch.tanh(inputs)
        return outputs, outputs

    def backward(self, kept: TorchTensor, gradient: TorchTensor, *, onward: bool) -> TorchTensor:
        return gradient * (1 - kept * kept)


@dataclass(frozen=True)
class Flat:
    """Each sample as one row."""

    def forward(self, inputs: TorchTensor) -> tuple[TorchTensor, tuple[int, ...]]:
        return inputs.flatten(1), inputs.shape

    def backward(
        self, kept: tuple[int, ...], gradient: TorchTensor, *, onward: bool
    ) -> TorchTensor:
        return gradient.reshape(kept)
