"""The spaces of MIFA and of Fraboni et al.: deterministic, complete, blind to the answer, and yet
refuted claims are found again."""

import pytest

from fltheory.attacks.moves import State, attempt
from fltheory.attacks.search import attack
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.claims.spaces.choices import Choices, Rejected
from fltheory.ledger import lines as ledger
from fltheory.ledger import runner
from fltheory.papers import all_claims, find_claim, paper_spaces

VERDICTS = ledger.verdicts(runner.recorded())
PAPERS = ("mifa.", "fraboni.")
SPACES = [space for space in paper_spaces() if space.id.startswith(PAPERS)]
SERVED = [claim for claim in all_claims().values() if any(space.serves(claim) for space in SPACES)]
BEYOND_SEARCH = {"fraboni.thm1.corrected", "fraboni.thm3.corrected", "fraboni.thm1.constants"}
"""Broken by instances of a thousand clients or rounds that search does not reach."""
REFUTED = [
    claim
    for claim in SERVED
    if VERDICTS.get(claim.id) is Verdict.REFUTED and claim.id not in BEYOND_SEARCH
]
SAMPLE = [
    claim
    for paper, every in (("mifa.", 2), ("fraboni.", 6))
    for claim in [c for c in REFUTED if c.id.startswith(paper)][::every]
]
"""For the time it takes; the record of attacks holds them all."""
FIRST = {
    "fraboni.thm1",
    "fraboni.thm2",
    "fraboni.thm3",
    "fraboni.cor1",
    "fraboni.cor2",
    "fraboni.ex1",
    "fraboni.ex2",
    "fraboni.lem2",
    "fraboni.lem3",
    "fraboni.lem7",
    "fraboni.eq13",
    "fraboni.eq15",
    "fraboni.tab2.W.async",
    "fraboni.def.W",
    "fraboni.alg1",
    "mifa.eq1",
    "mifa.alg1",
    "mifa.thm5.1",
    "mifa.thm5.2",
    "mifa.thm5.3",
    "mifa.prop5.1",
    "mifa.prop6.1",
    "mifa.eq3",
    "mifa.rem5.1",
    "mifa.rem6.1",
    "mifa.TS",
    "mifa.ass8",
    "mifa.exp.2",
}


@pytest.mark.slow
@pytest.mark.parametrize("claim", SERVED[::2], ids=lambda claim: claim.id)
def test_spaces_are_deterministic_and_complete(claim: Claim) -> None:
    """Every space that serves the claim gives all its symbols a value, the same one for the same
    choices."""
    names = {symbol.name for symbol in claim.symbols}
    for space in (space for space in SPACES if space.serves(claim)):
        for number in range(2):
            choices = Choices.fresh(7, number)
            try:
                instance = space.draw(choices, claim)
            except Rejected:
                continue
            assert names <= set(instance.values), (space.id, names - set(instance.values))
            again = space.draw(Choices.replay(choices.taken), claim)
            assert again.values == instance.values


@pytest.mark.slow
@pytest.mark.parametrize("claim", SAMPLE, ids=lambda claim: claim.id)
def test_a_refuted_claim_is_found_again_by_search_alone(claim: Claim) -> None:
    serving, state = [space for space in SPACES if space.serves(claim)], State()
    while state.broken is None and state.attempts < 300:
        state = attempt(claim, serving, state, seed=0)
    assert state.broken is not None


def test_printed_claims_can_be_attacked() -> None:
    assert {claim.id for claim in SERVED} >= FIRST


@pytest.mark.parametrize("claim", ["afl.exp.table2.series", "mifa.exp.toy"])
def test_a_claim_without_a_space_names_the_symbol(claim: str) -> None:
    found = attack(find_claim(claim))
    assert found.evidence.verdict is Verdict.UNDECIDED
    assert all(symbol.name in found.evidence.note for symbol in find_claim(claim).symbols)
