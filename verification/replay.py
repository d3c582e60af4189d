#!/usr/bin/env python3
"""Replay counterexamples with the standard library only: replay.py [--claims FILE] FILE...

A file gives an instance: a run, the data of an origin, or values of free symbols. What the claim
says, what its symbols measure and what it takes for granted stands in claims.jsonl. Runs are
repeated in exact fractions, and orders are followed along their path. Exit code: 0 if all are
confirmed, 1 if one is not, 2 if one is unusable or takes more than SECONDS, 3 if one is not
checkable here, because nothing derives its values from the claim.
"""

import signal
import sys
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_customs import broken, valued  # type: ignore[import-not-found]
from replay_formulas import decimal, formula, number
from replay_grammar import grammar  # type: ignore[import-not-found]
from replay_meaning import AT_MOST, CONDITIONS, KEPT, Run, claims, of_kind, places  # type: ignore[import-not-found]
from replay_measures import measured  # type: ignore[import-not-found]
from replay_orders import along_runs, along_symbols  # type: ignore[import-not-found]
from replay_orders import told as told_outcome
from replay_origins import KINDS  # type: ignore[import-not-found]
from replay_roots import exact  # type: ignore[import-not-found]
from replay_runs import ALGORITHMS
from strict_json import NotCheckable, parse  # type: ignore[import-not-found]

__all__ = ["ALGORITHMS", "main", "replay"]

SECONDS, LARGEST = 1.5, 1_000_000
UNUSABLE = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
    StopIteration,
)


class NotConfirmed(Exception):
    """The file is no instance of its claim, or its values are not those computed again."""


def require(true, reason):
    if not true:
        raise NotConfirmed(reason)


def on_run(claim, data, values):
    """The values that the run gives; every condition of the claim is checked on it."""
    spec, free = data["run"], claim["free"]
    require(spec["algorithm"] in claim["methods"], "the claim is about other methods")
    given = {n: number(x) for n, x in spec["parameters"].items() if n in free}
    wanted = set(values) - set(free)
    if not claim["methods"] or wanted - set(claim["measures"]):
        raise NotCheckable("no quantity of a run is known for some symbols of the claim")
    one = {**spec, "parameters": {n: str(x) for n, x in given.items()}}
    measure = measured(one, claim)
    view = Run(one, measure, given)
    kept = broken(claim, one, valued(measure, given))
    require(kept is None, kept)
    for name in (*claim["requires"], *claim["assumes"]):
        if name not in CONDITIONS:
            raise NotCheckable(f"the condition {name} is not known here")
        require(CONDITIONS[name](view), f"the condition {name} is not met")
    told = data["measures"]
    fitting = [
        here for here in places(claim, spec) if all(here.get(n, h) == h for n, h in told.items())
    ]
    require(fitting, "the file measures other quantities than the claim speaks of")
    again = {n: given[n] for n in values if n in given}
    again |= {n: measure(how) for n, how in fitting[0].items() if n in values}
    again |= {n: None for n in values if n not in again}
    if unknown := sorted(n for n, x in again.items() if x is None):
        raise NotCheckable(f"the run does not give {', '.join(unknown)} here")
    for name, x in spec["parameters"].items():
        fits = name in free or name not in again or number(x) == again[name]
        require(fits, f"a parameter overrides {name}")
    return again


def of_origin(claim, data, values):
    """The values that the data of an origin give, if the claim may have such an origin."""
    origin = dict(data["origin"])
    kind = origin.pop("kind", None)
    if kind not in claim["origins"]:
        raise NotCheckable(f"values of kind {str(kind)[:20]!r} are computed by the package only")
    again = KINDS[kind](**origin)
    for name in claim["assumes"]:
        if name not in KEPT:
            raise NotCheckable(f"the condition {name} is not known here")
        require(KEPT[name] is None or KEPT[name](again), f"the condition {name} is not met")
    if unknown := sorted(set(values) - set(again)):
        raise NotCheckable(f"the origin does not give {', '.join(unknown)}")
    met(claim, again)
    return {name: again[name] for name in values}


def met(claim, values):
    """Refuse values at which a condition of the claim that is a formula fails."""
    for left, sign, right in claim["conditions"]:
        a, b = (decimal(formula(side, values)) for side in (left, right))
        require({"<=": a <= b, "<": a < b, "=": a == b}[sign], "a condition of the claim fails")


def allowed(claim, values):
    """Refuse free values that the claim does not speak of."""
    for name, kind in claim["kinds"].items():
        require(of_kind(values[name], kind), f"{name} is not {' and '.join(kind)}")
    for small, large in AT_MOST:
        if {small, large} <= set(values):
            require(values[small] <= values[large], f"{small} <= {large} fails")
    met(claim, values)
    if claim["assumes"]:
        raise NotCheckable("a condition of the claim cannot be decided on numbers")


def replay(data, known=None):
    """Lines to print, and whether the contradiction is confirmed."""
    grammar(data)
    claim = (claims() if known is None else known).get(data["claim"])
    if claim is None:
        raise NotCheckable(f"nothing is said here of the claim {data['claim'][:60]!r}")
    told, statement = [f"claim {data['claim']}: {claim['says']}"], claim["statement"]
    try:
        require(data["statement"] == statement, "the statement in the file is not the claim's")
        if statement["sign"] == "= O of":
            if (data.get("origin") or {}).get("kind") == "growing-runs":
                line, grows = along_runs(claim, data, require)
            else:
                line, grows = along_symbols(claim, data, allowed, require)
            return [*told, line], grows
        values = {name: formula(node, {}) for name, node in data["values"].items()}
        require(set(values) == set(claim["kinds"]), "the values are not those of the claim")
        if claim["free"] == ["*"]:
            allowed(claim, values)
            told.append("  free values that the claim allows")
        elif data.get("run") is None and data.get("origin") is None:
            raise NotCheckable("the symbols of the claim have to be measured; the file has values")
        else:
            again = (of_origin if data.get("run") is None else on_run)(claim, data, values)
            for name in (one for one in values if again[one] != values[one]):
                require(False, f"{name}: computed again {again[name]}, the file has {values[name]}")
            for name in values:
                require(of_kind(values[name], claim["kinds"][name]), f"{name} is of another kind")
            told.append(f"  computed again: {', '.join(sorted(values))}")
    except NotConfirmed as reason:
        return [*told, f"  {reason}"[:300]], False
    left, right = (formula(statement[side], values) for side in ("left", "right"))
    if not (exact(left) and exact(right)):
        left, right = decimal(left), decimal(right)
        if abs(left - right) <= Decimal("1e-40") * abs(right):
            return [*told, "  the two sides are too close to tell apart with 60 digits"], False
    holds = {"=": left == right, "<=": left <= right, ">=": left >= right}[statement["sign"]]
    return [*told, told_outcome(f"left = {left}, right = {right}", not holds, statement)], not holds


def main(paths, seconds=SECONDS):
    """Replay files one by one; the exit code is that of the worst. After --claims stands a file
    with the meaning of claims of one's own."""
    signal.signal(signal.SIGVTALRM, lambda *_: number("a run that takes too long"))
    known = claims()
    if paths[:1] == ["--claims"]:
        known, paths = claims(paths[1]) if len(paths) > 1 else {}, paths[2:]
    outcome = 0 if paths else 2
    for path in paths:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read(LARGEST + 1)
            told, confirmed = replay(
                parse(text if len(text) <= LARGEST else "a file too long"), known
            )
            code = 0 if confirmed else 1
        except NotCheckable as reason:
            told, code = [f"{path}: not checkable: {reason}"], 3
        except UNUSABLE as problem:
            told, code = [f"{path}: unusable: {problem!r}"[:300]], 2
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        print("\n".join(told))
        outcome = max(outcome, code)
    return outcome


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
