"""Gradients of small networks for many clients, each with weights of its own: by fltheory, or by
plain autograd one after the other."""

import sys

import torch
from protocol import serve

from fltheory.engine.local_work.gradients import gradient_of
from paper_reproductions.models import network

torch.set_num_threads(1)
torch.manual_seed(0)
way, name, clients, batch = sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
if name == "lenet28":
    module = torch.nn.Sequential(
        torch.nn.Conv2d(1, 6, 5, padding=2),
        torch.nn.ReLU(),
        torch.nn.AvgPool2d(2),
        torch.nn.Conv2d(6, 16, 5),
        torch.nn.ReLU(),
        torch.nn.AvgPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(400, 120),
        torch.nn.ReLU(),
        torch.nn.Linear(120, 84),
        torch.nn.ReLU(),
        torch.nn.Linear(84, 10),
    )
else:
    module = network(name, num_classes=80 if name == "lstm" else 10)
shape = {"lenet28": (1, 28, 28), "lstm": (80,)}.get(name, (3, 32, 32))
inputs = (
    torch.randint(80, (clients, batch, *shape)).float()
    if name == "lstm"
    else torch.randn(clients, batch, *shape)
)
rows = torch.cat([parameter.detach().ravel() for parameter in module.parameters()]).repeat(
    clients, 1
)
labels = torch.randint(10, (clients, batch))
parameters = list(module.parameters())
sizes = [parameter.numel() for parameter in parameters]
gradient = gradient_of(module, dtype=torch.float32, device="cpu")
found = torch.empty_like(rows)


def by_fltheory(i: int) -> None:
    """The client's weights are copied in, its gradient is copied out."""
    gradient.weights.copy_(rows[i])
    gradient(inputs[i], labels[i])
    found[i] = gradient.gradient


def by_autograd(i: int) -> None:
    """The same: the module takes the client's weights, its gradients become a row."""
    with torch.no_grad():
        for parameter, part in zip(parameters, rows[i].split(sizes), strict=True):
            parameter.copy_(part.view(parameter.shape))
    loss = torch.nn.functional.cross_entropy(module(inputs[i]), labels[i])
    torch.cat([part.ravel() for part in torch.autograd.grad(loss, parameters)], out=found[i])


one = by_autograd if way == "plain" else by_fltheory
times = max(1, 800 // (clients * (batch + 5)))


def measure() -> int:
    for _ in range(times):
        for i in range(clients):
            one(i)
    return clients * times


measure()
serve(measure)
