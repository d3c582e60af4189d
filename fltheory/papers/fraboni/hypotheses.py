"""The paper's assumptions and the further conditions that its theorems need, each decidable on a
scenario or at values of its symbols."""

import sympy

from fltheory.claims.claim import Assumption, evaluate
from fltheory.claims.condition import Condition, formula_assumption
from fltheory.claims.scenario import Scenario
from fltheory.papers.fraboni.paper import (
    ALPHA,
    BETA,
    DRIFT_SQUARED,
    KAPPA,
    LOCAL,
    RHO,
    SERVER,
    STALENESS,
    STEP,
    K,
    L,
)
from fltheory.traces.trace_statistics import pull_delays

LEARNING_RATE = sympy.Min(1, 1 / (3 * RHO**2 * SERVER * (STALENESS + 1))) / (48 * K * L)
"""The largest local step size of Theorem 1."""

CONDITION_VARIANCE = sympy.Le(2 * ALPHA + BETA, 12 * RHO)
"""What A.5 needs and does not say: it takes beta <= 1 for granted."""

PAGE = "docs/proofs/fraboni.md"
"""The page with the proofs on paper."""


def _convex(scenario: Scenario) -> bool | None:
    curvatures = getattr(scenario.problem, "curvatures", None)
    return None if curvatures is None else all(h >= 0 for row in curvatures for h in row)


def _within_learning_rate(scenario: Scenario) -> bool | None:
    weights, smoothness = scenario.settings.get("weights"), scenario.problem.constants.smoothness
    if weights is None or smoothness is None or isinstance(scenario.local_step_size, tuple):
        return None
    total = max(
        1,
        *(
            sum(w for w, here in zip(weights, row, strict=True) if here)
            for row in scenario.trace.delivers
        ),
    )
    values = {
        "largest_total_weight": total,
        "server_step_size": scenario.server_step_size,
        "local_steps": int(scenario.trace.local_steps.max()),
        "smoothness": smoothness,
        "max_staleness": int(pull_delays(scenario.trace).max()),
    }
    return bool(
        evaluate(LEARNING_RATE, values)
        >= evaluate(LOCAL, {"local_step_size": scenario.local_step_size})
    )


SMOOTH = Assumption(
    "smooth",
    "Assumption 1: every client's gradient is L-Lipschitz",
    lambda s: s.problem.constants.smoothness is not None,
)
CONVEX = Assumption("convex", "Assumption 2: every client's loss is convex", _convex)
UNBIASED = Assumption(
    "unbiased", "Assumption 3: stochastic gradients have the right mean", lambda s: True
)
FINITE = Assumption(
    "finite-delay",
    "Assumption 4: the server receives a client's work after at most tau rounds, tau < infinity",
    lambda s: True,
)
COVARIANCE = Assumption(
    "covariance",
    "Assumption 5: E omega_i omega_j = alpha q_i q_j for two different clients, with alpha in"
    " [0, 1]",
    lambda s: True,
)
WINDOWS = Assumption(
    "windows",
    "Assumption 6, and W divides N: in each of the aligned windows of W rounds every client has"
    " the mean weight q_i",
    lambda s: None,
)
BOUNDED = Assumption(
    "bounded-gradients",
    "Assumption 7: E |stochastic gradient of client i|, whoever takes part, and |grad L_i| are at"
    " most B along the run",
    lambda s: None,
)
FAIR = Assumption(
    "fair-rounds",
    "every data type has its importance in every round: the normalised weights s_j(n) are r_j",
    lambda s: None,
)
MINIMISERS = Assumption(
    "minimisers",
    "the rounds' objectives and their mean have minimisers",
    lambda s: s.problem.constants.optimum is not None or None,
    stated=False,
)
SAMPLEWISE = Assumption(
    "smooth-samples",
    "for almost every batch the stochastic loss itself is convex and L-smooth",
    lambda s: getattr(s.problem, "noise_squared", None) is not None or None,
    stated=False,
)
INDEPENDENT = Assumption(
    "participation-is-fresh",
    "who participates in a round is independent of the past (true for fixed times and for"
    " sampling), and which old model a client works on does not depend on who was drawn",
    lambda s: True,
    stated=False,
)
BLIND = Assumption(
    "blind-batches",
    "batches are drawn afresh and independently by the clients, whoever takes part in the round and"
    " whatever was drawn before",
    lambda s: True,
    stated=False,
)
CERTAIN = Assumption(
    "certain-participation",
    "who delivers in which round, and with which weight, is fixed in advance",
    lambda s: True,
)
SLOW = Assumption(
    "learning-rate",
    "eta_l <= 1/(48 K L) min(1, 1/(3 rho^2 eta_g (tau + 1)))",
    _within_learning_rate,
)
SMALL_VARIANCE = formula_assumption(
    "small-variance", "2 alpha + beta <= 12 rho", CONDITION_VARIANCE
)


def condition(name: str, says: str, relation: sympy.Rel) -> Assumption:
    """A hypothesis that is one relation, decided on runs and on values."""
    return Assumption(name, says, Condition.of(says, relation))


_HALF = sympy.Rational(1, 2)
SHORT_DRIFT = condition(
    "short-drift", "D = 6 eta_l^2 (K-1)^2 L^2 <= 1/2", sympy.Le(DRIFT_SQUARED, _HALF)
)
CONDITION_SHORT_DRIFT = sympy.Le(KAPPA * DRIFT_SQUARED, _HALF)
SHORT_VIRTUAL_DRIFT = condition(
    "short-virtual-drift", "kappa D = 6 kappa eta_l^2 (K-1)^2 L^2 <= 1/2", CONDITION_SHORT_DRIFT
)
CONDITION_SHORT_DELAY = sympy.Le(
    12 * RHO**2 * (ALPHA + BETA) * STEP**2 * K**2 * STALENESS**2 * L**2, _HALF
)
SHORT_DELAY = condition(
    "short-delay",
    "12 rho^2 (alpha + beta) eta_g^2 eta_l^2 K^2 tau^2 L^2 <= 1/2",
    CONDITION_SHORT_DELAY,
)

LOSSES = (SMOOTH, CONVEX, UNBIASED)
"""Assumptions 1 to 3."""
PRINTED = (*LOSSES, FINITE, COVARIANCE, SLOW)
"""What Theorem 1 prints: Assumptions 1 to 5 and the learning rate."""
HYPOTHESES = (*PRINTED, SAMPLEWISE, INDEPENDENT, BLIND)
"""The same, and what its proof uses besides."""
REPAIRED = (*HYPOTHESES, SMALL_VARIANCE, MINIMISERS)
"""The same with the condition on the variance of the weights that A.5 needs, and minimisers."""
AT_VIRTUAL_MODELS = (
    SMOOTH,
    UNBIASED,
    SAMPLEWISE,
    CONVEX,
    FINITE,
    COVARIANCE,
    INDEPENDENT,
    BLIND,
    SHORT_VIRTUAL_DRIFT,
)
"""What Lemmas 3 to 6 need at the virtual models."""
IN_WINDOWS = (WINDOWS, BOUNDED)
"""What Theorem 3 prints besides."""
