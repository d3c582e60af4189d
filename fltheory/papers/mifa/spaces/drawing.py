"""What the spaces of this paper draw alike: availability with everybody in the first round,
chances, constants, quadratics."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.claims.spaces.space import Space
from fltheory.core.types import Formula, Scalar
from fltheory.core.vocabulary import WORDS, Kind
from fltheory.papers.mifa.checks.staleness import Pattern
from fltheory.problems.quadratic import Quadratic

Numbers = dict[str, Fraction | int]
"""Values by name that are rational numbers."""

CHANCES = tuple(map(Fraction, ("1", "1/2", "1/3", "2/3", "1/4", "3/4", "1/10", "9/10", "1/100")))
KINDS = {word.name: word.kind for word in WORDS}


def pattern(choices: Choices, *, clients: int, rounds: int) -> Pattern:
    """Any availability after a first round of everybody; the simplest is everybody always."""
    later = [tuple(int(not choices.flag()) for _ in range(clients)) for _ in range(rounds - 1)]
    return ((1,) * clients, *later)


def chance(choices: Choices) -> Fraction:
    """A probability above 0, 1 included."""
    return choices.choice(CHANCES)


def constants(choices: Choices, names: Iterable[str]) -> Numbers:
    """Free values of quantities, such as their kind allows: counts small or large, other numbers of
    any size, 0 only where it may be."""
    values: Numbers = {}
    for name in sorted(names):
        kind = KINDS.get(name, Kind.POSITIVE)
        if kind is Kind.COUNT:
            values[name] = choices.whole(1, 5) * choices.choice([1, 10, 100])
        elif kind is Kind.INDEX:
            values[name] = choices.whole(0, 5)
        else:
            least = 1 if kind is Kind.POSITIVE else 0
            values[name] = choices.number(least, 5, max_denominator=3) * choices.power(most=2)
    return values


def quadratic(
    choices: Choices, *, clients: int, noise: bool = True, squares: bool = False
) -> Quadratic:
    """Clients h_i/2 (w - c_i)^2; with `squares` the ratio of largest to least curvature is a
    rational square, as MIFA's step sizes need."""
    scale = choices.choice([Fraction(1), Fraction(2), Fraction(1, 4), Fraction(3)])
    options: Sequence[Fraction | int] = (1, 2, Fraction(1, 2), 3, 5)
    if squares:
        options = (1, 4, Fraction(9, 4), 9)
    curvatures = [scale, *(scale * choices.choice(options) for _ in range(clients - 1))]
    if squares and (max(curvatures) / min(curvatures)) not in options:
        choices.reject("the step offset is rational")
    return Quadratic(
        curvatures,
        [choices.number(-3, 3, max_denominator=2) for _ in range(clients)],
        noise_squared=choices.whole(0, 3) ** 2 if noise else 0,
    )


def names_in(formula: Formula, more: str = "") -> frozenset[str]:
    """The symbols of a formula, and more names, separated by blanks."""
    return frozenset(symbol.name for symbol in formula.free_symbols) | frozenset(more.split())


def numbered(name: str, values: Iterable[Fraction]) -> dict[str, Scalar]:
    """Values under the names name_1, name_2, ...

    >>> numbered("centre", [Fraction(2)])
    {'centre_1': Fraction(2, 1)}
    """
    return {f"{name}_{i}": value for i, value in enumerate(values, start=1)}


def space_of(
    name: str,
    says: str,
    draw: Callable[[Choices, Claim], Instance],
    symbols: str | Iterable[str],
    claims: str,
) -> Space:
    """A space of this paper; symbols, and claims without the paper's key, are separated by
    blanks."""
    names = symbols.split() if isinstance(symbols, str) else symbols
    return Space(
        f"mifa.{name}",
        says,
        frozenset(names),
        draw,
        tuple(f"mifa.{claim}" for claim in claims.split()),
    )


def space_of_values(
    name: str,
    says: str,
    draw: Callable[[Choices, Claim], Drawn],
    symbols: str | Iterable[str],
    claims: str,
    *,
    told: str = "",
) -> Space:
    """A space whose instances are only values, each described by `told`."""
    return space_of(
        name, says, lambda choices, claim: Instance(draw(choices, claim), told), symbols, claims
    )
