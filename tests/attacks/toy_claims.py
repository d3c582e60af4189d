"""Small claims about two numbers, true and false."""

from dataclasses import replace
from typing import Any

import sympy

from fltheory.claims.claim import Claim
from fltheory.papers import find_claim

X, Y = sympy.symbols("x y", positive=True)


def claim_of(statement: Any, **fields: Any) -> Claim:
    base = find_claim("fedlaavg.cor1.order")
    where = {"x": "a number", "y": "a number", "hidden": "no space knows it"}
    return replace(
        base,
        id="fedlaavg.planted",
        statement=statement,
        where=where,
        assumes=(),
        special_cases=(),
        **fields,
    )
