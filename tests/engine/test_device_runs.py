"""Runs on a device: the numbers of `simulate`, on the CPU and on a pretend device, where nothing is
uploaded and nothing is waited for between the first round and the last. No GPU was at hand."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from fltheory import FedAvg, InvalidInput, Mifa, MifaDifference, Quadratic, Trace, simulate
from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.partial_work import PartialWork
from fltheory.algorithms.scaffold import CONTROLLED
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.device_samples import problem_of
from fltheory.analysis.sizes import RunSize
from fltheory.core.errors import Diverged
from fltheory.engine.arithmetic.tensor import Tensor, torch
from fltheory.engine.device import runs
from fltheory.engine.device.roles import OnDevice, Statistic
from fltheory.engine.workers import ONE_GRADIENT, sequential
from fltheory.problems.closed_form import ClosedForm
from tests.engine.fake_cuda import DEVICE as CUDA
from tests.engine.fake_cuda import fake_cuda
from tests.engine.pretend import DEVICE, PretendDevice

SEEDS = (3, 2**40 + 1)
QUADRATIC = ClosedForm(
    Quadratic([(1, 2), (3, 1), (2, 2)], [(0, 1), (2, 0), (1, 1)], None, 2), SEEDS
)
LOGISTIC = problem_of("logistic", RunSize(num_clients=3), 2, SEEDS)
NETWORK = problem_of("network", RunSize(num_clients=3), 2, SEEDS)
PROBLEMS = pytest.mark.parametrize(
    "problem", [QUADRATIC, LOGISTIC, NETWORK], ids=["quadratic", "logistic", "network"]
)
LATE = Trace.with_delays(
    [[1, 1, 1], [1, 0, 1], [0, 1, 1], [0, 0, 0], [1, 1, 0]],
    [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 0], [1, 0, 0]],
    local_steps=[[2, 1, 1], [1, 1, 3], [1, 2, 1], [1, 1, 1], [2, 2, 2]],
)
ON_TIME = Trace.fresh(LATE.delivers, local_steps=2)
SIZES: Any = {"start": 1, "local_step_size": lambda t: 1 / (t + 5), "server_step_size": "1/2"}
LAST = Statistic(lambda model: (model,), lambda sums, model, index, gradients: (model,))
WEIGHTS = ("1/2", "1/4", "1/4")
METHODS: dict[str, Any] = {
    "mifa": Mifa(),
    "mifa-difference": MifaDifference(),
    "fedavg": FedAvg(),
    "fedsgd": FedAvg(worker=ONE_GRADIENT),
    "sequential": FedAvg(worker=sequential()),
    "fedprox": FedAvg(worker=proximal("1/3")),
    "scaffold": FedAvg(worker=CONTROLLED),
    "fedlaavg": FedLaAvg(),
    "afa-cd": AfaCrossDevice(),
    "afa-cs": AfaCrossSilo(),
    "weights": WeightedAggregation(WEIGHTS),
    "table": WeightedAggregation((WEIGHTS, ("1/5", "1/3", 1)) * 3),
    "partial-work": PartialWork(3),
}
methods = pytest.mark.parametrize("name", METHODS)


def last_models(algorithm: Any, problem: OnDevice, trace: Trace, **changes: Any) -> Any:
    return runs.device_runs(algorithm, problem, trace, statistic=LAST, **(SIZES | changes))()[0]


@pytest.fixture
def unrecorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds operation by operation: a graph is not recorded from tensors of the pretend device."""

    def step_itself(step: Any, values: Any, row: Any) -> Any:
        step(values, row)
        return step

    monkeypatch.setattr(runs, "_recorded", step_itself)


@pytest.mark.slow
@methods
@pytest.mark.parametrize("trace", [ON_TIME, LATE], ids=["on time", "late"])
def test_models_are_those_of_simulate(name: str, trace: Trace) -> None:
    found = last_models(METHODS[name], QUADRATIC, trace)
    expected = simulate(METHODS[name], QUADRATIC, trace, arithmetic=Tensor(), **SIZES).last
    assert abs(found[:, 0] - expected).max() < 1e-13 * max(1, abs(expected).max())


@pytest.mark.slow
@methods
@PROBLEMS
def test_nothing_is_uploaded_or_waited_for(name: str, problem: Any, unrecorded: None) -> None:
    expected = last_models(METHODS[name], problem, LATE)
    with PretendDevice() as device:
        there = runs.device_runs(
            METHODS[name], problem, LATE, statistic=LAST, device=DEVICE, **SIZES
        )
        assert device.uploads
        device.uploads.clear()
        device.launches.clear()
        values = there.first
        for t in range(LATE.num_rounds):
            values = there.advance(values, t)
        assert not device.uploads
        assert not device.waits
        assert device.launches
        found = there.finish(values)[0]
    assert (found == expected).all()


ONE_NUMBER = ("fedprox", "partial-work")
"""Methods with a constant of one number, which the fake device would copy in earnest."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in METHODS if name not in ONE_NUMBER])
@PROBLEMS
def test_no_device_is_mixed_with_another(
    name: str, problem: Any, unrecorded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "free_bytes", lambda device: 10**9)
    with fake_cuda(monkeypatch):
        there = runs.device_runs(METHODS[name], problem, LATE, statistic=LAST, device=CUDA, **SIZES)
        values = there.advance(there.first, 0)
        assert {str(part.device) for part in values} == {CUDA}


def test_a_mix_of_devices_is_refused_on_the_fake_device(monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_cuda(monkeypatch), pytest.raises(RuntimeError, match="devices"):
        torch.zeros(2) + torch.zeros(2, device=CUDA)


@dataclass(frozen=True)
class Curious:
    """FedAvg that looks at its model, or brings a number along, in every round."""

    asks: bool
    worker: Any = FedAvg().worker

    def start(self, model: Any, zeros: Any) -> Any:
        return FedAvg().start(model, zeros)

    def step(self, state: Any, deliveries: Any, round: Any) -> Any:
        if self.asks and state.model.sum() > 1e9:
            return state
        extra = torch.zeros(2).to(deliveries.device) if not self.asks else deliveries * 0
        return FedAvg().step(state, deliveries + extra, round)


@pytest.mark.parametrize("asks", [True, False])
def test_an_algorithm_that_waits_or_uploads_is_counted(asks: bool, unrecorded: None) -> None:
    with PretendDevice() as device:
        there = runs.device_runs(
            Curious(asks), QUADRATIC, ON_TIME, statistic=LAST, device=DEVICE, **SIZES
        )
        device.uploads.clear()
        device.waits.clear()
        there.advance(there.first, 0)
        assert bool(device.waits) == asks
        assert bool(device.uploads) == (not asks)


def test_an_algorithm_that_waits_is_not_recorded() -> None:
    with pytest.raises(RuntimeError, match="_local_scalar_dense"):
        last_models(Curious(True), QUADRATIC, ON_TIME)


def test_tensors_of_two_devices_do_not_meet() -> None:
    with PretendDevice(), pytest.raises(RuntimeError, match="meet"):
        torch.zeros(2) + torch.zeros(2).to(DEVICE)


@pytest.mark.slow
@PROBLEMS
def test_a_run_has_the_same_bits_alone(problem: Any) -> None:
    together = last_models(Mifa(), problem, LATE)
    alone = [last_models(Mifa(), replace(problem, seed=(seed,)), LATE)[0] for seed in SEEDS]
    assert (together == np.stack(alone)).all()
    assert (together[0] != together[1]).any()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("problem", "most"),
    [(QUADRATIC, 12), (LOGISTIC, 250), (NETWORK, 250)],
    ids=["quadratic", "logistic", "network"],
)
def test_compiled_rounds_are_the_same_in_few_kernels(problem: Any, most: int) -> None:
    import torch._inductor.metrics as metrics

    metrics.reset()
    found = last_models(Mifa(), problem, ON_TIME, compiled=True)
    assert 0 < metrics.generated_kernel_count <= most
    assert abs(found - last_models(Mifa(), problem, ON_TIME)).max() < 1e-14


def test_divergence_names_the_round() -> None:
    steep = ClosedForm(Quadratic((1, 1e200), (0, 0)), SEEDS)
    everyone = Trace.fresh([[1, 1]] * 4)
    with pytest.raises(Diverged, match="in round 1 the model is not finite"):
        last_models(FedAvg(), steep, everyone, local_step_size=1)


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    plain: Any = Quadratic((1, 2, 3), (0, 1, 2))
    with pytest.raises(InvalidInput, match="compute its gradients on a device, got Quadratic"):
        last_models(FedAvg(), plain, ON_TIME)
    with pytest.raises(InvalidInput, match="have the problem's 3 clients, got 1 clients"):
        last_models(FedAvg(), QUADRATIC, Trace.fresh([[1]]))
    monkeypatch.setattr(runs, "free_bytes", lambda device: 100)
    with pytest.raises(InvalidInput, match=r"fit into the 0\.0 GB that are free on cpu"):
        last_models(FedAvg(), QUADRATIC, ON_TIME)
