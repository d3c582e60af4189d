"""The vocabulary: one name, one letter, one symbol."""

import pytest

from fltheory.core.errors import InvalidInput
from fltheory.core.vocabulary import WORDS, Kind, quantity, symbol


def test_names_and_letters_are_unique_and_names_are_identifiers() -> None:
    names, letters = [word.name for word in WORDS], [word.letter for word in WORDS]
    assert len(set(names)) == len(names)
    assert len(set(letters)) == len(letters)
    assert all(name.isidentifier() and name == name.lower() for name in names)


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.name)
def test_a_symbol_is_one_object_with_the_assumptions_of_its_kind(word) -> None:
    made = symbol(word.name)
    assert made is symbol(word.name)
    assert made.is_integer == (True if word.kind in (Kind.COUNT, Kind.INDEX) else None)
    assert made.is_nonnegative
    assert made.is_positive == (True if word.kind in (Kind.COUNT, Kind.POSITIVE) else None)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"quantity must be one that .* names.*, got 'tau'"):
        quantity("tau")


def test_an_unknown_quantity_suggests_its_neighbours() -> None:
    with pytest.raises(InvalidInput, match=r"near: .*min_loss_gap.*, or a letter that `where`"):
        quantity("final_loss_gap")
