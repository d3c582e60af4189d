"""Where AFL's orders may fail: paths along which workers, rounds, local steps, delays or step sizes
grow or shrink."""

import sympy

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.claims.spaces.given import Drawn, space_of
from fltheory.papers import find_claim
from fltheory.papers.afl.paper import (
    LOCAL,
    NOISE,
    SERVER,
    M,
    T,
)
from fltheory.papers.afl.statements.memory import condition_4


def _taking_turns(choices: Choices, claim: Claim) -> Instance:
    """M workers take turns on x^2/2, one per round, K = 1: afl.cor3.floor bounds the error from
    below, for every M and 1/g whole above M.

    Here M = s^a and g = 1/s^k with k > a; T = s^b, and with Corollary 3's step sizes g = sqrt(M/T),
    so that b = a + 2k.
    """
    clients, speed = choices.whole(0, 3), choices.whole(1, 3)
    workers, step = SCALE**clients, SCALE ** -(clients + speed)
    rounds = SCALE ** (clients + 2 * (clients + speed))
    floor = find_claim("afl.cor3.floor").statement.right
    error = floor.xreplace(
        {M: workers, T: rounds, LOCAL: step, SERVER: sympy.S.One, NOISE: sympy.S.One}
    )
    rate = (1 - step * workers) ** 3 / 3
    values = {
        "num_clients": workers,
        "num_rounds": rounds,
        "local_steps": sympy.S.One,
        "mean_squared_gradient": sympy.expand(error),
        "noise_floor_per_step": rate,
        "clients_per_round": sympy.S.One,
    }
    return Instance(values, f"M = s^{clients} workers take turns, T = s^{3 * clients + 2 * speed}")


def _condition_sizes(choices: Choices, claim: Claim) -> Instance:
    """The left side of eq. (4) while K, tau and the step sizes grow or shrink; L = 1, all entries
    fresh or one stale."""
    steps, age = choices.choice((0, 1, 2)), choices.choice((None, 0, 1))
    local, server = choices.choice((0, -1, -2, 1)), choices.choice((0, -1, -2, -3, 1))
    clients, fresh = sympy.Integer(2), sympy.Integer(choices.choice((2, 1)))
    values: Drawn = {
        "local_steps": SCALE**steps,
        "max_staleness": sympy.S.Zero if age is None else SCALE**age,
        "local_step_size": SCALE**local / 100,
        "server_step_size": SCALE**server,
        "smoothness": sympy.S.One,
        "num_clients": clients,
        "fresh_entries": fresh,
    }
    four = condition_4(320)
    values["condition_four"] = sympy.expand(
        four.xreplace({s: values[s.name] for s in four.free_symbols})
    )
    return Instance(
        values,
        f"K = s^{steps}, tau = {'0' if age is None else f's^{age}'}, eta_L = s^{local}/100, eta ="
        f" s^{server}",
    )


def _descent(choices: Choices, claim: Claim) -> Instance:
    """m workers, all of them in every round, on x^2/2 with noise, eta_L = 1/sqrt(T), eta = sqrt(m),
    T = m s^2: so g = 1/s; K = 1, no delay.

    E x_t^2 = a^t x0^2 + (g^2 sigma^2/m) (1 - a^t)/(1 - a) with a = (1 - g)^2; here its mean over t
    < T.
    """
    per_round = sympy.Integer(choices.whole(1, 4))
    noise = sympy.Integer(choices.whole(0, 2))
    start = sympy.Integer(choices.whole(0, 2))
    rounds, step = per_round * SCALE**2, 1 / SCALE
    keep = (1 - step) ** 2
    mixed = step**2 * noise**2 / per_round / (1 - keep)
    error = mixed + (start**2 - mixed) * (1 - keep**rounds) / ((1 - keep) * rounds)
    values = {
        "clients_per_round": per_round,
        "num_clients": per_round,
        "num_rounds": rounds,
        "local_steps": sympy.S.One,
        "max_delay": sympy.S.Zero,
        "dissimilarity": sympy.S.Zero,
        "mean_squared_gradient": error,
        "gradient_noise": noise,
    }
    return Instance(values, f"m = M = {per_round}, noise {noise}, start {start}, T = m s^2")


def _rate_bounds(choices: Choices, claim: Claim) -> Instance:
    """Corollaries 2 and 3 with constants while M, m, K and T grow together, from their horizons
    on; L = sigma_L = sigma_G = f_0 - f* = 1, no delay."""
    clients, steps, spare = choices.whole(0, 2), choices.whole(0, 2), choices.whole(0, 4)
    single = claim.id == "afl.rem7.rate"
    taken = sympy.S.One if single else SCALE**steps
    workers, power = SCALE ** (2 * clients), max(2 * clients, 0 if single else 4 * steps) + spare
    values: Drawn = {
        "num_clients": 4 * workers,
        "clients_per_round": 4 * workers,
        "num_rounds": 144 * SCALE ** (2 * power),
        "local_steps": taken,
        "least_local_steps": taken,
        "max_staleness": sympy.S.Zero,
        **dict.fromkeys(
            ("smoothness", "gradient_noise", "dissimilarity", "initial_loss_gap"), sympy.S.One
        ),
    }
    name, theorem = (
        ("bound_with_fresh_memory", "afl.cor3.explicit")
        if single
        else ("leading_term", "afl.cor2.explicit")
    )
    bound = find_claim(theorem).statement.right
    at = bound.xreplace({s: values[s.name] for s in bound.free_symbols})
    return Instance(
        {**values, name: sympy.powdenest(sympy.expand(at), force=True)},
        f"M = 4 s^{2 * clients}, K = {taken}, T = 144 s^{2 * power}",
    )


SPACES = (
    space_of(
        "afl rate bounds",
        "Bounds with constants while workers, local steps and rounds grow together.",
        "num_clients clients_per_round num_rounds local_steps leading_term bound_with_fresh_memory",
        _rate_bounds,
        ("afl.rem4.faster", "afl.rem7.rate"),
    ),
    space_of(
        "afl turns",
        "Workers that take turns; their number, the rounds and the step sizes grow or shrink"
        " together.",
        "num_clients num_rounds local_steps mean_squared_gradient noise_floor_per_step"
        " clients_per_round",
        _taking_turns,
        ("afl.cor3", "afl.rem7"),
    ),
    space_of(
        "afl condition 4",
        "Paths along which K, tau and the step sizes grow or shrink.",
        "local_steps max_staleness local_step_size server_step_size smoothness"
        " num_clients fresh_entries condition_four",
        _condition_sizes,
        ("afl.rem5.sizes", "afl.rem5.sizes.corrected"),
    ),
    space_of(
        "afl noisy descent",
        "All workers in every round on x^2/2 with noise, T grows.",
        "clients_per_round num_clients num_rounds local_steps max_delay dissimilarity"
        " mean_squared_gradient gradient_noise",
        _descent,
        ("afl.cor1", "afl.cor2"),
    ),
)
