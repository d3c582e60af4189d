"""Appendix C: the increment of V and eq. (12)."""

from fltheory.claims.claim import Claim, Identity, Severity, UpperBound
from fltheory.papers.afl.paper import printed, repaired
from fltheory.papers.afl.statements.memory import (
    DROPPED,
    DROPPED_RIGHT,
    FALL,
    INCREMENT,
    LOSS,
    LOSS_CHANGE,
    MIDDLE,
    NEWEST,
    PLACES,
)

CLAIMS = (
    Claim(
        "afl.thm4.increment",
        printed(
            "Appendix C, increment of V",
            "... + beta_0 |x_{t+1} - x_t|^2 - beta_{tau-1} |x_{t-tau-1} - x_{t-tau-2}|^2",
        ),
        "The increment of V ends with - beta_{tau-1} |x_{t-tau-1} - x_{t-tau-2}|^2.",
        Identity(INCREMENT, LOSS_CHANGE + MIDDLE + NEWEST - DROPPED),
        where=PLACES,
        severity=Severity.SLIP,
    ),
    Claim(
        "afl.thm4.increment.corrected",
        repaired("Appendix C, increment of V"),
        "The increment of V ends with - beta_{tau-1} |x_{t-tau+1} - x_{t-tau}|^2.",
        Identity(INCREMENT, LOSS_CHANGE + MIDDLE + NEWEST - DROPPED_RIGHT),
        where=PLACES,
        corrects="afl.thm4.increment",
    ),
    Claim(
        "afl.thm4.eq12",
        printed(
            "Appendix C, eq. (12)",
            "E[f(x_{t+1})] - f(x_t) <= f(x_t) - (g/2)|grad f(x_t)|^2 - (1/(2g)) E|x_{t+1} - "
            "x_t|^2 + ...",
        ),
        "The change of the loss in a round is at most the loss itself plus the other terms.",
        UpperBound(LOSS_CHANGE, LOSS + FALL),
        where=PLACES,
        note="f(x_t) was subtracted on the left and kept on the right.",
        severity=Severity.SLIP,
    ),
)
