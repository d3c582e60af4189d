"""Attack a claim: search the spaces that serve it, decide exactly, shrink. The same claim, seed and
attempts give the same outcome."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from fltheory.attacks.conclusions import no_meaning, nothing_admissible, supported, undecided
from fltheory.attacks.conditions import free_symbols
from fltheory.attacks.decide import first_confirmed, with_choices
from fltheory.attacks.minimize.shrink import order, shrink
from fltheory.attacks.minimize.simpler_runs import chosen_size, simplest
from fltheory.attacks.minimize.size import CounterexampleSize, size_of
from fltheory.attacks.minimize.smallest import drawn_size, lightened, smallest
from fltheory.attacks.moves import Shrunk, State, redrawn, still_contradicts
from fltheory.attacks.order_runs import order_on_runs
from fltheory.attacks.orders import decide_path
from fltheory.attacks.strategies import KINDS, advanced, steered_spaces
from fltheory.attacks.suggest import suggestions
from fltheory.attacks.worst import WORST
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Order
from fltheory.claims.evidence import Evidence, Verdict
from fltheory.claims.hypotheses import AveragingIs, ParticipationIs, StepSizeIs
from fltheory.claims.spaces.choices import Rejected, Taken
from fltheory.claims.spaces.runs import RUNS, runs
from fltheory.claims.spaces.space import Space
from fltheory.claims.spaces.wide import WIDE, wide_runs
from fltheory.core.errors import InvalidInput
from fltheory.core.time_limits import TimeIsUp, processor_time
from fltheory.core.words import counted
from fltheory.papers import paper_spaces, papers

ATTEMPTS = 400
"""Default number of attempts."""

LEAST_SHARE = 0.25
"""Minimising takes what the search leaves of its seconds, and at least this share of them."""

NO_LIMIT = 1 << 62
"""Attempts where only the time limits an attack."""

Result = TypeVar("Result")
Tell = Callable[[Claim, State], None]


@dataclass(frozen=True)
class Attack:
    """The outcome of an attack; `instance` is the shrunk counterexample, or the instance that came
    closest to one. `seconds` is all its processor time, `searched` that of the search."""

    claim: Claim
    seed: int
    spaces: tuple[Space, ...]
    state: State
    evidence: Evidence
    instance: Instance | None = None
    looks: int = 0
    seconds: float = 0.0
    searched: float = 0.0
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
    about_runs = (None if by_law(claim) else runs(claim), wide_runs(claim))
    built_in = [one for one in (*about_runs, free_symbols(claim)) if one is not None]
    return tuple(space for space in (*paper_spaces(), *built_in) if space.serves(claim))


ORDER_ATTEMPTS = 20
"""Attempts for an order of runs: single runs refute it only where the right side is 0."""


def is_order_of_runs(claim: Claim) -> bool:
    """Is the claim an order, about runs, that no paper gives a space of paths?"""
    own = isinstance(claim.statement, Order) and bool(claim.about)
    return own and claim.source.paper.key not in papers()


def by_law(claim: Claim) -> bool:
    """Does the claim state hypotheses that only the wide space of runs knows?"""
    known = (ParticipationIs, StepSizeIs, AveragingIs)
    return any(isinstance(a.holds, known) for a in claim.assumes)


def attack(
    claim: Claim,
    *,
    seed: int = 0,
    attempts: int | None = None,
    seconds: float | None = None,
    spaces: Sequence[Space] | None = None,
    state: State | None = None,
    tell: Tell = lambda claim, state: None,
    kinds: Collection[str] = KINDS,
) -> Attack:
    """Search for a counterexample; `state` resumes an attack with the same seed, `kinds` are the
    strategies beside draws.

    It ends at the first exact contradiction, after `attempts` (400 unless `seconds` are given), or
    after `seconds` of processor time, whose rest minimising has (at least a quarter of all); only
    the last makes the outcome depend on the machine, and the report states the number of attempts.
    """
    if attempts is None:
        attempts = ATTEMPTS if seconds is None else NO_LIMIT
    if attempts < 1:
        raise InvalidInput("attempts", "be at least 1", attempts)
    if seconds is not None and not seconds > 0:
        raise InvalidInput("seconds", "be above 0", seconds)
    serving = (
        tuple(spaces) if spaces is not None else (*spaces_for(claim), *steered_spaces(claim, kinds))
    )
    now = state or State()
    started = time.process_time()
    if serving:
        limit = min(attempts, ORDER_ATTEMPTS) if is_order_of_runs(claim) else attempts
        until = None if seconds is None else started + seconds
        while now.broken is None and now.tries < limit:
            left = None if until is None else until - time.process_time()
            if left is not None and left <= 0:
                break
            try:
                with processor_time(left):
                    now = advanced(claim, serving, now, seed=seed, kinds=kinds, until=until)
            except TimeIsUp:
                break
            tell(claim, now)
    searched = time.process_time() - started
    if now.broken is None and spaces is None:
        told = order_on_runs(claim) if is_order_of_runs(claim) else None
        if told is not None:
            instance, evidence = told
            found = Attack(claim, seed, serving, now, evidence, instance)
            return replace(found, seconds=time.process_time() - started, searched=searched)
    rest = None if seconds is None else max(seconds - searched, LEAST_SHARE * seconds)
    found = _concluded(claim, seed, serving, now, rest)
    return replace(found, seconds=time.process_time() - started, searched=searched)


def _concluded(
    claim: Claim, seed: int, spaces: tuple[Space, ...], state: State, rest: float | None
) -> Attack:
    if not spaces:
        return Attack(
            claim, seed, spaces, state, undecided(claim, "nothing was tried", no_meaning(claim))
        )
    covers = (
        f"seed {seed}, {counted(state.tries, 'attempt')} in"
        f" {', '.join(space.id for space in spaces)}"
    )
    if state.broken is not None:
        return _broken(claim, seed, spaces, state, covers, rest)
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
    instance = _closest(claim, spaces, state)
    if instance is None:
        doubt = "the runs that came closest are too long to be computed exactly"
        return Attack(claim, seed, spaces, state, undecided(claim, covers, doubt))
    return Attack(claim, seed, spaces, state, supported(claim, state, covers, instance), instance)


def _closest(claim: Claim, spaces: Sequence[Space], state: State) -> Instance | None:
    """The best instance that can be drawn again exactly: a long run may have been looked at in
    floats only."""
    listed = [(space, one) for space, pool in state.pools.items() for one in pool]
    for space, one in sorted(listed, key=lambda pair: -pair[1].score):
        try:
            return redrawn(claim, spaces, (space, one.taken))
        except Rejected:
            continue
    return None


def _shrunk(
    claim: Claim, spaces: tuple[Space, ...], state: State, seed: int, until: float | None
) -> Shrunk:
    """The smallest contradiction found from the one that broke the claim, in the time."""
    assert state.broken is not None
    space = next(space for space in spaces if space.id == state.broken[0])
    test, least, looks = still_contradicts(claim, space), state.broken[1], 0

    def noted(taken: Taken, number: int) -> Taken | None:
        nonlocal least, looks
        found, looks = test(taken, number), looks + 1
        if found is not None and order(found) < order(least):
            least = found
        return found

    def shrunk() -> Shrunk:
        choices, looked = shrink(least, noted)
        if not isinstance(claim.statement, Order):
            lighter = smallest(claim, spaces, (space, choices), seed=seed)
            if lighter != (space, choices):
                own = lightened(claim, lighter, most=looked // 4)
                return lighter[0].id, own, looked
        return space.id, choices, looked

    return _in_time(until, shrunk) or (space.id, least, looks)


def _in_time(until: float | None, work: Callable[[], Result]) -> Result | None:
    """What the work gives; None if the processor time is over first."""
    left = None if until is None else until - time.process_time()
    if left is not None and left <= 0:
        return None
    try:
        with processor_time(left):
            return work()
    except TimeIsUp:
        return None


def _broken(
    claim: Claim,
    seed: int,
    spaces: tuple[Space, ...],
    state: State,
    covers: str,
    rest: float | None,
) -> Attack:
    until = None if rest is None else time.process_time() + rest
    shrunk = state.shrunk or _shrunk(claim, spaces, state, seed, until)
    state = replace(state, shrunk=shrunk)
    space, choices, looks = (
        next(space for space in spaces if space.id == shrunk[0]),
        shrunk[1],
        shrunk[2],
    )
    instance = drawn = with_choices(
        claim, redrawn(claim, [space], (space.id, choices)), space.id, choices
    )
    size = None if isinstance(claim.statement, Order) else drawn_size(claim, (space, choices))
    if size is not None and space.id in (RUNS, WIDE, WORST):
        instance, more = _in_time(until, lambda: simplest(claim, drawn)) or (drawn, 0)
        looks, size = looks + more, size if instance is drawn else chosen_size(claim, instance)
    place = f"{covers}; found in attempt {state.tries}, shrunk in {counted(looks, 'look')}"
    if isinstance(claim.statement, Order):
        evidence = decide_path(claim, instance, covers=place)
        if evidence.verdict is not Verdict.REFUTED:
            doubt = "a path seemed to contradict the claim, but not when it was drawn again"
            evidence = undecided(claim, covers, doubt)
        return Attack(claim, seed, spaces, state, evidence, instance, looks, size=size)
    first = drawn
    if state.broken is not None:
        first = with_choices(claim, redrawn(claim, spaces, state.broken), *state.broken)
    confirmed = first_confirmed(claim, (instance, drawn, first), covers=place)
    if confirmed is None:
        doubt = "an instance seemed to contradict the claim, but its file does not confirm it"
        return Attack(claim, seed, spaces, state, undecided(claim, covers, doubt), instance, looks)
    if confirmed[0] is not instance:
        size = size_of(claim, confirmed[0])
    instance, evidence = confirmed
    return Attack(claim, seed, spaces, state, evidence, instance, looks, size=size)
