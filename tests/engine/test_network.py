"""Small networks: gradients, local work against the loop, bits, and refusals."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from fltheory import FLOAT, FedAvg, InvalidInput, Mifa, Trace
from fltheory.algorithms.fedprox import proximal
from fltheory.core.errors import Diverged
from fltheory.engine.simulate import simulate
from fltheory.problems.logistic import Softmax
from fltheory.problems.network import Network

torch = pytest.importorskip("torch")
network = pytest.importorskip("paper_reproductions.models").network
networks = pytest.importorskip("fltheory.engine.local_work.networks")
together = pytest.importorskip("fltheory.engine.local_work.vmapped")
Tensor = pytest.importorskip("fltheory.engine.arithmetic.tensor").Tensor

DOUBLE, SINGLE = Tensor(), Tensor(dtype=torch.float32)
RANDOM = np.random.default_rng(0)
SIZES = (11, 7, 9)
INPUTS = [RANDOM.standard_normal((n, 1, 6, 6)) for n in SIZES]
LABELS = [RANDOM.integers(0, 3, n) for n in SIZES]
TRACE = Trace.with_delays(
    RANDOM.random((3, 3)) < 0.7,
    np.array([[0] * 3, [0, 1, 0], [1, 0, 0]]),
    local_steps=RANDOM.integers(1, 6, (3, 3)),
)


def lenet() -> Any:
    torch.manual_seed(0)
    layers = torch.nn
    return layers.Sequential(
        layers.Conv2d(1, 2, 3),
        layers.ReLU(),
        layers.AvgPool2d(2),
        layers.Flatten(),
        layers.Linear(8, 3),
    ).double()


def problem(**changes: Any) -> Network:
    return Network(
        **(
            {
                "module": lenet(),
                "features": INPUTS,
                "labels": LABELS,
                "weight_decay": "1/10",
                "batch_size": 4,
                "seed": (4, 5),
            }
            | changes
        )
    )


MIFA = Mifa()


def run(algorithm: Any = MIFA, fused: bool = True, arithmetic: Any = DOUBLE, **changes: Any) -> Any:
    network = problem(**changes)
    return simulate(
        algorithm,
        network,
        TRACE,
        start=network.first_model,
        local_step_size="1/4",
        arithmetic=arithmetic,
        fused=fused,
    ).models


def test_gradients_are_those_of_the_loss() -> None:
    network = problem()
    rows = torch.as_tensor(network.first_model).repeat(3, 1)
    found = network.gradients(DOUBLE)(rows)
    for i in range(3):
        module = lenet()
        loss = torch.nn.functional.cross_entropy(
            module(torch.as_tensor(INPUTS[i])), torch.as_tensor(LABELS[i])
        )
        loss = loss + 0.05 * sum((parameter**2).sum() for parameter in module.parameters())
        expected = torch.cat(
            [gradient.ravel() for gradient in torch.autograd.grad(loss, list(module.parameters()))]
        )
        assert torch.allclose(found[i], expected, atol=1e-12)


@pytest.mark.slow
def test_a_linear_network_is_softmax_regression() -> None:
    module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(36, 3, bias=False)).double()
    network = problem(module=module)
    softmax = Softmax(
        [rows.reshape(len(rows), -1) for rows in INPUTS], LABELS, 3, "1/10", 4, (4, 5)
    )
    models = [
        simulate(Mifa(), one, TRACE, start=0, local_step_size="1/4", arithmetic=DOUBLE).models
        for one in (network, softmax)
    ]
    assert abs(models[0] - models[1]).max() < 1e-12


@pytest.mark.parametrize(
    ("arithmetic", "close"), [(DOUBLE, 1e-12), (SINGLE, 1e-5)], ids=["double", "single"]
)
@pytest.mark.parametrize("algorithm", [Mifa(), FedAvg()], ids=lambda one: type(one).__name__)
def test_local_work_equals_the_loop(algorithm: Any, arithmetic: Any, close: float) -> None:
    found = run(algorithm, arithmetic=arithmetic)
    assert abs(found - run(algorithm, fused=False, arithmetic=arithmetic)).max() < close
    assert abs(found[:, -1] - found[:, 0]).max() > 0.01
    assert not np.array_equal(found[0], found[1])


@pytest.mark.slow
def test_runs_have_the_same_bits_in_any_batch() -> None:
    assert np.array_equal(run(), np.stack([run(seed=seed) for seed in (4, 5)]))


def two_layers() -> Any:
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(36, 20), torch.nn.ReLU(), torch.nn.Linear(20, 3)
    ).double()


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [1, 4, 7])
@pytest.mark.parametrize("arithmetic", [DOUBLE, SINGLE], ids=["double", "single"])
@pytest.mark.parametrize("module", [lenet, two_layers])
def test_runs_have_the_same_bits_whoever_is_beside(
    module: Any, arithmetic: Any, batch_size: int
) -> None:
    """Places in memory change with place and number, and with them the alignment of weights, on
    which sums may depend."""
    seeds = (4, 5, 6)
    given = {"module": module(), "arithmetic": arithmetic, "batch_size": batch_size}
    together = run(seed=seeds, **given)
    assert np.array_equal(together[::-1], run(seed=seeds[::-1], **given))
    assert np.array_equal(together[1], run(seed=5, **given))
    assert np.array_equal(together[1:], run(seed=seeds[1:], **given))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lenet5", "two-convolutions", "lstm"])
def test_networks_of_the_papers_have_the_same_bits_whoever_is_beside(name: str) -> None:
    """Also for clients with fewer samples than a minibatch, for fewer rounds, and for any number of
    threads."""
    draw = np.random.default_rng(1)
    shape = (9,) if name == "lstm" else (1, 16, 16)
    features = [draw.integers(0, 5, (n, *shape)) for n in (70, 3, 5)]
    labels = [draw.integers(0, 5, n) for n in (70, 3, 5)]
    module = network(name, channels=1, size=16, num_classes=5)

    def models(seed: Any, trace: Any = TRACE) -> Any:
        given = Network(module, features, labels, weight_decay="1/100", batch_size=66, seed=seed)
        return simulate(
            Mifa(), given, trace, start=given.first_model, local_step_size="1/4", arithmetic=SINGLE
        ).models

    before = torch.get_num_threads()
    together = models((4, 5, 6))
    try:
        torch.set_num_threads(before + 1)
        assert np.array_equal(together, models((4, 5, 6)))
        assert torch.get_num_threads() == before + 1
    finally:
        torch.set_num_threads(before)
    assert np.array_equal(together[::-1], models((6, 5, 4)))
    assert np.array_equal(together[1], models(5))
    assert np.array_equal(together[:, :2], models((4, 5, 6), TRACE.first(1)))


def one_run(seed: int) -> Any:
    torch.set_num_threads(1)
    return run(seed=seed)


@pytest.mark.slow
def test_runs_have_the_same_bits_in_any_number_of_processes() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        apart = list(pool.map(one_run, (4, 5)))
    assert np.array_equal(np.stack(apart), run())


class TogetherAnyway(Network):
    """What other devices do, on this one."""

    def local_work(self, arithmetic: Any, batch: tuple[int, ...]) -> Any:
        return together.Together.of(networks.NetworkWork.of(self, arithmetic, batch))

    def oracle(self, arithmetic: Any) -> Any:
        return self.local_work(arithmetic, self.batch_shape).oracle


@pytest.mark.slow
@pytest.mark.parametrize("fused", [True, False])
def test_clients_together_run_like_clients_one_by_one(
    fused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short minibatches, absent clients, chunks of two and all samples at once too; a step too many
    is seen."""
    monkeypatch.setattr(together, "MOST_CLIENTS", 2)
    for size in (4, None):
        given = {
            "module": lenet(),
            "features": INPUTS,
            "labels": LABELS,
            "weight_decay": "1/10",
            "batch_size": size,
            "seed": (4, 5),
        }
        settings = {
            "start": problem().first_model,
            "local_step_size": "1/4",
            "arithmetic": DOUBLE,
            "fused": fused,
        }
        models = [
            simulate(Mifa(), kind(**given), trace, **settings).models
            for kind, trace in (
                (Network, TRACE),
                (TogetherAnyway, TRACE),
                (TogetherAnyway, longer()),
            )
        ]
        np.testing.assert_allclose(models[1], models[0], rtol=0, atol=1e-12)
        assert abs(models[2] - models[0]).max() > 1e-3


def longer() -> Trace:
    return Trace(TRACE.delivers, TRACE.started_from, TRACE.local_steps + TRACE.delivers)


def test_the_device_chooses_whether_clients_go_together() -> None:
    assert isinstance(problem().local_work(DOUBLE, (2,)), networks.NetworkWork)
    given: dict[str, Any] = {"features": INPUTS, "labels": LABELS}
    elsewhere = networks.work_of(Network(lenet(), **given), Tensor(device="meta"), ())
    assert isinstance(elsewhere, together.Together)
    recurrent = networks.work_of(Network(network("lstm"), **given), Tensor(device="meta"), ())
    assert isinstance(recurrent, networks.NetworkWork)


def test_other_workers_run_too() -> None:
    assert np.isfinite(run(FedAvg(worker=proximal("1/2")))).all()


@pytest.mark.slow
def test_divergence_is_reported_with_round_and_client() -> None:
    network = problem(weight_decay=3)
    trace = Trace.fresh([[1, 1, 1], [0, 1, 1]], local_steps=[[1] * 3, [12] * 3])
    with pytest.raises(Diverged, match="in round 1 the delivery of client 1 is not finite"):
        simulate(
            FedAvg(),
            network,
            trace,
            start=network.first_model,
            local_step_size=1e50,
            arithmetic=DOUBLE,
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": LABELS[:2]}, "labels must have one list for each of 3 clients"),
        (
            {"labels": [LABELS[0], LABELS[1], LABELS[0]]},
            "labels of client 2 must be one class for each of 9 samples",
        ),
        (
            {"features": [INPUTS[0], INPUTS[1][:, :, :5], INPUTS[2]]},
            "features of client 1 must be finite samples of one shape",
        ),
        ({"batch_size": 0}, "batch size must be at least 1"),
        ({"weight_decay": "-1/2"}, "weight decay must be at least 0"),
    ],
)
def test_bad_input_is_refused(change: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        problem(**change)


def test_buffers_and_other_arithmetics_are_refused() -> None:
    with pytest.raises(InvalidInput, match="module must have parameters only"):
        problem(module=torch.nn.BatchNorm1d(3))
    with pytest.raises(
        InvalidInput, match="arithmetic must be tensor for learning problems, got float"
    ):
        run(arithmetic=FLOAT)
