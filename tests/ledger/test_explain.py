"""An explanation is in the paper's letters, short in numbers, and says what to rely on."""

import re

import pytest

from fltheory import explain
from fltheory.claims.claim import Severity
from fltheory.claims.evidence import Verdict
from fltheory.ledger import runner
from fltheory.ledger.explain import what_to_cite
from fltheory.ledger.explanation import short_number, trivial_text
from fltheory.ledger.lines import LedgerEntry, verdicts
from fltheory.ledger.notation import statement_latex, statement_mathml, statement_text
from fltheory.papers import all_claims, find_claim


@pytest.fixture(scope="module")
def recorded() -> dict[str, Verdict]:
    return verdicts(runner.recorded())


@pytest.mark.slow
def test_every_statement_is_printed_in_letters() -> None:
    for claim in all_claims().values():
        text = statement_text(claim)
        assert "**" not in text, claim.id
        assert "_of_" not in text, claim.id
        assert statement_mathml(claim).count("<math") == 1
        assert statement_latex(claim).count("{") == statement_latex(claim).count("}")


def test_letters_are_those_of_the_paper_itself() -> None:
    assert "N" in statement_text(find_claim("fraboni.thm1"))  # Fraboni's N counts rounds
    assert "σ_L" in statement_text(find_claim("afl.thm2"))
    assert "T·K·N·μ" in statement_text(find_claim("mifa.thm5.1"))  # its T is one more than rounds


def test_no_long_number_is_shown() -> None:
    shown = repr(explain("afl.thm2c"))
    assert not re.search(r"\d{20}", shown)
    assert short_number("12345678901234567890") == "1.23456789012e+19"


def test_a_refuted_claim_leads_with_what_is_true(recorded: dict[str, Verdict]) -> None:
    told = repr(explain("fraboni.ex2"))
    assert told.index("What is true") < told.index("What is claimed")
    assert recorded["fraboni.ex2"] is Verdict.REFUTED


def test_one_line_says_what_to_cite() -> None:
    yes, maybe, no = Verdict.PROVED, Verdict.SUPPORTED, Verdict.REFUTED
    assert what_to_cite("x.a", yes, [], {}) == "x.a (PROVED)"
    assert what_to_cite("x.a", no, ["x.b", "x.c"], {"x.b": maybe, "x.c": yes}).startswith("x.c ")
    assert "not proved" in what_to_cite("x.a", no, ["x.b"], {"x.b": maybe})
    assert what_to_cite("x.a", no, ["x.b"], {"x.b": no}).startswith("nothing")


def test_a_bound_above_the_trivial_one_is_told() -> None:
    line: LedgerEntry = explain("afl.thm2c").evidence[0]
    assert "says nothing" in trivial_text({**line, "trivial": "2", "right": "2133"})
    assert "says nothing" not in trivial_text({**line, "trivial": "2", "right": "1"})


def test_severity_is_shown_for_refuted_claims_only() -> None:
    for claim in all_claims().values():
        assert claim.severity is None or isinstance(claim.severity, Severity)
    assert explain("afl.thm2c").severity == ""
