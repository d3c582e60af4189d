"""Where the paper's comparisons of its bounds may fail: any constants, windows no shorter than the
fastest client's time."""

from fractions import Fraction
from math import ceil

from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.papers.fraboni.checks.orders import width
from fltheory.papers.fraboni.paper import DRIFT_SQUARED, W
from fltheory.papers.fraboni.spaces.named import space_of_values
from fltheory.papers.fraboni.statements.bounds import WINDOW_TERM


def _constants(choices: Choices, claim: Claim) -> Drawn:
    """Constants of any size; the cycle of a window that is no shorter than the fastest client."""
    ratio = choices.number(1, 20)
    window = choices.number(1, 5)
    return {
        "local_steps": choices.whole(1, 9) * 10 ** choices.whole(0, 2),
        "num_rounds": choices.whole(1, 9) * 10 ** choices.whole(0, 4),
        "num_clients": choices.whole(2, 50),
        "objective_spread": choices.number(0, 5),
        "optimum_noise": choices.number(0, 5),
        "hardware_ratio": ratio,
        "slowest_cycle": ceil(Fraction(ratio) / Fraction(window)),
    }


def _vanishing(choices: Choices, claim: Claim) -> Drawn:
    """epsilon_W at W = 1 and epsilon_K at K = 1, with drawn step sizes, spread and noise."""
    step, spread = choices.number(Fraction(1, 100), 1), choices.number(0, 5)
    at = {"local_steps": 1, "local_step_size": step, "smoothness": 1}
    drift = evaluate(DRIFT_SQUARED, at)
    return {
        "window_term_of_one_round": evaluate(WINDOW_TERM.subs(W, 1), {}),
        "drift_term_of_one_step": 4 * drift * spread,
    }


def _widths(choices: Choices, claim: Claim) -> Drawn:
    """Any weights and step sizes up to a tenth, up to 60 local steps."""
    size = choices.number(Fraction(1, 200), Fraction(1, 10))
    weights, steps = (choices.whole(1, 2), choices.whole(1, 2)), choices.whole(1, 60)
    return {
        "width_of_cycle": width(steps, size, weights),
        "width_with_one_more": width(steps + 1, size, weights),
    }


SPACES = (
    space_of_values(
        "orders",
        "Any constants, two clients or more.",
        _constants,
        "order.sync order.last_terms order.first_terms",
    ),
    space_of_values(
        "vanishing",
        "One round as a window, one local step.",
        _vanishing,
        "thm3.one_round thm1.one_step",
    ),
    space_of_values("widths", "Limit cycles of two clients in turn.", _widths, "exp.fig3.variance"),
)
