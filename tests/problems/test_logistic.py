"""Softmax regression: gradients, minibatches, and local work at once against the plain loop over
local steps."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from fltheory import RATIONAL, FedAvg, InvalidInput, Mifa, Quadratic, Trace, named_arithmetic
from fltheory.algorithms.anarchic import AfaCrossDevice
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.scaffold import CONTROLLED
from fltheory.core.errors import Diverged
from fltheory.engine.local_work import softmax
from fltheory.engine.local_work.minibatches import minibatch, sample_orders
from fltheory.engine.simulate import simulate
from fltheory.problems.logistic import Softmax, with_bias
from fltheory.problems.objective import global_gradient, global_loss

torch = pytest.importorskip("torch")
Tensor = pytest.importorskip("fltheory.engine.arithmetic.tensor").Tensor

CLASSES, FEATURES, ROUNDS = 3, 7, 4
SIZES = (23, 17, 5, 9, 23)
RANDOM = np.random.default_rng(0)
FEATURE_TABLES = [RANDOM.standard_normal((n, FEATURES)) for n in SIZES]
LABELS = [RANDOM.integers(0, CLASSES, n) for n in SIZES]
UNEVEN = Trace.with_delays(
    RANDOM.random((ROUNDS, 5)) < 0.7,
    np.minimum(RANDOM.integers(0, 2, (ROUNDS, 5)), np.arange(ROUNDS)[:, None]),
    local_steps=RANDOM.integers(1, 12, (ROUNDS, 5)),
)
DOUBLE, SINGLE = Tensor(), Tensor(dtype=torch.float32)


def problem(**changes: Any) -> Softmax:
    return Softmax(
        **(
            {
                "features": FEATURE_TABLES,
                "labels": LABELS,
                "num_classes": CLASSES,
                "weight_decay": "1/10",
                "batch_size": 5,
                "seed": (4, 5, 6),
            }
            | changes
        )
    )


def run(
    algorithm: Any = Mifa(),
    arithmetic: Any = DOUBLE,
    fused: bool = True,
    trace: Trace = UNEVEN,
    **changes: Any,
) -> Any:  # noqa: B008
    return simulate(
        algorithm,
        problem(**changes),
        trace,
        start=0,
        local_step_size=lambda t: 1 / (t + 2),
        arithmetic=arithmetic,
        fused=fused,
    ).models


def test_gradients_are_those_of_the_loss() -> None:
    rows = torch.tensor(RANDOM.standard_normal((2, 5, CLASSES * FEATURES)), requires_grad=True)
    losses = problem().losses(DOUBLE)(rows)
    (expected,) = torch.autograd.grad(losses.sum(), rows)
    assert torch.allclose(problem().gradients(DOUBLE)(rows), expected, atol=1e-13)
    cross_entropy = (
        torch.nn.functional.cross_entropy(
            torch.tensor(FEATURE_TABLES[2]) @ rows[0, 2].reshape(CLASSES, FEATURES).T,
            torch.tensor(LABELS[2]),
        )
        + 0.05 * (rows[0, 2] ** 2).sum()
    )
    assert losses[0, 2, 0].item() == pytest.approx(cross_entropy.item())


def test_the_global_loss_falls_along_its_gradient() -> None:
    start = np.zeros((1, CLASSES * FEATURES))
    gradient = global_gradient(problem(), start, DOUBLE)
    before, after = (
        global_loss(problem(), start, DOUBLE),
        global_loss(problem(), start - 0.1 * gradient.numpy(), DOUBLE),
    )
    assert before.item() == pytest.approx(np.log(CLASSES))
    assert after.item() < before.item()


def test_an_epoch_meets_every_sample_once() -> None:
    seeds, samples = np.array([0, 2**63], dtype=object)[:, None, None], np.array(SIZES)[:, None]
    order = sample_orders(seeds, 7, np.arange(5)[:, None], np.arange(2), samples, most=23)
    assert order.shape == (2, 5, 2, 23)
    for place in np.ndindex(2, 5, 2):
        assert sorted(order[place][: SIZES[place[1]]]) == list(range(SIZES[place[1]]))
    assert len({tuple(row) for row in order[:, [0, 1, 4]].reshape(-1, 23)[:, :9].tolist()}) == 12
    again = sample_orders(2**63, 7, 3, 1, 9, most=9)
    assert (again == order[1, 3, 1, :9]).all()


def test_orders_are_uniform() -> None:
    order = sample_orders(0, np.arange(24_000), 0, 0, 4, most=4)
    _, counts = np.unique(order @ [64, 16, 4, 1], return_counts=True)
    assert len(counts) == 24
    assert 4 < ((counts - 1000) ** 2 / 1000).sum() < 60


def test_minibatches_of_the_papers_experiment() -> None:
    """570 samples, minibatches of 100, two epochs: 12 steps, the sixth and the last with 70
    samples."""
    epochs, first, count = minibatch(np.arange(12), 570, 100)
    assert epochs.tolist() == [0] * 6 + [1] * 6
    assert first.tolist() == [0, 100, 200, 300, 400, 500] * 2
    assert count.tolist() == [100, 100, 100, 100, 100, 70] * 2


def test_minibatches_average_to_the_exact_gradient() -> None:
    rows = torch.tensor(RANDOM.standard_normal((5, CLASSES * FEATURES)))
    whole, one = problem(seed=3).gradients(DOUBLE)(rows), problem(seed=3).oracle(DOUBLE)
    parts = sum(minibatch(k, 23, 5)[2] * one(rows, 2, k)[0] for k in range(5)) / 23
    assert torch.allclose(parts, whole[0], atol=1e-13)
    assert not torch.allclose(one(rows, 2, 0), one(rows, 3, 0))
    exact = problem(batch_size=None).oracle(DOUBLE)
    assert torch.equal(exact(rows, 0, 0), whole)


FORMS = {"weights": (False, False), "samples": (True, False), "compiled samples": (True, True)}


@pytest.fixture(params=FORMS)
def form(request: Any, monkeypatch: Any) -> str:
    in_samples, numba = FORMS[request.param]
    if numba and not softmax.NUMBA:
        pytest.skip("numba is not installed")
    monkeypatch.setattr(softmax, "NUMBA", numba)
    monkeypatch.setattr(softmax, "pays", lambda *_: in_samples)
    return str(request.param)


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


def test_runs_have_the_same_bits_in_any_batch(form: str) -> None:
    together = run(arithmetic=SINGLE)
    assert np.array_equal(
        together, np.stack([run(arithmetic=SINGLE, seed=seed) for seed in (4, 5, 6)])
    )
    assert np.array_equal(together[1:], run(arithmetic=SINGLE, seed=(5, 6)))


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


def one_run(seed: int) -> Any:
    torch.set_num_threads(1)
    return run(arithmetic=SINGLE, seed=seed)


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
    assert softmax.pays(570, 784, 1140)
    assert not softmax.pays(5000, 784, 10_000)
    assert softmax.SoftmaxWork(problem(), DOUBLE, (3,)).fits
    monkeypatch.setattr(softmax, "MOST_BYTES", 1000)
    assert not softmax.SoftmaxWork(problem(), DOUBLE, (3,)).fits


def test_a_bias_is_one_more_feature() -> None:
    tables = with_bias(FEATURE_TABLES)
    assert [rows.shape for rows in tables] == [(n, FEATURES + 1) for n in SIZES]
    assert all((rows[:, -1] == 1).all() for rows in tables)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": LABELS[:4]}, "labels must have one list for each of 5 clients"),
        (
            {"labels": [*LABELS[:4], LABELS[0][:3]]},
            r"labels of client 4 must be one class in 0..2 for each of 23 samples",
        ),
        ({"num_classes": 2}, "labels of client 0 must be one class in 0..1"),
        (
            {"features": [*FEATURE_TABLES[:4], FEATURE_TABLES[4][:, :3]]},
            "features must have the same number of columns",
        ),
        (
            {"features": [*FEATURE_TABLES[:4], FEATURE_TABLES[4] * np.nan]},
            "features of client 4 must be a table of finite numbers",
        ),
        ({"batch_size": 0}, "batch size must be at least 1"),
        ({"weight_decay": -1}, "weight decay must be at least 0"),
        ({"importance": (1, 1, 1, 1, 1)}, "importance must sum to 1"),
    ],
)
def test_bad_input_is_refused(change: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        problem(**change)


def test_other_arithmetics_and_misfits_are_refused() -> None:
    with pytest.raises(
        InvalidInput, match="arithmetic must be tensor for learning problems, got rational"
    ):
        run(arithmetic=RATIONAL)
    with pytest.raises(InvalidInput, match="at most 4194304 samples and 4096 epochs"):
        sample_orders(0, 0, 0, 4096, 3, most=3)
    with pytest.raises(InvalidInput, match="seeds must fit a batch of runs"):
        softmax.seeds_of_runs((1, 2), (3,))
