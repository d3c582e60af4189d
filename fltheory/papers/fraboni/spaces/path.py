"""Where this paper's orders may fail: paths along which constants grow, at step sizes that Theorem
1 allows."""

import sympy

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.core.types import Formula
from fltheory.papers.fraboni.checks.appendix_types import LIGHT_CLIENT
from fltheory.papers.fraboni.spaces.conditions import restated
from fltheory.papers.fraboni.spaces.named import space_of
from fltheory.papers.fraboni.statements.application_bounds import SAMPLED_BOUND

Path = dict[str, Formula]
ONE = sympy.S.One
FIXED = (
    "initial_distance_squared optimum_noise local_steps hardware_ratio balance_period smoothness"
    " gradient_bound"
)


def _grown(choices: Choices, *, least: int = 0, most: int = 3, falls: bool = False) -> Formula:
    """A number of `least` or more times a power of SCALE."""
    powers = (0, 1, 2, 3, -1, -2) if falls else (0, 1, 2, 3)
    return sympy.Integer(choices.whole(least, most)) * SCALE ** choices.choice(powers)


def _applications(choices: Choices, claim: Claim) -> Instance:
    """Section 4 and Appendix C with eta_l = 1/sqrt(K N): everything may grow; N grows so fast that
    Theorem 1 allows the step size.

    The step must be at most 1/(144 K rho^2 (tau + 1)) with rho and tau at most products of the
    clients and the hardware's powers.
    """
    clients, steps = _grown(choices, least=1), _grown(choices, least=1)
    ratio, cycle = (ONE * SCALE ** choices.choice((0, 1, 2)) for _ in range(2))
    smooth = sympy.Integer(choices.whole(1, 3))
    late = _grown(choices, least=1)
    window = _grown(choices, least=1)
    needed = 10**8 * steps**3 * clients**6 * ratio**20 * cycle**20 * late**4
    rounds = needed * SCALE ** choices.choice((0, 1, 2))
    values: Path = {
        "num_clients": clients,
        "local_steps": steps,
        "hardware_ratio": ratio,
        "slowest_cycle": cycle,
        "smoothness": smooth,
        "max_staleness": late,
        "balance_period": window,
        "num_rounds": rounds,
        "initial_distance_squared": _grown(choices),
        "objective_spread": _grown(choices),
        "optimum_noise": _grown(choices),
        "round_optimum_noise": _grown(choices),
        "round_optimum_noise_squared": _grown(choices),
        "gradient_bound": _grown(choices),
    }
    return Instance(
        values, "constants of Section 4 that grow, N fast enough for the step size of Theorem 1"
    )


def _literature(choices: Choices, claim: Claim) -> Instance:
    """Section 4.5: all problem constants 1 and the hardware fixed; the clients, the staleness and N
    grow, the step falls.

    Where clients grow, N grows at least like their square, as an order in N alone must bear.
    """
    power = choices.choice((0, 1, 2)) if claim.id == "fraboni.lit" else choices.choice((0, 1))
    clients = 2 * SCALE**power
    faster = choices.choice((2, 4)) if claim.id == "fraboni.lit" else 4
    rounds = SCALE ** (faster * max(power, 1))
    values: Path = dict.fromkeys(FIXED.split(), ONE)
    return Instance(
        values | {"num_clients": clients, "num_rounds": rounds, "objective_spread": sympy.S.Zero},
        "problem constants 1, one window, clients and rounds grow",
    )


def _delayed(choices: Choices, claim: Claim) -> Instance:
    """Comparison with rates under delay: tau grows, N faster; eta_l = 1/(tau sqrt(tau N)) or
    shorter, within Theorem 1; W at most tau."""
    late = SCALE ** choices.choice((1, 2))
    rounds = late ** choices.choice((3, 4))
    size = late ** -choices.choice((2, 3)) if claim.id == "fraboni.lit.stich" else late**-2
    if claim.id == "fraboni.lit.zinkevich":
        rounds = late**3
    values: Path = dict.fromkeys(("initial_distance_squared", "optimum_noise", "local_steps"), ONE)
    return Instance(
        values
        | {
            "max_staleness": late,
            "num_rounds": rounds,
            "local_step_size": size,
            "balance_period": late,
        },
        "tau and N grow, the step size falls",
    )


def _central(choices: Choices, claim: Claim) -> Instance:
    """Centralized learning: K local steps of size 1/(144 K L) or shorter, everything may grow."""
    steps, smooth = _grown(choices, least=1), sympy.Integer(choices.whole(1, 2))
    rounds = 10**8 * steps * SCALE ** choices.choice((0, 1, 2))
    size = ONE / (144 * steps * (smooth if choices.flag() else sympy.sqrt(rounds)))
    return Instance(
        {
            "local_steps": steps,
            "smoothness": smooth,
            "num_rounds": rounds,
            "local_step_size": size,
            "initial_distance_squared": _grown(choices),
            "optimum_noise": _grown(choices),
            "server_step_size": ONE,
            "objective_spread": _grown(choices),
        },
        "K and N grow at the step size of Theorem 1",
    )


def _total_weight(choices: Choices, claim: Claim) -> Instance:
    """Theorem 1 at its step size: the total weight of a round may grow, and the other constants
    too."""
    steps, late = _grown(choices, least=1), _grown(choices)
    total, smooth = ONE * SCALE ** choices.choice((0, 1, 2)), sympy.Integer(choices.whole(1, 2))
    largest = total if choices.flag() else ONE
    alpha = sympy.Integer(choices.whole(0, 1))
    beta = largest * choices.choice((0, 1)) if alpha else largest
    return Instance(
        {
            "local_steps": steps,
            "max_staleness": late,
            "largest_total_weight": total,
            "smoothness": smooth,
            "server_step_size": ONE,
            "num_rounds": _grown(choices, least=1),
            "covariance_factor": alpha,
            "variance_excess": beta,
            "largest_weight": largest,
            "local_step_size": ONE / (144 * steps * smooth * total**2 * (late + 1)),
            **{
                name: _grown(choices, most=2)
                for name in (
                    "initial_distance_squared",
                    "objective_spread",
                    "round_optimum_noise",
                    "optimum_noise",
                )
            },
            "round_optimum_noise_squared": _grown(choices, most=1),
        },
        "the largest total weight grows, at the step size of Theorem 1",
    )


def _light(choices: Choices, claim: Claim) -> Instance:
    """One client of weight w for c/w rounds of step size 1/144, start 1: squared gradients stay
    above 1 - 2 c/144 (Bernoulli)."""
    weight, count = SCALE ** -choices.choice((0, 1, 2)), choices.whole(1, 8)
    return Instance(
        LIGHT_CLIENT
        | {
            "mean_step_gradient": 1 - sympy.Rational(2 * count, 144),
            "num_rounds": count / weight,
            "largest_weight": weight,
            "local_step_size": sympy.Rational(1, 144),
        },
        f"one client whose weight falls, {count}/weight rounds",
    )


def _sampled_limit(choices: Choices, claim: Claim) -> Instance:
    """One of two clients (optima 1 and -1) per round from the optimum, K local steps of size x/K:
    the limiting gap is at least (x - x^2/2)/4 (1 - x)^2, as a round moves by phi >= x - x^2/2 and E
    theta^2 tends to phi/(2 - phi).
    """
    power = choices.choice((0, 1, 2))
    steps, moved = SCALE ** (2 * power), ONE / (144 * SCALE ** choices.choice((0, 1, 2)))
    names = ("server_step_size", "optimum_noise", "variance_excess", "smoothness")
    values: Path = dict.fromkeys(names, ONE) | {
        "limiting_gap": (moved - moved**2 / 2) / 4 * (1 - moved) ** 2,
        "local_step_size": moved / steps,
        "local_steps": steps,
        "num_clients": sympy.Integer(2),
        "covariance_factor": sympy.S.Zero,
    }
    bound = SAMPLED_BOUND.subs({s: values[s.name] for s in SAMPLED_BOUND.free_symbols})
    return Instance(values | {"limiting_bound": bound}, "K grows, the step size falls")


SPACES = restated(
    (
        space_of(
            "applications",
            "Constants of Section 4 and Appendix C that grow.",
            _applications,
            "eq11 eq13 eq13.heterogeneity eq13.corrected eq15 eq15.corrected eq34 eq34.corrected",
        ),
        space_of(
            "literature",
            "Fixed hardware and losses; clients and rounds grow.",
            _literature,
            "lit lit.corrected",
        ),
        space_of(
            "delays",
            "The staleness and the rounds grow, the step size falls.",
            _delayed,
            "lit.stich lit.zinkevich",
        ),
        space_of(
            "central",
            "Centralized learning with growing local work.",
            _central,
            "eq33 eq33.corrected",
        ),
        space_of(
            "total-weight",
            "Theorem 1 at its step size with growing constants.",
            _total_weight,
            "thm1.hidden_rho eq31 eq31.corrected",
        ),
        space_of(
            "light",
            "One client whose weight falls.",
            _light,
            "thm2",
        ),
        space_of(
            "sampled-limit",
            "One of two clients sampled, local work grows.",
            _sampled_limit,
            "app.unbiased app.unbiased.corrected",
        ),
    )
)
