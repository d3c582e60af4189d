"""Strategies beside draws and moves; they start after some turns of plain search, and look at
instances of the same spaces.

gradient: real numbers move along the gradient of log(left/right). hypothesis: Hypothesis makes the
choices, and shrinks what breaks the claim. worst functions: semidefinite programming finds the
clients for a trace. Each can be left out; the strategies used, the seed and the attempts determine
the outcome.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from fltheory.attacks.combinatorial import available, explore
from fltheory.attacks.gradient import can_climb, climb
from fltheory.attacks.moves import State, attempt, looked, varied
from fltheory.attacks.worst import WORST, worst_functions
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.space import Space

KINDS = ("gradient", "hypothesis", "worst functions")

PLAIN_TURNS = 24
"""Turns of every space before other strategies start: most false claims break in the first few."""

CLIMBED_EVERY, STEERED_EVERY = 16, 8
"""After that: turns of a space between two climbs, and attempts between two looks at worst
functions."""


def steered_spaces(claim: Claim, kinds: Collection[str]) -> tuple[Space, ...]:
    """The space of worst functions, if it is wanted and semidefinite programming applies to the
    claim."""
    space = worst_functions(claim) if "worst functions" in kinds else None
    return () if space is None else (space,)


def advanced(
    claim: Claim,
    spaces: Sequence[Space],
    state: State,
    *,
    seed: int,
    kinds: Collection[str] = KINDS,
    until: float | None = None,
) -> State:
    """One more attempt, and the other strategies that are due; a long one ends when the processor
    time is `until`."""
    plain = [space for space in spaces if space.id != WORST]
    space, turn = plain[state.attempts % len(plain)], state.attempts // len(plain)
    late = turn - PLAIN_TURNS
    if (
        "gradient" in kinds
        and late >= 0
        and late % CLIMBED_EVERY == 0
        and can_climb(claim, space, state)
    ):
        state = climb(claim, space, state)
    if not state.broken and "hypothesis" in kinds and late == 1 and available():
        state = explore(claim, space, state, seed=seed, until=until)
    if (
        not state.broken
        and len(plain) < len(spaces)
        and late >= 0
        and state.attempts % STEERED_EVERY == 0
    ):
        state = _steered(claim, spaces[-1], state, seed)
    return (
        replace(state, attempts=state.attempts + 1)
        if state.broken
        else attempt(claim, plain, state, seed=seed)
    )


def _steered(claim: Claim, space: Space, state: State, seed: int) -> State:
    """Look at the worst functions of a fresh trace, or of a trace near the best."""
    pool, number = state.pools.get(space.id, ()), state.steered
    choices = varied(pool, seed, number) if pool and number % 2 else Choices.fresh(seed, number)
    return looked(claim, space, choices, replace(state, steered=number + 1))[0]
