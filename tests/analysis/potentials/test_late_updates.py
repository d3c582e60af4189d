"""Late updates in any order: the rate of the distance for methods with memory, and with noise and
dissimilarity for methods that average arrivals."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from fltheory import FLOAT, InvalidInput, Trace, forever, simulate, worst_case
from fltheory.algorithms.anarchic import AfaCrossSilo
from fltheory.algorithms.fedavg import FedAvg
from tests.analysis.potentials.test_potential_truth import Kinked, kinked

MU = Fraction(1, 10)
BATCH, ROUNDS, CLIENTS = 500, 40, 3


def late_traces(rng: np.random.Generator, bound: int) -> Trace:
    """All clients deliver in every round, with random delays or always with the largest one."""
    delays = rng.integers(0, bound + 1, size=(BATCH, ROUNDS, CLIENTS))
    delays[: BATCH // 4] = bound
    here = np.arange(ROUNDS)[:, None] * np.ones((1, CLIENTS), int)
    delays = np.minimum(delays, here)
    delivers = np.ones(delays.shape, bool)
    return Trace(delivers, here - delays, delivers.astype(int))


@pytest.mark.slow
@pytest.mark.parametrize(("delay", "largest"), [(1, 0.91), (2, 0.56)])
def test_the_largest_step_is_known(delay: int, largest: float) -> None:
    """A separate program finds 0.916 and 0.574 in floating point."""
    found = forever("mifa", delay=delay, strong_convexity=MU, largest_step=True)
    assert found.largest_step is not None
    assert found.breaks_at is not None
    assert largest <= found.largest_step < found.breaks_at


@pytest.mark.parametrize("delay", [1, 3])
def test_small_steps_have_the_rate_of_gradient_descent(delay: int) -> None:
    step = Fraction(1, 4 * (delay + 1))
    found = forever("fedlaavg", delay=delay, strong_convexity=MU, step_size=step)
    known = (1 - step * MU) ** 2
    assert isinstance(found.rate, Fraction)
    assert 0 < found.rate - known <= (1 - known) / 1000
    assert (found.noise_factor, found.dissimilarity_factor) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("delay", "step"), [(1, "4/5"), (2, "1/2"), (3, "1/4")])
def test_runs_with_memory_obey_the_theorem(delay: int, step: str) -> None:
    found = forever("afa-cs", delay=delay, strong_convexity=MU, step_size=step)
    assert found.rate is not None
    assert found.constant is not None
    rng = np.random.default_rng(delay)
    run = simulate(
        AfaCrossSilo(),
        kinked(rng, BATCH, CLIENTS, float(MU)),
        late_traces(rng, delay),
        start=5 * rng.normal(size=(BATCH, 1, 2)),
        local_step_size=step,
        arithmetic=FLOAT,
    )
    distance = (np.asarray(run.models, float) ** 2).sum(axis=-1)
    allowed = float(found.constant) * float(found.rate) ** np.arange(ROUNDS + 1)
    assert (distance <= distance[:, :1] * allowed * (1 + 1e-9)).all()


@pytest.mark.slow
def test_runs_that_average_arrivals_obey_the_theorem() -> None:
    found = forever("fedavg", delay=2, strong_convexity=MU, step_size="1/5")
    assert found.rate is not None
    assert found.constant is not None
    assert found.dissimilarity_factor is not None
    rng = np.random.default_rng(9)
    bent = kinked(rng, BATCH, CLIENTS, float(MU))
    problem = Kinked(bent.turn, bent.shift, np.abs(bent.width), bent.mu)
    # a client's bent part has norm at most |width|, the mean of the others at most the mean of it
    norms = (1 - bent.mu) * np.sqrt((problem.width**2).sum(axis=-1))
    apart = (norms.max(axis=-1) + norms.mean(axis=-1))[:, None]
    trace = late_traces(rng, 2)
    delivers = trace.delivers & (rng.random(trace.delivers.shape) < 0.5)
    delivers[..., 0] |= ~delivers.any(axis=-1)
    started = np.where(delivers, trace.started_from, np.arange(ROUNDS)[:, None])
    run = simulate(
        FedAvg(),
        problem,
        Trace(delivers, started, delivers.astype(int)),
        start=5 * rng.normal(size=(BATCH, 1, 2)),
        local_step_size="1/5",
        arithmetic=FLOAT,
    )
    distance = (np.asarray(run.models, float) ** 2).sum(axis=-1)
    allowed = float(found.constant) * float(found.rate) ** np.arange(ROUNDS + 1)
    floor = float(found.dissimilarity_factor) * apart**2
    assert (distance <= distance[:, :1] * allowed + floor).all()


@pytest.mark.slow
@pytest.mark.parametrize(("delay", "step"), [(1, "4/5"), (2, "1/2")])
def test_no_worst_case_of_three_rounds_exceeds_the_theorem(delay: int, step: str) -> None:
    found = forever("afa-cs", delay=delay, strong_convexity=MU, step_size=step)
    assert found.rate is not None
    assert found.constant is not None
    worst = 0.0
    for late in product(range(delay + 1), repeat=4):
        delays = [[0, 0], [min(1, late[0]), min(1, late[1])], [late[2], late[3]]]
        trace = Trace.with_delays(np.ones((3, 2), int), delays)
        value = worst_case("afa-cs", trace, local_step_size=step, strong_convexity=MU).worst_case
        assert value is not None
        worst = max(worst, float(value))
    assert worst <= 0.5 * float(found.constant) * float(found.rate) ** 3 * (1 + 1e-6)


def test_arrivals_pay_for_noise_and_dissimilarity() -> None:
    found = forever("afa-cd", delay=1, strong_convexity=MU, step_size="1/10")
    assert found.status == "CERTIFIED"
    assert found.noise_factor is not None
    assert found.dissimilarity_factor is not None
    # a client alone whose optimum is zeta/mu away; and the stationary variance of mu x^2/2
    assert 1 / MU**2 <= found.dissimilarity_factor <= Fraction(101, 100) / MU**2
    step = Fraction(1, 10)
    assert step**2 / (1 - (1 - step * MU) ** 2) <= found.noise_factor <= 2


def test_noise_of_late_remembered_updates_is_not_left_out() -> None:
    with pytest.raises(InvalidInput, match="a floor of noise needs a staleness"):
        forever("afa-cs", delay=1, strong_convexity=MU, step_size="1/10", noise=1)


def test_units_do_not_matter() -> None:
    one = forever("afa-cd", delay=1, strong_convexity=MU, step_size="1/5")
    other = forever("afa-cd", delay=1, smoothness=4, strong_convexity=4 * MU, step_size="1/20")
    assert one.noise_factor is not None
    assert other.noise_factor is not None
    assert one.rate == other.rate
    assert float(one.noise_factor) == pytest.approx(float(16 * other.noise_factor), rel=1e-6)


@pytest.mark.parametrize(
    ("delay", "step"),
    [
        (1, "1/100"),
        pytest.param(2, "1/50", marks=pytest.mark.slow),
        pytest.param(4, "1/20", marks=pytest.mark.slow),
        pytest.param(4, "1/10", marks=pytest.mark.slow),
    ],
)
def test_floors_of_arrivals_are_near_the_least_possible_ones_at_short_steps_too(
    delay: int, step: str
) -> None:
    """Dissimilarity alone moves the limit by zeta/mu on a quadratic of curvature mu."""
    found = forever("afa-cd", delay=delay, strong_convexity="1/10", step_size=step)
    assert found.status == "CERTIFIED"
    assert found.dissimilarity_factor is not None
    assert 100 <= found.dissimilarity_factor < 103
