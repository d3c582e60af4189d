"""A space whose draw yields values only: it is named after the first claim that it is about."""

from collections.abc import Callable

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.space import Space
from fltheory.core.types import Scalar

Drawn = dict[str, Scalar]
"""Values of a claim's symbols by name, as a space draws them."""


def given(
    says: str, names: str, claims: tuple[str, ...], draw: Callable[[Choices, Claim], Drawn]
) -> Space:
    """The space of the values that `draw` makes; `names` lists their symbols, separated by blanks.

    >>> given("One model.", "distance", ("afl.asm1", "afl.asm3"), lambda choices, claim: {"distance": 1}).id
    'afl asm1'
    """

    def instance(choices: Choices, claim: Claim) -> Instance:
        values = draw(choices, claim)
        told = (f"{name.replace('_', ' ')} {value}" for name, value in values.items())
        return Instance(values, ", ".join(told))

    return Space(claims[0].replace(".", " ", 1), says, frozenset(names.split()), instance, claims)
