"""Section 5.1, after Theorem 5.3: FedAvg that waits for a sample, and how MIFA compares with it."""

from fltheory.claims.claim import (
    Authorship,
    Claim,
    Identity,
    LowerBound,
    Order,
    Source,
    SpecialCase,
    letter,
)
from fltheory.core.vocabulary import symbol
from fltheory.papers.mifa.paper import (
    CHANCE,
    CLIENTS,
    CONVEX,
    ITERATES,
    NOISE,
    PAPER,
    SPREAD,
    STEPS,
)
from fltheory.papers.mifa.printed import located

SAMPLE = symbol("clients_per_round")
WAIT = letter("expected_wait", positive=True)
LEAST = letter("least_chance", positive=True)
MEAN_INVERSE = letter("mean_inverse_chance", positive=True)
ACCURACY = letter("accuracy", positive=True)
REMAINDER = letter("second_order", positive=True)
GAP_OF_AVERAGE = symbol("weighted_loss_gap")
SAMPLING = (1 - SAMPLE / CLIENTS) * SPREAD * CLIENTS / ((CLIENTS - 1) * SAMPLE)

WAITING = {
    "expected_wait": "E T(S), mean rounds until each device of the sample has been active",
    "least_chance": "smallest p_i among them",
}
INVERSE = {"mean_inverse_chance": "(1/N) sum_i 1/p_i"}

CLAIMS = located(
    Claim(
        id="mifa.TS",
        source=Source(PAPER, "Section 5.1, T(S)"),
        says="Waiting for a set of devices takes at least 1/min p_i rounds on average.",
        statement=LowerBound(WAIT, 1 / LEAST),
        where=WAITING,
        note="Exact: the mean of a maximum of geometric times, by inclusion and exclusion.",
    ),
    Claim(
        id="mifa.TS.average",
        source=Source(PAPER, "Section 5.1, E_S T(S)"),
        says=(
            "Waiting for a uniform sample of S of the N devices takes at least S/(N p_min) rounds"
            " on average."
        ),
        statement=LowerBound(WAIT, SAMPLE / (CLIENTS * LEAST)),
        where=WAITING,
        note=(
            "True but loose: 28.997 against 5 for the paper's experiment with S = 50 and p_min ="
            " 1/10."
        ),
    ),
    Claim(
        id="mifa.eq3",
        source=Source(PAPER, "Eq. (3)"),
        says=(
            "The rounds that FedAvg and SCAFFOLD spend on sigma^2/(mu S K eps) updates are at least"
            " sigma^2/(p_min mu N K eps)."
        ),
        statement=LowerBound(
            WAIT * NOISE**2 / (CONVEX * SAMPLE * STEPS * ACCURACY),
            NOISE**2 / (LEAST * CONVEX * CLIENTS * STEPS * ACCURACY),
        ),
        where=WAITING | {"accuracy": "eps"},
    ),
    Claim(
        id="mifa.eq3.necessary",
        source=Source(PAPER, "Eq. (3), read as a lower bound on what FedAvg needs"),
        says=(
            "FedAvg that samples S devices needs at least sigma^2/(p_min mu N K eps) rounds to come"
            " within eps."
        ),
        statement=LowerBound(
            WAIT * letter("updates_needed", nonnegative=True),
            NOISE**2 / (LEAST * CONVEX * CLIENTS * STEPS * ACCURACY),
        ),
        where=WAITING
        | {
            "updates_needed": "updates after which FedAvg is within eps",
            "accuracy": "eps",
        },
        note=(
            "Eq. (3) multiplies a lower bound on waiting by an upper bound on updates, which bounds"
            " nothing from below: noise below the bound sigma^2 needs fewer updates, none at all"
            " from the optimum."
        ),
    ),
    Claim(
        id="mifa.eq3.updates",
        source=Source(PAPER, "Section 5.1, R_eps"),
        says=(
            "After R updates FedAvg that samples S devices is dominated by sigma^2/(mu S K R), up"
            " to terms of order 1/R^2."
        ),
        statement=Order(
            GAP_OF_AVERAGE,
            NOISE**2 / (CONVEX * SAMPLE * STEPS * ITERATES) + REMAINDER / ITERATES**2,
        ),
        where={"second_order": "whatever multiplies 1/R^2, the same for all R"},
        note=(
            "False for FedAvg with S < N and different clients: the choice of devices acts as"
            " noise. See mifa.eq3.updates.corrected."
        ),
    ),
    Claim(
        id="mifa.eq3.updates.corrected",
        source=Source(PAPER, "Section 5.1, R_eps", kind=Authorship.OURS),
        says=(
            "FedAvg with one step per device has the sampling variance (1 - S/N) N/(N-1) D/S at the"
            " optimum, beside the gradient noise, for N at least 2."
        ),
        statement=Identity(letter("sampling_variance"), SAMPLING),
        where={
            "sampling_variance": (
                "variance of the mean gradient at w* of a uniform sample of S of the N devices"
            )
        },
        corrects="mifa.eq3.updates",
        special_cases=(
            SpecialCase(
                "N = 4, S = 2, gradients -3, -1, 1, 3",
                {"num_clients": 4, "clients_per_round": 2, "dissimilarity_at_optimum": 5},
                "5/3",
            ),
        ),
    ),
    Claim(
        id="mifa.eq3.comparison",
        source=Source(PAPER, "Section 5.1, comparison of Eq. (2) and (3)"),
        says="FedAvg that waits for all devices needs at least as many rounds as MIFA.",
        statement=LowerBound(WAIT, 2 * MEAN_INVERSE - 1),
        where=WAITING | INVERSE,
        note=(
            "Both sides are exact leading constants for the same step sizes, over 24/35 sigma^2/(mu"
            " N K eps): FedAvg waits E max of geometric times per update, MIFA's noise factor is 2"
            " taubar + 1. False for two devices with p = 1/2."
        ),
    ),
    Claim(
        id="mifa.eq3.comparison.corrected",
        source=Source(PAPER, "Section 5.1, comparison of Eq. (2) and (3)", kind=Authorship.OURS),
        says=(
            "With four or more devices of equal chance p, the rounds that FedAvg waits for all of"
            " them are on average at least MIFA's noise factor 2/p - 1, so that in the leading term"
            " it needs at least as many rounds as MIFA."
        ),
        statement=LowerBound(WAIT, 2 / CHANCE - 1),
        where=WAITING,
        corrects="mifa.eq3.comparison",
        note="Of the noise alone: without noise what counts is the offset of the step sizes.",
    ),
    Claim(
        id="mifa.eq3.average",
        source=Source(PAPER, "Section 5.1, after Eq. (3)"),
        says=(
            "MIFA's convergence only depends on the average of 1/p_i: equal averages give equal"
            " expected gaps."
        ),
        statement=Identity(letter("gap_of_equal_chances"), letter("gap_of_unequal_chances")),
        where={
            "gap_of_equal_chances": (
                "exact E f(wbar_T) - f* over noise and availability, for p = (1/4, 1/4)"
            ),
            "gap_of_unequal_chances": "the same for p = (1/6, 1/2), whose mean of 1/p_i is also 4",
        },
        note="True of the leading term only: tau_max and t0, hence a, grow like log(.)/p_min.",
    ),
    Claim(
        id="mifa.eq3.average.corrected",
        source=Source(PAPER, "Section 5.1, after Eq. (3)", kind=Authorship.OURS),
        says=(
            "As T grows, the expected average staleness plus 1 tends to the mean of 1/p_i, and the"
            " first term depends on nothing else of the chances."
        ),
        statement=Identity(letter("limit_of_mean_staleness") + 1, MEAN_INVERSE),
        where=INVERSE | {"limit_of_mean_staleness": "limit of E taubar_T as T grows"},
        corrects="mifa.eq3.average",
    ),
)
