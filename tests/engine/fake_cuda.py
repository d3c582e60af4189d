"""A fake CUDA device: torch works out shapes, types and devices there without computing anything,
and refuses tensors of two devices in one operation."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

DEVICE = "cuda:0"


@contextmanager
def fake_cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """While it is entered, tensors may lie on a CUDA device that is not there. Brackets and ~ ask
    for a real device, so they are spelled out as operations."""
    with FakeTensorMode(), monkeypatch.context() as patched:
        patched.setattr(torch.Tensor, "__getitem__", _item)
        patched.setattr(torch.Tensor, "__invert__", lambda mask: torch.eq(mask, False))
        yield


def _item(tensor: Any, key: Any) -> Any:
    """tensor[key] for whole numbers, None, slices, ... and tables of places."""
    keys = list(key) if isinstance(key, tuple) else [key]
    if any(isinstance(part, torch.Tensor) for part in keys):
        return torch.ops.aten.index.Tensor(tensor, keys)
    taken = sum(part is not None and part is not ... for part in keys)
    axis, found = 0, tensor
    for part in keys:
        if part is None:
            found = found.unsqueeze(axis)
            axis += 1
        elif part is ...:
            axis += tensor.dim() - taken
        elif isinstance(part, slice):
            found = torch.ops.aten.slice.Tensor(found, axis, part.start, part.stop)
            axis += 1
        else:
            found = found.select(axis, part)
    return found
