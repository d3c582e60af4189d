"""The driver of the kernel-checked theorems: its data is in order, and it refuses what it must."""

import importlib.util
import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest

KERNEL = Path(__file__).parents[2] / "verification" / "kernel"
coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="Coq is not installed")


def driver() -> ModuleType:
    spec = importlib.util.spec_from_file_location("prove", KERNEL / "prove.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


prove = driver()


def test_no_file_contains_an_axiom_or_a_gap():
    for name, text in prove.sources().items():
        assert not prove.FORBIDDEN.search(prove.COMMENT.sub("", text)), name


def test_every_file_begins_with_a_statement_in_words_and_has_short_lines():
    for name, text in prove.sources().items():
        assert text.startswith("(**"), name
        assert max(map(len, text.splitlines())) <= 120, name


def test_every_listed_theorem_is_in_its_file_and_has_five_planted_falsehoods():
    texts, planted = prove.sources(), prove.mutants()
    for entry in prove.theorems():
        assert f"Theorem {entry['name']} " in texts[entry["module"]], entry["name"]
        mine = [m for m in planted if m["theorem"] == entry["name"]]
        assert len(mine) >= 5, entry["name"]
        assert len({(m["change"], m["old"], m["new"]) for m in mine}) == len(mine)
    for mutant in planted:
        found = texts[mutant["change"]].count(mutant["old"])
        assert found == mutant.get("times", 1), (mutant["theorem"], mutant["kind"], found)


def test_summary_belongs_to_the_sources():
    texts = prove.sources()
    told = json.loads(prove.SUMMARY.read_text("utf-8"))
    claims = {c: e for e in prove.theorems() for c in e.get("claims", [])}
    assert set(told) == set(claims)
    for claim, entry in claims.items():
        assert told[claim]["sources"] == prove.digest(entry["module"], texts)
        assert set(told[claim]["axioms"]) <= prove.AXIOMS
        for key in ("says", "scope", "hypotheses"):
            assert told[claim][key] == entry[key]


def test_a_change_in_a_foundation_changes_the_hash_of_a_theorem():
    texts = prove.sources()
    before = prove.digest("GradientDescent", texts)
    assert prove.digest("GradientDescent", texts | {"Sums": texts["Sums"] + " "}) != before
    assert prove.digest("GradientDescent", texts | {"Chance": texts["Chance"] + " "}) == before


@pytest.mark.parametrize("word", ["Admitted.", "Axiom a : False.", "Parameter b : nat."])
def test_gaps_are_refused_before_compiling(word):
    with pytest.raises(prove.Refused, match="contains"):
        prove.compile_all({"Gap": f"(** x *)\n{word}\n"}, 1)


@coq
@pytest.mark.slow
def test_a_foreign_axiom_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(prove, "BUILD", tmp_path)
    texts = {"Odd": "From Coq Require Import Eqdep.\nDefinition odd := Eqdep.EqdepTheory.UIP.\n"}
    prove.compile_all(texts, 1)
    found = prove.axioms_of([{"module": "Odd", "name": "odd"}])["Odd.odd"]
    assert found
    assert not set(found) <= prove.AXIOMS
    with pytest.raises(prove.Refused, match="other axioms"):
        prove.recheck(texts)


@coq
@pytest.mark.slow
def test_a_harmless_change_is_not_taken_for_a_refused_falsehood(tmp_path, monkeypatch):
    monkeypatch.setattr(prove, "BUILD", tmp_path)
    texts = {"One": "Theorem one : 1 = 1.\nProof. reflexivity. Qed.\n"}
    prove.compile_all(texts, 1)
    mutant = {
        "change": "One",
        "module": "One",
        "theorem": "one",
        "kind": "constant",
        "old": "1 = 1",
    }
    assert "refused" in prove.kill(mutant | {"new": "1 = 2"}, texts)
    with pytest.raises(prove.Refused, match="compiles"):
        prove.kill(mutant | {"new": "2 = 2"}, texts)
    with pytest.raises(prove.Refused, match="no fair trial"):
        prove.kill(mutant | {"new": "1 = ("}, texts)
