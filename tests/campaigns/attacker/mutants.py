"""Mutants: falsehoods planted in true claims, each known to be false by an instance that the
attacker never sees.

There are two lists. The spaces were completed after a look at the survivors of the first; the
held-out one, made by other operators, was written down before the attacker met it. The witness
comes from the checks of the ledger, which look at the claim's own two sides: an altered claim whose
check finds it REFUTED at values where the claim itself holds is false. Altered claims without a
witness may be true and are discarded.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import sympy

from fltheory.claims.checks.instances import violated
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.claim import Claim, Identity, Order, evaluate
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.core.enclosure import as_expression, compare
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.expressions import from_lists, to_lists
from fltheory.ledger import lines as ledger
from fltheory.ledger import runner
from fltheory.papers import all_claims, find_claim
from tests.campaigns.attacker.held_out import HELD_OUT
from tests.campaigns.attacker.operators import OPERATORS, Altered, Operator
from tests.campaigns.attacker.trespass import trespassing

OUTCOMES = frozenset(
    {
        "mean_squared_gradient",
        "mean_squared_end_gradient",
        "min_squared_gradient",
        "weighted_loss_gap",
    }
)
"""What only runs can give."""

TRUE = (Verdict.PROVED, Verdict.CERTIFIED, Verdict.SUPPORTED)
NOT_DRAWN = (Method.DATA, Method.MOMENTS, Method.STATISTICAL)
"""Evidence on printed tables, fitted exponents and samples: such claims speak of one data set, so
there is no region to search."""

SLOWEST_CHECK = 4.0
"""Seconds that a check may have taken in the ledger to be used for a witness."""

STRIDE = 7
"""How far the first operator moves from claim to claim; it has no factor in common with their
number."""

RARE = 20
"""Kinds of mutants with fewer than this are all kept."""

MOST_SITES = 12
"""How many places one operator is tried at in one claim."""

MOST_TRIES, MOST_ORDERS = 60, 6
"""How many altered copies of one claim are shown to its checks, and of one order, whose limits take
long."""

_UNDECIDABLE = (InvalidInput, NotExact, ArithmeticError, TypeError, ValueError, NotImplementedError)
"""What a check may meet on an altered claim that means nothing: a symbol without a value, a root of
a negative number, a division by 0, a limit that sympy does not know."""


@dataclass(frozen=True)
class Mutant:
    """A false claim: what it was made from, by which operator, and in words why it is false."""

    id: str
    claim: Claim
    of: str
    operator: str
    why: str


@dataclass(frozen=True)
class Witness:
    """An instance at which the mutant fails and the claim it was made from holds; for an order a
    path: formulas in one growing symbol."""

    left: str
    right: str
    values: Mapping[str, sympy.Expr]
    where: str


def altered(claim: Claim, operator: Operator) -> Iterator[tuple[str, Altered]]:
    """The mutants that an operator makes of a claim, each under its id, none equal to the claim or
    to an earlier one."""
    seen = {_key(claim)}
    for count, (changed, what) in enumerate(operator.alter(claim)):
        if count >= MOST_SITES:
            return
        if _key(changed) not in seen:
            seen.add(_key(changed))
            yield f"{claim.id}~{operator.name}~{count}", (changed, what)


def _key(claim: Claim) -> Any:
    return (
        type(claim.statement),
        claim.statement.left,
        claim.statement.right,
        tuple(a.id for a in claim.assumes),
    )


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


def mutants_file(*, held_out: bool = False) -> Path:
    """Where the list of mutants is kept, or the held-out one."""
    return Path(__file__).parent / ("mutants-held-out.jsonl" if held_out else "mutants.jsonl")


def to_json(mutant: Mutant, shown: Witness) -> dict[str, Any]:
    """One line of the list."""
    statement = mutant.claim.statement
    return {
        "id": mutant.id,
        "of": mutant.of,
        "operator": mutant.operator,
        "why": mutant.why,
        "statement": f"{statement.left} {statement.sign} {statement.right}",
        "witness": {
            "left": shown.left,
            "right": shown.right,
            "where": shown.where,
            "values": {name: to_lists(value) for name, value in shown.values.items()},
        },
    }


def record(found: Iterable[tuple[Mutant, Witness]], path: Path) -> None:
    """Write the list, sorted by id."""
    texts = sorted(
        json.dumps(to_json(mutant, shown), ensure_ascii=False) for mutant, shown in found
    )
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")


def read(
    path: Path, wanted: Callable[[str, str], bool] = lambda mutant, claim: True
) -> list[tuple[Mutant, Witness]]:
    """The mutants of the list (those whose own id and claim's id are wanted), planted anew; what is
    not as recorded is refused."""
    listed = []
    for number, text in enumerate(
        path.read_text(encoding="utf-8").rstrip("\n").split("\n"), start=1
    ):
        try:
            data = json.loads(text)
            if not wanted(data["id"], data["of"]):
                continue
            mutant = find_mutant(data["id"])
            told, shown = data["statement"], data["witness"]
            values = {str(name): from_lists(value) for name, value in shown["values"].items()}
            listed.append((mutant, Witness(shown["left"], shown["right"], values, shown["where"])))
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            if isinstance(problem, InvalidInput):
                raise
            raise InvalidInput(f"line {number} of {path.name}", "be a mutant", text[:60]) from None
        statement = mutant.claim.statement
        if told != f"{statement.left} {statement.sign} {statement.right}":
            raise InvalidInput(
                f"mutant {mutant.id}", "be planted as recorded (record the list again)", told[:80]
            )
    return listed


def find_mutant(name: str) -> Mutant:
    """The mutant of that id: CLAIM~OPERATOR~PLACE."""
    claim_id, _, rest = name.partition("~")
    claim = find_claim(claim_id)
    for operator in (*OPERATORS, *HELD_OUT):
        if operator.name == rest.rpartition("~")[0]:
            for known, (changed, what) in altered(claim, operator):
                if known == name:
                    return Mutant(name, changed, claim.id, operator.name, what)
    raise InvalidInput("mutant", "be an id such as mifa.TS~scaled~0", repr(name[:80]))
