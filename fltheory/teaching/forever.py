"""Numbers of scene 6: the step size against staleness, proved for all rounds on one side of the
border and diverging on the other."""

from fractions import Fraction
from typing import Any, Literal, TypedDict

import numpy as np

from fltheory.algorithms.mifa import Mifa
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.claim import evaluate
from fltheory.claims.evidence import Verdict
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.expressions import to_lists
from fltheory.core.types import Array, BoolArray, ExactLike
from fltheory.engine.arithmetic import FLOAT
from fltheory.engine.simulate import simulate
from fltheory.ledger import runner
from fltheory.ledger.lines import verdicts
from fltheory.ledger.step_sizes import allowed_steps
from fltheory.papers import find_claim
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.bernoulli import Bernoulli
from fltheory.traces.trace import Trace

PROVED, BREAKS = "mifa.potential.rate", "mifa.potential.period"
"""What holds below the border, and what happens from there on."""

OPTIMA = (3, 1, -1, -3)
"""Optima of the four clients, whose losses have curvature one."""

MOST = 20
"""The largest staleness of the map."""

Silence = Literal["together", "turns", "coins"]


class ForeverNumbers(TypedDict):
    """One run beside the border. `factor` is what a period multiplies the model by if all clients
    are silent together; `radius` and `stable` are those of a period of this availability, None if
    it has none."""

    border: Fraction
    step: Fraction
    factor: Fraction
    models: Array
    radius: float | None
    stable: bool | None


def period_factor(staleness: int, step: ExactLike) -> Fraction:
    """What a period multiplies the model by if everybody is silent for so many rounds: the right
    side of the claim, at L = 1.

    >>> period_factor(3, "1/2")
    Fraction(-1, 1)
    """
    values = {
        "max_staleness": staleness,
        "local_step_size": exact(step, "step size"),
        "smoothness": 1,
    }
    return Fraction(str(evaluate(find_claim(BREAKS).statement.right, values)))


def border(staleness: int) -> Fraction:
    """The step size, times L, at which the factor is -1.

    >>> border(3)
    Fraction(1, 2)
    """
    return 2 / (1 - period_factor(staleness, 1))


def deliveries(silence: Silence, staleness: int, rounds: int, *, seed: int = 1) -> BoolArray:
    """Who delivers when, with nobody silent for more than so many rounds: all in the same rounds,
    by turns, or by coin flips, where who has been silent for so long delivers in any case.

    >>> deliveries("turns", 3, 5).astype(int).tolist()
    [[1, 1, 1, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]]
    """
    period, clients = staleness + 1, len(OPTIMA)
    index = np.arange(rounds)[:, None]
    if silence == "coins":
        drawn = Bernoulli((Fraction(1, period),) * clients).matrix(rounds, seed=seed)
        since = np.zeros(clients, dtype=int)
        for row in drawn:
            row |= since >= staleness
            since = np.where(row, 0, since + 1)
        return drawn
    phases = np.arange(clients) * period // clients if silence == "turns" else np.zeros(clients)
    found: BoolArray = index % period == phases
    found[0] = True
    return found


def forever_run(
    *,
    staleness: int = 3,
    part: ExactLike = "9/10",
    silence: Silence = "together",
    start: ExactLike = 4,
    rounds: int = 60,
    seed: int = 1,
) -> ForeverNumbers:
    """MIFA with a step size that is so many times the border.

    >>> found = forever_run(part="11/10")
    >>> str(found["border"]), str(found["factor"]), found["stable"]
    ('1/2', '-6/5', False)
    """
    edge = border(staleness)
    step = edge * exact(part, "part of the border")
    problem = Quadratic(curvatures=(1,) * len(OPTIMA), optima=OPTIMA)
    models = simulate(
        Mifa(),
        problem,
        Trace.fresh(deliveries(silence, staleness, rounds, seed=seed)),
        start=start,
        local_step_size=step,
        arithmetic=FLOAT,
    ).models[:, 0]
    found: ForeverNumbers = {
        "border": edge,
        "step": step,
        "factor": period_factor(staleness, step),
        "models": models,
        "radius": None,
        "stable": None,
    }
    if silence != "coins":
        long = Trace.fresh(deliveries(silence, staleness, 4 * (staleness + 1)))
        cycle = limit_cycle(Mifa(), problem, long, local_step_size=step)
        found |= {"radius": cycle.spectral_radius, "stable": cycle.stable}
    return found


def recorded() -> dict[str, Any]:
    """What the scene has from the record: the formula of the factor, the claims behind both sides
    of the border, which must stand as proved, and the step sizes that theorems allow, times L."""
    verdict_of = verdicts(runner.recorded())
    for claim in (PROVED, BREAKS):
        if verdict_of.get(claim) is not Verdict.PROVED:
            raise InvalidInput(f"the record of {claim}", "be PROVED", str(verdict_of.get(claim)))
    allowed: dict[str, dict[str, Any]] = {}
    for row in allowed_steps(range(1, MOST + 2)):
        source = find_claim(row.theorem).source
        ratio = row.smoothness / row.strong_convexity if row.strong_convexity else None
        one = allowed.setdefault(
            row.theorem,
            {
                "name": f"{source.paper.name}, {source.place}",
                "claim": row.theorem,
                "method": row.method,
                "condition": None if ratio is None else str(ratio),
                "steps": [],
            },
        )
        if row.max_staleness != len(one["steps"]):
            raise InvalidInput(
                f"the steps of {row.theorem}", "be one for each staleness", row.max_staleness
            )
        one["steps"].append(str(row.theorem_step * row.smoothness))
    return {
        "factor": to_lists(find_claim(BREAKS).statement.right),
        "proved": PROVED,
        "breaks": BREAKS,
        "allowed": list(allowed.values()),
    }
