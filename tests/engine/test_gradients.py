"""Gradients by layers against autograd: kinds of layers, sizes, ties, choice of the way, bits
wherever the numbers lie in memory."""

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
gradients = pytest.importorskip("fltheory.engine.local_work.gradients")
layers = pytest.importorskip("fltheory.engine.local_work.layers")
network = pytest.importorskip("paper_reproductions.models").network

nn: Any = torch.nn
SINGLE, DOUBLE = torch.float32, torch.float64

KNOWN: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "lenet5": (lambda: network("lenet5", channels=3, size=32), (3, 32, 32)),
    "two-convolutions": (lambda: network("two-convolutions", channels=1, size=12), (1, 12, 12)),
    "afl-convolutions": (lambda: network("afl-convolutions", channels=1, size=16), (1, 16, 16)),
    "means, odd sizes, uneven padding": (
        lambda: nn.Sequential(
            nn.Conv2d(2, 9, (3, 2), padding=(1, 0), bias=False),
            nn.Tanh(),
            nn.AvgPool2d(2),
            nn.Conv2d(9, 4, 2),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(4 * 3 * 2, 3, bias=False),
        ),
        (2, 15, 12),
    ),
    "linear": (lambda: nn.Linear(7, 3), (7,)),
}


def samples(shape: tuple[int, ...], count: int, dtype: Any) -> tuple[Any, Any]:
    draw = torch.Generator().manual_seed(count)
    return torch.randn(count, *shape, generator=draw, dtype=dtype), torch.randint(
        3, (count,), generator=draw
    )


def by_autograd(module: Any, inputs: Any, labels: Any) -> Any:
    loss = nn.functional.cross_entropy(module(inputs), labels)
    return loss, torch.cat(
        [part.ravel() for part in torch.autograd.grad(loss, list(module.parameters()))]
    )


def at_its_own_weights(module: Any, dtype: Any) -> Any:
    found = gradients.gradient_of(module, dtype=dtype, device="cpu")
    found.weights.copy_(torch.cat([part.detach().ravel() for part in module.parameters()]))
    return found


def differ(module: Any, inputs: Any, labels: Any) -> float:
    """Largest difference of loss and gradient from autograd's, in units of the largest number."""
    module = module.to(inputs.dtype)
    ours = at_its_own_weights(module, inputs.dtype)
    ours(inputs, labels)
    loss, expected = by_autograd(module, inputs, labels)
    apart = abs(float(ours.loss(inputs, labels) / loss.detach()) - 1)
    return max(apart, float((ours.gradient - expected).abs().max() / expected.abs().max()))


@pytest.mark.parametrize(
    ("dtype", "close"), [(DOUBLE, 1e-13), (SINGLE, 1e-5)], ids=["double", "single"]
)
@pytest.mark.parametrize("count", [1, 5, 131])
@pytest.mark.parametrize("name", KNOWN)
def test_layers_agree_with_autograd(name: str, count: int, dtype: Any, close: float) -> None:
    make, shape = KNOWN[name]
    torch.manual_seed(0)
    assert differ(make(), *samples(shape, count, dtype)) < close


def test_a_wrong_layer_is_seen(monkeypatch: Any) -> None:
    monkeypatch.setattr(
        layers.Rectified, "backward", lambda self, kept, gradient, *, onward: gradient
    )
    make, shape = KNOWN["lenet5"]
    assert differ(make(), *samples(shape, 5, DOUBLE)) > 1e-2


def test_of_equal_pixels_the_first_takes_the_gradient_as_in_torch() -> None:
    inputs, labels = samples((1, 8, 8), 6, DOUBLE)
    torch.manual_seed(0)
    module = nn.Sequential(
        nn.Conv2d(1, 3, 1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(3, 2, 3),
        nn.Flatten(),
        nn.Linear(8, 3),
    )
    first = nn.Sequential(nn.Conv2d(1, 1, 3, padding=1), *module)
    assert differ(first, (inputs > 0).double(), labels) < 1e-13


@pytest.mark.parametrize("name", ["lenet5", "two-convolutions", "afl-convolutions"])
def test_convolutions_go_by_layers(name: str) -> None:
    assert isinstance(at_its_own_weights(network(name), SINGLE), gradients.ByLayers)


@pytest.mark.parametrize(
    "module",
    [
        network("lstm"),
        nn.Sequential(nn.Conv2d(1, 2, 3, stride=2), nn.Flatten(), nn.Linear(18, 3)),
        nn.Sequential(nn.Conv2d(1, 2, 3, padding="same"), nn.Flatten(), nn.Linear(128, 3)),
        nn.Sequential(nn.MaxPool2d(3, 1), nn.Flatten(), nn.Linear(36, 3)),
        nn.Sequential(nn.AvgPool2d(2, ceil_mode=True), nn.Flatten(), nn.Linear(16, 3)),
        nn.Sequential(nn.Flatten(), nn.Linear(64, 3), nn.Sigmoid()),
    ],
    ids=["lstm", "stride", "same padding", "pool", "ceiling", "sigmoid"],
)
def test_what_is_not_known_goes_by_autograd(module: Any) -> None:
    assert isinstance(at_its_own_weights(module, SINGLE), gradients.ByAutograd)
    inputs, labels = samples((8,) if type(module) is not nn.Sequential else (1, 8, 8), 5, DOUBLE)
    assert differ(module, inputs.abs(), labels) < 1e-13


def test_other_devices_go_by_autograd() -> None:
    assert isinstance(
        gradients.gradient_of(network("lenet5"), dtype=SINGLE, device="meta"), gradients.ByAutograd
    )


@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE], ids=["double", "single"])
@pytest.mark.parametrize("name", [*KNOWN, "lstm"])
def test_bits_do_not_depend_on_places_in_memory(name: str, dtype: Any) -> None:
    """Buffers of two gradients lie at different places; between them the heap is cut into pieces of
    odd sizes."""
    make, shape = KNOWN.get(name, (lambda: network("lstm", num_classes=9), (7,)))
    torch.manual_seed(0)
    module = make().to(dtype)
    inputs, labels = samples(shape, 13, dtype)
    inputs = inputs.abs()
    found, pieces = [], []
    for turn in range(4):
        pieces.append(
            [torch.empty(turn * 17 + size, dtype=torch.uint8) for size in range(1, 400, 7)]
        )
        ours = at_its_own_weights(module, dtype)
        for _ in range(2):
            ours(inputs.clone(), labels)
            found.append(ours.gradient.clone())
    assert all(torch.equal(found[0], one) for one in found[1:])
