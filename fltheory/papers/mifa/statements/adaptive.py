"""Theorems 5.1 and 6.1 read for availability that reacts to the gradient noise."""

import sympy

from fltheory.claims.claim import Claim, Order, Source
from fltheory.papers.mifa.paper import INITIAL_GAP, PAPER
from fltheory.papers.mifa.printed import located
from fltheory.papers.mifa.statements import nonconvex, strongly_convex
from fltheory.papers.mifa.statements.nonconvex import BOUND_OF_THEOREM, LETTERS, SQUARED_GRADIENT
from fltheory.papers.mifa.statements.strongly_convex import (
    FIRST_TERM,
    GAP_OF_AVERAGE,
    SECOND_TERM,
)

CLAIMS = located(
    Claim(
        id="mifa.thm5.1.adaptive",
        source=Source(PAPER, "Theorem 5.1 and Section 1"),
        says=(
            "Theorem 5.1 holds for availability that reacts to the gradient noise, with t0 at"
            " least 1."
        ),
        statement=Order(
            GAP_OF_AVERAGE, FIRST_TERM + SECOND_TERM.subs(INITIAL_GAP, sympy.Max(1, INITIAL_GAP))
        ),
        assumes=strongly_convex.HYPOTHESES,
        note="See mifa.adaptive.mean: a device that skips a round after positive noise.",
    ),
    Claim(
        id="mifa.thm6.1.adaptive",
        source=Source(PAPER, "Theorem 6.1 and Section 1"),
        says="Theorem 6.1 holds for availability that reacts to the gradient noise.",
        statement=Order(SQUARED_GRADIENT, BOUND_OF_THEOREM),
        assumes=nonconvex.HYPOTHESES,
        where=LETTERS,
        note="See mifa.adaptive.mean: a device that skips a round after positive noise.",
    ),
)
