"""Counterexample files: both sides of a claim, values at which they contradict it, and where the
values come from.

The format is plain JSON: exact numbers are text, formulas are nested lists
(fltheory.core.expressions), runs are scenarios. A file has a run on which the values are measured,
or an origin from which fltheory.ledger.origins computes them again; without both the values are
trusted.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, TypedDict, cast

import sympy

from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.checks.instances import violated
from fltheory.claims.checks.sweep import NOTHING, check_order_limit
from fltheory.claims.claim import Claim, Order, evaluate
from fltheory.claims.condition import Condition
from fltheory.claims.evidence import Evidence, Provenance, Verdict
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import Comparison, as_expression, compare
from fltheory.core.errors import InvalidInput
from fltheory.core.expressions import MAX_BITS, bits, from_lists, to_lists
from fltheory.core.results import Table, as_html, as_text
from fltheory.core.types import Json, JsonValue, Scalar, Values
from fltheory.core.untrusted_io import bounded_json
from fltheory.ledger.origins import CHECK, recompute, refutation

FORMAT = "fltheory counterexample 1"
MAX_BYTES = 2_000_000
MAX_DIGITS = 18
"""Maximum digits of a whole number in a file; exact numbers are text."""


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


@dataclass(frozen=True, repr=False)
class Replay:
    """The outcome of a replay: whether the file contradicts the claim, and the steps taken."""

    claim: str
    confirmed: bool
    steps: tuple[str, ...]

    def to_dict(self) -> Json:
        return {"claim": self.claim, "confirmed": self.confirmed, "steps": list(self.steps)}

    def tables(self) -> list[Table]:
        outcome = "confirmed: the claim is contradicted" if self.confirmed else "not confirmed"
        return [Table(f"{self.claim}: {outcome}", (), [(step,) for step in self.steps])]

    __repr__ = as_text
    _repr_html_ = as_html


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
        "statement": _statement(claim),
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
    """Read a counterexample file within limits on size and nesting; its fields are checked."""
    data = bounded_json(path, MAX_BYTES, digits=MAX_DIGITS)
    if not isinstance(data, dict):
        raise InvalidInput(f"file {path.name}", "hold a JSON object", type(data).__name__)
    kinds = {"format": str, "claim": str, "statement": dict, "values": dict, "measures": dict}
    for name, kind in kinds.items():
        if not isinstance(data.get(name), kind):
            raise InvalidInput(
                f"field {name!r} of {path.name}", f"be a {kind.__name__}", repr(data.get(name))[:60]
            )
    if data["format"] != FORMAT:
        raise InvalidInput(f"format of {path.name}", f"be {FORMAT!r}", repr(data["format"])[:60])
    return cast(CounterexampleFile, data)


def replay(data: CounterexampleFile, claim: Claim) -> Replay:
    """Check a counterexample against its claim: the statement is the same, the values are computed
    again, the hypotheses are met, and both sides are compared exactly."""
    steps: list[str] = []
    if data["statement"] != _statement(claim):
        return Replay(claim.id, False, ("the statement in the file is not the claim's",))
    if isinstance(claim.statement, Order):
        return _along_path(data, claim)
    values = {str(name): from_lists(value) for name, value in data["values"].items()}
    again, trouble = _computed_again(data, claim, steps)
    if data.get("run") is None and not trouble:
        failing = [
            a.says
            for a in claim.assumes
            if isinstance(a.holds, Condition) and a.stated and a.holds(values) is not True
        ]
        trouble = f"printed assumptions not met: {', '.join(failing)}" if failing else ""
    if trouble:
        return Replay(claim.id, False, (*steps, trouble))
    for name, value in again.items():
        if (
            name not in values
            or compare(as_expression(value), values[name]) is not Comparison.EQUAL
        ):
            wrong = (
                f"computed again, {name} = {_short(value)}; the file has {_short(values.get(name))}"
            )
            return Replay(claim.id, False, (*steps, wrong))
    trusted = sorted(set(values) - set(again))
    steps += [f"computed again, as in the file: {', '.join(sorted(again))}"] if again else []
    steps += [f"taken from the file: {', '.join(trusted)}"] if trusted else []
    left, right = evaluate(claim.statement.left, values), evaluate(claim.statement.right, values)
    comparison = compare(left, right)
    steps.append(
        f"left = {_short(left)}, right = {_short(right)}: {comparison.value}; the claim says left"
        f" {claim.statement.sign} right"
    )
    return Replay(claim.id, violated(claim, comparison), tuple(steps))


def _statement(claim: Claim) -> StatementFile:
    return {
        "left": to_lists(claim.statement.left),
        "sign": claim.statement.sign,
        "right": to_lists(claim.statement.right),
    }


def _along_path(data: CounterexampleFile, claim: Claim) -> Replay:
    """Check a path that refutes an order.

    The path of the file must be the one that its origin gives (the claim's checks, or a draw, run
    again; without an origin it must meet the claim's conditions), and left/right must have an
    infinite limit along it.
    """
    origin = data.get("origin")
    path: Values = {str(name): from_lists(value) for name, value in data["values"].items()}
    if origin is not None:
        check = refutation(claim) if origin == CHECK else None
        path = recompute(origin, claim) if check is None else check.values
        same = {
            name: to_lists(as_expression(path[name])) for name in path if name in data["values"]
        } == data["values"]
        if not same or (
            check is not None and (check.left, check.right) != (data.get("left"), data.get("right"))
        ):
            return Replay(claim.id, False, ("the path, computed again, is not that of the file",))
        if check is not None:  # decided by the limit that the check takes
            return Replay(
                claim.id,
                True,
                (
                    (
                        f"{_short(check.left)} {check.right}, computed again; the path is that of"
                        " the file"
                    ),
                ),
            )
    elif failing := [
        a.says
        for a in claim.assumes
        if isinstance(a.holds, Condition) and a.stated and a.holds.along(path) is not True
    ]:
        return Replay(claim.id, False, (f"printed assumptions not met: {', '.join(failing)}",))
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
        return Replay(
            claim.id, False, ("left/right is not seen to grow without bound along the path",)
        )
    where = "taken from the file" if origin is None else "computed again, as in the file"
    seen = (
        f"left/right = {_short(found.left)} grows without bound"
        if found.right != NOTHING
        else f"left = {_short(found.left)}, right = 0"
    )
    return Replay(claim.id, True, (f"the path: {where}", f"{seen} along it"))


def unmet_in(path: Path, claim: Claim) -> list[str]:
    """Ids of the claim's assumptions that the run of a counterexample does not meet; those that the
    paper states hold, so these are the ones that are missing in it."""
    run = read_file(path).get("run")
    return [] if run is None else unmet(claim, Scenario.from_json(run))


def _computed_again(
    data: CounterexampleFile, claim: Claim, steps: list[str]
) -> tuple[dict[str, Scalar | str], str]:
    """Values by name from the run or the origin of the file, and a sentence if something is
    wrong."""
    run = data.get("run")
    if run is not None:
        return _remeasured(data, run, claim, steps)
    origin = data.get("origin")
    if origin is None:
        return {}, ""
    if not isinstance(origin, dict):
        raise InvalidInput("origin of a counterexample", "be an object", repr(origin)[:60])
    found = recompute(origin, claim)
    steps.append(f"origin of kind {origin.get('kind')}")
    return {name: found[name] for name in data["values"] if name in found}, ""


def _remeasured(
    data: CounterexampleFile, run: Json, claim: Claim, steps: list[str]
) -> tuple[dict[str, Scalar | str], str]:
    """The parameters of the scenario and what is measured on its run, and a sentence if a printed
    hypothesis fails."""
    scenario = Scenario.from_json(run)
    failing = unmet(claim, scenario, stated_only=True)
    if failing:
        return {}, f"printed assumptions not met: {', '.join(failing)}"
    measures = {str(k): str(v) for k, v in data["measures"].items()}
    found = measure(scenario, set(measures.values()))
    steps.append(f"ran {scenario.says}")
    stated = [assumption.says for assumption in claim.assumes if assumption.stated]
    steps += [f"the printed assumptions hold on it: {'; '.join(stated)}"] if stated else []
    given = {name: value for name, value in scenario.parameters.items() if name in data["values"]}
    return given | {name: found[how] for name, how in measures.items()}, ""


def _short(value: Scalar | str | None) -> str:
    if not isinstance(value, str | None) and (size := bits(as_expression(value))) > MAX_BITS:
        return f"a number of {size} bits"
    text = str(value)
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"
