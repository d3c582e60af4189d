"""Choices: the sequence of whole numbers from which an instance is made, so that any instance can
be replayed, moved and shrunk.

Every choice is an index in [0, size), and 0 is the simplest one. `Choices` draws fresh numbers or
replays given ones (a missing one is drawn, or 0), and records those it used in `taken`:
`draw(Choices.replay(taken))` depends on `taken` alone.

For an Order claim a space makes a whole path instead of one instance: its values are formulas in
the symbol SCALE, a whole number that grows (say num_rounds = 4 * SCALE**2), admissible for every
SCALE >= 1. Which quantities grow, and how fast, are choices too.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import NamedTuple, NoReturn, TypeVar

import numpy as np
import sympy

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.randomness import Purpose, random_integers
from fltheory.core.ratio import ratio_of_integers
from fltheory.core.types import ExactLike

T = TypeVar("T")

Taken = tuple[int, ...]
"""The choices that made an instance, in order."""

SCALE = sympy.Symbol("scale", integer=True, positive=True)
"""The symbol that grows along a path; see above."""

BLOCK = 64
MOST_CHOICES = 4096
"""Random numbers of one attempt drawn at once, and the maximum number of choices."""

ATTEMPTS = 64
"""Attempts whose random numbers are drawn at once."""

FINE = 64
"""Number of equal parts of an interval, for numbers between the simple ones; such numbers are never
drawn, only reached by moves."""

SIMPLEST, LARGEST = 0, 1
"""Attempts that are not random: every choice is the first option, or every choice is the last."""


class Rejected(Exception):
    """The drawn instance violates a printed assumption, named by `reason`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@lru_cache(16)
def _numbers(seed: int, group: int, stream: int, count: int) -> list[list[int]]:
    attempts = np.arange(group * ATTEMPTS, (group + 1) * ATTEMPTS)[:, None]
    found = random_integers(seed, Purpose.ATTACK, attempts, stream, np.arange(count))
    rows: list[list[int]] = found.tolist()
    return rows


def numbers_of(seed: int, attempt: int, stream: int, count: int) -> list[int]:
    """Random numbers of one attempt: those of its neighbours are drawn with them, as they are soon
    asked for.

    >>> alone = random_integers(7, Purpose.ATTACK, 100, 3, np.arange(2))
    >>> numbers_of(7, 100, 3, 2) == alone.tolist()
    True
    """
    return _numbers(seed, attempt // ATTEMPTS, stream, count)[attempt % ATTEMPTS]


class Real(NamedTuple):
    """A number that was drawn: the place of its two choices, its interval and value, and the first
    choice that divides the interval finely."""

    place: int
    low: Fraction
    high: Fraction
    value: Fraction
    fine: int

    @property
    def share(self) -> float:
        """Its position in the interval, from 0 to 1."""
        return (
            float((self.value - self.low) / (self.high - self.low)) if self.high > self.low else 0.0
        )


class Choices:
    """The choices that make one instance, given out one after another.

    >>> choices = Choices.replay([1, 0, 2])
    >>> choices.flag(), choices.whole(1, 5), choices.choice("abc"), choices.number(-1, 1)
    (True, 1, 'c', Fraction(0, 1))
    >>> choices.taken
    [1, 0, 2, 0, 0]
    """

    def __init__(
        self, given: Sequence[int] = (), *, seed: int | None = None, attempt: int = 0
    ) -> None:
        self._given, self._seed, self._attempt = given, seed, attempt
        self.replayed = seed is None
        self._block: list[int] = []
        self.taken: list[int] = []
        self.sizes: list[int] = []
        self.reals: list[Real] = []

    @classmethod
    def fresh(cls, seed: int, attempt: int) -> "Choices":
        """Choices that depend only on the seed and the number of the attempt; the first two
        attempts are the two extreme corners."""
        return cls(seed=seed, attempt=attempt)

    @classmethod
    def replay(cls, taken: Sequence[int]) -> "Choices":
        """The given choices, then 0."""
        return cls(taken)

    @classmethod
    def varied(cls, taken: Sequence[int], seed: int, attempt: int) -> "Choices":
        """The given choices (a negative one is drawn anew), then fresh ones."""
        return cls(taken, seed=seed, attempt=attempt)

    def index(self, size: int, *, hidden: int = 0) -> int:
        """The next choice: a whole number in [0, size). The next `hidden` numbers can be given, but
        are not drawn."""
        if size < 1:
            raise InvalidInput("number of options of a choice", "be at least 1", size)
        place = len(self.taken)
        if place >= MOST_CHOICES:
            raise InvalidInput("choices of an instance", f"be at most {MOST_CHOICES}", place)
        if place < len(self._given) and self._given[place] >= 0:
            picked = min(self._given[place], size - 1 + hidden)
        elif self._seed is None:
            picked = 0
        else:
            picked = self._draw(place, size)
        self.taken.append(picked)
        self.sizes.append(size)
        return picked

    def _draw(self, place: int, size: int) -> int:
        """The first, the last or any choice; how often the ends are taken depends on the attempt,
        and wide ranges prefer small choices."""
        if self._attempt in (SIMPLEST, LARGEST):
            return 0 if self._attempt == SIMPLEST else size - 1
        while place >= len(self._block):  # many given choices may precede the first draw
            start = len(self._block) // BLOCK
            assert self._seed is not None
            self._block.extend(numbers_of(self._seed, self._attempt, start, BLOCK))
        number = self._block[place]
        kind, rest = number % 16, number // 16
        ends = self._attempt % 4
        if kind < 2 * ends:
            return 0 if rest % 2 else size - 1
        if size > 16 and kind % 2:
            return rest % (1 << (1 + rest // 997 % (size.bit_length() - 1)))
        return rest % size

    def whole(self, low: int, high: int) -> int:
        """A whole number in [low, high]; the simplest is `low`."""
        return low + self.index(high - low + 1)

    def flag(self) -> bool:
        """False, or True."""
        return self.index(2) == 1

    def choice(self, options: Sequence[T]) -> T:
        """One of the options; the simplest is the first."""
        picked = options[self.index(len(options))]
        if isinstance(picked, Fraction):
            self._fixed(picked)
        return picked

    def number(self, low: ExactLike, high: ExactLike, *, max_denominator: int = 4) -> Fraction:
        """A fraction in [low, high] with a small denominator, or one of the two ends.

        Whole numbers come first, and numbers near 0; if no small fraction lies in the interval, its
        ends are the only options.
        """
        lowest, highest, denominators = _interval(low, high, max_denominator)
        place, ends = len(self.taken), len(denominators)
        kind = self.index(ends + 2, hidden=1)
        if kind < ends:
            q, first, last = denominators[kind]
            value: Fraction = ratio_of_integers(
                _by_size(first, last, self.index(last - first + 1)), q
            )
        elif kind < ends + 2:
            # as many choices as any other number, or shrinking would prefer an end for its length
            self.index(1)
            value = lowest if kind == ends else highest
        else:
            value = lowest + (highest - lowest) * ratio_of_integers(self.index(FINE + 1), FINE)
        self.reals.append(Real(place, lowest, highest, value, ends + 2))
        return value

    def power(self, base: int = 10, *, most: int = 3) -> Fraction:
        """base^k for whole k in [-most, most], a scale that a claim leaves free; the simplest is
        1."""
        return self._fixed(_power(base, _by_size(-most, most, self.index(2 * most + 1))))

    def _fixed(self, value: Fraction) -> Fraction:
        """Record a number that was chosen from a list: it counts among the drawn numbers, but
        cannot be moved."""
        self.reals.append(Real(len(self.taken) - 1, value, value, value, 0))
        return value

    def many(self, draw: Callable[[], T], count: int) -> list[T]:
        """`count` results of calling `draw`."""
        return [draw() for _ in range(count)]

    def reject(self, reason: str) -> NoReturn:
        """Reject the instance: it violates the printed assumption named `reason`."""
        raise Rejected(reason)

    def require(self, holds: object, reason: str) -> None:
        """Reject the instance unless the assumption holds (True, not merely unknown)."""
        if holds is not True:
            raise Rejected(reason)


@lru_cache(1 << 10)
def _power(base: int, exponent: int) -> Fraction:
    return exact(Fraction(base) ** exponent)


@lru_cache(1 << 10, typed=True)
def _interval(
    low: ExactLike, high: ExactLike, most: int
) -> tuple[Fraction, Fraction, tuple[tuple[int, int, int], ...]]:
    """The ends of an interval, and the small denominators in it."""
    lowest, highest = exact(low), exact(high)
    if lowest > highest:
        raise InvalidInput("interval of a drawn number", "not be empty", f"[{low}, {high}]")
    return lowest, highest, _denominators(lowest, highest, most)


def _denominators(low: Fraction, high: Fraction, most: int) -> tuple[tuple[int, int, int], ...]:
    """The denominators up to `most` of fractions in [low, high], each with the least and the
    largest numerator.

    >>> _denominators(Fraction(1, 3), Fraction(1, 2), 4)
    ((2, 1, 1), (3, 1, 1), (4, 2, 2))
    """
    ends = ((q, ceil(low * q), floor(high * q)) for q in range(1, most + 1))
    return tuple(one for one in ends if one[1] <= one[2])


def _by_size(first: int, last: int, index: int) -> int:
    """The whole number at `index` in [first, last], ordered by distance from 0, positive first.

    >>> [_by_size(-1, 3, i) for i in range(5)], [_by_size(2, 4, i) for i in range(3)]
    ([0, 1, -1, 2, 3], [2, 3, 4])
    """
    if first >= 0:
        return first + index
    if last <= 0:
        return last - index
    short = min(-first, last)
    if index <= 2 * short:
        return (index + 1) // 2 if index % 2 else -(index // 2)
    return index - short if last > short else short - index
