"""Attempts: fresh draws, the edges first, and moves around the best instances found so far."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fltheory.attacks.decide import contradicts
from fltheory.attacks.orders import GROWS, decide_path, growth
from fltheory.attacks.seen import widened
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Order
from fltheory.claims.evidence import Evidence, Verdict
from fltheory.claims.spaces.choices import Choices, Rejected, Taken, numbers_of
from fltheory.claims.spaces.scoring import CLOSE, UNTOLD, look
from fltheory.claims.spaces.space import Space
from fltheory.claims.spaces.wide import WIDE
from fltheory.core.enclosure import Comparison
from fltheory.core.errors import InvalidInput, NotExact

POOL_SIZE, MOST_PER_NICHE = 12, 2
"""How many of the best instances of each space are varied, and how many of them may be trivial in
the same way."""

TRIVIAL = (0, 1, "0", "1")
"""Values that make a quantity trivial: no noise, no delay, one client, one round, one local
step."""

MOVES_FROM = 1 << 16
"""Stream of the random numbers that choose a move; the stream of a fresh draw is 0."""

CLOSE_LOOKS = 12
"""Maximum number of exact comparisons per attack for sides that floats cannot separate: most of
these are true equalities. Further ones are not decided."""

Shrunk = tuple[str, Taken, int]
"""The space and the choices of a shrunk contradiction, and the number of instances looked at."""


@dataclass(frozen=True)
class Scored:
    """An admissible instance, given by its choices, and how close it comes to a contradiction.

    `niche` names its trivial quantities, so that instances in which a bound holds with equality for
    a trivial reason do not crowd out those in which more of its terms count.
    """

    score: float
    taken: Taken
    sizes: Taken
    says: str
    niche: str = ""


@dataclass(frozen=True)
class State:
    """The state of a search: all that is needed to continue it."""

    attempts: int = 0
    instances: int = 0
    untold: int = 0
    close: int = 0
    undecided: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict)
    pools: Mapping[str, tuple[Scored, ...]] = field(default_factory=dict)
    broken: tuple[str, Taken] | None = None
    steered: int = 0
    climbed: Mapping[str, Taken] = field(default_factory=dict)
    shrunk: Shrunk | None = None
    seen: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def with_(self, **changes: Any) -> "State":
        """The state with some fields changed; `replace` costs more, several times per attempt."""
        found = object.__new__(State)
        found.__dict__.update(self.__dict__, **changes)
        return found

    @property
    def tries(self) -> int:
        """Number of requested instances: attempts, and the instances of climbs and of
        Hypothesis."""
        return self.attempts + self.steered

    @property
    def best(self) -> tuple[str, Scored] | None:
        """The best instance of all spaces, with the id of its space."""
        tops = [(space, pool[0]) for space, pool in self.pools.items() if pool]
        return max(tops, key=lambda top: top[1].score, default=None)


def attempt(claim: Claim, spaces: Sequence[Space], state: State, *, seed: int) -> State:
    """One more attempt: spaces take turns, and so do fresh draws and moves around the best."""
    number = state.attempts
    space = spaces[number % len(spaces)]
    pool = state.pools.get(space.id, ())
    turn = number // len(spaces)
    choices = (
        Choices.fresh(seed, turn)
        if turn % 2 == 0 or not pool or turn < 6
        else varied(pool, seed, number)
    )
    return looked(claim, space, choices, state.with_(attempts=number + 1))[0]


def looked(claim: Claim, space: Space, choices: Choices, state: State) -> tuple[State, float]:
    """The state after drawing an instance and looking at it, and its score (UNTOLD if it is not
    admissible)."""
    try:
        instance = space.draw(choices, claim)
    except (Rejected, InvalidInput, NotExact) as problem:
        reason = (
            problem.reason if isinstance(problem, Rejected) else f"cannot be made: {problem}"[:80]
        )
        return (
            state.with_(rejected={**state.rejected, reason: state.rejected.get(reason, 0) + 1}),
            UNTOLD,
        )
    return _seen(claim, space, instance, choices, state.with_(instances=state.instances + 1))


def _seen(
    claim: Claim, space: Space, instance: Instance, choices: Choices, state: State
) -> tuple[State, float]:
    """The state after looking at one admissible instance, and its score."""
    if space.id == WIDE:
        state = state.with_(seen=widened(state.seen, instance))
    score, broken = assess(claim, instance, close=state.close)
    if score <= UNTOLD:
        return state.with_(untold=state.untold + 1), UNTOLD
    if broken is Comparison.UNKNOWN:
        state = state.with_(undecided=state.undecided + 1)
    elif broken is not None:
        state = state.with_(broken=(space.id, tuple(choices.taken)))
    if abs(score) < CLOSE:
        state = state.with_(close=state.close + 1)
    pool = state.pools.get(space.id, ())
    if len(pool) < POOL_SIZE or score > pool[-1].score:
        entry = Scored(
            score, tuple(choices.taken), tuple(choices.sizes), instance.says, niche(claim, instance)
        )
        state = state.with_(pools={**state.pools, space.id: kept(pool, entry)})
    return state, score


def niche(claim: Claim, instance: Instance) -> str:
    """The names of the claim's quantities that are trivial in an instance."""
    return " ".join(sorted(s.name for s in claim.symbols if instance.values.get(s.name) in TRIVIAL))


def kept(pool: Sequence[Scored], entry: Scored) -> tuple[Scored, ...]:
    """A pool with one more instance: the best first, few of the same niche."""
    if any(other.taken == entry.taken for other in pool):
        return tuple(pool)
    found: list[Scored] = []
    for one in sorted((*pool, entry), key=lambda one: -one.score):
        if sum(other.niche == one.niche for other in found) < MOST_PER_NICHE:
            found.append(one)
    return tuple(found[:POOL_SIZE])


def assess(
    claim: Claim, instance: Instance, *, close: int = 0
) -> tuple[float, Comparison | Evidence | None]:
    """The score of an instance (or of a path, for an order), and what contradicts the claim there:
    a comparison, the evidence of a limit, or None."""
    if isinstance(claim.statement, Order):
        grows = growth(claim, instance)
        if grows is None:
            return UNTOLD, None
        if grows.exponent <= GROWS:
            return grows.exponent, None
        found = decide_path(claim, instance, covers="")
        if found.verdict is Verdict.REFUTED:
            return grows.exponent, found
        unknown = found.verdict is Verdict.UNDECIDED
        return grows.exponent, Comparison.UNKNOWN if unknown else None
    seen = look(claim, instance)
    if seen.score <= UNTOLD:
        return seen.score, None
    if abs(seen.score) < CLOSE and not seen.exact and close >= CLOSE_LOOKS:
        return seen.score, Comparison.UNKNOWN
    return seen.score, contradicts(claim, instance)


def varied(pool: Sequence[Scored], seed: int, number: int) -> Choices:
    """Choices near one of the best of the pool: some are redrawn, stepped, set to an end, or taken
    from another instance."""
    picks = iter(numbers_of(seed, number, MOVES_FROM, 16))
    parent = pool[min(next(picks) % len(pool), next(picks) % len(pool))]
    taken, sizes = list(parent.taken), parent.sizes
    kind = next(picks) % 5
    if kind == 0 and len(pool) > 1:
        other = pool[next(picks) % len(pool)].taken
        cut = next(picks) % (len(taken) + 1)
        taken = taken[:cut] + list(other[cut:])
    elif kind == 1 and taken:
        start = next(picks) % len(taken)
        taken[start : start + 1 + next(picks) % 4] = [-1] * min(
            1 + next(picks) % 4, len(taken) - start
        )
    elif taken:
        for _ in range(1 + next(picks) % 3):
            place = next(picks) % len(taken)
            how = next(picks) % 5
            here = taken[place]
            taken[place] = (
                (0, sizes[place] - 1, max(here - 1, 0), here + 1, -1)[how]
                if place < len(sizes)
                else 0
            )
    return Choices.varied(taken, seed, 2 + number)


def redrawn(claim: Claim, spaces: Sequence[Space], found: tuple[str, Taken]) -> Instance:
    """The instance that given choices make in the space with a given id."""
    for space in spaces:
        if space.id == found[0]:
            return space.draw(Choices.replay(found[1]), claim)
    raise InvalidInput(f"space {found[0]}", f"be one that serves {claim.id}", "another one")


def still_contradicts(claim: Claim, space: Space) -> Callable[[Taken, int], Taken | None]:
    """The test for shrinking: the choices actually used, if their instance is admissible and
    contradicts the claim exactly."""

    def test(taken: Taken, number: int) -> Taken | None:
        choices = (
            Choices.varied(taken, 0, 2 + number)
            if min(taken, default=0) < 0
            else Choices.replay(taken)
        )
        try:
            instance = space.draw(choices, claim)
            broken = assess(claim, instance)[1]
        except (Rejected, InvalidInput, NotExact):
            return None
        return (
            tuple(choices.taken)
            if broken is not None and broken is not Comparison.UNKNOWN
            else None
        )

    return test
