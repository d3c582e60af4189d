"""Rates of claims of one's own: the regime that a claim describes, measured as those of papers are.

The runs are those of `fltheory rates`: quadratics of curvature 1 with noise of variance 1, with the
step size that the claim's conditions set, or the largest that they admit. The claimed exponent is
that of the right side.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import fltheory.algorithms
from fltheory.analysis.regimes import RateMetric, Regime, RunPlan
from fltheory.analysis.sizes import RunSize
from fltheory.claims.claim import Claim, LowerBound
from fltheory.claims.condition import Condition
from fltheory.claims.fast_evaluation import as_number, compiled
from fltheory.claims.own_constants import failing, server_step, step_at
from fltheory.core.errors import InvalidInput
from fltheory.core.registry import Settings, find_member
from fltheory.core.types import Scalar
from fltheory.papers.claim_files import read_claims

METRICS = {
    "mean_squared_gradient": RateMetric.MEAN_SQUARE,
    "min_squared_gradient": RateMetric.LEAST_SQUARE,
    "average_loss_gap": RateMetric.MEAN_GAP,
}
"""Left sides whose rate can be measured."""

ONE = [
    "smoothness",
    "strong_convexity",
    "global_smoothness",
    "global_strong_convexity",
    "mean_smoothness",
    "pl_constant",
    "gradient_noise",
    "initial_distance",
    "initial_squared_gradient",
    "relative_dissimilarity",
    "availability_probability",
]
ZERO = [
    "dissimilarity",
    "mean_dissimilarity",
    "dissimilarity_at_optimum",
    "client_minima_gap",
    "weak_convexity",
    "relative_noise",
    "optimum",
    "max_delay",
    "mean_delay",
]
"""Quantities of the runs that do not depend on their size; the start is 1, the optimum 0."""

FAR, FARTHER = 10**9, 10**12
"""Values of a variable between which the exponent of the right side is read off."""

MOST_ROUNDS = 1 << 24
NEAR = 1e-2
"""How far the slope of the right side may be from a simple fraction."""


def own_regimes(path: Path, versus: str | None, *, bad: list[str]) -> tuple[Regime, ...]:
    """A regime for each claim of a file; what is wrong with single claims is added to `bad`."""
    found = []
    for claim in read_claims(path, bad=bad):
        try:
            found.append(own_regime(claim, versus or "T"))
        except InvalidInput as problem:
            bad.append(str(problem))
    if not found:
        raise InvalidInput("claims of the file", "have a rate that can be measured", "; ".join(bad))
    return tuple(found)


def own_regime(claim: Claim, versus: str) -> Regime:
    """The regime of one claim, with its exponent in one variable."""
    metric = METRICS.get(str(claim.statement.left))
    owner = f"claim {claim.id}"
    if metric is None or isinstance(claim.statement, LowerBound) or not claim.about:
        rule = f"bound {', '.join(METRICS)} from above on runs of a method, for a rate to measure"
        raise InvalidInput(owner, rule, str(claim.statement.left)[:60])
    if versus not in ("T", "N", "K"):
        raise InvalidInput("variable of a rate", "be T, N or K for a claim of one's own", versus)
    if any(not isinstance(a.holds, Condition) for a in claim.assumes):
        told = next(a.says for a in claim.assumes if not isinstance(a.holds, Condition))
        if "convex" not in told:
            raise InvalidInput(
                owner, "be about runs in which all clients are there in every round", told
            )
    member = find_member(fltheory.algorithms, claim.about[0])

    def plan(size: RunSize) -> RunPlan:
        weights = {"weights": (Fraction(1, size.num_clients),) * size.num_clients}
        settings = Settings(weights if "weights" in member.needs else {})
        step = float(step_at(claim, values_of(size)))
        return RunPlan(member.build(settings), size.tables(), step, float(server_step(claim)))

    regime = Regime(
        claim.id,
        claim.about[0],
        metric,
        {versus: exponent(claim, versus)},
        plan,
        lambda size: least_rounds(claim, size),
        local_steps=1 if "local_steps = 1" in {a.says for a in claim.assumes} else 2,
    )
    least_rounds(claim, RunSize(local_steps=regime.local_steps))
    return regime


def values_of(size: RunSize) -> dict[str, Scalar]:
    """The quantities of a run of this size in which all clients are there in every round."""
    clients, steps = Fraction(size.num_clients), Fraction(size.local_steps)
    found: dict[str, Scalar] = dict.fromkeys(ONE, Fraction(1))
    found |= dict.fromkeys(ZERO, Fraction(0))
    found |= dict.fromkeys(("local_steps", "least_local_steps", "mean_local_steps"), steps)
    everybody = ("num_clients", "clients_per_round", "most_clients_per_round", "fresh_entries")
    found |= dict.fromkeys((*everybody, "clients_in_first_round"), clients)
    found |= dict.fromkeys(("least_importance", "largest_importance"), 1 / clients)
    found |= dict.fromkeys(("max_staleness", "mean_staleness", "staleness_bound"), Fraction(0))
    found |= dict.fromkeys(("availability_window", "balance_period"), Fraction(1))
    found |= {"mean_client_max_staleness": Fraction(0), "initial_loss_gap": Fraction(1, 2)}
    found |= {"sum_squared_importance": 1 / clients, "num_rounds": Fraction(size.num_rounds)}
    return found


def with_steps(claim: Claim, values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The same with the step sizes of the claim."""
    server = {"server_step_size": server_step(claim), **values}
    step = step_at(claim, server)
    own = step if isinstance(step, Fraction) else Fraction(step)
    return {**server, "local_step_size": own, "first_step_size": own, "last_step_size": own}


def least_rounds(claim: Claim, size: RunSize) -> int:
    """The least power of two that the conditions admit as a number of rounds."""
    rounds, told = 2, ""
    while rounds <= MOST_ROUNDS:
        run = RunSize(size.num_clients, size.local_steps, rounds)
        told = failing(claim, with_steps(claim, values_of(run)))
        if not told:
            return rounds
        rounds *= 2
    raise InvalidInput(
        f"conditions of {claim.id}",
        "admit runs of curvature 1 with noise of variance 1 and all clients in every round",
        told,
    )


def exponent(claim: Claim, versus: str) -> Fraction:
    """The exponent of the right side in one variable, which must be close to a simple fraction."""
    name = {"T": "num_rounds", "N": "num_clients", "K": "local_steps"}[versus]
    sides = []
    for value in (FAR, FARTHER):
        size = RunSize(num_rounds=value) if versus == "T" else RunSize()
        values = values_of(size) | ({} if versus == "T" else {name: Fraction(value)})
        given = with_steps(claim, values)
        right = claim.statement.right
        missing = sorted({s.name for s in right.free_symbols} - set(given))
        if missing:
            rule = "speak of quantities that are known for these runs"
            raise InvalidInput(f"right side of {claim.id}", rule, missing[0])
        try:
            numbers = {s.name: as_number(given[s.name]) for s in right.free_symbols}
            sides.append(float(compiled(right)(numbers)))
        except (ZeroDivisionError, ValueError, OverflowError):
            sides.append(0.0)
    if min(sides) <= 0:
        raise InvalidInput(f"right side of {claim.id}", f"be above 0 for large {versus}", sides)
    slope = math.log(sides[1] / sides[0]) / math.log(FARTHER / FAR)
    near = Fraction(slope).limit_denominator(6)
    if abs(float(near) - slope) > NEAR:
        raise InvalidInput(f"right side of {claim.id}", f"be a power of {versus}", f"{slope:.4f}")
    return near
