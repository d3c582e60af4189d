"""Every id of the four catalogues is a claim or is listed with the reason why not, and so is every
numbered finding; every claim is complete and its golden values hold."""

import importlib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
import sympy

from fltheory import InvalidInput
from fltheory.claims.claim import Finding, evaluate
from fltheory.ledger.lines import read, verdicts
from fltheory.ledger.runner import all_tasks, ledger_file
from fltheory.papers import all_claims

CATALOGUES = sorted((Path(__file__).parents[1] / "catalogue").glob("*.txt"))


def ids_of(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split() if line]


def not_claims(paper: str) -> dict[str, str]:
    return importlib.import_module(f"fltheory.papers.{paper}").NOT_CLAIMS


def missing(ids: list[str], claims: set[str], excused: dict[str, str]) -> list[str]:
    """Ids that are neither claims nor excused, and excuses for what is a claim or is in no
    catalogue."""
    return [i for i in ids if i not in claims and i not in excused] + [
        i for i in excused if i in claims or i not in ids
    ]


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_every_id_is_a_claim_or_excused(path):
    excused = not_claims(path.stem)
    assert missing(ids_of(path), set(all_claims()), excused) == []
    assert all(len(reason) > 10 for reason in excused.values())
    assert len(ids_of(path)) == len(set(ids_of(path)))


def test_a_forgotten_id_would_be_noticed():
    assert missing(["a.1", "a.2"], {"a.1"}, {}) == ["a.2"]
    assert missing(["a.1"], {"a.1"}, {"a.1": "no reason"}) == ["a.1"]


FINDINGS = sorted((Path(__file__).parents[1] / "catalogue" / "findings").glob("*.txt"))


def findings(paper: str) -> dict[str, Finding]:
    return importlib.import_module(f"fltheory.papers.{paper}.findings").FINDINGS


@pytest.mark.slow
@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: path.stem)
def test_every_finding_is_re_established_or_its_remainder_has_a_reason(path):
    known, recorded = findings(path.stem), verdicts(read(ledger_file()))
    assert sorted(known) == sorted(ids_of(path))
    for number, finding in known.items():
        assert all(
            claim in recorded and claim.startswith(f"{path.stem}.") for claim in finding.claims
        ), number
        assert finding.claims or len(finding.left_out) > 30, number


def test_findings_of_four_papers_are_listed():
    assert [path.stem for path in FINDINGS] == [path.stem for path in CATALOGUES]
    assert sum(len(ids_of(path)) for path in FINDINGS) == 87
    with pytest.raises(InvalidInput):
        Finding(())


def test_there_are_four_papers_and_enough_claims():
    assert [path.stem for path in CATALOGUES] == ["afl", "fedlaavg", "fraboni", "mifa"]
    assert len(all_claims()) >= 170


def test_every_claim_is_decided_by_some_check():
    assert sorted(set(all_claims()) - {task.claim for task in all_tasks()}) == []


@pytest.mark.parametrize("claim", all_claims().values(), ids=all_claims())
def test_claim_is_complete(claim):
    assert claim.source.place
    assert len(claim.says.split()) >= 5
    assert claim.corrects is None or claim.corrects in all_claims()
    assert claim.statement.left != claim.statement.right, "a tautology"


def agrees(value: sympy.Expr, golden: str) -> bool:
    """Equal as an exact number; a decimal may be off by one in its last digit."""
    if "." not in golden and "e" not in golden.lower():
        return (
            sympy.simplify(
                value - sympy.Rational(Fraction(golden).numerator, Fraction(golden).denominator)
            )
            == 0
        )
    decimal = Decimal(golden)
    unit = Decimal(1).scaleb(int(decimal.as_tuple().exponent))
    return abs(Decimal(str(sympy.N(value, 40))) - decimal) <= unit


CASES = [(claim, case) for claim in all_claims().values() for case in claim.special_cases]


@pytest.mark.parametrize(
    ("claim", "case"), CASES, ids=[f"{claim.id}: {case.says}" for claim, case in CASES]
)
def test_golden_value(claim, case):
    side = claim.statement.left if case.side == "left" else claim.statement.right
    assert agrees(evaluate(side, case.values), case.equals)


def test_a_wrong_golden_value_would_be_noticed():
    assert agrees(sympy.Rational(14, 15), "14/15")
    assert not agrees(sympy.Rational(14, 15), "13/15")
    assert agrees(sympy.sqrt(2), "1.4142")
    assert not agrees(sympy.sqrt(2), "1.4144")
