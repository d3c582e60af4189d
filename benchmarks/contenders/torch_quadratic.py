"""A plain torch loop: MIFA on the same quadratics, local steps one by one, torch's own random
numbers."""

import sys

import torch
from protocol import serve

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
SEEDS, CLIENTS, DIMENSION, STEPS, NOISE = (
    (1, 10, 1, 5, 0) if sys.argv[2] == "line" else (64, 100, 10, 10, 1)
)
ROUNDS = 2000 if sys.argv[2] == "line" else 20
curvatures = torch.ones(CLIENTS, DIMENSION) if NOISE else torch.arange(1.0, 11)[:, None]
optima = (torch.arange(CLIENTS) % 7).double()[:, None].expand(CLIENTS, DIMENSION)


def measure() -> int:
    model, memory, updates = (
        torch.zeros(SEEDS, 1, DIMENSION),
        torch.zeros(SEEDS, CLIENTS, DIMENSION),
        0,
    )
    for _ in range(ROUNDS):
        present = torch.rand(SEEDS, CLIENTS, 1) < 0.5
        local = model.expand(SEEDS, CLIENTS, DIMENSION)
        total = torch.zeros_like(memory)
        for _ in range(STEPS):
            gradient = curvatures * (local - optima)
            if NOISE:
                gradient = gradient + NOISE * torch.randn(SEEDS, CLIENTS, DIMENSION)
            local, total = local - 0.01 * gradient, total + gradient
        memory = torch.where(present, total, memory)
        model = model - 0.01 * memory.mean(1, keepdim=True)
        updates += int(present.sum())
    return ROUNDS if sys.argv[2] == "line" else updates


serve(measure)
