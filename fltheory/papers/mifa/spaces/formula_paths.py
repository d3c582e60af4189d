"""Where MIFA's asymptotics may fail: paths on which some of the constants grow."""

import sympy

from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.core.enclosure import as_expression
from fltheory.core.types import Formula
from fltheory.papers.mifa.spaces.drawing import space_of_values


def scaled(choices: Choices, value: int, *, whole: bool = False) -> Formula:
    """A value that stays, or grows or falls (not if it is whole) with SCALE along a path."""
    exponent = choices.choice([0, 1, 2, 3] if whole else [0, 1, 2, -1, -2])
    return as_expression(value) * SCALE**exponent


def _path_of_formulas(choices: Choices, claim: Claim) -> Drawn:
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
        late = worst**2 + values["initial_gap"] ** 2
        late *= counts["num_clients"] * counts["local_steps"] / (values["mean_staleness"] + 1)
        # at or above the printed horizon, up to rounding
        values["num_rounds"] = late + 1 + choices.whole(0, 2)
        free = ("smoothness", "gradient_noise", "dissimilarity_at_optimum", "initial_distance")
        values |= dict.fromkeys(free, sympy.S.One)
    if claim.id == "mifa.prop6.1.matching":
        ratio = (noise**2 + gap) / (noise * sympy.sqrt(gap) + sympy.exp(-SCALE))
        if sympy.limit(ratio, SCALE, sympy.oo) == sympy.oo:
            choices.reject("sigma sqrt(f_0 - f*) is of the order of sigma^2 + f_0 - f*")
    return values


def _blocks(choices: Choices, claim: Claim) -> Drawn:
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


def _growing_gap(choices: Choices, claim: Claim) -> Drawn:
    """One device that comes in rounds 1, c, c^2, ...: just before round c^(n+1) it has been away
    for c^(n+1) - 1 - c^n rounds, so that t0 is at least that minus (c^(n+1) - 1)/40; SCALE is
    c^n."""
    factor = choices.whole(2, 5)
    before = factor * SCALE - 1
    return {"initial_gap": before - SCALE - before / 40}


PATH = (
    "num_clients local_steps num_rounds gradient_noise initial_loss_gap max_staleness"
    " mean_client_max_staleness mean_staleness strong_convexity smoothness"
    " dissimilarity_at_optimum initial_distance initial_gap"
)
GROWING = "a path on which the named quantities grow"

SPACES = (
    space_of_values(
        "paths",
        "Constants that grow, fall or stay.",
        _path_of_formulas,
        PATH,
        "thm5.1.dominance rem5.1.match prop5.1.matching prop6.1.matching",
        told=GROWING,
    ),
    space_of_values(
        "blocks",
        "One device that is on for some rounds and off for others, both growing.",
        _blocks,
        "num_clients local_steps num_rounds mean_staleness mean_client_max_staleness"
        " max_staleness gradient_noise strong_convexity smoothness initial_loss_gap minimax_risk"
        " minimax_squared_gradient",
        "prop5.1.every prop6.1.every prop5.1.matching",
        told=GROWING,
    ),
    space_of_values(
        "growing-gap",
        "One device that comes in rounds which grow by a factor, so that its staleness is of the"
        " order of T.",
        _growing_gap,
        "initial_gap",
        "ass4.growth",
        told=GROWING,
    ),
)
