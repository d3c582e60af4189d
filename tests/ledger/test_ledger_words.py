"""What the ledger's lines, their scope and the looks over the record say, word by word."""

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fltheory.claims.evidence import Evidence, Method, Verdict, overall
from fltheory.claims.scope import Coverage, Scope
from fltheory.core.errors import InvalidInput
from fltheory.ledger import integrity
from fltheory.ledger.lines import LedgerLine, read, record, versions_now

FOUND = Evidence(
    "afl.a4", Method.EXACT_RUN, Verdict.SUPPORTED, "runs", note="Fraboni et al. \u03c4"
)
LINE = LedgerLine(FOUND, 0.5, "now")


@pytest.mark.parametrize("seconds", [True, False, -1, math.inf, math.nan, "1", None])
def test_seconds_are_a_time(seconds: Any) -> None:
    with pytest.raises(InvalidInput, match=r"trouble with seconds, which are no time$"):
        LedgerLine.from_json({**LINE.to_json(), "seconds": seconds})


def test_seconds_may_be_0_and_whole() -> None:
    for seconds in (0, 3, 0.0):
        assert LedgerLine.from_json({**LINE.to_json(), "seconds": seconds}).seconds == seconds


def test_a_ledger_is_written_where_no_folder_is_in_plain_letters(tmp_path: Path) -> None:
    path = tmp_path / "new" / "ledger.jsonl"
    path.parent.mkdir()
    record(path, [LINE], ["afl.a4"])
    assert "\u03c4" in path.read_text("utf-8")
    assert read(path) == [LINE]
    assert versions_now().count(", ") == 3
    assert "sympy 1" in versions_now()


def test_a_proof_and_a_counterexample_are_named() -> None:
    whole = replace(FOUND, verdict=Verdict.PROVED, scope=Scope("all"))
    rule = r"not both prove and refute a claim, got \['PROVED', 'REFUTED'\]"
    with pytest.raises(InvalidInput, match=f"^evidence must {rule}$"):
        overall([whole, replace(FOUND, verdict=Verdict.REFUTED)])
    assert overall([]) is Verdict.UNDECIDED
    for verdict in (Verdict.UNDECIDED, Verdict.SUPPORTED, Verdict.VACUOUS):
        assert overall([replace(FOUND, verdict=verdict)]) is verdict


def test_a_scope_is_a_sentence_and_is_read_as_it_was_written() -> None:
    scope = Scope(
        ranges={"num_rounds": ("1", "8"), "least_rate": ("2", "2")},
        kinds={"losses": ("Quadratic", "Softmax"), "noise": ("without noise",)},
    )
    assert scope.says == (
        "least rate 2; num rounds 1 to 8; losses: Quadratic, Softmax; noise: without noise"
    )
    assert Scope.from_json(scope.to_json()) == scope
    assert scope.to_json()["kinds"] == {
        "losses": ["Quadratic", "Softmax"],
        "noise": ["without noise"],
    }
    assert replace(scope, everything="x").says == "everything that the claim says: x"


def run_of(noise: Any, delivers: list[list[int]], importance: list[Fraction]) -> Any:
    """As much of a scenario as a scope looks at."""
    trace = SimpleNamespace(
        num_clients=2, num_rounds=3, local_steps=np.array([[1, 4]]), delays=np.array([[0, 5]]),
        delivers=np.array(delivers, dtype=bool),
    )  # fmt: skip
    constants = SimpleNamespace(gradient_noise_squared=noise)
    problem = SimpleNamespace(importance=importance, dimension=7, constants=constants)
    return SimpleNamespace(trace=trace, problem=problem)


def test_the_scope_of_runs_holds_their_sizes_and_sorts() -> None:
    tried = Coverage()
    third = Fraction(1, 3)
    tried.add_run(run_of(None, [[1, 1]], [third, 2 * third, Fraction(0)]))
    assert tried.scope() == Scope(
        ranges={
            "dimension": ("7", "7"),
            "importance_ratio": ("2", "2"),
            "largest_delay": ("5", "5"),
            "local_steps": ("4", "4"),
            "num_clients": ("2", "2"),
            "num_rounds": ("3", "3"),
        },
        kinds={
            "losses": ("SimpleNamespace",),
            "noise": ("unknown",),
            "participation": ("everybody",),
        },
    )
    tried.add_run(run_of(Fraction(1), [[1, 0]], [third, 2 * third]))
    tried.add_run(run_of(Fraction(0), [[1, 0]], [third, 2 * third]))
    assert tried.scope().kinds == {
        "losses": ("SimpleNamespace",),
        "noise": ("unknown", "with noise", "without noise"),
        "participation": ("everybody", "some are absent"),
    }


def test_ranges_hold_numbers_only_and_the_first_of_equal_ones() -> None:
    tried = Coverage()
    tried.add({"word": "x", "endless": math.inf, "row": (1, 2), "size": "1/2"})
    tried.add({"size": "2/4"})
    tried.add({"size": 0.5})
    assert tried.scope().ranges == {"size": ("1/2", "1/2")}
    tried.add({"size": Fraction(10**12, 3), "other": Fraction(10**11 + 1)})
    assert tried.scope().ranges["size"] == ("1/2", "3.33333e+11")
    assert tried.scope().ranges["other"] == ("100000000001",) * 2
    tried.add({"size": "-7"})
    assert tried.scope().ranges["size"][0] == "-7"


def test_looks_over_the_record_are_told_in_sentences(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert integrity.lines_amiss([LINE, LINE], {"afl.a4": 1}, ["afl.a4"]) == [
        "afl.a4: the ledger has 2 lines by runs in exact rational arithmetic",
        "afl.a4: the ledger has 2 lines for 1 check",
    ]
    assert integrity.lines_amiss([LINE], {}, ["afl.a4"]) == [
        "afl.a4: the ledger has 1 line for 0 checks"
    ]
    stranger = replace(LINE, evidence=replace(FOUND, claim="afl.nobody"))
    monkeypatch.setattr(integrity, "recorded_attacks", lambda: [stranger, LINE, LINE])
    assert integrity.attacks_amiss([], replayed=False) == [
        "afl.nobody: the record of attacks speaks of it, and no paper states it",
        "afl.a4: 2 recorded attacks",
    ]
    monkeypatch.setattr(integrity, "counterexample_folder", lambda paper: tmp_path / str(paper.key))
    refuted = replace(FOUND, method=Method.ATTACK, verdict=Verdict.REFUTED)
    for told, there, why in (
        (refuted, False, "no counterexample file"),
        (replace(refuted, verdict=Verdict.SUPPORTED), True, "SUPPORTED and a file"),
    ):
        file = tmp_path / "afl" / "afl.a4.json"
        file.parent.mkdir(exist_ok=True)
        if there:
            file.write_text("{}")
        lines = [replace(LINE, evidence=told)]
        monkeypatch.setattr(integrity, "recorded_attacks", lambda lines=lines: lines)
        found = integrity.attacks_amiss(["afl.a4"], replayed=False)
        assert found == [f"afl.a4: the recorded attack has {why}"]
    monkeypatch.undo()
    assert integrity.counterexamples_amiss({"fraboni.ex2": Verdict.SUPPORTED}) == [
        "fraboni.ex2: SUPPORTED, but a counterexample file is recorded"
    ]


def test_lines_about_something_are_found_wherever_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    lines = [replace(LINE, evidence=replace(FOUND, claim=f"afl.{c}")) for c in "xyz"]
    record(path, lines, ["afl.x", "afl.y", "afl.z"])
    assert [line.evidence.claim for line in read(path, "afl.y")] == ["afl.y"]
    assert [line.evidence.claim for line in read(path, "afl")] == ["afl.x", "afl.y", "afl.z"]
