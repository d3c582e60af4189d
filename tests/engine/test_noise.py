"""Noise is a function of its key, has the moments that it names, and can be enumerated."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import FLOAT, FedAvg, InvalidInput, Quadratic, Trace, named_arithmetic
from fltheory.engine.noise import MOST_SIGNS, Gaussian, Rademacher, Written, every_sign
from fltheory.engine.simulate import simulate

PLANE = Quadratic(curvatures=[(1, 2)] * 3, optima=[(0, 1), (1, 0), (2, 2)])
LINE = Quadratic(curvatures=(1, 1), optima=(0, 1))
KINDS = pytest.mark.parametrize(
    "make",
    [lambda seed: Gaussian(PLANE, 4, seed), lambda seed: Rademacher(PLANE, "1/2", seed)],
    ids=["gaussian", "rademacher"],
)


@KINDS
@settings(max_examples=20)
@given(st.integers(0, 2**64 - 1), st.integers(0, 10**6), st.integers(0, 10**3))
def test_the_same_key_gives_the_same_bits(make: Any, seed: int, index: int, step: int) -> None:
    noise = make(seed)
    assert noise(index, step).shape == (3, 2)
    assert (noise(index, step) == make(seed)(index, step)).all()


@KINDS
def test_other_keys_give_other_bits(make: Any) -> None:
    def bits(seed: int, index: int, step: int) -> tuple[Any, ...]:
        return tuple(float(x) for t in range(20) for x in make(seed)(index + t, step).ravel())

    assert (
        len({bits(0, 0, 0), bits(1, 0, 0), bits(0, 1, 0), bits(0, 0, 1), bits(1 << 32, 0, 0)}) == 5
    )


@KINDS
def test_seeds_are_a_batch_axis(make: Any) -> None:
    seeds = (0, 7, 2**63 + 1)
    assert make(seeds)(5, 2).shape == (3, 3, 2)
    assert (make(seeds)(5, 2) == np.stack([make(seed)(5, 2) for seed in seeds])).all()


@KINDS
def test_a_batch_of_seeds_is_a_batch_of_runs(make: Any) -> None:
    trace, seeds = Trace.fresh([[1, 0, 1], [1, 1, 1]], local_steps=2), (3, 4)
    for arithmetic in (FLOAT, named_arithmetic("tensor")):

        def run(seed: Any, arithmetic: Any = arithmetic) -> Any:
            return simulate(
                FedAvg(),
                PLANE,
                trace,
                start=0,
                local_step_size="1/8",
                noise=make(seed),
                arithmetic=arithmetic,
            ).models

        assert run(seeds).shape == (2, 3, 2)
        assert run(seeds) == pytest.approx(np.stack([run(seed) for seed in seeds]), rel=1e-14)


@pytest.mark.parametrize(
    "noise",
    [Gaussian(PLANE, 3, tuple(range(4000))), Rademacher(PLANE, 2, tuple(range(4000)))],
    ids=["gaussian", "rademacher"],
)
def test_moments(noise: Any) -> None:
    """Mean 0 and E |noise|^2 as named, within five standard errors for these fixed seeds;
    coordinates and clients uncorrelated."""
    draws = noise(1, 1).astype(float).reshape(4000, 6)
    per_coordinate = 3 / 2 if isinstance(noise, Gaussian) else 4
    error = 5 / 4000**0.5
    assert abs(draws.mean(axis=0)).max() < error * per_coordinate**0.5
    covariance = draws.T @ draws / 4000
    assert abs(covariance - per_coordinate * np.eye(6)).max() < error * 2**0.5 * per_coordinate


@given(
    st.lists(st.lists(st.integers(0, 1), min_size=2, max_size=2), min_size=1, max_size=3),
    st.integers(1, 2),
)
@settings(max_examples=25)
def test_enumeration_lists_every_outcome_once(delivers: Any, steps: int) -> None:
    trace = Trace.fresh(delivers, local_steps=steps)
    signs = every_sign(trace, scale="1/3").values
    count = int(trace.local_steps.sum())
    outcomes = np.moveaxis(signs, 2, 0).reshape(2**count, -1)
    assert len({tuple(row) for row in outcomes}) == 2**count
    used = np.arange(max(steps if count else 0, 0))[:, None] < trace.local_steps[:, None, :]
    assert ((signs[..., 0] != 0) == np.broadcast_to(used[:, :, None, :], signs.shape[:-1])).all()
    assert set(abs(signs).ravel()) <= {Fraction(0), Fraction(1, 3)}


def test_an_expectation_by_enumeration() -> None:
    """One client, two rounds of x <- x - g (x + n): the variance is g^2 (1 + (1 - g)^2)."""
    problem, trace, size = (
        Quadratic(curvatures=(1,), optima=(0,)),
        Trace.fresh([[1], [1]]),
        Fraction(1, 4),
    )
    runs = simulate(
        FedAvg(), problem, trace, start=1, local_step_size=size, noise=every_sign(trace)
    ).models[:, -1, 0]
    assert runs.mean() == (1 - size) ** 2
    assert ((runs - runs.mean()) ** 2).mean() == size**2 * (1 + (1 - size) ** 2)


def test_written_noise_is_used_as_written() -> None:
    noise = Written([[[["1/2"], [0]]], [[[0], [-1]]]])
    run = simulate(
        FedAvg(), LINE, Trace.fresh([[1, 1], [0, 1]]), start=0, local_step_size=1, noise=noise
    )
    assert list(run.models[:, 0]) == [0, Fraction(1, 4), 2]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Gaussian(LINE, -1), "noise variance must be at least 0"),
        (lambda: Rademacher(LINE, "-1/2"), "noise scale must be at least 0"),
        (lambda: Rademacher(LINE, 1, seed=-1)(0, 0), "seed must be a whole number"),
        (lambda: Rademacher(LINE, 1, seed=2**64)(0, 0), "seed must be a whole number"),
        (lambda: Rademacher(LINE, 1, seed=(0, -1))(0, 0), "seed must be a whole number"),
        (lambda: Written([[0, 1]]), "have rounds, local steps, clients and coordinates"),
        (lambda: Written([[[[0], [1]]]])(1, 0), "reach round 1, local step 0"),
        (lambda: Written([[[[0], [1]]]])(0, 2), "reach round 0, local step 2"),
        (
            lambda: every_sign(Trace.fresh(np.ones((MOST_SIGNS + 1, 1), bool))),
            f"be at most {MOST_SIGNS}, got {MOST_SIGNS + 1}",
        ),
    ],
)
def test_bad_input_is_refused(make: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()
