"""Claims about figures: each kind is supported by what it says, not supported by a planted
falsehood, undecided by noise."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.core.errors import InvalidInput
from paper_reproductions.claims import (
    ERROR,
    SUMMARIES,
    Claim,
    Outcome,
    decide,
    enough_seeds,
    reach,
    sign_flip,
    summary,
)
from paper_reproductions.results import contrasts
from tests.reproductions.planted_claims import record

TERMS = ((1.0, "p", "a"), (-1.0, "p", "b"))


def claim(kind: str, margin: float = 0.0, at: str = "final") -> Claim:
    return Claim("a above b", kind, "train_loss", at, TERMS, margin)


PLANTED = {
    ("positive", 0.0): {
        "true": [0.5, 0.4, 0.6, 0.5, 0.45],
        "false": [-0.5, -0.4, -0.6, -0.5, -0.45],
        "open": [1, -1, 0.5, -0.4, 0.1],
    },
    ("positive", -0.02): {
        "true": [0, 0.001, -0.001, 0.002, 0],
        "false": [-0.1, -0.11, -0.1, -0.09, -0.1],
        "open": [-0.1, 0.06, 0, 0],
    },
    ("small", 0.1): {
        "true": [0.01, -0.01, 0.02, 0, 0.01],
        "false": [0.5, 0.49, 0.51, 0.5, 0.5],
        "open": [0.1, 0.2, 0, 0.1, 0.05],
    },
    ("small", 0.05): {
        "true": [0.0, 0.001, 0, 0, 0],
        "false": [-0.5, -0.49, -0.51, -0.5, -0.5],
        "open": [0.04, -0.06, 0.05, 0.06, 0.01],
    },
}


@pytest.mark.parametrize(("kind", "margin"), PLANTED)
def test_each_kind_of_claim_can_hold_fail_and_stay_open(kind: str, margin: float) -> None:
    found = {
        case: decide(claim(kind, margin), values) for case, values in PLANTED[kind, margin].items()
    }
    assert found["true"].outcome is Outcome.SUPPORTED
    assert found["false"].outcome is Outcome.NOT_SUPPORTED
    assert found["open"].outcome is Outcome.UNDECIDED
    assert found["true"].sign_flip == pytest.approx(1 / 32, abs=0.06)


def test_one_seed_or_a_missing_run_decides_nothing() -> None:
    assert decide(claim("positive"), [3.0]).outcome is Outcome.UNDECIDED
    assert decide(claim("positive"), [3.0, math.nan, 3.0]).outcome is Outcome.UNDECIDED


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=6))
def test_a_claim_and_its_contrary_are_never_both_supported(values: list[float]) -> None:
    one, contrary = (
        decide(claim("positive"), values),
        decide(claim("positive"), [-x for x in values]),
    )
    assert not (one.outcome is contrary.outcome is Outcome.SUPPORTED)
    assert (one.outcome is Outcome.SUPPORTED) <= (contrary.outcome is Outcome.NOT_SUPPORTED)


@pytest.mark.slow
def test_a_claim_on_the_margin_is_rarely_supported_and_a_page_of_them_hardly_ever() -> None:
    pages_of_claims = np.random.default_rng(11).normal(size=(600, 12, 5))

    def any_supported(error: float) -> float:
        return float(
            np.mean(
                [
                    any(
                        decide(claim("positive"), one, error=error).outcome is Outcome.SUPPORTED
                        for one in page
                    )
                    for page in pages_of_claims
                ]
            )
        )

    single = np.mean(
        [
            decide(claim("positive"), one).outcome is Outcome.SUPPORTED
            for page in pages_of_claims
            for one in page
        ]
    )
    assert 0.015 < single < 0.035, "one side of a 95% interval"
    assert any_supported(ERROR) > 0.15, (
        "the planted one: a page of twelve claims, each by itself, is often wrong somewhere"
    )
    assert any_supported(ERROR / 12) < 0.05


@given(st.floats(0.05, 3), st.floats(0.1, 2), st.integers(2, 8))
def test_so_many_seeds_would_decide_and_one_fewer_would_not(
    distance: float, spread: float, seeds: int
) -> None:
    needed = enough_seeds(distance, spread, seeds, ERROR)
    if needed is None:
        assert reach(spread, 1000, ERROR) >= distance
    else:
        assert reach(spread, needed, ERROR) < distance
        assert needed == seeds + 1 or reach(spread, needed - 1, ERROR) >= distance


def test_sign_flips_count_exactly() -> None:
    assert sign_flip([1, 1, 1, 1, 1]) == 1 / 32
    assert sign_flip([-1, -1]) == 1.0
    assert sign_flip([3, -1]) == 2 / 4


CURVE = [8.0, 4.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0]


EXPECTED = {"final": 1.0, "tail": 1.0, "best": 1.0, "early": 1.0, "swing": 1.0, "zigzag": 1.0}


@pytest.mark.parametrize("at", SUMMARIES)
def test_summaries(at: str) -> None:
    assert summary(CURVE, at) == EXPECTED[at]
    assert summary([5.0] * 12, at) == (0.0 if at in ("swing", "zigzag") else 5.0)
    assert summary(CURVE, "best", larger_is_better=True) == 8.0


def test_contrasts_are_paired_by_seed() -> None:
    assert contrasts(claim("positive"), record([[1, 2], [1, 3]], [[1, 1], [1, 5]])) == [1, -2]
    assert all(
        math.isnan(x)
        for x in contrasts(claim("positive"), record([[1, 2], [1]], [[1, 1], [1, 5]], diverged=1))
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "certain"},
        {"at": "noon"},
        {"kind": "small", "margin": 0},
        {"terms": [[1, "p", "nobody"]]},
        {"terms": [[1, "p"]]},
        {"luck": 1},
    ],
)
def test_a_broken_claim_is_refused(wrong: dict[str, Any]) -> None:
    right = {
        "says": "s",
        "kind": "positive",
        "measure": "train_loss",
        "at": "final",
        "terms": [[1, "p", "a"]],
    }
    Claim.read(right, ["p"], ["a"], "x")
    with pytest.raises(InvalidInput):
        Claim.read(right | wrong, ["p"], ["a"], "x")
