"""Samples of noisy runs: the exact expectation lies in the confidence sequence, a wrong one
outside; runs do not depend on batching."""

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from fltheory import FLOAT, FedAvg, InvalidInput, Mifa, Quadratic, Trace, named_arithmetic
from fltheory.algorithms.anarchic import AfaCrossSilo
from fltheory.analysis.confidence.betting import confidence_sequence
from fltheory.analysis.confidence.observations import Bounded
from fltheory.analysis.moments import expected_gap
from fltheory.analysis.monte_carlo import RUNS_PER_SEED, NoisyRuns
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.statistical import Sampling, check_expectation
from fltheory.claims.claim import Claim, LowerBound, Paper, Source, UpperBound
from fltheory.core.errors import Diverged
from fltheory.core.vocabulary import symbol
from fltheory.engine.noise import Gaussian, Rademacher, every_sign
from fltheory.engine.simulate import simulate
from fltheory.problems.objective import loss_gap

PROBLEM = Quadratic((1, 2, 3), (1, -2, "1/2"), noise_squared=1)
TRACE = Trace.fresh([[1, 1, 1], [1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1]], local_steps=2)
SETTING: dict[str, Any] = {"start": 2, "local_step_size": "1/16"}
NOISES: dict[str, Any] = {"normal": Gaussian(PROBLEM, 1), "signs": Rademacher(PROBLEM, 1)}


def later(index: int) -> int:
    return index + 1


def noisy(algorithm, noise: str, **more) -> NoisyRuns:
    return NoisyRuns(algorithm, PROBLEM, TRACE, NOISES[noise], **SETTING, **more)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(
    ("algorithm", "average"),
    [(Mifa(), None), (Mifa(), later), (FedAvg(), None), (AfaCrossSilo(), None)],
    ids=["mifa", "mifa average", "fedavg", "afa-cs"],
)
def test_the_exact_expectation_lies_inside_and_a_wrong_one_outside(algorithm, average, noise):
    exact = float(expected_gap(algorithm, PROBLEM, TRACE, average=average, **SETTING).total)
    runs = noisy(algorithm, noise)
    law, gaps = runs.gap_law(average=average), runs.gaps(average=average)(5, 0, 5000)
    sequence = confidence_sequence(law, near=F(exact))
    found = sequence.update(sequence.start(), gaps)
    assert found.lower < exact < found.upper
    for wrong in (exact * 0.75, exact * 1.25):
        sequence = confidence_sequence(law, near=F(wrong))
        found = sequence.update(sequence.start(), gaps)
        assert not found.lower < wrong < found.upper


def test_a_claim_on_the_expected_gap_is_decided_by_runs():
    name = "weighted_loss_gap"
    source = Source(Paper("toy", "A toy", "Nobody", 2026, "here"), "line 1")
    exact = F(float(expected_gap(Mifa(), PROBLEM, TRACE, average=later, **SETTING).total))
    runs = noisy(Mifa(), "signs")
    sampling = Sampling(
        runs.gaps(average=later), runs.gap_law(average=later), seed=2, budget=16_000
    )
    verdicts = []
    less, more = F(9, 10), F(11, 10)
    for statement, factor in ((UpperBound, more), (UpperBound, less), (LowerBound, more)):
        claim = Claim(
            "toy.gap",
            source,
            "A bound on the gap of an average.",
            statement(symbol(name), symbol("initial_loss_gap")),
        )
        instance = Instance({"initial_loss_gap": exact * factor})
        verdicts.append(
            check_expectation(
                claim, sampling, of=name, instance=instance, covers="one trace"
            ).verdict.name
        )
    assert verdicts == ["SUPPORTED", "REFUTED", "REFUTED"]


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("arithmetic", ["float", "tensor"])
def test_a_run_does_not_depend_on_the_runs_beside_it(noise, arithmetic):
    draw = noisy(Mifa(), noise, arithmetic=named_arithmetic(arithmetic)).gaps(average=later)
    whole = draw(3, 0, 40)
    assert np.array_equal(whole, np.concatenate([draw(3, 0, 1), draw(3, 1, 12), draw(3, 13, 27)]))
    assert not np.array_equal(whole, draw(4, 0, 40))
    assert draw(3, 0, 0).shape == (0,)


def test_long_samples_are_cut_into_batches_of_runs(monkeypatch):
    runs = noisy(Mifa(), "normal")
    whole = runs.gaps()(1, 0, 50)
    monkeypatch.setattr("fltheory.analysis.monte_carlo.BATCH_RUNS", 7)
    assert np.array_equal(runs.gaps()(1, 0, 50), whole)


def test_any_quantity_of_the_models_can_be_observed():
    runs = noisy(Mifa(), "normal")
    models = runs.models(0, 0, 3)
    assert models.shape == (3, 6, 1)
    assert np.array_equal(runs.observe(lambda x: x[:, -1, 0] ** 2)(0, 1, 2), models[1:, -1, 0] ** 2)


def test_the_largest_gap_over_all_signs():
    problem, trace = Quadratic([(1, 2), (3, 1)], [(0, 1), (1, -1)]), Trace.fresh([[1, 1], [1, 0]])
    runs = NoisyRuns(
        Mifa(), problem, trace, Rademacher(problem, "1/2"), start=(1, 2), local_step_size="1/4"
    )
    law = runs.gap_law()
    ends = simulate(
        Mifa(),
        problem,
        trace,
        start=(1, 2),
        local_step_size="1/4",
        noise=every_sign(trace, dimension=2, scale="1/2"),
        arithmetic=FLOAT,
    ).last
    gaps = loss_gap(problem, ends[:, None, :], FLOAT)[:, 0, 0]
    assert isinstance(law, Bounded)
    assert gaps.max() == pytest.approx(float(law.high), rel=1e-8)
    assert gaps.max() <= law.high


def test_the_variance_of_the_gap_under_normal_noise():
    wide = Quadratic([(1, 2), (3, 1), (1, 1)], [(0, 1), (1, -1), (2, 2)])
    runs = NoisyRuns(Mifa(), wide, TRACE, Gaussian(wide, 2), start=(1, 2), local_step_size="1/16")
    assert float(runs.gap_law().variance) == pytest.approx(
        runs.gaps()(9, 0, 20_000).var(), rel=0.05
    )


def test_divergence_is_reported_as_such():
    runs = NoisyRuns(
        FedAvg(),
        PROBLEM,
        Trace.fresh([[1, 1, 1]] * 5),
        NOISES["normal"],
        start=1,
        local_step_size=1e90,
    )
    with pytest.raises(Diverged, match="diverged: in round 3"):
        runs.models(0, 4, 2)


def test_bad_input_is_refused():
    with pytest.raises(InvalidInput, match="seed and runs"):
        noisy(Mifa(), "normal").models(RUNS_PER_SEED, 0, 1)
    with pytest.raises(InvalidInput, match="seeds are the batch"):
        NoisyRuns(
            Mifa(), PROBLEM, Trace.fresh(np.ones((2, 5, 3), bool)), NOISES["normal"], **SETTING
        )
    with pytest.raises(InvalidInput, match="draws of noise"):
        NoisyRuns(
            Mifa(), PROBLEM, Trace.fresh(np.ones((2000, 3), bool)), NOISES["signs"], **SETTING
        ).gap_law()
