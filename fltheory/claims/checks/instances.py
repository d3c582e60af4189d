"""Exact checks by instances: evaluate both sides of a claim at given values and compare them
without rounding."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import sympy

from fltheory.claims.claim import Claim, Identity, LowerBound, Order, evaluate
from fltheory.claims.evidence import Counterexample, Evidence, Method, Provenance, Verdict
from fltheory.claims.scope import Coverage
from fltheory.claims.trivial import trivial_bound
from fltheory.core.enclosure import Comparison, compare, shown
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Values


@dataclass(frozen=True)
class Instance:
    """Values of all symbols of a claim, computed without the claim: by a run, an enumeration or a
    closed form.

    `scenario` says where the values come from, so that a replay can compute them again; without it
    only the check itself can.
    """

    values: Values
    says: str = ""
    scenario: Provenance | None = field(default=None, compare=False)


def violated(claim: Claim, comparison: Comparison) -> bool:
    """Does this comparison of left and right contradict the statement?"""
    if isinstance(claim.statement, Identity):
        return comparison in (Comparison.BELOW, Comparison.ABOVE)
    if isinstance(claim.statement, LowerBound):
        return comparison is Comparison.BELOW
    return comparison is Comparison.ABOVE


def check_instances(
    claim: Claim,
    instances: Iterable[Instance],
    *,
    method: Method,
    covers: str,
    complete: bool = False,
    coverage: Coverage | None = None,
) -> Evidence:
    """REFUTED by the first instance that violates the claim; else SUPPORTED, or PROVED if the
    instances are `complete`.

    `covers` says which instances were tried. `complete` may be set only if they exhaust the finite
    region of the claim. `coverage` holds what is known of the runs beside the claim's symbols.
    """
    if isinstance(claim.statement, Order):
        raise InvalidInput(
            f"claim {claim.id}", "not be an Order for a check by instances", "an Order"
        )
    count, unknown, tightest, tried = 0, 0, None, coverage or Coverage()
    for instance in instances:
        count += 1
        tried.add(instance.values)
        left, right = (
            evaluate(claim.statement.left, instance.values),
            evaluate(claim.statement.right, instance.values),
        )
        comparison = compare(left, right)
        if violated(claim, comparison):
            return refuted(
                claim,
                instance,
                left,
                right,
                method=method,
                covers=f"{covers}; instance {count}: {instance.says}",
            )
        unknown += comparison is Comparison.UNKNOWN
        ratio = _ratio(left, right)
        if tightest is None or _tighter(claim, ratio, tightest[0]):
            tightest = (ratio, left, right, trivial_bound(claim, instance.values))
    if tightest is None:
        return Evidence(
            claim.id, method, Verdict.UNDECIDED, covers, note="no instance was produced"
        )
    verdict = Verdict.UNDECIDED if unknown else Verdict.PROVED if complete else Verdict.SUPPORTED
    ratio, left, right, trivial = tightest
    note = (
        f"{unknown} of {count} comparisons too close to decide" if unknown else f"{count} instances"
    )
    return Evidence(
        claim.id,
        method,
        verdict,
        covers,
        shown(left),
        shown(right),
        shown(ratio),
        note,
        scope=tried.scope(),
        trivial="" if trivial is None else shown(trivial),
    )


def refuted(
    claim: Claim,
    instance: Instance,
    left: sympy.Expr,
    right: sympy.Expr,
    *,
    method: Method,
    covers: str,
) -> Evidence:
    """Evidence with a counterexample that can be stored and replayed."""
    needed = sorted(symbol.name for symbol in claim.symbols if symbol.name in instance.values)
    example = Counterexample(
        {name: instance.values[name] for name in needed},
        str(left),
        str(right),
        _needed(instance.scenario, needed),
    )
    ratio = shown(_ratio(left, right))
    return Evidence(
        claim.id,
        method,
        Verdict.REFUTED,
        covers,
        shown(left),
        shown(right),
        ratio,
        counterexample=example,
    )


def _needed(scenario: Provenance | None, names: Collection[str]) -> Provenance | None:
    """Without the measures of quantities that do not occur in the claim."""
    if not scenario or "measures" not in scenario:
        return scenario or None
    measures = {name: how for name, how in scenario["measures"].items() if name in names}
    return {**scenario, "measures": measures}


def _ratio(left: sympy.Expr, right: sympy.Expr) -> sympy.Expr:
    if right == 0:
        return sympy.S.One if left == 0 else sympy.oo
    return left / right


def _tighter(claim: Claim, ratio: sympy.Expr, best: sympy.Expr) -> bool:
    """Closer to violating the statement; floats suffice, as this only chooses what to show."""
    if ratio in (sympy.oo, -sympy.oo):
        return False
    return (
        bool(sympy.N(ratio) < sympy.N(best))
        if isinstance(claim.statement, LowerBound)
        else bool(sympy.N(ratio) > sympy.N(best))
    )
