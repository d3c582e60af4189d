"""Section 5.1: independent coin flips, the law of the staleness, Theorems 5.2 and 5.3."""

import sympy

from fltheory.claims.claim import (
    Authorship,
    Claim,
    Identity,
    Source,
    SpecialCase,
    UpperBound,
    letter,
)
from fltheory.core.vocabulary import symbol
from fltheory.papers.mifa.paper import (
    CHANCE,
    CLIENTS,
    COIN_FLIPS,
    CONFIDENCE,
    FAILURE,
    LEVEL,
    MEAN_STALENESS,
    PAPER,
    ROUNDS,
    round_slope,
)
from fltheory.papers.mifa.printed import located

TIME = letter("round", positive=True)
WHOLE_TIME = letter("round", integer=True, positive=True)
LENGTH = letter("absence", integer=True, nonnegative=True)
RATIO = letter("level", positive=True)
MEAN_INVERSE = letter("mean_inverse_chance", positive=True)
ABSENT = 1 - CHANCE

SIMULTANEOUS_LIMIT = (sympy.log(CLIENTS * TIME / LEVEL) + 1) / CHANCE
"""Theorem 5.2 with the constant 1: tau(t, i) <= (1/p_i)(log(N t/delta) + 1) for all t and i at
once."""
HORIZON_LIMIT = sympy.log(CLIENTS * ROUNDS / LEVEL) / CHANCE
"""Theorem 5.2 (2) with the constant 1 and without its + 1: tau_max,T <= (1/p_min) log(N
(T-1)/delta)."""
AVERAGE_LIMIT = sympy.E / (sympy.E - 1) * (1 + sympy.log(1 / LEVEL)) * MEAN_INVERSE
"""Theorem 5.3 with its least constant e/(e-1): taubar_T <= C (1 + log(1/delta)) mean(1/p_i)."""

AVERAGE_FAILS = sympy.Lt(AVERAGE_LIMIT, MEAN_STALENESS)
"""The event whose chance Theorem 5.3 bounds."""
SIMULTANEOUS_FAILS = sympy.Lt(SIMULTANEOUS_LIMIT, symbol("staleness"))
"""Of some device in some round: the event whose chance Theorem 5.2 bounds."""
HORIZON_FAILS = sympy.Lt(HORIZON_LIMIT, symbol("staleness"))
"""Of some device in some round: the event whose chance Theorem 5.2 (2) bounds."""

ENOUGH = sympy.log(round_slope() * CLIENTS / (CHANCE * LEVEL)) / CHANCE
SAMPLE = {
    "num_clients": 100,
    "availability_probability": "1/10",
    "confidence_gap": "1/20",
    "strong_convexity": 1,
    "round": 0,
}

CLAIMS = located(
    Claim(
        id="mifa.def5.2",
        source=Source(PAPER, "Definition 5.2"),
        says=(
            "With coin flips after a first round of everybody, tau(t, i) is at least k with chance"
            " (1 - p_i)^k, for k below t."
        ),
        statement=Identity(letter("tail_probability"), ABSENT**LENGTH),
        where={
            "tail_probability": "P(tau(t, i) >= k), summed over all availability patterns",
            "absence": "k",
        },
    ),
    Claim(
        id="mifa.def5.2.mean",
        source=Source(PAPER, "Definition 5.2, expected staleness", kind=Authorship.OURS),
        says="The expected staleness in round t is (q - q^t)/p with q = 1 - p.",
        statement=Identity(letter("expected_staleness"), (ABSENT - ABSENT**WHOLE_TIME) / CHANCE),
        where={
            "expected_staleness": "E tau(t, i), summed over all availability patterns",
            "round": "t, counted from 1",
        },
    ),
    Claim(
        id="mifa.def5.2.average",
        source=Source(PAPER, "Definition 5.2, expected average staleness", kind=Authorship.OURS),
        says=(
            "The expected taubar_T is q/p - q (1 - q^R)/(p^2 R) over R = T - 1 rounds, q = 1 - p,"
            " which is at most 1/p - 1."
        ),
        statement=Identity(
            letter("expected_mean_staleness"),
            ABSENT / CHANCE - ABSENT * (1 - ABSENT**ROUNDS) / (CHANCE**2 * ROUNDS),
        ),
        where={"expected_mean_staleness": "E taubar_T from the exact law of the summed staleness"},
        special_cases=tuple(
            SpecialCase(
                f"p = {chance}, T = {t}",
                {"availability_probability": chance, "num_rounds": t - 1},
                value,
            )
            for chance, t, value in (
                ("1/2", 2, "0"),
                ("1/2", 3, "1/4"),
                ("1/2", 10, "0.778212"),
                ("1/2", 101, "0.98"),
                ("1/10", 101, "8.100024"),
            )
        ),
    ),
    Claim(
        id="mifa.thm5.2",
        source=Source(PAPER, "Theorem 5.2"),
        says=(
            "With chance 1 - delta, tau(t, i) <= (1/p_i)(log(N t/delta) + 1) for all rounds and"
            " devices at once; the constant is 1."
        ),
        statement=UpperBound(FAILURE, LEVEL),
        assumes=(COIN_FLIPS,),
        where=CONFIDENCE,
        note="Part (1) of the theorem is thm5.2.1, part (2) thm5.2.2.",
    ),
    Claim(
        id="mifa.thm5.2.explicit",
        source=Source(PAPER, "Theorem 5.2, own proof", kind=Authorship.OURS),
        says=(
            "The bound of Theorem 5.2 with the constant 1 fails with chance at most delta (2 + p)"
            " exp(-1 - p/2), at most (2/e) delta, for delta up to 1 and equal p."
        ),
        statement=UpperBound(FAILURE, LEVEL * (2 + CHANCE) * sympy.exp(-1 - CHANCE / 2)),
        assumes=(COIN_FLIPS,),
        where=CONFIDENCE,
    ),
    Claim(
        id="mifa.thm5.2.1",
        source=Source(PAPER, "Theorem 5.2 (1)"),
        says=(
            "Then Assumption 4 holds with t0 = (1/p_min) log(b N/(p_min delta)); the constant is"
            " exactly 1."
        ),
        statement=UpperBound(SIMULTANEOUS_LIMIT, ENOUGH + TIME / round_slope()),
        where={"round": "t, counted from 1", "confidence_gap": CONFIDENCE["confidence_gap"]},
        special_cases=tuple(
            SpecialCase(
                f"t0 for N = 100, condition number {kappa}, p_min = {chance}",
                SAMPLE | {"smoothness": kappa, "availability_probability": chance},
                value,
            )
            for kappa, chance, value in (
                (1, "1/10", "135.92"),
                (10, "1/10", "170.46"),
                (100, "1/10", "205.00"),
                (1, "1/5", "64.50"),
            )
        ),
        note="The two sides touch at t = b/p.",
    ),
    Claim(
        id="mifa.thm5.2.2",
        source=Source(PAPER, "Theorem 5.2 (2)"),
        says=(
            "With chance 1 - delta, tau_max,T <= (1/p_min) log(N (T-1)/delta): the printed bound"
            " with the constant 1 and to spare."
        ),
        statement=UpperBound(FAILURE, LEVEL),
        assumes=(COIN_FLIPS,),
        where=CONFIDENCE,
    ),
    Claim(
        id="mifa.thm5.3",
        source=Source(PAPER, "Theorem 5.3"),
        says=(
            "With chance 1 - delta, taubar_T <= C (1 + log(1/delta)) times the mean of 1/p_i, with"
            " C = e/(e-1) = 1.582."
        ),
        statement=UpperBound(FAILURE, LEVEL),
        assumes=(COIN_FLIPS,),
        where=CONFIDENCE,
    ),
    Claim(
        id="mifa.thm5.3.explicit",
        source=Source(PAPER, "Theorem 5.3, own proof", kind=Authorship.OURS),
        says=(
            "The chance that taubar_T reaches x times the mean of 1/p_i is at most x exp(1 - x),"
            " for x at least 1."
        ),
        statement=UpperBound(letter("tail_probability"), RATIO * sympy.exp(1 - RATIO)),
        assumes=(COIN_FLIPS,),
        where={
            "tail_probability": "P(taubar_T >= x mean(1/p_i)), from the exact law of taubar_T",
            "level": "x",
        },
        special_cases=tuple(
            SpecialCase(f"x = {x}", {"level": x}, value)
            for x, value in (("4.8897", "0.1000"), ("5.7439", "0.0500"), ("7.6384", "0.0100"))
        ),
    ),
    Claim(
        id="mifa.thm5.3.constant",
        source=Source(PAPER, "Theorem 5.3, its constant", kind=Authorship.OURS),
        says=(
            "If delta = x exp(1 - x), then x <= e/(e-1) (1 + log(1/delta)), with equality at x = e."
        ),
        statement=UpperBound(RATIO, sympy.E / (sympy.E - 1) * (RATIO - sympy.log(RATIO))),
        where={"level": "x, at least 1"},
    ),
    Claim(
        id="mifa.eq2",
        source=Source(PAPER, "Eq. (2)"),
        says=(
            "With coin flips, the dominant term of the number of rounds that MIFA needs to come"
            " within eps is of order mean(1/p_i) sigma^2/(mu N K eps), as eps goes to 0."
        ),
        statement=UpperBound(
            letter("leading_constant", positive=True), sympy.Rational(48, 35) * MEAN_INVERSE
        ),
        where={
            "leading_constant": (
                "exact limit of T (E f(wbar_T) - f*) mu N K/sigma^2 for L = mu and staleness at its"
                " expectation"
            ),
            "mean_inverse_chance": "(1/N) sum_i 1/p_i",
        },
        note=(
            "The exact leading constant is 24/35 (2 mean(1/p_i) - 1). The sentence before Eq. (2)"
            " must read T, not eps (copy A)."
        ),
    ),
)
