"""Additive gradient noise: drawn by key, so that a longer run extends a shorter one, or written out
exactly.

A noise answers for (round, local step) with one row per client. Several seeds give a leading batch
axis.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.randomness import Purpose, normals, random_words
from fltheory.traces.trace import Trace

Noise = Callable[[int, int], Any]
"""(round, local step) -> numbers of shape (..., clients, coordinates), added to the gradients."""

MOST_SIGNS = 16
"""Longest list of signs that is enumerated: 2^16 runs at once."""


class Sized(Protocol):
    """What noise must know about a problem."""

    @property
    def num_clients(self) -> int: ...

    @property
    def dimension(self) -> int: ...


@dataclass(frozen=True)
class Gaussian:
    """Independent normal noise with E |noise|^2 = `variance` for each client, spread evenly over
    the coordinates.

    Drawn by NumPy, or as tensors on a device.

    >>> from fltheory import Quadratic
    >>> noise = Gaussian(Quadratic(curvatures=(1, 1), optima=(0, 1)), variance=4, seed=7)
    >>> noise(3, 0).shape, bool((noise(3, 0) == noise(3, 0)).all())
    ((2, 1), True)
    """

    problem: Sized
    variance: Any
    seed: int | tuple[int, ...] = 0
    device: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", _at_least_zero(self.variance, "noise variance"))

    def __call__(self, index: int, step: int) -> Any:
        scale = float(self.variance / self.problem.dimension) ** 0.5
        keys = _keys(self.problem, self.seed, index, step)
        if self.device is None:
            return scale * normals(*keys)
        from fltheory.engine.arithmetic import tensor_draws

        return scale * tensor_draws.normals(*keys, device=self.device)


@dataclass(frozen=True)
class Rademacher:
    """+scale or -scale with equal chances in every coordinate: exact numbers, E |noise|^2 =
    dimension * scale^2.

    >>> from fltheory import Quadratic
    >>> noise = Rademacher(Quadratic(curvatures=(1,), optima=(0,)), scale="1/2")
    >>> {abs(noise(t, 0)[0, 0]) for t in range(9)}
    {Fraction(1, 2)}
    """

    problem: Sized
    scale: Any = 1
    seed: int | tuple[int, ...] = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _at_least_zero(self.scale, "noise scale"))

    def __call__(self, index: int, step: int) -> Any:
        heads = random_words(*_keys(self.problem, self.seed, index, step))[0] & 1
        return np.array([-self.scale, self.scale], dtype=object)[heads]


@dataclass(frozen=True, eq=False)
class Written:
    """Noise as it is written: `values[t][k]` has one row per client, with batch axes before the
    clients if any."""

    values: Any

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=object)
        if values.ndim < 4:
            raise InvalidInput(
                "noise table",
                "have rounds, local steps, clients and coordinates",
                f"shape {values.shape}",
            )
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    def __call__(self, index: int, step: int) -> Any:
        if index >= self.values.shape[0] or step >= self.values.shape[1]:
            size = f"{self.values.shape[0]} rounds of {self.values.shape[1]} local steps"
            raise InvalidInput("noise table", f"reach round {index}, local step {step}", size)
        return self.values[index, step]


def every_sign(trace: Trace, *, dimension: int = 1, scale: Any = 1) -> Written:
    """All equally likely outcomes of +-scale noise along a trace, as one batch: its mean is an
    exact expectation.

    Only gradients that some client computes get a sign; n of them give a batch of 2^n.

    >>> every_sign(Trace.fresh([[1, 0], [0, 1]])).values.shape
    (2, 1, 4, 2, 1)
    """
    most = int(trace.local_steps.max())
    computed = np.arange(most)[:, None] < trace.local_steps[..., :, None, :]
    places = np.argwhere(np.repeat(computed[..., None], dimension, axis=-1))
    if len(places) > MOST_SIGNS:
        raise InvalidInput("number of signs to enumerate", f"be at most {MOST_SIGNS}", len(places))
    size = exact(scale, "noise scale")
    values = np.full(
        (*computed.shape[:2], 1 << len(places), trace.num_clients, dimension),
        Fraction(0),
        dtype=object,
    )
    outcomes = np.arange(1 << len(places))
    for bit, (index, step, client, coordinate) in enumerate(places):
        values[index, step, :, client, coordinate] = np.array([-size, size], dtype=object)[
            outcomes >> bit & 1
        ]
    return Written(values)


def _keys(problem: Sized, seed: int | tuple[int, ...], index: int, step: int) -> tuple[Any, ...]:
    """Arguments of a draw for every (client, coordinate), with the seeds on an axis of their own if
    there are several."""
    seeds = seed if isinstance(seed, int) else np.asarray(seed, dtype=object)[:, None, None]
    coordinates = step * problem.dimension + np.arange(problem.dimension)
    return (
        seeds,
        Purpose.GRADIENT_NOISE,
        index,
        np.arange(problem.num_clients)[:, None],
        coordinates,
    )


def _at_least_zero(value: Any, owner: str) -> Fraction:
    number = exact(value, owner)
    if number < 0:
        raise InvalidInput(owner, "be at least 0", number)
    return number
