"""What the spaces of this paper draw alike: availability with everybody in the first round,
chances, constants, quadratics."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.space import Space
from fltheory.core.vocabulary import WORDS, Kind
from fltheory.papers.mifa.checks.staleness import Pattern
from fltheory.problems.quadratic import Quadratic

Values = dict[str, Any]
KINDS = {word.name: word.kind for word in WORDS}


def pattern(choices: Choices, *, clients: int, rounds: int) -> Pattern:
    """Any availability after a first round of everybody; the simplest is everybody always."""
    later = [tuple(int(not choices.flag()) for _ in range(clients)) for _ in range(rounds - 1)]
    return ((1,) * clients, *later)


def chance(choices: Choices) -> Fraction:
    """A probability above 0, 1 included."""
    return choices.choice(
        [
            Fraction(1),
            Fraction(1, 2),
            Fraction(1, 3),
            Fraction(2, 3),
            Fraction(1, 4),
            Fraction(3, 4),
            Fraction(1, 10),
            Fraction(9, 10),
            Fraction(1, 100),
        ]
    )


def constants(choices: Choices, names: Iterable[str]) -> dict[str, Any]:
    """Free values of quantities, such as their kind allows: counts small or large, other numbers of
    any size, 0 only where it may be."""
    values: dict[str, Any] = {}
    for name in sorted(names):
        kind = KINDS.get(name, Kind.POSITIVE)
        if kind is Kind.COUNT:
            values[name] = choices.whole(1, 5) * choices.choice([1, 10, 100])
        elif kind is Kind.INDEX:
            values[name] = choices.whole(0, 5)
        else:
            values[name] = choices.number(
                1 if kind is Kind.POSITIVE else 0, 5, max_denominator=3
            ) * choices.power(most=2)
    return values


def quadratic(
    choices: Choices, *, clients: int, noise: bool = True, squares: bool = False
) -> Quadratic:
    """Clients h_i/2 (w - c_i)^2; with `squares` the ratio of largest to least curvature is a
    rational square, as MIFA's step sizes need."""
    scale = choices.choice([Fraction(1), Fraction(2), Fraction(1, 4), Fraction(3)])
    options = [1, 4, Fraction(9, 4), 9] if squares else [1, 2, Fraction(1, 2), 3, 5]
    curvatures = [scale, *(scale * choices.choice(options) for _ in range(clients - 1))]
    if squares and (max(curvatures) / min(curvatures)) not in options:
        choices.reject("the step offset is rational")
    return Quadratic(
        curvatures,
        [choices.number(-3, 3, max_denominator=2) for _ in range(clients)],
        noise_squared=choices.whole(0, 3) ** 2 if noise else 0,
    )


def space_of_values(
    name: str,
    says: str,
    symbols: str,
    draw: Callable[[Choices, Claim], Values],
    claims: tuple[str, ...],
) -> Space:
    """A space whose instances are only values."""
    return Space(
        name,
        says,
        frozenset(symbols.split()),
        lambda choices, claim: Instance(draw(choices, claim)),
        claims,
    )
