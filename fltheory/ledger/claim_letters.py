"""The letters of a claim: those of its own paper, and what each stands for."""

import re
from collections import Counter

from fltheory.claims.claim import Claim
from fltheory.core.letters import ACCENTS, GREEK, SIGNS
from fltheory.core.vocabulary import WORDS
from fltheory.ledger.heads import head_of

_SEVERAL = re.compile(r", | or | = | \(")
"""What parts a paper's letters for one quantity: "T or R", "K = beta N"."""

OFFSET = re.compile(r"([A-Za-z]+)([+-]\d+)")
"""A letter that counts from elsewhere: a paper's T is one more than the number of rounds."""

_NAMES = re.compile(r"[a-z]{3,}(?:_[a-z]+)+")
"""Names of quantities in the explanation of another one."""

_LETTER = rf"(?:[A-Za-z]|{'|'.join((*GREEK, *SIGNS))})(?:{'|'.join(ACCENTS)})?"
IN_WORDS = re.compile(rf"[A-Za-z]+(?: [A-Za-z0-9]+)+|(?!{_LETTER}\Z)[A-Za-z]{{3,}}")
"""Names that are written out: several words, or one that is no letter."""

_USUAL = {word.name: word for word in WORDS}


def letters_of(claim: Claim) -> dict[str, str]:
    """The paper's letter for each symbol of a claim, in plain text.

    A symbol that the claim explains takes the letter with which its explanation begins; another one
    the paper's letter for that quantity; without either, and where two symbols would share a
    letter, its name in words.

    >>> from fltheory.papers import find_claim
    >>> letters_of(find_claim("afl.thm2"))["local_step_size"]
    'eta_L'
    """
    own = claim.source.paper.letters
    found = {}
    for name in sorted(symbol.name for symbol in claim.symbols):
        told = claim.where.get(name)
        letter = _SEVERAL.split(own.get(name, ""))[0] if told is None else head_of(told)[0]
        words = not letter or IN_WORDS.fullmatch(letter)
        found[name] = name.replace("_", " ") if words else letter
    count = Counter(found.values())
    return {
        name: letter if count[letter] == 1 else name.replace("_", " ")
        for name, letter in found.items()
    }


def letters_for(claim: Claim) -> dict[str, str]:
    """The claim's letters, and the paper's for quantities that occur in its evidence only.

    >>> from fltheory.papers import find_claim
    >>> letters_for(find_claim("afl.cor1"))["smoothness"]
    'L'
    """
    known = letters_of(claim)
    own = {name: _SEVERAL.split(told)[0] for name, told in claim.source.paper.letters.items()}
    used = set(known.values())
    return known | {
        name: letter for name, letter in own.items() if name not in known and letter not in used
    }


def meanings(claim: Claim) -> dict[str, str]:
    """What each symbol of the claim stands for, by name."""
    found, letters = {}, letters_of(claim)
    for name, letter in sorted(letters.items()):
        told = claim.where.get(name)
        if told is None:
            told = _NAMES.sub(
                lambda word: letters.get(word[0], word[0].replace("_", " ")), _USUAL[name].says
            )
            found[name] = f"{letter} is the number of {told}" if OFFSET.fullmatch(letter) else told
            continue
        head, rest = head_of(told)
        # without its letter, or where nothing else is told, the name says what it is
        shown = told if head != letter else rest
        found[name] = shown if shown not in ("", letter) else name.replace("_", " ")
    return found


def explained(claim: Claim) -> dict[str, str]:
    """What each symbol stands for, by name: letters in alphabetical order, then names in words."""
    letters, told = letters_of(claim), meanings(claim)
    return {
        name: told[name]
        for name in sorted(told, key=lambda one: (" " in letters[one], letters[one].lower()))
    }


def explained_letters(claim: Claim) -> dict[str, str]:
    """The letter under which each symbol is explained: T also where T-1 counts the rounds."""
    return {
        name: counts[1] if (counts := OFFSET.fullmatch(letter)) else letter
        for name, letter in letters_of(claim).items()
    }
