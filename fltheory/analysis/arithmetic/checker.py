"""Exact check that an arithmetic certificate proves a statement."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from sympy.polys.rings import PolyElement

from fltheory.analysis.arithmetic.certificate import (
    Certificate,
    ProofSketch,
    Statement,
    Terms,
)
from fltheory.analysis.arithmetic.formulas import Formulas, is_positive, nonnegative
from fltheory.analysis.arithmetic.quotients import Quotient
from fltheory.analysis.arithmetic.quotients import wrong as _wrong

Named = tuple[str, Quotient, str]
"""Name, quotient and sign of a fact."""


def facts(sketch: ProofSketch, statement: Statement) -> Iterator[Named]:
    """Every fact that the coefficients must prove; in vectors, they are sums over coordinates."""
    read = Formulas.over(sketch.variables)
    for name, fact, sign in _facts(sketch, statement):
        if read.degrees(fact) - {0, 2}:
            raise _wrong("have facts that are sums over coordinates", name)
        yield name, fact, sign


def _facts(sketch: ProofSketch, statement: Statement) -> Iterator[Named]:
    """Everything that the coefficients must prove: ranges of parameters, the start and the steps of
    a loop, and the statement itself."""
    plain = Formulas.over(
        sketch.variables, roots=sketch.roots, powers=sketch.powers, opaque=sketch.opaque
    )
    _kinds_agree(sketch, statement)
    known = plain
    for name, text, *cover in cast(Sequence[tuple[str, ...]], sketch.let):
        if name in known.names:
            raise _wrong("define every name once", name)
        if cover:
            yield _range(known, name, text, cover, sketch, statement.kinds.get(name, ()))
        known = known.having({name: known(text)})
    given = [
        slack(known, statement.others[says]) if because == "claim" else (known(text), sign)
        for text, sign, because, says in sketch.given
    ] + list(known.facts())
    kept = [(known(text), sign) for text, sign in sketch.keep]

    def less(label: str, fact: Quotient) -> Quotient:
        for multiplier, what, which in sketch.uses.get(label, ()):
            factor = known(multiplier)
            if what == "square":
                thing, sign = known(str(which)) ** 2, ">="
            elif what in ("keep", "given") and not (what == "keep" and label.startswith("start")):
                facts_of = kept if what == "keep" else given
                if not 0 <= int(which) < len(facts_of):
                    raise _wrong("use facts that are there", f"{what} {which}")
                thing, sign = facts_of[int(which)]
            else:
                raise _wrong("use squares, what is given, and what a step keeps", what)
            if sign != "=" and not nonnegative(factor, plain.signed):
                raise _wrong("have multipliers of at least 0", multiplier)
            if known.degrees(factor) - {0}:
                raise _wrong("have numbers as multipliers", multiplier)
            if what == "square" and len(known.degrees(thing)) > 1:
                raise _wrong("have squares of numbers or of vectors", str(which))
            fact = fact - factor * thing
        return fact

    for branch in range(max(map(len, sketch.state.values()), default=0)):
        moved = plain.having({v: plain(rows[branch]) for v, rows in sketch.state.items()})
        _powers_follow(sketch, plain, moved, branch)
        for i, (text, sign) in enumerate(sketch.keep):
            if known.names_in(text) & set(sketch.inputs):
                raise _wrong("keep nothing about an input", text)
            label = f"{'step' if branch else 'start'} {branch}: {i}"
            yield label, less(label, moved(text)), sign
    if statement.sign == "= O of":
        left, right = known(statement.left), known(sketch.constant) * known(statement.right)
        yield "below", less("below", left + right), ">="
        yield "goal", less("goal", right - left), ">="
        return
    goal, sign = slack(known, statement)
    yield "goal", less("goal", goal), sign


def slack(known: Formulas, statement: Statement) -> tuple[Quotient, str]:
    """right - left of a statement (left - right of a lower bound), and its sign."""
    if statement.sign not in ("=", "<=", ">="):
        raise _wrong("rest on bounds and identities", statement.claim)
    left, right = known(statement.left), known(statement.right)
    return left - right if statement.sign == ">=" else right - left, (
        "=" if statement.sign == "=" else ">="
    )


def _kinds_agree(sketch: ProofSketch, statement: Statement) -> None:
    for name, kinds in statement.kinds.items():
        if sketch.variables.get(name) == "nonnegative" and not (
            {"positive", "nonnegative"} & set(kinds)
        ):
            raise _wrong("not take for granted that a symbol is at least 0", name)
    for text, _, because, says in sketch.given:
        if because == "claim":
            if lacking := _lacking(statement.others.get(says), statement, sketch):
                raise _wrong("rest on claims that assume no more", f"{says}: {lacking}")
        elif because != "model" and statement.assumes.get(because) != says:
            raise _wrong("take for granted only what the claim assumes", f"{text}: {because}")


def _lacking(other: Statement | None, statement: Statement, sketch: ProofSketch) -> str:
    if other is None:
        return "an unknown claim"
    return ", ".join(sorted(set(other.assumes) - set(statement.assumes) - set(sketch.implied)))


def _powers_follow(sketch: ProofSketch, plain: Formulas, moved: Formulas, branch: int) -> None:
    """A variable for base^n moves as n does: to base^n at the start, by factors base in a step."""
    for v, (base, exponent) in sketch.powers.items():
        if not {v, exponent} & set(sketch.state):
            continue
        if plain.names_in(base) & (set(sketch.state) | set(sketch.inputs)):
            raise _wrong("have powers of what stays the same", base)
        steps = (moved(exponent) - plain(exponent if branch else "0")).without_variables()
        before = plain(v) if branch else plain("1")
        if (
            steps is None
            or steps.denominator != 1
            or (moved(v) != before * plain(base) ** int(steps))
        ):
            raise _wrong("move powers as their exponents", v)


def _range(
    known: Formulas,
    name: str,
    text: str,
    cover: Sequence[str],
    sketch: ProofSketch,
    kinds: Sequence[str],
) -> Named:
    """The formula runs through all values that the claim allows as the new variable grows from 0:
    from an edge upwards, or from an edge down to 0. Beyond the edge a kind or a condition fails."""
    new, because = cover
    used = any(new in _symbols(quotient) for key, quotient in known.names.items() if key != new)
    if new not in known.names or new in known.signed or used:
        raise _wrong("have a new variable for every range", new)
    whole, edge = known(text), known.having({new: known("0")})(text)
    up = new not in _symbols_of(whole.denom)
    rising = whole.numer if up else whole.denom
    index = [str(s) for s in rising.ring.symbols].index(new)
    if (not up and new in _symbols_of(whole.numer)) or not any(m[index] for m in rising.monoms()):
        raise _wrong("have monotone ranges", text)
    if any(x < 0 for m, x in rising.terms() if m[index]) or not nonnegative(edge, known.signed):
        raise _wrong("have monotone ranges", text)
    if because == "kind":
        least = 1 if {"integer", "positive"} <= set(kinds) else 0
        if not (up and kinds and edge.without_variables() == least):
            raise _wrong("have ranges that leave out no value", f"{name} = {text}")
        return f"range of {name}", known("0"), "="
    beyond = edge / (1 + known(new)) if up else edge * (1 + known(new))
    gap = known.having({name: beyond})(sketch.given[int(because)][0])
    return f"range of {name}", -gap, ">"


def _symbols(fact: Quotient) -> set[str]:
    return _symbols_of(fact.numer) | _symbols_of(fact.denom)


def _symbols_of(p: PolyElement) -> set[str]:
    return {str(g) for i, g in enumerate(p.ring.symbols) if any(m[i] for m in p.itermonoms())}


def proved(data: Mapping[str, object], sketch: ProofSketch, statement: Statement) -> int:
    """The number of facts that a certificate proves; a wrong certificate is an error. The sketch
    says what the symbols mean, the certificate has multipliers and coefficients only."""
    found = Certificate.from_json(data)
    if not found.claim == sketch.claim == statement.claim:
        raise _wrong("be about its claim", found.claim[:60])
    if idle := sorted(n for n in found.uses if n not in found.facts or n.startswith("range")):
        raise _wrong("use facts for what it proves only", idle[0][:60])
    stored = dict(found.facts)
    positive = {v for v, kinds in statement.kinds.items() if "positive" in kinds}
    new = {str(entry[2]) for entry in sketch.let if len(entry) > 2}
    signed = {v for v, kind in sketch.variables.items() if kind != "nonnegative"}
    for name, fact, sign in facts(replace(sketch, uses=found.uses), statement):
        if name not in stored:
            raise _wrong("prove every fact", name)
        up, low = (_polynomial(side, fact) for side in stored.pop(name))
        if not fact.is_quotient_of(up, low):
            raise _wrong("have the coefficients of its facts", name)
        if not (is_positive(up, signed) and is_positive(low, signed)):
            raise _wrong("have no coefficient below 0", name)
        free = [i for i, v in enumerate(up.ring.symbols) if str(v) not in positive | new]
        strict = any(not any(m[i] for i in free) for m in up.itermonoms())
        if (sign == "=" and up) or (sign == ">" and not strict):
            raise _wrong("prove every fact", name)
    if stored:
        raise _wrong("have the facts of its claim only", sorted(stored)[0][:60])
    return len(found.facts)


def _polynomial(terms: Terms, fact: Quotient) -> PolyElement:
    ring = fact.over.ring
    place = {str(s): i for i, s in enumerate(ring.symbols)}
    found: dict[tuple[int, ...], int] = {}
    for x, powers in terms:
        monomial = [0] * len(place)
        for name, k in powers:
            if name not in place or monomial[place[name]]:
                raise _wrong("have monomials in its variables", name[:60])
            monomial[place[name]] = k
        if tuple(monomial) in found:
            raise _wrong("name every monomial once", str(powers)[:60])
        found[tuple(monomial)] = x
    return ring.from_dict(found)
