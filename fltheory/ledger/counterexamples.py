"""Counterexample files: an instance at which a claim fails, and where its values come from.

The format is plain JSON: exact numbers are text, formulas are nested lists
(fltheory.core.expressions), runs are scenarios. A file gives an instance and nothing else: what its
values mean follows from the claim (fltheory.claims.meaning), and a replay (fltheory.ledger.replays)
computes them again. Texts in a file are for readers and decide nothing.
"""

from pathlib import Path
from typing import NotRequired, TypedDict, cast

from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Provenance
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import as_expression
from fltheory.core.errors import InvalidInput
from fltheory.core.expressions import MAX_BITS, bits, to_lists
from fltheory.core.types import Json, JsonValue, Scalar
from fltheory.core.untrusted_io import bounded_json
from fltheory.ledger.origins import CHECK

FORMAT = "fltheory counterexample 1"
MAX_BYTES = 1_000_000
MAX_DIGITS = 18
"""Maximum digits of a whole number in a file; exact numbers are text."""

FIELDS: dict[str, tuple[type, ...]] = {
    "format": (str,),
    "claim": (str,),
    "says": (str,),
    "statement": (dict,),
    "values": (dict,),
    "left": (str,),
    "right": (str,),
    "found": (str,),
    "run": (dict, type(None)),
    "measures": (dict,),
    "origin": (dict, type(None)),
}
"""Every field of a file and what it may hold; there is no other."""

NEEDED = ("format", "claim", "statement", "values", "measures")


class StatementFile(TypedDict):
    """A statement in a file: both sides as nested lists."""

    left: JsonValue
    sign: str
    right: JsonValue


class CounterexampleFile(TypedDict):
    """The content of a counterexample file."""

    format: str
    claim: str
    says: NotRequired[str]
    statement: StatementFile
    values: Json
    left: NotRequired[str]
    right: NotRequired[str]
    found: NotRequired[str]
    run: NotRequired[Json | None]
    measures: dict[str, str]
    origin: NotRequired[Json | None]


def to_file(claim: Claim, evidence: Evidence, *, by_check: bool = False) -> CounterexampleFile:
    """The content of a counterexample file; with `by_check`, the claim's check is the origin of
    values that have no other."""
    example = evidence.counterexample
    if example is None:
        raise InvalidInput(
            f"evidence on {claim.id}", "hold a counterexample", evidence.verdict.name
        )
    origin: Provenance = example.scenario or {}
    return {
        "format": FORMAT,
        "claim": claim.id,
        "says": claim.says,
        "statement": statement_of(claim),
        "values": {
            name: to_lists(as_expression(value)) for name, value in sorted(example.values.items())
        },
        "left": example.left,
        "right": example.right,
        "found": evidence.scenario,
        "run": origin.get("run"),
        "measures": origin.get("measures", {}),
        "origin": (
            origin.get("origin") or (CHECK if by_check and origin.get("run") is None else None)
        ),
    }


def read_file(path: Path) -> CounterexampleFile:
    """Read a counterexample file within limits on size, nesting and digits; its fields are
    checked."""
    return checked_file(bounded_json(path, MAX_BYTES, digits=MAX_DIGITS), path.name)


def checked_file(data: object, name: str = "the file") -> CounterexampleFile:
    """A counterexample file with every field of the right type and no field that is unknown."""
    if not isinstance(data, dict):
        raise InvalidInput(f"file {name}", "hold a JSON object", type(data).__name__)
    unknown = sorted(set(data) - set(FIELDS))
    if unknown:
        rule = f"be among {', '.join(FIELDS)}"
        raise InvalidInput(f"fields of {name}", rule, repr(unknown)[:60])
    for field, kinds in FIELDS.items():
        if (field in data or field in NEEDED) and not isinstance(data.get(field), kinds):
            rule = f"be a {kinds[0].__name__}"
            raise InvalidInput(f"field {field!r} of {name}", rule, repr(data.get(field))[:60])
    if data["format"] != FORMAT:
        raise InvalidInput(f"format of {name}", f"be {FORMAT!r}", repr(data["format"])[:60])
    if data.get("run") is not None and data.get("origin") is not None:
        raise InvalidInput(f"file {name}", "have a run or an origin", "both")
    if wrong := [how for how in data["measures"].values() if not isinstance(how, str)]:
        raise InvalidInput(f"measures of {name}", "be text", repr(wrong[0])[:60])
    return cast(CounterexampleFile, data)


def unmet_in(path: Path, claim: Claim) -> list[str]:
    """Ids of the claim's assumptions that the run of a counterexample does not meet; those that the
    paper states hold, so these are the ones that are missing in it."""
    run = read_file(path).get("run")
    return [] if run is None else unmet(claim, Scenario.from_json(run))


def statement_of(claim: Claim) -> StatementFile:
    """The statement of a claim as a file has it."""
    return {
        "left": to_lists(claim.statement.left),
        "sign": claim.statement.sign,
        "right": to_lists(claim.statement.right),
    }


class NotConfirmed(Exception):
    """The file is not an instance of the claim, or its values are not those computed again."""


class NotCheckable(Exception):
    """Nothing derives the meaning of the values from the claim."""


def short(value: Scalar | str | None) -> str:
    """A value in at most 80 characters."""
    if not isinstance(value, str | None) and (size := bits(as_expression(value))) > MAX_BITS:
        return f"a number of {size} bits"
    text = str(value)
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"
