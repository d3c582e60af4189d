"""The bound of Theorem 3 with the constants of each scheme, and the orders that Section 4 and
Appendix C print for it."""

import sympy

from fltheory.claims.claim import Assumption
from fltheory.papers.fraboni.hypotheses import condition
from fltheory.papers.fraboni.paper import (
    ALPHA,
    BETA,
    KAPPA,
    LOCAL,
    MEAN_TOTAL,
    NOISE,
    NOISE1,
    NOISE2,
    REPEATS,
    RHO,
    SERVER,
    SPREAD,
    STALENESS,
    START,
    B,
    K,
    L,
    M,
    N,
    W,
    word,
)
from fltheory.papers.fraboni.statements.bounds import CORRECTED, PRINTED, WINDOW_TERM

HARDWARE = word(
    "hardware_ratio",
    "tau_M / tau_1: how much slower the slowest client is than the fastest",
    positive=True,
)
CYCLE = word(
    "slowest_cycle",
    "ceil(tau_M / Delta t): windows per delivery of the slowest client",
    positive=True,
)

ROOT = 1 / sympy.sqrt(K * N)
_WHOLE = PRINTED + WINDOW_TERM
_RATE = {SERVER: 1, LOCAL: ROOT, MEAN_TOTAL: 1}
_CERTAIN, _PUNCTUAL = {ALPHA: 1, BETA: 0, NOISE1: NOISE}, {STALENESS: 0, RHO: 1}
_ALIKE = {SPREAD: 0, W: 1}
SYNC = _WHOLE.subs(_CERTAIN | _PUNCTUAL | _ALIKE | _RATE | {NOISE2: NOISE / M})
_LATE = {ALPHA: 0, BETA: HARDWARE, STALENESS: M * HARDWARE, RHO: HARDWARE, NOISE1: NOISE} | _RATE
_CYCLES = _CERTAIN | _RATE | {STALENESS: CYCLE, RHO: CYCLE, NOISE2: CYCLE * NOISE / M}
ASYNC, FIXED = _WHOLE.subs(_LATE), _WHOLE.subs(_CYCLES)
CENTRAL = _WHOLE.subs(_CERTAIN | _PUNCTUAL | _ALIKE | {SERVER: 1, MEAN_TOTAL: 1, NOISE2: NOISE})
BIASED = _WHOLE.subs(_CERTAIN | _PUNCTUAL | _RATE | {NOISE2: NOISE / M})
"""Theorem 3 for synchronous, asynchronous and FedFix clients, one client, and biased sampling."""

_SUPPORTED = (CORRECTED + WINDOW_TERM * MEAN_TOTAL).subs({KAPPA: RHO**2, REPEATS: 1} | _RATE)
ASYNC_SUPPORTED = _SUPPORTED.subs(
    {ALPHA: 0, BETA: HARDWARE, STALENESS: 2 * M * HARDWARE, RHO: HARDWARE}
)
FIXED_SUPPORTED = _SUPPORTED.subs({ALPHA: 1, BETA: 0, STALENESS: CYCLE, RHO: CYCLE})
BIASED_SUPPORTED = _SUPPORTED.subs({ALPHA: 1, BETA: 0} | _PUNCTUAL)
"""The right side of thm3.learning_rate instead, with the noise of the rounds as it is there, for
asynchronous and FedFix clients and biased sampling; kappa, the largest (q(n) - 1)^2, is at most
rho^2 for a server step of 1."""


def _allowed(weight: sympy.Expr, delay: sympy.Expr) -> Assumption:
    """eta_l = 1/sqrt(KN) is a learning rate that Theorem 1 allows."""
    least = 144**2 * K * L**2 * weight**4 * (delay + 1) ** 2
    return condition("horizon", "N is so large that eta_l = 1/sqrt(KN) is allowed", least <= N)


SYNC_HORIZON = _allowed(sympy.S.One, sympy.S.Zero)
ASYNC_HORIZON = _allowed(HARDWARE, 2 * M * HARDWARE)
FIXED_HORIZON = _allowed(CYCLE, CYCLE)

EQ11 = ROOT * START + (K - 1) / N * NOISE + ROOT * NOISE / M
_BOTH = SPREAD + NOISE
EQ13 = (
    ROOT * START
    + (K - 1) / N * NOISE
    + HARDWARE * ROOT * _BOTH
    + HARDWARE**3 * K / N * M**2 * _BOTH
    + ROOT * (W - 1)
)
EQ13_ALIKE = EQ13.subs({K: 1, W: 1, SPREAD: 0})
"""Eq. (13) for one local step and clients with the same data: all rounds have one objective."""
_ROUNDS = SPREAD + NOISE1
EQ13_CORRECTED = (
    ROOT * START
    + HARDWARE**3 * (K - 1) / N * _ROUNDS
    + HARDWARE**3 * ROOT * _ROUNDS
    + HARDWARE**6 * K / N * M**2 * _ROUNDS
    + sympy.sqrt(K / N) * (W - 1) * B**2
)
_PART = SPREAD + CYCLE * NOISE / M
EQ15 = ROOT * START + (K - 1) / N * _BOTH + (ROOT + K / N * CYCLE**2) * _PART + ROOT * (W - 1)
EQ15_CORRECTED = (
    ROOT * START
    + CYCLE**3 * (K - 1) / N * _ROUNDS
    + (CYCLE**2 * ROOT + CYCLE**5 * K / N) * (SPREAD + NOISE2)
    + sympy.sqrt(K / N) * (W - 1) * B**2
)
EQ34_CORRECTED = (
    ROOT * START + (K - 1) / N * _ROUNDS + ROOT * (SPREAD + NOISE2) + ROOT * (W - 1) * K * B**2
)
EQ33 = START / (LOCAL * K * N) + LOCAL * NOISE
SAMPLED = (
    SERVER * LOCAL * ALPHA * NOISE / M
    + LOCAL**2 * (K - 1) ** 2 * NOISE
    + SERVER * LOCAL * BETA * NOISE
)
SAMPLED_CORRECTED = SAMPLED + SERVER * LOCAL * (K - 1) * BETA * NOISE
SAMPLED_BOUND = (
    2 * SERVER * LOCAL * NOISE / M
    + sympy.Rational(33, 10) * LOCAL**2 * K * (K - 1) * L * NOISE
    + sympy.Rational(33, 16) * BETA * SERVER * LOCAL * K * NOISE
)
"""The right side of thm1.best as N grows, for clients of equal importance that are sampled in every
round, so that rho = 1, tau = 0, R = 0, Sigma_2 = Sigma/M; kappa is 1 for server steps up to 2."""
