"""What the page draws of a counterexample: the run with both sides of the claim, the growth of
left/right along a path, or two numbers.

Everything comes from the recorded file: a run is repeated exactly, and both sides are evaluated
again after each of its rounds.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np
import sympy

from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.claim import Claim, Order, evaluate
from fltheory.claims.expectations import ExactRun
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.formulas import read_formula
from fltheory.core.results import as_dict
from fltheory.core.types import Json
from fltheory.ledger.explain import Found
from fltheory.traces.trace import Trace

FEWEST_ROUNDS, MOST_ROUNDS = 8, 60
"""A shorter run is continued by its own pattern if the printed hypotheses allow it; of a longer one
the beginning is drawn."""

MOST_COORDINATES = 3
EXPONENTS = tuple(power / 2 for power in range(13))
"""Growth is drawn where the variable is 10 to these powers."""

LIMITS = {"limit", "limit_error", "limit_odd", "limit_even"}
"""Measures of the cycle in which the run ends: both sides are levels of the path."""


@dataclass(frozen=True)
class Series:
    """Numbers under a name; a missing one is None."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class Drawing:
    """A picture as numbers: `kind` is "run", "growth" or "values".

    `path` has the model's coordinates from round 0, `sides` both sides after each round, `levels`
    both sides of a claim about the limit, `numbers` both sides at the end. `rounds` is the length
    of the recorded run; what is drawn beyond it is the same pattern continued. `at` has the values
    of the variable of a growth.
    """

    kind: str
    left: str
    right: str
    path: tuple[Series, ...] = ()
    sides: tuple[Series, ...] = ()
    levels: tuple[Series, ...] = ()
    rounds: int = 0
    noisy: bool = False
    at: tuple[float, ...] = ()
    variable: str = ""
    says: str = ""
    numbers: tuple[float, ...] = ()

    def to_dict(self) -> Json:
        """Plain data, without what is empty."""
        return as_dict({name: value for name, value in asdict(self).items() if value})


def drawing(claim: Claim, found: Found | None) -> Drawing | None:
    """The picture of a recorded counterexample; None if there is none, or if it has no numbers."""
    if found is None:
        return None
    left, right = str(found.data.get("left", "")), str(found.data.get("right", ""))
    run = found.data.get("run")
    if isinstance(run, dict):
        return _of_run(claim, Scenario.from_json(run), found.data.get("measures"), left, right)
    if isinstance(claim.statement, Order):
        return _of_growth(left, right)
    values = tuple(v for v in (_number(left), _number(right)) if v is not None)
    return Drawing("values", left, right, numbers=values) if len(values) == 2 else None


def _number(text: str) -> float | None:
    """The value of exact text, if it is a finite number."""
    about = re.search(r"\(about ([^)]*)\)", text)
    text = about[1] if about else text
    plain = re.fullmatch(r"-?\d+(?:/\d+|\.\d+(?:e[-+]?\d+)?)?", text)
    try:
        value = float(Fraction(text) if plain else read_formula(text, {}, "side"))
    except (InvalidInput, NotExact, ValueError, TypeError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def _of_run(claim: Claim, recorded: Scenario, measured: object, left: str, right: str) -> Drawing:
    measures = {str(k): str(v) for k, v in measured.items()} if isinstance(measured, dict) else {}
    about_limit = bool(LIMITS & set(measures.values()))
    scenario = _continued(claim, recorded, always=about_limit)
    shown = min(scenario.trace.num_rounds, MOST_ROUNDS)
    columns = ExactRun(scenario).models[: shown + 1].T.tolist()
    path = tuple(
        Series("model" if len(columns) == 1 else f"coordinate {place + 1}", _floats(column))
        for place, column in enumerate(columns[:MOST_COORDINATES])
    )
    ends = (_number(left), _number(right))
    levels = tuple(Series(name, (end,)) for name, end in zip(("left", "right"), ends, strict=True))
    sides = () if about_limit else _sides(claim, scenario, measures, shown)
    return Drawing(
        "run",
        left,
        right,
        path=path,
        sides=sides,
        levels=levels if about_limit and None not in ends else (),
        numbers=tuple(end for end in ends if end is not None),
        rounds=recorded.trace.num_rounds,
        noisy=bool(recorded.problem.noise_squared),
        says=recorded.says,
    )


def _floats(values: Sequence[object]) -> tuple[float | None, ...]:
    found = [float(value) for value in values]  # type: ignore[arg-type]
    return tuple(value if math.isfinite(value) else None for value in found)


def _continued(claim: Claim, scenario: Scenario, *, always: bool) -> Scenario:
    """A short run, continued by its own pattern of deliveries; as it is where a printed hypothesis
    would fail."""
    trace, sizes = scenario.trace, scenario.local_step_size
    if trace.num_rounds >= FEWEST_ROUNDS or isinstance(sizes, tuple):
        return scenario
    times = -(-FEWEST_ROUNDS // trace.num_rounds)
    starts = [trace.started_from + turn * trace.num_rounds for turn in range(times)]
    longer = Trace(
        np.tile(trace.delivers, (times, 1)),
        np.concatenate(starts),
        np.tile(trace.local_steps, (times, 1)),
    )
    continued = Scenario.from_json({**scenario.to_json(), "trace": _trace_json(longer)})
    try:
        allowed = always or not unmet(claim, continued, stated_only=True)
    except (InvalidInput, NotExact):
        return scenario
    return continued if allowed else scenario


def _trace_json(trace: Trace) -> Json:
    return {
        "delivers": ["".join("1" if x else "0" for x in row) for row in trace.delivers],
        "started_from": trace.started_from.tolist(),
        "local_steps": trace.local_steps.tolist(),
    }


def _sides(
    claim: Claim, scenario: Scenario, measures: Mapping[str, str], shown: int
) -> tuple[Series, ...]:
    """Both sides of the claim on the first t rounds, t = 1, 2, ...; empty if one of them cannot be
    measured."""
    left, right = list[float | None](), list[float | None]()
    for rounds in range(1, shown + 1):
        part = {**scenario.to_json(), "trace": _trace_json(scenario.trace.first(rounds))}
        if isinstance(scenario.local_step_size, tuple):
            part["local_step_size"] = [str(x) for x in scenario.local_step_size[:rounds]]
        try:
            beginning = Scenario.from_json(part)
            found = measure(beginning, set(measures.values()))
            values = {**scenario.parameters, **{name: found[how] for name, how in measures.items()}}
            sides = (claim.statement.left, claim.statement.right)
            pair = [float(evaluate(side, values)) for side in sides]
        except (InvalidInput, NotExact, TypeError, OverflowError, ZeroDivisionError):
            return ()
        left.append(pair[0] if math.isfinite(pair[0]) else None)
        right.append(pair[1] if math.isfinite(pair[1]) else None)
    return (Series("left", tuple(left)), Series("right", tuple(right)))


def _of_growth(left: str, right: str) -> Drawing | None:
    """left/right along a path, from the recorded formula."""
    text = left.removeprefix("ratio ").strip()
    names = set(re.findall(r"[A-Za-z_]\w*", text)) - {"sqrt", "exp", "log", "Max", "Min", "ceiling"}
    if len(names) != 1:
        return None
    (name,) = names
    variable = sympy.Symbol(name, positive=True)
    try:
        formula = read_formula(_readable(text), {name: variable}, "left/right")
        at = tuple(10.0**power for power in EXPONENTS)
        values = _floats([formula.evalf(subs={variable: value}) for value in at])
    except (InvalidInput, NotExact, TypeError, ValueError, OverflowError):
        return None
    return Drawing(
        "growth",
        left,
        right,
        sides=(Series("left/right", values),),
        at=at,
        variable=name.replace("_", " "),
    )


def _readable(text: str) -> str:
    """What sympy prints, in the names of the reader of formulas."""
    for theirs, ours in (("Max(", "max("), ("Min(", "min("), ("ceiling(", "ceil(")):
        text = text.replace(theirs, ours)
    return text
