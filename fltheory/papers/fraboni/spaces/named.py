"""Search spaces that name the claims they are about."""

from collections.abc import Callable
from functools import cache

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.claims.spaces.space import Draw, Space
from fltheory.papers import find_claim


@cache
def symbols_of(claims: str) -> frozenset[str]:
    """The symbols of these claims, which stand without the paper's key, separated by blanks."""
    found = (find_claim(f"fraboni.{claim}") for claim in claims.split())
    return frozenset(symbol.name for claim in found for symbol in claim.symbols)


def space_of(name: str, says: str, draw: Draw, claims: str, *, more: str = "") -> Space:
    """A space for the named claims, which gives a value to all their symbols, and to more."""
    return Space(
        f"fraboni.{name}",
        says,
        symbols_of(claims) | frozenset(more.split()),
        draw,
        tuple(f"fraboni.{claim}" for claim in claims.split()),
    )


def space_of_values(
    name: str, says: str, draw: Callable[[Choices, Claim], Drawn], claims: str
) -> Space:
    """A space whose instances are only values."""
    return space_of(name, says, lambda choices, claim: Instance(draw(choices, claim)), claims)
