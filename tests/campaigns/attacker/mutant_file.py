"""Planted falsehoods and the file that records them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy

from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Method, Verdict
from fltheory.core.errors import InvalidInput
from fltheory.core.expressions import from_lists, to_lists
from fltheory.papers import find_claim
from tests.campaigns.attacker.held_out import HELD_OUT
from tests.campaigns.attacker.operators import OPERATORS, Altered, Operator

MOST_SITES = 12
"""How many places one operator is tried at in one claim."""


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
