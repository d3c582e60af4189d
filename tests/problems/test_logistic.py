"""Softmax regression: gradients, minibatches, refusals."""

from typing import Any

import numpy as np
import pytest

from fltheory import RATIONAL, InvalidInput
from fltheory.engine.local_work import softmax
from fltheory.engine.local_work.minibatches import minibatch, sample_orders
from fltheory.problems.logistic import with_bias
from fltheory.problems.objective import global_gradient, global_loss
from tests.problems.softmax_runs import (
    CLASSES,
    DOUBLE,
    FEATURE_TABLES,
    FEATURES,
    LABELS,
    RANDOM,
    SIZES,
    problem,
    run,
    torch,
)


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
    gradient = np.asarray(global_gradient(problem(), start, DOUBLE))
    before, after = (
        global_loss(problem(), start, DOUBLE),
        global_loss(problem(), start - 0.1 * gradient, DOUBLE),
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
            "features of client 4 must be finite samples of one shape",
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
