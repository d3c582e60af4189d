"""The papers' networks: known sizes, first parameters by key, and runs by the same engine as
everything else."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from fltheory import FedAvg, Mifa, Trace
from fltheory.core.errors import InvalidInput
from fltheory.engine.arithmetic.tensor import Tensor
from fltheory.engine.simulate import simulate
from fltheory.problems.network import Network
from paper_reproductions.models import NETWORKS, network

PARAMETERS = {
    "lenet5": 62006,
    "two-convolutions": 2432 + 51264 + 40970,
    "afl-convolutions": 2432 + 51264 + 819712 + 65664 + 1290,
    "lstm": 640 + 44000 + 80800 + 8080,
    "word-lstm": 50000 + 2752 + 2176 + 170,
}


@pytest.mark.parametrize("name", NETWORKS)
def test_known_number_of_parameters(name: str) -> None:
    classes = 80 if name == "lstm" else 10
    assert (
        sum(parameter.numel() for parameter in network(name, num_classes=classes).parameters())
        == PARAMETERS[name]
    )


def test_first_parameters_depend_on_the_seed_and_on_nothing_else() -> None:
    torch.manual_seed(1)
    one = network("lenet5", channels=1, size=16, seed=4)
    torch.manual_seed(2)
    same, other = (network("lenet5", channels=1, size=16, seed=seed) for seed in (4, 5))
    for a, b, c in zip(one.parameters(), same.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)
        assert not torch.equal(a, c)
    first = next(one.parameters()).detach()
    assert float(first.abs().max()) <= 1 / 5, "uniform within 1/sqrt(25 inputs)"
    with pytest.raises(InvalidInput, match="network must be one of lenet5"):
        network("lenet6")


@pytest.mark.parametrize("name", NETWORKS)
def test_several_clients_learn_by_the_same_engine(name: str) -> None:
    draw = np.random.default_rng(0)
    if "lstm" in name:
        module, inputs = (
            network(name, num_classes=12),
            draw.integers(0, 12, (2, 6, 9)).astype(float),
        )
    else:
        module, inputs = network(name, channels=1, size=16), draw.random((2, 6, 1, 16, 16))
    labels = draw.integers(0, 10, (2, 6))
    problem = Network(module, list(inputs), list(labels), batch_size=3)
    trace = Trace.fresh([[1, 1], [0, 1], [1, 0]], local_steps=2)
    runs = [
        simulate(
            algorithm,
            problem,
            trace,
            start=problem.first_model,
            local_step_size="1/2",
            arithmetic=Tensor(dtype=torch.float32),
        )
        for algorithm in (FedAvg(), Mifa())
    ]
    for run in runs:
        assert np.isfinite(run.models).all()
        assert all((a != b).any() for a, b in pairwise(run.models))
    assert np.array_equal(runs[0].models[1], runs[1].models[1]), (
        "with everybody there, MIFA's first round is FedAvg's"
    )
