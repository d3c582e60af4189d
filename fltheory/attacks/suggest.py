"""Suggestions: what would make a refuted claim true on everything that was tried. Never a
theorem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.attacks.decide import told_factor
from fltheory.claims.checks.bound_on_run import on_scenario, unmet
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Identity, Order
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices, Rejected
from fltheory.claims.spaces.fast_evaluation import as_number
from fltheory.claims.spaces.scoring import UNTOLD, Look, look, ratio_of
from fltheory.claims.spaces.space import Space
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.traces.trace import Trace

TRIED = 80
"""Fresh draws that a suggestion is tested on."""

OF_RUNS = ("max_delay", "num_clients")
"""Quantities of a run that a suggested condition may be about though the statement does not speak
of them: cheap to measure."""

COMPLETED, FEWEST = 20, 3
"""Most broken runs that are tried again with everybody in every round, and the fewest that must
hold then."""

KEPT = Fraction(1, 10)
"""A suggested condition must leave at least this share of the instances."""


MOST_FACTOR = 10**300
"""The largest factor on a side that is suggested."""


@dataclass(frozen=True)
class Tried:
    """An instance that was drawn, and what a look at it showed."""

    instance: Instance
    seen: Look

    @property
    def broken(self) -> bool:
        return self.seen.score > 1e-9


def suggestions(
    claim: Claim, spaces: Sequence[Space], *, seed: int, extra: Sequence[Instance] = ()
) -> list[str]:
    """Sentences, the least intrusive change first; empty where none of the simple ones helps."""
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
    for number in range(TRIED if spaces else 0):
        try:
            found.append(
                spaces[number % len(spaces)].draw(Choices.fresh(seed, number // len(spaces)), claim)
            )
        except (Rejected, InvalidInput, NotExact):
            continue
    return found


def _unstated(claim: Claim, bad: Sequence[Tried]) -> list[str]:
    """Assumptions that the claim lists as needed but not printed, where they exclude every
    contradiction that comes from a run."""
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
    """The condition that everybody delivers in every round, where the runs that broke the claim
    hold once they are completed so.

    Few draws meet it by themselves, so that a threshold on the window would rarely be seen.
    """
    held = 0
    for run in [run for one in bad if (run := _run(one))][:COMPLETED]:
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
        "restrict it to availability window = 1: everybody delivers in every round (a suggestion:"
        f" {held} runs that broke it held so)"
    )
    return [told] if held >= FEWEST else []


def _run(one: Tried) -> Scenario | None:
    run = (one.instance.scenario or {}).get("run")
    return Scenario.from_json(run) if run else None


def _thresholds(claim: Claim, tried: Sequence[Tried]) -> list[tuple[int, str]]:
    """Conditions `symbol <= t` or `>= t` that exclude every contradiction and leave the most
    instances, with how many they leave."""
    found: list[tuple[int, str]] = []
    known = [(_numbers(claim, one), one.broken) for one in tried]
    for name in sorted({name for numbers, _ in known for name in numbers}):
        if any(name not in numbers for numbers, _ in known):
            continue
        rows = [(numbers[name], broken) for numbers, broken in known]
        wrong = [value for value, broken in rows if broken]
        for sign, edge in (("<", min(wrong)), (">", max(wrong))):
            left = [value for value, _ in rows if (value < edge if sign == "<" else value > edge)]
            if len(left) >= KEPT * len(rows) and left:
                limit = max(left) if sign == "<" else min(left)
                told = str(limit) if len(str(limit)) <= 12 else f"{float(limit):.6g} or so"
                found.append((len(left), f"restrict it to {name.replace('_', ' ')} {sign}= {told}"))
    return sorted(found, reverse=True)


def _numbers(claim: Claim, one: Tried) -> Mapping[str, Any]:
    """The exact values of an instance, and of its run, that are not a side of the claim by
    themselves."""
    sides = {str(claim.statement.left), str(claim.statement.right)}
    run = _run(one)
    values = (measure(run, OF_RUNS) if run else {}) | dict(one.instance.values)
    numbers = {name: as_number(value) for name, value in values.items() if name not in sides}
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
    if (
        factor >= MOST_FACTOR
    ):  # sides so far apart that no constant helps, and floats may not tell their ratio
        return []
    return [
        f"{'divide' if least else 'multiply'} the right side by {told_factor(factor, up=True)} or"
        " more"
    ]


def _off(seen: Look, least: bool) -> Any:
    """left/right, of a lower bound right/left; exact where the sides are."""
    if not seen.exact:
        return ratio_of(seen.score)
    return seen.right / seen.left if least else seen.left / seen.right
