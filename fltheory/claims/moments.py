"""Means and variances of the models of a random run, round by round, for methods without memory on
losses with diagonal curvature.

Given who delivers, and the signs of noise that grows with the gradient, a round maps each
coordinate x to a x + b, and additive noise has a variance v. Rounds are drawn independently, or by
Markov chains whose state is who delivers; so E x, E x^2, and for an average y of the models E y, E
y^2 and E x y follow from those of the round before: E (a x + b)^2 = E a^2 E x^2 + 2 E ab E x +
E b^2. The work grows with the number of rounds, not with that of the outcomes of all rounds.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from typing import NamedTuple

import numpy as np

from fltheory.claims.participation import Participation
from fltheory.core.types import Array
from fltheory.engine.arithmetic import RATIONAL, Arithmetic

State = tuple[int, ...]
"""The clients that deliver in a round by Markov chains; empty where rounds are independent."""

Chances = Mapping[State, Fraction]


class RoundMap(NamedTuple):
    """E a, E b, E a^2, E ab and E b^2 + v of a round, one number for each coordinate."""

    slope: Array
    shift: Array
    slope_squared: Array
    product: Array
    shift_squared: Array


@dataclass(frozen=True)
class Chain:
    """The chances of the first state, and those of the next one given a state."""

    first: Chances
    following: Callable[[State], Chances]


def chain_of(law: Participation | None, clients: int) -> Chain:
    """The chain behind a law; rounds that are independent have one state.

    >>> chain = chain_of(Participation("markov", ("1/2",), ("3/4",)), 1)
    >>> {state: str(chance) for state, chance in chain.following((0,)).items()}
    {(): '1/4', (0,): '3/4'}
    """
    if law is None or law.kind != "markov":
        sure: Chances = {(): Fraction(1)}
        return Chain(sure, lambda state: sure)

    def following(state: State) -> Chances:
        own = [law.stays[i] if i in state else law.probabilities[i] for i in range(clients)]
        return law.sets(own)

    return Chain(law.sets(law.chances(clients)), cache(following))


class Spread(NamedTuple):
    """The mean and the covariance of one model, or of several."""

    points: Array
    covariances: Array


class Known(NamedTuple):
    """What is known of a model x and of an average y on the outcomes with one state: their chance,
    and the sums of x, x^2, y, y^2 and x y."""

    chance: Array
    x: Array
    xx: Array
    y: Array
    yy: Array
    xy: Array

    def plus(self, other: "Known") -> "Known":
        """The outcomes of both."""
        found: Sequence[Array] = [a + b for a, b in zip(self, other, strict=True)]
        return Known(*found)

    def times(self, chance: Array) -> "Known":
        """The part of these outcomes that has this chance."""
        found: Sequence[Array] = [a * chance for a in self]
        return Known(*found)

    def noted(self, share: Array) -> "Known":
        """The same after the model has got its share in the average."""
        chance, x, xx, y, yy, xy = self
        new = yy + 2 * share * xy + share * share * xx
        return Known(chance, x, xx, y + share * x, new, xy + share * xx)

    def after(self, done: RoundMap) -> "Known":
        """The same after a round."""
        moved = done.slope * self.x + done.shift * self.chance
        mixed = done.slope_squared * self.xx + 2 * done.product * self.x
        square = mixed + done.shift_squared * self.chance
        return Known(
            self.chance, moved, square, self.y, self.yy, done.slope * self.xy + done.shift * self.y
        )


def moments(
    chain: Chain,
    maps: Callable[[int, State], RoundMap],
    start: Array,
    shares: Sequence[Fraction],
    arithmetic: Arithmetic,
) -> tuple[Spread, Spread]:
    """The moments of all models of a run, and of their average with these shares; there is one more
    model than rounds."""
    zero, one = start * 0, arithmetic.rows([1])[0]
    weights, rounds = row_of(shares, arithmetic), len(shares) - 1
    first = Known(one, start, start * start, zero, zero, zero)
    now = _mixed({(): first}, lambda state: chain.first, arithmetic)
    found = []
    for t in range(rounds):
        total = _sum(now)
        found.append((total.x, total.xx))
        done = {state: one.noted(weights[t]).after(maps(t, state)) for state, one in now.items()}
        now = done if t + 1 == rounds else _mixed(done, chain.following, arithmetic)
    last = _sum(now).noted(weights[rounds])
    found.append((last.x, last.xx))
    each = Spread(np.stack([x for x, _ in found]), np.stack([_diagonal(*one) for one in found]))
    return each, Spread(last.y, _diagonal(last.y, last.yy))


def row_of(shares: Sequence[Fraction], arithmetic: Arithmetic) -> Array:
    """Shares as a row of numbers; exact ones may have roots."""
    return np.array(shares, dtype=object) if arithmetic is RATIONAL else arithmetic.rows(shares)


def _sum(parts: Mapping[State, Known]) -> Known:
    return reduce(Known.plus, parts.values())


def _mixed(
    parts: Mapping[State, Known], chances: Callable[[State], Chances], arithmetic: Arithmetic
) -> dict[State, Known]:
    """What is known given the next state."""
    found: dict[State, Known] = {}
    for state, known in parts.items():
        for other, chance in chances(state).items():
            if chance:
                part = known if chance == 1 else known.times(arithmetic.rows([chance])[0])
                found[other] = found[other].plus(part) if other in found else part
    return found


def _diagonal(mean: Array, square: Array) -> Array:
    """The covariance of coordinates of which only their own variances are asked for."""
    size = len(mean)
    table = np.zeros((size, size), dtype=mean.dtype)
    table[range(size), range(size)] = square - mean * mean
    return table
