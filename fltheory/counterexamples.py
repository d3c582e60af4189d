"""Counterexample files: a claim's two sides, the values at which they contradict it, and the run those come from.

The format is plain JSON: exact numbers are text, formulas are nested lists (fltheory.expressions), runs are scenarios.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy

from fltheory.checks.bound_on_run import unmet
from fltheory.checks.instances import violated
from fltheory.claims import Claim, Order, evaluate
from fltheory.enclosure import Comparison, as_expression, compare
from fltheory.errors import InvalidInput
from fltheory.evidence import Evidence
from fltheory.expressions import from_lists, to_lists
from fltheory.measures import measure
from fltheory.scenario import Scenario

FORMAT = "fltheory counterexample 1"
MAX_BYTES = 2_000_000
MAX_NESTING = 100


@dataclass(frozen=True)
class Replay:
    """What a replay found: does the file still contradict the claim, and what was done to see it."""

    claim: str
    confirmed: bool
    steps: tuple[str, ...]


def to_file(claim: Claim, evidence: Evidence) -> dict[str, Any]:
    """The content of a counterexample file."""
    example = evidence.counterexample
    if example is None:
        raise InvalidInput(f"evidence on {claim.id}", "hold a counterexample", evidence.verdict.name)
    origin = example.scenario or {}
    return {
        "format": FORMAT,
        "claim": claim.id,
        "says": claim.says,
        "statement": {"left": to_lists(claim.statement.left), "sign": claim.statement.sign, "right": to_lists(claim.statement.right)},
        "values": {name: to_lists(as_expression(value)) for name, value in example.values.items()},
        "left": example.left,
        "right": example.right,
        "found": evidence.scenario,
        "run": origin.get("run"),
        "measures": origin.get("measures", {}),
    }


def read_file(path: Path) -> dict[str, Any]:
    """The JSON object in a file, of bounded size and nesting, with the fields of a counterexample."""
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise InvalidInput(f"file {path.name}", f"have at most {MAX_BYTES} bytes", size)
    try:
        data = json.loads(path.read_text(encoding="utf-8"), parse_int=_small_integer)
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise InvalidInput(f"file {path.name}", "be JSON text", "something else") from None
    if not isinstance(data, dict):
        raise InvalidInput(f"file {path.name}", "hold a JSON object", type(data).__name__)
    _check_nesting(data, 0)
    kinds = {"format": str, "claim": str, "statement": dict, "values": dict, "measures": dict}
    for name, kind in kinds.items():
        if not isinstance(data.get(name), kind):
            raise InvalidInput(f"field {name!r} of {path.name}", f"be a {kind.__name__}", repr(data.get(name))[:60])
    if data["format"] != FORMAT:
        raise InvalidInput(f"format of {path.name}", f"be {FORMAT!r}", repr(data["format"])[:60])
    return data


def _small_integer(text: str) -> int:
    if len(text) > 18:
        raise ValueError("integers of a counterexample are small; exact numbers are text")
    return int(text)


def _check_nesting(node: Any, depth: int) -> None:
    if depth > MAX_NESTING:
        raise InvalidInput("counterexample", f"be nested at most {MAX_NESTING} deep", "a deeper one")
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _check_nesting(child, depth + 1)


def replay(data: Mapping[str, Any], claim: Claim) -> Replay:
    """Check a counterexample against its claim: same statement, values re-measured, hypotheses met, both sides compared exactly."""
    steps: list[str] = []
    statement = {"left": to_lists(claim.statement.left), "sign": claim.statement.sign, "right": to_lists(claim.statement.right)}
    if data["statement"] != statement:
        return Replay(claim.id, False, ("the statement in the file is not the claim's",))
    if isinstance(claim.statement, Order):
        raise InvalidInput(f"counterexample to {claim.id}", "not be an order, which only a whole path refutes", "an order")
    values = {str(name): from_lists(value) for name, value in data["values"].items()}
    if data.get("run") is not None:
        trouble = _remeasured(data, claim, values, steps)
        if trouble:
            return Replay(claim.id, False, (*steps, trouble))
    left, right = evaluate(claim.statement.left, values), evaluate(claim.statement.right, values)
    comparison = compare(left, right)
    steps.append(f"left = {_short(left)}, right = {_short(right)}: {comparison.value}; the claim says left {claim.statement.sign} right")
    return Replay(claim.id, violated(claim, comparison), tuple(steps))


def _remeasured(data: Mapping[str, Any], claim: Claim, values: Mapping[str, sympy.Expr], steps: list[str]) -> str:
    """Run the scenario again and compare what it gives with the values in the file; a sentence if something is wrong."""
    scenario = Scenario.from_json(data["run"])
    failing = unmet(claim, scenario, stated_only=True)
    if failing:
        return f"printed assumptions not met: {', '.join(failing)}"
    measures = {str(k): str(v) for k, v in data["measures"].items()}
    again = measure(scenario, set(measures.values()))
    for name, how in measures.items():
        if name not in values or compare(as_expression(again[how]), values[name]) is not Comparison.EQUAL:
            return f"the run gives {name} = {_short(again[how])}, the file {_short(values.get(name))}"
    steps.append(f"ran {scenario.algorithm} for {scenario.trace.num_rounds} rounds with {scenario.trace.num_clients} clients; "
                 f"{', '.join(sorted(measures))} as in the file")
    return ""


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"
