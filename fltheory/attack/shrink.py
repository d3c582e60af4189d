"""Shrinking: a shorter and lower sequence of choices that still contradicts the claim.

Sequences are ordered by length, then entry by entry; as spaces choose sizes first and 0 is the simplest choice, a smaller sequence means
fewer clients, rounds and local steps, and smaller denominators.
"""

from collections.abc import Callable, Iterator, Sequence

Choices = tuple[int, ...]
Contradicts = Callable[[Choices, int], Choices | None]
"""(choices, number) -> the choices that were really used, if the instance made from them contradicts the claim.

A negative choice, and those beyond the end if there is one, are drawn at random; the number tells such draws apart.
"""

MOST_LOOKS = 600
"""Instances that one shrinking may look at."""

SIZES, TAILS = 4, 16
"""How many of the first choices, which tend to be sizes, are lowered with everything after them drawn anew, and how often."""

ANEW = -1


def order(choices: Sequence[int]) -> tuple[int, Choices]:
    """What `smaller` means.

    >>> order([9, 9]) < order([0, 0, 0]), order([0, 2]) < order([1, 0])
    (True, True)
    """
    return len(choices), tuple(choices)


def shrink(choices: Sequence[int], contradicts: Contradicts, *, most: int = MOST_LOOKS) -> tuple[Choices, int]:
    """The smallest contradicting choices found, and how many instances were looked at.

    >>> def above_ten(found, number):  # the sum of two choices exceeds 10
    ...     used = (*found, 0, 0)[:2]
    ...     return used if sum(used) > 10 else None
    >>> shrink((40, 17), above_ten)[0]
    (0, 11)
    """
    kept, seen = [tuple(choices)], {tuple(choices)}
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


def _smaller(best: Callable[[], Choices]) -> Iterator[Choices]:
    """Candidates below the best choices so far: cut, zeroed, lowered, moved from one entry to the next."""
    for index in range(SIZES):
        for lower in range(best()[index] if index < len(best()) else 0):
            if lower < best()[index]:
                for number in range(TAILS):
                    yield (*best()[:index], lower, ANEW, *(ANEW for _ in range(number)))
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
                    yield (*now[:index], now[index] - 1, *now[index + 1 : index + gap], now[index + gap] + 1, *now[index + gap + 1 :])


def _lowered(best: Callable[[], Choices], index: int) -> Iterator[Choices]:
    """One entry lower: 0, then half the way, and so on to one less; once more with an entry removed or zeroed after it."""
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
