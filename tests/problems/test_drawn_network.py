"""Gradients of a network on a device are those of autograd; samples are dealt to clients."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fltheory import InvalidInput
from fltheory.engine.arithmetic.tensor import Tensor, torch
from fltheory.problems.drawn_network import DrawnNetwork
from fltheory.problems.pools import IMAGES, LABELS, dealt, pooled
from fltheory.problems.samples import Samples, synthetic_samples


def autograd(problem: DrawnNetwork, row: Any, features: Any, labels: Any) -> Any:
    """The gradient of the mean cross-entropy of torch's own layers."""
    module = torch.nn.Sequential(
        torch.nn.Linear(problem.num_features, problem.hidden),
        torch.nn.Tanh(),
        torch.nn.Linear(problem.hidden, problem.samples.num_classes),
    ).double()
    torch.nn.utils.vector_to_parameters(row, module.parameters())
    torch.nn.functional.cross_entropy(module(features), labels).backward()
    return torch.cat([part.grad.ravel() for part in module.parameters()])


@pytest.mark.parametrize("batch_size", [1, 3])
def test_gradients_are_those_of_autograd(batch_size: int) -> None:
    data = synthetic_samples(3, samples=6, features=4, num_classes=5)
    problem = DrawnNetwork(data, hidden=7, batch_size=batch_size, seed=(5, 2**40))
    work = problem.on_device(Tensor(), "cpu")
    rows = torch.as_tensor(problem.first_model) + 0.1 * torch.arange(6.0).reshape(2, 3, 1)
    index = torch.tensor(4)
    from fltheory.problems.drawn_network import _DrawnGradients

    features, labels = _DrawnGradients(problem, Tensor(), "cpu").data.minibatch(index, 1)
    drawn, exact = work.oracle(rows, index, 1), work.gradients(rows)
    whole = [torch.as_tensor(np.stack(table)) for table in (data.features, data.labels)]
    for run in range(2):
        for i in range(3):
            some = features[run, i], labels[run, i]
            for found, given in ((drawn, some), (exact, (whole[0][i], whole[1][i]))):
                expected = autograd(problem, rows[run, i], *given)
                assert abs(found[run, i] - expected).max() < 1e-14
    assert (problem.gradients(Tensor())(rows) == exact).all()


def test_hidden_units_start_apart_without_biases() -> None:
    problem = DrawnNetwork(synthetic_samples(1, samples=2, features=3), hidden=2)
    first = problem.first_model
    assert len(set(first[:6])) == 6
    assert not first[6:8].any()
    assert len(first) == problem.dimension


def test_samples_of_a_class_are_dealt_in_order_and_again() -> None:
    pool = Samples([np.arange(5.0)[:, None]], [np.array([0, 2, 2, 0, 2])], 3)
    held = dealt(pool, 2, 4)
    assert [rows[:, 0].tolist() for rows in held.features] == [[0, 1, 3, 2], [4, 0, 1, 3]]
    with pytest.raises(InvalidInput, match="give at most 10000000 numbers"):
        dealt(pool, 10**7, 4)


def test_images_are_read_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / IMAGES).write_bytes(gzip.compress(bytes(16) + bytes([0, 255, 51, 0])))
    (tmp_path / LABELS).write_bytes(gzip.compress(bytes(8) + bytes([1, 0])))
    pool = pooled(tmp_path)
    assert pool.features[0].tolist() == [[0, 1], [0.2, 0]]
    assert (pool.labels[0].tolist(), pool.num_classes) == ([1, 0], 2)


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (b"no gzip", gzip.compress(bytes(9)), "be a whole gzip file"),
        (gzip.compress(bytes(19)), gzip.compress(bytes(10)), "one label in train-labels"),
        (gzip.compress(bytes(19)), gzip.compress(bytes(8)), "one label in train-labels"),
        (None, None, "be a whole gzip file"),
    ],
    ids=["no gzip", "more labels", "fewer labels", "no files"],  # packed bytes tell the time
)
def test_broken_images_are_named(
    images: bytes | None, labels: bytes, message: str, tmp_path: Path
) -> None:
    if images is not None:
        (tmp_path / IMAGES).write_bytes(images)
        (tmp_path / LABELS).write_bytes(labels)
    with pytest.raises(InvalidInput, match=message):
        pooled(tmp_path)


def test_csv_files_are_pooled(tmp_path: Path) -> None:
    path = tmp_path / "samples.csv"
    path.write_text("client,label,height\na,0,1.5\nb,2,0\n")
    pool = pooled(path)
    assert (pool.features[0].tolist(), pool.labels[0].tolist()) == ([[1.5], [0]], [0, 2])
