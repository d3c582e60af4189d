"""Fit a run to the conditions of a claim: simpler and simpler versions of it, step sizes that the
conditions determine, the largest step size that they admit."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from fltheory.claims.checks.bound_on_run import measurements
from fltheory.claims.claim import Claim
from fltheory.claims.condition import Condition
from fltheory.claims.measures import WITHOUT_STEP, Measurements
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.ranges import fixed, formulas
from fltheory.claims.spaces.step_roots import STEP, roots_of
from fltheory.traces.trace import Trace

MOST_HALVINGS = 14
"""Maximum number of halvings of a step size in search of one that the claim admits."""

EDGE_STEPS = 6
"""Number of bisections towards the largest admitted step size."""


WITH_STEP = WITHOUT_STEP | {STEP}
"""Quantities that are known before a run is computed."""


def fitted(choices: Choices, claim: Claim, wild: Scenario, *, edge: bool) -> Measurements:
    """What is measured on the first version of the run, simpler and simpler, that meets every
    printed assumption; its step size is halved as often as needed, or set by a condition.

    With `edge`, the step size is then raised to the largest that the claim admits.
    """
    free = {
        a.id
        for a in claim.assumes
        if a.holds in formulas(claim) and STEP not in {s.name for s in a.holds.symbols}
    }
    failing: list[str] = []
    tried: dict[object, list[str]] = {}
    for tamer in _tamer(claim, wild):
        key = (tamer.trace, tamer.problem.noise_squared, tamer.server_step_size)
        if key in tried:
            failing = tried[key]
            continue
        known, decided = measurements(claim, tamer), dict[str, bool]()
        for size in _sizes(claim, tamer, known):
            failing = unmet_at(claim, known, size, decided)
            if not failing:
                trial = known.at(size)
                return trial.at(_pushed(claim, trial, decided)) if edge else trial
            if free & set(failing):
                break  # no step size can help
        tried[key] = failing
    texts = {a.id: a.says for a in claim.assumes}
    choices.reject(", ".join(texts[name] if name in free else name for name in failing))


def unmet_at(
    claim: Claim, known: Measurements, size: Fraction, decided: dict[str, bool]
) -> list[str]:
    """Ids of the printed assumptions that fail with this step size; those that do not speak of it
    are decided once, and kept in `decided`."""
    failing = []
    for one in claim.assumes:
        if not one.stated:
            continue
        if one.id in decided:
            holds = decided[one.id]
        elif not isinstance(one.holds, Condition):
            holds = one.holds(known.at(size).run.scenario) is True
        elif one.holds.names <= WITHOUT_STEP:
            holds = decided[one.id] = one.holds(known) is True
        elif one.holds.names <= WITH_STEP:
            own = {n: size if n == STEP else known.plain(n) for n in one.holds.names}
            holds = one.holds(own) is True
        else:
            holds = one.holds(known.at(size)) is True
        if not holds:
            failing.append(one.id)
    return failing


def _tamer(claim: Claim, wild: Scenario) -> Iterator[Scenario]:
    """The scenario itself, then simpler and simpler versions of it."""
    yield wild
    plain = wild.varied(server_step_size=fixed(claim).get("server_step_size", Fraction(1)))
    yield plain
    equal = plain.varied(
        trace=plain.trace.with_local_steps(max(int(wild.trace.local_steps.max()), 1))
    )
    yield equal
    quiet = equal.varied(problem=replace(equal.problem, noise_squared=0))
    yield quiet
    yield quiet.varied(trace=wild.trace.with_local_steps(1))
    yield quiet.varied(trace=Trace.fresh(wild.trace.delivers))
    for everybody in _everybody(wild.trace):
        yield plain.varied(trace=everybody)
        yield quiet.varied(trace=everybody)


def _everybody(trace: Trace) -> Iterator[Trace]:
    """All clients in every round: with the trace's delays and local steps, then without delays,
    then with one local step each.

    Clients drift apart during local steps even if all of them participate, so the local steps are
    removed last. Absent clients take as many as the client with the fewest, so that equal numbers
    stay equal.
    """
    full, taken = np.ones_like(trace.delivers), trace.local_steps[trace.delivers]
    steps = np.where(trace.delivers, trace.local_steps, taken.min() if taken.size else 1)
    yield from dict.fromkeys(
        (
            Trace.with_delays(full, trace.delays, local_steps=steps),
            Trace.fresh(full, local_steps=steps),
            Trace.fresh(full),
        )
    )


def _sizes(claim: Claim, scenario: Scenario, known: Measurements) -> Iterator[Fraction]:
    """Step sizes to try: those that an equation determines, then the scenario's own, halved
    repeatedly."""
    yield from edges(claim, known, equations_only=True)
    for halvings in range(MOST_HALVINGS):
        yield scenario.local_step_size / 2**halvings


def edges(claim: Claim, known: Measurements, *, equations_only: bool = False) -> Iterator[Fraction]:
    """Rational step sizes at which a condition holds with equality."""
    for condition in formulas(claim):
        if STEP in condition.names and (condition.sign == "=" or not equations_only):
            for root in roots_of(condition, known):
                if isinstance(root, Fraction):
                    yield root


def _pushed(claim: Claim, known: Measurements, decided: dict[str, bool]) -> Fraction:
    """A step size close to the largest that the claim admits: an edge of its conditions, or 1, 1/2,
    1/4 over the smoothness; if none of these is the largest, by bisection."""

    scenario = known.run.scenario

    def admits(size: Fraction) -> bool:
        return not unmet_at(claim, known, size, decided)

    low = scenario.local_step_size
    smoothness = scenario.problem.constants.smoothness
    sizes = sorted(
        {
            *edges(claim, known),
            *(
                (share / smoothness for share in (Fraction(1), Fraction(1, 2), Fraction(1, 4)))
                if smoothness
                else ()
            ),
        },
        reverse=True,
    )
    low = next((size for size in sizes if size > low and admits(size)), low)
    for factor in (1000, 10, 2):
        if admits(low * factor):
            return low * factor
    if low in sizes and not admits(low * Fraction(65, 64)):
        return low
    high = 2 * low
    for _ in range(EDGE_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if admits(middle) else (low, middle)
    return low
