"""Gradients of a LeNet-like network on 28 x 28 images for many clients: by fltheory, one by one or at once, or by plain autograd."""

import sys

import torch
from protocol import serve

from fltheory.local_work.networks import BatchedGradients

torch.set_num_threads(1)
torch.manual_seed(0)
clients, batch = {"few": (16, 100), "many": (64, 10)}[sys.argv[3]]
module = torch.nn.Sequential(torch.nn.Conv2d(1, 6, 5, padding=2), torch.nn.ReLU(), torch.nn.AvgPool2d(2), torch.nn.Conv2d(6, 16, 5),
                             torch.nn.ReLU(), torch.nn.AvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(400, 120), torch.nn.ReLU(),
                             torch.nn.Linear(120, 84), torch.nn.ReLU(), torch.nn.Linear(84, 10))
row = torch.cat([parameter.detach().ravel() for parameter in module.parameters()])
images, labels = torch.randn(clients, batch, 1, 28, 28), torch.randint(10, (clients, batch))
work = (row.repeat(clients, 1), images, labels, torch.full((clients, batch), 1 / batch))
gradients = BatchedGradients(module, at_once=sys.argv[2] == "at_once")
sizes = [parameter.numel() for parameter in module.parameters()]


def one_after_the_other(rows, images, labels, weights):
    """The module takes each client's weights in turn; its gradients become a row."""
    result = torch.empty_like(rows)
    for i in range(len(rows)):
        with torch.no_grad():
            for parameter, part in zip(module.parameters(), rows[i].split(sizes), strict=True):
                parameter.copy_(part.view(parameter.shape))
        loss = torch.nn.functional.cross_entropy(module(images[i]), labels[i])
        result[i] = torch.cat([gradient.ravel() for gradient in torch.autograd.grad(loss, list(module.parameters()))])
    return result


way = one_after_the_other if sys.argv[2] == "plain" else gradients


def measure() -> int:
    for _ in range(200 // clients + 1):
        way(*work)
    return clients * (200 // clients + 1)


measure()
serve(measure)
