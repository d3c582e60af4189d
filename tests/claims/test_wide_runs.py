"""What wide runs draw on purpose: crests, clients sorted by their participation, fewer steps."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy

from fltheory import Clipped, Quadratic, Trace
from fltheory.attacks.search import attack
from fltheory.claims.evidence import Verdict
from fltheory.claims.measures import Measurements, measure
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.wide import wide_runs
from fltheory.claims.spaces.wide_losses import draw_losses
from fltheory.claims.spaces.wide_starts import settled, travelling
from fltheory.claims.spaces.wide_traces import Sizes, draw_trace_of
from fltheory.claims.spaces.wide_waves import draw_waves, is_wave
from fltheory.engine.arithmetic import FLOAT
from tests.attacks.own_files import own


def test_on_crests_the_gradient_never_falls_and_every_step_gains_three_quarters() -> None:
    waves = draw_waves(Choices.replay([0, 0, 0]), 1, 5)
    assert is_wave(waves)
    assert waves.constants.smoothness == 1
    run = Scenario(
        "fedavg", waves, Trace.fresh([[1]] * 5), start=waves.knots[-1], local_step_size=1
    )
    found = measure(run, ["min_squared_gradient", "initial_loss_gap"])
    assert found["min_squared_gradient"] == 1
    assert found["initial_loss_gap"] == 5 * Fraction(3, 4) + Fraction(1, 2)


def test_a_settled_run_starts_where_it_stays() -> None:
    run = Scenario(
        "fedavg",
        Quadratic((1, "1/4"), (0, 1), noise_squared=1),
        Trace.fresh([[1, 1]] * 3, local_steps=4),
        start=5,
        local_step_size="1/4",
    )
    still = settled(run)
    assert still.problem == run.problem
    quiet = replace(still, problem=replace(still.problem, noise_squared=0))
    found = measure(quiet, ["last_squared_gradient", "initial_squared_gradient"])
    assert found["last_squared_gradient"] == found["initial_squared_gradient"] > 0
    crowd = replace(run, trace=Trace.fresh([[1, 1]] * 150, local_steps=4))
    assert settled(crowd) is crowd


def test_sorts_of_clients_may_follow_who_takes_part() -> None:
    trace = Trace.fresh([[0, 1, 1, 0, 1, 0]] * 3)
    claim = own("dissimilarity", "<=", "1", "local_steps = 1", about=["fedavg"])
    sorts = set()
    for number in range(2, 120):
        problem = draw_losses(Choices.fresh(0, number), claim, trace)
        if hasattr(problem, "tilts") and len(set(problem.tilts)) == 2:
            sorts.add(tuple(tilt == problem.tilts[1] for tilt in problem.tilts))
    assert (False, True, True, False, True, False) in sorts


def test_all_rounds_but_one_may_have_a_single_step() -> None:
    claim = own("mean_local_steps", "<=", "local_steps", about=["fedavg"])
    seen = set()
    for number in range(2, 80):
        trace = draw_trace_of(
            Choices.fresh(0, number), claim, Sizes(2, 4, 8, 2), delays=False, empty_rounds=False
        )
        seen.add(tuple(int(x) for x in np.max(trace.local_steps, axis=1)))
    assert any(max(steps) == 8 and sorted(steps)[:-1] == [1] * (len(steps) - 1) for steps in seen)


@pytest.mark.slow
def test_a_bound_that_holds_for_gradients_that_fall_is_refuted_on_crests() -> None:
    claim = own(
        "min_squared_gradient",
        "<=",
        "6/5*initial_loss_gap/(local_step_size*num_rounds)",
        "availability_window = 1",
        "local_steps = 1",
        "least_local_steps = 1",
        "server_step_size = 1",
        "gradient_noise = 0",
        "local_step_size*smoothness = 1",
        "num_rounds >= 6",
        about=["fedavg"],
    )
    space = wide_runs(claim)
    assert space is not None
    found = attack(claim, attempts=200, spaces=[space], kinds=())
    assert found.evidence.verdict is Verdict.REFUTED


def test_a_condition_on_a_symbol_beside_the_claim_is_part_of_the_counterexample() -> None:
    claim = own(
        "local_step_size*strong_convexity",
        "<=",
        "1/2",
        "local_step_size*smoothness <= 1",
        "strong_convexity <= smoothness",
    )
    found = attack(claim, attempts=60)
    assert found.evidence.verdict is Verdict.REFUTED
    assert found.instance is not None
    assert "smoothness" in {symbol.name for symbol in claim.symbols}
    assert found.evidence.counterexample is not None
    assert "smoothness" in found.evidence.counterexample.values


@pytest.mark.parametrize("times", [1, 2])
def test_a_travelling_run_keeps_its_clipped_gradient(times: int) -> None:
    sizes = tuple(1 / sympy.sqrt(t + 1) for t in range(25))
    run = Scenario(
        "fedavg", Clipped((3,), 1), Trace.fresh([[1]] * 25), start=3, local_step_size=sizes
    )
    far = travelling(run, times)
    found = measure(far, ["last_squared_gradient", "last_loss_gap", "initial_distance"])
    assert found["last_squared_gradient"] == 1
    share = found["last_loss_gap"] * 50 / found["initial_distance"] ** 2
    assert (share > 1.3) == (times == 2)  # L |x_0 - x*|^2/(2 T) does not bound the gap
    quadratic = replace(run, problem=Quadratic((1,), (3,)))
    assert travelling(quadratic, times) is quadratic


def test_weights_of_an_average_may_have_roots() -> None:
    weights = (1, sympy.sqrt(2) / 2)
    run = Scenario(
        "fedavg",
        Quadratic((1,), (0,)),
        Trace.fresh([[1]] * 2),
        start=1,
        local_step_size="1/2",
        averaging=weights,
    )
    assert Scenario.from_json(run.to_json()) == run
    names = ["weighted_average_loss_gap", "loss_gap_of_weighted_average"]
    found = measure(run, names)
    first = (1 + weights[1] / 4) / (2 * (1 + weights[1]))
    second = ((1 + weights[1] / 2) / (1 + weights[1])) ** 2 / 2
    assert sympy.simplify(found[names[0]] - first) == 0
    assert sympy.simplify(found[names[1]] - second) == 0
    rough = Measurements(run, arithmetic=FLOAT)
    assert [float(rough[name]) for name in names] == pytest.approx([float(first), float(second)])


def test_one_client_may_be_steeper_than_all_others() -> None:
    trace = Trace.fresh([[1] * 10] * 2)
    claim = own("last_loss_gap", "<=", "1", "local_steps = 1", about=["fedavg"])
    found = set()
    for number in range(2, 400):
        problem = draw_losses(Choices.fresh(0, number), claim, trace)
        if isinstance(problem, Quadratic):
            rows = [row[0] for row in problem.curvatures]
            found.add(rows[-1] == 1 and max(rows[:-1]) <= Fraction(1, 10))
    assert found == {True, False}
