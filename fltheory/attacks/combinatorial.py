"""Hypothesis as a source of choices: it draws, mutates towards a higher score, and shrinks what
breaks; traces, ties and masks suit it.

It is an optional dependency (the extra `testing`). Choices are drawn as bits, because Hypothesis
mixes constants from the source of those modules that happen to be loaded into whole numbers: with
bits the same seed gives the same instances in every process.
"""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from fltheory.attacks.moves import State, looked
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.scoring import UNTOLD
from fltheory.claims.spaces.space import Space
from fltheory.core import extras

EXAMPLES = 40
"""Instances that Hypothesis may draw in one go, before it shrinks."""


class _Broken(Exception):
    """The instance contradicts the claim."""


class Bits(Choices):
    """Choices whose bits are drawn by `flip`."""

    def __init__(self, flip: Any) -> None:
        super().__init__(seed=0)
        self._flip = flip

    def _draw(self, place: int, size: int) -> int:
        return sum(self._flip() << bit for bit in range((size - 1).bit_length())) % size


def available() -> bool:
    """Is Hypothesis installed?"""
    return extras.available("testing")


def explore(
    claim: Claim, space: Space, state: State, *, seed: int, examples: int = EXAMPLES
) -> State:
    """The state after so many instances drawn by Hypothesis; what breaks there has been shrunk by
    it."""
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings, strategies, target
    from hypothesis import seed as seeded

    now = [state]

    @seeded(seed)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.target, Phase.shrink),
    )
    @given(strategies.data())
    def looks(data: Any) -> None:
        bits = strategies.booleans()
        before = replace(now[0], broken=None, steered=now[0].steered + 1)
        after, score = looked(claim, space, Bits(lambda: data.draw(bits)), before)
        now[0] = after if after.broken else replace(after, broken=now[0].broken)
        if after.broken:
            raise _Broken
        target(max(score, UNTOLD))

    with suppress(
        _Broken
    ):  # the last instance that broke is the one that Hypothesis could not make smaller
        looks()
    return now[0]
