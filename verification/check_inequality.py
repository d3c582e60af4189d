#!/usr/bin/env python3
"""Check proofs of inequalities, standard library only: python3 check_inequality.py FILE...

A file names unknown vectors (a basis), functions with curvature in [m, L] by points and gradients
over that basis, expressions that are assumed to be at most 0, and two expressions, left and right.
Added up with the multipliers of the file, the inequalities that hold for all such functions must
leave factor * right - left = <positive semidefinite matrix, Gram matrix> + a stated constant, at
least 0. The sentence that is printed is derived from the data. Beside check_certificate.py, which
it imports. Exit code: 0 proved, 1 rejected with a reason, 2 unusable file, 3 not checkable.
"""

import sys
from collections import defaultdict
from fractions import Fraction as F
from math import lcm
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_certificate import semidefinite
from strict_json import (  # type: ignore[import-not-found]
    NotCheckable,
    fields,
    index,
    items,
    need,
    number,
    parse,
    row,
    timed,
)

FORMAT, LONGEST_DENOMINATOR, LARGEST_BASIS = (
    "fltheory inequality certificate 1",
    100_000,
    500,
)  # bits, vectors
POINT, GRADIENT = range(2)
STATED = [
    "format",
    "smoothness",
    "lowest_curvature",
    "basis",
    "functions",
    "assumed",
    "left",
    "right",
    "factor",
    "left_over",
    "multipliers",
]


def grammar(data: Any) -> None:
    """Refuse what is no certificate; every field is read here before it is used."""
    fields(data, "the certificate", STATED, ("says",))
    need(isinstance(data.get("says", ""), str), "says is no text")
    basis = index(data["basis"], LARGEST_BASIS + 1, "basis")
    records = [len(items(one, "records")) for one in items(data["functions"], "functions")]
    for record in (record for one in data["functions"] for record in one):
        for entries in items(record, "a record", 2):
            row(entries, basis, "a record")
    for one in data["functions"]:
        points = {tuple(sorted(point.items())) for point, _ in one}
        need(len(points) == len(one), "a point occurs twice in a function")
    for expression in (data["left"], data["right"], *items(data["assumed"], "assumed")):
        fields(expression, "an expression", ("squares", "values", "constant"))
        seen = set()
        for part in ("squares", "values"):
            for entry in items(expression[part], part):
                a, b, text = items(entry, f"an entry of {part}", 3)
                index(a, basis if part == "squares" else len(records), part)
                index(b, basis if part == "squares" else records[a], part)
                need((part, a, b) not in seen, f"a second entry of {part} at {a}, {b}")
                seen.add((part, a, b))
                number(text)
        number(expression["constant"])
    named = set()
    for entry in items(data["multipliers"], "multipliers"):
        kind, about, text = items(entry, "a multiplier", 3)
        need(kind in ("interpolation", "assumed"), f"{str(kind)[:40]!r} is no kind of inequality")
        if kind == "assumed":
            index(*items(about, "an assumption", 1), len(data["assumed"]), "an assumption")
        else:
            f, i, j = items(about, "a pair of records", 3)
            index(f, len(records), "a function")
            need(index(i, records[f], "a record") != index(j, records[f], "a record"), "no pair")
        need((kind, *about) not in named, f"a second multiplier of {kind!r}")
        named.add((kind, *about))
        need(number(text) >= 0, "a multiplier is negative")


def statement(data: Any, factor: F) -> str:
    """What the data of a checked certificate state, in words and formulas."""
    count = len(data["functions"])
    sides = [written(data[side]) for side in ("left", "right")]
    known = [f"{written(e)} <= 0" for e in data["assumed"]]
    under = f", if {'; '.join(known[:3])}{f'; and {len(known) - 3} more' * (len(known) > 3)}"
    about = [
        f"f_{f} has gradient {vector(gradient)} at {vector(point)}"
        for f, records in enumerate(data["functions"])
        for point, gradient in records
    ]
    return (
        f"{sides[0]} <= {factor} ({sides[1]}) for {count} function{'s' * (count != 1)} with"
        f" curvature in [{number(data['lowest_curvature'])}, {number(data['smoothness'])}] at the"
        f" points of the file{under * bool(known)}; where {', '.join(about[:6]) or 'nothing'}"
        f"{f' and {len(about) - 6} more records of the file are given' * (len(about) > 6)}"
    )


def vector(entries: Any, longest: int = 6) -> str:
    """The first terms of a combination of unknown vectors e_k."""
    terms = [f"{number(x)} e_{k}" for k, x in entries.items()]
    more = [f"... ({len(terms)} terms)"] if len(terms) > longest else []
    return " + ".join(terms[:longest] + more) or "0"


def written(expression: Any, longest: int = 6) -> str:
    """The first terms of an expression over unknown vectors e_k and values f_i(r)."""
    terms = [f"{number(x)} <e_{a}, e_{b}>" for a, b, x in expression["squares"]]
    terms += [f"{number(x)} f_{f}({r})" for f, r, x in expression["values"]]
    terms += [str(number(expression["constant"]))] if number(expression["constant"]) else []
    more = [f"... ({len(terms)} terms)"] if len(terms) > longest else []
    return " + ".join(terms[:longest] + more) or "0"


class Sum:
    """A sum of expressions: factors of inner products of basis vectors (a <= b) and of rows, of
    function values, and a constant. Places and numbers are those that `grammar` has checked."""

    def __init__(self, data: Any) -> None:
        self.basis, self.constant = data["basis"], F(0)
        self.squares: dict[tuple[int, int], F] = defaultdict(F)
        self.products: dict[tuple[tuple[int, int, int], tuple[int, int, int]], F] = defaultdict(F)
        self.values: dict[tuple[int, int], F] = defaultdict(F)
        self.high, self.low = number(data["smoothness"]), number(data["lowest_curvature"])
        need(self.basis > 0, f"the basis has no size up to {LARGEST_BASIS}")
        need(
            -self.high <= self.low < self.high, "the curvatures are not an interval within [-L, L]"
        )
        self.functions = [
            [(self.row(point), self.row(gradient)) for point, gradient in records]
            for records in data["functions"]
        ]

    def row(self, entries: Any) -> dict[int, F]:
        return {int(k): number(x) for k, x in entries.items()}

    def add(self, expression: Any, factor: F) -> None:
        for a, b, x in expression["squares"]:
            need(a <= b, "a square is written twice over")
            self.squares[a, b] += factor * number(x)
        for f, r, x in expression["values"]:
            self.values[f, r] += factor * number(x)
        self.constant += factor * number(expression["constant"])

    def interpolation(self, f: int, i: int, j: int, y: F) -> None:
        """y times f_j - f_i + <g_j, d> + s (|e|^2/L + m |d|^2 - 2 (m/L) <e, d>) <= 0 with d = x_i -
        x_j, e = g_i - g_j."""
        scale, half = y / (2 * (1 - self.low / self.high)), y / 2
        xx, gg, xg = scale * self.low, scale / self.high, scale * self.low / self.high
        names = [(f, i, POINT), (f, j, POINT), (f, i, GRADIENT), (f, j, GRADIENT)]
        form = [
            [xx, -xx, -xg, xg + half],
            [-xx, xx, xg, -xg - half],
            [-xg, xg, gg, -gg],
            [xg + half, -xg - half, -gg, gg],
        ]
        for u, line in zip(names, form, strict=True):
            for v, x in zip(names, line, strict=True):
                self.products[u, v] += x
        self.values[f, j] += y
        self.values[f, i] -= y

    def matrix(self) -> list[list[int]]:
        """What is left, in whole numbers up to a positive factor."""
        rows = {n: self.functions[n[0]][n[1]][n[2]] for pair in self.products for n in pair}
        fine = lcm(*(x.denominator for row in rows.values() for x in row.values()))
        scale = 2 * lcm(
            *(x.denominator for part in (self.squares, self.products) for x in part.values())
        )
        need((scale * fine).bit_length() <= LONGEST_DENOMINATOR, "the denominators are too long")
        vectors = {
            n: [int(row.get(k, F(0)) * fine) for k in range(self.basis)] for n, row in rows.items()
        }
        middle = {n: [0] * self.basis for n in rows}
        for (u, v), x in self.products.items():
            whole = int(x * scale)
            middle[u] = [a + whole * b for a, b in zip(middle[u], vectors[v], strict=True)]
        found = [
            [sum(vectors[n][a] * middle[n][b] for n in rows) for b in range(self.basis)]
            for a in range(self.basis)
        ]
        for (a, b), x in self.squares.items():
            for left, right in ((a, b), (b, a)):
                found[left][right] += int(x * scale / 2) * fine**2
        return found


def check(data: Any) -> F:
    """The factor in left <= factor * right that a file proves; a ValueError says why it proves
    none."""
    try:
        grammar(data)
        total, factor = Sum(data), number(data["factor"])
        total.add(data["right"], factor)
        total.add(data["left"], F(-1))
        for kind, about, text in data["multipliers"]:
            if kind == "interpolation":
                f, i, j = about
                total.interpolation(f, i, j, number(text))
            else:
                total.add(data["assumed"][about[0]], number(text))
        need(not any(total.values.values()), "the function values do not cancel")
        need(
            total.constant == number(data["left_over"]),
            "the constant that is left is not the stated one",
        )
        need(total.constant >= 0, "the constant that is left is negative")
        need(semidefinite(total.matrix()), "what is left is not positive semidefinite")
        return factor
    except (KeyError, TypeError, IndexError, AttributeError, ArithmeticError) as problem:
        raise ValueError(f"a field is missing or malformed: {problem!r}") from None


def main(path: str) -> int:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(1 << 24)
        data = parse(text)
        need(
            isinstance(data, dict) and data.get("format") == FORMAT,
            "not a certificate of this format",
        )
    except (OSError, ValueError, RecursionError) as problem:
        sys.stdout.write(f"{path}: unusable: {problem}\n")
        return 2
    try:
        told = f"proved: {statement(data, timed(check, data, len(text)))}"
    except NotCheckable as reason:
        sys.stdout.write(f"{path}: not checkable: {reason}\n")
        return 3
    except (ValueError, OverflowError) as reason:
        sys.stdout.write(f"{path}: rejected: {reason}\n")
        return 1
    sys.stdout.write(f"{path}: {told}\n")
    return 0


if __name__ == "__main__":
    sys.exit(max(map(main, sys.argv[1:]), default=2))
