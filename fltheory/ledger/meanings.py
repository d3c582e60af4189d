"""The meaning of every claim: declared by its paper in COUNTEREXAMPLES, or that of a claim of one's
own; and as data, for the standalone replayer."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict, cast

import sympy

from fltheory.claims.claim import Claim, Order
from fltheory.claims.condition import Condition
from fltheory.claims.hypotheses import AveragingIs, LossesAre, ParticipationIs, StepSizeIs
from fltheory.claims.meaning import ALL, Meaning, own_meaning
from fltheory.claims.measures_of_clients import parsed
from fltheory.claims.record import house_folder
from fltheory.core.durable import locked, replace_text
from fltheory.core.errors import InvalidInput
from fltheory.core.expressions import to_lists
from fltheory.core.types import JsonValue
from fltheory.core.untrusted_io import bounded_text, parse_json
from fltheory.ledger.counterexamples import statement_of
from fltheory.ledger.customs import customs_of
from fltheory.papers import all_claims, papers
from fltheory.papers.library import entries_of

MAX_BYTES = 1 << 24

NOTHING = Meaning(())
"""Nothing is known: only the checks and search spaces of the paper give the symbols."""


def meaning_of(claim: Claim) -> Meaning:
    """What a counterexample to the claim is made of.

    >>> from fltheory.papers import find_claim
    >>> meaning_of(find_claim("fedlaavg.thm1.fixed")).methods
    ('fedavg',)
    """
    key = claim.source.paper.key
    if key not in papers() or claim.source.paper != papers()[key]:
        return own_meaning(claim)
    for meaning in entries_of(key, "COUNTEREXAMPLES"):
        if not isinstance(meaning, Meaning):
            raise InvalidInput(f"COUNTEREXAMPLES of {key}", "hold meanings", repr(meaning)[:60])
        if meaning.names(claim.id):
            return meaning
    return Meaning((claim.id,), methods=claim.about) if claim.about else NOTHING


class ClaimEntry(TypedDict):
    """A claim as the standalone replayer needs it; everything that gives a file its meaning."""

    claim: str
    says: str
    statement: JsonValue
    kinds: dict[str, list[str]]
    methods: list[str]
    measures: dict[str, str]
    requires: list[str]
    free: list[str]
    origins: list[str]
    conditions: list[list[JsonValue]]
    assumes: list[str]
    hypotheses: list[list[JsonValue]]
    customs: list[str]
    over_clients: dict[str, list[JsonValue]]


def entry(claim: Claim) -> ClaimEntry | None:
    """The meaning of a claim as data; None if only the package gives all its symbols."""
    meaning = meaning_of(claim)
    names = sorted(symbol.name for symbol in claim.symbols)
    measures = {n: how for n in names if (how := meaning.quantity(n)) is not None}
    on_runs = bool(meaning.methods) and set(names) <= {*measures, *meaning.free}
    if not (meaning.free == ALL or on_runs or meaning.origins):
        return None
    stated = [a for a in claim.assumes if a.stated]
    formulas = [a.holds for a in stated if isinstance(a.holds, Condition)]
    named = [found for a in stated if (found := _hypothesis(a.holds)) is not None]
    used = {s.name for s in claim.symbols.union(*(c.symbols for c in formulas))}
    used |= {name for _, parts in named for name in _symbols(parts)}
    return {
        "claim": claim.id,
        "says": claim.says,
        "statement": cast(JsonValue, statement_of(claim)),
        "kinds": {s.name: _kinds(s) for s in sorted(claim.symbols, key=lambda s: s.name)},
        "methods": list(meaning.methods),
        "measures": measures if on_runs else {},
        "requires": list(meaning.requires),
        "free": list(meaning.free),
        "origins": list(meaning.origins),
        "conditions": [[to_lists(c.left), c.sign, to_lists(c.right)] for c in formulas],
        "assumes": [
            a.id
            for a in stated
            if not isinstance(a.holds, Condition) and _hypothesis(a.holds) is None
        ],
        "hypotheses": [[name, parts] for name, parts in named],
        "customs": list(customs_of(claim)),
        "over_clients": {
            name: [found[0], to_lists(found[1])]
            for name in sorted({*used, *measures.values()})
            if (found := parsed(name)) is not None
        },
    }


def _hypothesis(holds: object) -> tuple[str, JsonValue] | None:
    """A hypothesis that is no formula, as data: its kind, and a name or a formula by rounds."""
    if isinstance(holds, ParticipationIs | LossesAre):
        return "participation" if isinstance(holds, ParticipationIs) else "losses", holds.kind
    if isinstance(holds, StepSizeIs | AveragingIs):
        kind = "step_size" if isinstance(holds, StepSizeIs) else "averaging"
        return kind, to_lists(holds.formula)
    return None


def _symbols(node: JsonValue) -> set[str]:
    """The names of the symbols in a formula that is written as lists."""
    if isinstance(node, dict):
        return {str(node.get("symbol"))}
    return set().union(*map(_symbols, node[1:])) if isinstance(node, list) else set()


def derived_alone(claim: Claim, origin: str) -> bool:
    """Can the standalone replayer derive the values of a counterexample with such an origin, "run"
    for a run? An order with an exponential is too small for its 60 digits along a path."""
    found = entry(claim)
    underflows = isinstance(claim.statement, Order) and claim.statement.right.has(sympy.exp)
    return not (found is None or underflows) and (
        found["free"] == list(ALL)
        or origin in found["origins"]
        or (origin == "run" and bool(found["methods"]))
    )


def _kinds(symbol: sympy.Symbol) -> list[str]:
    known = {
        "integer": symbol.is_integer,
        "positive": symbol.is_positive,
        "nonnegative": symbol.is_nonnegative and not symbol.is_positive,
    }
    return [name for name, holds in known.items() if holds]


def exported(claims: Iterable[Claim]) -> str:
    """The content of claims.jsonl: one line for each claim that the standalone replayer can
    derive."""
    lines = [json.dumps(found, ensure_ascii=False) for c in claims if (found := entry(c))]
    return "".join(f"{line}\n" for line in sorted(lines))


def claim_of(line: str) -> str:
    """The claim that a line of claims.jsonl or statements.jsonl is about."""
    data = parse_json(line, "line of claims")
    if not isinstance(data, dict) or not isinstance(data.get("claim"), str):
        raise InvalidInput("line of claims", "name its claim", line[:60])
    return str(data["claim"])


def add_meaning(path: Path, fresh: ClaimEntry) -> None:
    """Put one claim into a claims.jsonl, in place of its old line."""
    with locked(path):
        text = bounded_text(path, MAX_BYTES) if path.exists() else ""
        known = {claim_of(line): line for line in text.splitlines()}
        known[fresh["claim"]] = json.dumps(fresh)
        replace_text(path, "".join(f"{known[name]}\n" for name in sorted(known)), make_folder=True)


def claims_file() -> Path:
    """Where the meaning of the claims of this package stands for the standalone replayer."""
    return house_folder() / "claims.jsonl"


def record_meanings() -> None:
    """Write claims.jsonl anew, for the papers whose record is that of this package."""
    own = [c for c in all_claims().values() if c.source.paper.record is None]
    text = exported(own)
    with locked(claims_file()):
        if not claims_file().exists() or claims_file().read_text(encoding="utf-8") != text:
            replace_text(claims_file(), text, make_folder=True)
