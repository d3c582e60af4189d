"""The bound of Theorem 3 with the constants of each scheme, and the orders that Section 4 and
Appendix C print for it."""

import sympy

from fltheory.papers.fraboni.paper import (
    ALPHA,
    BETA,
    LOCAL,
    MEAN_TOTAL,
    NOISE,
    NOISE1,
    NOISE2,
    RHO,
    SERVER,
    SPREAD,
    STALENESS,
    START,
    B,
    K,
    M,
    N,
    W,
    word,
)
from fltheory.papers.fraboni.statements.bounds import PRINTED, WINDOW_TERM

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
ASYNC = _WHOLE.subs(
    {ALPHA: 0, BETA: HARDWARE, STALENESS: M * HARDWARE, RHO: HARDWARE, NOISE1: NOISE} | _RATE
)
FIXED = _WHOLE.subs(_CERTAIN | _RATE | {STALENESS: CYCLE, RHO: CYCLE, NOISE2: CYCLE * NOISE / M})
CENTRAL = _WHOLE.subs(_CERTAIN | _PUNCTUAL | _ALIKE | {SERVER: 1, MEAN_TOTAL: 1, NOISE2: NOISE})
BIASED = _WHOLE.subs(_CERTAIN | _PUNCTUAL | _RATE | {NOISE2: NOISE / M})
"""Theorem 3 for synchronous, asynchronous and FedFix clients, one client, and biased sampling."""

EQ11 = ROOT * START + (K - 1) / N * NOISE + ROOT * NOISE / M
_BOTH = SPREAD + NOISE
EQ13 = (
    ROOT * START
    + (K - 1) / N * NOISE
    + HARDWARE * ROOT * _BOTH
    + HARDWARE**3 * K / N * M**2 * _BOTH
    + ROOT * (W - 1)
)
EQ13_CORRECTED = (
    ROOT * START
    + HARDWARE * (K - 1) / N * _BOTH
    + HARDWARE**3 * ROOT * _BOTH
    + HARDWARE**6 * K / N * M**2 * _BOTH
    + sympy.sqrt(K / N) * (W - 1) * B**2
)
_PART = SPREAD + CYCLE * NOISE / M
EQ15 = ROOT * START + (K - 1) / N * _BOTH + (ROOT + K / N * CYCLE**2) * _PART + ROOT * (W - 1)
EQ15_CORRECTED = (
    ROOT * START
    + CYCLE**2 * (K - 1) / N * _BOTH
    + (CYCLE**2 * ROOT + CYCLE**5 * K / N) * _PART
    + sympy.sqrt(K / N) * (W - 1) * B**2
)
EQ33 = START / (LOCAL * K * N) + LOCAL * NOISE
SAMPLED = (
    SERVER * LOCAL * ALPHA * NOISE / M
    + LOCAL**2 * (K - 1) ** 2 * NOISE
    + SERVER * LOCAL * BETA * NOISE
)
SAMPLED_CORRECTED = SAMPLED + SERVER * LOCAL * (K - 1) * BETA * NOISE
