"""What a device computes beside what it should: random words, normal numbers, models, a rate, and
its speed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from fltheory.algorithms.mifa import Mifa
from fltheory.analysis.device_samples import Where, by_device
from fltheory.analysis.sizes import RunSize
from fltheory.core import randomness
from fltheory.core.extras import require
from fltheory.core.randomness import Purpose
from fltheory.core.results import Table, as_dict, as_html, as_text
from fltheory.core.types import Json, TorchTensor
from fltheory.engine.device.check import check_device
from fltheory.engine.device.roles import Statistic
from fltheory.papers.library import find_regime
from fltheory.problems.closed_form import ClosedForm
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

WORDS, NORMALS_APART, MODELS_APART, ERRORS_APART = 1 << 16, 1e-12, 1e-9, 5.0
"""Words that are compared, and how far apart normal numbers, models and (in standard errors) the
sampled and the exact quantity of a rate may be."""

CLIENTS, DIMENSION, STEPS, ROUNDS = 100, 10, 10, 20
"""The runs whose speed is measured."""


@dataclass(frozen=True)
class SelfCheck:
    """One check: what was found, what is allowed (None: only told), in words."""

    name: str
    found: float
    allowed: float | None
    unit: str

    @property
    def passed(self) -> bool:
        """Whether what was found is allowed."""
        return self.allowed is None or self.found <= self.allowed


@dataclass(frozen=True, repr=False)
class SelfTest:
    """The checks of a device, by name, with what torch says about it."""

    device: str
    hardware: str
    torch: str
    checks: tuple[SelfCheck, ...]

    @property
    def passed(self) -> bool:
        """Whether all checks passed."""
        return all(check.passed for check in self.checks)

    def to_dict(self) -> Json:
        return as_dict(
            {
                "device": self.device,
                "hardware": self.hardware,
                "torch": self.torch,
                "passed": self.passed,
                "checks": [
                    {
                        "name": check.name,
                        "found": check.found,
                        "allowed": check.allowed,
                        "unit": check.unit,
                        "passed": check.passed,
                    }
                    for check in self.checks
                ],
            }
        )

    def tables(self) -> list[Table]:
        rows = [
            (
                check.name,
                f"{check.found:.4g}",
                "-" if check.allowed is None else f"{check.allowed:.4g}",
                check.unit,
                "-" if check.allowed is None else "yes" if check.passed else "NO",
            )
            for check in self.checks
        ]
        title = f"{self.device}: {self.hardware}, torch {self.torch}"
        return [Table(title, ("check", "found", "allowed", "unit", "passed"), rows)]

    __repr__ = as_text
    _repr_html_ = as_html


def self_test(device: str = "cpu", *, runs: int = 256, compiled: bool = True) -> SelfTest:
    """Compare a device with the CPU and with exact moments, and measure its speed.

    >>> self_test(runs=64, compiled=False).passed
    True
    """
    require("tensor", "selftest")
    check_device(device)
    from fltheory.engine.arithmetic.tensor import torch

    hardware = "CPU"
    if torch.device(device).type == "cuda":  # pragma: no cover - needs a GPU
        hardware = torch.cuda.get_device_name(device)
    checks = (*_draws(device), *_models(device, compiled), _rate(device, runs, compiled))
    speeds = [_speed(device, runs, way) for way in ([False, True] if compiled else [False])]
    return SelfTest(device, hardware, torch.__version__, (*checks, *speeds))


def _draws(device: str) -> Iterator[SelfCheck]:
    """Words and normal numbers beside those of NumPy."""
    from fltheory.engine.arithmetic import tensor_draws

    keys = (2**40 + 5, Purpose.GRADIENT_NOISE, 3, np.arange(WORDS) // 7, np.arange(WORDS) % 7)
    drawn = tensor_draws.random_words(*keys, device=device)
    wrong = sum(
        int((one.cpu().numpy() != other).sum())
        for one, other in zip(drawn, randomness.random_words(*keys), strict=True)
    )
    yield SelfCheck("random words that differ from NumPy's", wrong, 0, f"of {4 * WORDS}")
    normals = tensor_draws.normals(*keys, device=device).cpu().numpy()
    apart = float(abs(normals - randomness.normals(*keys)).max())
    yield SelfCheck("normal numbers: largest difference", apart, NORMALS_APART, "")


def _models(device: str, compiled: bool) -> Iterator[SelfCheck]:
    """Models of a short run beside those of the CPU."""
    expected = _runs("cpu", 8, 5, compiled=False)()
    for way in [False, True] if compiled else [False]:
        apart = float(abs(_runs(device, 8, 5, compiled=way)() - expected).max())
        name = f"MIFA, {'compiled' if way else 'operation by operation'}: largest difference"
        yield SelfCheck(name, apart, MODELS_APART, "")


def _rate(device: str, runs: int, compiled: bool) -> SelfCheck:
    """A quantity of a rate beside its exact value, in standard errors."""
    regime, size = find_regime("afl.cor1"), RunSize(num_clients=4, num_rounds=50)
    found, error = by_device(regime, size, runs=runs, where=Where(device), compiled=compiled)
    apart = abs(found - regime.by_moments(size)) / error
    return SelfCheck("sampled and exact mean square", apart, ERRORS_APART, "standard errors")


def _speed(device: str, runs: int, compiled: bool) -> SelfCheck:
    run = _runs(device, runs, ROUNDS, compiled=compiled)
    run()
    begin = perf_counter()
    run()
    rate = runs * CLIENTS * ROUNDS / (perf_counter() - begin)
    way = "compiled" if compiled else "operation by operation"
    return SelfCheck(f"speed, {way}", rate, None, "client updates per second")


def _runs(device: str, runs: int, rounds: int, *, compiled: bool) -> Callable[[], np.ndarray]:
    """MIFA on noisy quadratics; the result is the last models."""
    from fltheory.engine.device.runs import device_runs

    problem = Quadratic(
        [[1 + i % 3] * DIMENSION for i in range(CLIENTS)],
        [[i % 7] * DIMENSION for i in range(CLIENTS)],
        noise_squared=DIMENSION,
    )
    delivers = (np.arange(rounds)[:, None] + np.arange(CLIENTS)) % 2 == 0

    def last(
        sums: tuple[TorchTensor, ...], model: TorchTensor, *rest: object
    ) -> tuple[TorchTensor, ...]:
        return (model,)

    found = device_runs(
        Mifa(),
        ClosedForm(problem, tuple(range(runs))),
        Trace.fresh(delivers, local_steps=STEPS),
        start=0,
        local_step_size="1/100",
        statistic=Statistic(lambda model: (model,), last),
        device=device,
        compiled=compiled,
    )
    return lambda: found()[0]
