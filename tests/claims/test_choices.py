"""Choices and spaces: replay, order of simplicity, edges, rejection, and which claims a space
serves."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import MOST_CHOICES, Choices, Rejected
from fltheory.claims.spaces.space import Space, without_meaning
from fltheory.core.errors import InvalidInput
from fltheory.papers import all_claims, paper_spaces


def draws(choices: Choices) -> tuple[object, ...]:
    return (
        choices.whole(2, 40),
        choices.number("-5/3", 2),
        choices.choice(("a", "b", "c")),
        choices.flag(),
        choices.power(),
        tuple(choices.many(lambda: choices.whole(0, 1), 3)),
    )


@given(st.integers(0, 2**64 - 1), st.integers(0, 10_000))
def test_what_was_drawn_is_replayed(seed: int, attempt: int) -> None:
    fresh = Choices.fresh(seed, attempt)
    drawn = draws(fresh)
    assert drawn == draws(Choices.fresh(seed, attempt))
    again = Choices.replay(fresh.taken)
    assert draws(again) == drawn
    assert (again.taken, again.sizes) == (fresh.taken, fresh.sizes)
    assert all(0 <= c < size for c, size in zip(fresh.taken, fresh.sizes, strict=True))


def test_no_choices_give_the_simplest_instance() -> None:
    assert (
        draws(Choices.replay([]))
        == draws(Choices.fresh(9, 0))
        == (2, Fraction(0), "a", False, Fraction(1), (0, 0, 0))
    )


def test_the_second_attempt_is_the_far_corner() -> None:
    assert draws(Choices.fresh(9, 1)) == (40, Fraction(2), "c", True, Fraction(1, 1000), (1, 1, 1))


@given(
    st.integers(0, 30),
    st.fractions(-3, 3, max_denominator=7),
    st.fractions(0, 3, max_denominator=7),
)
def test_numbers_stay_in_their_interval(attempt: int, low: Fraction, width: Fraction) -> None:
    number = Choices.fresh(3, attempt).number(low, low + width)
    assert low <= number <= low + width
    assert number.denominator <= 4 or number in (low, low + width)


def test_numbers_reach_both_ends_and_the_inside() -> None:
    seen = {Choices.fresh(1, attempt).number("1/7", "8/7") for attempt in range(300)}
    assert {Fraction(1, 7), Fraction(8, 7), Fraction(1, 4), Fraction(1)} <= seen


def test_an_interval_without_small_fractions_has_its_ends() -> None:
    assert {Choices.replay([i]).number("1/7", "1/6") for i in range(2)} == {
        Fraction(1, 7),
        Fraction(1, 6),
    }


def test_wide_ranges_still_give_small_numbers() -> None:
    seen = [Choices.fresh(1, attempt).whole(1, 10**6) for attempt in range(2, 200)]
    assert sum(x <= 64 for x in seen) > 20
    assert sum(x > 10**5 for x in seen) > 20


def test_varied_keeps_the_given_choices_and_draws_the_others() -> None:
    choices = Choices.varied([3, -1, 2], 5, 7)
    assert choices.whole(0, 9) == 3
    choices.whole(0, 9)
    assert choices.whole(0, 9) == 2


def test_rejection_names_the_assumption() -> None:
    choices = Choices.replay([])
    choices.require(True, "never")
    for unknown in (False, None):
        with pytest.raises(Rejected, match="step size") as caught:
            choices.require(unknown, "step size")
        assert caught.value.reason == "step size"


def test_impossible_draws_are_refused() -> None:
    with pytest.raises(InvalidInput, match="not be empty"):
        Choices.replay([]).number(2, 1)
    with pytest.raises(InvalidInput, match="at least 1"):
        Choices.replay([]).choice(())
    choices = Choices.replay([])
    with pytest.raises(InvalidInput, match=f"at most {MOST_CHOICES}"):
        choices.many(choices.flag, MOST_CHOICES + 1)


def nothing(choices: Choices, claim: Claim) -> Instance:
    return Instance({})


def test_a_space_serves_claims_of_its_symbols_and_patterns() -> None:
    claim = all_claims()["fedlaavg.cor1.order"]
    names = {symbol.name for symbol in claim.symbols}
    assert Space("a", "Any.", frozenset(names), nothing).serves(claim)
    assert Space("b", "More.", frozenset(names | {"other"}), nothing, ("fedlaavg.cor1.*",)).serves(
        claim
    )
    assert not Space("c", "Other claims.", frozenset(names), nothing, ("afl.*",)).serves(claim)
    fewer = Space("d", "Fewer.", frozenset(names - {"num_clients"}), nothing)
    assert not fewer.serves(claim)
    assert without_meaning(claim, [fewer]) == ["num_clients"]
    with pytest.raises(InvalidInput, match="full stop"):
        Space("e", "no stop", frozenset(), nothing)


def test_spaces_of_the_papers_have_ids_of_their_own() -> None:
    spaces = paper_spaces()
    assert len({(space.id, space.claims) for space in spaces}) == len(spaces)


def test_draws_after_a_long_given_beginning() -> None:
    """The numbers of a place do not depend on how many before it were given."""
    fresh, varied = Choices.fresh(3, 7), Choices.varied([0] * 500, 3, 7)
    drawn = [fresh.whole(0, 9) for _ in range(520)]
    assert [varied.whole(0, 9) for _ in range(520)] == [0] * 500 + drawn[500:]
