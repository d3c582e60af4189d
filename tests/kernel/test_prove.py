"""The driver of the kernel-checked theorems: its data is in order, and it refuses what it must."""

import re
import shutil
import sys
from pathlib import Path

import pytest

KERNEL = Path(__file__).parents[2] / "verification" / "kernel"
coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="Coq is not installed")


sys.path.insert(0, str(KERNEL))
import kernel_record  # noqa: E402
import prove  # noqa: E402


def test_no_file_contains_an_axiom_or_a_gap():
    for name, text in kernel_record.sources().items():
        assert not prove.FORBIDDEN.search(prove.COMMENT.sub("", text)), name


def test_every_file_begins_with_a_statement_in_words_and_has_short_lines():
    for name, text in kernel_record.sources().items():
        assert text.startswith("(**"), name
        assert max(map(len, text.splitlines())) <= 120, name


def test_every_listed_theorem_is_in_its_file_and_has_five_planted_falsehoods():
    texts, planted = kernel_record.sources(), kernel_record.mutants()
    for entry in kernel_record.theorems():
        assert f"Theorem {entry['name']} " in texts[entry["module"]], entry["name"]
        mine = [m for m in planted if m["theorem"] == entry["name"]]
        assert len(mine) >= 5, entry["name"]
        assert len({(m["change"], m["old"], m["new"]) for m in mine}) == len(mine)
    for mutant in planted:
        found = texts[mutant["change"]].count(mutant["old"])
        assert found == mutant.get("times", 1), (mutant["theorem"], mutant["kind"], found)


def test_the_record_belongs_to_the_sources():
    texts, told = kernel_record.sources(), kernel_record.recorded()
    listed = {(e["module"], c): e for e in kernel_record.theorems() for c in e.get("claims", [])}
    assert {(module, c) for module, claims in told.items() for c in claims} == set(listed)
    for (module, claim), entry in listed.items():
        found = told[module][claim]
        assert found["sources"] == kernel_record.digest(module, texts)
        assert set(found["axioms"]) <= prove.AXIOMS
        for key in ("says", "scope", "hypotheses"):
            assert found[key] == entry[key]


def test_a_record_that_is_not_of_these_sources_is_refused(tmp_path, monkeypatch):
    told = {"Toy": {"toy.a": {"sources": "1"}, "toy.b": {"sources": "2"}}}
    kernel_record.write({"Old": {"toy.c": {}}}, tmp_path)
    kernel_record.write(told, tmp_path)
    assert kernel_record.recorded(tmp_path) == told
    monkeypatch.setattr(kernel_record, "recorded", lambda: told)
    kernel_record.compare(told, [])
    changed = {"Toy": {"toy.a": {"sources": "1"}, "toy.b": {"sources": "3"}}}
    kernel_record.compare(changed, ["toy.a"])
    for claims in ([], ["toy.b"]):
        with pytest.raises(kernel_record.Refused, match=r"toy\.b"):
            kernel_record.compare(changed, claims)


def test_a_claim_without_a_theorem_is_refused():
    with pytest.raises(kernel_record.Refused, match=r"toy\.b"):
        kernel_record.chosen([{"claims": ["toy.a"]}], ["toy.b"])


def test_a_change_in_a_foundation_changes_the_hash_of_a_theorem():
    texts = kernel_record.sources()
    before = kernel_record.digest("GradientDescent", texts)
    assert kernel_record.digest("GradientDescent", texts | {"Sums": texts["Sums"] + " "}) != before
    assert (
        kernel_record.digest("GradientDescent", texts | {"Chance": texts["Chance"] + " "}) == before
    )


@pytest.mark.parametrize("word", ["Admitted.", "Axiom a : False.", "Parameter b : nat."])
def test_gaps_are_refused_before_compiling(word):
    with pytest.raises(kernel_record.Refused, match="contains"):
        prove.compile_all({"Gap": f"(** x *)\n{word}\n"}, 1)


@pytest.mark.parametrize(
    "line",
    [
        "From FL Require Hidden.",
        "Require Import FL.Hidden.",
        " From FL Require Import Hidden.",
        "From FL Require  Import Hidden.",
        'Load "Hidden".',
    ],
)
def test_a_file_that_would_not_be_hashed_is_not_loaded(line):
    with pytest.raises(kernel_record.Refused, match="contains"):
        prove.compile_all({"Gap": f"(** x *)\n{line}\n"}, 1)


@coq
@pytest.mark.slow
def test_a_foreign_axiom_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(prove, "BUILD", tmp_path)
    texts = {"Odd": "From Coq Require Import Eqdep.\nDefinition odd := Eqdep.EqdepTheory.UIP.\n"}
    prove.compile_all(texts, 1)
    found = prove.axioms_of([{"module": "Odd", "name": "odd"}])["Odd.odd"]
    assert found
    assert not set(found) <= prove.AXIOMS
    with pytest.raises(kernel_record.Refused, match="other axioms"):
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
    with pytest.raises(kernel_record.Refused, match="compiles"):
        prove.kill(mutant | {"new": "2 = 2"}, texts)
    with pytest.raises(kernel_record.Refused, match="no fair trial"):
        prove.kill(mutant | {"new": "1 = ("}, texts)


EXAMPLES = ("Examples", "ExamplesMemory", "ExamplesRecords")
RECORD = re.compile(r"^Record (\w+)", re.M)
PARTS = {
    "Law": "the probability spaces of the examples",
    "Space": "R^d and random vectors",
    "Problem": "what the examples are about",
    "LocalWork": "a part of every run",
    "Reports": "a part of the proofs: methods with memory as the charging of noise sees them",
    "Rounds": "a part of the proofs: runs with random weights as random points",
    "Algorithm": "two functions that need satisfy nothing",
    "GradientDescent": "MemoryRun when everybody is there in every round",
}
"""Records that need no run of their own, and why."""


def without_a_run(texts):
    """The records of which no theorem of the examples builds a run."""
    stated = " ".join(
        " ".join(re.findall(r"^Theorem .*?^Proof\.", texts[name], re.S | re.M)) for name in EXAMPLES
    )
    records = {name for text in texts.values() for name in RECORD.findall(text)}
    assert set(PARTS) <= records
    return sorted(
        name
        for name in records - set(PARTS)
        if not re.search(rf"(:|->)\s+(\w+\.)?{name}\b", stated)
    )


def test_every_record_has_a_run():
    texts = kernel_record.sources()
    assert without_a_run(texts) == []
    assert without_a_run(texts | {"ExamplesRecords": ""}) == [
        "MemoryRun",
        "SampledRounds",
        "Selection",
        "TurnsOfTwo",
        "TwoClients",
    ]


CHANCE = (
    "fair_noise",
    "fair_samples",
    "uniform_run",
    "fair_batches",
    "fair_weights",
    "blind_batches",
    "flips",
)
"""Hypotheses about chance; each is built in the examples."""


def unbuilt(texts):
    """The hypotheses of CHANCE that theorems use and that no theorem of the examples states."""
    stated = " ".join(
        re.findall(
            r"^Theorem .*?^Proof\.", "\n".join(texts[name] for name in EXAMPLES), re.S | re.M
        )
    )
    used = {entry["module"] for entry in kernel_record.theorems()}
    return [
        name
        for name in CHANCE
        if any(re.search(rf"\b{name}\b", texts[module]) for module in used)
        and not re.search(rf"\b{name}", stated)
    ]


def test_what_theorems_ask_of_chance_can_be_met():
    texts = kernel_record.sources()
    assert unbuilt(texts) == []
    for name in CHANCE:
        assert re.search(rf"\b{name}\b", " ".join(texts.values())), name
    without = texts | {"Examples": texts["Examples"].replace("uniform_run", "another_run")}
    assert unbuilt(without) == ["uniform_run"]


@pytest.mark.parametrize("module", ["MifaBernoulli", "MifaCrossing"])
def test_coin_flips_end_with_the_rounds(module):
    """In a finite probability space nobody can flip a coin for ever."""
    found = re.search(r"Hypothesis flips : (.*?)\.\n", kernel_record.sources()[module], re.S)
    assert found is not None
    assert "(0 < t < rounds)%nat" in found[1]
