"""Attack a claim: search the spaces that serve it, decide exactly, shrink. The same claim, seed and
attempts give the same outcome."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from fltheory.attacks.conclusions import no_meaning, nothing_admissible, supported, undecided
from fltheory.attacks.conditions import free_symbols
from fltheory.attacks.decide import refutation
from fltheory.attacks.minimize.shrink import shrink
from fltheory.attacks.minimize.simpler_runs import chosen_size, simplest
from fltheory.attacks.minimize.size import CounterexampleSize
from fltheory.attacks.minimize.smallest import drawn_size, lightened, smallest
from fltheory.attacks.moves import Shrunk, State, redrawn, still_contradicts
from fltheory.attacks.orders import decide_path
from fltheory.attacks.strategies import KINDS, advanced, steered_spaces
from fltheory.attacks.suggest import suggestions
from fltheory.attacks.worst import WORST
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Order
from fltheory.claims.evidence import Evidence, Verdict
from fltheory.claims.spaces.runs import RUNS, runs
from fltheory.claims.spaces.space import Space
from fltheory.core.errors import InvalidInput
from fltheory.core.words import counted
from fltheory.papers import paper_spaces

ATTEMPTS = 400
"""Default number of attempts."""

Tell = Callable[[Claim, State], None]


@dataclass(frozen=True)
class Attack:
    """The outcome of an attack; `instance` is the shrunk counterexample, or the instance that came
    closest to one."""

    claim: Claim
    seed: int
    spaces: tuple[Space, ...]
    state: State
    evidence: Evidence
    instance: Instance | None = None
    looks: int = 0
    seconds: float = 0.0
    size: CounterexampleSize | None = None

    @property
    def refuted(self) -> bool:
        return self.evidence.verdict is Verdict.REFUTED

    @cached_property
    def suggestions(self) -> tuple[str, ...]:
        """Changes that make the claim true on everything tried; computed on demand."""
        if not self.refuted or self.instance is None:
            return ()
        # a worst function takes seconds to find and is not typical
        drawn = [space for space in self.spaces if space.id != WORST]
        first = self.state.broken  # it often violates the claim by more than the shrunk one
        broke = (
            [self.instance]
            if first is None
            else [self.instance, redrawn(self.claim, self.spaces, first)]
        )
        return tuple(suggestions(self.claim, drawn, seed=self.seed, extra=broke))


def spaces_for(claim: Claim) -> tuple[Space, ...]:
    """Every space that gives a value to all symbols of the claim: first the spaces of the papers,
    then whole runs, then free symbols."""
    built_in = [space for space in (runs(claim), free_symbols(claim)) if space is not None]
    return tuple(space for space in (*paper_spaces(), *built_in) if space.serves(claim))


def attack(
    claim: Claim,
    *,
    seed: int = 0,
    attempts: int = ATTEMPTS,
    seconds: float | None = None,
    spaces: Sequence[Space] | None = None,
    state: State | None = None,
    tell: Tell = lambda claim, state: None,
    kinds: Collection[str] = KINDS,
) -> Attack:
    """Search for a counterexample; `state` resumes an attack with the same seed, `kinds` are the
    strategies beside draws.

    It ends at the first exact contradiction, after `attempts`, or after `seconds` of processor
    time; only the last makes the outcome depend on the machine, and the report states the number of
    attempts.
    """
    if attempts < 1:
        raise InvalidInput("attempts", "be at least 1", attempts)
    if seconds is not None and not seconds > 0:
        raise InvalidInput("seconds", "be above 0", seconds)
    started = time.process_time()
    serving = (
        tuple(spaces) if spaces is not None else (*spaces_for(claim), *steered_spaces(claim, kinds))
    )
    now = state or State()
    if serving:
        while now.broken is None and now.tries < attempts:
            now = advanced(claim, serving, now, seed=seed, kinds=kinds)
            tell(claim, now)
            if seconds is not None and time.process_time() - started > seconds:
                break
    found = _concluded(claim, seed, serving, now)
    return replace(found, seconds=time.process_time() - started)


def _concluded(claim: Claim, seed: int, spaces: tuple[Space, ...], state: State) -> Attack:
    if not spaces:
        return Attack(
            claim, seed, spaces, state, undecided(claim, "nothing was tried", no_meaning(claim))
        )
    covers = (
        f"seed {seed}, {counted(state.tries, 'attempt')} in"
        f" {', '.join(space.id for space in spaces)}"
    )
    if state.broken is not None:
        return _broken(claim, seed, spaces, state, covers)
    if not state.instances:
        return Attack(claim, seed, spaces, state, nothing_admissible(claim, state, covers))
    best = state.best
    if best is None:
        return Attack(
            claim,
            seed,
            spaces,
            state,
            undecided(
                claim,
                covers,
                "both sides were 0, or one had no value, in all "
                f"{counted(state.instances, 'instance')}",
            ),
        )
    instance = redrawn(claim, spaces, (best[0], best[1].taken))
    return Attack(claim, seed, spaces, state, supported(claim, state, covers, instance), instance)


def _shrunk(claim: Claim, spaces: tuple[Space, ...], state: State, seed: int) -> Shrunk:
    """The smallest contradiction found from the one that broke the claim."""
    assert state.broken is not None
    space = next(space for space in spaces if space.id == state.broken[0])
    choices, looks = shrink(state.broken[1], still_contradicts(claim, space))
    if not isinstance(claim.statement, Order):
        lighter = smallest(claim, spaces, (space, choices), seed=seed)
        if lighter != (space, choices):
            space, choices = lighter[0], lightened(claim, lighter, most=looks // 4)
    return space.id, choices, looks


def _broken(
    claim: Claim, seed: int, spaces: tuple[Space, ...], state: State, covers: str
) -> Attack:
    shrunk = state.shrunk or _shrunk(claim, spaces, state, seed)
    state = replace(state, shrunk=shrunk)
    space, choices, looks = (
        next(space for space in spaces if space.id == shrunk[0]),
        shrunk[1],
        shrunk[2],
    )
    instance = redrawn(claim, [space], (space.id, choices))
    size = None if isinstance(claim.statement, Order) else drawn_size(claim, (space, choices))
    if size is not None and space.id in (RUNS, WORST):
        drawn = instance
        instance, more = simplest(claim, drawn)
        looks, size = looks + more, size if instance is drawn else chosen_size(claim, instance)
    place = f"{covers}; found in attempt {state.tries}, shrunk in {counted(looks, 'look')}"
    if isinstance(claim.statement, Order):
        evidence = decide_path(claim, instance, covers=place)
        if evidence.verdict is not Verdict.REFUTED:
            raise InvalidInput(
                f"path that refutes {claim.id}", "do so when it is drawn again", instance.says
            )
    else:
        evidence = refutation(claim, instance, covers=place)
    return Attack(claim, seed, spaces, state, evidence, instance, looks, size=size)
