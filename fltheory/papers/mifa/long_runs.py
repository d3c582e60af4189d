"""Runs of MIFA that can be followed for ever: availability that reacts to the noise, and what it leaves."""

import sympy

from fltheory.claims import Claim, LowerBound, Source, letter
from fltheory.papers.mifa.paper import PAPER

CLAIMS = (
    Claim(
        id="mifa.adaptive.mean",
        source=Source(PAPER, "Theorems 5.1 and 6.1, availability that reacts to the noise", as_printed=False),
        says="A device that skips one round after positive noise keeps the mean of MIFA's model at least 1/3 below the optimum for ever.",
        statement=LowerBound(letter("mean_shortfall"), sympy.Rational(1, 3)),
        where={"mean_shortfall": "-E w_t on f = w^2/2 with noise +-1, from w_1 = -1, with step sizes that do not grow and are at most 1/2"},
        note="Positive noise is used twice and negative noise once, so the noise that is used has the mean 1/3.",
    ),
)
