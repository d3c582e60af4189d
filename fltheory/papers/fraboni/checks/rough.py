"""A client whose single batches are rougher than its mean loss: Assumptions 1 to 3 hold, and the
proofs, which use them for every batch, do not."""

from fractions import Fraction

from fltheory.claims.checks.instances import Instance
from fltheory.core.types import Json, Scalar
from fltheory.papers.fraboni.checks.runs import MOST

F = Fraction

Law = tuple[tuple[Fraction, int], ...]
ROUGH: Law = ((F(1, 1000), 1000), (F(999, 1000), 0))
"""Chances and curvatures of single batches; their mean curvature is 1, so that Assumptions 1 to 3
hold with L = 1."""


def rough_values(num_rounds: int, law: Law = ROUGH) -> dict[str, Scalar]:
    """One client, one local step of 1/144, start 1, curvature random with mean 1: exact second
    moments of the run."""
    size = F(1, 144)
    growth = sum(chance * (1 - size * h) ** 2 for chance, h in law)
    roughness = sum(chance * h**2 for chance, h in law)
    second = sum(growth**n for n in range(num_rounds)) / num_rounds
    ones = (
        "num_clients local_steps server_step_size smoothness covariance_factor virtual_factor"
        " largest_total_weight shared_steps total_weight initial_distance_squared"
        " mean_total_weight least_total_weight balance_period"
    )
    zeros = (
        "max_staleness variance_excess round_drift recent_moves round_noise round_noise_squared"
        " objective_spread round_optimum_noise round_optimum_noise_squared optimum_noise"
    )
    return {
        **dict.fromkeys(ones.split(), 1),
        **dict.fromkeys(zeros.split(), 0),
        "num_rounds": num_rounds,
        "local_step_size": size,
        "round_gap": F(1, 2),
        "round_squared_gradient": roughness,
        "round_mean_gradient": roughness,
        "move": size**2 * roughness,
        "mean_round_gap": second / 2,
        "mean_move": size**2 * roughness * second,
    }


def rough(num_rounds: int = 1) -> Instance:
    """The rough client after so many rounds; its values can be computed again."""
    origin: Json = {"kind": "fraboni.rough", "num_rounds": num_rounds}
    return Instance(
        rough_values(num_rounds),
        f"one client, batches of curvature 1000 once in a thousand, else 0; {num_rounds} rounds",
        {"origin": origin},
    )


def rough_again(num_rounds: int) -> dict[str, Scalar]:
    """The values of `rough`, for so many rounds as a file may ask for."""
    if not 1 <= num_rounds <= MOST:
        raise ValueError(f"between 1 and {MOST} rounds")
    return rough_values(num_rounds)


ORIGINS = {"fraboni.rough": rough_again}
