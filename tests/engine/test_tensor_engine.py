"""Keyed randomness on tensors: the words of NumPy, whatever the batching, the chunking and the
number of processes."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import FedAvg, InvalidInput, Quadratic, Trace, named_arithmetic
from fltheory.core import randomness
from fltheory.core.randomness import Purpose
from fltheory.engine.noise import Gaussian
from fltheory.engine.simulate import simulate

pytest.importorskip("torch")
from fltheory.engine.arithmetic import tensor_draws

keys = st.integers(0, 2**32 - 1)
PLANE = Quadratic(curvatures=[(1, 2)] * 3, optima=[(0, 1), (1, 0), (2, 2)])
TRACE = Trace.fresh([[1, 0, 1], [1, 1, 1], [0, 1, 0]], local_steps=2)
SEEDS = (3, 2**63 + 1, 5, 8)


@settings(max_examples=20)
@given(
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=3),
    st.sampled_from(Purpose),
    st.lists(keys, min_size=1, max_size=4),
    keys,
)
def test_tensors_get_the_words_of_numpy(
    seeds: Any, purpose: Purpose, rounds: Any, index: int
) -> None:
    arguments = (
        np.array(seeds, dtype=object)[:, None, None],
        purpose,
        np.array(rounds)[:, None],
        np.arange(3),
        index,
    )
    for name in ("random_integers", "uniforms"):
        ours, theirs = (getattr(module, name)(*arguments) for module in (tensor_draws, randomness))
        assert ours.shape == theirs.shape
        assert (ours.numpy() == theirs).all()
    assert tensor_draws.normals(*arguments).numpy() == pytest.approx(
        randomness.normals(*arguments), rel=1e-12, abs=1e-14
    )


def test_a_key_outside_the_counter_is_refused() -> None:
    with pytest.raises(InvalidInput, match="round of a draw must lie in"):
        tensor_draws.uniforms(0, Purpose.TIES, -1, 0)
    with pytest.raises(InvalidInput, match="seed must be a whole number"):
        tensor_draws.uniforms(-1, Purpose.TIES, 0, 0)


def run(seeds: Any, device: str | None = "cpu") -> Any:
    return simulate(
        FedAvg(),
        PLANE,
        TRACE,
        start=0,
        local_step_size="1/8",
        noise=Gaussian(PLANE, 1, seeds, device),
        arithmetic=named_arithmetic("tensor"),
    ).models


@pytest.mark.slow
def test_runs_have_the_same_bits_in_any_batch() -> None:
    together = run(SEEDS)
    assert (together == np.concatenate([run(SEEDS[:1]), run(SEEDS[1:])])).all()
    assert (together == np.stack([run(seed) for seed in SEEDS])).all()
    assert not (together[0] == together[1]).all()
    assert together == pytest.approx(run(SEEDS, None), rel=1e-12)


@pytest.mark.slow
def test_runs_have_the_same_bits_in_any_number_of_processes() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        apart = list(pool.map(run, SEEDS))
    assert (np.stack(apart) == run(SEEDS)).all()
