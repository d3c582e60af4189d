"""Plays as samples: 80 characters and the one that follows, for every speaker with enough to
say."""

from typing import Any

import numpy as np

ALPHABET = "\n !\"&'(),-.0123456789:;>?ABCDEFGHIJKLMNOPQRSTUVWXYZ[]abcdefghijklmnopqrstuvwxyz}"
"""80 characters, one class each (as many as LEAF's models have); what is not among them counts as a
space."""

LENGTH = 80


def speeches(play: str) -> dict[str, str]:
    """Everything that each speaker says, in order; a speech is a block whose first line is the
    speaker's name and a colon.

    >>> speeches("A:\\nHail!\\n\\nB:\\nWho?\\n\\nA:\\nI.\\n")
    {'A': 'Hail!\\nI.\\n', 'B': 'Who?\\n'}
    """
    said: dict[str, str] = {}
    for block in play.split("\n\n"):
        speaker, _, text = block.strip().partition(":\n")
        if text and "\n" not in speaker:
            said[speaker] = said.get(speaker, "") + text + "\n"
    return said


def windows(text: str, *, length: int = LENGTH, stride: int = 1) -> tuple[Any, Any]:
    """Overlapping pieces of a text as (samples, length) numbers, and the number of the character
    after each.

    >>> pieces, following = windows("abcd", length=2)
    >>> ["".join(ALPHABET[i] for i in piece) for piece in pieces], [ALPHABET[i] for i in following]
    (['ab', 'bc'], ['c', 'd'])
    """
    place = {character: i for i, character in enumerate(ALPHABET)}
    numbers = np.array([place.get(character, place[" "]) for character in text], np.int64)
    if len(numbers) <= length:
        return np.zeros((0, length), np.int64), np.zeros(0, np.int64)
    pieces = np.lib.stride_tricks.sliding_window_view(numbers, length + 1)[::stride]
    return pieces[:, :-1].copy(), pieces[:, -1].copy()
