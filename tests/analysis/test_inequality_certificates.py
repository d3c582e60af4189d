"""Stored certificates of inequalities: each proves its claim, and nothing below it is certified."""

import json
from dataclasses import replace

import pytest
import sympy

import fltheory.claims.checks.inequality as module
from fltheory.analysis.inequalities.proof import verify
from fltheory.claims.checks.inequality import (
    Stated,
    certificate_file,
    check_inequalities,
    inequality,
)
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Identity, UpperBound, evaluate
from fltheory.claims.evidence import Verdict
from fltheory.core.errors import InvalidInput
from fltheory.papers import all_claims, find_claim
from fltheory.papers.afl.checks.certified_workers import SIMPLE
from fltheory.papers.mifa.checks.certified import GRADIENTS
from fltheory.papers.mifa.paper import PAPER
from tests.analysis.stored_lemmas import LEMMAS, above_optimum, stored


@pytest.mark.slow
def test_every_certificate_is_stored_right_named_and_above_its_members() -> None:
    assert len({lemma.name for lemma in LEMMAS}) == len(LEMMAS)
    assert {path.stem for path in certificate_file("x", PAPER).parent.glob("*.json")} == {
        lemma.name for lemma in LEMMAS
    }
    claims = all_claims()
    for lemma in LEMMAS:
        stated, claim = lemma.state(), claims[lemma.claim]
        factor = verify(stored(lemma), inequality(claim, stated))
        assert 0 < factor <= 1
        for member in stated.members:
            values = {
                **member.values,
                **stated.numbers,
            }  # the right side of the class, of which the member is one
            left, right = (
                evaluate(side, values) for side in (claim.statement.left, claim.statement.right)
            )
            assert float(left) <= float(factor) * float(right) + 1e-12, lemma.name


def test_certificates_are_small() -> None:
    folder = certificate_file("x", PAPER).parent.parent
    sizes = {path: path.stat().st_size for path in folder.rglob("*.json")}
    arithmetic = sum(size for path, size in sizes.items() if path.parent.name == "arithmetic")
    assert sum(sizes.values()) - arithmetic < 3_000_000
    assert arithmetic < 3_000_000


def test_many_claims_of_all_papers_are_certified() -> None:
    claims = {lemma.claim for lemma in LEMMAS}
    assert len(claims) >= 24
    assert {name.split(".")[0] for name in claims} == {"afl", "fedlaavg", "fraboni", "mifa"}


@pytest.mark.parametrize(
    "lemma", {lemma.claim: lemma for lemma in LEMMAS}.values(), ids=lambda lemma: lemma.claim
)
def test_a_bound_below_the_certified_one_is_not_certified(lemma) -> None:
    claim = find_claim(lemma.claim)
    lower = claim.planted(
        right=claim.statement.right
        * sympy.Rational(stored(lemma)["factor"])
        * sympy.Rational(999, 1000)
    )
    assert check_inequalities(lower, [lemma], covers="test").verdict is not Verdict.CERTIFIED


def test_a_proof_of_less_than_is_true_is_not_found() -> None:
    for lemma in (SIMPLE[0], GRADIENTS[1]):
        claim = find_claim(lemma.claim)
        assert lemma.certificate(claim) is not None
        assert (
            lemma.certificate(claim.planted(right=claim.statement.right * sympy.Rational(3, 4)))
            is None
        )


def test_a_missing_or_foreign_certificate_or_an_unmet_assumption_decides_nothing(
    tmp_path, monkeypatch
) -> None:
    lemma, other = SIMPLE[:2]
    claim = find_claim(lemma.claim)
    monkeypatch.setattr(module, "certificate_file", lambda name, paper: tmp_path / f"{name}.json")
    assert "no certificate is stored" in check_inequalities(claim, [lemma], covers="test").note
    (tmp_path / f"{lemma.name}.json").write_text(json.dumps(stored(other)))
    assert (
        "be that of the inequality at hand"
        in check_inequalities(claim, [lemma], covers="test").note
    )
    scenario = lemma.state().scenario
    assert scenario is not None
    fast = replace(lemma.state(), scenario=replace(scenario, server_step_size=1000))
    found = check_inequalities(claim, [replace(lemma, state=lambda: fast)], covers="test")
    assert (found.verdict, found.note) == (
        Verdict.UNDECIDED,
        f"{lemma.name}: assumptions not met: afl.thm2.simple.sgd",
    )
    assert check_inequalities(claim, [], covers="test").verdict is Verdict.UNDECIDED


def test_what_is_no_linear_upper_bound_is_refused() -> None:
    sketch, square, gap = above_optimum()
    stated = Stated(
        sketch,
        {"squared_gradient": square, "loss_gap": gap},
        {},
        (),
        (Instance({"squared_gradient": 1, "loss_gap": 1}),),
    )
    claim, (g, f) = find_claim("mifa.ass.BGD"), sympy.symbols("squared_gradient loss_gap")
    refused = (
        (Identity(g, f), "be an upper bound"),
        (UpperBound(g, f**2), "be linear"),
        (UpperBound(g, g * f), "be rational"),
        (UpperBound(g, sympy.sqrt(2) * f), "be rational"),
        (UpperBound(g, sympy.Symbol("smoothness")), "neither"),
    )
    for statement, message in refused:
        with pytest.raises(InvalidInput, match=message):
            inequality(
                replace(
                    claim, statement=statement, where={"squared_gradient": "x", "loss_gap": "y"}
                ),
                stated,
            )
