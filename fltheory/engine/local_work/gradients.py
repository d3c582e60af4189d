"""The gradient of one network on one minibatch, by the method that is fastest for its layers and
its device.

Weights and gradient are flat rows that stay at the same place in memory, because a product may sum
in another order at another alignment: a gradient then has the same bits whatever is computed before
or after it. The method is chosen by the module and the device, never by a timing.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Protocol

from fltheory.core.types import TorchModule, TorchTensor
from fltheory.engine.arithmetic.tensor import torch
from fltheory.engine.local_work.known_layers import Views, layers_of
from fltheory.engine.local_work.layers import Layer

functional = torch.nn.functional

MOST_SAMPLES_TOGETHER = 64
"""Most samples that pass the layers together, so that images stay in the processor's cache."""


class Gradient(Protocol):
    """f(w) = mean cross-entropy of a network with weights w on given samples."""

    @property
    def weights(self) -> TorchTensor:
        """All parameters, one after the other; the caller writes them."""
        ...

    @property
    def gradient(self) -> TorchTensor:
        """The result of the last call."""
        ...

    def __call__(self, inputs: TorchTensor, labels: TorchTensor) -> None:
        """Write the gradient of f at `weights` into `gradient`."""
        ...

    def loss(self, inputs: TorchTensor, labels: TorchTensor) -> TorchTensor:
        """The value of f at `weights`."""
        ...


@dataclass(frozen=True, eq=False)
class ByAutograd:
    """Automatic differentiation by torch, for every module; its parameters are views of
    `weights`."""

    module: TorchModule
    weights: TorchTensor
    gradient: TorchTensor

    def __call__(self, inputs: TorchTensor, labels: TorchTensor) -> None:
        loss = functional.cross_entropy(self.module(inputs), labels)
        torch.cat(
            [part.ravel() for part in torch.autograd.grad(loss, list(self.module.parameters()))],
            out=self.gradient,
        )

    def loss(self, inputs: TorchTensor, labels: TorchTensor) -> TorchTensor:
        with torch.no_grad():
            return functional.cross_entropy(self.module(inputs), labels)


@dataclass(frozen=True, eq=False)
class ByLayers:
    """Layers that differentiate themselves, a few samples at a time."""

    layers: tuple[Layer, ...]
    weights: TorchTensor
    gradient: TorchTensor

    def __call__(self, inputs: TorchTensor, labels: TorchTensor) -> None:
        with torch.inference_mode():
            self.gradient.zero_()
            for some in together(len(labels)):
                self.add(inputs[some], labels[some, None], 1 / len(labels))

    def add(self, inputs: TorchTensor, labels: TorchTensor, share: float) -> None:
        """Add the part of these samples: the gradient of the logits is share * (softmax - 1 at the
        label)."""
        outputs, kept = self.through(inputs)
        gradient = torch.softmax(outputs, 1).mul_(share)
        gradient.scatter_add_(1, labels, gradient.new_full(labels.shape, -share))
        for place in reversed(range(len(self.layers))):
            gradient = self.layers[place].backward(kept[place], gradient, onward=place > 0)

    def through(self, inputs: TorchTensor) -> tuple[TorchTensor, list[object]]:
        """The logits, and what each layer keeps for its backward pass."""
        kept: list[object] = []
        for layer in self.layers:
            inputs, needed = layer.forward(inputs)
            kept.append(needed)
        return inputs, kept

    def loss(self, inputs: TorchTensor, labels: TorchTensor) -> TorchTensor:
        with torch.no_grad():
            return sum(
                functional.cross_entropy(
                    self.through(inputs[some])[0], labels[some], reduction="sum"
                )
                for some in together(len(labels))
            ) / len(labels)


def together(samples: int) -> Iterator[slice]:
    """Slices of nearly equal length, at most MOST_SAMPLES_TOGETHER.

    >>> list(together(100))
    [slice(0, 50, None), slice(50, 100, None)]
    """
    parts = -(-samples // MOST_SAMPLES_TOGETHER)
    for part in range(parts):
        yield slice(part * samples // parts, (part + 1) * samples // parts)


def gradient_of(module: TorchModule, *, dtype: torch.dtype, device: torch.device | str) -> Gradient:
    """The gradient of a module: by layers if all of them are known and on the CPU, else by
    autograd."""
    module = deepcopy(module).to(dtype=dtype, device=device)
    count = sum(parameter.numel() for parameter in module.parameters())
    weights, gradient = (torch.zeros(count, dtype=dtype, device=device) for _ in range(2))
    views: Views = {}
    first = 0
    for parameter in module.parameters():
        views[parameter] = tuple(
            row[first : first + parameter.numel()].view(parameter.shape)
            for row in (weights, gradient)
        )
        parameter.data = views[parameter][0]
        parameter.requires_grad_()
        first += parameter.numel()
    layers = layers_of(module, views) if torch.device(device).type == "cpu" else None
    return (
        ByAutograd(module, weights, gradient)
        if layers is None
        else ByLayers(layers, weights, gradient)
    )
