"""Whether a device is there."""

from fltheory.core.errors import InvalidInput


def check_device(device: str) -> None:
    """Refuse a device that torch does not have here, or from which no number comes back."""
    from fltheory.engine.arithmetic.tensor import torch

    try:
        torch.zeros(1, device=device).item()
    except (RuntimeError, AssertionError, NotImplementedError) as problem:
        raise InvalidInput(
            "--device", "be one that torch has here", f"{device!r} ({str(problem).splitlines()[0]})"
        ) from None
