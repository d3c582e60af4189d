"""Spaces whose symbols are listed in one line, and spaces whose draw yields values only."""

from collections.abc import Callable

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.space import Draw, Space
from fltheory.core.types import Scalar

Drawn = dict[str, Scalar]
"""Values of a claim's symbols by name, as a space draws them."""


def space_of(name: str, says: str, symbols: str, draw: Draw, claims: tuple[str, ...]) -> Space:
    """A space; `symbols` lists the names of its symbols, separated by blanks.

    >>> sorted(space_of("runs", "Any run.", "num_rounds num_clients", print, ("afl.cor1",)).symbols)
    ['num_clients', 'num_rounds']
    """
    return Space(name, says, frozenset(symbols.split()), draw, claims)


def given(
    says: str, symbols: str, claims: tuple[str, ...], draw: Callable[[Choices, Claim], Drawn]
) -> Space:
    """The space of the values that `draw` makes, named after the first claim that it is about.

    >>> one = lambda choices, claim: {"distance": 1}
    >>> given("One model.", "distance", ("afl.asm1", "afl.asm3"), one).id
    'afl asm1'
    """

    def instance(choices: Choices, claim: Claim) -> Instance:
        values = draw(choices, claim)
        told = (f"{name.replace('_', ' ')} {value}" for name, value in values.items())
        return Instance(values, ", ".join(told))

    return space_of(claims[0].replace(".", " ", 1), says, symbols, instance, claims)
