"""All local steps of a round at once, in exact numbers, where gradients are h_i (x - c_i)."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from fltheory.core.denominators import aligned, with_primes
from fltheory.core.ratio import ZERO
from fltheory.core.types import Scalar
from fltheory.engine.arithmetic.base import Arithmetic, Rows
from fltheory.engine.arithmetic.common_rows import CommonRows, as_common, from_fractions
from fltheory.engine.arithmetic.integer import INTEGER, Integer
from fltheory.engine.arithmetic.rational import RATIONAL
from fltheory.engine.rounds import Round
from fltheory.engine.workers import LocalWork

KNOWN_GAINS = 256
"""How many tables of gains are kept."""


@runtime_checkable
class StepsAtOnce(Protocol):
    """A problem with exact gradients whose local steps have a closed form."""

    def steps_at_once(self, arithmetic: Arithmetic) -> LocalWork | None: ...


def exact_steps(
    curvatures: Sequence[Sequence[Scalar]],
    optima: Sequence[Sequence[Scalar]],
    arithmetic: Arithmetic,
) -> LocalWork | None:
    """Local SGD with gradients h_i (x - c_i), in whole numbers over common denominators; None in
    other numbers, which are as fast step by step."""
    return ExactSteps(curvatures, optima) if isinstance(arithmetic, Integer) else None


class ExactSteps:
    """A delivery of K steps of size eta is g_i (x - c_i) with g = h (1 + r + ... + r^{K-1}) =
    (1 - r^K)/eta and r = 1 - eta h."""

    def __init__(
        self, curvatures: Sequence[Sequence[Scalar]], optima: Sequence[Sequence[Scalar]]
    ) -> None:
        self.curvatures = RATIONAL.rows(curvatures)
        self.optima: Any = INTEGER.rows(optima)
        self.known: dict[object, CommonRows] = {}

    def __call__(self, model: Rows, round: Round) -> Rows:
        points: Any = model
        optima, width = self.optima, self.optima.shape[1]
        steps = round.local_steps.ravel().tolist()
        gains = self._gains(steps, round)
        present = steps if width == 1 else [taken for taken in steps for _ in range(width)]
        primes = with_primes(points.primes, optima.primes)
        here, there, common = aligned(points.denominator, optima.denominator, primes)
        numbers = [x * here for x in points.numerators] * (len(optima) // len(points))
        every = zip(present, gains.numerators, numbers, optima.numerators, strict=True)
        found: Any = CommonRows(
            optima.shape,
            [g * (x - c * there) if taken else 0 for taken, g, x, c in every],
            common * gains.denominator,
            with_primes(primes, gains.primes),
        )
        return found

    def _gains(self, steps: list[int], round: Round) -> CommonRows:
        """The gain of every client and coordinate; those of clients that do not deliver are not
        used."""
        sizes = as_common(round.started_step_size)
        assert sizes is not None
        taken = set(steps) - {0}
        if len(taken) == 1 and sizes.shape == (1, 1):  # the same for whoever delivers
            steps = list(taken) * len(steps)
        key = (*steps, sizes.denominator, *sizes.numerators)
        if key not in self.known:
            if len(self.known) >= KNOWN_GAINS:
                self.known.clear()
            table = sizes.fractions().ravel().tolist()
            etas = table * (len(steps) // len(table))
            gains = RATIONAL.zeros(self.curvatures.shape)
            for i, (count, eta) in enumerate(zip(steps, etas, strict=True)):
                gains[i] = [gain(h, count, eta) for h in self.curvatures[i]]
            self.known[key] = from_fractions(gains)
        return self.known[key]


def gain(curvature: Any, steps: int, step_size: Any) -> Any:
    """h (1 + r + ... + r^{K-1}) with r = 1 - eta h.

    >>> from fltheory.core.ratio import Ratio
    >>> gain(Ratio(2, 1), 3, Ratio(1, 4))
    Fraction(7, 2)
    """
    if steps <= 1 or not step_size:
        return steps * curvature
    return (1 - (1 - step_size * curvature) ** steps) / step_size if curvature else ZERO
