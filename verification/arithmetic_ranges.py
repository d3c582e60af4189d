"""What the model of an arithmetic proof may take for granted, and that it leaves no value out.

`grounded`: symbols have the signs of their kinds, and every hypothesis is one of the claim.
`covered`: a symbol that is replaced by a formula of a new variable takes every value that the claim
allows. `slack`: a statement as a quantity that is at least 0.
"""

from arithmetic_forms import constant, expanded, plus, power, same, times
from strict_json import need  # type: ignore[import-not-found]


def grounded(plain, c, claim, others):
    """Variables are read with the signs of the claim; hypotheses and other claims are its own."""
    for v, kinds in claim["kinds"].items():
        free = v not in plain.names or v in plain.signed
        need(free or {"positive", "nonnegative"} & {*kinds}, f"{v} may be negative")
    for text, _, because, says in c.get("given", ()):
        more = others[says]["assumes"].keys() if because == "claim" else set()
        lacking = more - claim["assumes"].keys() - c.get("implied", {}).keys()
        need(not lacking, f"{says} also assumes {lacking}")
        need(because in ("model", "claim") or claim["assumes"][because] == says, f"{text}: why?")


def slack(known, claim):
    """right - left of a statement (left - right of a lower bound), and its sign."""
    left, right, sign = known(claim["left"]), known(claim["right"]), claim["sign"]
    need(sign in ("=", "<=", ">="), "an order is no bound")
    return plus(left, right, -1) if sign == ">=" else plus(right, left, -1), sign.replace("<", ">")


def covered(known, name, text, cover, given, kinds):
    """With the new variable from 0 on, the formula reaches every value that the claim allows: from
    an edge on upwards, or down to 0; what is beyond the edge breaks a kind or a condition."""
    new, because = cover
    others = [q for v, q in known.names.items() if v != new]
    need(new in known.place and new not in known.signed, f"{new} must be new")
    own = known.mask([new])
    need(not any(m & own for q in others for p in expanded(q) for m in p), f"{new} must be new")
    whole, edge = known(text), known.with_names({new: constant(0)})(text)
    rising = [p for p in expanded(whole) if any(m & own for m in p)]
    need(len(rising) == 1 and known.nonnegative(edge), f"{name} must be monotone")
    need(all(x > 0 for m, x in rising[0].items() if m & own), f"{name} must be monotone")
    up = rising[0] == expanded(whole)[0]
    if because == "kind":
        least = constant(1 if kinds >= {"integer", "positive"} else 0)
        need(up and kinds and same(edge, least), f"{name} may have other values")
        return f"range of {name}", constant(0), "="
    more = plus(constant(1), known(new))
    gap = known.with_names({name: times(edge, power(more, -1 if up else 1))})(given[because][0])
    return f"range of {name}", times(constant(-1), gap), ">"
