"""Hypothesis makes the choices: it draws, mutates towards a higher score, and shrinks what breaks a
claim; this suits traces, ties and masks.

It is an optional dependency (the extra `testing`). Choices are drawn as bits, because Hypothesis
mixes constants from the source of loaded modules into whole numbers: with bits the same seed gives
the same instances in every process.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from fltheory.attacks.moves import State, looked
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.scoring import UNTOLD
from fltheory.claims.spaces.space import Space
from fltheory.core import extras

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject

EXAMPLES = 40
"""Maximum number of instances that Hypothesis draws before it shrinks."""


class _Broken(Exception):
    """The instance contradicts the claim."""


class Bits(Choices):
    """Choices whose bits are drawn by `flip`."""

    def __init__(self, flip: Callable[[], bool]) -> None:
        super().__init__(seed=0)
        self._flip = flip

    def _draw(self, place: int, size: int) -> int:
        return sum(self._flip() << bit for bit in range((size - 1).bit_length())) % size


def available() -> bool:
    """Is Hypothesis installed?"""
    return extras.available("testing")


def explore(
    claim: Claim,
    space: Space,
    state: State,
    *,
    seed: int,
    examples: int = EXAMPLES,
    until: float | None = None,
) -> State:
    """The state after `examples` instances drawn by Hypothesis, which has shrunk what broke the
    claim."""
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings, strategies, target
    from hypothesis import seed as seeded
    from hypothesis.errors import Flaky

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
    def looks(data: "DataObject") -> None:
        if until is not None and time.process_time() > until:
            return
        bits = strategies.booleans()
        before = replace(now[0], broken=None, steered=now[0].steered + 1)
        after, score = looked(claim, space, Bits(lambda: data.draw(bits)), before)
        now[0] = after if after.broken else replace(after, broken=now[0].broken)
        if after.broken:
            raise _Broken
        target(max(score, UNTOLD))

    # the last instance that broke the claim is the smallest that Hypothesis found; when the time is
    # over nothing more is drawn, which Hypothesis takes for flaky
    with suppress(_Broken, Flaky):
        looks()
    return now[0]
