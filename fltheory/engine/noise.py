"""Additive gradient noise: drawn by key, so that a longer run extends a shorter one, or given as an
exact table.

A noise is a function of (round, local step) that returns one row per client. Several seeds give a
leading batch axis.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

import numpy as np

from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.randomness import Purpose, normals, random_words
from fltheory.core.types import Array, ExactLike, Nested, Seed, Whole
from fltheory.traces.trace import Trace

Noise = Callable[[int, int], Array]
"""(round, local step) -> numbers of shape (..., clients, coordinates), added to the gradients."""

MOST_SIGNS = 16
"""Most signs that are enumerated: 2^16 runs at once."""


class Sized(Protocol):
    """What a noise needs to know about a problem."""

    @property
    def num_clients(self) -> int: ...

    @property
    def dimension(self) -> int: ...


@frozen
class Gaussian:
    """Independent normal noise with E |noise|^2 = `variance` for each client, spread evenly over
    the coordinates.

    It is drawn by NumPy, or as tensors on a device.

    >>> from fltheory import Quadratic
    >>> noise = Gaussian(Quadratic(curvatures=(1, 1), optima=(0, 1)), variance=4, seed=7)
    >>> noise(3, 0).shape, bool((noise(3, 0) == noise(3, 0)).all())
    ((2, 1), True)
    """

    problem: Sized
    variance: Checked[ExactLike, Fraction]
    seed: Seed = 0
    device: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", _at_least_zero(self.variance, "noise variance"))

    def __call__(self, index: int, step: int) -> Array:
        scale = float(self.variance / self.problem.dimension) ** 0.5
        keys = _keys(self.problem, self.seed, index, step)
        if self.device is None:
            return scale * normals(*keys)
        from fltheory.engine.arithmetic import tensor_draws

        return scale * tensor_draws.normals(*keys, device=self.device)


@frozen
class Rademacher:
    """+scale or -scale with equal probability in every coordinate: exact numbers with E |noise|^2 =
    dimension * scale^2.

    >>> from fltheory import Quadratic
    >>> noise = Rademacher(Quadratic(curvatures=(1,), optima=(0,)), scale="1/2")
    >>> {abs(noise(t, 0)[0, 0]) for t in range(9)}
    {Fraction(1, 2)}
    """

    problem: Sized
    scale: Checked[ExactLike, Fraction] = default(1)
    seed: Seed = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _at_least_zero(self.scale, "noise scale"))

    def __call__(self, index: int, step: int) -> Array:
        heads = random_words(*_keys(self.problem, self.seed, index, step))[0] & 1
        found: Array = np.array([-self.scale, self.scale], dtype=object)[heads]
        return found


@frozen(eq=False)
class Written:
    """Noise given as a table: `values[t][k]` has one row per client, with batch axes, if any,
    before the clients."""

    values: Checked[Nested, Array]

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

    def __call__(self, index: int, step: int) -> Array:
        if index >= self.values.shape[0] or step >= self.values.shape[1]:
            size = f"{self.values.shape[0]} rounds of {self.values.shape[1]} local steps"
            raise InvalidInput("noise table", f"reach round {index}, local step {step}", size)
        return self.values[index, step]


def every_sign(trace: Trace, *, dimension: int = 1, scale: ExactLike = 1) -> Written:
    """All equally likely outcomes of +-scale noise along a trace, as one batch: the mean over the
    batch is an exact expectation.

    Only gradients that some client computes get a sign; n such coordinates give a batch of 2^n.

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


def _keys(
    problem: Sized, seed: Seed, index: int, step: int
) -> tuple[Whole, Purpose, int, Whole, Whole]:
    """Arguments of a draw for every (client, coordinate); several seeds have their own axis."""
    seeds = seed if isinstance(seed, int) else np.asarray(seed, dtype=object)[:, None, None]
    coordinates = step * problem.dimension + np.arange(problem.dimension)
    return (
        seeds,
        Purpose.GRADIENT_NOISE,
        index,
        np.arange(problem.num_clients)[:, None],
        coordinates,
    )


def _at_least_zero(value: ExactLike, owner: str) -> Fraction:
    number = exact(value, owner)
    if number < 0:
        raise InvalidInput(owner, "be at least 0", number)
    return number
