"""Claims are chosen by paper, verdict, severity and kind; the headline tells theorems first and
false claims by severity."""

from typing import cast

import pytest

from fltheory import InvalidInput, list_claims
from fltheory.claims.claim import Severity
from fltheory.claims.evidence import Verdict
from fltheory.ledger.claim_list import tally_table
from fltheory.ledger.ranks import headline, rank, tallies
from fltheory.papers import all_claims, find_claim
from tests.cli.runs import fltheory


def chosen(*patterns: str, **given: str) -> list[dict[str, str]]:
    return cast(list[dict[str, str]], list_claims(*patterns, **given).entries)


def test_filters_meet() -> None:
    wrong = chosen(paper="afl", verdict="refuted", severity="theorem")
    assert {entry["id"] for entry in wrong} >= {"afl.thm1"}
    for entry in wrong:
        assert (entry["verdict"], entry["severity"]) == ("REFUTED", "THEOREM")
    everything = chosen()
    assert len(everything) == len(all_claims())
    kinds = [len(chosen(kind=kind)) for kind in ("printed", "read", "ours")]
    assert sum(kinds) == len(everything)


def test_theorems_come_first_within_a_paper() -> None:
    ranks = [entry["rank"] for entry in chosen(paper="mifa")]
    assert ranks[0].startswith("Theorem")
    assert "" not in ranks[: sum(map(bool, ranks))]


@pytest.mark.parametrize(
    "wrong", [{"verdict": "certified"}, {"severity": "bad"}, {"kind": "mine"}, {"paper": "none"}]
)
def test_unknown_words_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        list_claims(**wrong)


@pytest.mark.slow
def test_the_command_fits_into_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = fltheory("list claims --paper afl --verdict refuted").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "afl.thm2" in shown
    assert chosen("afl.thm2", verdict="refuted")[0]["id"] == "afl.thm2"
    assert "afl.thm2" in fltheory("list claims afl.thm2 --verdict refuted --json").stdout
    assert fltheory("list papers --verdict refuted").exit_code == 2
    assert "no claim" in fltheory("list claims mifa.thm5.1 --verdict vacuous").stdout


def test_the_headline_tells_how_many_proofs_need_more_than_the_paper_states() -> None:
    under_more, as_printed = find_claim("mifa.thm5.1"), find_claim("mifa.thm5.2")
    yes, no = Verdict.PROVED, Verdict.REFUTED
    (one,) = tallies([(under_more, yes), (as_printed, yes)])
    assert one.conditional == one.to_json()["conditional"] == 1
    assert "(1 with a hypothesis that the paper does not state)" in one.says
    (other,) = tallies([(under_more, no), (as_printed, yes)])
    assert other.conditional == 0
    assert "hypothesis" not in headline([(as_printed, yes)])


def test_a_step_of_a_proof_is_no_theorem() -> None:
    assert rank(find_claim("afl.thm2.a12")) == ""
    assert rank(find_claim("afl.thm2c")) == ""
    assert rank(find_claim("mifa.thm5.1")) == "Theorem 5.1"


def test_the_headline_counts_every_claim_once_and_severities_add_up() -> None:
    found = [(claim, Verdict.REFUTED) for claim in all_claims().values()]
    told = tallies(found)
    assert sum(one.claims for one in told) == len(found)
    for one in told:
        assert sum(one.severities.values()) == one.verdicts[Verdict.REFUTED]
    planted = [*found, found[0]]
    assert headline(planted) != headline(found)
    assert len(tally_table(found).rows) == len(told)
    slips = [claim for claim in all_claims().values() if claim.severity is Severity.SLIP]
    ours = sum(claim.source.ours for claim in slips)
    of_papers, of_ours = headline(found).split("; ")
    assert f"{len(slips) - ours} slip" in of_papers  # the papers' own are counted apart
    assert f"{ours} slip" in of_ours
