"""Suggestions: changes that make a refuted claim true on everything that was tried. They are not
theorems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from fltheory.attacks.decide import told_factor
from fltheory.claims.checks.bound_on_run import on_scenario, unmet
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Identity, Order
from fltheory.claims.fast_evaluation import Number, as_number
from fltheory.claims.measures import measure
from fltheory.claims.measures_of_outcomes import OUTCOMES
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices, Rejected
from fltheory.claims.spaces.ranges import formulas
from fltheory.claims.spaces.scoring import UNTOLD, Look, look, ratio_of
from fltheory.claims.spaces.space import Space
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.vocabulary import WORDS
from fltheory.papers import papers
from fltheory.traces.trace import Trace

TEST_DRAWS = 80
"""Number of fresh draws on which a suggestion is tested."""

OF_RUNS = ("max_delay", "num_clients")
"""Quantities of a run, cheap to measure, that a suggested condition may use even if they do not
occur in the statement."""

COMPLETED_RUNS, LEAST_HELD = 20, 3
"""Maximum number of broken runs to repeat with all clients in every round, and how many of these
must hold."""

LEAST_SHARE = Fraction(1, 10)
"""A suggested condition must leave at least this share of the instances."""

LARGEST_FACTOR = 10**300
"""The largest factor on a side that is suggested."""


@dataclass(frozen=True)
class Tried:
    """A drawn instance and the look at it."""

    instance: Instance
    seen: Look

    @property
    def broken(self) -> bool:
        return self.seen.score > 1e-9


def suggestions(
    claim: Claim, spaces: Sequence[Space], *, seed: int, extra: Sequence[Instance] = ()
) -> list[str]:
    """Sentences, the smallest change first; empty if no simple change helps."""
    if isinstance(claim.statement, Order):
        return []
    tried = [
        Tried(instance, look(claim, instance))
        for instance in (*extra, *_draws(claim, spaces, seed))
    ]
    tried = [one for one in tried if one.seen.score > UNTOLD]
    bad = [one for one in tried if one.broken]
    if not bad:
        return []
    drawn = f"{len(tried)} instances drawn to test it"
    added, factor = (
        [f"{sentence} (a suggestion: it holds on {drawn})" for sentence in told]
        for told in (_unstated(claim, bad), _constant(claim, tried))
    )
    left = [
        f"{sentence} (a suggestion: it holds on the {count} that this leaves of {drawn})"
        for count, sentence in _thresholds(claim, tried)
    ]
    return [*_everybody(claim, bad), *added, *left[:2], *factor]


def _draws(claim: Claim, spaces: Sequence[Space], seed: int) -> list[Instance]:
    found = []
    for number in range(TEST_DRAWS if spaces else 0):
        try:
            found.append(
                spaces[number % len(spaces)].draw(Choices.fresh(seed, number // len(spaces)), claim)
            )
        except (Rejected, InvalidInput, NotExact):
            continue
    return found


def _unstated(claim: Claim, bad: Sequence[Tried]) -> list[str]:
    """Assumptions that the claim lists as needed but not printed, if they exclude every
    contradiction and every contradiction comes from a run."""
    found = []
    for assumption in claim.assumes:
        runs = [run for one in bad if (run := _run(one))]
        if (
            not assumption.stated
            and len(runs) == len(bad)
            and all(assumption.id in unmet(claim, run) for run in runs)
        ):
            found.append(f"add the assumption that the paper does not state: {assumption.says}")
    return found


def _everybody(claim: Claim, bad: Sequence[Tried]) -> list[str]:
    """The condition that all clients deliver in every round, if the runs that broke the claim
    satisfy it once they are completed in this way.

    Few draws meet the condition, so a threshold on the window would rarely be found.
    """
    held = 0
    for run in [run for one in bad if (run := _run(one))][:COMPLETED_RUNS]:
        everybody = np.ones_like(run.trace.delivers)
        steps = np.where(
            run.trace.delivers, run.trace.local_steps, max(int(run.trace.local_steps.max()), 1)
        )
        try:
            whole = replace(run, trace=Trace(everybody, run.trace.started_from, steps))
            if not unmet(claim, whole, stated_only=True):
                if Tried(instance := on_scenario(claim, whole), look(claim, instance)).broken:
                    return []
                held += 1
        except (InvalidInput, NotExact):
            continue
    told = (
        "restrict it to availability window = 1: all clients deliver in every round (a suggestion:"
        f" {held} runs that broke it satisfy it then)"
    )
    return [told] if held >= LEAST_HELD else []


def _run(one: Tried) -> Scenario | None:
    run = (one.instance.scenario or {}).get("run")
    return Scenario.from_json(run) if run else None


def _thresholds(claim: Claim, tried: Sequence[Tried]) -> list[tuple[int, str]]:
    """Conditions `symbol <= t` or `>= t` that exclude every contradiction, with the number of
    instances that they leave, the most first."""
    found: list[tuple[int, str]] = []
    known = [(_numbers(claim, one), one.broken) for one in tried]
    for name in sorted({name for numbers, _ in known for name in numbers}):
        if any(name not in numbers for numbers, _ in known):
            continue
        rows = [(numbers[name], broken) for numbers, broken in known]
        wrong = [value for value, broken in rows if broken]
        for sign, edge in (("<", min(wrong)), (">", max(wrong))):
            left = [value for value, _ in rows if (value < edge if sign == "<" else value > edge)]
            if len(left) >= LEAST_SHARE * len(rows) and left:
                limit = max(left) if sign == "<" else min(left)
                told = str(limit) if len(str(limit)) <= 12 else f"{float(limit):.6g} or so"
                found.append((len(left), f"restrict it to {name.replace('_', ' ')} {sign}= {told}"))
    return sorted(found, reverse=True)


def outputs_of(claim: Claim) -> set[str]:
    """Symbols that nobody can choose: outcomes of runs, a side of the claim, and letters of a
    paper that no condition speaks of, for these are computed from the others."""
    names = {s.name for s in claim.symbols}
    sides = {str(claim.statement.left), str(claim.statement.right)}
    inputs = {s.name for condition in formulas(claim) for s in condition.symbols}
    known = {word.name for word in WORDS}
    letters = names - known - inputs if claim.source.paper.key in papers() else set()
    return sides | set(OUTCOMES) | letters


def _numbers(claim: Claim, one: Tried) -> Mapping[str, Fraction]:
    """The exact values of an instance and of its run, except those that are a side of the claim."""
    outputs = outputs_of(claim)
    run = _run(one)
    values = {**(measure(run, OF_RUNS) if run else {}), **one.instance.values}
    numbers = {name: as_number(value) for name, value in values.items() if name not in outputs}
    return {name: value for name, value in numbers.items() if isinstance(value, Fraction)}


def _constant(claim: Claim, tried: Sequence[Tried]) -> list[str]:
    """A factor on the right side that covers the worst ratio found, for bounds with positive
    sides."""
    if isinstance(claim.statement, Identity):
        return []
    positive = [one for one in tried if one.seen.left > 0 and one.seen.right > 0]
    if not positive or any(one.broken for one in tried if one not in positive):
        return []
    least = claim.statement.sign == ">="
    factor = max(_off(one.seen, least) for one in positive)
    if factor >= LARGEST_FACTOR:  # no constant helps, and floats may not show the ratio
        return []
    return [
        f"{'divide' if least else 'multiply'} the right side by {told_factor(factor, up=True)} or"
        " more"
    ]


def _off(seen: Look, least: bool) -> Number:
    """left/right, or right/left for a lower bound; exact if the sides are."""
    if not seen.exact:
        return ratio_of(seen.score)
    return seen.right / seen.left if least else seen.left / seen.right
