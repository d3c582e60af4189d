"""Statistical checks: right verdicts on bounds above, below and at the truth; never a flake;
evidence that can be stored and replayed."""

import json
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
import sympy

from fltheory import InvalidInput
from fltheory.analysis.confidence.observations import (
    Bounded,
    BoundedVariance,
    NonNegative,
    SubGaussian,
)
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.statistical import Sampling, check_expectation
from fltheory.claims.claim import Claim, Identity, LowerBound, Order, Paper, Source, UpperBound
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.core.randomness import Purpose, normals, uniforms
from fltheory.ledger.counterexamples import to_file
from fltheory.ledger.lines import LedgerLine
from fltheory.ledger.replays import replay

MEAN, BOUND, SHIFT = (sympy.Symbol(name, real=True) for name in ("mean", "bound", "shift"))
SOURCE = Source(Paper("toy", "A toy", "Nobody", 2026, "here"), "line 1")
NINE, ELEVEN = F(9, 10), F(11, 10)


def toy(statement) -> Claim:
    return Claim(
        id="toy.mean",
        source=SOURCE,
        says="A bound that is made up for a test.",
        statement=statement,
        where={"mean": "an expectation", "bound": "a number", "shift": "another number"},
    )


def stream(make, transform):
    return lambda seed, first, count: transform(
        make(seed, Purpose.SEARCH, first + np.arange(count), 0)
    )


SAMPLES = {
    "coin": (
        Sampling(stream(uniforms, lambda u: (u < 0.25).astype(float)), Bounded(0, 1)),
        F(1, 4),
    ),
    "uniform": (Sampling(stream(uniforms, lambda u: 4 * u - 1), Bounded(-1, 3)), F(1)),
    "normal": (Sampling(stream(normals, lambda x: x - 3), SubGaussian(1)), F(-3)),
    "exponential": (Sampling(stream(uniforms, lambda u: -np.log1p(-u)), BoundedVariance(1)), F(1)),
}


def decide(statement, name: str, bound, **more) -> Evidence:
    origin: Any = {"stream": name}
    instance = Instance({"bound": bound, "shift": F(1, 3)}, scenario=origin)
    sampling = replace(SAMPLES[name][0], **({"budget": 30_000} | more))
    return check_expectation(
        toy(statement), sampling, of="mean", instance=instance, covers=f"a stream: {name}"
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", SAMPLES)
def test_bounds_off_by_a_tenth_are_decided_and_the_truth_is_not(name, seed):
    truth = SAMPLES[name][1]
    below, above = sorted([truth * NINE, truth * ELEVEN])
    verdicts = [
        [
            decide(
                statement(MEAN, BOUND),
                name,
                bound,
                seed=seed,
                budget=4000 if bound == truth else 30_000,
            ).verdict
            for bound in (below, truth, above)
        ]
        for statement in (UpperBound, LowerBound)
    ]
    assert verdicts == [
        [Verdict.REFUTED, Verdict.UNDECIDED, Verdict.SUPPORTED],
        [Verdict.SUPPORTED, Verdict.UNDECIDED, Verdict.REFUTED],
    ]


def test_wrong_verdicts_are_as_rare_as_promised():
    """A bound just below the truth, error 1/10: of 100 seeds hardly any supports it, though all
    look again and again."""
    claim = UpperBound(MEAN, BOUND)
    found = [
        decide(
            claim, "normal", F(-3) - F(1, 1000), seed=seed, error="1/10", batch=50, budget=800
        ).verdict
        for seed in range(100)
    ]
    assert found.count(Verdict.SUPPORTED) <= 10
    assert found.count(Verdict.UNDECIDED) >= 80


def test_the_same_seed_gives_the_same_evidence():
    found = decide(UpperBound(MEAN, BOUND), "coin", F(3, 10), seed=7)
    assert found == decide(UpperBound(MEAN, BOUND), "coin", F(3, 10), seed=7)
    other = decide(UpperBound(MEAN, BOUND), "coin", F(3, 10), seed=8)
    assert other.verdict is found.verdict
    assert other != found


def test_evidence_says_what_was_done():
    found = decide(UpperBound(MEAN, BOUND), "coin", F(3, 10), error="1/1000")
    assert (found.method, found.verdict, found.right) == (
        Method.STATISTICAL,
        Verdict.SUPPORTED,
        "3/10",
    )
    for part in (
        "estimate: mean lies in [",
        "observations",
        "probability at most 0.001",
        "given observations in [0, 1]",
    ):
        assert part in found.note
    assert found.scenario.endswith("seed 0")
    assert F(1, 4) < F(found.left) <= F(3, 10)
    assert 0 < F(found.looseness) <= 1


def test_a_refutation_is_stored_with_its_seed_and_replayed():
    claim = toy(UpperBound(MEAN, BOUND))
    found = decide(claim.statement, "coin", F(1, 5), seed=3)
    example = found.counterexample
    assert example.values["bound"] < example.values["mean"] < F(1, 4)
    assert example.scenario["stream"] == "coin"
    assert (example.scenario["seed"], example.scenario["error_probability"]) == (3, "1/1000000")
    assert 500 <= example.scenario["observations"] <= 30_000
    assert "seed 3" in found.scenario
    data = json.loads(json.dumps(to_file(claim, found)))
    assert replay(data, claim).confirmed  # of one's own symbols, which are free
    assert LedgerLine.from_json(LedgerLine(found, 0.1, "now").to_json()).evidence == replace(
        found, counterexample=None
    )


def test_the_left_side_of_the_claim_itself_is_evaluated():
    """5 - 2 mean + shift at mean = 1/4 is 29/6: a negative slope turns the interval round."""
    left = 5 - 2 * MEAN + SHIFT
    truth = F(29, 6)
    assert decide(UpperBound(left, BOUND), "coin", truth + F(1, 20)).verdict is Verdict.SUPPORTED
    assert decide(UpperBound(left, BOUND), "coin", truth - F(1, 20)).verdict is Verdict.REFUTED
    assert decide(LowerBound(left, BOUND**2), "coin", 2).verdict is Verdict.SUPPORTED
    assert decide(LowerBound(left, sympy.sqrt(BOUND)), "coin", 24).verdict is Verdict.REFUTED


def test_a_planted_falsehood_turns_the_verdict():
    claim = toy(UpperBound(MEAN, BOUND))
    assert decide(claim.statement, "uniform", ELEVEN).verdict is Verdict.SUPPORTED
    assert (
        decide(
            claim.planted(right=BOUND * sympy.Rational(4, 5)).statement, "uniform", ELEVEN
        ).verdict
        is Verdict.REFUTED
    )


def test_sampling_stops_when_it_can_and_at_the_budget():
    drawn = []

    def coin(seed, first, count):
        drawn.append((first, count))
        return SAMPLES["coin"][0].draw(seed, first, count)

    decide(UpperBound(MEAN, BOUND), "coin", F(9, 10), draw=coin)
    assert sum(count for _, count in drawn) == 500
    drawn.clear()
    assert (
        "after 5000 observations"
        in decide(UpperBound(MEAN, BOUND), "coin", F(1, 4), draw=coin, budget=5000).note
    )
    assert drawn == [(0, 500), (500, 500), (1000, 1000), (2000, 2000), (4000, 1000)]


def test_batches_do_not_change_what_is_concluded_from_all_observations():
    whole, parts = (
        decide(UpperBound(MEAN, BOUND), "coin", F(1, 4), budget=4000, batch=batch)
        for batch in (4000, 1)
    )
    assert whole == parts


def test_observations_that_break_their_law_decide_nothing():
    def drifting(seed, first, count):
        return np.where(first + np.arange(count) < 2000, 0.1, 0.9)

    found = decide(UpperBound(MEAN, BOUND), "coin", F(1, 2), draw=drifting, batch=10_000)
    assert found.verdict is Verdict.UNDECIDED
    assert "contradict what is said of them" in found.note
    with pytest.raises(InvalidInput, match="obey the law"):
        decide(UpperBound(MEAN, BOUND), "coin", F(1, 2), law=Bounded(0, "1/2"))


@pytest.mark.parametrize(
    "statement",
    [
        Identity(MEAN, BOUND),
        Order(MEAN, BOUND),
        UpperBound(MEAN**2, BOUND),
        UpperBound(BOUND, BOUND),
        UpperBound(MEAN, BOUND * MEAN),
    ],
)
def test_other_statements_are_refused(statement):
    with pytest.raises(InvalidInput):
        decide(statement, "coin", F(1, 2))


@pytest.mark.parametrize(
    "settings", [{"error": 0}, {"batch": 0}, {"batch": 9, "budget": 8}, {"law": NonNegative()}]
)
def test_bad_settings_are_refused(settings):
    with pytest.raises(InvalidInput):
        decide(UpperBound(MEAN, BOUND), "coin", F(1, 2), **settings)
