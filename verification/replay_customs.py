"""What a run must keep besides the conditions of its claim: hypotheses that are no formulas, and
customs of claims of one's own. Their names come from claims.jsonl, never from the file.

Standard library only; written from the documentation, no code of the package.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import decimal, formula, number
from replay_losses import Losses
from replay_roots import exact  # type: ignore[import-not-found]
from strict_json import NotCheckable  # type: ignore[import-not-found]

NO_SERVER_STEP = {"mifa", "mifa-difference", "fedlaavg"}
ASYNCHRONOUS = {"async", "fedfix", "fedbuff"}
WEIGHTED = {"sync", "async", "fedfix", "fedbuff"}


def _equal(spec):
    return len({number(p) for p in spec["problem"]["importance"]}) == 1


def _fair_weights(spec):
    if spec["algorithm"] not in WEIGHTED:
        return True
    shares = spec["problem"]["importance"]
    return [number(w) for w in spec["settings"]["weights"]] == [number(p) for p in shares]


def _whole_step(spec):
    return spec["algorithm"] not in NO_SERVER_STEP or number(spec["server_step_size"]) == 1


def _current_models(spec):
    begun = spec["trace"]["started_from"]
    late = any(
        cell == "1" and begun[t][i] != t
        for t, row in enumerate(spec["trace"]["delivers"])
        for i, cell in enumerate(row)
    )
    name = spec["algorithm"]
    return not late or name in ASYNCHRONOUS or name.startswith("afa")


CUSTOMS = {
    "equal-importance": _equal,
    "weights-are-importance": _fair_weights,
    "sure-participation": lambda spec: "participation" not in spec,
    "constant-step": lambda spec: isinstance(spec["local_step_size"], str),
    "no-averaging": lambda spec: not spec.get("averaging"),
    "whole-server-step": _whole_step,
    "current-models": _current_models,
}


def _losses_are(kind, losses):
    least = min(losses.all_bends())
    return {
        "quadratic": lambda: losses.affine,
        "quasi-convex": lambda: _falls_then_rises(losses),
        "convex": lambda: least >= 0,
        "strongly-convex": lambda: least > 0,
        "nonconvex": lambda: least < 0,
    }[kind]()


def _falls_then_rises(losses):
    if min(losses.total_bends()) >= 0:
        return True
    if losses.size > 1:
        raise NotCheckable("quasi-convexity with several coordinates")
    return losses.total[0].rises_once()


def _by_round(lists, spec, value):
    """A formula in the number t of the round, at every round."""
    return [value(lists, {"t": number(str(t))}) for t in range(len(spec["trace"]["delivers"]))]


def _as_given(told, wanted):
    if not all(map(exact, wanted)):
        raise NotCheckable("a formula by rounds is neither a fraction nor a root")
    return [number(x) for x in told] == wanted


def hypothesis(kind, parts, spec, value):
    """Does a run keep one hypothesis that is no formula?"""
    if kind == "participation":
        return spec.get("participation", {}).get("kind") == parts
    if kind == "losses":
        return _losses_are(parts, Losses(spec["problem"]))
    told = spec["local_step_size"] if kind == "step_size" else spec.get("averaging", [])
    if kind not in ("step_size", "averaging"):
        raise NotCheckable(f"a hypothesis of kind {kind[:20]!r}")
    rounds = len(spec["trace"]["delivers"])
    told = [told] * rounds if isinstance(told, str) else told
    return len(told) == rounds and _as_given(told, _by_round(parts, spec, value))


def broken(claim, spec, value):
    """The first thing that a run does not keep, or None; `value` gives a formula its value at
    quantities of the run. No claim speaks of step sizes that are not above 0, and a bound on the
    noise is none on noise that grows with the gradients, unless the claim has a symbol for it."""
    sizes = spec["local_step_size"]
    sizes = [*(sizes if isinstance(sizes, list) else [sizes]), spec["server_step_size"]]
    if min(map(number, sizes)) <= 0:
        return "a step size is not above 0"
    spoken = str([claim["statement"], claim["measures"], claim["conditions"]])
    if "relative_noise" not in spoken and number(spec.get("relative_noise", "0")):
        return "relative noise, of which the claim does not speak"
    for name in claim["customs"]:
        if name not in CUSTOMS:
            raise NotCheckable(f"the custom {name} is not known here")
        if not CUSTOMS[name](spec):
            return f"the custom {name} is not kept"
    for kind, parts in claim["hypotheses"]:
        if not hypothesis(kind, parts, spec, value):
            return f"the hypothesis on {kind} is not met"
    for left, sign, right in claim["conditions"]:
        if not compared(value(left, {}), sign, value(right, {})):
            return "a condition of the claim fails"
    return None


def compared(left, sign, right):
    """Does left <= right, left < right or left = right hold? Irrational sides that are close are
    not decided."""
    if not (exact(left) and exact(right)):
        left, right = decimal(left), decimal(right)
        if abs(left - right) <= abs(right) * decimal(number("1/1" + "0" * 40)):
            raise NotCheckable("the two sides of a condition are too close")
    return {"<=": left <= right, "<": left < right, "=": left == right}[sign]


def valued(measure, given):
    """A function from a formula and values of further symbols to its value on the run."""

    def value(lists, more):
        found = Known(measure, given, more)
        return formula(lists, found)

    return value


class Known(dict):
    """Values by name: given ones, and what the run measures."""

    def __init__(self, measure, given, more):
        super().__init__({**given, **more})
        self.measure = measure

    def __missing__(self, name):
        found = self.measure(name)
        if found is None:
            raise NotCheckable(f"{name} is not measured here")
        return found
