"""Orders of runs: a path along which left/right provably grows without bound, or a fit of the
growth, which decides nothing.

The provable paths are those of fltheory.claims.spaces.order_paths.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import fltheory.algorithms
from fltheory.claims.checks.bound_on_run import measurements, unmet
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.claim import Claim, Order
from fltheory.claims.condition import Condition
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.fast_evaluation import as_number, compiled
from fltheory.claims.measures import Measurements
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import SCALE
from fltheory.claims.spaces.order_paths import paths
from fltheory.claims.spaces.ranges import formulas
from fltheory.claims.spaces.step_roots import roots_of, solutions
from fltheory.core.errors import Diverged, InvalidInput, NotExact
from fltheory.core.registry import find_member
from fltheory.core.words import counted
from fltheory.engine.arithmetic import FLOAT
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

DECADES = (10, 100, 1000)
"""Rounds of a fit."""

SLIGHT = 0.05
"""Exponents up to this are taken for a constant."""


def order_on_runs(claim: Claim) -> tuple[Instance | None, Evidence] | None:
    """REFUTED along a path, or UNDECIDED with the growth that was seen, or SUPPORTED; None if the
    claim is no order of runs."""
    if not isinstance(claim.statement, Order) or not claim.about:
        return None
    tried = 0
    for path in paths(claim):
        tried += 1
        try:
            derived = {s.name: path.values[s.name] for s in claim.symbols}
            found = check_order_limit(claim, derived=derived, variable=SCALE, covers=path.says)
        except (NotImplementedError, NotExact, ValueError, KeyError):
            continue
        if found.verdict is Verdict.REFUTED and found.counterexample is not None:
            example = replace(found.counterexample, scenario=path.scenario)
            note = f"proved along {path.says}"
            return path, replace(found, method=Method.ATTACK, note=note, counterexample=example)
    return None, _fitted(claim, tried)


def _fitted(claim: Claim, tried: int) -> Evidence:
    """The fastest growth of left/right with the rounds, on a few runs in floats; `tried` paths with
    a proved bound have shown no growth."""
    fastest, place = None, ""
    for (told, run), slow in product(_families(claim), (False, True)):
        told, ratios = told + ", steps over the rounds" * slow, []
        for rounds in DECADES:
            ratio = _ratio(claim, run, rounds, slow=slow)
            if ratio is None:
                break
            ratios.append(ratio)
        if len(ratios) == len(DECADES) and ratios[-1] > 0 and ratios[0] > 0:
            power = math.log10(ratios[-1] / ratios[0]) / math.log10(DECADES[-1] / DECADES[0])
            if fastest is None or power > fastest:
                fastest, place = power, told
    covers = f"fitted run of {DECADES[0]} to {DECADES[-1]} rounds"
    paths_told = counted(tried, "path")
    proved = f"no growth is proved along {paths_told} of growing runs that meet the conditions"
    if fastest is None:
        note = f"{proved}; no {covers} meets them with both sides above 0"
        return Evidence(claim.id, Method.ATTACK, Verdict.UNDECIDED, covers, note=note)
    verdict = Verdict.UNDECIDED if fastest > SLIGHT else Verdict.SUPPORTED
    ending = ": not decided" if fastest > SLIGHT else ", which counts as no growth"
    fit = f"left/right grows like T^{fastest:.2f} over two decades on {place}{ending}"
    note = f"{proved}; {fit}"
    return Evidence(claim.id, Method.ATTACK, verdict, covers, note=note)


def _families(claim: Claim) -> Iterator[tuple[str, Scenario]]:
    method = claim.about[0]
    needs = find_member(fltheory.algorithms, method).needs
    for clients in (1, 2):
        for bends in ((1, 1), (1, Fraction(1, 10))):
            for noise in (0, 1):
                problem = Quadratic(bends[:clients], (0, 1)[:clients], noise_squared=noise)
                settings = {"weights": tuple(problem.importance)} if "weights" in needs else {}
                for turns in (False, True):
                    rows = [[1] * clients] if not turns else [[1, 0], [0, 1]]
                    if turns and clients == 1:
                        continue
                    told = f"{counted(clients, 'client')}, noise {noise}" + ", in turn" * turns
                    yield (
                        told,
                        Scenario(
                            method,
                            problem,
                            Trace.fresh(rows * 2),
                            start=3,
                            local_step_size=1,
                            settings=settings,
                        ),
                    )


def _ratio(claim: Claim, run: Scenario, rounds: int, *, slow: bool) -> float | None:
    """left/right for this many rounds, in floats, at the largest step size that is admitted, or at
    that over the number of rounds."""
    pattern = run.trace
    times = -(-rounds // pattern.num_rounds)
    longer = Trace.fresh([*pattern.delivers.tolist()] * times).first(rounds)
    if run.problem.noise_squared and longer.local_steps.sum() > 400:
        longer = longer.first(min(rounds, 400 // run.trace.num_clients))
    try:
        trial = replace(run, trace=longer)
        known = measurements(claim, trial)
        roots = [float(x) for one in formulas(claim) for x in roots_of(one, known)]
        size = Fraction(min(roots)).limit_denominator(10**6) if roots else Fraction(1, 2)
        trial = replace(trial, local_step_size=size / rounds if slow else size)
        loose = {
            a.id  # an equation for a step size that is rounded here
            for a in claim.assumes
            if isinstance(a.holds, Condition) and a.holds.sign == "=" and solutions(a.holds)
        }
        failing = set(unmet(claim, trial, stated_only=True)) - (set() if slow else loose)
        if failing or longer.num_rounds < rounds:
            return None
        found = Measurements(trial, arithmetic=FLOAT)
        values = {s.name: as_number(found[s.name]) for s in claim.symbols}
        left = compiled(claim.statement.left)(values)
        right = compiled(claim.statement.right)(values)
        return abs(float(left) / float(right)) if right else None
    except (InvalidInput, NotExact, Diverged, ValueError, ZeroDivisionError, OverflowError):
        return None
