#!/usr/bin/env python3
"""Replay counterexample files with the standard library only: python3 replay.py FILE...

Runs and formulas are repeated in exact fractions, and orders are followed along their path; values
that are not recomputed are named. Exit code: 0 if all are confirmed, 1 if one is not, 2 if one is
unusable or takes more than SECONDS.
"""

import json
import signal
import sys
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction as F
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import decimal, formula, number
from replay_runs import ALGORITHMS, measured, run

__all__ = ["ALGORITHMS", "main", "recomputed"]

SECONDS = 1.5
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


def recomputed(data):
    """The values that the run or the formulas of the file give; None for unknown quantities."""
    spec, origin = data.get("run"), data.get("origin") or {}
    given = origin.get("at", {}) if spec is None else spec["parameters"]
    at = {name: number(x) for name, x in given.items()}
    runs = {
        name: at[how] if how in at else measured(spec, run(spec))(how)
        for name, how in data["measures"].items()
    }
    formulas = {name: formula(node, at) for name, node in origin.get("formulas", {}).items()}
    return at | runs | formulas


def replay_order(data):
    """Follow left/right along a path on which it should grow without bound."""
    statement, symbol = data["statement"], data["right"].split()[-2]
    ratios = []
    for k in (2, 4, 6, 8):
        at = defaultdict(lambda: F(1), {symbol: F(10**k)})
        path = at | {name: formula(node, at) for name, node in data["values"].items()}
        left, right = (decimal(formula(statement[side], path)) for side in ("left", "right"))
        ratios.append(abs(left / right))
    grows = ratios == sorted(ratios) and ratios[3] > ratios[2] * Decimal("1.01")
    seen = ", ".join(f"{r:.4g}" for r in ratios)
    return f"  left/right along the path is {seen}, ...: {_outcome(grows, statement)}", grows


def replay(data, compute=recomputed):
    """Lines to print, and whether the contradiction is confirmed."""
    told, statement = [f"claim {data['claim']}: {data['says']}"], data["statement"]
    sign = statement["sign"]
    if sign == "= O of" and data["right"] != "is 0":
        line, grows = replay_order(data)
        return [*told, line], grows
    free: dict = defaultdict(lambda: F(1)) if "O" in sign else {}
    values = {name: formula(node, free) for name, node in data["values"].items()}
    again = {name: x for name, x in compute(data).items() if x is not None and name in values}
    for name in (one for one in again if again[one] != values[one]):
        differs = f"  {name}: computed again {again[name]}, the file has {values[name]}"
        return [*told, differs], False
    trusted = set(values) - set(again)
    for how, names in (("computed again", set(again)), ("taken from the file", trusted)):
        told.append(f"  {how}: {', '.join(sorted(names)) or 'nothing'}")
    left, right = (formula(statement[side], values) for side in ("left", "right"))
    if not (isinstance(left, F) and isinstance(right, F)):
        left, right = decimal(left), decimal(right)
        if abs(left - right) <= Decimal("1e-40") * abs(right):
            return [*told, "  the two sides are too close to tell apart with 60 digits"], False
    holds = {
        "=": left == right,
        "<=": left <= right,
        ">=": left >= right,
        "= O of": right or not left,
    }[sign]
    outcome = _outcome(not holds, statement)
    return [*told, f"  left = {left}, right = {right}: {outcome}"], not holds


def _outcome(confirmed, statement):
    return f"{'contradicts' if confirmed else 'agrees with'} left {statement['sign']} right"


def main(paths, compute=recomputed, seconds=SECONDS):
    """Replay files one by one; the exit code is that of the worst."""
    signal.signal(signal.SIGVTALRM, lambda *_: number("a run that takes too long"))
    outcome = 0 if paths else 2
    for path in paths:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            with open(path, encoding="utf-8") as file:
                told, confirmed = replay(json.loads(file.read(2_000_000)), compute)
            code = 0 if confirmed else 1
        except UNUSABLE as problem:
            told, code = [f"{path}: unusable: {problem!r}"[:300]], 2
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        print("\n".join(told))
        outcome = max(outcome, code)
    return outcome


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
