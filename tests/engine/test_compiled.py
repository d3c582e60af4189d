"""Compiled runs and closed forms on quadratics: to rounding with the plain loop where the draws
agree, else in law with exact moments."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest

from fltheory import (
    FLOAT,
    RATIONAL,
    FedAvg,
    InvalidInput,
    Mifa,
    MifaDifference,
    Quadratic,
    Trace,
    named_arithmetic,
)
from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.analysis.moments import expected_gap, state_moments
from fltheory.core.errors import Diverged
from fltheory.core.randomness import Purpose, normals
from fltheory.engine.compiled import NUMBA
from fltheory.engine.noise import Gaussian
from fltheory.engine.simulate import simulate
from fltheory.problems.closed_form import ClosedForm

compiled = pytest.mark.skipif(not NUMBA, reason="numba is not installed")
METHODS = pytest.mark.parametrize(
    "algorithm",
    [Mifa(), FedAvg(), FedLaAvg(), AfaCrossDevice(), AfaCrossSilo()],
    ids=lambda one: type(one).__name__,
)
RANDOM = np.random.default_rng(0)
ROUNDS = 9
SPACE = Quadratic(
    RANDOM.integers(1, 5, (4, 3)).tolist(), RANDOM.integers(-3, 4, (4, 3)).tolist(), noise_squared=2
)
LINE = Quadratic((1, 2, 3, 4, 5), (0, 1, -1, 3, 2))
LATE = Trace.with_delays(
    RANDOM.random((ROUNDS, 4)) < 0.6,
    np.minimum(RANDOM.integers(0, 3, (ROUNDS, 4)), np.arange(ROUNDS)[:, None]),
    local_steps=RANDOM.integers(1, 5, (ROUNDS, 4)),
)
EVEN = Trace.fresh(RANDOM.random((ROUNDS, 4)) < 0.5, local_steps=3)
SIZES: dict[str, Any] = {
    "start": 1,
    "local_step_size": lambda t: 1 / (t + 8),
    "server_step_size": lambda t: 1 - 0.1 / (t + 1),
}
SEEDS = (1, 2**63 + 5, 3)


def quiet(problem: Quadratic) -> Quadratic:
    return Quadratic(problem.curvatures, problem.optima)


def run(algorithm: Any, problem: Quadratic, trace: Trace, **changes: Any) -> Any:
    from fltheory.engine.compiled.simulate import simulate_quadratic

    return simulate_quadratic(algorithm, problem, trace, **(SIZES | changes))


def plain(algorithm: Any, problem: Any, trace: Trace, **changes: Any) -> Any:
    return simulate(algorithm, problem, trace, **({"arithmetic": FLOAT} | SIZES | changes)).models


@compiled
@METHODS
@pytest.mark.parametrize("trace", [LATE, EVEN], ids=["late", "even"])
def test_exact_gradients_to_rounding(algorithm: Any, trace: Trace) -> None:
    assert run(algorithm, quiet(SPACE), trace) == pytest.approx(
        plain(algorithm, quiet(SPACE), trace), rel=1e-13, abs=1e-14
    )


@compiled
@METHODS
@pytest.mark.parametrize("clients", [4, 5])
def test_exact_gradients_on_a_line_to_rounding(algorithm: Any, clients: int) -> None:
    line = Quadratic(LINE.curvatures[:clients], LINE.optima[:clients])
    delivers = RANDOM.random((3, ROUNDS, clients)) < 0.5
    delivers[:, 4] = False
    for steps in (1, 4):
        trace = Trace.fresh(delivers, local_steps=steps)
        assert run(algorithm, line, trace) == pytest.approx(
            plain(algorithm, line, trace), rel=1e-13, abs=1e-14
        )
        fixed = {"local_step_size": "1/16", "server_step_size": 1}
        assert run(algorithm, line, trace, **fixed) == pytest.approx(
            plain(algorithm, line, trace, **fixed), rel=1e-13, abs=1e-14
        )


@compiled
@METHODS
@pytest.mark.parametrize("trace", [LATE, EVEN], ids=["late", "even"])
def test_step_by_step_it_has_the_noise_of_the_float_run(algorithm: Any, trace: Trace) -> None:
    found = run(algorithm, SPACE, trace, seed=SEEDS, at_once=False)
    assert found == pytest.approx(
        plain(algorithm, SPACE, trace, noise=Gaussian(SPACE, 2, SEEDS)), rel=1e-12, abs=1e-13
    )


@compiled
@METHODS
@pytest.mark.parametrize("trace", [LATE, EVEN], ids=["late", "even"])
def test_at_once_it_has_the_draws_of_the_closed_form(algorithm: Any, trace: Trace) -> None:
    found = run(algorithm, SPACE, trace, seed=SEEDS)
    for arithmetic in (FLOAT, named_arithmetic("tensor")):
        assert found == pytest.approx(
            plain(algorithm, ClosedForm(SPACE, SEEDS), trace, arithmetic=arithmetic),
            rel=1e-12,
            abs=1e-13,
        )


def test_the_closed_form_draws_by_numpy_where_nothing_is_compiled(monkeypatch: Any) -> None:
    found = plain(Mifa(), ClosedForm(SPACE, SEEDS), LATE)
    monkeypatch.setattr("fltheory.problems.closed_form.NUMBA", False)
    assert found == pytest.approx(
        plain(Mifa(), ClosedForm(SPACE, SEEDS), LATE), rel=1e-12, abs=1e-13
    )


def test_a_closed_form_step_by_step_is_the_float_run() -> None:
    found = plain(Mifa(), ClosedForm(SPACE, SEEDS), LATE, fused=False)
    assert (found == plain(Mifa(), SPACE, LATE, noise=Gaussian(SPACE, 2, SEEDS))).all()
    other = FedAvg(worker=proximal("1/2"))
    assert (
        plain(other, ClosedForm(SPACE, SEEDS), LATE)
        == plain(other, SPACE, LATE, noise=Gaussian(SPACE, 2, SEEDS))
    ).all()


@METHODS
def test_the_closed_form_without_noise_is_exact(algorithm: Any) -> None:
    exact = plain(algorithm, quiet(SPACE), LATE)
    assert plain(algorithm, ClosedForm(quiet(SPACE)), LATE) == pytest.approx(
        exact, rel=1e-13, abs=1e-14
    )


@pytest.mark.parametrize("algorithm", [Mifa(), FedAvg()], ids=lambda one: type(one).__name__)
def test_the_closed_form_has_the_law_of_the_loop(algorithm: Any) -> None:
    """Last models over 4000 fixed seeds are normal with the exact mean and variance; a law of
    another variance is refused."""
    line = Quadratic((1, 3), (0, 1), noise_squared=2)
    trace = Trace.fresh([[1, 1], [0, 1], [1, 1]], local_steps=[[4, 2]] * 3)
    *_, (mean, covariance) = state_moments(
        algorithm, line, trace, start=1, local_step_size="1/8", arithmetic=RATIONAL
    )
    seeds = tuple(range(4000))
    for fused in (True, False):
        found = simulate(
            algorithm,
            ClosedForm(line, seeds),
            trace,
            start=1,
            local_step_size="1/8",
            arithmetic=FLOAT,
            fused=fused,
        ).last
        standard = (found[:, 0] - float(mean[0])) / float(covariance[0, 0]) ** 0.5
        assert kstest(standard, "norm").pvalue > 1e-3
        assert kstest(1.2 * standard, "norm").pvalue < 1e-3


@pytest.mark.slow
@compiled
def test_the_compiled_gap_meets_its_expectation() -> None:
    line = Quadratic((1, 2, 1, 2), (0, 1, 1, 2), noise_squared=3)
    found = run(
        Mifa(),
        line,
        EVEN,
        seed=tuple(range(6000)),
        start=1,
        local_step_size="1/8",
        server_step_size=1,
    )[:, -1, 0]
    gap = expected_gap(Mifa(), line, EVEN, start=1, local_step_size="1/8")
    assert line.constants.optimum is not None
    losses = 0.75 * (found - float(line.constants.optimum[0])) ** 2
    assert abs(losses.mean() - gap.total) < 4 * losses.std() / 6000**0.5
    assert abs(losses.mean() - 1.2 * gap.total) > 4 * losses.std() / 6000**0.5


@compiled
def test_normals_are_those_of_numpy() -> None:
    from fltheory.engine.compiled.normals import fill_normals

    count, seed = 20_000, 2**63 + 12345
    clients, places = np.arange(count) // 10, np.arange(count) % 10
    room, more = (np.zeros((2, count), np.uint64) for _ in range(2))
    found = np.zeros(count)
    keys = np.array([[seed & 0xFFFFFFFF], [seed >> 32]], np.uint64) + np.zeros(count, np.uint64)
    rounds = np.full(count, 77, np.uint64)
    fill_normals(
        keys, rounds, clients.astype(np.uint64), places.astype(np.uint64), room, more, found
    )
    assert abs(found - normals(seed, Purpose.GRADIENT_NOISE, 77, clients, places)).max() < 1e-13


@pytest.mark.slow
@compiled
def test_divergence_is_reported_with_round_and_client() -> None:
    steep = Quadratic((1, 1e200), (0, 0))
    with pytest.raises(Diverged, match="in round 3 the delivery of client 1 is not finite"):
        run(
            FedAvg(),
            steep,
            Trace.fresh([[1, 0], [1, 0], [1, 0], [1, 1]], local_steps=3),
            local_step_size="1/2",
        )
    with pytest.raises(Diverged, match="in round 1 the model is not finite"):
        run(
            FedAvg(),
            quiet(LINE),
            Trace.fresh(np.ones((2, 5), bool)),
            local_step_size="1/8",
            server_step_size=lambda t: 1e308 if t else 99,
        )


@compiled
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: run(MifaDifference(), SPACE, EVEN),
            "algorithm must declare a server_rule .* for a compiled run, got MifaDifference",
        ),
        (lambda: run(FedAvg(worker=proximal(1)), SPACE, EVEN), "and use plain local steps"),
        (lambda: run(Mifa(), LINE, EVEN), "trace must have the problem's 5 clients, got 4 clients"),
        (lambda: run(Mifa(), SPACE, EVEN, seed=-1), "seed must be a whole number"),
        (
            lambda: run(Mifa(), SPACE, Trace.fresh(np.ones((2, 2, 3, 4), bool))),
            "batch of runs must have one axis",
        ),
    ],
)
def test_what_cannot_be_compiled_is_refused(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


def test_normal_noise_needs_floats() -> None:
    with pytest.raises(
        InvalidInput, match="arithmetic must be float or tensor for normal noise, got rational"
    ):
        plain(Mifa(), ClosedForm(SPACE), EVEN, arithmetic=RATIONAL)
