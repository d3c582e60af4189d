"""Runs of MIFA that can be followed for long: availability that reacts to noise or is as absent as
Assumption 4 permits; a toy problem."""

import sympy

from fltheory.claims.claim import (
    Authorship,
    Claim,
    Identity,
    LowerBound,
    Source,
    UpperBound,
    letter,
)
from fltheory.core.vocabulary import symbol
from fltheory.papers.mifa.paper import (
    CONVEX,
    ITERATES,
    MAX_STALENESS,
    NOISE,
    OFFSET,
    PAPER,
    SMOOTH,
    STEP_OFFSET,
)
from fltheory.papers.mifa.printed import located

TOY = {
    "gap_of_mifa": (
        "E f - f* of MIFA's averaged model in the toy problem, mean over drawn availabilities"
    ),
    "gap_of_importance_sampling": "the same for FedAvg with importance sampling",
    "gap_of_biased": "the same for biased FedAvg",
}
SHARE = MAX_STALENESS / (ITERATES + OFFSET)
PRECISION, CHAIN, BEND = (
    letter("precision", positive=True),
    letter("chain_smoothness", positive=True),
    letter("chain_bend", positive=True),
)

CLAIMS = located(
    Claim(
        id="mifa.adaptive.mean",
        source=Source(
            PAPER,
            "Theorems 5.1 and 6.1, availability that reacts to the noise",
            kind=Authorship.OURS,
        ),
        says=(
            "On w^2/2 with noise +-1, from w_1 = -1 and with step sizes that do not grow and are at"
            " most 1/2, a device that skips one round after positive noise keeps the mean of MIFA's"
            " model at least 1/3 below the optimum for ever."
        ),
        statement=LowerBound(letter("mean_shortfall"), sympy.Rational(1, 3)),
        where={"mean_shortfall": "-E w_t, how far the mean model stays below the optimum 0"},
        note=(
            "Positive noise is used twice and negative noise once, so the noise that is used has"
            " the mean 1/3."
        ),
    ),
    Claim(
        id="mifa.ass4.longrun",
        source=Source(PAPER, "Section 5, after Theorem 5.1", kind=Authorship.OURS),
        says=(
            "One device with unit curvature and noise that is away for t0 + s/40 rounds after each"
            " active round s, as Assumption 4 permits, keeps the gap above 1/100 from T = 2000 on,"
            " for t0 up to 5/2."
        ),
        statement=LowerBound(symbol("weighted_loss_gap"), sympy.Rational(1, 100)),
        note=(
            "Gaps that grow in proportion to time are allowed, but then tau_max is not o(T), which"
            " the paper asks for in the same place."
        ),
    ),
    Claim(
        id="mifa.thm5.1.necessary",
        source=Source(PAPER, "Section 5, after Theorem 5.1"),
        says=(
            "MIFA needs tau_max = o(T): with K = 1 and the loss mu w^2/2, one device with noise"
            " that is away for the last tau_max rounds keeps a gap of at least 18 (1 - s)^2 s^4"
            " sigma^2/mu, s = tau_max/(T + a), for a >= 100."
        ),
        statement=LowerBound(
            symbol("weighted_loss_gap"),
            18 * (1 - SHARE) ** 2 * SHARE**4 * NOISE**2 / CONVEX,
        ),
        where=STEP_OFFSET,
        note=(
            "The noise of the stored update is then used tau_max times. Without noise it is not"
            " needed."
        ),
    ),
    Claim(
        id="mifa.exp.toy",
        source=Source(
            PAPER, "Section 7, MIFA and importance sampling, on a toy problem", kind=Authorship.OURS
        ),
        says=(
            "Four devices with p = 1/10, 2/5, 7/10, 1 and optima 3, 1, -1, -3, 3000 rounds: MIFA's"
            " gap is below that of importance sampling."
        ),
        statement=UpperBound(letter("gap_of_mifa"), letter("gap_of_importance_sampling")),
        where=TOY,
    ),
    Claim(
        id="mifa.exp.toy.biased",
        source=Source(PAPER, "Section 7, biased FedAvg, on a toy problem", kind=Authorship.OURS),
        says=(
            "In the same problem the gap of importance sampling is below that of biased FedAvg,"
            " which stays."
        ),
        statement=UpperBound(letter("gap_of_importance_sampling"), letter("gap_of_biased")),
        where=TOY,
    ),
    Claim(
        id="mifa.prop6.1.hessian",
        source=Source(PAPER, "Proposition 6.1 and Assumption 5", kind=Authorship.OURS),
        says=(
            "A hard chain scaled to smoothness L and gradients eps has a Hessian whose Lipschitz"
            " constant is L^2/eps, times the chain's."
        ),
        statement=Identity(letter("scaled_bend"), SMOOTH**2 * BEND / (PRECISION * CHAIN)),
        where={
            "scaled_bend": (
                "third derivative of (L lam^2/l) F(x/lam) with lam = eps/L, where F has the third"
                " derivative b"
            ),
            "precision": "eps, the size of the gradients",
            "chain_smoothness": "l, smoothness of the chain F",
            "chain_bend": "b, third derivative of the chain F",
        },
        note=(
            "With eps of order T^(-1/4), as the bound needs, rho grows like T^(1/4): Proposition"
            " 6.1 is not for a fixed rho, just as the paper says of delta. That methods with fixed"
            " rho do better is literature, and not checked here."
        ),
    ),
)
