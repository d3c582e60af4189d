"""A claim is proved by the record of the proof assistant only if claim, sources and axioms fit."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import sympy

from fltheory.claims.checks.kernel import (
    FormalTheorem,
    digest,
    fingerprint,
    how_to_check,
    statement_of,
)
from fltheory.claims.claim import (
    Assumption,
    Claim,
    Identity,
    LowerBound,
    Paper,
    Source,
    UpperBound,
    letter,
)
from fltheory.claims.coq import definitions, proposition, term
from fltheory.claims.evidence import Evidence, Verdict, overall
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Json
from fltheory.ledger.lines import decide

GAP, STEP = letter("gap"), letter("step", positive=True)
SMALL = Assumption("small", "the step is small", lambda scenario: None)
TOY = """(** toy *)
From FL Require Import Base Claims_toy.

Theorem toy (run : Run) : toy_bound_condition_a (step := step run) ->
  gap run <= toy_bound_right (step := step run).
Proof. exact (easy run toy_bound_condition_b). Qed.
"""


def formal(claim: Claim, key: str = "a", largest: int = 1) -> FormalTheorem:
    return FormalTheorem(claim.id, fingerprint(claim), {key: largest >= STEP})


@pytest.fixture
def claim(tmp_path: Path) -> Claim:
    folder = tmp_path / "kernel"
    folder.mkdir()
    paper = Paper("toy", "A toy", "A. Author", 2024, "nowhere", record=tmp_path)
    found = Claim(
        "toy.bound",
        Source(paper, "Theorem 1"),
        "The gap is at most 1 + step.",
        UpperBound(GAP, 1 + STEP),
        assumes=(SMALL,),
        where={"gap": "a gap", "step": "a step"},
    )
    (folder / "Base.v").write_text("(** base *)\n")
    (folder / "Other.v").write_text("(** not imported *)\n")
    (folder / "Claims_toy.v").write_text(definitions(found, {"a": STEP <= 1}) + "\n")
    (folder / "Toy.v").write_text(TOY)
    (folder / "Toy.toml").write_text(LISTED)
    record(tmp_path, sources=digest(folder, "Toy"))
    return found


LISTED = """[[theorem]]
name = "toy"
claims = ["toy.bound"]
says = "The gap is at most 1 + step."
scope = "every gap"
hypotheses = ["step <= 1"]
"""


def record(folder: Path, **changed: Json | str | list[str]) -> None:
    entry = {
        "theorem": "toy",
        "file": "verification/kernel/Toy.v",
        "says": "The gap is at most 1 + step.",
        "scope": "every gap",
        "hypotheses": ["step <= 1"],
        "sources": "",
        "coq": "8.16.1",
        "axioms": ["Classical_Prop.classic"],
    }
    (folder / "kernel" / "Toy.json").write_text(json.dumps({"toy.bound": entry | changed}))


def undecided(found: Evidence, why: str) -> bool:
    return found.verdict is Verdict.UNDECIDED and why in found.note


def test_the_record_proves_the_claim_for_everything_that_it_says(claim: Claim) -> None:
    found = decide(formal(claim).check(), claim).evidence
    assert (found.verdict, found.scope.everything) == (Verdict.PROVED, "every gap")
    assert overall([found]) is Verdict.PROVED
    assert "theorem toy of verification/kernel/Toy.v" in found.note
    told = how_to_check(claim)
    for part in ("step <= 1", "classic", "8.16.1", "fltheory prove toy.bound"):
        assert part in told


@pytest.mark.parametrize(
    "statement",
    [
        UpperBound(GAP, 1 + STEP / 2),
        LowerBound(GAP, 1 + STEP),
        UpperBound(letter("other"), 1 + STEP),
        UpperBound(GAP**2, 1 + STEP),
    ],
)
def test_a_changed_statement_is_not_proved(claim: Claim, statement: UpperBound) -> None:
    where = {**claim.where, "other": "another gap"}
    other = replace(claim, statement=statement, where=where)
    assert undecided(formal(claim).decide(other), "the claim has changed")


def test_changed_hypotheses_are_not_proved(claim: Claim) -> None:
    other = replace(claim, assumes=(replace(SMALL, says="the step is at most 2"),))
    assert undecided(formal(claim).decide(other), fingerprint(other))
    assert undecided(formal(claim).decide(replace(claim, assumes=())), "hypotheses have changed")


def test_a_changed_condition_is_not_proved(claim: Claim) -> None:
    assert undecided(formal(claim, largest=2).decide(claim), "the claim has changed")
    assert undecided(formal(claim, key="b").decide(claim), "the claim has changed")


def test_a_theorem_that_does_not_use_the_definitions_proves_nothing(
    claim: Claim, tmp_path: Path
) -> None:
    file = tmp_path / "kernel" / "Toy.v"
    for name in ("toy_bound_right", "toy_bound_condition_a"):
        file.write_text(TOY.replace(name, "anything") + f"(* {name} *)")
        record(tmp_path, sources=digest(tmp_path / "kernel", "Toy"))
        assert undecided(formal(claim).decide(claim), f"does not use {name}")
    assert "toy_bound_condition_b" not in statement_of("toy", TOY)
    assert statement_of("unknown", TOY) == set()


@pytest.mark.parametrize("name", ["Toy", "Base", "Claims_toy"])
def test_changed_sources_prove_nothing(claim: Claim, tmp_path: Path, name: str) -> None:
    with (tmp_path / "kernel" / f"{name}.v").open("a") as file:
        file.write("Admitted.\n")
    assert undecided(formal(claim).decide(claim), "sources have changed")


def test_a_file_that_is_not_imported_may_change(claim: Claim, tmp_path: Path) -> None:
    (tmp_path / "kernel" / "Other.v").write_text("changed")
    assert formal(claim).decide(claim).verdict is Verdict.PROVED


def test_a_foreign_axiom_proves_nothing(claim: Claim, tmp_path: Path) -> None:
    sources = digest(tmp_path / "kernel", "Toy")
    record(tmp_path, sources=sources, axioms=["Toy.everything_is_true"])
    assert undecided(formal(claim).decide(claim), "Toy.everything_is_true")


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"says": "P = NP"}, "says something else"),
        ({"scope": "everything there is"}, "says something else"),
        ({"hypotheses": []}, "says something else"),
        ({"theorem": "another"}, "lists no theorem another"),
        ({"file": "elsewhere/Toy.v"}, "elsewhere"),
    ],
)
def test_a_record_that_is_not_as_listed_proves_nothing(
    claim: Claim, tmp_path: Path, changed: dict[str, str | list[str]], why: str
) -> None:
    record(tmp_path, sources=digest(tmp_path / "kernel", "Toy"), **changed)
    assert undecided(formal(claim).decide(claim), why)


@pytest.mark.parametrize(
    "changed", [{"also": "1"}, {"axioms": "none"}, {"axioms": [3]}, {"coq": 8}, {"says": None}]
)
def test_the_record_has_a_closed_grammar(
    claim: Claim, tmp_path: Path, changed: dict[str, Json]
) -> None:
    record(tmp_path, sources=digest(tmp_path / "kernel", "Toy"), **changed)
    with pytest.raises(InvalidInput, match=r"toy\.bound in Toy\.json must have the texts"):
        formal(claim).decide(claim)
    for text in ("{", "[]", '{"toy.bound": []}', '{"a": 1, "a": 2}'):
        (tmp_path / "kernel" / "Toy.json").write_text(text)
        with pytest.raises(InvalidInput):
            formal(claim).decide(claim)


def test_a_claim_has_one_theorem(claim: Claim, tmp_path: Path) -> None:
    folder = tmp_path / "kernel"
    (folder / "Zoo.json").write_text((folder / "Toy.json").read_text())
    with pytest.raises(InvalidInput, match="be the only one of its claim"):
        formal(claim).decide(claim)


@pytest.mark.parametrize("word", ["Admitted.", "Axiom any : False.", "admit."])
def test_a_gap_in_any_source_proves_nothing(claim: Claim, tmp_path: Path, word: str) -> None:
    folder = tmp_path / "kernel"
    (folder / "Base.v").write_text(f"(** base *)\n{word}\n")
    record(tmp_path, sources=digest(folder, "Toy"))
    assert undecided(formal(claim).decide(claim), f"contains {word.split()[0].rstrip('.')}")
    (folder / "Base.v").write_text(f"(** base, without {word} *)\n")
    record(tmp_path, sources=digest(folder, "Toy"))
    assert formal(claim).decide(claim).verdict is Verdict.PROVED


def test_a_missing_source_or_theorem_is_told(claim: Claim, tmp_path: Path) -> None:
    (tmp_path / "kernel" / "Base.v").unlink()
    assert undecided(formal(claim).decide(claim), "Base.v")
    (tmp_path / "kernel" / "Toy.json").write_text("{}")
    assert undecided(formal(claim).decide(claim), "no theorem")
    assert how_to_check(claim) == ""


def test_expressions_become_terms_with_the_same_value() -> None:
    x, n = sympy.symbols("x n", positive=True)
    k = sympy.Symbol("k", integer=True)
    for expression, text in (
        (2 - x, "2 - x"),
        (-x, "(-1) * x"),
        (-(x**2) / n, "(-1) * x ^ 2 / n"),
        (1 / (x * sympy.sqrt(n)), "1 / (sqrt n * x)"),
        (n ** sympy.Rational(3, 2), "(sqrt n) ^ 3"),
        (n ** sympy.Rational(1, 4), "sqrt (sqrt n)"),
        ((1 - x) ** k, "power (1 - x) k"),
        (sympy.ceiling(n / k), "ceiling (n / k)"),
        (sympy.Min(x, n), "Rmin n x"),
        (sympy.exp(1) * x, "(exp 1) * x"),
    ):
        assert term(expression) == text


def test_what_cannot_be_said_in_coq_is_refused(claim: Claim) -> None:
    x = sympy.Symbol("x", positive=True)
    for expression in (x**x, x ** sympy.Rational(1, 3), sympy.sin(x)):
        with pytest.raises(InvalidInput, match="Coq"):
            term(expression)
    with pytest.raises(InvalidInput, match="joined by And and Or"):
        proposition(sympy.Not(sympy.Symbol("p")))
    bad = replace(
        claim, statement=UpperBound(GAP, 2 * letter("in")), where={**claim.where, "in": "?"}
    )
    with pytest.raises(InvalidInput, match="that Coq allows"):
        definitions(bad, {})


def test_both_sides_of_an_identity_are_defined(claim: Claim) -> None:
    other = replace(claim, statement=Identity(STEP**2, 2 * STEP))
    told = definitions(other, {})
    assert "Definition toy_bound_left {step : R} : R :=\n  step ^ 2." in told
    assert "Definition toy_bound_right {step : R} : R :=\n  2 * step." in told


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("coqc") is None, reason="Coq is not installed")
def test_coq_reads_the_sides_of_every_claim(tmp_path: Path) -> None:
    import subprocess

    from fltheory.ledger.coq import HEAD
    from fltheory.papers import all_claims

    told, refused = [], []
    for one in all_claims().values():
        try:
            told.append(definitions(one, {}))
        except InvalidInput:
            refused.append(one.id)
    assert len(refused) <= 5
    kernel = Path(__file__).parents[2] / "verification" / "kernel"
    (tmp_path / "All.v").write_text(HEAD.format(key="all") + "\n".join(told))
    shutil.copy(kernel / "Numbers.v", tmp_path)
    for name in ("Numbers", "All"):
        command = ["coqc", "-q", "-Q", ".", "FL", f"{name}.v"]
        subprocess.run(command, cwd=tmp_path, check=True, timeout=300)
