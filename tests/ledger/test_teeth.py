"""The code that checks, by its decisions: each test fails if one comparison is left out."""

import json
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy

from fltheory.analysis.worst_case.proof import verify as verify_certificate
from fltheory.claims.checks.certified import check_certified
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Assumption, UpperBound
from fltheory.claims.condition import Condition
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.core.enclosure import Comparison
from fltheory.core.errors import InvalidInput
from fltheory.ledger import attack_record, integrity, runner
from fltheory.ledger.attack_record import recorded_attacks
from fltheory.ledger.counterexamples import FORMAT, statement_of
from fltheory.ledger.lines import LedgerLine, differences, finding
from fltheory.ledger.replays import replay
from fltheory.papers import find_claim
from fltheory.papers.afl.checks.certified import SIMPLE
from tests.ledger.recorded_files import data_of
from verification import check_certificate

FOLDER = runner.ledger_file().parent
UNKNOWN = Assumption("test.unknown", "Nobody knows.", lambda scenario: None)
FAILS = Assumption("test.fails", "It fails.", lambda scenario: False)


@pytest.mark.parametrize("field", ["points", "weights", "start"])
def test_points_and_weights_are_compared_in_a_proof(field: str) -> None:
    good: dict[str, Any] = json.loads(
        (FOLDER / "certificates" / "afl-simple-delay0-rounds3.json").read_text()
    )
    other = {
        "points": [good["points"][0], *good["points"][:-1]],
        "weights": ["1", *["0"] * (len(good["weights"]) - 1)],
        "start": 1,
    }
    bad = deepcopy(good) | {field: other[field]}
    for check in (verify_certificate, check_certificate.check):
        with pytest.raises((InvalidInput, ValueError)):
            check(bad)


@pytest.mark.parametrize("planted", [UNKNOWN, FAILS], ids=["unknown", "fails"])
def test_a_condition_that_is_unknown_or_fails_ends_a_replay(planted: Assumption) -> None:
    data = data_of(FOLDER / "counterexamples" / "afl.thm2.json")
    claim = find_claim("afl.thm2")
    harder = replace(claim, assumes=(*claim.assumes, planted))
    assert replay(data, claim).confirmed  # type: ignore[arg-type]
    found = replay(data, harder)  # type: ignore[arg-type]
    assert not found.confirmed
    assert any(planted.id in step for step in found.steps)


def line(verdict: Verdict, **changes: Any) -> LedgerLine:
    return LedgerLine(
        Evidence("afl.a4", Method.EXACT_RUN, verdict, "runs", "1", "2", "1/2", **changes),
        0.1,
        "now",
    )


@pytest.mark.parametrize("before", [Verdict.PROVED, Verdict.SUPPORTED, Verdict.REFUTED])
def test_a_change_to_undecided_is_a_difference(before: Verdict) -> None:
    told = differences([line(before)], [line(Verdict.UNDECIDED)], complete=False)
    assert told == [
        f"afl.a4: recorded {before.name}, now UNDECIDED by runs in exact rational arithmetic"
    ]
    assert differences([line(before)], [line(before)], complete=True) == []


@pytest.mark.parametrize("planted", [UNKNOWN, FAILS], ids=["unknown", "fails"])
@pytest.mark.parametrize("stated", [True, False])
def test_an_assumption_that_is_not_met_leaves_a_certified_check_undecided(
    planted: Assumption, stated: bool
) -> None:
    claim = find_claim("afl.thm2.simple")
    harder = replace(claim, assumes=(*claim.assumes, replace(planted, stated=stated)))
    assert check_certified(claim, SIMPLE, covers="test").verdict is Verdict.CERTIFIED
    found = check_certified(harder, SIMPLE, covers="test")
    assert found.verdict is Verdict.UNDECIDED
    assert planted.id in found.note


def test_a_comparison_that_is_not_decided_supports_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = sympy.Symbol("num_rounds", integer=True, positive=True)
    claim = replace(
        find_claim("afl.a4"), statement=UpperBound(x, 2 * x), assumes=(), special_cases=()
    )
    ways = {"method": Method.EXACT_RUN, "covers": "two instances"}
    sure = [Instance({"num_rounds": 1}), Instance({"num_rounds": 2})]
    assert check_instances(claim, sure, **ways).verdict is Verdict.SUPPORTED  # type: ignore[arg-type]
    import fltheory.claims.checks.instances as module

    answers = iter([Comparison.BELOW, Comparison.UNKNOWN])
    with monkeypatch.context() as patch:
        patch.setattr(module, "compare", lambda a, b: next(answers, Comparison.BELOW))
        patch.setattr(module, "_tighter", lambda claim, ratio, best: False)
        for complete in (False, True):
            answers = iter([Comparison.BELOW, Comparison.UNKNOWN])
            found = check_instances(claim, sure, complete=complete, **ways)  # type: ignore[arg-type]
            assert found.verdict is Verdict.UNDECIDED


ROUNDS = sympy.Symbol("num_rounds", integer=True, positive=True)


@pytest.mark.parametrize(
    ("left", "holds"),
    [(ROUNDS, True), (2 * ROUNDS, False), (sympy.Symbol("weather"), False), (sympy.nan, False)],
)
def test_a_replay_accepts_no_condition_that_it_cannot_decide(left: sympy.Expr, holds: bool) -> None:
    """left <= 1 at one round: the third names what nobody knows, and the fourth is no number."""
    says, x = f"{left} <= 1", ROUNDS
    condition = Assumption("a", says, Condition(says, left, "<=", sympy.S.One))
    claim = replace(find_claim("afl.a4"), statement=UpperBound(2 * x, x), special_cases=())
    data: Any = {
        "format": FORMAT,
        "claim": claim.id,
        "statement": statement_of(claim),
        "values": {"num_rounds": "1"},
        "measures": {},
    }
    assert replay(data, replace(claim, assumes=()), values_are_known=True).confirmed
    found = replay(data, replace(claim, assumes=(condition,)), values_are_known=True)
    assert found.confirmed is holds


SHOWN = [name for name in finding(line(Verdict.SUPPORTED)) if name not in ("id", "verdict")]


@pytest.mark.parametrize("name", SHOWN)
def test_every_field_that_a_reader_is_shown_is_compared(name: str) -> None:
    fresh = line(Verdict.SUPPORTED, note="n", trivial="3")
    data = dict(fresh.to_json())
    data[name] = (
        "ENUMERATION"
        if name == "method"
        else {"everything": "all", "ranges": {}, "kinds": {}}
        if name == "scope"
        else "forged"
    )
    told = differences([LedgerLine.from_json(data)], [fresh], complete=True)
    assert told, name


def test_missing_extra_doubled_and_unknown_lines_are_told() -> None:
    one, other = line(Verdict.SUPPORTED), line(Verdict.SUPPORTED)
    claims = ["afl.a4"]
    assert integrity.lines_amiss([one], {"afl.a4": 1}, claims) == []
    assert integrity.lines_amiss([], {"afl.a4": 1}, claims)
    assert integrity.lines_amiss([one], {}, claims)
    assert integrity.lines_amiss([one], {"afl.a4": 2}, claims)
    assert integrity.lines_amiss([one, other], {"afl.a4": 2}, claims)
    stranger = replace(one, evidence=replace(one.evidence, claim="afl.nobody"))
    told = integrity.lines_amiss([one, stranger], {"afl.a4": 1}, claims)
    assert told == ["afl.nobody: the ledger speaks of it, and no paper states it"]


def test_a_forged_record_of_attacks_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = {"afl.thm2", "afl.a4", "fraboni.ex2.corrected"} & {
        one.evidence.claim for one in recorded_attacks()
    }
    assert integrity.attacks_amiss(claims, replayed=True) == []
    lines = [one for one in recorded_attacks() if one.evidence.claim in claims]
    for one in lines:
        verdict = one.evidence.verdict
        turned = Verdict.SUPPORTED if verdict is Verdict.REFUTED else Verdict.REFUTED
        forged = replace(one, evidence=replace(one.evidence, verdict=turned))
        monkeypatch.setattr(integrity, "recorded_attacks", lambda forged=forged: [forged])
        assert integrity.attacks_amiss(claims, replayed=False)
        monkeypatch.setattr(integrity, "recorded_attacks", lambda one=one: [one, one])
        assert integrity.attacks_amiss(claims, replayed=False)
    monkeypatch.undo()
    stored = attack_record.counterexample_folder() / "afl.thm2.json"
    forged_file = data_of(stored) | {"values": {**data_of(stored)["values"], "num_rounds": "7"}}
    (tmp_path / "afl.thm2.json").write_text(json.dumps(forged_file))
    monkeypatch.setattr(integrity, "counterexample_folder", lambda paper=None: tmp_path)
    only = [one for one in lines if one.evidence.claim == "afl.thm2"]
    monkeypatch.setattr(integrity, "recorded_attacks", lambda: only)
    assert integrity.attacks_amiss({"afl.thm2"}, replayed=True) == [
        "afl.thm2: the file of the recorded attack is not confirmed"
    ]
    other = find_claim("afl.a4")
    forged_file |= {"statement": statement_of(other)}
    (tmp_path / "afl.thm2.json").write_text(json.dumps(forged_file))
    assert "another statement" in integrity.attacks_amiss({"afl.thm2"}, replayed=False)[0]


def test_a_theorem_that_no_check_reads_and_a_file_without_refutation_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert integrity.theorems_amiss() == []
    monkeypatch.setattr(integrity, "kernel_theorems", lambda paper: {"afl.invented": {}})
    assert integrity.theorems_amiss() == ["afl.invented: a recorded theorem that no check reads"]
    assert integrity.counterexamples_amiss({"fraboni.ex2": Verdict.REFUTED}) == []
    assert integrity.counterexamples_amiss({"fraboni.ex2": Verdict.SUPPORTED})
