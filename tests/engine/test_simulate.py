"""The loop over rounds: what it keeps, starts from, refuses and hands to a problem; virtual
iterates against a literal loop."""

from dataclasses import dataclass
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from fltheory import (
    FLOAT,
    RATIONAL,
    FedAvg,
    InvalidInput,
    Mifa,
    Quadratic,
    Trace,
    WeightedAggregation,
    simulate_virtual,
)
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.scaffold import CONTROLLED
from fltheory.core.errors import Diverged
from fltheory.engine.noise import Rademacher, Written
from fltheory.engine.run import make_run, start_row
from fltheory.engine.simulate import simulate, states_of_run
from tests.engine.late_runs import LATE, LINE

PLANE = Quadratic(curvatures=((1, 2), (2, 1)), optima=((0, 1), (3, -1)))


def models(algorithm: Any, problem: Any, trace: Trace, **options: Any) -> Any:
    given: dict[str, Any] = {"start": 1, "local_step_size": "1/4"}
    return simulate(algorithm, problem, trace, **given | options).models


def test_a_trajectory_holds_the_model_before_each_round_and_the_last_one():
    run = simulate(FedAvg(), PLANE, LATE, start=1, local_step_size="1/8")
    assert run.models.shape == (5, 2)
    assert run.models[0].tolist() == [1, 1]
    assert run.last.tolist() == run.models[4].tolist() == run.final.server.model[0].tolist()
    states = list(states_of_run(FedAvg(), PLANE, LATE, start=1, local_step_size="1/8"))
    assert [state.server.model[0].tolist() for state in states] == run.models.tolist()
    halved = {"local_step_size": "1/8", "server_step_size": "1/2", "arithmetic": FLOAT}
    assert (models(FedAvg(), PLANE, LATE, **halved) != run.models.astype(float))[1:].all()
    last = list(states_of_run(FedAvg(), PLANE, LATE, start=1, **halved))[-1]
    assert (last.server.model[0] == models(FedAvg(), PLANE, LATE, **halved)[-1]).all()


def test_a_server_takes_whole_steps_unless_told_otherwise():
    once = Trace.fresh([[1, 1]])
    assert (
        models(FedAvg(), LINE, once).tolist()
        == models(FedAvg(), LINE, once, server_step_size=1).tolist()
        == [[1], [1 + F(3, 8)]]
    )
    assert models(FedAvg(), LINE, once, server_step_size=2)[1, 0] == 1 + F(3, 4)
    (cut,) = simulate_virtual(FedAvg(), LINE, once, start=1, local_step_size="1/4")
    assert cut[:, 0].tolist() == [1, 1 + F(3, 8)]
    (longer,) = simulate_virtual(
        FedAvg(), LINE, once, start=1, local_step_size="1/4", server_step_size=2
    )
    assert longer[:, 0].tolist() == [1, 1 + F(3, 4)]


@pytest.mark.parametrize(
    ("start", "row"),
    [
        (2, [[2, 2]]),
        ("1/2", [[F(1, 2), F(1, 2)]]),
        ((3, "1/4"), [[3, F(1, 4)]]),
        (np.array([1, 2]), [[1, 2]]),
        (np.array(5), [[5, 5]]),
        (np.array([[[1, 2]], [[3, 4]]]), [[[1, 2]], [[3, 4]]]),
        (np.array([[1, 2]]), [[1, 2]]),
    ],
)
def test_a_start_is_a_number_a_vector_or_rows(start, row):
    assert start_row(start, 2, RATIONAL).tolist() == row


@pytest.mark.parametrize("start", [(1,), (1, 2, 3)])
def test_a_start_of_another_dimension_is_refused(start):
    with pytest.raises(
        InvalidInput,
        match=f"^start must have the problem's 2 coordinates, got {len(start)} coordinates$",
    ):
        simulate(FedAvg(), PLANE, LATE, start=start, local_step_size=1)


def test_a_trace_of_other_clients_is_refused():
    with pytest.raises(
        InvalidInput, match=r"^trace must have the problem's 2 clients, got 3 clients$"
    ):
        simulate(FedAvg(), LINE, Trace.fresh([[1, 1, 1]]), start=0, local_step_size=1)


def test_only_models_that_a_delivery_may_start_from_are_kept():
    for trace, most in ((LATE, 2), (Trace.fresh(LATE.delivers), 0)):
        states = list(states_of_run(FedAvg(), LINE, trace, start=1, local_step_size="1/4"))
        for t, state in enumerate(states):
            kept = states[max(t - most, 0) : t]
            assert [pulled.model.tolist() for pulled in state.past] == [
                old.server.model.tolist() for old in kept
            ]


def test_a_batch_is_its_members():
    other = Trace.continuous([[1, 0], [0, 1], [1, 1], [0, 1]])
    both = Trace(
        *(
            np.stack([getattr(t, name) for t in (LATE, other)])
            for name in ("delivers", "started_from", "local_steps")
        )
    )
    starts, noise = np.array([[[F(1)]], [[F(-2)]]]), Rademacher(LINE, "1/3", (4, 9))
    runs = models(Mifa(), LINE, both, start=starts, noise=noise)
    assert runs.shape == (2, 5, 1)
    for b, trace in enumerate((LATE, other)):
        assert (
            runs[b]
            == models(
                Mifa(), LINE, trace, start=starts[b], noise=Rademacher(LINE, "1/3", (4, 9)[b])
            )
        ).all()
    for given in ({"start": starts}, {"noise": noise}):
        assert models(FedAvg(), LINE, LATE, **given).shape == (2, 5, 1)
    square = np.array([[F(b)] for b in range(6)], dtype=object).reshape(2, 3, 1, 1)
    table = models(FedAvg(), LINE, LATE, start=square)
    assert table.shape == (2, 3, 5, 1)
    assert (table[1, 2] == models(FedAvg(), LINE, LATE, start=5)).all()
    assert simulate(FedAvg(), LINE, LATE, start=square, local_step_size="1/4").last.shape == (
        2,
        3,
        1,
    )


def test_a_run_that_leaves_the_finite_numbers_names_the_round_and_the_first_client():
    steep = Quadratic(curvatures=(1, 1e200, 1e200), optima=(0, 0, 0))
    everyone = Trace.fresh(np.ones((9, 3), bool))
    with np.errstate(over="ignore", invalid="ignore"):
        with pytest.raises(Diverged) as met:
            models(
                WeightedAggregation((1, 1, 1)),
                steep,
                everyone,
                arithmetic=FLOAT,
                local_step_size="1e-50",
            )
        assert (met.value.round, met.value.client) == (1, 1)
        with pytest.raises(Diverged) as met:
            models(
                WeightedAggregation((1, 1, 1)),
                steep,
                everyone,
                arithmetic=FLOAT,
                start=np.ones((2, 1, 1)),
                local_step_size="1e-50",
            )
        assert (met.value.round, met.value.client) == (1, 1)
        with pytest.raises(Diverged) as met:
            models(
                WeightedAggregation((1, 1)),
                LINE,
                Trace.fresh([[0, 0], [1, 1]]),
                arithmetic=FLOAT,
                local_step_size="1e300",
                server_step_size="1e300",
            )
        assert (met.value.round, met.value.client) == (1, None)


@dataclass(frozen=True)
class Own:
    """A problem that draws its own gradients, which tell the round and the step apart, and may know
    a shorter way."""

    shortcut: bool = True
    batch: tuple[int, ...] = (3,)
    num_clients, dimension, affine, batch_shape = 2, 1, False, (3,)

    def gradients(self, arithmetic: Any) -> Any:
        raise AssertionError("its own oracle is asked")

    def oracle(self, arithmetic: Any) -> Any:
        assert arithmetic is RATIONAL
        return lambda rows, index, step: rows * 0 + F(100 * index + step + 1)

    def local_work(self, arithmetic: Any, batch: tuple[int, ...]) -> Any:
        assert (arithmetic, batch) == (RATIONAL, self.batch)
        return (
            (lambda pulled, round: round.choose(pulled + 1000, 0 * pulled))
            if self.shortcut
            else None
        )


def test_a_problems_own_gradients_are_asked_by_round_and_step():
    trace = Trace.fresh([[1, 1], [1, 0]], local_steps=2)
    found = models(
        WeightedAggregation((1, 0)), Own(), trace, start=0, local_step_size=1, fused=False
    )
    assert found.shape == (3, 3, 1)
    assert found[0, :, 0].tolist() == [0, -(1 + 2), -(1 + 2) - (101 + 102)]
    assert (
        models(WeightedAggregation((1, 0)), Own(shortcut=False), trace, start=0, local_step_size=1)
        == found
    ).all()


def test_a_problems_own_local_work_replaces_plain_steps_only():
    trace = Trace.with_delays([[1, 1], [1, 0]], [[0, 0], [1, 0]])
    short = models(WeightedAggregation((1, 0)), Own(), trace, start=0, local_step_size=1)
    assert short[0, :, 0].tolist() == [0, -1000, -2000]  # the late client started from model 0
    still = Written(np.zeros((2, 1, 2, 1), int))
    for worker, options in (
        (None, {"noise": still}),
        (None, {"fused": False}),
        (proximal(0), {}),
        (CONTROLLED, {"fused": True}),
    ):
        algorithm = WeightedAggregation((1, 0)) if worker is None else FedAvg(worker=worker)
        assert (models(algorithm, Own(), trace, start=0, local_step_size=1, **options) > -300).all()
    assert make_run(FedAvg(), LINE, LATE, arithmetic=RATIONAL).local_work is None
    assert make_run(FedAvg(), Own(), LATE, arithmetic=RATIONAL, batch=(3,)).local_work is not None


def test_a_problems_own_local_work_is_told_all_axes_of_the_batch():
    single, method = Trace.fresh([[1, 0]]), WeightedAggregation((1, 0))
    pair = Trace.fresh([[[[1, 0]]], [[[0, 1]]]])
    four = np.array([F(n) for n in range(4)], dtype=object).reshape(4, 1, 1, 1)
    assert models(method, Own(batch=(2, 3)), pair, start=0)[:, :, 1, 0].tolist() == [
        [-250] * 3,
        [0] * 3,
    ]
    assert models(method, Own(batch=(4, 3)), single, start=four)[:, 0, 1, 0].tolist() == [
        n - F(1000 + n, 4) for n in range(4)
    ]
    *_, last = states_of_run(method, Own(), single, start=0, local_step_size="1/4")
    assert last.server.model.ravel().tolist() == [-250] * 3


def test_noise_of_one_round_serves_a_run_of_one_round():
    noise = Written([[[[F(1)], [F(2)]]]])
    assert models(
        FedAvg(),
        Quadratic(curvatures=(1, 1), optima=(0, 0)),
        Trace.fresh([[1, 1]]),
        start=0,
        noise=noise,
    )[1, 0] == -F(3, 8)
