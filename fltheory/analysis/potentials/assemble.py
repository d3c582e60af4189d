"""From a model to a program: the conditions on a potential as linear matrix inequalities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product

from fltheory.analysis.potentials.model import (
    At,
    BoundOfPotential,
    ClientState,
    Edge,
    Model,
    Request,
)
from fltheory.analysis.potentials.polynomials import (
    Poly,
    Row,
    bernstein,
    constant,
    plus,
    times,
    unit,
)
from fltheory.analysis.potentials.program import (
    ONE,
    Affine,
    MatrixInequality,
    MatrixProgram,
    Unknown,
)

Factor = tuple[Poly, int]
"""A polynomial, and whether it is multiplied by the number r in the rate (1) or not (0)."""

Weights = Mapping[Unknown, Poly]
"""A coefficient that is linear in unknowns."""


@dataclass
class Sum:
    """A quadratic form and a sum of function values, both linear in unknowns."""

    form: dict[tuple[Unknown, str, str, int], Poly] = field(default_factory=dict)
    values: dict[str, dict[tuple[Unknown, int], Poly]] = field(default_factory=dict)

    def add(
        self, weights: Weights, left: Row, right: Row, by: Poly | None = None, order: int = 0
    ) -> None:
        """Add weights * by * <left, right>."""
        for (a, p), (b, q) in product(left.items(), right.items()):
            first, second = sorted((a, b))
            share = times(p, q) if by is None else times(by, p, q)
            for name, weight in weights.items():
                key = (name, first, second, order)
                self.form[key] = plus(self.form.get(key, {}), times(weight, share))

    def add_value(self, weights: Weights, name: str, by: Poly, order: int = 0) -> None:
        """Add weights * by * (a function value)."""
        line = self.values.setdefault(name, {})
        for unknown, weight in weights.items():
            key = (unknown, order)
            line[key] = plus(line.get(key, {}), times(weight, by))


class Assembly:
    """The program of a model; names of unknowns say where they stand in a certificate."""

    def __init__(self, model: Model) -> None:
        self.model, self.program = model, MatrixProgram()
        self.count = len(model.parameters)
        self.one = constant(1, self.count)
        self.zero = (0,) * self.count
        for number, edge in enumerate(model.edges):
            self._edge(number, edge)
        for bound in model.bounds:
            self._bound(bound)
        for line in model.equalities:
            self.program.equalities.append(
                {
                    u if u is ONE else (u, self.zero): (Fraction(c), Fraction(0))
                    for u, c in line.items()
                }
            )

    def unknown(self, name: Unknown, *, positive: bool = False) -> Weights:
        """An unknown polynomial in the parameters."""
        degrees = self.model.degree or self.zero
        powers = list(product(*(range(d + 1) for d in degrees)))
        single = positive and len(powers) == 1
        found = {
            self.program.unknown((name, place), positive=single): {place: Fraction(1)}
            for place in powers
        }
        if positive and not single:
            self._nonnegative(found, f"{name}")
        return found

    def _nonnegative(self, weights: Weights, name: str) -> None:
        total = Sum()
        total.add(weights, unit("1", self.one), unit("1", self.one))
        self._inequality(total, ("1",), f"{name} >= 0")

    def _edge(self, number: int, edge: Edge) -> None:
        model, total = self.model, Sum()
        negative = constant(-1, self.count)
        for factor, order in ((model.rate, 0), (model.slope, 1)):
            if factor:
                self._potential(total, edge.before, factor, order)
        for chance, at in edge.after:
            self._potential(total, at, times(negative, constant(chance, self.count)))
        for kind, sign, known in (("budgets", 1, model.budgets), ("gains", -1, model.gains)):
            for vector, fixed in known.items():
                if vector in edge.basis:
                    weights = (
                        {ONE: fixed}
                        if fixed is not None
                        else self.unknown((kind, vector), positive=True)
                    )
                    here = unit(vector, self.one)
                    total.add(weights, here, here, constant(sign, self.count))
        self._interpolation(total, edge.records, ("y", number))
        for name, relation in edge.relations.items():
            for vector in model.common:
                weights = self._relation_weights(name, vector)
                total.add(weights, unit(vector, self.one), relation, constant(2, self.count))
        for new, past in model.uncorrelated:
            if new in edge.basis and past in edge.basis:
                weights = self.unknown(("u", number, new, past))
                total.add(weights, unit(new, self.one), unit(past, self.one))
        self._close(total, edge.basis, edge.null, edge.name)

    def _relation_weights(self, name: str, vector: str) -> Weights:
        model = self.model
        if vector in model.given:
            return {ONE: model.given[vector]}
        weights = self.unknown(("Y", name, vector))
        scale = model.relation_scale.get(vector)
        return weights if scale is None else {u: times(w, scale) for u, w in weights.items()}

    def _bound(self, bound: BoundOfPotential) -> None:
        total, sign = Sum(), constant(bound.sign, self.count)
        self._potential(total, bound.at, sign)
        for left, right, value in bound.form:
            rows = unit(left, self.one), unit(right, self.one)
            if isinstance(value, str):
                total.add(self.unknown((value, left, right), positive=True), *rows)
            else:
                total.add({ONE: value}, *rows, times(constant(-1, self.count), sign))
        for name, value in bound.values.items():
            total.add_value({ONE: value}, name, times(constant(-1, self.count), sign))
        self._interpolation(total, bound.records, ("z", bound.name))
        for name, relation in bound.relations.items():
            # one multiplier for all states: only the mean over all clients is zero
            for vector in self.model.bound_common:
                weights = self.unknown(("Y", f"bound {name}", vector))
                total.add(weights, unit(vector, self.one), relation, constant(2, self.count))
        self._close(total, bound.basis, bound.null, f"bound in state {bound.name}")

    def _potential(self, total: Sum, at: At, factor: Poly, order: int = 0) -> None:
        state: ClientState = self.model.states[at.state]
        for left, right, fixed in ((p.left, p.right, p.fixed) for p in state.pairs):
            name = ("V", at.state, left, right)
            weights = {ONE: fixed} if fixed is not None else self.unknown(name)
            total.add(weights, at.vectors[left], at.vectors[right], factor, order)
        for value, height in state.values.items():
            weights = {ONE: height} if height is not None else self.unknown(("v", at.state, value))
            total.add_value(weights, at.values[value], factor, order)

    def _interpolation(
        self, total: Sum, functions: Sequence[Sequence[Request]], tag: tuple[object, ...]
    ) -> None:
        """Add multipliers y >= 0 of 2 (L-m)(f_j - f_i + <g_j, d>) + |e|^2 + m L |d|^2 - 2 m <e, d>
        <= 0 with d = x_i - x_j, e = g_i - g_j."""
        model = self.model
        high, low = model.highest, model.lowest
        gap = plus(high, low, -1)
        double, product_of, minus_double = (
            times(constant(2, self.count), gap),
            times(low, high),
            times(constant(-2, self.count), low),
        )
        for number, records in enumerate(functions):
            for i, j in permutations(range(len(records)), 2):
                y = self._multiplier((*tag, number, i, j))
                step = combine_rows(records[i].point, records[j].point)
                change = combine_rows(records[i].gradient, records[j].gradient)
                total.add(y, records[j].gradient, step, double)
                total.add(y, change, change)
                if product_of:
                    total.add(y, step, step, product_of)
                    total.add(y, change, step, minus_double)
                for record, sign in ((records[j], 1), (records[i], -1)):
                    if record.value is not None:
                        total.add_value(y, record.value, times(constant(sign, self.count), double))

    def _multiplier(self, name: tuple[object, ...]) -> Weights:
        model = self.model
        based = bool(model.multiplier_base) and name[0] == "y"
        found = dict(self.unknown(name, positive=not based))
        if model.multiplier_scale is not None:
            found = {u: times(w, model.multiplier_scale) for u, w in found.items()}
        if based and model.multiplier_base:
            found[ONE] = model.multiplier_base
            self._nonnegative(found, f"{name}")
        return found

    def _close(self, total: Sum, basis: tuple[str, ...], null: tuple[str, ...], name: str) -> None:
        """Function values cancel; the form is semidefinite, and vanishes along null directions."""
        for line in total.values.values():
            for powers in {k for poly in line.values() for k in poly}:
                self._equality({key: poly[powers] for key, poly in line.items() if powers in poly})
        if null:
            for vector in basis:
                places: dict[tuple[Unknown, int, tuple[int, ...]], Fraction] = {}
                for (u, a, b, order), poly in total.form.items():
                    hits = (a == vector and b in null) + (b == vector and a in null)
                    for powers, value in poly.items() if hits else ():
                        key = (u, order, powers)
                        share = value if a == b or hits == 2 else value / 2
                        places[key] = places.get(key, Fraction(0)) + share
                for wanted in {powers for _, _, powers in places}:
                    self._equality(
                        {(u, order): v for (u, order, p), v in places.items() if p == wanted}
                    )
            gone = null[0]
            total.form = {k: p for k, p in total.form.items() if gone not in k[1:3]}
        self._inequality(total, basis, name)

    def _equality(self, line: Mapping[tuple[Unknown, int], Fraction]) -> None:
        found: dict[Unknown, Affine] = {}
        for (name, order), value in line.items():
            a, b = found.get(name, (Fraction(0), Fraction(0)))
            found[name] = (a, b + value) if order else (a + value, b)
        if any(a or b for a, b in found.values()):
            self.program.equalities.append(found)

    def _inequality(self, total: Sum, basis: tuple[str, ...], name: str) -> None:
        """One matrix inequality per Bernstein coefficient of the polynomial matrix."""
        degrees = tuple(
            max((k[n] for poly in total.form.values() for k in poly), default=0)
            for n in range(self.count)
        )
        places: dict[tuple[int, ...], dict[tuple[Unknown, str, str], list[Fraction]]] = {}
        for (u, a, b, order), poly in total.form.items():
            for place, value in bernstein(poly.items(), self.model.box, degrees):
                share = value if a == b else value / 2
                entries = places.setdefault(place, {})
                entries.setdefault((u, a, b), [Fraction(0), Fraction(0)])[order] += share
        for place, found in sorted(places.items()):
            used = {v for (_, a, b), pair in found.items() if any(pair) for v in (a, b)}
            index = {v: k for k, v in enumerate(v for v in basis if v in used)}
            entries_here = {
                (u, *sorted((index[a], index[b]))): (pair[0], pair[1])
                for (u, a, b), pair in found.items()
                if any(pair)
            }
            where = f"{name} at {list(place)}" if place else name
            self.program.inequalities.append(MatrixInequality(where, len(index), entries_here))  # type: ignore[arg-type]


def combine_rows(left: Row, right: Row) -> Row:
    """left - right, over any parameters."""
    return {
        name: value
        for name in {**left, **right}
        if (value := plus(left.get(name, {}), right.get(name, {}), -1))
    }
