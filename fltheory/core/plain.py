"""Text of others, such as names of clients, shown so that it does nothing but be read."""

import re
import unicodedata

_NUMBER = re.compile(r"[-+]?[0-9][0-9./]*(e[-+]?[0-9]+)?")
_KEPT = "\n\t"


def plain(text: str) -> str:
    r"""The text with control characters written as escapes, which a terminal then does not obey.

    >>> plain("client\x1b[2J\u202e1"), plain("Zürich\t1\n")
    ('client\\x1b[2J\\u202e1', 'Zürich\t1\n')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c
        if c in _KEPT or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def csv_cell(value: object) -> object:
    """A cell that a spreadsheet does not run as a formula: text that begins with = + - @ gets an
    apostrophe before it, unless it is a number.

    >>> csv_cell("=HYPERLINK(1)"), csv_cell("-1/2"), csv_cell("@x"), csv_cell("plain"), csv_cell(3)
    ("'=HYPERLINK(1)", '-1/2', "'@x", 'plain', 3)
    """
    if not isinstance(value, str):
        return value
    text = plain(value)
    risky = text.lstrip("\t\r\n ")[:1] in ("=", "+", "-", "@") and text.strip() != ""
    return f"'{text}" if risky and not _NUMBER.fullmatch(text) else text
