"""Replay a path along which a claimed order fails."""

from collections.abc import Iterator

import sympy

from fltheory.claims.checks.sweep import NOTHING, check_order_limit
from fltheory.claims.claim import Claim
from fltheory.claims.condition import Condition
from fltheory.claims.evidence import Verdict
from fltheory.claims.meaning import ALL, AT_MOST
from fltheory.claims.spaces.choices import SCALE
from fltheory.claims.spaces.growing_files import KIND, MOST_POWERS, degree, from_json
from fltheory.claims.spaces.order_paths import values_along
from fltheory.core.enclosure import as_expression
from fltheory.core.expressions import from_lists, to_lists
from fltheory.core.types import Values
from fltheory.ledger.counterexamples import CounterexampleFile, NotCheckable, NotConfirmed, short
from fltheory.ledger.meanings import meaning_of
from fltheory.ledger.origins import BY_THE_PAPER, CHECK, recompute, refutation
from fltheory.papers import papers


def along_path(data: CounterexampleFile, claim: Claim) -> list[str]:
    """Check a path that refutes an order.

    The path of the file must be the one that its origin gives (the claim's checks, or a draw, run
    again, or a family of growing runs of which the claim speaks), or one of free symbols that meets
    the claim's conditions; left/right must have an infinite limit along it.
    """
    origin, told = data.get("origin"), "free symbols that the claim's conditions allow"
    path: Values = {str(name): from_lists(value) for name, value in data["values"].items()}
    if origin is not None and origin.get("kind") == KIND:
        path = _along_runs(data, claim)
        told = "growing runs with a proved lower bound on the left side, made again"
    elif origin is not None:
        if origin.get("kind") not in BY_THE_PAPER:
            raise NotCheckable(f"no path has an origin of kind {origin.get('kind')!r}")
        check = refutation(claim) if origin == CHECK else None
        path = recompute(origin, claim) if check is None else check.values
        same = {
            name: to_lists(as_expression(path[name])) for name in path if name in data["values"]
        } == data["values"]
        if not same or (
            check is not None and (check.left, check.right) != (data.get("left"), data.get("right"))
        ):
            raise NotConfirmed("the path, computed again, is not that of the file")
        if check is not None:  # decided by the limit that the check takes
            return [
                f"{short(check.left)} {check.right}, computed again; the path is that of the file"
            ]
        told = "computed again, as in the file"
    elif data.get("run") is not None or meaning_of(claim).free != ALL:
        raise NotCheckable("the symbols of the claim have to be measured, and the file has a path")
    elif failing := [*_failing_kinds(claim, path)] + [
        a.says
        for a in claim.assumes
        if a.stated and (not isinstance(a.holds, Condition) or a.holds.along(path) is not True)
    ]:
        raise NotConfirmed(f"printed assumptions not met: {', '.join(failing)}")
    symbols = {s.name: s for s in claim.symbols}
    growing = {
        one for name, s in symbols.items() for one in as_expression(path.get(name, s)).free_symbols
    }
    # if the right side is 0, nothing need grow
    variable = growing.pop() if growing else sympy.Symbol("scale")
    found = (
        None if growing else check_order_limit(claim, derived=path, variable=variable, covers="")
    )
    if found is None or found.verdict is not Verdict.REFUTED:
        raise NotConfirmed("left/right is not seen to grow without bound along the path")
    seen = (
        f"left/right = {short(found.left)} grows without bound"
        if found.right != NOTHING
        else f"left = {short(found.left)}, right = 0"
    )
    return [f"the path: {told}", f"{seen} along it"]


def _along_runs(data: CounterexampleFile, claim: Claim) -> Values:
    """The values along the growing runs of a file, which must be those of the file and meet every
    condition of the claim."""
    if claim.source.paper.key in papers():
        raise NotCheckable("the claims of a paper say by their checks which runs they speak of")
    runs = from_json(data.get("origin") or {})
    values = values_along(claim, runs)
    if not values:
        raise NotConfirmed("the growing runs are not runs of the claim")
    path = {s.name: values[s.name] for s in claim.symbols}
    told = {name: from_lists(value) for name, value in data["values"].items()}
    if any(degree(one) > MOST_POWERS for one in told.values()):
        raise NotConfirmed("the path has higher powers than any that is computed again")
    if set(path) != set(told) or any(
        sympy.simplify(path[name].xreplace({SCALE: sympy.Symbol("scale")}) - told[name]) != 0
        for name in path
    ):
        raise NotConfirmed("the path, computed again, is not that of the file")
    return path


def _failing_kinds(claim: Claim, path: Values) -> Iterator[str]:
    """Free symbols that leave their kind along the path, and relations that the quantities have by
    their meaning and that fail there."""
    full = {s.name: as_expression(path.get(s.name, s)) for s in claim.symbols}
    one = {s: sympy.Symbol("scale") for value in full.values() for s in value.free_symbols}
    full = {name: value.xreplace(one) for name, value in full.items()}
    for symbol in claim.symbols:
        least = 1 if symbol.is_integer and symbol.is_positive else 0
        sign = "<" if symbol.is_positive and not least else "<="
        signed = not (symbol.is_positive or symbol.is_nonnegative)
        bare = sympy.Symbol(symbol.name)
        within = Condition("", sympy.Integer(least), sign, bare).along(full)
        if not signed and within is not True:
            yield f"{symbol.name} is of its kind"
    for small, large in AT_MOST:
        below = Condition("", sympy.Symbol(small), "<=", sympy.Symbol(large))
        if {small, large} <= set(full) and below.along(full) is not True:
            yield f"{small} <= {large}"
