"""The networks of the papers' experiments, in torch, their first parameters drawn by key; logistic
regression is `problems.logistic`."""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.randomness import Purpose, uniforms
from fltheory.engine.arithmetic.tensor import torch
from paper_reproductions.data.tweets import NUM_WORDS

nn: Any = torch.nn


def lenet5(channels: int = 3, size: int = 32, num_classes: int = 10) -> Any:
    """LeNet-5 with ReLU and max pooling (MIFA Sec. 7): 62,006 parameters on 32 x 32 pixels in three
    colours.

    >>> sum(parameter.numel() for parameter in lenet5().parameters())
    62006
    """
    flat = 16 * ((size - 4) // 2 - 4 >> 1) ** 2
    return nn.Sequential(
        nn.Conv2d(channels, 6, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(flat, 120),
        nn.ReLU(),
        nn.Linear(120, 84),
        nn.ReLU(),
        nn.Linear(84, num_classes),
    )


def two_convolutions(channels: int = 3, size: int = 32, num_classes: int = 10) -> Any:
    """Two convolutions and one linear layer (Fraboni et al., Sec. 5.1, after McMahan et al. 2017;
    widths 32 and 64 are theirs).

    >>> two_convolutions()(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 10])
    """
    return nn.Sequential(
        nn.Conv2d(channels, 32, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64 * (size // 4) ** 2, num_classes),
    )


def afl_convolutions(channels: int = 3, size: int = 32, num_classes: int = 10) -> Any:
    """Two convolutions and three linear layers (AFL Table 1). Its 1024 inputs fit 28 x 28 pixels;
    on others their number follows the size.

    >>> sizes = [parameter.numel() for parameter in afl_convolutions(1, 28).parameters()]
    >>> sum(size for size in sizes if size == 1024 * 512)
    524288
    """
    flat = 64 * ((size - 4) // 2 - 4 >> 1) ** 2
    return nn.Sequential(
        nn.Conv2d(channels, 32, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(flat, 512),
        nn.ReLU(),
        nn.Linear(512, 128),
        nn.ReLU(),
        nn.Linear(128, num_classes),
    )


class SymbolLstm(nn.Module):
    """Embedding, two LSTM layers, one linear layer (Fraboni et al., AFL: 8, 100, 80 characters;
    FedLaAvg: 25, 16, 2 classes)."""

    def __init__(
        self, num_classes: int = 80, embedding: int = 8, hidden: int = 100, *, symbols: int = 80
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(symbols, embedding)
        self.lstm = nn.LSTM(embedding, hidden, num_layers=2, batch_first=True)
        self.output = nn.Linear(hidden, num_classes)

    def forward(self, symbols: Any) -> Any:
        """Logits of the class of each row of numbers of characters or words, which may come as
        floats."""
        states, _ = self.lstm(self.embedding(symbols.long()))
        return self.output(states[:, -1])


NETWORKS: dict[str, Callable[[int, int, int], Any]] = {
    "lenet5": lenet5,
    "two-convolutions": two_convolutions,
    "afl-convolutions": afl_convolutions,
    "lstm": lambda channels, size, num_classes: SymbolLstm(num_classes, symbols=num_classes),
    "word-lstm": lambda channels, size, num_classes: SymbolLstm(
        num_classes, 25, 16, symbols=NUM_WORDS
    ),
}


def network(
    name: str, *, channels: int = 3, size: int = 32, num_classes: int = 10, seed: int = 0
) -> Any:
    """The network of that name; each parameter uniform within 1/sqrt(inputs), keyed by the seed,
    its layer and its place.

    >>> one, same = (network("lenet5", seed=3) for _ in range(2))
    >>> all(torch.equal(a, b) for a, b in zip(one.parameters(), same.parameters()))
    True
    """
    if name not in NETWORKS:
        raise InvalidInput("network", f"be one of {', '.join(NETWORKS)}", repr(name))
    module = NETWORKS[name](channels, size, num_classes)
    with torch.no_grad():
        for layer, (label, parameter) in enumerate(module.named_parameters()):
            inputs = _inputs(module, label)
            drawn = uniforms(seed, Purpose.START, 0, layer, np.arange(parameter.numel()))
            parameter.copy_(
                torch.as_tensor((2 * drawn - 1) / sqrt(inputs)).reshape(parameter.shape)
            )
    return module


def _inputs(module: Any, label: str) -> int:
    """Inputs of one unit of the layer that a parameter belongs to: torch's own default scale."""
    owner = module.get_submodule(label.rpartition(".")[0])
    if isinstance(owner, nn.LSTM):
        return int(owner.hidden_size)
    return 1 if isinstance(owner, nn.Embedding) else int(owner.weight[0].numel())
