"""Cases of the scene of theorems: settings of the page, and the core's answers."""

from fractions import Fraction
from functools import cache
from typing import Any

from fltheory.engine.simulate import simulate
from fltheory.teaching import theorems
from tests.teaching.page_truth import Case, drawn

_sides = cache(theorems.sides)


def theorem_case(index: int) -> Case:
    choose = drawn(index, 7)
    key = choose(list(theorems.PLAYS))
    versions = ["printed"] + ["corrected"] * bool(theorems.PLAYS[key].corrected)
    given = {
        "claim": key,
        "version": choose(versions),
        "factor": str(Fraction(choose(1, 20), 20)),
        "start": str(Fraction(choose(1, 8), 4)),
    }

    def by_core() -> dict[str, Any]:
        told = {name: given[name] for name in ("version", "factor", "start")}
        found = _sides(key, **told)
        factor, start = Fraction(given["factor"]), Fraction(given["start"])
        whole = theorems.scenario_of(
            key, given["version"], theorems.PLAYS[key].rounds, factor, start
        )
        models = simulate(
            whole.method,
            whole.problem,
            whole.trace,
            start=whole.start,
            local_step_size=whole.local_schedule,
            server_step_size=whole.server_step_size,
        ).models[:, 0]
        return {
            "left": [float(x) for x in found["left"]],
            "exact": found["left"],
            "right": found["right"],
            "models": models.astype(float),
        }

    return given, by_core
