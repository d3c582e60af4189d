"""MIFA with one local step for all rounds, clients and traces: the identity behind its potential,
and the period in which it breaks beyond eta L (tau_max + 1) = 2."""

import sympy

from fltheory.claims.claim import (
    Assumption,
    Authorship,
    Claim,
    Identity,
    Source,
    SpecialCase,
    UpperBound,
    letter,
)
from fltheory.claims.condition import formula_assumption
from fltheory.core.vocabulary import symbol
from fltheory.papers.mifa.paper import (
    CONVEX,
    CONVEXITY,
    DISTANCE,
    FIRST_ROUND,
    GAP,
    MAX_STALENESS,
    MIFA_RUN,
    PAPER,
    ROUNDS,
    SMOOTH,
    SMOOTHNESS,
)
from fltheory.papers.mifa.statements.best import FIXED, LAST_DISTANCE
from fltheory.papers.mifa.statements.best_nonconvex import ONE_STEP

STEP = symbol("local_step_size")
ELAPSED = letter("elapsed_steps", positive=True)
MOVED, MIXED, AWAY = (
    letter("squared_move", nonnegative=True),
    letter("move_times_distance"),
    letter("squared_distance_to_last", nonnegative=True),
)
SQUARE = (ELAPSED**2 * MOVED - 2 * ELAPSED * STEP * MIXED + STEP**2 * AWAY) / (
    STEP * ELAPSED * (ELAPSED + STEP)
)
"""|S m - eta d|^2/(eta S (S + eta)), written in inner products."""

FACTOR = 1 - (MAX_STALENESS + 1) * STEP * SMOOTH

REACH = STEP * SMOOTH * (MAX_STALENESS + 1)
"""eta L (tau_max + 1): the loss never rises up to 2, and can grow without bound beyond."""
THEOREM_RATE = (1 + REACH) ** 2 * GAP / ((1 - REACH / 2) * STEP * ROUNDS)
CONDITION_REACH = sympy.Lt(REACH, 2)
SHORT_REACH = formula_assumption("mifa.reach", "eta L (tau_max + 1) < 2", CONDITION_REACH)
HALF_REACH = formula_assumption("mifa.half-reach", "eta L (tau_max + 1) <= 1", sympy.Le(REACH, 1))
CURVED = formula_assumption("mifa.curved", "10 mu <= L", sympy.Le(10 * CONVEX, SMOOTH))
EXACT = Assumption(
    "mifa.exact",
    "gradients are exact",
    lambda s: s.problem.constants.gradient_noise_squared == 0,
)

CLAIMS = (
    Claim(
        id="mifa.potential.rate",
        source=Source(PAPER, "Algorithm 1 with one local step", kind=Authorship.OURS),
        says=(
            "With exact gradients, one local step and a constant step size up to the sharp limit"
            " 2/(L (tau_max + 1)), MIFA's mean squared gradient falls like 1/T on all smooth"
            " losses, convex or not, however the clients differ."
        ),
        statement=UpperBound(symbol("mean_squared_gradient"), THEOREM_RATE),
        assumes=(MIFA_RUN, SMOOTHNESS, FIRST_ROUND, FIXED, ONE_STEP, EXACT, SHORT_REACH),
        about=("mifa",),
        note=(
            "FedLaAvg and AFA-CS with one local step and exact gradients are the same method."
            " Beyond the limit the model can leave every bounded set: mifa.potential.period. We"
            " know of no earlier statement."
        ),
    ),
    Claim(
        id="mifa.potential.distance",
        source=Source(PAPER, "Algorithm 1 with one local step", kind=Authorship.OURS),
        says=(
            "With exact gradients, one local step, a constant step size up to 1/(L (tau_max + 1))"
            " and L/mu at least 10, MIFA's squared distance to the optimum after R rounds is at"
            " most (1 - eta mu)^R times that of the start, however long clients are away and"
            " however they differ: half the rate of gradient descent with the same step size."
        ),
        statement=UpperBound(LAST_DISTANCE, (1 - STEP * CONVEX) ** ROUNDS * DISTANCE**2),
        assumes=(
            MIFA_RUN,
            SMOOTHNESS,
            CONVEXITY,
            FIRST_ROUND,
            FIXED,
            ONE_STEP,
            EXACT,
            HALF_REACH,
            CURVED,
        ),
        about=("mifa",),
        note=(
            "The condition on L/mu is no loss: a loss that is mu-strongly convex is so with every"
            " smaller mu. FedLaAvg and AFA-CS with one local step and exact gradients are the same"
            " method. For a single staleness, and steps up to 2/(L (tau_max + 1)), fltheory forever"
            " finds faster rates. We know of no earlier statement."
        ),
    ),
    Claim(
        id="mifa.potential.identity",
        source=Source(PAPER, "Algorithm 1 with one local step", kind=Authorship.OURS),
        says=(
            "What a round takes from a client's share of the potential f_i(w_s) + <grad f_i(w_s), w"
            " - w_s> + |w - w_s|^2/S, where S adds up the steps since the response at w_s, is a"
            " square divided by a positive number."
        ),
        statement=Identity(letter("taken_in_a_round"), SQUARE),
        where={
            "taken_in_a_round": (
                "|m|^2/eta + |d|^2/S - |d + m|^2/(S + eta), with m = w_{t+1} - w_t, d = w_t - w_s"
            ),
            "elapsed_steps": "S, the sum of the step sizes since the client's last response",
            "squared_move": "|m|^2",
            "move_times_distance": "<m, d>",
            "squared_distance_to_last": "|d|^2",
        },
        special_cases=(
            SpecialCase(
                "m = -d, S = eta = 1",
                {
                    "elapsed_steps": 1,
                    "local_step_size": 1,
                    "squared_move": 1,
                    "move_times_distance": -1,
                    "squared_distance_to_last": 1,
                },
                "2",
            ),
        ),
        note=(
            "Its mean over the clients shows that the potential never rises on smooth losses,"
            " convex or not, while no client's steps between two responses add up to more than 2/L."
            " We know of no earlier statement."
        ),
    ),
    Claim(
        id="mifa.potential.period",
        source=Source(PAPER, "Algorithm 1 with one local step", kind=Authorship.OURS),
        says=(
            "If everybody responds in every (tau_max + 1)-th round only, and all losses are L/2"
            " w^2, a period multiplies the model by 1 - (tau_max + 1) eta L."
        ),
        statement=Identity(letter("period_factor"), FACTOR),
        where={"period_factor": "w after a period, divided by w before it"},
        special_cases=(
            SpecialCase(
                "at the edge",
                {"max_staleness": 3, "local_step_size": "1/2", "smoothness": 1},
                "-1",
            ),
        ),
        note=(
            "So MIFA does not converge for eta >= 2/(L (tau_max + 1)), the step up to which the"
            " potential shows that the loss never rises above its start."
        ),
    ),
)
