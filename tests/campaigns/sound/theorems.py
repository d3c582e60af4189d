"""Known theorems as claims with random constants, methods and additional conditions: every claim
made here is true."""

import random
from collections.abc import Callable

Fields = dict[str, object]
"""The fields of a claim, as a file has them."""

Theorem = Callable[[random.Random], Fields]

STEP, L, MU, T, N = "local_step_size", "smoothness", "strong_convexity", "num_rounds", "num_clients"
ALONE = ["local_steps = 1", "least_local_steps = 1", "server_step_size = 1"]
EVERYBODY = [*ALONE, "availability_window = 1"]
QUIET = "gradient_noise = 0"
ANY_METHOD = ("fedavg", "mifa", "fedlaavg", "scaffold", "afa-cd", "afa-cs")
LIKE_DESCENT = ("fedavg", "mifa", "fedlaavg", "scaffold", "afa-cs", "afa-cd", "mifa-difference")
"""With one local step, everybody in every round and no delay these are gradient descent."""


def slack(rng: random.Random) -> str:
    """A factor of at least 1; often 1."""
    return rng.choice(("1", "1", "1", "21/20", "3/2", "2", "10"))


def share(rng: random.Random) -> str:
    """A part of a step size's limit; often all of it."""
    return rng.choice(("1", "1", "9/10", "1/2", "1/4", "1/100"))


def more(rng: random.Random) -> list[str]:
    """Conditions that a theorem does not need."""
    options = (
        f"{N} = {rng.randint(1, 12)}",
        f"{N} >= {rng.choice((2, 3, 10, 50))}",
        f"{T} >= {rng.choice((2, 5, 20, 60))}",
        f"{T} <= {rng.choice((1, 2, 3, 10))}",
        f"{L} = {rng.choice(('1', '10', '1/7'))}",
        f"{L} <= {rng.choice(('2', '5'))}",
    )
    count = rng.choice((0, 0, 1, 1, 2))
    picked = rng.sample(range(len(options)), count)
    kinds = {0: N, 1: N, 2: T, 3: T, 4: L, 5: L}
    return [options[k] for k in picked if sum(kinds[j] == kinds[k] for j in picked) == 1]


def about_runs(
    rng: random.Random, left: str, sign: str, right: str, assumes: list[str], **more_fields: object
) -> Fields:
    """A claim about runs with conditions that it does not need."""
    fields: Fields = {"left": left, "sign": sign, "right": right}
    return fields | {"assumes": [*assumes, *more(rng)], "about": ["fedavg"]} | more_fields


def like_descent(rng: random.Random) -> Fields:
    """Any of the methods that are gradient descent there."""
    return {"about": [rng.choice(LIKE_DESCENT)]}


def short(rng: random.Random, factor: str = "1") -> str:
    """A step size up to the limit."""
    return f"{STEP}*{L}*{factor} <= {share(rng)}"


def descent(rng: random.Random) -> Fields:
    """Gradient descent, not convex."""
    right = f"{slack(rng)}*2*initial_loss_gap/({STEP}*{T})"
    own = [*EVERYBODY, QUIET, "max_delay = 0", short(rng)]
    return about_runs(rng, "mean_squared_gradient", "<=", right, own, **like_descent(rng))


def noisy_descent(rng: random.Random) -> Fields:
    """Parallel SGD, not convex."""
    right = f"2*initial_loss_gap/({STEP}*{T}) + {slack(rng)}*{STEP}*{L}*gradient_noise^2/{N}"
    left = rng.choice(("mean_squared_gradient", "min_squared_gradient"))
    return about_runs(rng, left, "<=", right, [*EVERYBODY, short(rng)])


def contraction(rng: random.Random) -> Fields:
    """SGD, strongly convex: the distance."""
    right = (
        f"(1 - {STEP}*{MU})^{T}*initial_distance^2"
        f" + {slack(rng)}*{STEP}*gradient_noise^2/({MU}*{N})"
    )
    own = [*EVERYBODY, short(rng)]
    losses = {"losses": "strongly-convex"}
    return about_runs(rng, "last_squared_distance", "<=", right, own, **losses)


def pl_rate(rng: random.Random) -> Fields:
    """SGD under PL."""
    right = (
        f"(1 - {STEP}*pl_constant)^{T}*initial_loss_gap"
        f" + {slack(rng)}*{STEP}*{L}*gradient_noise^2/(2*pl_constant*{N})"
    )
    return about_runs(rng, "last_loss_gap", "<=", right, [*EVERYBODY, short(rng)])


def convex_last(rng: random.Random) -> Fields:
    """Gradient descent, convex: the last model."""
    left, right = rng.choice(
        (
            ("last_loss_gap", f"initial_distance^2/(2*{STEP}*{T})"),
            ("last_squared_gradient", f"initial_distance^2/({STEP}*{T})^2"),
            ("last_squared_distance", "initial_distance^2"),
        )
    )
    own = [*EVERYBODY, QUIET, "max_delay = 0", short(rng)]
    bound = f"{slack(rng)}*{right}"
    return about_runs(rng, left, "<=", bound, own, losses="convex", **like_descent(rng))


def convex_average(rng: random.Random) -> Fields:
    """SGD, convex: averages."""
    right = (
        f"{slack(rng)}*initial_distance^2/(2*{STEP}*(1 - {STEP}*{L})*{T})"
        f" + {STEP}*gradient_noise^2/(2*{N}*(1 - {STEP}*{L}))"
    )
    left = rng.choice(("average_loss_gap", "loss_gap_of_average"))
    own = [*EVERYBODY, f"{STEP}*{L} <= {rng.choice(('1/2', '9/10', '1/10'))}"]
    return about_runs(rng, left, "<=", right, own, losses="convex")


def sampled(rng: random.Random) -> Fields:
    """Clients sampled without replacement, not convex."""
    right = (
        f"2*initial_loss_gap/({STEP}*{T}) + {slack(rng)}*{STEP}*{L}*(gradient_noise^2"
        f"/clients_per_round + mean_dissimilarity^2*({N} - clients_per_round)"
        f"/(clients_per_round*({N} - 1)))"
    )
    own = [*ALONE, f"{N} >= 2", "clients_per_round >= 1", short(rng)]
    return about_runs(rng, "mean_squared_gradient", "<=", right, own, participation="uniform")


def delayed(rng: random.Random) -> Fields:
    """Delayed gradients of one client, not convex."""
    right = f"{slack(rng)}*2*initial_loss_gap/({STEP}*{T})"
    own = [*ALONE, QUIET, f"{N} = 1", "clients_per_round = 1"]
    own += [f"{STEP}*{L}*(1 + {STEP}*{L}*max_delay^2) <= {share(rng)}"]
    return about_runs(rng, "mean_squared_gradient", "<=", right, own) | {
        "assumes": own,
        "about": ["afa-cd"],
    }


def growing_noise(rng: random.Random) -> Fields:
    """One client whose noise grows with its gradient, not convex."""
    right = f"2*initial_loss_gap/({STEP}*{T}) + {slack(rng)}*{STEP}*{L}*gradient_noise^2"
    own = [*EVERYBODY, f"{N} = 1", short(rng, "(1 + relative_noise^2)")]
    return about_runs(rng, "mean_squared_gradient", "<=", right, own) | {"assumes": own}


def falling_steps(rng: random.Random) -> Fields:
    """Steps 1/(mu t + L), strongly convex."""
    right = (
        f"(({L} - {MU})*initial_distance^2 + {slack(rng)}*gradient_noise^2/{N}*(1/{L}"
        f" + log(({MU}*({T} - 1) + {L})/{L})/{MU}))/({MU}*({T} - 1) + {L})"
    )
    fields = {"losses": "strongly-convex", "step_size": f"1/({MU}*t + {L})"}
    return about_runs(rng, "last_squared_distance", "<=", right, EVERYBODY, **fields)


def fixed_points(rng: random.Random) -> Fields:
    """Methods that tend to the optimum."""
    method, own = rng.choice(
        (
            ("fedavg", ["dissimilarity_at_optimum = 0", "availability_window <= 4"]),
            ("fedavg", ["availability_window = 1"]),
            ("mifa", ["availability_window = 1"]),
            ("scaffold", ["availability_window = 1"]),
            (
                "afa-cs",
                [
                    f"clients_in_first_round = {N}",
                    "availability_window <= 4",
                    f"{STEP}*{L}*(max_staleness + 1) <= 1",
                ],
            ),
        )
    )
    conditions = [*ALONE, QUIET, short(rng), *own]
    fields = {"left": "limit", "sign": "=", "right": "optimum", "losses": "strongly-convex"}
    return fields | {"assumes": conditions, "about": [method]}


def statistics(rng: random.Random) -> Fields:
    """Facts about traces, which no loss changes."""
    left, right, own = rng.choice(
        (
            ("mean_staleness", "max_staleness", [f"clients_in_first_round = {N}"]),
            ("mean_delay", "max_delay", []),
            ("mean_local_steps", "local_steps", []),
            ("least_local_steps", "local_steps", []),
            ("clients_per_round", N, []),
            ("clients_per_round", "most_clients_per_round", []),
            ("mean_client_max_staleness", "max_staleness", [f"clients_in_first_round = {N}"]),
            ("sum_over_clients(client_deliveries)", f"{N}*{T}", []),
            ("sum_squared_importance", "largest_importance", []),
            ("least_importance", f"1/{N}", []),
        )
    )
    about = {"about": [rng.choice(ANY_METHOD)]}
    return about_runs(rng, left, "<=", right, own, **about)


def constants(rng: random.Random) -> Fields:
    """Facts about constants of losses."""
    left, right, losses = rng.choice(
        (
            ("global_smoothness", L, ""),
            ("global_smoothness", "mean_smoothness", ""),
            (f"{slack(rng)}*mean_smoothness", f"{slack(rng)}*10*max_over_clients({CLIENT})", ""),
            (MU, "global_strong_convexity", "strongly-convex"),
            (MU, L, "strongly-convex"),
            ("pl_constant", "global_smoothness", ""),
            ("dissimilarity_at_optimum", f"2*{L}*client_minima_gap", ""),
            ("initial_squared_gradient", f"2*{L}*initial_loss_gap", ""),
            ("initial_loss_gap", f"{L}/2*initial_distance^2", ""),
            (f"{MU}/2*initial_distance^2", "initial_loss_gap", "strongly-convex"),
            ("weak_convexity", L, ""),
        )
    )
    fields = {"losses": losses} if losses else {}
    return about_runs(rng, left, "<=", right, [f"{STEP}*{L} <= 1"], **fields)


CLIENT = "client_smoothness"


def outcomes(rng: random.Random) -> Fields:
    """Relations between measures of one run that hold for every method and every trace."""
    left, right, losses = rng.choice(
        (
            ("last_squared_gradient", f"2*{L}*last_loss_gap", ""),
            ("last_loss_gap", f"{L}/2*last_squared_distance", ""),
            ("min_squared_gradient", "mean_squared_gradient", ""),
            ("min_loss_gap", "last_loss_gap", ""),
            ("min_loss_gap", "average_loss_gap", ""),
            ("loss_gap_of_average", "average_loss_gap", "convex"),
            (f"{MU}/2*last_squared_distance", "last_loss_gap", "strongly-convex"),
            ("2*pl_constant*last_loss_gap", "last_squared_gradient", ""),
            ("mean_squared_gradient", f"2*{L}*average_loss_gap", ""),
            ("average_loss_gap", f"{L}/2*average_squared_distance", ""),
        )
    )
    fields: Fields = {"about": [rng.choice(ANY_METHOD)]} | ({"losses": losses} if losses else {})
    law = rng.choice(("", "", "", "uniform", "bernoulli", "cyclic", "markov"))
    own = [short(rng)]
    if not law:
        return about_runs(rng, left, "<=", right, own, **fields)
    fields |= {"participation": law, "about": ["fedavg"]}
    small = [f"{N} <= {rng.randint(1, 4)}", f"{T} <= {rng.randint(1, 3)}"]  # many outcomes
    return about_runs(rng, left, "<=", right, own, **fields) | {"assumes": [*own, *small]}


def order_of_runs(rng: random.Random) -> Fields:
    """Orders of gradient descent."""
    left, right, losses = rng.choice(
        (
            ("mean_squared_gradient", f"initial_loss_gap/({STEP}*{T})", ""),
            ("last_loss_gap", f"initial_distance^2/({STEP}*{T})", "convex"),
            ("last_squared_gradient", f"initial_distance^2/({STEP}*{T})^2", "convex"),
        )
    )
    fields = {"losses": losses} if losses else {}
    own = [*EVERYBODY, QUIET, short(rng)]
    return about_runs(rng, left, "O", right, own, **fields) | {"assumes": own}
