"""The letter with which an explanation begins: "tau_max: the largest delay" begins with tau_max,
"E |x^t - x*|^2 after t rounds" with E |x^t - x*|^2."""

import re
from functools import cache

from fltheory.core.letters import GREEK, SIGNS, split_accent

FUNCTIONS = {"log", "sqrt", "max", "min", "sum", "grad", "E", "P", "exp"}
"""Words of formulas, which need something after them."""

PRODUCTS = {"NK"}
"""Products that papers write without a space."""

SCOPED = {"sum", "max", "min"}
"""Words of formulas that stay unfinished with an index."""

_UNFINISHED = {*FUNCTIONS, "-", "+", "/", ",", ""}

ENDS = (":", ",", " or ", " of ", " at ", " after ", " over ", " on ", " in ", " for ", " = ", " (")
"""What may follow a letter."""

_PIECE = re.compile(
    r"(?P<word>[A-Za-z]+)|(?P<index>_\{[^{}]*\}|_[A-Za-z0-9]+|\^\{[^{}]*\}|\^[A-Za-z0-9]+|['*\d]+)"
    r"|(?P<sign>[-+/|()<>,\[\]{}]|\^\*| )"
)


def _is_letter(word: str) -> bool:
    """Whether a word stands for a quantity in a formula.

    >>> [_is_letter(word) for word in ("x", "taubar", "xhat", "grad", "client")]
    [True, True, True, True, False]
    """
    stem = split_accent(word)[0]
    return len(stem) == 1 or stem in GREEK or stem in SIGNS or word in FUNCTIONS | PRODUCTS


@cache
def head_of(told: str) -> tuple[str, str]:
    """The letter at the beginning of an explanation, and the rest; without a letter, the whole.

    >>> head_of("tau_max: the largest delay")
    ('tau_max', 'the largest delay')
    >>> head_of("e1, where client 1's loss is least")
    ('e1', "where client 1's loss is least")
    >>> head_of("E <G_i - Delta_i, Delta_i>, which is 0")
    ('E <G_i - Delta_i, Delta_i>', 'which is 0')
    >>> head_of("E |grad f(x)|^2 at the pulled model")
    ('E |grad f(x)|^2', 'E |grad f(x)|^2 at the pulled model')
    >>> head_of("a, the offset of the steps")
    ('a', 'the offset of the steps')
    >>> head_of("a client's weight"), head_of("sum over rounds of x")
    (('', "a client's weight"), ('', 'sum over rounds of x'))
    >>> head_of("q_i over the sum of all q_j")
    ('', 'q_i over the sum of all q_j')
    """
    best, place, last, open_signs = "", 0, "", list[str]()
    while True:
        if not open_signs and last not in _UNFINISHED and told.startswith(ENDS, place):
            best = told[:place]
            if told.startswith((":", ",", " = "), place):
                break
        if place == len(told) and not open_signs and last not in _UNFINISHED:
            best = told
        match = _PIECE.match(told, place)
        if match is None or (match["word"] and not _is_letter(match["word"])):
            break
        if match["sign"]:
            _open_or_close(match["sign"], open_signs)
        if match["index"]:
            last = last if last in SCOPED else "index"
        elif match[0] != " ":
            last = match[0]
        place = match.end()
    article = best == "a" and not told.startswith((":", ","), 1)
    mean = best.startswith("E ") or not told.startswith(" over ", len(best))
    if not re.match(r"[A-Za-z|(]", best) or article or not mean:
        return "", told
    rest = told[len(best) :]
    return best, rest.lstrip(":,= ") if rest.startswith((":", ",", " = ")) else told


def _open_or_close(sign: str, open_signs: list[str]) -> None:
    """Keep count of brackets and bars."""
    if sign.isspace():
        return
    if sign in "([<{" or (sign == "|" and "|" not in open_signs):
        open_signs.append(sign)
    elif sign in ")]>}|" and open_signs:
        while (
            open_signs
            and open_signs.pop() != {")": "(", "]": "[", "}": "{", ">": "<", "|": "|"}[sign]
        ):
            pass
