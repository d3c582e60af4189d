"""Where MIFA's formulas may fail: constants of any size."""

from fractions import Fraction
from math import ceil

from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.core.types import Formula, Scalar, Values
from fltheory.papers.mifa.spaces.drawing import Numbers, constants, names_in, space_of_values
from fltheory.papers.mifa.statements.nonconvex import BOUND_OF_THEOREM, STEP_SIZE
from fltheory.papers.mifa.statements.strongly_convex import FIRST_TERM, SECOND_TERM

STRONGLY_CONVEX = FIRST_TERM + SECOND_TERM
NAMES = names_in(
    STRONGLY_CONVEX + BOUND_OF_THEOREM + STEP_SIZE,
    "clients_per_round gradient_bound server_step_size",
)


def at(formula: Formula, values: Values, **changed: Scalar) -> Formula:
    """The formula at the values, some of them changed."""
    return evaluate(formula, {**values, **changed})


def admissible(choices: Choices) -> Numbers:
    """Constants of both theorems: mu <= L, taubar <= nubar <= nu_max, not more clients used than
    there are, t0 and sigma above 0."""
    values = constants(choices, NAMES)
    values["smoothness"] = values["strong_convexity"] * choices.number(1, 9)
    worst = values["max_staleness"]
    values["mean_client_max_staleness"] = worst * choices.number(0, 1)
    values["mean_staleness"] = values["mean_client_max_staleness"] * choices.number(0, 1)
    values["clients_per_round"] = choices.whole(1, min(int(values["num_clients"]), 20))
    values["initial_gap"] = values["initial_gap"] + Fraction(1, 100)
    return values


def _theorem_one(choices: Choices, claim: Claim) -> Drawn:
    """The terms of Theorem 5.1: where they are equal, without absences, and as T grows (T times the
    bound is A + B/T, so A is exact)."""
    values = admissible(choices)
    values["gradient_noise"] = values["gradient_noise"] + (0 if choices.flag() else Fraction(1, 2))
    drawn: Drawn = {}
    if values["gradient_noise"]:
        second, first = (at(term, values, num_rounds=0) for term in (SECOND_TERM, FIRST_TERM))
        drawn["turning_point"] = second / first
    elif claim.id == "mifa.thm5.1.dominance.corrected":
        choices.reject("there is noise")
    horizon = values["num_rounds"] + 1
    once, twice = (
        n * at(STRONGLY_CONVEX, values, num_rounds=n - 1) for n in (horizon, 2 * horizon)
    )
    drawn["leading_term"] = (2 * twice - once) / horizon
    drawn["bound_of_theorem"] = at(
        STRONGLY_CONVEX, values, mean_staleness=0, max_staleness=0, initial_gap=1
    )
    return {**values, **drawn}


def _theorem_two(choices: Choices, claim: Claim) -> Drawn:
    """Theorem 6.1 with its step size; T at or above the threshold that the claim names; sqrt(T)
    times the bound is A + B/sqrt(T)."""
    values = admissible(choices)
    size = values["num_clients"] * values["local_steps"]
    if claim.id == "mifa.thm6.1.threshold":
        values["num_rounds"] = (
            ceil(16 * values["smoothness"] * size) - 1 + choices.choice([0, 1, 10, 100])
        )
    if claim.id == "mifa.thm6.1.stale_threshold":
        values["max_staleness"] = max(values["max_staleness"], 1)
        curved = values["smoothness"] ** 2 + values["hessian_smoothness"] * values["noise_bound"]
        worst = Fraction(values["max_staleness"]) ** 2
        horizon = 8 * size * worst * curved / values["smoothness"]
        if horizon != int(horizon):
            choices.reject("T is whole")
        values["num_rounds"] = horizon - 1
    known: Drawn = {**values, "local_step_size": at(STEP_SIZE, values)}
    root = choices.whole(1, 5)
    once, twice = (n * at(BOUND_OF_THEOREM, known, num_rounds=n**2 - 1) for n in (root, 2 * root))
    return known | {
        "leading_term": 2 * twice - once,
        "bound_of_theorem": at(
            BOUND_OF_THEOREM, known, mean_client_max_staleness=0, max_staleness=0
        ),
    }


def _conditions(choices: Choices, claim: Claim) -> Drawn:
    """L >= mu and the offset a >= 100 (L/mu)^1.5; the limits of Theorem 5.2 at any round, also
    where they touch."""
    root = choices.number(1, 6)
    convexity = choices.number(Fraction(1, 4), 4)
    chance, level = choices.number(Fraction(1, 10), 1), choices.number(Fraction(1, 100), 1)
    touching = max(1, round(40 * root**3 / chance))
    return {
        "strong_convexity": convexity,
        "smoothness": convexity * root**2,
        "step_offset": 100 * root**3 + choices.choice([0, 1, 50, 1000]),
        "round": touching if choices.flag() else choices.whole(1, 600),
        "num_clients": choices.whole(1, 200),
        "availability_probability": chance,
        "confidence_gap": level,
        "level": choices.number(1, 20),
        "effort": choices.number(Fraction(1, 4), 20),
    }


def _bounded_gradient(choices: Choices, claim: Claim) -> Drawn:
    """Client gradients at one point with mean square at most alpha |grad f|^2 + beta, alpha below
    1."""
    gradients = [choices.number(-3, 3) for _ in range(choices.whole(1, 4))]
    square, mean = sum(g * g for g in gradients) / len(gradients), sum(gradients) / len(gradients)
    slope = choices.number(Fraction(1, 10), Fraction(9, 10))
    offset = square - slope * mean**2 + choices.choice([Fraction(0), Fraction(1), Fraction(1, 4)])
    if offset <= 0:
        choices.reject("beta is positive")
    return {
        "squared_gradient": mean**2,
        "dissimilarity_slope": slope,
        "dissimilarity_offset": offset,
    }


CONSTANTS = "constants of the theorem"

SPACES = (
    space_of_values(
        "theorem-5.1-constants",
        "The constants of Theorem 5.1, of any size.",
        _theorem_one,
        NAMES | {"turning_point", "leading_term", "bound_of_theorem"},
        "thm5.1.dominance.corrected rem5.1 intro.rates",
        told=CONSTANTS,
    ),
    space_of_values(
        "theorem-6.1-constants",
        "The constants of Theorem 6.1 with its step size, T at or above its thresholds.",
        _theorem_two,
        NAMES | {"local_step_size", "leading_term", "bound_of_theorem"},
        "thm6.1.balance thm6.1.noise thm6.1.drift thm6.1.*threshold rem6.1 intro.nonconvex",
        told=CONSTANTS,
    ),
    space_of_values(
        "conditions",
        "Condition numbers, offsets, chances and rounds of any size.",
        _conditions,
        "strong_convexity smoothness step_offset round num_clients availability_probability"
        " confidence_gap level effort",
        "ass4 thm5.1.eval thm5.2.1 thm5.3.constant thm6.1.quadratic",
        told=CONSTANTS,
    ),
    space_of_values(
        "bounded-gradient",
        "Gradients of up to four clients at one point, alpha below 1.",
        _bounded_gradient,
        "squared_gradient dissimilarity_slope dissimilarity_offset",
        "ass7",
        told=CONSTANTS,
    ),
)
