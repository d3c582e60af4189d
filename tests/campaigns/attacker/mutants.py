"""Mutants: falsehoods planted in true claims, each known to be false by an instance that the
attacker never sees.

There are two lists. The spaces were completed after a look at the survivors of the first; the
held-out one, made by other operators, was written down before the attacker met it. The witness
comes from the checks of the ledger, which look at the claim's own two sides: an altered claim whose
check finds it REFUTED at values where the claim itself holds is false. Altered claims without a
witness may be true and are discarded.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import sympy

from fltheory.claims.checks.instances import violated
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.claim import Claim, Identity, Order, evaluate
from fltheory.claims.evidence import Evidence, Verdict
from fltheory.core.enclosure import as_expression, compare
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.ledger import lines as ledger
from fltheory.ledger import runner
from fltheory.papers import all_claims
from tests.campaigns.attacker.held_out import HELD_OUT
from tests.campaigns.attacker.mutant_file import (
    NOT_DRAWN,
    OUTCOMES,
    TRUE,
    Mutant,
    Witness,
    _key,
    altered,
)
from tests.campaigns.attacker.operators import OPERATORS, Operator
from tests.campaigns.attacker.trespass import trespassing

SLOWEST_CHECK = 4.0
"""Seconds that a check may have taken in the ledger to be used for a witness."""

STRIDE = 7
"""How far the first operator moves from claim to claim; it has no factor in common with their
number."""

RARE = 20
"""Kinds of mutants with fewer than this are all kept."""


MOST_TRIES, MOST_ORDERS = 60, 6
"""How many altered copies of one claim are shown to its checks, and of one order, whose limits take
long."""

_UNDECIDABLE = (InvalidInput, NotExact, ArithmeticError, TypeError, ValueError, NotImplementedError)
"""What a check may meet on an altered claim that means nothing: a symbol without a value, a root of
a negative number, a division by 0, a limit that sympy does not know."""


def true_claims() -> list[Claim]:
    """Claims that the ledger holds to be true and that speak of more than one data set."""
    lines = runner.recorded()
    told = ledger.verdicts(lines)
    fixed = {line.evidence.claim for line in lines if line.evidence.method in NOT_DRAWN}
    return [
        claim
        for claim in all_claims().values()
        if told.get(claim.id) in TRUE and claim.id not in fixed
    ]


@cache
def _quick_tasks() -> dict[str, list[runner.CheckTask]]:
    seconds: dict[str, float] = {}
    for line in runner.recorded():
        seconds[line.evidence.claim] = max(seconds.get(line.evidence.claim, 0.0), line.seconds)
    found: dict[str, list[runner.CheckTask]] = {}
    for task in runner.all_tasks():
        if not task.slow and seconds.get(task.claim, 0.0) <= SLOWEST_CHECK:
            found.setdefault(task.claim, []).append(task)
    return found


def witness(original: Claim, changed: Claim) -> Witness | None:
    """An instance that shows the altered claim to be false while the claim itself holds there (or,
    having kept a condition that the altered one lost, does not speak of it); None if the checks
    give none."""
    if isinstance(changed.statement, Order) and OUTCOMES & {
        s.name for s in original.statement.left.free_symbols
    }:
        # the checks put a bound in the place of the outcome, and a bound that grows shows nothing
        return None
    for evidence in _refutations(original, changed):
        example = evidence.counterexample
        if example is None:
            continue
        if isinstance(changed.statement, Order):
            return _path(original, changed, example.values, evidence.scenario)
        try:
            values = {name: as_expression(value) for name, value in example.values.items()}
            told_apart = changed.statement == original.statement or not fails(original, values)
            if fails(changed, values) and told_apart and _in_domain(original, values):
                return Witness(example.left, example.right, values, evidence.scenario)
        except _UNDECIDABLE:
            continue
    return None


def _path(
    original: Claim, changed: Claim, formulas: Mapping[str, Any], where: str
) -> Witness | None:
    """The path along which the altered order has no constant, if the order itself has one there."""
    values = {name: as_expression(formula) for name, formula in formulas.items()}
    try:
        if not fails(changed, values) or fails(original, values):
            return None
    except _UNDECIDABLE:
        return None
    return Witness("left/right", "grows without bound", values, where)


def _refutations(original: Claim, changed: Claim) -> Iterator[Evidence]:
    """What the ledger's own checks say of the altered claim; where a condition was removed, also
    plain runs that break just that one."""
    for task in _quick_tasks().get(original.id, ()):
        try:
            evidence = task.check().decide(changed)
        except _UNDECIDABLE:
            continue
        if evidence.verdict is Verdict.REFUTED:
            yield evidence
    if len(changed.assumes) < len(original.assumes):
        yield from trespassing(changed)


def fails(claim: Claim, values: Mapping[str, Any]) -> bool:
    """Is the claim contradicted at these values; an order, along this path of formulas in one
    growing symbol?"""
    if isinstance(claim.statement, Order):
        along = {name: as_expression(value) for name, value in values.items()}
        growing = sorted(
            {found for value in along.values() for found in value.free_symbols}, key=str
        )
        if len(growing) != 1:
            raise InvalidInput(f"path for {claim.id}", "have one growing symbol", growing)
        scale = sympy.Symbol(growing[0].name, positive=True)
        derived = {name: value.xreplace({growing[0]: scale}) for name, value in along.items()}
        return (
            check_order_limit(claim, derived=derived, variable=scale, covers="").verdict
            is Verdict.REFUTED
        )
    return violated(
        claim,
        compare(evaluate(claim.statement.left, values), evaluate(claim.statement.right, values)),
    )


def _in_domain(claim: Claim, values: Mapping[str, sympy.Expr]) -> bool:
    """Are all values such as their symbols may take; a chance at most 1? (Samples of a symbolic
    check may lie outside.)"""
    for found in claim.symbols:
        value = values[found.name]
        if (found.is_positive and not value > 0) or (found.is_nonnegative and not value >= 0):
            return False
        if found.is_integer and not value.is_integer:
            return False
        if (
            any(word in found.name for word in ("chance", "probability", "share"))
            and "inverse" not in found.name
            and value > 1
        ):
            return False
    return True


def plant(
    claim: Claim, *, first: int, most: int, operators: Sequence[Operator] = OPERATORS
) -> list[tuple[Mutant, Witness]]:
    """Up to `most` mutants of a claim, by different operators, beginning with the operator numbered
    `first`."""
    found = []
    known = (
        set()
        if operators is OPERATORS
        else {_key(changed) for operator in OPERATORS for changed, _ in operator.alter(claim)}
    )
    tries = MOST_ORDERS if isinstance(claim.statement, Order) else MOST_TRIES
    for shift in range(len(operators)):
        operator = operators[(first + shift) % len(operators)]
        for name, (changed, what) in altered(claim, operator):
            if _key(changed) in known or not tries:
                continue
            tries -= 1
            shown = witness(claim, changed)
            if shown is not None:
                found.append((Mutant(name, changed, claim.id, operator.name, what), shown))
                break
        if len(found) == most:
            break
    return found


def plant_all(
    claims: Iterable[Claim], tell: Callable[[str, int], None] = lambda claim, found: None
) -> list[tuple[Mutant, Witness]]:
    """Mutants of many claims: operators take turns; claims about runs lose their conditions first.
    Few of each kind are kept."""
    found: list[tuple[Mutant, Witness]] = []
    for index, claim in enumerate(claims):
        planted = (
            plant(claim, first=0, most=4)
            if claim.about
            else plant(claim, first=STRIDE * index % len(OPERATORS), most=2)
        )
        tell(claim.id, len(planted))
        found.extend(planted)
    return chosen(found)


def plant_held_out(
    claims: Iterable[Claim], tell: Callable[[str, int], None] = lambda claim, found: None
) -> list[tuple[Mutant, Witness]]:
    """The second set: none of its mutants can be made by an operator of the first; two of every
    inequality, one of every identity."""
    found: list[tuple[Mutant, Witness]] = []
    for claim in claims:
        first = 0 if claim.about else sum(map(ord, claim.id)) % len(HELD_OUT)
        planted = plant(
            claim,
            first=first,
            most=1 if isinstance(claim.statement, Identity) else 2,
            operators=HELD_OUT,
        )
        tell(claim.id, len(planted))
        found.extend(planted)
    return found


def chosen(found: Iterable[tuple[Mutant, Witness]]) -> list[tuple[Mutant, Witness]]:
    """All mutants of a rare kind, and at least one of every claim, of its rarest kind."""
    listed = list(found)
    counts = Counter(mutant.operator for mutant, _ in listed)
    kept, seen = [], set()
    for mutant, shown in sorted(listed, key=lambda pair: (counts[pair[0].operator], pair[0].id)):
        if counts[mutant.operator] < RARE or mutant.of not in seen:
            kept.append((mutant, shown))
            seen.add(mutant.of)
    return kept
