"""The grammar of arithmetic certificates: uses and facts, read within limits."""

import re

from arithmetic_forms import BITS, LARGEST
from strict_json import fields, items, need  # type: ignore[import-not-found]

WHOLE = re.compile(r"-?[0-9]{1,300}")
USED = ("square", "given", "keep")


def grammar(data):
    """Uses and facts of a file: {fact: [multiplier, what, which]} and [name, terms, terms]."""
    fields(data, "the certificate", ("claim", "facts"), ("uses",))
    need(isinstance(data.get("uses", {}), dict), "uses is no object")
    for label, rows in data.get("uses", {}).items():
        for row in items(rows, label[:40]):
            multiplier, what, which = items(row, f"a use in {label[:40]}", 3)
            need(isinstance(multiplier, str) and what in USED, f"{label[:40]} uses what is unknown")
            need(
                type(which) is (str if what == "square" else int), f"{label[:40]} uses a wrong type"
            )
            need(what == "square" or which >= 0, f"{label[:40]} uses a number below 0")
    for fact in items(data["facts"], "facts"):
        need(isinstance(items(fact, "a fact", 3)[0], str), "a fact has no name")
    need(len({name for name, *_ in data["facts"]}) == len(data["facts"]), "a fact occurs twice")


def side(terms, place):
    """The polynomial of [coefficient, [[variable, power], ...]] terms."""
    found = {}
    for term in items(terms, "a side of a fact"):
        text, powers = items(term, "a term", 2)
        need(isinstance(text, str) and WHOLE.fullmatch(text), f"{str(text)[:40]!r} is no number")
        need(-LARGEST < int(text) < LARGEST and int(text), "a coefficient is 0 or too large")
        names = [items(entry, "a power", 2)[0] for entry in items(powers, "powers")]
        need(all(isinstance(v, str) and v in place for v in names), "a variable is unknown")
        need(len({*names}) == len(names), "a variable occurs twice in a term")
        need(
            all(type(k) is int and 0 < k < 1 << (BITS - 1) for _, k in powers),
            "a power is no power",
        )
        m = sum(k << place[v] for v, k in powers)
        need(m not in found, "a monomial occurs twice")
        found[m] = int(text)
    return found
