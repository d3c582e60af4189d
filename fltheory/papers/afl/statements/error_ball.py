"""Corollary 1 and Remarks 2 and 3: linear speedup to an error ball, and what its step sizes
need."""

from dataclasses import replace

import sympy

from fltheory.claims.claim import (
    Assumption,
    Claim,
    Identity,
    Order,
    Severity,
    SpecialCase,
    UpperBound,
    letter,
)
from fltheory.claims.scenario import Scenario
from fltheory.papers.afl.paper import (
    APART,
    DELAY,
    ERROR,
    GAP,
    LOCAL,
    NOISE,
    PER_ROUND,
    SERVER,
    SETTING,
    K,
    L,
    M,
    T,
    printed,
    read,
    repaired,
    step_sizes,
)
from fltheory.papers.afl.statements.general_arrivals import PLACES as BOUND_PLACES

STEPS1 = {LOCAL: 1 / sympy.sqrt(T), SERVER: sympy.sqrt(PER_ROUND)}
"""Corollaries 1 and 2: eta_L = 1/sqrt(T), eta = sqrt(m)."""

COROLLARY1 = (
    4 * GAP / sympy.sqrt(PER_ROUND * T)
    + 4
    * (L / sympy.sqrt(PER_ROUND * T) + 3 * DELAY**2 * L**2 / (2 * T) + 15 * K * L**2 / (2 * T))
    * NOISE**2
    + 4 * (sympy.Rational(3, 2) + 45 * K**2 * L**2 / T) * APART**2
)
HORIZON = sympy.Max(
    sympy.Min(K - 1, 1) * 180 * K**2 * L**2 * sympy.Max(DELAY, 1),
    PER_ROUND * L**2 * (1 + sympy.sqrt(1 + 3 * DELAY**2)) ** 2,
)

RATE_STEPS = sympy.And(sympy.Eq(LOCAL, 1 / sympy.sqrt(T)), sympy.Eq(SERVER, sympy.sqrt(PER_ROUND)))
LONG_DRIFT = sympy.Or(sympy.Eq(K, 1), 180 * K**2 * L**2 * sympy.Max(DELAY, 1) <= T)
LONG_STEP = PER_ROUND * L**2 * (1 + sympy.sqrt(1 + 3 * DELAY**2)) ** 2 <= T
"""The assumptions below, as relations between expressions."""

BOUND, FLOOR, LARGEST = letter("theorem_bound"), letter("floor"), letter("largest_step")
LIMIT_ERROR, FIRST_HORIZON = letter("limit_error"), letter("smallest_horizon")
ANY = letter("any_constant", positive=True)
EVER = letter("ever_participating", integer=True, positive=True)

PLACES = BOUND_PLACES | {
    "theorem_bound": "right side of eq. (2) at eta_L = 1/sqrt(T), eta = sqrt(m)",
    "floor": "limit of that right side as T grows",
    "largest_step": "largest eta eta_L that the conditions allow",
    "limit_error": "average of |grad f|^2 over the limit cycle of AFA-CD",
    "smallest_horizon": (
        "least T from which on the corrected conditions (a) and (b) hold at these step sizes"
    ),
    "any_constant": "the constant hidden in 'order-optimal'",
    "ever_participating": "s, the number of workers that ever participate",
}


def _rate_steps(scenario: Scenario) -> bool:
    per_round = int(scenario.trace.delivers.sum(axis=-1).min())
    return bool(
        not isinstance(scenario.local_step_size, tuple)
        and scenario.local_step_size**2 * scenario.trace.num_rounds == 1
        and scenario.server_step_size**2 == per_round
    )


def _long_enough(scenario: Scenario) -> bool:
    smoothness, _, step, steps, delay = step_sizes(scenario)
    drift = (
        steps == 1 or 180 * steps**2 * smoothness**2 * max(delay, 1) <= scenario.trace.num_rounds
    )
    return bool(drift and 2 * smoothness * step + 3 * delay**2 * smoothness**2 * step**2 <= 1)


RATE = Assumption("afl.cor1.steps", "eta_L = 1/sqrt(T) and eta = sqrt(m)", _rate_steps)
LONG = Assumption(
    "afl.cor1.horizon",
    "T is at least max(180 K^2 L^2 max(tau, 1) unless K = 1, m L^2 (1 + sqrt(1 + 3 tau^2))^2)",
    _long_enough,
)


def _horizon(steps: int, delay: int, per_round: int, value: str) -> SpecialCase:
    return SpecialCase(
        f"K = {steps}, tau = {delay}, m = {per_round}, L = 1",
        {"local_steps": steps, "max_delay": delay, "clients_per_round": per_round, "smoothness": 1},
        value,
    )


CLAIMS = (
    Claim(
        "afl.cor1",
        printed(
            "Corollary 1",
            "eta_L = 1/sqrt(T), eta = sqrt(m): O(1/(m^(1/2) T^(1/2))) + O(tau^2/T) + O(K^2/T) + "
            "O(sigma_G^2)",
        ),
        "With eta_L = 1/sqrt(T) and eta = sqrt(m) the rate is O(1/sqrt(mT)) + O(tau^2/T) + O(K^2/T)"
        " + O(sigma_G^2), for fixed L, sigma_L and f_0 - f*.",
        Order(
            ERROR,
            1 / sympy.sqrt(PER_ROUND * T) + DELAY**2 / T + K**2 / T + APART**2,
            hides="L, sigma_L and f_0 - f*",
        ),
        assumes=(*SETTING, RATE, replace(LONG, stated=False)),
        where=PLACES,
        note=(
            "In the proof alpha_G = O(sigma_G^2) + ... should be O(1) + O(K^2/T). The T from which"
            " on the steps are allowed is not given: afl.cor1.horizon. With constants:"
            " afl.cor1.explicit."
        ),
    ),
    Claim(
        "afl.cor1.substituted",
        repaired("Corollary 1"),
        "Putting the corollary's step sizes into eq. (2) gives these explicit constants.",
        Identity(BOUND, COROLLARY1),
        where=PLACES,
    ),
    Claim(
        "afl.cor1.any-horizon",
        read(
            "Corollary 1, read at every T",
            "The bound, with its constants, for every number of rounds.",
            (
                "For T large enough that the step sizes meet the conditions of Theorem 2:"
                " afl.cor1.explicit, from the T of afl.cor1.horizon on."
            ),
        ),
        "The explicit form of Corollary 1 holds for every number of rounds.",
        UpperBound(ERROR, COROLLARY1),
        assumes=(*SETTING, RATE),
        where=PLACES,
        note="A least T is needed: see afl.cor1.horizon.",
        severity=Severity.READING,
    ),
    Claim(
        "afl.cor1.explicit",
        repaired("Corollary 1"),
        "The explicit form of Corollary 1 holds from the least T on.",
        UpperBound(ERROR, COROLLARY1),
        assumes=(*SETTING, RATE, LONG),
        where=PLACES,
        corrects="afl.cor1",
        to_cite=True,
        proof="docs/proofs/afl.md#theorem-2-corrected",
    ),
    Claim(
        "afl.cor1.horizon",
        repaired("Corollary 1"),
        "The step sizes of Corollary 1 are allowed from T = max(180 K^2 L^2 max(tau,1) unless K ="
        " 1, m L^2 (1 + sqrt(1 + 3 tau^2))^2) on.",
        Identity(FIRST_HORIZON, sympy.ceiling(HORIZON)),
        where=PLACES,
        special_cases=(
            _horizon(5, 4, 5, "18000"),
            _horizon(10, 4, 5, "72000"),
            _horizon(1, 0, 1, "4"),
        ),
    ),
    Claim(
        "afl.rem2",
        printed(
            "Remark 2",
            "the non-vanishing error term O(sigma_G^2) in Corollary 1 matches the lower bound in "
            "Theorem 1",
        ),
        "As T grows the bound of Theorem 2 tends to 6 sigma_G^2, the order of the lower bound.",
        Identity(FLOOR, 6 * APART**2),
        where=PLACES,
    ),
    Claim(
        "afl.rem2.attained",
        repaired("Remark 2"),
        "On the losses of Theorem 1, with worker 1 alone and eta_L below 1, a run of AFA-CD that"
        " converges ends exactly at squared gradient sigma_G^2.",
        Identity(LIMIT_ERROR, APART**2),
        where=PLACES,
        note=(
            "At eta_L = 1 two local steps lead back to where they started, so that the run rests"
            " wherever it begins."
        ),
    ),
    Claim(
        "afl.rem2.everyone",
        read(
            "Remark 2",
            "The error is compared with what is unavoidable for the workers that ever participate.",
            (
                "Over the worst arrivals: if only some workers ever arrive, the error sigma_G^2 is"
                " reached (afl.rem2.attained)."
            ),
        ),
        "The error of AFA-CD is of the order of what is unavoidable, sigma_G^2 min(1, (M-s)/s)^2,"
        " however many workers ever participate.",
        UpperBound(LIMIT_ERROR, ANY * APART**2 * sympy.Min(1, (M - EVER) / EVER) ** 2),
        where=PLACES,
        note=(
            "If all workers participate, unequally often, nothing is unavoidable, yet AFA-CD keeps"
            " an error of the order sigma_G^2."
        ),
        severity=Severity.READING,
    ),
    Claim(
        "afl.rem3",
        printed(
            "Remark 3",
            "tau = 0 and K = 1: the condition becomes eta eta_L <= 1/(2L)",
        ),
        "With one local step and no delay the conditions become eta eta_L <= 1/(2L).",
        Identity(LARGEST, 1 / (2 * L)),
        where=PLACES,
        note=(
            "The analysis of SGD by Ghadimi and Lan allows 1/L. The remark adds that eta_L ="
            " 1/sqrt(T) does not depend on K; the T from which on it is allowed does"
            " (afl.cor1.horizon)."
        ),
    ),
)
