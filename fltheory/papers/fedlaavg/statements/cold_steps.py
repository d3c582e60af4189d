"""Eq. (27) and (30) in the iterations before all clients have taken part."""

from fltheory.claims.claim import Claim, Severity, UpperBound
from fltheory.papers.fedlaavg.paper import GAMMA, G, I, L, read
from fltheory.papers.fedlaavg.statements.steps import COLD, ONE, WORDS, X, rearranged

CLAIMS = (
    Claim(
        id="fedlaavg.eq27.cold",
        source=read(
            "Eq. (27)",
            "The proof fixes any t >= 1, so the equation is meant from the first iteration on, with"
            " x^{-1} read as x^0.",
            "From the iteration on in which all clients have taken part: fedlaavg.eq27.",
        ),
        where=WORDS,
        says=(
            "From the first iteration on, the mean latest gradient is within gamma I L G of the"
            " oldest one."
        ),
        statement=UpperBound(X["squared_spread"], (I * L * GAMMA * G) ** 2),
        assumes=COLD,
        note=(
            "The proof fixes any t >= 1, but a client that has not taken part contributes g_i^0 ="
            " 0, not a gradient."
        ),
        severity=Severity.HYPOTHESIS,
    ),
    Claim(
        id="fedlaavg.eq30.cold",
        source=read(
            "Eq. (30)",
            "The proof fixes any t >= 1, so the equation is meant from the first iteration on, with"
            " x^{-1} read as x^0.",
            "From the iteration on in which all clients have taken part: fedlaavg.eq30.",
        ),
        where=WORDS,
        says=(
            "From the first iteration on, the oldest squared gradient is bounded by the decrease of"
            " the loss, noise and staleness."
        ),
        statement=rearranged(ONE, I),
        assumes=COLD,
        note=(
            "So the proof of Theorem 3 has a gap in the rounds before all clients have taken part;"
            " the theorem holds by another argument."
        ),
        severity=Severity.HYPOTHESIS,
    ),
)
