"""Softmax regression: local work at once against the plain loop over local steps, and the same bits
in any batch."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from fltheory import FedAvg, Mifa, Quadratic, Trace, named_arithmetic
from fltheory.algorithms.anarchic import AfaCrossDevice
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.scaffold import CONTROLLED
from fltheory.core.errors import Diverged
from fltheory.engine.local_work import softmax
from fltheory.engine.simulate import simulate
from tests.problems.softmax_runs import DOUBLE, ROUNDS, SINGLE, UNEVEN, problem, run, torch

FORMS = {
    "weights": (False, False),
    "compiled weights": (False, True),
    "samples": (True, False),
    "compiled samples": (True, True),
}


@pytest.fixture(params=FORMS)
def form(request: Any, monkeypatch: Any) -> str:
    in_samples, numba = FORMS[request.param]
    if numba and not softmax.NUMBA:
        pytest.skip("numba is not installed")
    monkeypatch.setattr(softmax, "NUMBA", numba)
    monkeypatch.setattr(softmax, "pays", lambda *_: in_samples)
    return str(request.param)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arithmetic", "close"), [(DOUBLE, 1e-12), (SINGLE, 1e-5)], ids=["double", "single"]
)
@pytest.mark.parametrize("decay", [0, "1/10"])
@pytest.mark.parametrize(
    "algorithm", [Mifa(), FedAvg(), FedLaAvg(), AfaCrossDevice()], ids=lambda a: type(a).__name__
)
def test_local_work_at_once_equals_the_loop(
    form: str, algorithm: Any, decay: Any, arithmetic: Any, close: float
) -> None:
    at_once, loop = (
        run(algorithm, arithmetic, fused, weight_decay=decay) for fused in (True, False)
    )
    assert abs(at_once - loop).max() < close
    assert abs(at_once[:, -1]).max() > 0.1
    assert not np.array_equal(at_once[0], at_once[1])


@pytest.mark.slow
def test_runs_have_the_same_bits_in_any_batch(form: str) -> None:
    together = run(arithmetic=SINGLE)
    assert np.array_equal(
        together, np.stack([run(arithmetic=SINGLE, seed=seed) for seed in (4, 5, 6)])
    )
    assert np.array_equal(together[1:], run(arithmetic=SINGLE, seed=(5, 6)))


@pytest.mark.slow
@pytest.mark.parametrize("fused", [True, False], ids=["at once", "loop"])
@pytest.mark.parametrize("arithmetic", [DOUBLE, SINGLE], ids=["double", "single"])
@pytest.mark.parametrize(
    ("clients", "features", "classes", "samples"),
    [(5, 37, 3, 29), (6, 196, 10, 31), (4, 21, 2, 11)],
)
def test_runs_have_the_same_bits_whoever_is_beside(
    form: str, fused: bool, arithmetic: Any, clients: int, features: int, classes: int, samples: int
) -> None:
    """Odd shapes, for which products of a library sum in an order that depends on their shape and
    place in memory."""
    draw = np.random.default_rng(1)
    counts = [samples - i for i in range(clients)]
    given = {
        "features": [draw.standard_normal((n, features)) for n in counts],
        "labels": [draw.integers(0, classes, n) for n in counts],
        "num_classes": classes,
        "batch_size": 7,
        "trace": Trace.fresh(draw.random((3, clients)) < 0.7, local_steps=5),
        "arithmetic": arithmetic,
        "fused": fused,
    }
    together = run(**given)
    assert np.array_equal(together, np.stack([run(seed=seed, **given) for seed in (4, 5, 6)]))
    assert np.array_equal(together[::-1], run(seed=(6, 5, 4), **given))


@pytest.mark.parametrize("classes", [2, 7])
def test_features_that_are_zero_in_all_samples_of_a_client(form: str, classes: int) -> None:
    """They are left out of products, and their weights still decay: models equal the loop's."""
    draw = np.random.default_rng(2)
    sampled = problem(
        features=[draw.standard_normal((9 + i, 23)) * (np.arange(23) % 3 != i) for i in range(3)],
        labels=[draw.integers(0, classes, 9 + i) for i in range(3)],
        num_classes=classes,
        batch_size=4,
    )
    trace = Trace.fresh([[1, 1, 0], [0, 1, 1]], local_steps=5)
    at_once, loop = (
        simulate(
            Mifa(),
            sampled,
            trace,
            start=1,
            local_step_size="1/4",
            arithmetic=DOUBLE,
            fused=fused,
        ).models
        for fused in (True, False)
    )
    assert abs(at_once - loop).max() < 1e-12
    assert abs(at_once[:, -1] - 1).max() > 1e-3


def one_run(seed: int) -> Any:
    torch.set_num_threads(1)
    return run(arithmetic=SINGLE, seed=seed)


@pytest.mark.slow
def test_runs_have_the_same_bits_in_any_number_of_processes() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        apart = list(pool.map(one_run, (4, 5, 6)))
    assert np.array_equal(np.stack(apart), run(arithmetic=SINGLE))


def test_runs_may_differ_in_their_traces(form: str) -> None:
    others = [
        UNEVEN,
        Trace.fresh(np.ones((ROUNDS, 5), bool), local_steps=6),
        Trace.fresh(np.eye(ROUNDS, 5, dtype=bool)),
    ]
    stacked = Trace(
        *(
            np.stack([getattr(one, name) for one in others])
            for name in ("delivers", "started_from", "local_steps")
        )
    )
    assert np.array_equal(
        run(trace=stacked),
        np.stack([run(trace=one, seed=seed) for one, seed in zip(others, (4, 5, 6), strict=True)]),
    )


def test_nobody_delivers(form: str) -> None:
    assert not run(trace=Trace.fresh(np.zeros((2, 5), bool))).any()


@pytest.mark.parametrize("worker", [proximal("1/2"), CONTROLLED])
def test_other_workers_take_their_steps_one_by_one(worker: Any) -> None:
    models = run(FedAvg(worker=worker))
    assert abs(models - run(FedAvg())).max() > 1e-3
    assert np.array_equal(models, run(FedAvg(worker=worker), fused=False))


@pytest.mark.slow
@pytest.mark.parametrize("fused", [True, False])
def test_divergence_is_reported_with_round_and_client(fused: bool) -> None:
    trace = Trace.fresh([[1, 1, 1, 1, 1], [0, 0, 1, 0, 1]], local_steps=[[1] * 5, [400] * 5])
    with pytest.raises(
        Diverged, match="in round 1 the delivery of client 2 is not finite"
    ) as caught:
        simulate(
            Mifa(),
            problem(weight_decay=3),
            trace,
            start=1,
            local_step_size=3,
            arithmetic=DOUBLE,
            fused=fused,
        )
    assert (caught.value.round, caught.value.client) == (1, 2)


def test_divergence_of_the_server_alone_names_no_client() -> None:
    line = Quadratic(curvatures=(1, 1), optima=(0, 1))
    with pytest.raises(Diverged, match="in round 2 the model is not finite"):
        simulate(
            FedAvg(),
            line,
            Trace.fresh([[1, 1]] * 4),
            start=0,
            local_step_size=1,
            server_step_size=lambda t: 1e308 if t == 2 else 100,
            arithmetic=named_arithmetic("tensor"),
        )


def test_gram_matrices_are_used_where_they_pay(monkeypatch: Any) -> None:
    assert not softmax.pays(570, 529, 1140)  # two classes of MNIST, without the columns of zeros
    assert softmax.pays(570, 784, 1140)
    assert not softmax.pays(5000, 784, 10_000)
    assert softmax.SoftmaxWork(problem(), DOUBLE, (3,)).fits
    monkeypatch.setattr(softmax, "MOST_BYTES", 1000)
    assert not softmax.SoftmaxWork(problem(), DOUBLE, (3,)).fits
