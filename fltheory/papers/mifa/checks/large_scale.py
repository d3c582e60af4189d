"""A client of condition number 100 over a hundred thousand rounds, in closed form: what a guessed
constant of Theorem 5.1 does not survive; and the chain of Proposition 6.1 by its numbers."""

from collections.abc import Iterator
from fractions import Fraction
from math import isqrt

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method

F = Fraction


def steep_client(initial_gap: int, start: Fraction, num_rounds: int, *, root: int = 10) -> Instance:
    """MIFA with one client that is always there, without noise, at the step sizes of Theorem 5.1;
    f'(x) = x + clip(s x, -1, 1) with s = root^2 - 1, so mu = 1 and L = root^2.

    As long as x >= 1/s the model obeys x + 1 -> (1 - 4/(t + a)) (x + 1), so x_t + 1 = (x_1 + 1)
    a(a-1)(a-2)(a-3)/((t+a-1)...(t+a-4)), and with the weights (t+a-1)(t+a-2) the sum telescopes.
    Later models are positive, so that leaving them out makes the average smaller.
    """
    steep, iterates = root**2 - 1, num_rounds + 1
    a = max(100, 40 * initial_gap) * root**3
    falling = a * (a - 1) * (a - 2) * (a - 3)

    def model(t: int) -> Fraction:
        return (start + 1) * F(falling, (t + a - 1) * (t + a - 2) * (t + a - 3) * (t + a - 4)) - 1

    def weights(t: int) -> Fraction:
        return F((t + a) * (t + a - 1) * (t + a - 2) - a * (a - 1) * (a - 2), 3)

    low, high = 1, iterates
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if model(middle) * steep >= 1 else (low, middle - 1)
    total = (start + 1) * falling * (F(1, a - 3) - F(1, low + a - 3)) - weights(low)
    average = F(total / weights(iterates) * 10**15 // 1, 10**15)
    linear = average - F(1, 2 * steep) if average * steep >= 1 else steep * average**2 / 2
    values = {
        "num_clients": 1,
        "num_rounds": num_rounds,
        "local_steps": 1,
        "step_offset": a,
        "gradient_noise": 0,
        "dissimilarity_at_optimum": 0,
        "smoothness": steep + 1,
        "strong_convexity": 1,
        "initial_distance": start,
        "initial_gap": initial_gap,
        "mean_staleness": 0,
        "max_staleness": 0,
        "weighted_loss_gap": F((average**2 / 2 + linear) * 10**12 // 1, 10**12),
    }
    return Instance(
        values, f"f'(x) = x + clip({steep} x, -1, 1), start {start}, {num_rounds} rounds"
    )


@by_instances(
    Method.EXACT_RUN, "closed form of one client of condition number 100, left side rounded down"
)
def flat_far_away() -> Iterator[Instance]:
    """99,863 rounds from distance 1 (Theorem 5.1)."""
    yield steep_client(1, F(1), 99_863)


def chains() -> Iterator[Instance]:
    """eps with n = floor(L Delta/(7296 eps^2)) coordinates, p = 2116 eps^2/sigma^2 and 2 m p <= n
    (Proposition 6.1), rounded down."""
    for calls in (1, 2, 10, 1000, 10**6):
        for gap in (F(1, 4), F(1), F(9)):
            for noise in (F(1, 2), F(1), F(3)):
                if not (noise**2 <= calls * gap and gap <= calls * noise**2):
                    continue
                # eps^2 = sqrt(L Delta sigma^2/m) / 7858, in parts of 10^-15
                square = gap * noise**2 / calls
                size = F(isqrt(int(square * 10**30)), 10**15) / 7858
                length = gap / (7296 * size) // 1
                chance = 2116 * size / noise**2
                if length >= 1 and chance <= 1 and 2 * calls * chance <= length:
                    yield Instance(
                        {
                            "gradient_calls": calls,
                            "initial_loss_gap": gap,
                            "gradient_noise": noise,
                            "smoothness": 1,
                            "hard_squared_gradient": size,
                        },
                        f"{calls} calls, gap {gap}, noise {noise}",
                    )


@by_instances(
    Method.DATA, "the largest precision that the four facts about the chain allow, on a grid"
)
def chain_of_calls() -> Iterator[Instance]:
    """The chains of Proposition 6.1."""
    return chains()


CHECKS = (
    Check("mifa.thm5.1.corrected", flat_far_away),
    Check("mifa.prop6.1.corrected", chain_of_calls),
)
