"""torch tensors on any device: batched runs over seeds and grid points."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fltheory.core.extras import MissingExtra
from fltheory.core.types import Array, BoolArray, Nested, TorchTensor
from fltheory.engine.arithmetic.base import Rows
from fltheory.engine.arithmetic.float_ import doubles

try:
    import torch
except ImportError as problem:  # pragma: no cover - depends on the installation
    raise MissingExtra("tensor", "the tensor arithmetic") from problem


def placed(numbers: Array, device: str) -> TorchTensor:
    """An array as a tensor on a device."""
    return torch.as_tensor(numbers).to(device)


@dataclass(frozen=True)
class Tensor:
    """torch numbers of one type on one device; CUDA if it is available and requested."""

    device: str = "cpu"
    dtype: torch.dtype = torch.float64
    name: str = "tensor"
    known: dict[object, TorchTensor] | None = field(default=None, compare=False, repr=False)
    """Tensors made from numbers so far, if they are to be made once."""

    @cached_property
    def _like(self) -> dict[str, torch.dtype | str]:
        return {"dtype": self.dtype, "device": self.device}

    def rows(self, values: Nested) -> Rows:
        if isinstance(values, torch.Tensor):
            return values.to(**self._like)
        numbers = doubles(values)
        if self.known is None:
            return torch.as_tensor(numbers, **self._like)
        key = (numbers.shape, numbers.tobytes())
        if key not in self.known:
            self.known[key] = torch.as_tensor(numbers).to(**self._like)
        return self.known[key]

    def zeros(self, shape: tuple[int, ...]) -> Rows:
        return torch.zeros(shape, **self._like)

    def ratio(self, numerators: Array, denominators: Array) -> Rows:
        top, bottom = (
            part.to(self.dtype)
            if isinstance(part, torch.Tensor)
            else torch.as_tensor(np.asarray(part, float), **self._like)
            for part in (numerators, denominators)
        )
        return torch.where(bottom != 0, top / bottom, 0 * bottom)

    def mask(self, booleans: BoolArray) -> Rows:
        if isinstance(booleans, torch.Tensor):
            return booleans
        return torch.tensor(np.asarray(booleans, dtype=bool), device=self.device)

    def where(self, mask: Rows, new: Rows, old: Rows) -> Rows:
        return torch.where(mask, new, old)

    def only(self, mask: Rows, rows: Rows) -> Rows:
        return rows

    def sin(self, rows: Rows) -> Rows:
        return torch.sin(rows)

    def cos(self, rows: Rows) -> Rows:
        return torch.cos(rows)

    def clip(self, rows: Rows, bound: Rows) -> Rows:
        return torch.minimum(torch.maximum(rows, -bound), bound)

    def tidy(self, rows: Rows) -> Rows:
        return rows

    def finite(self, rows: Rows) -> Rows:
        return torch.isfinite(rows)

    def stack(self, rows: list[Rows]) -> Rows:
        return torch.stack(rows)

    def export(self, rows: TorchTensor) -> Array:
        return rows.detach().cpu().numpy()
