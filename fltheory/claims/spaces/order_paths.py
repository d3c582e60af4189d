"""Paths of runs along which an order may fail: families of growing runs
(fltheory.claims.spaces.growing_runs) that meet the conditions of a claim at every scale."""

from collections.abc import Iterator
from fractions import Fraction

import sympy

from fltheory.claims.checks.bound_on_run import measurements
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.condition import Condition
from fltheory.claims.hypotheses import LossesAre, ParticipationIs
from fltheory.claims.spaces.choices import SCALE
from fltheory.claims.spaces.growing_files import as_json, scenario_at
from fltheory.claims.spaces.growing_runs import AVERAGES, ENDS, HALF, LEAST, METHODS, ONE
from fltheory.claims.spaces.growing_runs import GrowingRuns as Runs
from fltheory.claims.spaces.ranges import formulas
from fltheory.claims.spaces.step_roots import solutions
from fltheory.core.errors import InvalidInput

ROUNDS = (16 * SCALE**2, 10**4 * SCALE**2)
"""Numbers of rounds along a path: even, and squares."""

LATE, LONG, MANY = 4 * SCALE, 16 * SCALE**8, 2 * SCALE

SHORT = 4
"""Rounds of the run that confirms a family."""


def paths(claim: Claim) -> Iterator[Instance]:
    """Paths that meet every condition at every scale, with a lower bound in place of the left
    side."""
    left = str(claim.statement.left)
    if left not in AVERAGES | ENDS | LEAST:
        return
    for family in METHODS:
        method = next((one for one in claim.about if one in METHODS[family]), None)
        if method is None or not _of_its_class(claim, family):
            continue
        for runs in _sizes(claim, family, method):
            if values := values_along(claim, runs):
                own = {s.name: values[s.name] for s in claim.symbols}
                yield Instance(own, runs.says, {"origin": as_json(runs)})


def values_along(claim: Claim, runs: Runs) -> dict[str, sympy.Expr]:
    """The values of all quantities along the runs; empty if they are no runs of the claim, or if
    no lower bound on its left side is known."""
    left = str(claim.statement.left)
    bound = runs.bound(left)
    if bound is None or runs.method not in claim.about or not _of_its_class(claim, runs.family):
        return {}
    values = runs.values() | {left: bound}
    if not (runs.possible() and _meets(claim, values) and _confirmed(claim, runs)):
        return {}
    return values


def _of_its_class(claim: Claim, family: str) -> bool:
    """Are the losses and the participation those of the claim's hypotheses?"""
    stated = [a.holds for a in claim.assumes if not isinstance(a.holds, Condition)]
    laws = [one for one in stated if isinstance(one, ParticipationIs)]
    drawn = [one.kind for one in laws] == ["uniform"] if family == "sampled" else not laws
    return drawn and all(
        isinstance(one, ParticipationIs) or (isinstance(one, LossesAre) and one.kind != "nonconvex")
        for one in stated
    )


def _sizes(claim: Claim, family: str, method: str) -> Iterator[Runs]:
    """Runs of one family, with short steps, or those of the conditions."""
    if family == "descent":
        for rounds in ROUNDS:
            yield Runs(family, method, rounds, HALF / rounds)
            for step in _steps(claim, Runs(family, method, rounds, HALF)):
                yield Runs(family, method, rounds, step)
                flat = sympy.powdenest(HALF / (step * rounds), force=True)
                yield Runs(family, method, rounds, step, flat)
    elif family == "noise":
        for rounds in ROUNDS:
            for crowd in (ONE, MANY):
                yield Runs(family, method, rounds, HALF / SCALE, clients=crowd)
                for step in _steps(claim, Runs(family, method, rounds, HALF, clients=crowd)):
                    yield Runs(family, method, rounds, step, clients=crowd)
        for step in _steps(claim, Runs(family, method, LONG, HALF, 1 / SCALE)):
            yield Runs(family, method, LONG, step, 1 / SCALE)
    elif family == "sampled":
        for rounds in ROUNDS:
            yield Runs(family, method, rounds, HALF / SCALE, clients=MANY)
            for step in _steps(claim, Runs(family, method, rounds, HALF, clients=MANY)):
                yield Runs(family, method, rounds, step, clients=MANY)
    elif family == "late":
        for step in _steps(claim, Runs(family, method, LATE, HALF)):
            yield Runs(family, method, LATE, step)
    else:
        for step in _steps(claim, Runs(family, method, LONG, HALF, local_steps=MANY)):
            for size in (step, step / SCALE):
                yield Runs(family, method, LONG, size, local_steps=MANY)


def _steps(claim: Claim, runs: Runs) -> list[sympy.Expr]:
    """Step sizes of at most 1 that the conditions set or admit at their edge."""
    values, edges = runs.values(), []
    for condition in formulas(claim):
        for root in solutions(condition):
            known = {s: values[s.name] for s in root.free_symbols if s.name in values}
            value = sympy.powdenest(sympy.simplify(root.xreplace(known)), force=True)
            if value.free_symbols <= {SCALE}:
                edges.append(value)
    return list(dict.fromkeys([*edges, sympy.S.One, HALF]))


def _meets(claim: Claim, values: dict[str, sympy.Expr]) -> bool:
    """Is every quantity known, and does every condition hold at every scale?"""
    if not {s.name for s in claim.symbols} <= set(values):
        return False
    for condition in formulas(claim):
        names = {s.name for s in condition.symbols}
        if not names <= set(values) or condition.along(values) is not True:
            return False
    return True


def _confirmed(claim: Claim, runs: Runs) -> bool:
    """Are the first rounds of the method at scale 1 at least as large as the bound says?"""
    left = str(claim.statement.left)
    short = Runs(**{**vars(runs), "rounds": sympy.Integer(SHORT)})
    bound = short.bound(left)
    try:
        found = measurements(claim, scenario_at(runs, 1, rounds=SHORT))[left]
    except InvalidInput:
        return False
    if bound is None:  # the way of the whole run is known, not that of a part
        return runs.family == "descent"
    least = bound.subs(SCALE, 1)
    return bool(least.is_Rational and found >= Fraction(int(least.p), int(least.q)))
