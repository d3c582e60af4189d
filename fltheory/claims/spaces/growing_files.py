"""Growing runs at one scale, and in counterexample files."""

from dataclasses import fields
from fractions import Fraction

import sympy

from fltheory.claims.participation import Participation
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import SCALE
from fltheory.claims.spaces.growing_runs import SIZES, GrowingRuns
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.expressions import from_lists, to_lists
from fltheory.core.types import Json
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

KIND = "growing-runs"
"""The kind of origin of a path that is such a family."""


MOST_POWERS = 200
"""The largest degree of a formula from a file."""


def degree(x: sympy.Expr) -> float:
    """An upper bound on the powers in a formula, numerators and denominators together.

    >>> degree((SCALE + 1) ** 3 / SCALE)
    4
    """
    if x.is_Pow:
        return degree(x.base) * abs(x.exp) if x.exp.is_Rational else float("inf")
    parts = [degree(one) for one in x.args]
    return sum(parts) if x.is_Mul or x.is_Add else max(parts, default=int(x.is_Symbol))


def scenario_at(runs: GrowingRuns, scale: int, *, rounds: int | None = None) -> Scenario:
    """The run at one scale, or the first rounds of it.

    >>> runs = GrowingRuns("descent", "fedavg", 4 * SCALE, 1 / SCALE)
    >>> scenario_at(runs, 1).trace.num_rounds
    4
    """
    size = {name: exact(str(getattr(runs, name).subs(SCALE, scale))) for name in SIZES}
    clients = 2 if runs.family == "drift" else int(size["clients"])
    length = int(size["rounds"]) if rounds is None else rounds
    flat = size["bend"] != 1
    own = [Fraction(1), size["bend"]] if flat else [Fraction(1)]
    bends = [own] * clients
    centres = [[Fraction(0)] * len(own)] * clients
    if runs.family == "drift":
        bends, centres = [[Fraction(1, 2)], [Fraction(1)]], [[Fraction(0)], [Fraction(1)]]
    if runs.family == "sampled":
        centres = [[Fraction(1)], [Fraction(-1)]] * (clients // 2)
    steps = [[int(size["local_steps"])] * clients] * length
    delays = [[t if runs.family == "late" else 0] * clients for t in range(length)]
    weighed = {"weights": (Fraction(1, clients),) * clients} if runs.method == "sync" else {}
    start = Fraction(2, 3) if runs.family == "drift" else int(runs.family in ("descent", "late"))
    return Scenario(
        runs.method,
        Quadratic(bends, centres, noise_squared=int(runs.family == "noise")),
        Trace.with_delays([[1] * clients] * length, delays, local_steps=steps),
        start=(0, start) if flat else start,
        local_step_size=size["step"],
        settings=weighed,
        participation=(
            Participation("uniform", clients_per_round=1) if runs.family == "sampled" else None
        ),
    )


def as_json(runs: GrowingRuns) -> Json:
    """The family as the origin of a counterexample file has it."""
    return {
        "kind": KIND,
        "family": runs.family,
        "method": runs.method,
        **{name: to_lists(getattr(runs, name)) for name in SIZES},
    }


def from_json(data: Json) -> GrowingRuns:
    """Read what as_json wrote; anything else is refused."""
    names = {one.name for one in fields(GrowingRuns)}
    if set(data) != {"kind", *names} or data["kind"] != KIND:
        raise InvalidInput(
            "growing runs",
            f"have the fields {', '.join(sorted(names))}",
            str(sorted(data))[:80],
        )
    sizes = {name: from_lists(data[name]) for name in SIZES}
    if any(degree(one) > MOST_POWERS for one in sizes.values()):
        raise InvalidInput("growing runs", f"have powers up to {MOST_POWERS}", "higher ones")
    if any(one.free_symbols - {sympy.Symbol("scale")} for one in sizes.values()):
        raise InvalidInput("growing runs", "grow with `scale` alone", str(sizes)[:80])
    own = {name: x.xreplace({sympy.Symbol("scale"): SCALE}) for name, x in sizes.items()}
    return GrowingRuns(str(data["family"]), str(data["method"]), **own)
