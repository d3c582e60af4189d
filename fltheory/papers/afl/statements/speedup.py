"""Corollary 3 and Remarks 5 to 7: what the server's memory gains, and what it does not."""

import sympy

from fltheory.claims.claim import (
    Assumption,
    Claim,
    Identity,
    LowerBound,
    Order,
    Severity,
    letter,
)
from fltheory.claims.scenario import Scenario
from fltheory.papers.afl.paper import (
    AGE,
    ERROR,
    LOCAL,
    NOISE,
    PER_ROUND,
    SERVER,
    SETTING,
    STEP,
    K,
    M,
    T,
    printed,
    read,
    repaired,
)
from fltheory.papers.afl.statements.memory import PLACES as MEMORY_PLACES
from fltheory.papers.afl.statements.memory import REMEMBERED

STEPS3 = {LOCAL: 1 / sympy.sqrt(T), SERVER: sympy.sqrt(M)}
"""Corollary 3: eta_L = 1/sqrt(T), eta = sqrt(M)."""


def _steps_with_memory(scenario: Scenario) -> bool:
    return bool(
        not isinstance(scenario.local_step_size, tuple)
        and scenario.local_step_size**2 * scenario.trace.num_rounds == 1
        and scenario.server_step_size**2 == scenario.trace.num_clients
    )


RATE3 = Assumption("afl.cor3.steps", "eta_L = 1/sqrt(T) and eta = sqrt(M)", _steps_with_memory)

FLOOR_RATE = letter("noise_floor_per_step")
FLOOR = letter("floor")
LIMIT_ERROR = letter("limit_error")
UPDATE_SQUARE = letter("squared_update")
SKIPPED = letter("skipped_deliveries")
CONDITION = letter("condition_four")

PLACES = MEMORY_PLACES | {
    "noise_floor_per_step": (
        "stationary E |grad f|^2 on x^2/2, divided by g, when M/m groups of m workers take turns"
    ),
    "floor": "limit of the bound as T grows, at the step sizes of Corollary 3",
    "limit_error": "average of |grad f|^2 over the limit cycle of AFA-CS",
    "skipped_deliveries": (
        "most deliveries that are skipped in any trace on which every memory entry is always fresh"
    ),
    "condition_four": "left side of eq. (4)",
}

CLAIMS = (
    Claim(
        "afl.cor3",
        printed(
            "Corollary 3",
            "eta_L = 1/sqrt(T), eta = sqrt(M): O(1/(M^(1/2) T^(1/2))) + O(K^2/T) + O(K^2 "
            "M^(1/2)/T^(3/2))",
        ),
        "With eta_L = 1/sqrt(T) and eta = sqrt(M) the rate of AFA-CS is O(1/sqrt(MT)) + O(K^2/T) +"
        " O(K^2 sqrt(M)/T^(3/2)).",
        Order(
            ERROR,
            1 / sympy.sqrt(M * T) + K**2 / T + K**2 * sympy.sqrt(M) / T ** sympy.Rational(3, 2),
            hides="L, sigma_L, sigma_G and f_0 - f*",
        ),
        assumes=(*SETTING, RATE3, REMEMBERED),
        where=PLACES,
        note=(
            "The order follows from eq. (8), but (7), on which that rests, fails: if workers take"
            " turns, each update's noise is used M/m times and the error is of the order g"
            " sigma_L^2/m, that is sqrt(M/T)/m, not 1/sqrt(MT). With tau fixed, so that at least"
            " M/(tau + 1) workers arrive per round, the order is right: the noise pays tau + 1"
            " (cor3.explicit)."
        ),
        severity=Severity.THEOREM,
    ),
    Claim(
        "afl.cor3.floor",
        repaired("Corollary 3"),
        "If everybody arrives in round 0 and then M workers take turns on x^2/2, one per"
        " round, with"
        " K = 1, independent noise of variance sigma_L^2 and 1/g a whole number above M, AFA-CS's"
        " mean squared gradient is at least (1 - 1/(gT)) g (1 - gM)^3 sigma_L^2 / 3.",
        LowerBound(ERROR, (1 - 1 / (STEP * T)) * STEP * (1 - STEP * M) ** 3 * NOISE**2 / 3),
        where=PLACES,
        corrects="afl.cor3",
        note=(
            "One draw of noise moves the model k rounds later by at least g (1 - gk), for M <= k <"
            " 1/g: it is used M times with weight g/M, and each round takes back at most g^2."
        ),
    ),
    Claim(
        "afl.cor3.rate",
        repaired("Corollary 3"),
        "When groups of m workers take turns on x^2/2 with one local step each, independent noise"
        " of variance sigma_L^2 leaves AFA-CS with E |grad f|^2 = g sigma_L^2/(2m) for small g,"
        " whatever M is.",
        Identity(FLOOR_RATE, NOISE**2 / (2 * PER_ROUND)),
        where=PLACES,
        corrects="afl.cor3",
    ),
    Claim(
        "afl.rem5",
        printed(
            "Remark 5",
            "(7) can be satisfied if M is sufficiently large or sigma_L^2 is sufficiently small",
        ),
        "Eq. (7) can be satisfied by a large number of workers M or a small noise sigma_L.",
        LowerBound(UPDATE_SQUARE, 3 * NOISE**2 / M),
        where=PLACES,
        note=(
            "For a given T and a start away from stationary points it can; from a stationary point,"
            " or as T grows and the run comes near one, both sides scale with sigma_L^2/M, so"
            " neither helps, and Corollary 3 cannot rest on (7). It is not needed: afl.thm4star."
        ),
        severity=Severity.THEOREM,
    ),
    Claim(
        "afl.rem5.sizes",
        printed(
            "Remark 5",
            "(4) implies O(eta eta_L + eta eta_L^3 K^2 + tau K^2 eta_L^2 + tau K^2 eta eta_L^3) "
            "< 1",
        ),
        "The left side of eq. (4) is O(g + eta eta_L^3 K^2 + tau K^2 eta_L^2 + tau K^2 eta"
        " eta_L^3).",
        Order(
            CONDITION,
            STEP
            + SERVER * LOCAL**3 * K**2
            + AGE * K**2 * LOCAL**2
            + AGE * K**2 * SERVER * LOCAL**3,
            hides="L",
        ),
        where=PLACES,
        note=(
            "At tau = 0 the term 180 K^2 L^2 eta_L^2 of eq. (4) is missing; with 1 + tau in place"
            " of tau it is right."
        ),
        severity=Severity.SLIP,
    ),
    Claim(
        "afl.rem5.sizes.corrected",
        repaired("Remark 5"),
        "The left side of eq. (4) is O(g + eta eta_L^3 K^2 + (1 + tau)(K^2 eta_L^2 + K^2 eta"
        " eta_L^3)).",
        Order(
            CONDITION,
            STEP + SERVER * LOCAL**3 * K**2 + (1 + AGE) * K**2 * (LOCAL**2 + SERVER * LOCAL**3),
            hides="L",
        ),
        where=PLACES,
        corrects="afl.rem5.sizes",
    ),
    Claim(
        "afl.rem6",
        printed(
            "Remark 6",
            "AFA-CS can eliminate the non-vanishing O(sigma_G^2) error term",
        ),
        "The bound for AFA-CS has no part in sigma_G that stays as T grows.",
        Identity(FLOOR, 0 * FLOOR),
        where=PLACES,
        note="Said of eq. (8); of the bound that holds with noise see afl.rem6.corrected.",
    ),
    Claim(
        "afl.rem6.corrected",
        repaired("Remark 6"),
        "The bound of Theorem 4* at the step sizes of Corollary 3 tends to 0 as T grows, M, K and"
        " tau fixed: nothing stays, neither of sigma_G nor of sigma_L.",
        Identity(FLOOR, 0 * FLOOR),
        where=PLACES,
    ),
    Claim(
        "afl.rem6.limit",
        repaired("Remark 6"),
        "However unequally often workers arrive, AFA-CS with one local step, no noise and 4 L g"
        " (tau + 1) <= 1 ends where the global gradient vanishes.",
        Identity(LIMIT_ERROR, 0 * LIMIT_ERROR),
        where=PLACES,
        proof="docs/proofs/afl.md#theorem-4-star",
    ),
    Claim(
        "afl.rem7",
        printed(
            "Remark 7",
            "speedup with respect to the total number of workers M, although m workers take part "
            "in each round",
        ),
        "The noise floor of AFA-CS shrinks like 1/M, though only m workers arrive in each round.",
        Order(FLOOR_RATE, 1 / M, hides="sigma_L"),
        where=PLACES,
        note="It shrinks like 1/m: see afl.cor3.rate.",
        severity=Severity.THEOREM,
    ),
    Claim(
        "afl.rem7.lag",
        read(
            "Remark 7",
            "tau is the age of the oldest entry of the memory, as in Theorem 4.",
            (
                "If tau counts only the delay between pulling a model and delivering the update,"
                " tau = 0 leaves everybody free to skip rounds."
            ),
        ),
        "With tau = 0 AFA-CS is lazy aggregation: some worker may skip a round.",
        LowerBound(SKIPPED, sympy.S.One),
        where=PLACES,
        note=(
            "Theorem 4's tau is the age of the oldest memory entry; tau = 0 means that everybody"
            " arrives in every round."
        ),
        severity=Severity.READING,
    ),
)
