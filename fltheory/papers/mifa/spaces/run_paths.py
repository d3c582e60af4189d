"""Where MIFA's orders may fail: exact runs along which T grows."""

from fractions import Fraction

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.core.types import Scalar
from fltheory.papers.mifa.checks.adaptive import NONCONVEX as SKIPPING_DEVICE
from fltheory.papers.mifa.paper import OFFSET, ROUNDS
from fltheory.papers.mifa.spaces.conditions import restated
from fltheory.papers.mifa.spaces.drawing import space_of
from fltheory.papers.mifa.spaces.run_bounds import MEASURED, NONCONVEX
from fltheory.papers.mifa.statements.closed_forms import SHRINKAGE


def _path_of_rounds(choices: Choices, claim: Claim) -> Instance:
    """One exact device that is always active, solved in T (curvature mu, K = 1)."""
    start, gap = choices.number(Fraction(1, 2), 3), choices.number(1, 2)
    rounds = SCALE ** choices.whole(1, 3)
    shrunk = start * SHRINKAGE.subs(OFFSET, 100).xreplace({ROUNDS: rounds})
    none = ("mean_staleness", "max_staleness", "gradient_noise", "dissimilarity_at_optimum")
    one = ("strong_convexity", "smoothness", "num_clients", "local_steps")
    values: dict[str, Scalar] = {
        **dict.fromkeys(none, 0),
        **dict.fromkeys(one, 1),
        "initial_gap": gap,
        "initial_distance": start,
        "num_rounds": rounds,
        "weighted_loss_gap": shrunk**2 / 2,
    }
    return Instance(values, "one device, f = w^2/2, always active, T grows")


def _skipping(choices: Choices, claim: Claim) -> Instance:
    """One device, f = w^2/2, noise +-1, that skips one round after positive noise, which no printed
    condition forbids. From w_1 = -1 its mean model stays at or below -1/3 (mifa.adaptive.mean), so
    E |grad f|^2 >= 1/9 in every round.
    """
    rounds = 2 * SCALE ** choices.whole(2, 4)
    return Instance(
        {
            **SKIPPING_DEVICE,
            "num_rounds": rounds - 1,
            "min_squared_gradient": Fraction(1, 9),
        },
        "a device that skips a round after positive noise, T grows",
    )


def _path_of_samples(choices: Choices, claim: Claim) -> Instance:
    """FedAvg on (w - c_i)^2/2 without gradient noise, S of N devices drawn for each update: the
    draw acts as noise of variance v, and with steps 4/(t + 100) the gap of the averaged model is of
    the exact order v/T: at least (4/35) v/T for T >= 400 (24/35 v/T in the limit).
    """
    clients = choices.whole(2, 4)
    size = choices.whole(1, clients)
    spread = choices.number(0, 3)
    variance = (1 - Fraction(size, clients)) * spread * clients / ((clients - 1) * size)
    choices.require(variance > 0, "the choice of devices matters")
    rounds = 400 * SCALE ** choices.whole(1, 3)
    return Instance(
        {
            "weighted_loss_gap": Fraction(4, 35) * variance / rounds,
            "gradient_noise": 0,
            "strong_convexity": 1,
            "clients_per_round": size,
            "local_steps": 1,
            "num_rounds": rounds - 1,
            "second_order": choices.number(1, 4),
        },
        f"N = {clients}, S = {size}, D = {spread}, T grows",
    )


SPACES = restated(
    (
        space_of(
            "path-of-rounds",
            "Runs along which T grows.",
            _path_of_rounds,
            MEASURED,
            "thm5.1",
        ),
        space_of(
            "skipping",
            "A device whose availability may react to the noise, T growing.",
            _skipping,
            NONCONVEX,
            "thm6.1.adaptive",
        ),
        space_of(
            "path-of-samples",
            "FedAvg that draws its devices, T growing.",
            _path_of_samples,
            "weighted_loss_gap gradient_noise strong_convexity clients_per_round local_steps"
            " num_rounds second_order",
            "eq3.updates",
        ),
    )
)
