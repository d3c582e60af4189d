"""An explanation is in the paper's letters, short in numbers, and says what to rely on."""

import re
from dataclasses import replace

import pytest

from fltheory import explain
from fltheory.claims.claim import Severity
from fltheory.claims.evidence import Verdict
from fltheory.ledger import runner
from fltheory.ledger.attack_record import counterexample_folder, recorded_attacks, standing
from fltheory.ledger.explain import what_to_cite
from fltheory.ledger.lines import LedgerEntry, verdicts
from fltheory.ledger.notation import statement_latex, statement_mathml, statement_text
from fltheory.ledger.wording import short_number, trivial_text
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
    assert "μ·K·N·T" in statement_text(find_claim("mifa.thm5.1"))  # its T is one more than rounds


def test_no_long_number_is_shown() -> None:
    shown = repr(explain("afl.thm2c"))
    assert not re.search(r"\d{20}", shown)
    assert short_number("12345678901234567890") == "≈ 1.23456789012e+19"


def test_a_refuted_claim_leads_with_what_is_true(recorded: dict[str, Verdict]) -> None:
    told = repr(explain("fraboni.ex2"))
    assert told.index("What is true") < told.index("What is claimed")
    assert recorded["fraboni.ex2"] is Verdict.REFUTED


def test_the_constant_of_an_order_is_in_letters() -> None:
    told = " ".join(repr(explain("afl.cor1")).split())
    assert "the constant of the order is 51 + σ_L²·(36·L² + 4·L) + 4·(f_0 - f*);" in told
    assert "smoothness" not in told
    assert "initial_loss_gap" not in told


def test_one_line_says_what_to_cite() -> None:
    yes, maybe, no = Verdict.PROVED, Verdict.SUPPORTED, Verdict.REFUTED
    assert what_to_cite("x.a", yes, [], {}) == "x.a (PROVED)"
    assert what_to_cite("x.a", no, ["x.b", "x.c"], {"x.b": maybe, "x.c": yes}).startswith("x.c ")
    assert "not proved" in what_to_cite("x.a", no, ["x.b"], {"x.b": maybe})
    assert what_to_cite("x.a", no, ["x.b"], {"x.b": no}).startswith("nothing")
    assert "x.b" in what_to_cite("x.a", yes, ["x.b"], {"x.b": yes}, better=["x.b"])
    assert "x.b" not in what_to_cite("x.a", yes, ["x.b"], {"x.b": maybe}, better=["x.b"])


def test_a_proved_theorem_names_its_best_form_and_no_refuted_correction() -> None:
    told = explain("mifa.thm5.1")
    assert "mifa.thm5.1.best (PROVED), which is the best form known" in told.cite
    assert "mifa.thm5.1.corrected" not in told.corrected_by
    assert "See also mifa.thm5.1.best" in repr(told)
    assert "Corrected by" not in repr(told)


def test_a_bound_above_the_trivial_one_is_told() -> None:
    line: LedgerEntry = explain("afl.thm2c").evidence[0]
    assert "says nothing" in trivial_text({**line, "trivial": "2", "right": "2133"})
    assert "says nothing" not in trivial_text({**line, "trivial": "2", "right": "1"})


def test_severity_is_shown_for_refuted_claims_only() -> None:
    for claim in all_claims().values():
        assert claim.severity is None or isinstance(claim.severity, Severity)
    assert explain("afl.thm2c").severity == ""


@pytest.mark.slow
def test_an_attack_on_an_earlier_form_of_a_claim_is_not_shown(recorded: dict[str, Verdict]) -> None:
    by_claim = {line.evidence.claim: line for line in recorded_attacks()}
    breaks = by_claim["afl.thm2"]
    assert standing([breaks], Verdict.REFUTED) == [breaks]
    assert standing([breaks], Verdict.SUPPORTED) == [breaks]  # it breaks the claim as it is
    moved = replace(breaks, evidence=replace(breaks.evidence, claim="afl.thm2c"))
    file = counterexample_folder() / "afl.thm2c.json"
    assert file.exists() or standing([moved], Verdict.PROVED) == [moved]
    if recorded["fedlaavg.thm1"] is not Verdict.REFUTED:
        assert "REFUTED" not in {line["verdict"] for line in explain("fedlaavg.thm1").attacks}


def test_a_scope_of_finite_spaces_says_why_and_what_it_leaves_out():
    for name in ("mifa.thm5.1.best", "fedlaavg.thm3"):
        theorem = explain(name).kernel
        assert theorem
        assert "finite probability" in theorem["scope"]
        assert theorem["scope"].endswith("such as Gaussian noise, are left out"), theorem["scope"]
