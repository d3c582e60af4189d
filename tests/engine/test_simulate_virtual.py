"""Virtual iterates: the server's step on work cut short."""

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from fltheory import (
    FLOAT,
    FedAvg,
    InvalidInput,
    Mifa,
    Trace,
    simulate_virtual,
)
from fltheory.engine.noise import Rademacher
from fltheory.engine.simulate import simulate
from tests.engine.late_runs import LATE, LINE


def sizes(index: int) -> F:
    return F(1, index + 3)


def partial_sums(trace: Trace, run: Any, noise: Any, t: int, i: int) -> list[F]:
    """Client i's summed gradients after 0, 1, ..., K steps, those of the last step standing for
    steps that it does not take."""
    began = int(trace.started_from[t, i])
    y, sums = run[began, 0], [F(0)]
    for k in range(int(trace.local_steps[t, i])):
        slope = LINE.curvatures[i][0] * (y - LINE.optima[i][0]) + noise(t, k)[i, 0]
        y, sums = y - sizes(began) * slope, [*sums, sums[-1] + slope]
    return sums + [sums[-1]] * (4 - len(sums))


def test_virtual_iterates_are_the_servers_step_on_work_cut_short():
    """MIFA keeps one table for each cut: after k steps of every client's latest round."""
    noise = Rademacher(LINE, "1/5", 3)
    options = {
        "start": "1/2",
        "local_step_size": sizes,
        "server_step_size": lambda t: F(t + 1, 2),
        "noise": noise,
    }
    run, cut = (
        simulate(Mifa(), LINE, LATE, **options).models,
        simulate_virtual(Mifa(), LINE, LATE, **options),
    )
    assert cut.shape == (4, 4, 1)
    tables = [[F(0)] * 2 for _ in range(4)]
    for t in range(4):
        for i in np.flatnonzero(LATE.delivers[t]):
            for table, total in zip(tables, partial_sums(LATE, run, noise, t, i), strict=True):
                table[i] = total
        assert cut[t, :, 0].tolist() == [
            run[t, 0] - F(t + 1, 2) * sizes(t) * sum(table) / 2 for table in tables
        ]
    assert (cut[:, 3] == run[1:]).all()


def test_virtual_iterates_need_a_single_trace():
    with pytest.raises(
        InvalidInput,
        match=r"^trace must be a single one for virtual iterates, got a batch of shape \(2,\)$",
    ):
        simulate_virtual(
            FedAvg(), LINE, Trace.fresh([[[1, 1]], [[1, 0]]]), start=0, local_step_size=1
        )
    floats = simulate_virtual(
        FedAvg(), LINE, LATE, start=0, local_step_size="1/4", arithmetic=FLOAT
    )
    assert floats.dtype == float
