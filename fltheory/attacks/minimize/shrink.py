"""Shrinking: a shorter and lower sequence of choices that still contradicts the claim.

Sequences are ordered by length, then entry by entry. Spaces choose sizes first and 0 is the
simplest choice, so a smaller sequence means fewer clients, rounds and local steps, and smaller
denominators.

Measured against Hypothesis, which shrank the same choices of 20 counterexamples of the four papers:
the weight of the instance (fltheory.attacks.minimize.size) was the same for 12, smaller here for 5
and smaller there for 3; after the search of fltheory.attacks.minimize.smallest it was the same for
15, smaller here for 3 and smaller there for 2. This took 13.2 s of processor time and 4,483 looks,
Hypothesis 10.2 s and 2,402 looks (25.1 s and 21.4 s with the search). This shrinker is kept: its
results are at least as small, and it needs no optional dependency, so that an attack gives the same
counterexample in every installation.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from fltheory.claims.spaces.choices import Taken

Contradicts = Callable[[Taken, int], Taken | None]
"""(choices, number) -> the choices actually used, if their instance contradicts the claim.

A negative choice is drawn at random, and so are missing choices after one; `number` distinguishes
such draws.
"""

MOST_LOOKS = 600
"""Maximum number of instances to look at."""

SIZE_CHOICES, TAIL_DRAWS = 4, 16
"""How many of the first choices, which are often sizes, are lowered with all later choices redrawn,
and how many times."""

REDRAW = -1
"""A choice that is drawn at random."""

FEW_VALUES = 8
"""Below a value up to this, every lower one is tried; below a larger value, 0, half of it and one
less."""


def order(taken: Sequence[int]) -> tuple[int, Taken]:
    """The order of sequences: by length, then entry by entry.

    >>> order([9, 9]) < order([0, 0, 0]), order([0, 2]) < order([1, 0])
    (True, True)
    """
    return len(taken), tuple(taken)


def shrink(
    taken: Sequence[int], contradicts: Contradicts, *, most: int = MOST_LOOKS
) -> tuple[Taken, int]:
    """The smallest contradicting choices found, and how many instances were looked at.

    >>> def above_ten(found, number):  # the sum of two choices exceeds 10
    ...     used = (*found, 0, 0)[:2]
    ...     return used if sum(used) > 10 else None
    >>> shrink((40, 17), above_ten)[0]
    (0, 11)
    """
    kept, seen = [tuple(taken)], {tuple(taken)}
    looks, moved = 0, True
    while moved:
        moved = False
        for candidate in _smaller(lambda: kept[-1]):
            if candidate in seen:
                continue
            if looks >= most:
                return kept[-1], looks
            seen.add(candidate)
            looks += 1
            used = contradicts(candidate, looks)
            if used is not None and order(used) < order(kept[-1]):
                kept.append(used)
                moved = True
    return kept[-1], looks


def _smaller(best: Callable[[], Taken]) -> Iterator[Taken]:
    """Candidates below the best choices so far: entries removed, zeroed, lowered, added to the next
    entry, or changed together."""
    for index in range(SIZE_CHOICES):
        for lower in _below(best()[index] if index < len(best()) else 0):
            if lower < best()[index]:
                for number in range(TAIL_DRAWS):
                    yield (*best()[:index], lower, REDRAW, *(REDRAW for _ in range(number)))
    size = len(best())
    while size:
        for start in range(0, len(best()), size):
            now = best()
            yield now[:start] + (0,) * size + now[start + size :]
            yield now[:start] + now[start + size :]
        size //= 2
    for index in range(len(best())):
        yield from _lowered(best, index)
    for index in range(len(best()) - 1):
        now = best()
        if now[index : index + 1] > (0,) and index + 1 < len(now):
            for gap in (1, 2):
                if index + gap < len(now):
                    swapped = list(now)
                    swapped[index], swapped[index + gap] = 0, now[index] + now[index + gap]
                    yield tuple(swapped)
                    yield (
                        *now[:index],
                        now[index] - 1,
                        *now[index + 1 : index + gap],
                        now[index + gap] + 1,
                        *now[index + gap + 1 :],
                    )
    yield from _together(best)


def _together(best: Callable[[], Taken]) -> Iterator[Taken]:
    """All entries of one value lowered together, and two large entries by the same amount, for
    numbers that must be equal.

    >>> list(_together(lambda: (3, 5, 3))), list(_together(lambda: (9, 0, 12)))
    ([(0, 5, 0), (1, 5, 1), (2, 5, 2)], [(0, 0, 3), (5, 0, 8), (7, 0, 10), (8, 0, 11)])
    """
    for value in sorted(set(best()), reverse=True):
        for lower in _below(value):
            now = best()
            if now.count(value) > 1:
                yield tuple(lower if choice == value else choice for choice in now)
    for first, second in combinations(
        [place for place, choice in enumerate(best()) if choice > FEW_VALUES], 2
    ):
        less = min(best()[first], best()[second])
        while less:
            now = best()
            if min(now[first : first + 1] + now[second : second + 1], default=0) >= less:
                yield tuple(
                    choice - less if place in (first, second) else choice
                    for place, choice in enumerate(now)
                )
            less //= 2


def _below(value: int) -> Sequence[int]:
    return range(value) if value <= FEW_VALUES else (0, value // 2, value - 1)


def _lowered(best: Callable[[], Taken], index: int) -> Iterator[Taken]:
    """One entry lowered: to 0, half of it, and so on to one less; then one less with a later entry
    removed."""
    now = best()
    if index >= len(now) or not now[index]:
        return
    step = now[index]
    while step:
        now = best()
        if index < len(now) and now[index] >= step:
            yield (*now[:index], now[index] - step, *now[index + 1 :])
        step //= 2
    now = best()
    if index < len(now) and now[index]:
        lower = (*now[:index], now[index] - 1, *now[index + 1 :])
        for cut in range(index + 1, len(now)):
            yield lower[:cut] + lower[cut + 1 :]
