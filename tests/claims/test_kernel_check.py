"""A claim is proved by the record of the proof assistant only if claim, sources and axioms fit."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import sympy

from fltheory.claims.checks.kernel import check_kernel, digest, fingerprint, kernel_check
from fltheory.claims.claim import Assumption, Claim, Paper, Source, UpperBound, letter
from fltheory.claims.evidence import Verdict, overall
from fltheory.core.types import Json
from fltheory.ledger.lines import decide

GAP = letter("gap")


@pytest.fixture
def claim(tmp_path: Path) -> Claim:
    folder = tmp_path / "kernel"
    folder.mkdir()
    (folder / "Base.v").write_text("(** base *)\n")
    (folder / "Other.v").write_text("(** not imported *)\n")
    (folder / "Toy.v").write_text("(** toy *)\nFrom FL Require Import Base.\n")
    paper = Paper("toy", "A toy", "A. Author", 2024, "nowhere", record=tmp_path)
    record(tmp_path, sources=digest(folder, "Toy"))
    small = Assumption("small", "gap is small", lambda scenario: None)
    return Claim(
        "toy.bound",
        Source(paper, "Theorem 1"),
        "The gap is at most 1.",
        UpperBound(GAP, sympy.Integer(1)),
        assumes=(small,),
        where={"gap": "a gap"},
    )


def record(folder: Path, **changed: Json | str | list[str]) -> None:
    entry = {
        "theorem": "toy",
        "file": "verification/kernel/Toy.v",
        "says": "The gap is at most 1.",
        "scope": "every gap",
        "hypotheses": [],
        "sources": "",
        "coq": "8.16.1",
        "axioms": ["Classical_Prop.classic"],
    }
    text = json.dumps({"toy.bound": entry | changed})
    (folder / "kernel" / "theorems.json").write_text(text)


def test_the_record_proves_the_claim_for_everything_that_it_says(claim: Claim) -> None:
    found = decide(kernel_check("toy.bound", compared=fingerprint(claim)), claim).evidence
    assert (found.verdict, found.scope.everything) == (Verdict.PROVED, "every gap")
    assert overall([found]) is Verdict.PROVED
    assert "theorem toy of verification/kernel/Toy.v" in found.note


def test_a_changed_claim_is_not_proved(claim: Claim) -> None:
    before = fingerprint(claim)
    for other in (
        replace(claim, statement=UpperBound(GAP, sympy.Rational(1, 2))),
        replace(claim, assumes=()),
    ):
        found = check_kernel(other, compared=before)
        assert (found.verdict, "has changed" in found.note) == (Verdict.UNDECIDED, True)


@pytest.mark.parametrize("name", ["Toy", "Base"])
def test_changed_sources_prove_nothing(claim: Claim, tmp_path: Path, name: str) -> None:
    with (tmp_path / "kernel" / f"{name}.v").open("a") as file:
        file.write("Admitted.\n")
    found = check_kernel(claim, compared=fingerprint(claim))
    assert found.verdict is Verdict.UNDECIDED
    assert "sources have changed" in found.note


def test_a_file_that_is_not_imported_may_change(claim: Claim, tmp_path: Path) -> None:
    (tmp_path / "kernel" / "Other.v").write_text("changed")
    assert check_kernel(claim, compared=fingerprint(claim)).verdict is Verdict.PROVED


def test_a_foreign_axiom_proves_nothing(claim: Claim, tmp_path: Path) -> None:
    sources = digest(tmp_path / "kernel", "Toy")
    record(tmp_path, sources=sources, axioms=["Toy.everything_is_true"])
    found = check_kernel(claim, compared=fingerprint(claim))
    assert found.verdict is Verdict.UNDECIDED
    assert "Toy.everything_is_true" in found.note


def test_a_missing_source_or_theorem_is_told(claim: Claim, tmp_path: Path) -> None:
    (tmp_path / "kernel" / "Base.v").unlink()
    assert "Base.v" in check_kernel(claim, compared=fingerprint(claim)).note
    (tmp_path / "kernel" / "theorems.json").write_text("{}")
    assert "no theorem" in check_kernel(claim, compared=fingerprint(claim)).note
