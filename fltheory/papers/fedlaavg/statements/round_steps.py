"""Eq. (41)-(51): the one-iteration inequalities behind Theorem 4, with C local steps and virtual
iterates."""

import sympy

from fltheory.claims.claim import (
    Claim,
    Identity,
    LowerBound,
    Severity,
    Statement,
    UpperBound,
    letter,
)
from fltheory.papers.fedlaavg.paper import (
    BOUNDED,
    GAMMA,
    METHOD,
    NOISE,
    OBLIVIOUS,
    ROUND_WORDS,
    SAMPLES,
    SMOOTH,
    STEP_BELOW_HALF,
    WARM,
    WINDOW,
    C,
    G,
    I,
    L,
    corrected,
    printed,
    read,
)
from fltheory.papers.fedlaavg.statements.formulas import EQUATIONS
from fltheory.papers.fedlaavg.statements.steps import (
    GIVEN,
    SMOOTH_STEP,
    THREE_PARTS,
    WORDS,
    X,
    descent,
    latest_drift,
    move_bound,
    noise_term,
    rearranged,
    slope_sum,
    summed,
)

ASSUMES = (METHOD, SMOOTH, NOISE, SAMPLES, BOUNDED, WINDOW, STEP_BELOW_HALF, WARM, OBLIVIOUS)
SPREAD = sympy.Max(I * C, 2 * (C - 1))
HALF_SUM = (X["squared_old_gradient"] + X["squared_latest_mean"]) / 2
DRIFT_NOTE = (
    "False because the points of the local gradients are not the virtual iterates: clients drift"
    " apart by up to 2(C-1) gamma G within a round. The repair replaces I C by max(I C, 2 (C - 1)),"
    " the same once I >= 2."
)


def _claim(number: str, says: str, statement: Statement, note: str = "") -> Claim:
    return Claim(
        id=f"fedlaavg.eq{number}",
        source=printed(f"Eq. ({number})", EQUATIONS[number]),
        says=GIVEN + says,
        statement=statement,
        assumes=ASSUMES,
        where=WORDS,
        note=note,
        severity=Severity.THEOREM if note == DRIFT_NOTE else None,
    )


def _repair(number: str, says: str, statement: Statement) -> Claim:
    place = f"Eq. ({number}) with client drift: max(I C, 2 (C - 1)) for I C"
    return Claim(
        id=f"fedlaavg.eq{number}.corrected",
        source=corrected(place),
        says=GIVEN + says,
        statement=statement,
        assumes=ASSUMES,
        where=WORDS,
        corrects=f"fedlaavg.eq{number}",
    )


CLAIMS = (
    _claim(
        "41",
        "smoothness bounds the new loss by the old one, the virtual move and the slope along it.",
        SMOOTH_STEP,
    ),
    _claim(
        "42",
        "the squared virtual move is at most twice the noise's part plus twice the mean latest"
        " gradient's part.",
        move_bound(),
    ),
    _claim(
        "43",
        "the slope along the virtual move splits into a noise part, a drift part and the oldest"
        " gradient's part.",
        THREE_PARTS,
    ),
    _claim(
        "44",
        "the noise part of the slope is of order 1/sqrt N.",
        UpperBound(-GAMMA * X["drift_times_noise"], noise_term(C)),
    ),
    _claim(
        "45",
        "the drift part of the slope, with a plus sign as printed, is bounded by staleness and the"
        " mean latest gradient.",
        latest_drift(1, C),
        note="The proof needs the minus sign; both hold, by the inequality of Cauchy and Schwarz.",
    ),
    Claim(
        id="fedlaavg.eq45.corrected",
        source=corrected("Eq. (45) with the minus sign that (43) needs"),
        corrects="fedlaavg.eq45",
        says=GIVEN
        + "the drift part of the slope is bounded by staleness and the mean latest gradient.",
        statement=latest_drift(-1, C),
        assumes=ASSUMES,
        where=WORDS,
    ),
    _claim(
        "46",
        "the oldest gradient's part is at least half the two squared norms less the staleness"
        " term.",
        LowerBound(X["old_times_update"], HALF_SUM - (I * L * C * GAMMA * G) ** 2 / 2),
        DRIFT_NOTE,
    ),
    Claim(
        id="fedlaavg.eq46.equality",
        source=read(
            "Eq. (46), step (b)",
            "The sign is =, as the text at hand has it, which was read by a machine.",
            "The sign is >=, as eq. (47) uses it: false as well, for another reason"
            " (fedlaavg.eq46).",
        ),
        assumes=ASSUMES,
        where=WORDS,
        says=(
            "The oldest gradient's part is exactly half the two squared norms less the staleness"
            " term."
        ),
        statement=Identity(X["old_times_update"], HALF_SUM - (I * L * C * GAMMA * G) ** 2 / 2),
        note=(
            "Eq. (27) bounds the distance of the two gradients from above only, so the sign must be"
            " >=, as the next line uses it."
        ),
        severity=Severity.READING,
    ),
    _repair(
        "46",
        "the oldest gradient's part is at least half the two squared norms less the drift term.",
        UpperBound(HALF_SUM - X["old_times_update"], (SPREAD * L * GAMMA * G) ** 2 / 2),
    ),
    _claim(
        "47",
        "the slope along the virtual move is bounded by (44)-(46).",
        slope_sum(C, I * C),
        DRIFT_NOTE,
    ),
    _repair(
        "47",
        "the slope along the virtual move is bounded by (44), (45) and the repaired (46).",
        slope_sum(C, SPREAD),
    ),
    _claim(
        "48",
        "the loss decreases by gamma/2 times the oldest squared gradient, up to noise and"
        " staleness.",
        descent(C, I * C),
        DRIFT_NOTE,
    ),
    _repair(
        "48",
        "the loss decreases by gamma/2 times the oldest squared gradient, up to noise, staleness"
        " and drift.",
        descent(C, SPREAD),
    ),
    _claim(
        "49",
        "the oldest squared gradient is bounded by the decrease of the loss, noise and staleness.",
        rearranged(C, I * C),
        DRIFT_NOTE,
    ),
    _repair(
        "49",
        "the oldest squared gradient is bounded by the decrease of the loss, noise, staleness and"
        " drift.",
        rearranged(C, SPREAD),
    ),
    Claim(
        id="fedlaavg.eq50",
        source=printed(
            "Eq. (50)",
            "(1/(RC)) sum E|grad f(x^{T^t-1})|^2 <= 2 gamma sigma^2 L/N + gamma ICL(G^2 + "
            "sigma^2)/sqrt N + gamma^2 I^2 C^2 L^2 G^2/(1 - 2 gamma L) + gamma^2 I^2 C^2 L^2 G^2 "
            "+ (2/(gamma RC))(E f(x^0) - E f(x*))",
        ),
        assumes=ASSUMES,
        where=WORDS | ROUND_WORDS,
        statement=summed(C, I * C),
        note=DRIFT_NOTE,
        says=(
            "On average over a run, the oldest squared gradient is bounded by the initial loss gap,"
            " noise and staleness."
        ),
        severity=Severity.THEOREM,
    ),
    Claim(
        id="fedlaavg.eq50.corrected",
        source=corrected("Eq. (50) with client drift: max(I C, 2 (C - 1)) for I C"),
        assumes=ASSUMES,
        where=WORDS | ROUND_WORDS,
        statement=summed(C, SPREAD),
        corrects="fedlaavg.eq50",
        says=(
            "On average over a run, the oldest squared gradient is bounded by the initial loss gap,"
            " noise, staleness and drift."
        ),
    ),
    _claim(
        "51",
        "the squared gradient at the end of the round is at most twice the round's mean oldest one"
        " plus a staleness term.",
        UpperBound(
            X["squared_end_gradient"],
            2 * (GAMMA * (I + 1) * C * L * G) ** 2 + 2 * X["mean_squared_old_gradient"],
        ),
    ),
    Claim(
        id="fedlaavg.eq51.age",
        source=printed(
            "Before eq. (51): r^t C - T^t <= (I+1) C",
            "t - T^t <= IC, thus r^t C - T^t <= (I + 1) C",
        ),
        where=WORDS
        | {"age_at_round_end": "largest r C minus the index of an oldest gradient used in round r"},
        says="At the end of a round no gradient used in it is older than (I + 1) C iterations.",
        statement=UpperBound(letter("age_at_round_end"), (I + 1) * C),
        note="Indeed (I + 1) C - 1, which is attained.",
    ),
)
