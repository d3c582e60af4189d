"""Rows over named vectors, moves of a client and bounds of a potential, for forever_rows.py."""

from fractions import Fraction as F


def line(**factors) -> dict:
    return {name: {(): F(x)} for name, x in factors.items() if x}


def add(*parts):
    """Sum of factor times row."""
    found: dict = {}
    for factor, row in parts:
        for name, poly in row.items():
            found[name] = found.get(name, F(0)) + factor * poly[()]
    return line(**found)


def edge(name, basis, before, after, functions, relations):
    """One move; `after` is one place, or a list of (chance, place)."""
    return {
        "name": name,
        "basis": set(basis.split()),
        "before": before,
        "after": after if isinstance(after, list) else [(F(1), after)],
        "records": functions,
        "relations": relations,
    }


def bound_of(name, basis, at, form, functions=(), sign=1, values=None, relations=None):
    return {
        "name": name,
        "basis": set(basis.split()),
        "at": at,
        "form": form,
        "records": functions,
        "sign": sign,
        "values": values or {},
        "relations": relations or {},
    }


def pairs(names):
    return [(a, b, None) for i, a in enumerate(names) for b in names[i:]]
