"""An explanation imports few checks; it must not miss what a claim rests on."""

from fltheory.claims.claim import Claim
from fltheory.ledger.explain import _rests_on
from fltheory.papers import claims_of, papers
from fltheory.papers.library import entries_of


def needed(claim: Claim) -> list[str]:
    """What the checks of a claim take for granted, by all checks of its paper."""
    every = entries_of(claim.source.paper.key, "CHECKS")
    mine = [check for check in every if getattr(check, "claim", "") == claim.id]
    return sorted({other for check in mine for other in getattr(check, "rests_on", ())})


def test_the_checks_that_rest_on_claims_are_all_found() -> None:
    told = {}
    for key in papers():
        for claim in claims_of(key).values():
            told[claim.id] = _rests_on(claim)
            assert told[claim.id] == needed(claim)
    assert any(told.values())


def test_words_that_no_module_has_find_no_check() -> None:
    assert not list(entries_of("afl", "CHECKS", beside=("no module says this",)))
