"""A small softmax regression with uneven work, and its runs."""

from typing import Any

import numpy as np
import pytest

from fltheory import Mifa, Trace
from fltheory.engine.simulate import simulate
from fltheory.problems.logistic import Softmax

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
    given: dict[str, Any] = {
        "features": FEATURE_TABLES,
        "labels": LABELS,
        "num_classes": CLASSES,
        "weight_decay": "1/10",
        "batch_size": 5,
        "seed": (4, 5, 6),
    }
    return Softmax(**given | changes)


def run(
    algorithm: Any = Mifa(),  # noqa: B008
    arithmetic: Any = DOUBLE,
    fused: bool = True,
    trace: Trace = UNEVEN,
    **changes: Any,
) -> Any:
    return simulate(
        algorithm,
        problem(**changes),
        trace,
        start=0,
        local_step_size=lambda t: 1 / (t + 2),
        arithmetic=arithmetic,
        fused=fused,
    ).models
