"""What the machine can do: float32 matrix products (in floating-point operations) or normal
numbers, one thread."""

import sys

import torch
from protocol import serve

torch.set_num_threads(1)
SIZE = 1024
left, right, out = torch.randn(SIZE, SIZE), torch.randn(SIZE, SIZE), torch.empty(SIZE, SIZE)
numbers = torch.empty(1 << 16)


def products() -> int:
    for _ in range(10):
        torch.mm(left, right, out=out)
    return 10 * 2 * SIZE**3


def normals() -> int:
    for _ in range(200):
        numbers.normal_()
    return 200 * len(numbers)


serve({"gemm": products, "normals": normals}[sys.argv[2]])
