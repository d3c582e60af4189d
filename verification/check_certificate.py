#!/usr/bin/env python3
"""Check worst-case certificates with nothing but the standard library (check_certificate.py
FILE...); shares no code with fltheory.

Over a basis of unknown vectors, a file lists the points at which each class of clients was asked
for its gradient. Multipliers of true inequalities (curvatures in [m, L], stated conditions) must
add up to bound - metric = <positive semidefinite matrix, Gram matrix>, decided here in whole
numbers; deviations from a class's mean are a block of their own. The sentence that is printed is
derived from the data (certificate_case.py), where the method of the file is run again. Exit code:
0 proved, 1 rejected with a reason, 2 unusable, 3 not checkable.
"""

import sys
from collections import defaultdict
from fractions import Fraction as F
from math import lcm
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from certificate_case import statement  # type: ignore[import-not-found]
from certificate_grammar import grammar  # type: ignore[import-not-found]
from strict_json import (  # type: ignore[import-not-found]
    NotCheckable,
    need,
    number,
    parse,
    timed,
    well_formed,
)

FORMAT, LONGEST_DENOMINATOR = "fltheory worst-case certificate 1", 100_000  # bits
BOUNDS = {
    "distance": "distance_squared",
    "gap": "loss_gap",
    "heterogeneity": "heterogeneity",
    "gradient": "gradient_bound_squared",
    "dissimilarity": "dissimilarity_squared",
    "mean_dissimilarity": "mean_dissimilarity_squared",
}
METRICS = {
    "LOSS": "loss",
    "MEAN_LOSS": "loss",
    "MEAN_SQUARED_GRADIENT": "squared_gradient",
    "MIN_SQUARED_GRADIENT": "smallest",
}
POINT, GRADIENT, MEAN = range(3)  # parts of a record; the mean gradient leaves out the deviation


class Sum:
    """The sum of constraints: `squares` maps pairs of vectors, each a (class, record, part), to
    factors of their inner products."""

    def __init__(self, data):
        self.owners, self.start, self.points = data["owners"], data["start"], data["points"]
        self.shares, self.weights = (
            [number(c["share"]) for c in data["classes"]],
            [number(w) for w in data["weights"]],
        )
        self.conditions, self.optimum = (
            data["conditions"],
            {True: True, False: False}[data["has_optimum"]],
        )
        self.high, self.low, self.first = (
            number(data["smoothness"]),
            number(data["lowest_curvature"]),
            self.row(data["first_model"], 0),
        )
        self.records = [
            [
                [self.row(r[part], c["block"]) for part in ("point", "gradient")]
                for r in c["records"]
            ]
            for c in data["classes"]
        ]
        self.squares, self.values, own = (
            defaultdict(F),
            defaultdict(F),
            sorted(c["block"] for c in data["classes"] if c["block"]),
        )
        need(
            min(self.shares) > 0 <= min(self.weights)
            and sum(self.shares) == sum(self.weights) == 1,
            "bad shares or weights",
        )
        need(
            -self.high <= self.low < self.high
            and own == [*range(1, len(own) + 1)]
            and {*self.owners} <= {0, *own},
            "bad curvatures",
        )
        for point, _ in zip(self.points, self.weights, strict=True):
            first, *others = (found[r][POINT] for found, r in zip(self.records, point, strict=True))
            need(
                all(place == first for place in others) and not any(self.owners[k] for k in first),
                "a point is not common to all",
            )
        means, found = (
            [k for k, block in enumerate(self.owners) if block == 0],
            [records[0] for records in self.records],
        )
        moved = [
            sum(s * found[c][GRADIENT].get(k, 0) for c, s in enumerate(self.shares)) for k in means
        ] + [r[POINT] for r in found]
        need(not self.optimum or not any(moved), "the first records are not those of an optimum")

    def row(self, entries, block):
        need(
            all(int(k) >= 0 and self.owners[int(k)] in (0, block) for k in entries),
            "a row uses deviations of another class",
        )
        return {int(k): number(v) for k, v in entries.items() if number(v)}

    def add(self, factor, vectors, matrix):
        for u, line in zip(vectors, matrix, strict=True):
            for v, x in zip(vectors, line, strict=True):
                self.squares[u, v] += factor * x

    def add_common(self, point, *, squared_gradient=0, loss=0, smallest=0):
        """Factors of |grad f|^2 and of f - f* at a point, and of the smallest |grad f|^2 of all."""
        self.values["smallest",] += smallest
        self.add(
            squared_gradient,
            [(c, r, MEAN) for c, r in enumerate(point)],
            [[s * t for t in self.shares] for s in self.shares],
        )
        for c, r in enumerate(point):
            self.values[c, r] += loss * self.shares[c]

    def constraint(self, kind, about, y):
        """Add y times a constraint, left side <= right side; returns the right side."""
        if (
            kind == "interpolation" and min(about) >= 0
        ):  # f_j - f_i + <g_j, d> + gg |e|^2 + xx |d|^2 - 2 xg <e, d> <= 0
            (c, i, j), s, half = about, 1 / (2 * (1 - self.low / self.high)), F(1, 2)
            xx, gg, xg = (
                s * self.low,
                s / self.high,
                s * self.low / self.high,
            )  # d = x_i - x_j, e = g_i - g_j
            self.add(
                y,
                [(c, i, POINT), (c, j, POINT), (c, i, GRADIENT), (c, j, GRADIENT)],
                [
                    [xx, -xx, -xg, xg + half],
                    [-xx, xx, xg, -xg - half],
                    [-xg, xg, gg, -gg],
                    [xg + half, -xg - half, -gg, gg],
                ],
            )
            self.values[c, j] += y
            self.values[c, i] -= y
        elif kind == "floor" and not self.optimum:  # |grad f|^2 / (2L) - (f - f*) <= 0
            self.add_common(self.points[about[0]], squared_gradient=y / (2 * self.high), loss=-y)
        elif (
            kind == "minimum" and self.weights[about[0]] > 0
        ):  # smallest |grad f|^2 - |grad f|^2 <= 0
            self.add_common(self.points[about[0]], squared_gradient=-y, smallest=y)
        elif kind == "gap" and self.records[0][self.points[self.start][0]][POINT] == self.first:
            self.add_common(self.points[self.start], loss=y)
        elif kind in (
            "dissimilarity",
            "mean_dissimilarity",
        ):  # |grad f_i - grad f|^2, in one class or on average over all
            at, row = self.points[about[0]], [1, *(-s for s in self.shares)]
            for c, s in [(about[1], 1)] if kind == "dissimilarity" else enumerate(self.shares):
                self.add(
                    y * s,
                    [(c, at[c], GRADIENT), *((k, r, MEAN) for k, r in enumerate(at))],
                    [[a * b for b in row] for a in row],
                )
        else:
            need(
                kind == "gradient" or (kind in ("distance", "heterogeneity") and self.optimum),
                f"{kind!r} does not hold here",
            )
            terms: dict[str, list] = {
                "distance": [("first", 1)],
                "gradient": [((*about, GRADIENT), 1)],
                "heterogeneity": [((c, 0, GRADIENT), s) for c, s in enumerate(self.shares)],
            }
            for name, factor in terms[kind]:
                self.add(y * factor, [name], [[1]])
        return number(self.conditions[BOUNDS[kind]]) if kind in BOUNDS else 0

    def left(self, block):
        """The matrix that is left in a block, in whole numbers up to a positive factor."""
        columns = [k for k, owner in enumerate(self.owners) if owner == block]
        rows = {
            n: self.first if n == "first" else self.records[n[0]][n[1]][min(n[2], GRADIENT)]
            for pair in self.squares
            for n in pair
        }
        scale, factor = (
            lcm(*(x.denominator for row in rows.values() for x in row.values())),
            lcm(*(x.denominator for x in self.squares.values())),
        )
        need((scale * factor).bit_length() <= LONGEST_DENOMINATOR, "the denominators are too long")
        vectors = {
            n: [0 if block and n[2] == MEAN else int(row.get(k, 0) * scale) for k in columns]
            for n, row in rows.items()
        }
        middle = {n: [0] * len(columns) for n in rows}
        for (u, v), x in self.squares.items():
            middle[u] = [
                a + int(x * factor) * b for a, b in zip(middle[u], vectors[v], strict=True)
            ]
        return [
            [sum(vectors[n][a] * middle[n][b] for n in rows) for b in range(len(columns))]
            for a in range(len(columns))
        ]


def semidefinite(m):
    """Elimination in whole numbers (Bareiss), where every pivot is a minor; one that is zero needs
    a row of zeros."""
    previous = 1
    for k in range(len(m)):
        if m[k][k] < 0 or (m[k][k] == 0 and any(m[k][k:])):
            return False
        for i in range(k + 1, len(m) if m[k][k] else 0):
            m[i] = [
                *m[i][: k + 1],
                *(
                    (m[k][k] * x - m[i][k] * y) // previous
                    for x, y in zip(m[i][k + 1 :], m[k][k + 1 :], strict=True)
                ),
            ]
        previous = m[k][k] or previous
    return True


def check(data):
    """The bound that a certificate proves; a ValueError says why it proves none."""
    return proved(data)[0]


def proved(data):
    """The bound, and the sentence that the method of the file gives for what it bounds."""
    return well_formed(bound_of_rows, data), well_formed(statement, data)


def bound_of_rows(data):
    """The bound that the multipliers prove for the rows of a file, whatever the rows stand for."""
    grammar(data)
    total, bound = Sum(data), number(data["bound"])
    added = sum(
        number(y) * total.constraint(kind, tuple(about), number(y))
        for kind, about, y in data["multipliers"]
    )
    for point, w in zip(total.points, total.weights, strict=True):
        total.add_common(point, **{METRICS[data["metric"]]: -w})
    need(added == bound, "the multipliers do not prove the stated bound")
    for (
        name,
        left,
    ) in (
        total.values.items()
    ):  # values count from the optimum; without one, those of all classes but one from anywhere
        need(
            left == 0 or (name[1:] == (0,) and (total.optimum or name[0])),
            f"the function values do not cancel at {name}",
        )
    need(
        all(semidefinite(total.left(block)) for block in sorted(set(total.owners))),
        "what is left is not positive semidefinite",
    )
    return bound


def main(path):
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(1 << 24)
        data = parse(text)
        need(
            isinstance(data, dict) and data.get("format") == FORMAT,
            "not a certificate of this format",
        )
    except (OSError, ValueError, RecursionError) as problem:
        return print(f"{path}: unusable: {problem}") or 2
    try:
        bound, says = timed(proved, data, len(text))
        return print(f"{path}: proved: {says}: at most {float(bound):.9g}, exactly {bound}") or 0
    except NotCheckable as reason:
        return print(f"{path}: not checkable: {reason}") or 3
    except (ValueError, OverflowError) as reason:
        return print(f"{path}: rejected: {reason}") or 1


if __name__ == "__main__":
    sys.exit(max(map(main, sys.argv[1:]), default=2))
