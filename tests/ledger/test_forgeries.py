"""A sample of the forgery campaign: no checker accepts a forgery of a false statement."""

from fractions import Fraction

import pytest

from tests.campaigns import forge, record
from tests.campaigns.forging import optimised

MUTATED = ("bounds", "inequalities", "counterexamples")


@pytest.mark.slow
def test_what_a_solver_finds_in_a_relaxed_grammar_is_refused() -> None:
    """Such a file is a proof but for one rule: with the rule relaxed its sums are exact."""
    pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    donor = next(d for d in forge.files("verification/certificates") if len(d["multipliers"]) == 10)
    for _, bad in zip(range(2), optimised.forgeries(donor, 0), strict=False):
        assert Fraction(bad["bound"]) < Fraction(donor["bound"])
        assert not forge.library("optimised", bad)
        assert not forge.standalone("optimised", bad, {})


def test_at_least_100_000_forgeries_are_on_record_and_none_was_accepted() -> None:
    rows = record.read(forge.RECORD)
    assert set(rows) == set(forge.SHARES)
    assert sum(int(row[1]) for row in rows.values()) >= 100_000
    assert {row[2] for row in rows.values()} == {"0"}


@pytest.mark.slow
def test_no_forgery_of_a_sample_is_accepted() -> None:
    counts, bad = forge.campaign(300, seed=7, kinds=MUTATED)
    assert sum(counts.values()) == 300
    assert min(counts.values()) >= 25
    assert bad == []


@pytest.mark.slow
def test_a_checker_that_accepts_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a checker that believes every file."""
    monkeypatch.setattr(forge, "standalone", lambda kind, data, known: True)
    counts, bad = forge.campaign(40, seed=8, kinds=MUTATED)
    assert len(bad) == sum(counts.values()) == 40
    assert all(line.startswith("standalone accepts") for line in bad)


@pytest.mark.slow
def test_the_oracle_never_contradicts_a_recorded_bound() -> None:
    from tests.campaigns.forging.oracle import instances, least_true_bound

    seen = 0
    for data in forge.files("verification/certificates"):
        true = least_true_bound(data, 3, tries=20)
        assert true <= Fraction(data["bound"])
        seen += true > 0
    assert seen >= 25
    for data in forge.files("verification/certificates/inequalities")[:60]:
        assert all(left <= Fraction(data["factor"]) * right for left, right in instances(data, 3))
