"""The core of check_arithmetic.py: what a certificate must prove, and when a fact is proved.

A formula is a quotient of polynomials. Its variables are at least 0, or signed (any real number, or
the coordinates of a vector). `let` gives formulas for the claim's symbols, which substitutes its
conditions away. What is left of them (`given`), what a loop keeps (`keep`) and squares may be
subtracted from a fact, each times a number that is not negative (`uses`). A fact is at least 0 if
no coefficient of the rest is negative. A loop keeps what holds at its start and, where it held
before, after every branch of a step. arithmetic_forms.py has the polynomials and their reader.
"""

from arithmetic_forms import Reader, expanded, names_in, plus, product, times
from arithmetic_ranges import covered, grounded, slack
from strict_json import need  # type: ignore[import-not-found]


def prove(name, value, sign, over, under, known, free):
    """over/under is the value, and its coefficients show the sign; `free` variables may be 0."""
    up, low = expanded(value)
    need(known.degrees_of(up, low) <= {0, 2}, f"{name} is no sum over coordinates")
    equal = under and product(up, under) == product(over, low)
    need(equal, f"{name} has other coefficients")
    odd = known.mask(known.signed, 1)
    signs = [x > 0 and not m & odd for p in (over, under) for m, x in p.items()]
    need(all(signs), f"{name} has a negative coefficient")
    need(sign != "=" or not over, f"{name} is not 0")
    need(sign != ">" or not all(m & free for m in over), f"{name} may be 0")


def reduced(label, fact, uses, known, held):
    """The fact less multiples of squares and of what holds, by kind: (value, sign)."""
    for multiplier, what, which in uses.get(label, ()):
        m, square = known(multiplier), what == "square" and known(which)
        need(square or which < len(held[what]), f"{label} uses a fact that is not there")
        thing, sign = (times(square, square), ">=") if square else held[what][which]
        need(what != "keep" or not label.startswith("start"), "a start keeps nothing yet")
        need(sign == "=" or known.nonnegative(m), f"{multiplier} may be negative")
        need(known.degrees(m) <= {0}, "multipliers are numbers")
        need(not square or len(known.degrees(thing)) < 2, "squares are of numbers or vectors")
        fact = plus(fact, times(m, thing), -1)
    return fact


def facts(c, claim, others):
    """Every fact (name, value, sign) that must be proved; `c` is the model with the uses."""
    plain = Reader(c["variables"], c.get("roots", ()), c.get("powers"), c.get("opaque"))
    loop, state, inputs = c.get("keep", []), c.get("state", {}), {*c.get("inputs", ())}
    grounded(plain, c, claim, others)
    known, given = plain, []
    for v, text, *cover in c["let"]:  # substitute
        need(v not in known.names, f"{v} is given twice")
        if cover:
            yield covered(known, v, text, cover, c.get("given"), {*claim["kinds"].get(v, ())})
        known = known.with_names({v: known(text)})
    for text, sign, because, says in c.get("given", ()):
        given.append(slack(known, others[says]) if because == "claim" else (known(text), sign))
    known.signs_of_meanings()
    held = {"given": [*given, *known.facts()], "keep": [(known(text), sign) for text, sign in loop]}
    uses = c.get("uses", {})
    for branch in range(max(map(len, state.values()), default=0)):  # induction: 0 is the start
        moved = plain.with_names({v: plain(rows[branch]) for v, rows in state.items()})
        plain.powers_follow(moved, branch, {*state}, inputs)
        for i, (text, sign) in enumerate(loop):
            need(not names_in(text) & inputs, "an input may differ in every step")
            label = f"{'step' if branch else 'start'} {branch}: {i}"
            yield label, reduced(label, moved(text), uses, known, held), sign
    goals = {"goal": slack(known, claim)} if claim["sign"] != "= O of" else {}
    if not goals:  # an order: both |left| <= constant right
        left, right = known(claim["left"]), times(known(c["constant"]), known(claim["right"]))
        goals = {"below": (plus(left, right), ">="), "goal": (plus(right, left, -1), ">=")}
    for label, (goal, sign) in goals.items():
        yield label, reduced(label, goal, uses, known, held), sign
