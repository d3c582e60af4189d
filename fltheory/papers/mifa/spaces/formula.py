"""Where MIFA's formulas and asymptotics may fail: constants of any size, paths on which some of
them grow."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import Any

import sympy

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Order, evaluate
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.claims.spaces.space import Space
from fltheory.core.enclosure import as_expression
from fltheory.papers.mifa.spaces.drawing import constants
from fltheory.papers.mifa.statements.nonconvex import BOUND_OF_THEOREM, STEP_SIZE
from fltheory.papers.mifa.statements.strongly_convex import FIRST_TERM, SECOND_TERM

Values = dict[str, Any]
STRONGLY_CONVEX = FIRST_TERM + SECOND_TERM
NAMES = {
    symbol.name for symbol in (STRONGLY_CONVEX + BOUND_OF_THEOREM + STEP_SIZE).free_symbols
} | {"clients_per_round", "gradient_bound", "server_step_size"}


def at(formula: sympy.Expr, values: Values, **changed: Any) -> sympy.Expr:
    """The formula at the values, some of them changed."""
    return evaluate(formula, {**values, **changed})


def admissible(choices: Choices) -> Values:
    """Constants of both theorems: mu <= L, taubar <= nubar <= nu_max, not more clients used than
    there are, t0 and sigma above 0."""
    values = constants(choices, NAMES)
    values["smoothness"] = values["strong_convexity"] * choices.number(1, 9)
    worst = values["max_staleness"]
    values["mean_client_max_staleness"] = worst * choices.number(0, 1)
    values["mean_staleness"] = values["mean_client_max_staleness"] * choices.number(0, 1)
    values["clients_per_round"] = choices.whole(1, min(values["num_clients"], 20))
    values["initial_gap"] = values["initial_gap"] + Fraction(1, 100)
    return values


def _theorem_one(choices: Choices, claim: Claim) -> Values:
    """The terms of Theorem 5.1: where they are equal, without absences, and as T grows (T times the
    bound is A + B/T, so A is exact)."""
    values = admissible(choices)
    values["gradient_noise"] = values["gradient_noise"] + (0 if choices.flag() else Fraction(1, 2))
    if not values["gradient_noise"]:
        if claim.id == "mifa.thm5.1.dominance.corrected":
            choices.reject("there is noise")
    else:
        values["turning_point"] = at(SECOND_TERM, values, num_rounds=0) / at(
            FIRST_TERM, values, num_rounds=0
        )
    horizon = values["num_rounds"] + 1
    once, twice = (
        n * at(STRONGLY_CONVEX, values, num_rounds=n - 1) for n in (horizon, 2 * horizon)
    )
    return values | {
        "leading_term": (2 * twice - once) / horizon,
        "bound_of_theorem": at(
            STRONGLY_CONVEX, values, mean_staleness=0, max_staleness=0, initial_gap=1
        ),
    }


def _theorem_two(choices: Choices, claim: Claim) -> Values:
    """Theorem 6.1 with its step size; T at or above the threshold that the claim names; sqrt(T)
    times the bound is A + B/sqrt(T)."""
    values = admissible(choices)
    size = values["num_clients"] * values["local_steps"]
    if claim.id == "mifa.thm6.1.threshold":
        values["num_rounds"] = (
            ceil(16 * values["smoothness"] * size) - 1 + choices.choice([0, 1, 10, 100])
        )
    horizon: Any = values["num_rounds"] + 1
    if claim.id == "mifa.thm6.1.stale_threshold":
        values["max_staleness"] = max(values["max_staleness"], 1)
        curved = values["smoothness"] ** 2 + values["hessian_smoothness"] * values["noise_bound"]
        horizon = 8 * size * values["max_staleness"] ** 2 * curved / values["smoothness"]
        if horizon != int(horizon):
            choices.reject("T is whole")
    values["num_rounds"] = horizon - 1
    values["local_step_size"] = at(STEP_SIZE, values)
    root = choices.whole(1, 5)
    once, twice = (n * at(BOUND_OF_THEOREM, values, num_rounds=n**2 - 1) for n in (root, 2 * root))
    return values | {
        "leading_term": 2 * twice - once,
        "bound_of_theorem": at(
            BOUND_OF_THEOREM, values, mean_client_max_staleness=0, max_staleness=0
        ),
    }


def _conditions(choices: Choices, claim: Claim) -> Values:
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


def _bounded_gradient(choices: Choices, claim: Claim) -> Values:
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


def scaled(choices: Choices, value: Any, *, whole: bool = False) -> sympy.Expr:
    """A value that stays, or grows or falls (not if it is whole) with SCALE along a path."""
    exponent = choices.choice([0, 1, 2, 3] if whole else [0, 1, 2, -1, -2])
    return as_expression(value) * SCALE**exponent


def _path_of_formulas(choices: Choices, claim: Claim) -> Values:
    """Constants of both theorems, each growing, falling or staying; T at the horizon that Section 5
    asks for where the claim names one."""
    noise, gap = (scaled(choices, choices.whole(0, 2)) for _ in range(2))
    counts = {
        name: scaled(choices, choices.whole(1, 3), whole=True)
        for name in ("num_clients", "local_steps", "num_rounds")
    }
    worst = scaled(choices, choices.whole(0, 2), whole=True)
    share, part = choices.choice([0, 1]), scaled(choices, 1, whole=True)
    clients_worst = share * worst if worst else sympy.S.Zero
    if worst and choices.flag():
        clients_worst = worst / (part * counts["num_clients"])  # one device alone is late
    values = {
        **counts,
        "gradient_noise": noise,
        "initial_loss_gap": gap,
        "max_staleness": worst,
        "mean_client_max_staleness": clients_worst,
        "mean_staleness": clients_worst * choices.choice([1, 0]),
        "strong_convexity": sympy.S.One,
        "smoothness": scaled(choices, 1, whole=True),
        "dissimilarity_at_optimum": scaled(choices, choices.whole(0, 1)),
        "initial_distance": scaled(choices, choices.whole(0, 1)),
        "initial_gap": scaled(choices, 1),
    }
    if claim.id == "mifa.thm5.1.dominance":
        late = (
            counts["num_clients"]
            * counts["local_steps"]
            * (worst**2 + values["initial_gap"] ** 2)
            / (values["mean_staleness"] + 1)
        )
        values["num_rounds"] = (
            late + 1 + choices.whole(0, 2)
        )  # at or above the printed horizon, up to rounding
        values |= dict.fromkeys(
            ("smoothness", "gradient_noise", "dissimilarity_at_optimum", "initial_distance"),
            sympy.S.One,
        )
    if (
        claim.id == "mifa.prop6.1.matching"
        and sympy.limit(
            (noise**2 + gap) / (noise * sympy.sqrt(gap) + sympy.exp(-SCALE)), SCALE, sympy.oo
        )
        == sympy.oo
    ):
        choices.reject("sigma sqrt(f_0 - f*) is of the order of sigma^2 + f_0 - f*")
    return values


def _blocks(choices: Choices, claim: Claim) -> Values:
    """One device: some rounds on, then some off, both growing or not; the risks of averaging and of
    SGD over the gradients taken.

    tau counts 1..b in the off rounds, so taubar = b (b + 1)/(2 (a + b)) and nubar = b. Averaging M
    gradients at w_1 has the risk sigma^2/(2 mu M); SGD with the best step size has E |grad f|^2 <=
    2 sqrt(2 L sigma^2 (f_0 - f*)/M), by the descent lemma.
    """
    on = scaled(choices, choices.whole(1, 3), whole=True)
    off = scaled(choices, choices.whole(0, 3), whole=True)
    steps = scaled(choices, choices.whole(1, 2), whole=True)
    taken = steps * on
    noise, gap = sympy.Integer(choices.whole(1, 3)), sympy.Integer(choices.whole(1, 3))
    size = sympy.Integer(choices.whole(1, 3))
    return {
        "num_clients": sympy.S.One,
        "local_steps": steps,
        "num_rounds": on + off,
        "mean_staleness": off * (off + 1) / (2 * (on + off)),
        "mean_client_max_staleness": off,
        "max_staleness": off,
        "gradient_noise": noise,
        "strong_convexity": size,
        "smoothness": size,
        "initial_loss_gap": gap,
        "minimax_risk": noise**2 / (2 * size * taken),
        "minimax_squared_gradient": 2 * sympy.sqrt(2 * size * noise**2 * gap / taken),
    }


def _growing_gap(choices: Choices, claim: Claim) -> Values:
    """One device that comes in rounds 1, c, c^2, ...: just before round c^(n+1) it has been away
    for c^(n+1) - 1 - c^n rounds, so that t0 is at least that minus (c^(n+1) - 1)/40; SCALE is
    c^n."""
    factor = choices.whole(2, 5)
    before = factor * SCALE - 1
    return {"initial_gap": before - SCALE - before / 40}


def _space(
    name: str,
    says: str,
    draw: Callable[[Choices, Claim], Values],
    symbols: set[str],
    claims: tuple[str, ...],
) -> Space:
    return Space(
        f"mifa.{name}",
        says,
        frozenset(symbols),
        lambda choices, claim: Instance(draw(choices, claim), _told(claim)),
        claims,
    )


def _told(claim: Claim) -> str:
    return (
        "a path on which the named quantities grow"
        if isinstance(claim.statement, Order)
        else "constants of the theorem"
    )


PATH = {
    "num_clients",
    "local_steps",
    "num_rounds",
    "gradient_noise",
    "initial_loss_gap",
    "max_staleness",
    "mean_client_max_staleness",
    "mean_staleness",
    "strong_convexity",
    "smoothness",
    "dissimilarity_at_optimum",
    "initial_distance",
    "initial_gap",
}

SPACES = (
    _space(
        "theorem-5.1-constants",
        "The constants of Theorem 5.1, of any size.",
        _theorem_one,
        NAMES | {"turning_point", "leading_term", "bound_of_theorem"},
        ("mifa.thm5.1.dominance.corrected", "mifa.rem5.1", "mifa.intro.rates"),
    ),
    _space(
        "theorem-6.1-constants",
        "The constants of Theorem 6.1 with its step size, T at or above its thresholds.",
        _theorem_two,
        NAMES | {"local_step_size", "leading_term", "bound_of_theorem"},
        (
            "mifa.thm6.1.balance",
            "mifa.thm6.1.noise",
            "mifa.thm6.1.drift",
            "mifa.thm6.1.*threshold",
            "mifa.rem6.1",
            "mifa.intro.nonconvex",
        ),
    ),
    _space(
        "conditions",
        "Condition numbers, offsets, chances and rounds of any size.",
        _conditions,
        {
            "strong_convexity",
            "smoothness",
            "step_offset",
            "round",
            "num_clients",
            "availability_probability",
            "confidence_gap",
            "level",
            "effort",
        },
        (
            "mifa.ass4",
            "mifa.thm5.1.eval",
            "mifa.thm5.2.1",
            "mifa.thm5.3.constant",
            "mifa.thm6.1.quadratic",
        ),
    ),
    _space(
        "bounded-gradient",
        "Gradients of up to four clients at one point, alpha below 1.",
        _bounded_gradient,
        {"squared_gradient", "dissimilarity_slope", "dissimilarity_offset"},
        ("mifa.ass7",),
    ),
    _space(
        "paths",
        "Constants that grow, fall or stay.",
        _path_of_formulas,
        PATH,
        (
            "mifa.thm5.1.dominance",
            "mifa.rem5.1.match",
            "mifa.prop5.1.matching",
            "mifa.prop6.1.matching",
        ),
    ),
    _space(
        "blocks",
        "One device that is on for some rounds and off for others, both growing.",
        _blocks,
        {
            "num_clients",
            "local_steps",
            "num_rounds",
            "mean_staleness",
            "mean_client_max_staleness",
            "max_staleness",
            "gradient_noise",
            "strong_convexity",
            "smoothness",
            "initial_loss_gap",
            "minimax_risk",
            "minimax_squared_gradient",
        },
        ("mifa.prop5.1", "mifa.prop6.1", "mifa.prop5.1.matching"),
    ),
    _space(
        "growing-gap",
        "One device that comes in rounds which grow by a factor, so that its staleness is of the"
        " order of T.",
        _growing_gap,
        {"initial_gap"},
        ("mifa.ass4.growth",),
    ),
)
