"""After shrinking: search all spaces of a claim for the smallest contradiction, not only near the
shrunk one.

In turn: instances in the order of the steps between their choices and the simplest ones; moves
around the lightest contradictions; new draws. The search is longer if no instance within the limits
of fltheory.attacks.minimize.size is known.
"""

import heapq
from collections.abc import Generator, Iterator, Sequence

from fltheory.attacks.minimize.shrink import shrink
from fltheory.attacks.minimize.size import CounterexampleSize, size_of
from fltheory.attacks.moves import Scored, assess, varied
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices, Rejected, Taken
from fltheory.claims.spaces.space import Space
from fltheory.core.enclosure import Comparison
from fltheory.core.errors import InvalidInput, NotExact

TRIES, EXTRA_TRIES = 60, 240
"""Number of instances to look at, and how many more if no small one is known."""

Found = tuple[Space, Taken]
Weighed = tuple[tuple[int, ...], int, Found]
"""The weight, the number of the look (so that no two are equal) and the contradiction."""


def smallest(claim: Claim, spaces: Sequence[Space], found: Found, *, seed: int) -> Found:
    """The lightest contradiction found; the given one if no other has a smaller weight apart from
    digits."""
    before = _weighed(claim, found[0], Choices.replay(found[1]))
    assert before is not None
    best: list[Weighed] = [(before.weight, 0, found)]
    light = before
    for number, (space, choices) in enumerate(_candidates(spaces, best, seed)):
        if number >= (TRIES if light.small else TRIES + EXTRA_TRIES):
            break
        size = _weighed(claim, space, choices)
        if size is None:
            continue
        entry = (size.weight, number + 1, (space, tuple(choices.taken)))
        if all(entry[2] != kept for _, _, kept in best):
            best[:] = sorted((*best, entry))[:3]
            light = min(light, size, key=lambda one: one.weight)
    return best[0][2] if best[0][0][:-1] < before.weight[:-1] else found


def lightened(claim: Claim, found: Found, *, most: int) -> Taken:
    """Shorter or lower choices that contradict the claim without a larger weight."""
    heaviest = drawn_size(claim, found).weight

    def test(taken: Taken, number: int) -> Taken | None:
        choices = (
            Choices.varied(taken, 0, 2 + number)
            if min(taken, default=0) < 0
            else Choices.replay(taken)
        )
        size = _weighed(claim, found[0], choices)
        return tuple(choices.taken) if size is not None and size.weight <= heaviest else None

    return shrink(found[1], test, most=most)[0]


def drawn_size(claim: Claim, found: Found) -> CounterexampleSize:
    """The size of the instance that choices make, with its drawn numbers."""
    choices = Choices.replay(found[1])
    instance = found[0].draw(choices, claim)
    return size_of(claim, instance, [real.value for real in choices.reals])


def _weighed(claim: Claim, space: Space, choices: Choices) -> CounterexampleSize | None:
    """The size of the instance that the choices make if it contradicts the claim exactly, else
    None."""
    try:
        instance = space.draw(choices, claim)
        broken = assess(claim, instance)[1]
    except (Rejected, InvalidInput, NotExact):
        return None
    return (
        size_of(claim, instance)
        if broken is not None and broken is not Comparison.UNKNOWN
        else None
    )


def _candidates(
    spaces: Sequence[Space], best: Sequence[Weighed], seed: int
) -> Iterator[tuple[Space, Choices]]:
    """Choices to try, without end: in turn the next simplest choices of a space, a move around a
    light contradiction, and a fresh draw."""
    orders = [simplest_first() for _ in spaces]
    given: list[Choices | None] = [None for _ in spaces]
    number = 0
    while True:
        for index, space in enumerate(spaces):
            number += 1
            last = given[index]
            try:
                choices = (
                    next(orders[index])
                    if last is None
                    else orders[index].send((tuple(last.taken), tuple(last.sizes)))
                )
                given[index] = choices
                yield space, choices
            except StopIteration:
                pass  # all choices of this space have been tried
            kept = [taken for _, _, (own, taken) in best if own is space]
            if kept:
                yield (
                    space,
                    varied(
                        [Scored(0.0, taken, (2,) * len(taken), "") for taken in kept],
                        seed,
                        2 + number,
                    ),
                )
            if number % 2:
                yield space, Choices.fresh(seed, 2 + number)


def simplest_first() -> Generator[Choices, tuple[Taken, Taken], None]:
    """Choices whose sum grows, each sequence once; the caller sends back the choices taken and
    their sizes.

    >>> order = simplest_first()
    >>> seen, choices = [], next(order)
    >>> for number in range(6):
    ...     seen.append((choices.whole(0, 1), choices.whole(0, 2)))
    ...     if number < 5:
    ...         choices = order.send((tuple(choices.taken), tuple(choices.sizes)))
    >>> seen
    [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (1, 2)]
    """
    waiting: list[tuple[int, Taken]] = [(0, ())]
    while waiting:
        total, start = heapq.heappop(waiting)
        taken, sizes = yield Choices.replay(start)
        first = max((place for place, choice in enumerate(taken) if choice), default=0)
        for place in range(first, len(taken)):
            if taken[place] + 1 < sizes[place]:
                raised = (*taken[:place], taken[place] + 1)
                heapq.heappush(waiting, (total + 1, raised))
