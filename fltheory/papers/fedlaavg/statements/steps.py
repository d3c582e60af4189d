"""Eq. (21)-(32): the one-iteration inequalities behind Theorem 3.

Terms with a minus sign stand on the left, so that the right sides are positive.
"""

import sympy

from fltheory.claims.claim import Assumption, Claim, Identity, Severity, UpperBound, letter
from fltheory.papers.fedlaavg.paper import (
    BOUNDED,
    GAMMA,
    METHOD,
    NOISE,
    OBLIVIOUS,
    ONE_STEP,
    SAMPLES,
    SIGMA,
    SMOOTH,
    STALENESS_WORDS,
    STEP_BELOW_HALF,
    WARM,
    WINDOW,
    B,
    G,
    I,
    L,
    N,
    T,
    corrected,
    printed,
    read,
)
from fltheory.papers.fedlaavg.statements.formulas import EQUATIONS

EXPECTATIONS = {
    "loss_before": "E f(x^{t-1})",
    "loss_after": "E f(x^t)",
    "squared_move": "E |x^t - x^{t-1}|^2",
    "slope_along_move": "E <grad f(x^{t-1}), x^t - x^{t-1}>",
    "squared_gradient": "E |grad f(x^{t-1})|^2",
    "squared_old_gradient": "E |grad f(x^{T-1})|^2, T = min_i T_i^t the oldest gradient in use",
    "squared_latest_mean": "E |(1/N) sum_i grad f_i|^2 at the points of the latest gradients",
    "sum_of_noises": "sum_i E |n_i|^2, n_i the noise of client i's latest gradient",
    "noise_of_sum": "E |sum_i n_i|^2",
    "squared_noise_mean": "E |(1/N) sum_i n_i|^2",
    "drift_times_noise": "E <grad f(x^{t-1}) - grad f(x^{T-1}), (1/N) sum_i n_i>",
    "drift_times_latest": (
        "E <grad f(x^{t-1}) - grad f(x^{T-1}), (1/N) sum_i grad f_i at the points of the latest"
        " gradients>"
    ),
    "squared_drift": "E |grad f(x^{t-1}) - grad f(x^{T-1})|^2",
    "old_times_update": "E <grad f(x^{T-1}), (1/N) sum_i (latest stochastic gradients)>",
    "now_times_update": "E <grad f(x^{t-1}), (1/N) sum_i (latest stochastic gradients)>",
    "squared_spread": (
        "E |grad f(x^{T-1}) - (1/N) sum_i grad f_i at the points of the latest gradients|^2"
    ),
    "squared_end_gradient": "E |grad f(x^{rC-1})|^2, r the round of iteration t",
    "mean_squared_old_gradient": "average over the iterations of round r of E |grad f(x^{T-1})|^2",
    "overall_squared_old_gradient": "average over all iterations of E |grad f(x^{T-1})|^2",
    "mean_squared_end_gradient": "(1/R) sum E|grad f(x^{rC-1})|^2, average over the rounds",
}
WORDS = EXPECTATIONS | STALENESS_WORDS
X = {name: letter(name) for name in EXPECTATIONS}

ASSUMES = (
    METHOD,
    SMOOTH,
    NOISE,
    SAMPLES,
    BOUNDED,
    WINDOW,
    STEP_BELOW_HALF,
    ONE_STEP,
    WARM,
    OBLIVIOUS,
)
COLD = tuple(assumption for assumption in ASSUMES if assumption is not WARM)
GIVEN = "In every iteration once all clients have taken part, "


def noise_term(steps: sympy.Expr) -> sympy.Expr:
    """gamma^2 I C L (G^2 + sigma^2)/(2 sqrt N), eq. (24) and (44)."""
    return GAMMA**2 * I * steps * L * (G**2 + SIGMA**2) / (2 * sympy.sqrt(N))


def drift_term(steps: sympy.Expr) -> sympy.Expr:
    """gamma^3 I^2 C^2 L^2 G^2 / (2 (1 - 2 gamma L)), eq. (25) and (45)."""
    return GAMMA**3 * I**2 * steps**2 * L**2 * G**2 / (2 * (1 - 2 * GAMMA * L))


def slope_sum(steps: sympy.Expr, spread: sympy.Expr) -> UpperBound:
    """Eq. (28) and (47); `spread` is the largest distance, in steps, between points of the latest
    gradients."""
    left = (
        X["slope_along_move"]
        + GAMMA**2 * L * X["squared_latest_mean"]
        + GAMMA / 2 * X["squared_old_gradient"]
    )
    return UpperBound(
        left, noise_term(steps) + drift_term(steps) + GAMMA**3 * spread**2 * L**2 * G**2 / 2
    )


def descent(steps: sympy.Expr, spread: sympy.Expr) -> UpperBound:
    """Eq. (29) and (48)."""
    left = X["loss_after"] - X["loss_before"] + GAMMA / 2 * X["squared_old_gradient"]
    return UpperBound(left, GAMMA**2 * SIGMA**2 * L / N + slope_sum(steps, spread).right)


def rearranged(steps: sympy.Expr, spread: sympy.Expr) -> UpperBound:
    """Eq. (30) and (49)."""
    left = X["squared_old_gradient"] - 2 / GAMMA * (X["loss_before"] - X["loss_after"])
    return UpperBound(left, 2 / GAMMA * descent(steps, spread).right)


def summed(steps: sympy.Expr, spread: sympy.Expr) -> UpperBound:
    """Eq. (31) and (50)."""
    return UpperBound(
        X["overall_squared_old_gradient"],
        rearranged(steps, spread).right + 2 * B / (GAMMA * T * steps),
    )


def move_bound() -> UpperBound:
    """Eq. (22) and (42)."""
    return UpperBound(
        X["squared_move"], 2 * GAMMA**2 * SIGMA**2 / N + 2 * GAMMA**2 * X["squared_latest_mean"]
    )


def latest_drift(sign: int, steps: sympy.Expr) -> UpperBound:
    """Eq. (25) and (45)."""
    right = drift_term(steps) + GAMMA * (1 - 2 * GAMMA * L) / 2 * X["squared_latest_mean"]
    return UpperBound(sign * GAMMA * X["drift_times_latest"], right)


SMOOTH_STEP = UpperBound(
    X["loss_after"], X["loss_before"] + L / 2 * X["squared_move"] + X["slope_along_move"]
)
THREE_PARTS = Identity(
    X["slope_along_move"],
    -GAMMA * (X["drift_times_noise"] + X["drift_times_latest"] + X["old_times_update"]),
)
POLARISED = (X["squared_old_gradient"] + X["squared_latest_mean"] - X["squared_spread"]) / 2
ONE = sympy.S.One


def _claim(
    number: str,
    says: str,
    statement: Identity | UpperBound,
    note: str = "",
    assumes: tuple[Assumption, ...] = ASSUMES,
) -> Claim:
    return Claim(
        id=f"fedlaavg.eq{number}",
        source=printed(f"Eq. ({number})", EQUATIONS[number]),
        says=GIVEN + says,
        statement=statement,
        assumes=assumes,
        where=WORDS,
        note=note,
    )


CLAIMS = (
    _claim(
        "21",
        "smoothness bounds the new loss by the old one, the move and the slope along it.",
        SMOOTH_STEP,
    ),
    _claim(
        "22",
        "the squared move is at most twice the noise's part plus twice the mean latest gradient's"
        " part.",
        move_bound(),
    ),
    Claim(
        id="fedlaavg.eq22.d",
        source=read(
            "Eq. (22), step (d)",
            "The sign is =, as the text at hand has it, which was read by a machine: in eq. (24) it"
            " has a sign of inclusion.",
            "The sign is <=, as Assumption 2 gives it: true, fedlaavg.eq22.d.corrected.",
        ),
        says="The noise of the latest gradients adds up to exactly 2 gamma^2 sigma^2 / N.",
        statement=Identity(2 * GAMMA**2 / N**2 * X["sum_of_noises"], 2 * GAMMA**2 * SIGMA**2 / N),
        assumes=ASSUMES,
        where=WORDS,
        note="Assumption 2 bounds the variance from above only, so the sign must be <=.",
        severity=Severity.READING,
    ),
    Claim(
        id="fedlaavg.eq22.d.corrected",
        source=corrected("Eq. (22), step (d), as an inequality"),
        corrects="fedlaavg.eq22.d",
        says="The noise of the latest gradients adds up to at most 2 gamma^2 sigma^2 / N.",
        statement=UpperBound(2 * GAMMA**2 / N**2 * X["sum_of_noises"], 2 * GAMMA**2 * SIGMA**2 / N),
        assumes=ASSUMES,
        where=WORDS,
    ),
    _claim(
        "23",
        "the slope along the move splits into a noise part, a drift part and the oldest gradient's"
        " part.",
        THREE_PARTS,
    ),
    _claim(
        "24",
        "the noise part of the slope is of order 1/sqrt N.",
        UpperBound(-GAMMA * X["drift_times_noise"], noise_term(ONE)),
        note="The proof divides by I; for I = 0 both sides are 0.",
    ),
    _claim(
        "25",
        "the drift part of the slope is bounded by staleness and the mean latest gradient.",
        latest_drift(-1, ONE),
    ),
    _claim(
        "26",
        "the oldest gradient's part is given by three squared norms, because the noise has mean"
        " zero.",
        Identity(X["old_times_update"], POLARISED),
    ),
    _claim(
        "27",
        "the mean latest gradient is within gamma I L G of the oldest one.",
        UpperBound(X["squared_spread"], (I * L * GAMMA * G) ** 2),
    ),
    _claim("28", "the slope along the move is bounded by (24), (25) and (27).", slope_sum(ONE, I)),
    _claim(
        "29",
        "the loss decreases by gamma/2 times the oldest squared gradient, up to noise and"
        " staleness.",
        descent(ONE, I),
    ),
    _claim(
        "30",
        "the oldest squared gradient is bounded by the decrease of the loss, noise and staleness.",
        rearranged(ONE, I),
    ),
    Claim(
        id="fedlaavg.eq31",
        source=printed(
            "Eq. (31)",
            "(1/T) sum E|grad f(x^{T^t-1})|^2 <= 2 gamma sigma^2 L/N + gamma I L(G^2 + "
            "sigma^2)/sqrt N + gamma^2 I^2 L^2 G^2/(1 - 2 gamma L) + gamma^2 I^2 L^2 G^2 + "
            "(2/(gamma T))(E f(x^0) - E f(x*))",
        ),
        assumes=ASSUMES,
        where=WORDS,
        says=(
            "On average over a run, the oldest squared gradient is bounded by the initial loss gap,"
            " noise and staleness."
        ),
        statement=summed(ONE, I),
        note=(
            "Before all clients have taken part, x^{T-1} is not defined and the proof has a gap;"
            " Theorem 3 itself holds all the same."
        ),
    ),
    _claim(
        "32",
        "the squared gradient is at most twice the oldest one plus a staleness term.",
        UpperBound(
            X["squared_gradient"], 2 * (GAMMA * I * L * G) ** 2 + 2 * X["squared_old_gradient"]
        ),
    ),
)
