"""Space: a family of instances of a claim, drawn by choices."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.core.errors import InvalidInput

Draw = Callable[[Choices, Claim], Instance]
"""Make an instance from choices; it rejects an instance that violates a printed assumption, and
imposes no unstated assumption."""


@dataclass(frozen=True)
class Space:
    """A family of instances: the symbols that get exact values, and how an instance is drawn.

    It serves a claim whose symbols are among `symbols` and whose id matches one of the patterns
    `claims`, if there are any (symbols outside the vocabulary mean different things in different
    claims, so a space that has such symbols names its claims). For an Order claim the drawn values
    are formulas in SCALE (see fltheory.claims.spaces.choices).
    """

    id: str
    says: str
    symbols: frozenset[str]
    draw: Draw
    claims: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.id or not self.says.endswith("."):
            raise InvalidInput(
                f"space {self.id!r}",
                "have an id and a sentence that ends with a full stop",
                repr(self.says),
            )
        object.__setattr__(self, "symbols", frozenset(self.symbols))

    def names(self, claim: Claim) -> bool:
        """Is the claim one of those that this space is about?"""
        return not self.claims or any(fnmatchcase(claim.id, pattern) for pattern in self.claims)

    def serves(self, claim: Claim) -> bool:
        """Can this space give a value to every symbol of the claim?"""
        return self.names(claim) and {symbol.name for symbol in claim.symbols} <= self.symbols


def without_meaning(claim: Claim, spaces: Iterable[Space]) -> list[str]:
    """Symbols of the claim to which none of the given spaces that name it assigns a value."""
    known: set[str] = set()
    for space in spaces:
        if space.names(claim):
            known |= space.symbols
    return sorted({symbol.name for symbol in claim.symbols} - known)
