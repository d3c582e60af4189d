"""Compiled runs have the same bits in any batch, block and process."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from fltheory import FedAvg, Mifa, Quadratic, Trace
from tests.engine.test_compiled import EVEN, LATE, SEEDS, SPACE, compiled, run


def one_run(seed: int) -> Any:
    return run(Mifa(), SPACE, EVEN, seed=seed, local_step_size="1/8", server_step_size=1)


@pytest.mark.slow
@compiled
def test_runs_have_the_same_bits_in_any_batch_block_and_process(monkeypatch: Any) -> None:
    together = run(Mifa(), SPACE, EVEN, seed=SEEDS, local_step_size="1/8", server_step_size=1)
    assert (together == np.stack([one_run(seed) for seed in SEEDS])).all()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert (together == np.stack(list(pool.map(one_run, SEEDS)))).all()
    monkeypatch.setattr("fltheory.engine.compiled.simulate.BLOCK_NUMBERS", 12)
    assert (
        together == run(Mifa(), SPACE, EVEN, seed=SEEDS, local_step_size="1/8", server_step_size=1)
    ).all()
    assert (
        together[:, :5]
        == run(Mifa(), SPACE, EVEN.first(4), seed=SEEDS, local_step_size="1/8", server_step_size=1)
    ).all()


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("trace", [EVEN, LATE], ids=["even", "late"])
@pytest.mark.parametrize("algorithm", [Mifa(), FedAvg()], ids=["mifa", "fedavg"])
def test_runs_beside_one_another_have_the_bits_of_one_run(
    algorithm: Any, trace: Trace, at_once: bool
) -> None:
    """On a line one run goes by a loop of its own, several along one trace go side by side, and
    runs with traces of their own go one by one."""
    clients = range(trace.num_clients)
    line = Quadratic([1 + i % 3 for i in clients], [i % 7 for i in clients], noise_squared=1)
    seeds = tuple(range(70))

    def models(along: Trace, seed: Any) -> Any:
        return run(algorithm, line, along, seed=seed, at_once=at_once)

    together = models(trace, seeds)
    assert (together == np.stack([models(trace, seed) for seed in seeds])).all()
    copies = Trace(
        *(
            np.stack([getattr(trace, name)] * len(seeds))
            for name in ("delivers", "started_from", "local_steps")
        )
    )
    assert (together == models(copies, seeds)).all()
    assert (together[0] != together[1]).any()
