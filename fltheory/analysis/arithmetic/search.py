"""Complete a sketch: multipliers for what must cancel, and the coefficients of every fact."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from sympy import QQ
from sympy.polys.fields import FracElement, FracField
from sympy.polys.rings import PolyElement

from fltheory.analysis.arithmetic.certificate import ProofSketch, Statement, Use
from fltheory.analysis.arithmetic.checker import facts
from fltheory.analysis.arithmetic.formulas import Formulas, is_positive
from fltheory.analysis.arithmetic.quotients import Quotient
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Json, JsonValue


def completed(sketch: ProofSketch, statement: Statement) -> Json:
    """The certificate: all multipliers, and the coefficients of every fact; an error names the
    first fact with a coefficient below 0."""
    found: list[JsonValue] = []
    signed = {v for v, kind in sketch.variables.items() if kind != "nonnegative"}
    sketch = _with_multipliers(sketch, statement)
    for name, fact, sign in facts(sketch, statement):
        lowest = reduced(fact)
        up, low = lowest.numer, lowest.denom
        if any(x < 0 for x in low.coeffs()):
            up, low = -up, -low
        if (sign == "=" and up) or not (is_positive(up, signed) and is_positive(low, signed)):
            raise InvalidInput(f"sketch of {sketch.claim}", f"prove {name}", f"{up}"[:400])
        found.append([name, _listed(up), _listed(low)])
    uses: Json = {name: [list(row) for row in rows] for name, rows in sketch.uses.items()}
    return {"claim": sketch.claim, **({"uses": uses} if uses else {}), "facts": found}


def reduced(fact: Quotient) -> FracElement:
    """In lowest terms."""
    field = FracField(fact.over.ring.symbols, QQ)
    up, low = (
        field(field.ring.from_dict({m: QQ(int(x)) for m, x in p.terms()}))
        for p in (fact.numer, fact.denom)
    )
    return up / low


def _listed(p: PolyElement) -> JsonValue:
    names = [str(s) for s in p.ring.symbols]
    return [[str(x), [[names[i], k] for i, k in enumerate(m) if k]] for m, x in sorted(p.terms())]


def _with_multipliers(sketch: ProofSketch, statement: Statement) -> ProofSketch:
    """Multipliers of identities that are given or kept, for facts without any: each such identity
    removes the first variable that it names, in which it is linear. A step keeps an inequality
    with the factor 1 unless the sketch says otherwise."""
    uses = {name: list(rows) for name, rows in sketch.uses.items()}
    known = _names(sketch)
    for name, fact, _ in facts(sketch, statement):
        if name in sketch.uses or name.startswith("range"):
            continue
        rows: list[Use] = []
        rest = reduced(fact)
        for what, index, text in _identities(sketch, name):
            row, rest = _removed(rest, known, text, what, index)
            rows += row
        if name.startswith("step"):
            place = int(name.rpartition(" ")[2])
            if sketch.keep[place][1] == ">=":
                rows.append(("1", "keep", place))
        if rows:
            uses[name] = rows
    return replace(sketch, uses=uses)


def _names(sketch: ProofSketch) -> Formulas:
    known = Formulas.over(
        sketch.variables, roots=sketch.roots, powers=sketch.powers, opaque=sketch.opaque
    )
    for name, text, *_ in cast(Sequence[tuple[str, str]], sketch.let):
        known = known.having({name: known(text)})
    return known


def _identities(sketch: ProofSketch, label: str) -> list[tuple[str, int, str]]:
    kept = [("keep", i, row[0]) for i, row in enumerate(sketch.keep) if row[1] == "="]
    given = [("given", i, row[0]) for i, row in enumerate(sketch.given) if row[1] == "="]
    return given + (kept if not label.startswith("start") else [])


def _removed(
    fact: FracElement, known: Formulas, text: str, what: str, index: int
) -> tuple[list[Use], FracElement]:
    names = sorted(known.names_in(text), key=text.find)
    thing, lead = reduced(known(text)), next((n for n in names if n in known.kinds), None)
    if lead is None:
        return [], fact
    gen = fact.field.gens[sorted(known.kinds).index(lead)]
    slope, wanted = thing.diff(gen), fact.diff(gen)
    if not slope or not wanted or slope.diff(gen) or wanted.diff(gen):
        return [], fact
    factor = wanted / slope
    return [(str(factor), what, index)], fact - factor * thing
