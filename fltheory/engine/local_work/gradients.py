"""The gradient of one network on one minibatch, in the way that is fastest for its kind of layers
and its device.

Weights and gradient are flat rows that stay where they are in memory, since products may sum in
another order at another alignment: so a gradient has the same bits whoever is computed before or
after it. The way is chosen by what is declared, never by a clock.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol

from fltheory.engine.arithmetic.tensor import torch
from fltheory.engine.local_work.layers import Layer, layers_of

functional: Any = torch.nn.functional

MOST_TOGETHER = 64
"""Samples that go through the layers together, so that images stay in the processor's cache."""


class Gradient(Protocol):
    """f(w) = mean cross-entropy of a network with weights w on given samples."""

    @property
    def weights(self) -> Any:
        """All parameters, one after the other; a caller writes them."""
        ...

    @property
    def gradient(self) -> Any:
        """What the last call has found."""
        ...

    def __call__(self, inputs: Any, labels: Any) -> None:
        """Write the gradient of f at `weights` into `gradient`."""
        ...

    def loss(self, inputs: Any, labels: Any) -> Any:
        """f at `weights`."""
        ...


@dataclass(frozen=True, eq=False)
class ByAutograd:
    """Automatic differentiation by torch, for every module; its parameters are views of
    `weights`."""

    module: Any
    weights: Any
    gradient: Any

    def __call__(self, inputs: Any, labels: Any) -> None:
        loss = functional.cross_entropy(self.module(inputs), labels)
        torch.cat(
            [part.ravel() for part in torch.autograd.grad(loss, list(self.module.parameters()))],
            out=self.gradient,
        )

    def loss(self, inputs: Any, labels: Any) -> Any:
        with torch.no_grad():
            return functional.cross_entropy(self.module(inputs), labels)


@dataclass(frozen=True, eq=False)
class ByLayers:
    """Layers that differentiate themselves, a few samples at a time."""

    layers: tuple[Layer, ...]
    weights: Any
    gradient: Any

    def __call__(self, inputs: Any, labels: Any) -> None:
        with torch.inference_mode():
            self.gradient.zero_()
            for some in together(len(labels)):
                self.add(inputs[some], labels[some, None], 1 / len(labels))

    def add(self, inputs: Any, labels: Any, share: float) -> None:
        """Add these samples' part: the logits' gradient is share * (softmax - 1 at the label)."""
        outputs, kept = self.through(inputs)
        gradient = torch.softmax(outputs, 1).mul_(share)
        gradient.scatter_add_(1, labels, gradient.new_full(labels.shape, -share))
        for place in reversed(range(len(self.layers))):
            gradient = self.layers[place].backward(kept[place], gradient, onward=place > 0)

    def through(self, inputs: Any) -> tuple[Any, list[Any]]:
        """Logits, and what each layer keeps."""
        kept = []
        for layer in self.layers:
            inputs, needed = layer.forward(inputs)
            kept.append(needed)
        return inputs, kept

    def loss(self, inputs: Any, labels: Any) -> Any:
        with torch.no_grad():
            return sum(
                functional.cross_entropy(
                    self.through(inputs[some])[0], labels[some], reduction="sum"
                )
                for some in together(len(labels))
            ) / len(labels)


def together(samples: int) -> Iterator[slice]:
    """Slices of nearly equal length, at most MOST_TOGETHER.

    >>> list(together(100))
    [slice(0, 50, None), slice(50, 100, None)]
    """
    parts = -(-samples // MOST_TOGETHER)
    for part in range(parts):
        yield slice(part * samples // parts, (part + 1) * samples // parts)


def gradient_of(module: Any, *, dtype: Any, device: Any) -> Gradient:
    """The gradient of a module, by layers if they are all known and on the CPU, else by
    autograd."""
    module = deepcopy(module).to(dtype=dtype, device=device)
    count = sum(parameter.numel() for parameter in module.parameters())
    weights, gradient = (torch.zeros(count, dtype=dtype, device=device) for _ in range(2))
    views, first = {}, 0
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
