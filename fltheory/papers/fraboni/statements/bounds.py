"""The explicit right sides of Theorems 1 and 3, as Appendix A proves them: printed constants and
corrected ones."""

from fltheory.papers.fraboni.paper import (
    ALPHA,
    BETA,
    DELAYED_STEP,
    DRIFT_SQUARED,
    KAPPA,
    LOCAL,
    MEAN_TOTAL,
    NOISE,
    NOISE1,
    NOISE2,
    REPEATS,
    RHO,
    SPREAD,
    STALENESS,
    START,
    STEP,
    B,
    K,
    L,
    N,
    W,
    word,
)

FIRST_TERM = START / (STEP * K * N)
"""epsilon_F."""

PRINTED = (
    FIRST_TERM
    + 4 * DRIFT_SQUARED * SPREAD
    + 6 * RHO * LOCAL**2 * (K - 1) ** 2 * L * NOISE1
    + 12 * RHO * (2 * ALPHA + BETA) * DELAYED_STEP * L * SPREAD
    + 3 * RHO**2 * (ALPHA * DRIFT_SQUARED + 2 * BETA) * DELAYED_STEP * NOISE1
    + 6 * RHO**2 * ALPHA * DELAYED_STEP * NOISE2
)
"""epsilon_F + epsilon_K + epsilon_alpha + epsilon_beta of Theorem 1, with the constants of A.4."""

_LATE = DELAYED_STEP - STEP
CORRECTED = (
    FIRST_TERM
    + 4 * KAPPA * DRIFT_SQUARED * SPREAD
    + 12 * KAPPA * RHO * LOCAL**2 * (K - 1) ** 2 * L * NOISE1
    + 12 * RHO * L * SPREAD * ((2 * ALPHA + REPEATS * BETA) * STEP + (2 * ALPHA + BETA) * _LATE)
    + 6
    * RHO**2
    * NOISE1
    * (
        (ALPHA * KAPPA * DRIFT_SQUARED + REPEATS * BETA) * STEP
        + (ALPHA * KAPPA * DRIFT_SQUARED + BETA) * _LATE
    )
    + 6 * RHO**2 * ALPHA * DELAYED_STEP * NOISE2
)
"""The same with the constants that the proof supports, and beta times K where participants are
chosen at random."""

WINDOW_TERM = MEAN_TOTAL * STEP * K * (W - 1) * B**2
"""epsilon_W."""
LARGEST_WEIGHT = word(
    "largest_weight",
    "max q_i(n), the largest expected weight of a client in a round",
    nonnegative=True,
)
_AGED = STEP + STEP**2 * K**2 * STALENESS**2
ORDER = (
    FIRST_TERM
    + LOCAL**2 * (K - 1) ** 2 * (SPREAD + NOISE1)
    + ALPHA * _AGED * (SPREAD + LARGEST_WEIGHT * NOISE)
    + BETA * _AGED * (SPREAD + NOISE)
)
"""Theorem 1 as its statement prints it, inside O(.)."""
ORDER_BEFORE_32 = (
    FIRST_TERM
    + LOCAL**2 * (K - 1) ** 2 * (SPREAD + NOISE1)
    + ALPHA * _AGED * (SPREAD + NOISE2)
    + BETA * _AGED * (SPREAD + NOISE1)
)
"""Eq. (31), inside O(.)."""
