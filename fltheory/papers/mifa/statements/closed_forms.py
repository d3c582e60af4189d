"""Theorem 5.1 where it can be solved: weights, initial error, noise, its asymptote and its slope
(one curvature, all active)."""

import sympy

from fltheory.claims.claim import Authorship, Claim, Identity, Source, SpecialCase, letter
from fltheory.core.vocabulary import symbol
from fltheory.papers.mifa.paper import (
    CLIENTS,
    CONVEX,
    ITERATES,
    MEAN_STALENESS,
    NOISE,
    OFFSET,
    PAPER,
    ROUNDS,
    STEP_OFFSET,
    STEPS,
)
from fltheory.papers.mifa.printed import located

A, T = OFFSET, ITERATES
WEIGHT_TOTAL = ((T + A) * (T + A - 1) * (T + A - 2) - A * (A - 1) * (A - 2)) / 3
SHRINKAGE = A * (A - 1) * (A - 2) * T / ((T + A - 3) * WEIGHT_TOTAL)
NOISE_ROUND = sympy.Symbol("s", integer=True, positive=True)
NOISE_GAP = (
    8
    * NOISE**2
    / (CONVEX * CLIENTS * WEIGHT_TOTAL**2 * (T + A - 3) ** 2)
    * sympy.Sum(
        ((NOISE_ROUND + A - 1) * (NOISE_ROUND + A - 2) * (T - NOISE_ROUND)) ** 2,
        (NOISE_ROUND, 1, ROUNDS),
    )
)

DIRECTION = letter("curvature", positive=True)
RATIO = 4 * DIRECTION / CONVEX
SHAPE = 144 / (RATIO - 3) ** 2 * (sympy.Rational(1, 5) - 2 / (RATIO + 2) + 1 / (2 * RATIO - 1))

X = letter("rounds_over_offset", positive=True)
SCALED_NOISE = (
    X * (X**4 + 7 * X**3 + 21 * X**2 + 35 * X + 35) / ((X + 1) ** 2 * (X**2 + 3 * X + 3) ** 2)
)
"""The noise part of the gap as a function of x = T/a alone, up to a factor, for large a."""

CLAIMS = located(
    Claim(
        id="mifa.thm5.1.W",
        source=Source(PAPER, "Theorem 5.1, W_T"),
        says=(
            "The weights (t + a - 1)(t + a - 2) of the averaged model sum to a difference of two"
            " products."
        ),
        statement=Identity(letter("weight_total"), WEIGHT_TOTAL),
        where=STEP_OFFSET | {"weight_total": "W_T = sum over t = 1..T of (t + a - 1)(t + a - 2)"},
        special_cases=tuple(
            SpecialCase(f"a = 100, T = {t}", {"step_offset": 100, "num_rounds": t - 1}, value)
            for t, value in ((1, "9900"), (10, "108240"), (100, "2303400"))
        ),
    ),
    Claim(
        id="mifa.thm5.1.det",
        source=Source(PAPER, "Theorem 5.1, solved without noise", kind=Authorship.OURS),
        says=(
            "With L = mu, one local step, no noise and everybody active, the averaged model shrinks"
            " by an explicit factor, in the end like (a/T)^3."
        ),
        statement=Identity(letter("averaged_model"), SHRINKAGE),
        where=STEP_OFFSET | {"averaged_model": "(wbar_T - w*)/(w_1 - w*)"},
        special_cases=tuple(
            SpecialCase(f"a = 100, T = {t}", {"step_offset": 100, "num_rounds": t - 1}, value)
            for t, value in (
                (2, "49/50"),
                (10, "3675/4387"),
                (100, "14700/68753"),
                (1000, "700/349943"),
            )
        ),
    ),
    Claim(
        id="mifa.thm5.1.noise",
        source=Source(PAPER, "Theorem 5.1, solved for the noise", kind=Authorship.OURS),
        says=(
            "With L = mu, one local step and everybody active, independent noise of variance"
            " sigma^2 alone leaves an explicit gap."
        ),
        statement=Identity(symbol("weighted_loss_gap"), NOISE_GAP),
        where=STEP_OFFSET,
        special_cases=tuple(
            SpecialCase(
                f"a = 100, one device, T = {t}",
                {
                    "step_offset": 100,
                    "num_rounds": t - 1,
                    "num_clients": 1,
                    "gradient_noise": 1,
                    "strong_convexity": 1,
                },
                value,
            )
            for t, value in ((2, "1/5000"), (10, "0.00180003"), (100, "0.00348438"))
        ),
    ),
    Claim(
        id="mifa.thm5.1.asymptote",
        source=Source(PAPER, "Theorem 5.1, its first term made exact", kind=Authorship.OURS),
        says=(
            "On quadratics of one curvature and with availability that repeats itself, T times the"
            " gap tends to an explicit multiple of (2 taubar + 1) sigma^2/(mu N K); in the worst"
            " direction it is 24/35."
        ),
        statement=Identity(
            letter("scaled_gap"),
            DIRECTION
            / 2
            * NOISE**2
            / (CONVEX**2 * CLIENTS * STEPS)
            * SHAPE
            * (2 * MEAN_STALENESS + 1),
        ),
        where={
            "scaled_gap": "limit of T (E f(wbar_T) - f*) in a direction of that curvature",
            "curvature": "h, curvature of the direction",
        },
        special_cases=(
            SpecialCase(
                "curvature mu, everybody active",
                {
                    "curvature": 1,
                    "strong_convexity": 1,
                    "gradient_noise": 1,
                    "num_clients": 1,
                    "local_steps": 1,
                    "mean_staleness": 0,
                },
                "24/35",
            ),
            SpecialCase(
                "every second round",
                {
                    "curvature": 1,
                    "strong_convexity": 1,
                    "gradient_noise": 1,
                    "num_clients": 1,
                    "local_steps": 1,
                    "mean_staleness": "1/2",
                },
                "48/35",
            ),
        ),
    ),
    Claim(
        id="mifa.thm5.1.exact",
        source=Source(PAPER, "Theorem 5.1, left side", kind=Authorship.OURS),
        says=(
            "On quadratics the expected gap follows from the run's response to each single noise"
            " draw; no sampling is needed."
        ),
        statement=Identity(symbol("weighted_loss_gap"), letter("mean_over_signs")),
        where={
            "mean_over_signs": (
                "gap of the weighted average model, averaged over all equally likely outcomes of"
                " +-sigma noise"
            )
        },
    ),
    Claim(
        id="mifa.thm5.1.slope",
        source=Source(
            PAPER, "Theorem 5.1, how long until the rate 1/T shows", kind=Authorship.OURS
        ),
        says=(
            "The noise part falls like 1/T only long after T = a: its slope on doubly logarithmic"
            " paper is a function of T/a, -0.40 at T = a and -0.953 at T = 20 a."
        ),
        statement=Identity(letter("noise_slope"), X * sympy.diff(SCALED_NOISE, X) / SCALED_NOISE),
        where={
            "noise_slope": "d log(gap)/d log(T) of the noise part, for large a",
            "rounds_over_offset": "x = T/a",
        },
        special_cases=tuple(
            SpecialCase(f"T = {x} a", {"rounds_over_offset": x}, value)
            for x, value in (
                (1, "-0.3983"),
                (3, "-0.78"),
                (5, "-0.85"),
                (10, "-0.913"),
                (20, "-0.953"),
                (50, "-0.98"),
            )
        ),
    ),
)
