"""A pretend device: tensors that say they lie on `pretend:0`, hold their numbers on the CPU, refuse
to meet tensors of the CPU, and count launches, uploads and waits."""

from collections import Counter
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

_setup_privateuseone_for_python_backend("pretend")
DEVICE = "pretend:0"

VIEWS = {
    *("view", "_unsafe_view", "reshape", "expand", "slice", "select", "transpose", "t"),
    *("permute", "unsqueeze", "squeeze", "detach", "alias", "as_strided", "_reshape_alias"),
    *("split", "split_with_sizes", "unbind", "movedim", "lift_fresh", "is_same_size", "size"),
    *("stride", "unfold", "diagonal", "sym_size", "sym_stride", "sym_numel", "prim"),
}
"""Operations that launch nothing."""

WAITS = {"_local_scalar_dense", "nonzero", "masked_select", "equal", "_unique2"}
"""Operations whose result the host must wait for."""


class Pretended(torch.Tensor):
    """A tensor of the pretend device."""

    elem: torch.Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, elem: torch.Tensor) -> "Pretended":
        made = torch.Tensor._make_wrapper_subclass(
            cls,
            elem.size(),
            strides=elem.stride(),
            storage_offset=elem.storage_offset(),
            dtype=elem.dtype,
            device=torch.device(DEVICE),
        )
        made.elem = elem
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise RuntimeError(f"{func} outside the pretend device")


class PretendDevice(TorchDispatchMode):
    """While it is entered, the pretend device exists; it counts what happens there."""

    def __init__(self) -> None:
        super().__init__()
        self.launches, self.uploads, self.waits = (Counter[str]() for _ in range(3))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        name = func._schema.name.split("::")[1]
        flat, _ = tree_flatten((args, kwargs))
        here = [part for part in flat if isinstance(part, Pretended)]
        device = kwargs.get("device")
        kind = None if device is None else torch.device(device).type
        if not here and kind != "pretend":
            return func(*args, **kwargs)
        others = [
            part
            for part in flat
            if isinstance(part, torch.Tensor) and not isinstance(part, Pretended)
        ]
        if name == "_to_copy" and not here:
            self.uploads[name] += 1
        elif name == "_to_copy" and kind == "cpu":
            self.waits["copy to the host"] += 1
            return func(here[0].elem, **kwargs)
        elif name in WAITS:
            self.waits[name] += 1
        elif any(part.dim() for part in others):
            raise RuntimeError(f"{name}: tensors of the CPU and of {DEVICE} meet")
        elif name not in VIEWS:
            self.launches[name] += 1
        if kind == "pretend":
            kwargs["device"] = torch.device("cpu")
        plain = lambda part: part.elem if isinstance(part, Pretended) else part  # noqa: E731
        out = func(*tree_map(plain, args), **tree_map(plain, kwargs))
        if name == "_to_copy" and not here and out.data_ptr() == args[0].data_ptr():
            out = out.clone()
        return tree_map(
            lambda part: Pretended(part) if isinstance(part, torch.Tensor) else part, out
        )
