"""Printed conditions as formulas, checked again on every instance that a space draws.

Most spaces make admissible instances by construction, and an instance that holds only values has no
run on which the assumptions of the claim could be decided. So the conditions that are formulas in
the symbols of the claims are stated here again, and an instance that violates one is rejected.
Along a path they are checked at a few scales.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import sympy

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.condition import Condition
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.claims.spaces.space import Draw, Space
from fltheory.core.enclosure import as_expression
from fltheory.core.types import Scalar, Values

SCALES = (1, 2, 1000)
"""The scales at which a path is checked."""

Conditions = Mapping[str, tuple[Condition, ...]]
"""Formulas, by the id of the assumption that they restate."""


def condition(text: str, left: Scalar, sign: str, right: Scalar) -> tuple[Condition, ...]:
    """One condition on symbols."""
    return (Condition(text, sympy.S.Zero + left, sign, sympy.S.Zero + right),)


def restated(conditions: Conditions, spaces: Iterable[Space]) -> tuple[Space, ...]:
    """The same spaces, with each instance checked again."""
    return tuple(replace(space, draw=_rechecked(space.draw, conditions)) for space in spaces)


def _rechecked(draw: Draw, conditions: Conditions) -> Draw:
    def drawn(choices: Choices, claim: Claim) -> Instance:
        instance = draw(choices, claim)
        for name, holds in decided(conditions, claim, instance.values):
            choices.require(holds, name)
        return instance

    return drawn


def decided(
    conditions: Conditions, claim: Claim, values: Values
) -> Iterator[tuple[str, bool | None]]:
    """Every printed condition of the claim whose symbols all have values: its name, and whether it
    holds."""
    for assumption in claim.assumes:
        for condition in conditions.get(assumption.id, ()) if assumption.stated else ():
            names = {s.name for s in condition.symbols}
            if names <= set(values):
                yield (
                    assumption.id,
                    _holds(condition, {name: as_expression(values[name]) for name in names}),
                )


def _holds(condition: Condition, values: Mapping[str, sympy.Expr]) -> bool | None:
    if not any(value.has(SCALE) for value in values.values()):
        return condition(values)
    return all(
        condition({name: evaluate(value, {SCALE.name: scale}) for name, value in values.items()})
        for scale in SCALES
    )
