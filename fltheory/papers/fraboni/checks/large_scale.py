"""Instances beyond small runs that break bounds of our own: a thousand clients of very unequal
importance, heavy rounds in long windows, and a large server step with many local steps.

All are solved in closed form; powers are enclosed by fixed-point numbers, and the left side is
rounded down.
"""

from collections.abc import Iterator
from fractions import Fraction

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method
from fltheory.core.types import Scalar

F = Fraction
DIGITS = 10**60
"""Ends of an enclosure are rounded outwards to this many parts."""

ZEROS = (
    "max_staleness variance_excess covariance_factor objective_spread round_optimum_noise"
    " round_optimum_noise_squared optimum_noise initial_distance_squared mean_mismatch"
    " largest_mismatch misrepresentation unrepresented optimum_conflict"
)
ONES = "num_clients local_steps server_step_size smoothness largest_total_weight shared_steps"


def down(number: Fraction, digits: int = DIGITS) -> Fraction:
    """The number rounded down."""
    return F(number * digits // 1, digits)


def up(number: Fraction, digits: int = DIGITS) -> Fraction:
    """The number rounded up."""
    return -down(-number, digits)


def power(base: Fraction, exponent: int) -> tuple[Fraction, Fraction]:
    """An enclosure of a power of a number in [0, 1], by repeated squaring.

    >>> [float(end) for end in power(Fraction(1, 2), 3)]
    [0.125, 0.125]
    """
    low = high = F(1)
    least, most = down(base), up(base)
    while exponent:
        if exponent % 2:
            low, high = down(low * least), up(high * most)
        least, most, exponent = down(least**2), up(most**2), exponent // 2
    return low, high


def given(**values: Scalar) -> dict[str, Scalar]:
    """Values of the symbols of Theorems 1 to 3, where nothing else is said 0 or 1."""
    return dict.fromkeys(ZEROS.split(), 0) | dict.fromkeys(ONES.split(), 1) | values


def one_of_many(num_clients: int, num_rounds: int, light: Fraction) -> Instance:
    """Clients with the one loss theta^2/2, one of them sampled uniformly with weight M p_i; all but
    the first have importance `light`. One local step of 1/144, start 1.

    E |theta|^2 is multiplied by 1 - 2 h + h^2 M sum p_i^2 in every round.
    """
    size, heavy = F(1, 144), 1 - (num_clients - 1) * light
    squares = num_clients * (heavy**2 + (num_clients - 1) * light**2)
    factor = 1 - 2 * size + size**2 * squares
    gap = down((factor**num_rounds - 1) / (factor - 1) / (2 * num_rounds), 10**12)
    beta = num_clients * heavy
    values = given(
        num_clients=num_clients,
        num_rounds=num_rounds,
        local_step_size=size,
        variance_excess=beta,
        virtual_factor=1 + beta,
        initial_distance_squared=1,
        mean_round_gap=gap,
        mean_loss_gap=gap,
        mean_objective_gap=gap,
        mean_step_gradient=2 * gap,
        balance_period=1,
        mean_total_weight=1,
        least_total_weight=1,
    )
    return Instance(values, f"one of {num_clients} clients sampled, importances {heavy}, {light}")


def heavy_turns(weight: int, half: int) -> Instance:
    """Clients (theta - 1)^2/2 and (theta + 1)^2/2 of one weight d, the first alone for the first
    half of the only window and the second alone for the other; fresh models, one local step of
    1/(144 d^2), start at the common optimum 0.

    With r = 1 - h d the model is 1 - r^n in the first half and -1 + (2 - r^m) r^n in the second; it
    stays in [-1, 1], so no gradient is above 2.
    """
    size = F(1, 144 * weight**2)
    kept = 1 - size * weight
    low, high = power(kept, half)
    one = ((1 - high) / (1 - kept), (1 - low) / (1 - kept))
    two = (1 - high**2) / (1 - kept**2)
    second = 2 - high  # the least distance from -1 at the start of the second half
    squares = half - 2 * one[1] + two
    squares += half - 2 * (2 - low) * one[1] + second**2 * two
    mean = down(squares / (2 * half), 10**12)
    values = given(
        num_clients=2,
        num_rounds=2 * half,
        local_step_size=size,
        covariance_factor=1,
        virtual_factor=max(1, (weight - 1) ** 2),
        largest_total_weight=weight,
        mean_total_weight=weight,
        least_total_weight=weight,
        objective_spread=F(weight, 2),
        balance_period=2 * half,
        gradient_bound=2,
        mean_objective_gap=weight * mean / 2,
        mean_step_gradient=mean,
    )
    return Instance(values, f"two clients of weight {weight}, each for {half} rounds in a row")


def big_server_steps(local_steps: int, server: int, num_rounds: int) -> Instance:
    """Clients (theta - 1)^2/2 and (theta + 1)^2/2 in turn with weight 1 and fresh models, start 0,
    at the largest local step size of Theorem 1.

    After k local steps the virtual model has moved by m_k = eta_g (1 - (1 - eta_l)^k) of its
    distance to the round's optimum. Seen from there the models start rounds at 1 + x_n with x_n =
    x (1 - (m - 1)^n), x = m/(2 - m) and m = m_K in (0, 1).
    """
    size = F(1, 144 * local_steps * server)
    kept = 1 - size
    (low, high), (_, high2) = power(kept, local_steps), power(kept, 2 * local_steps)
    single = ((1 - high) / size / local_steps, (1 - low) / size / local_steps)
    double = (1 - high2) / (1 - kept**2) / local_steps
    # mean over k of (1 - m_k)^2 = 1 - 2 M1 + M2
    first = server * (1 - single[0])
    second = server**2 * (1 - 2 * single[1] + double)
    shrink = 1 - 2 * first + second
    least = server * (1 - high)
    away = least / (2 - least)
    most = server * (1 - low)
    largest = most / (2 - most)
    # the mean of (m - 1)^n lies in [0, 1/N], that of its square is at least 0
    square = (1 + away) ** 2 - 2 * (1 + largest) * largest / num_rounds
    values = given(
        num_clients=2,
        num_rounds=num_rounds,
        local_steps=local_steps,
        local_step_size=size,
        server_step_size=server,
        covariance_factor=1,
        virtual_factor=(server - 1) ** 2,
        objective_spread=F(1, 2),
        mean_round_gap=down(shrink * square / 2, 10**12),
        mean_total_weight=1,
    )
    return Instance(values, f"two clients in turn, K = {local_steps}, eta_g = {server}")


CLOSED = "closed form of a run, the left side rounded down"


@by_instances(Method.EXACT_RUN, f"{CLOSED}: a thousand clients, one of them sampled per round")
def many_clients() -> Iterator[Instance]:
    """One client has nearly all importance, and one of a thousand is sampled (Theorem 1)."""
    yield one_of_many(1000, 100, F(1, 10**6))


@by_instances(Method.EXACT_RUN, f"{CLOSED}: two clients of weight 500, each for 215,998 rounds")
def heavy_rounds() -> Iterator[Instance]:
    """Heavy rounds in one long window (Theorem 3)."""
    yield heavy_turns(500, 215_998)


@by_instances(Method.EXACT_RUN, f"{CLOSED}: server step 1000 and a million local steps")
def server_steps() -> Iterator[Instance]:
    """A large server step and many local steps, certain participation (Theorem 1)."""
    yield big_server_steps(10**6, 1000, 5000)


CHECKS = (
    Check("fraboni.thm1.corrected", many_clients),
    Check("fraboni.thm3.corrected", heavy_rounds),
    Check("fraboni.thm1.constants", server_steps),
)
