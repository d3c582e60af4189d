"""The Coq files of statements are those of the claims, and every formal theorem is recorded."""

import pytest

from fltheory.claims.checks.kernel import kernel_theorems
from fltheory.core.errors import InvalidInput
from fltheory.ledger import prove
from fltheory.ledger.coq import formal_theorems, statements
from fltheory.papers import find_claim


def test_the_statements_are_those_of_the_claims() -> None:
    for file, text in statements().items():
        assert file.read_text("utf-8") == text, "run python -m fltheory.ledger.coq"


def test_every_recorded_theorem_is_tied_to_its_claim() -> None:
    tied = {formal.claim for formal in formal_theorems()}
    papers = {find_claim(claim).source.paper.key: find_claim(claim).source.paper for claim in tied}
    for paper in papers.values():
        assert {c for c in kernel_theorems(paper) if c.startswith(paper.key + ".")} <= tied


def test_a_claim_without_a_theorem_cannot_be_proved() -> None:
    with pytest.raises(InvalidInput, match="proof assistant"):
        prove.prove("afl.thm2")


def test_a_recorded_proof_is_told_with_and_without_coq(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fltheory.ledger.prove.shutil.which", lambda name: None)
    found = prove.prove("afl.thm2c")
    assert (found.fits, found.checked, found.holds) == (True, None, True)
    assert "not checked here" in found.says
    monkeypatch.setattr("fltheory.ledger.prove.shutil.which", lambda name: "/bin/coqc")
    monkeypatch.setattr("fltheory.ledger.prove._by_coq", lambda program, claim: (False, "refused"))
    found = prove.prove("afl.thm2c")
    assert (found.checked, found.holds) == (False, False)
    assert found.says.endswith("refused")
