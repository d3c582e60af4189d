"""Closed grammars of JSON files, with the standard library only: fields, types, ranges, no key
twice."""

import json
import re
import signal
from fractions import Fraction

LONGEST = 3000  # characters of a number
FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?")


class NotCheckable(Exception):
    """The file states something that cannot be derived here, so that nothing is decided."""


def timed(work, data, size, seconds=1.5):
    """What a function makes of the data of a file; not checkable if a file of up to 1 MB takes too
    long."""

    def late(*_):
        raise NotCheckable(f"it takes more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds if size <= 1_000_000 else 0)
    try:
        return work(data)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def need(true, reason):
    if not true:
        raise ValueError(reason)


def well_formed(read, data):
    """What a function reads in the data; a ValueError if it cannot."""
    try:
        return read(data)
    except (KeyError, TypeError, IndexError, AttributeError, ArithmeticError) as problem:
        raise ValueError(f"a field is missing or malformed: {problem!r}") from None


def parse(text):
    """The JSON object in a text, in which no object has a key twice and no number is endless."""

    def once(pairs):
        found = dict(pairs)
        need(len(found) == len(pairs), "a key occurs twice in an object")
        return found

    def refuse(constant):
        raise ValueError(f"{constant} is no number")

    return json.loads(text, object_pairs_hook=once, parse_constant=refuse)


def number(text):
    """A fraction from a short text such as -3/4."""
    need(
        isinstance(text, str) and len(text) <= LONGEST and FRACTION.fullmatch(text),
        f"{str(text)[:40]!r} is no short fraction",
    )
    return Fraction(text)


def index(value, below, owner):
    """A whole number from 0 on and below a limit; True and False are none."""
    need(
        type(value) is int and 0 <= value < below,
        f"{owner}: {str(value)[:40]} is no number below {below}",
    )
    return value


def items(value, owner, count=None):
    """The entries of a list, of a given length if there is one."""
    need(
        isinstance(value, list) and count in (None, len(value)),
        f"{owner} is no list" + ("" if count is None else f" of {count}"),
    )
    return value


def fields(value, owner, required, optional=()):
    """An object with exactly these keys; those in `optional` may be left out."""
    need(isinstance(value, dict), f"{owner} is no object")
    for name in required:
        need(name in value, f"{owner} has no field {name!r}")
    for name in value:
        need(name in required or name in optional, f"{owner} has an unknown field {name[:40]!r}")
    return value


def row(value, size, owner):
    """Factors of basis vectors by their number, which is written in one way."""
    need(isinstance(value, dict), f"{owner} is no object")
    for name, text in value.items():
        need(
            len(name) < 10 and name.isascii() and name.isdigit() and str(int(name)) == name,
            f"{owner}: {name[:40]!r} is no number of a basis vector",
        )
        index(int(name), size, owner)
        number(text)
