#!/usr/bin/env python3
"""Check certificates that hold for every horizon with nothing but the standard library
(check_forever.py FILE...); shares no code with fltheory.

A file names a method, a language of availability, a class of functions and step sizes, and gives
numbers: the potential V_state of a generic client, and multipliers. The automaton and the rows are
made again here (forever_rows.py). For every move of the client, rate V_before - V_after + budgets -
gains plus multipliers >= 0 times true inequalities plus relations, whose mean over the clients is
0, times vectors that all clients share must be a positive semidefinite form; and V bounds what the
sentence speaks of. The mean over the clients then holds for every number of clients, every trace
of the language and every round. The sentence is printed from the data. Exit code: 0 proved, 1
rejected with a reason, 2 unusable, 3 not checkable.
"""

import hashlib
import json
import sys
from collections import defaultdict
from itertools import permutations, product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from exact_forms import nonnegative, one, plus, polynomial, row_plus, times, unit
from forever_rows import FORMAT, LARGEST, QUESTION, rows, sentence
from strict_json import (  # type: ignore[import-not-found]
    NotCheckable,
    fields,
    items,
    need,
    parse,
)

TABLES = ("potential", "values", "relations", "bounds", "constants")
NUMBERS = [*TABLES, "multipliers", "uncorrelated"]


class Sum:
    """A quadratic form in named vectors and a sum of function values; coefficients are polynomials
    in the parameters of a box, {powers: fraction}."""

    def __init__(self, model):
        self.model, self.box = model, model["box"]
        self.form: dict = defaultdict(dict)
        self.values: dict = defaultdict(dict)

    def add(self, factor, left, right):
        scaled = {a: times(factor, p) for a, p in left.items()}
        for (a, p), (b, q) in product(scaled.items(), right.items()):
            key = (min(a, b), max(a, b))
            self.form[key] = plus(self.form[key], times(p, q))

    def potential(self, at, factor, data):
        """factor * V_state, with vectors and values of the state at their rows."""
        state, vectors, values = at
        pairs, known = self.model["states"][state]
        given, heights = data["potential"].get(state, {}), data["values"].get(state, {})
        free = {f"{a} {b}" for a, b, fixed in pairs if fixed is None}
        need(set(given) <= free, f"state {state} has no such coefficient")
        need({k for k, x in known.items() if x is None} >= set(heights), "a value is fixed")
        for a, b, fixed in pairs:
            value = polynomial(self.box, given.get(f"{a} {b}", "0")) if fixed is None else fixed
            self.add(times(factor, value), vectors[a], vectors[b])
        for name, fixed in known.items():
            value = polynomial(self.box, heights.get(name, "0")) if fixed is None else fixed
            self.values[values[name]] = plus(self.values[values[name]], times(factor, value))

    def interpolation(self, functions, multipliers, free):
        """y times 2 (L-m)(f_j - f_i + <g_j, d>) + |e|^2 + m L |d|^2 - 2 m <e, d> <= 0 with
        d = x_i - x_j, e = g_i - g_j, for two requests of one function with curvatures in [m, L]."""
        low, scale, base = self.model["lowest"], self.model["scale"], {}
        if not free:
            base = self.model["base"]
        gap, given = plus(one(self.box), low, -1), {}
        for entry in items(multipliers, "multipliers"):
            *place, text = items(entry, "a multiplier", 4)
            need(tuple(place) not in given, "a second multiplier of one inequality")
            given[tuple(place)] = polynomial(self.box, text)
        for which, records in enumerate(functions):
            for i, j in permutations(range(len(records)), 2):
                y = plus(base, times(given.pop((which, i, j), {}), scale))
                if not any(y.values()):
                    continue
                nonnegative({("1", "1"): y}, self.box, "a multiplier")
                (vi, xi, gi), (vj, xj, gj) = records[i], records[j]
                step, change = row_plus(xi, xj, -1), row_plus(gi, gj, -1)
                self.add(times(y, gap, 2), gj, step)
                self.add(y, change, change)
                self.add(times(y, low), step, step)
                self.add(times(y, low, -2), change, step)
                for name, sign in ((vj, 2), (vi, -2)):
                    if name is not None:
                        self.values[name] = plus(self.values[name], times(y, gap, sign))
        need(not given, "a multiplier of no inequality")

    def relations(self, known, table, shared, basis, fixed, prefix=""):
        """Vectors that all clients share, times vectors whose mean over all clients is 0: the
        multipliers are the same for every state of the client."""
        for name, row in known.items():
            given = {k: polynomial(self.box, x) for k, x in table.get(prefix + name, {}).items()}
            need(set(given) <= shared - {*fixed}, "a multiplier of a vector that is not shared")
            for vector, y in {**given, **fixed}.items():
                need(vector in basis, f"{vector} is not known on a move")
                scale = one(self.box) if vector in fixed else self.model["relation_scale"]
                self.add(times(y, scale, 2), unit(self.box, vector), row)

    def close(self, what):
        need(not any(any(p.values()) for p in self.values.values()), f"values remain in {what}")
        nonnegative(self.form, self.box, what)


def check(data):
    """The sentence that a certificate proves; a ValueError says why it proves none."""
    fields(data, "the certificate", [*QUESTION, *NUMBERS])
    need(all(isinstance(data[name], dict) for name in TABLES), "a table is no object")
    model = rows(data)
    constants = {k: polynomial(model["box"], x) for k, x in data["constants"].items()}
    need(set(constants) <= set(model["constants"]), "an unknown constant")
    need({*data["potential"], *data["values"]} <= set(model["states"]), "an unknown state")
    known = {n for e in model["edges"] for n in e["relations"]}
    known |= {f"bound {n}" for b in model["bounds"] for n in b["relations"]}
    need(set(data["relations"]) <= known, "an unknown relation")
    for name, poly in constants.items():
        nonnegative({("1", "1"): poly}, model["box"], name)
    for field in ("multipliers", "uncorrelated"):
        items(data[field], field, len(model["edges"]))
    for edge, multipliers, pairs in zip(
        model["edges"], data["multipliers"], data["uncorrelated"], strict=True
    ):
        total = Sum(model)
        total.potential(edge["before"], model["rate"], data)
        for chance, after in edge["after"]:
            total.potential(after, one(model["box"], -chance), data)
        for name, poly in constants.items():
            kind, vector, *_ = name.split(" ")
            if kind in ("budgets", "gains") and vector in edge["basis"]:
                here, sign = unit(model["box"], vector), 1 if kind == "budgets" else -1
                total.add(times(poly, one(model["box"], sign)), here, here)
        total.interpolation(edge["records"], multipliers, free=False)
        total.relations(
            edge["relations"], data["relations"], model["common"], edge["basis"], model["given"]
        )
        for entry in items(pairs, "uncorrelated"):
            new, past, text = items(entry, "an uncorrelated pair", 3)
            need((new, past) in model["uncorrelated"], f"{new} may depend on {past}")
            total.add(
                polynomial(total.box, text), unit(model["box"], new), unit(model["box"], past)
            )
        total.close(edge["name"])
    need(set(data["bounds"]) <= {b["name"] for b in model["bounds"]}, "an unknown bound")
    for bound in model["bounds"]:
        total, sign = Sum(model), bound["sign"]
        total.potential(bound["at"], one(model["box"], sign), data)
        for a, b, value in bound["form"]:
            added = isinstance(value, str)  # a constant is added, what is bounded is subtracted
            poly = constants.get(f"{value} {a} {b}", {}) if added else value
            factor = 1 if added else -sign
            total.add(times(poly, one(total.box, factor)), unit(total.box, a), unit(total.box, b))
        for name, value in bound["values"].items():
            total.values[name] = plus(total.values[name], value, -sign)
        total.interpolation(bound["records"], data["bounds"].get(bound["name"], []), free=True)
        total.relations(
            bound["relations"],
            data["relations"],
            model["bound_common"],
            bound["basis"],
            {},
            "bound ",
        )
        total.close(f"the bound {bound['name']}")
    return sentence(data, constants)


def main(path):
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(LARGEST)
        data = parse(text)
        need(isinstance(data, dict) and data.get("format") == FORMAT, "not of this format")
    except (OSError, ValueError, RecursionError) as problem:
        return print(f"{path}: unusable: {problem}") or 2
    mark = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:12]
    try:
        return print(f"{path}: proved: {check(data)} [certificate {mark}]") or 0
    except NotCheckable as reason:
        return print(f"{path}: not checkable: {reason}") or 3
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as reason:
        return print(f"{path}: rejected: {reason}") or 1


if __name__ == "__main__":
    sys.exit(max(map(main, sys.argv[1:]), default=2))
