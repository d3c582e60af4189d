"""Which method to recommend, over all settings of the constants that nobody gave.

The method whose time to the target is nearest to that of the best one, on the average over the
settings (the mean of log(time/best time), with MOST_REGRET as the largest factor). Among methods
within a factor NEAR of it, the one with most supports: a theorem whose assumptions hold on the log
and whose verdict is PROVED or SUPPORTED, and a certified bound that does not let the gap grow.
Methods that favour clients that are heard often are left out where FedAvg's bias matters.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fltheory.claims.evidence import Verdict
from fltheory.core.types import FloatArray
from fltheory.fleet.certified import Guarantee
from fltheory.fleet.conditions import Reading
from fltheory.fleet.gap_curves import over_least
from fltheory.fleet.predict import Prediction
from fltheory.fleet.ranges import FACTORS
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.words import counted, lasting

BIASED = ("fedavg", "afa-cd")
"""Methods that favour clients that are heard often; not recommended if FedAvg's bias exceeds
LITTLE."""
LITTLE = 0.01
NEAR = 1.1
"""Methods this near to the best are equal but for their supports."""
TRUSTED = (Verdict.PROVED, Verdict.SUPPORTED)
"""Verdicts of claims that a recommendation may cite as a support."""


@dataclass(frozen=True)
class Choice:
    """The predictions for all settings, and their supports."""

    predictions: tuple[Prediction, ...]
    readings: tuple[Reading, ...]
    guarantees: tuple[Guarantee, ...]
    bias: float
    tasks: Sequence[LearningTask]
    known: Mapping[str, Verdict]

    @cached_property
    def candidates(self) -> tuple[Prediction, ...]:
        """Methods that reach the target in some setting; only fair ones if bias matters and there
        are any."""
        reached = tuple(p for p in self.predictions if np.isfinite(p.times).any())
        fair = tuple(p for p in reached if p.member not in BIASED)
        return fair if fair and self.bias > LITTLE else reached

    @cached_property
    def regrets(self) -> FloatArray:
        """Time over the least time of any candidate: settings by candidates, each at its best step
        size; MOST_REGRET at most."""
        return over_least(np.stack([p.costs().min(axis=1) for p in self.candidates], axis=1))

    @cached_property
    def best(self) -> Prediction:
        """The candidate to recommend; if there is none, the method that comes closest."""
        if not self.candidates:
            return min(self.predictions, key=lambda p: p.floor)
        scores = np.log(self.regrets).mean(axis=0)
        near = np.flatnonzero(scores <= scores.min() + math.log(NEAR))
        chosen = min(
            near,
            key=lambda k: (
                -self.support(self.candidates[k]),
                self.candidates[k].member != "fedavg",
                scores[k],
            ),
        )
        return self.candidates[chosen]

    def wins(self, prediction: Prediction) -> tuple[int, int]:
        """In how many settings a candidate is the fastest, and within NEAR of it."""
        mine = self.regrets[:, self.candidates.index(prediction)]
        return int((mine <= 1 + 1e-9).sum()), int((mine <= NEAR).sum())

    def changes(self) -> list[tuple[str, str, str]]:
        """Constants and values for which another method has the least mean regret, and which."""
        found = []
        for name in FACTORS:
            for value in sorted({getattr(task, name) for task in self.tasks}):
                rows = [k for k, task in enumerate(self.tasks) if getattr(task, name) == value]
                if len(rows) == len(self.tasks):
                    continue
                scores = np.log(self.regrets[rows]).mean(axis=0)
                other = self.candidates[int(np.argmin(scores))]
                mine = scores[self.candidates.index(self.best)]
                if mine > scores.min() + math.log(NEAR):
                    found.append((name, str(value), other.method))
        return found

    def support(self, prediction: Prediction) -> int:
        """How many hold: a theorem applies; a bound of at most 1 is certified."""
        reading, held = self.reading(prediction), self.guarantee(prediction)
        return (reading is not None and self.holds(reading)) + (
            held is not None and held.bound <= 1
        )

    def holds(self, reading: Reading) -> bool:
        """The assumptions of a theorem hold on the log, and the ledger does not refute it."""
        return reading.applies and self.known.get(reading.claim) in TRUSTED

    def reading(self, prediction: Prediction) -> Reading | None:
        """The theorem about a method."""
        return next(
            (reading for reading in self.readings if prediction.method.startswith(reading.members)),
            None,
        )

    def guarantee(self, prediction: Prediction) -> Guarantee | None:
        """The certified bound of a method."""
        return next((held for held in self.guarantees if held.method == prediction.method), None)

    def robustness(self) -> list[str]:
        """How often the method is the fastest, and what would change that."""
        if len(self.tasks) == 1 or not self.candidates:
            return []
        count = len(self.tasks)
        first, near = self.wins(self.best)
        others = sorted(
            ((self.wins(p)[0], p.method) for p in self.candidates if p is not self.best),
            reverse=True,
        )
        rivals = ", ".join(f"{method} in {wins}" for wins, method in others[:3] if wins)
        told = (
            f"Over {count} settings of the constants that were not given, {self.best.method} is the"
            f" fastest in {first} and within {NEAR - 1:.0%} of the fastest in {near}"
            + (f" (fastest or equal: {rivals})." if rivals else ".")
        )
        changes = [
            f"{method} if {name.replace('_', ' ')} is {value}"
            for name, value, method in self.changes()
        ]
        more = "What would change the choice: " + "; ".join(changes) + "."
        return (
            [told, more] if changes else [told + " No single constant of them changes the choice."]
        )

    def reasons(self) -> list[str]:
        """What is proved about the best method on this log."""
        best = self.best
        return [part for part in (self._theorem(best), self._safety(best)) if part]

    def _theorem(self, prediction: Prediction) -> str:
        reading = self.reading(prediction)
        if reading is None:
            return "No theorem of this report covers it."
        named = f"The theorem of {prediction.method} ({reading.claim}"
        if self.holds(reading):
            return (
                f"{named}, {self.known[reading.claim].name}) applies to this"
                f" log, but with its own step size, {reading.step_size}; it makes no statement"
                " about other step sizes."
            )
        if reading.applies:
            return f"{named}) is not used: the ledger does not support it."
        failing = "; ".join(c.says for c in reading.conditions if c.holds is False)
        return f"{named}) does not apply to this log (failing: {failing})."

    def _safety(self, prediction: Prediction) -> str:
        """What is certified for a method at its step size."""
        held = self.guarantee(prediction)
        if held is None:
            return ""
        where = (
            f"with step size {held.step_size}, over {counted(held.rounds)} of"
            f" {', '.join(held.clients)} from round {held.first_round} on, without noise"
        )
        if held.bound <= 1:
            return (
                f"Certified for all losses with these curvatures: {where}, at most"
                f" {float(held.bound):.3g} of the gap remains."
            )
        return (
            f"Losses with these curvatures may grow at first: {where}, the best certified bound is"
            f" {float(held.bound):.3g} times the initial gap."
        )


def after(prediction: Prediction, column: int) -> str:
    """Rounds and clock time of a prediction at a step size, in words."""
    rounds = prediction.rounds_at(column)
    if rounds is None:
        return "never"
    count, seconds = counted(rounds, prediction.unit), prediction.seconds_at(column)
    timed = count if seconds is None else f"{lasting(seconds)} ({count})"
    repeats = 0 < prediction.log_rounds < rounds and prediction.unit == "rounds"
    return f"{timed}, with the log repeated" if repeats else timed
