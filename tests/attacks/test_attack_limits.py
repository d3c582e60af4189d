"""Contradictory conditions, empty regions, and instances that cannot be made."""

import pytest
import sympy

from fltheory.attacks.contradictions import contradiction
from fltheory.attacks.report import as_text
from fltheory.attacks.search import attack
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, UpperBound
from fltheory.claims.evidence import Verdict
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.space import Space
from fltheory.core.errors import InvalidInput
from fltheory.papers import find_claim
from fltheory.papers.claim_files import claims_of
from tests.attacks.toy_claims import X, Y, claim_of


def test_a_symbol_without_a_meaning_is_named() -> None:
    found = attack(claim_of(UpperBound(sympy.Symbol("hidden"), X)), attempts=5)
    assert found.evidence.verdict is Verdict.UNDECIDED
    assert "hidden" in found.evidence.note
    assert "hidden" in as_text(found)


def test_an_empty_region_is_not_taken_for_support() -> None:
    def never(choices: Choices, claim: Claim) -> Instance:
        choices.reject("x < 0 although x > 0")

    found = attack(
        claim_of(UpperBound(X, Y)),
        attempts=20,
        spaces=[Space("empty", "Nothing.", frozenset({"x", "y"}), never)],
    )
    assert found.evidence.verdict is Verdict.UNDECIDED
    assert "x < 0 although x > 0 (20)" in found.evidence.note


def test_an_instance_that_cannot_be_made_is_counted_and_not_fatal() -> None:
    def fragile(choices: Choices, claim: Claim) -> Instance:
        if choices.flag():
            raise InvalidInput("outcomes", "be at most 64", 128)
        return Instance({"x": 1, "y": 2})

    found = attack(
        claim_of(UpperBound(X, Y)),
        attempts=30,
        spaces=[Space("fragile", "Sometimes.", frozenset({"x", "y"}), fragile)],
    )
    assert found.evidence.verdict is Verdict.SUPPORTED
    assert found.state.rejected["cannot be made: outcomes must be at most 64, got 128"] > 0


@pytest.mark.parametrize(
    ("assumes", "about"),
    [
        (["x <= 1", "x >= 2"], []),
        (["x = 1", "x = 2"], []),
        (["x^2 <= 1", "x >= 2"], []),
        (["sqrt(x) < 0"], []),
        (["x <= y", "y <= z", "z <= x - 1"], []),
        (["num_clients > 2", "num_clients < 3"], []),
        (["local_step_size*smoothness <= 1/2", "strong_convexity*local_step_size >= 1"], []),
        (["max_staleness >= 2", "num_rounds <= 2"], ["mifa"]),
        (["num_clients = 2", "clients_per_round = 3"], ["fedavg"]),
        (["mean_staleness > max_staleness"], ["mifa"]),
    ],
)
def test_conditions_that_contradict_each_other_are_shown_to(
    assumes: list[str], about: list[str]
) -> None:
    own = {} if about else {"where": {"x": "x", "y": "y", "z": "z"}, "kinds": {"x": "nonnegative"}}
    left = "mean_squared_gradient" if about else "x"
    entry = {
        "id": "mine.a",
        "says": "A.",
        "left": left,
        "sign": "<=",
        "right": "2",
        "assumes": assumes,
        "about": about,
        **own,
    }
    (claim,) = claims_of({"paper": {"key": "mine"}, "claim": [entry]})
    told = contradiction(claim)
    assert "cannot hold" in told
    assert all(text in told for text in assumes)
    found = attack(claim, attempts=4)
    assert (found.evidence.verdict, found.evidence.note) == (Verdict.VACUOUS, told)


@pytest.mark.parametrize(
    "assumes",
    [
        ["x <= 2", "x >= 1"],
        ["x = 1", "x <= 1"],
        ["x < 1", "x > 0"],
        ["x^2 >= 4", "x <= 2"],
        ["num_clients >= 2", "num_clients < 3"],
        ["mean_staleness >= max_staleness"],
        ["strong_convexity >= smoothness"],
        ["clients_per_round > num_clients - 1"],
    ],
)
def test_conditions_that_can_hold_together_are_not_called_contradictory(assumes: list[str]) -> None:
    entry = {
        "id": "mine.a",
        "says": "A.",
        "left": "x",
        "sign": "<=",
        "right": "2",
        "assumes": assumes,
        "where": {"x": "x"},
        "kinds": {"x": "nonnegative"},
    }
    assert contradiction(claims_of({"paper": {"key": "mine"}, "claim": [entry]})[0]) == ""


def test_bad_input_is_refused() -> None:
    claim = find_claim("fedlaavg.cor1.order")
    with pytest.raises(InvalidInput, match="attempts"):
        attack(claim, attempts=0)
    with pytest.raises(InvalidInput, match="seconds"):
        attack(claim, seconds=0)
