"""Which method to recommend: the soonest, where each of two supports of a method is worth half as
much time again.

The supports are a theorem whose assumptions hold on the log, and a certified bound that does not
let the gap grow at the method's step size over the worst stretch of the log. Methods that lean
towards clients that are heard often are left out where FedAvg's bias matters.
"""

from dataclasses import dataclass
from functools import cached_property

from fltheory.fleet.certified import Guarantee
from fltheory.fleet.predict import Prediction
from fltheory.fleet.theorems import Reading

BIASED = ("FedAvg over whoever", "AFA-CD")
"""Methods that lean towards clients that are heard often; not recommended where FedAvg's bias is
more than LITTLE."""
LITTLE = 0.01
WORTH = 1.5
"""A method with one support more is preferred up to so many times the rounds or seconds: a
judgement, not a theorem."""
PRICE = (
    "a theorem that applies, and a certified bound that does not grow, are each taken to be worth"
    f" {WORTH:g} times the time"
)


@dataclass(frozen=True)
class Choice:
    """The predictions, best first, with what supports them."""

    predictions: tuple[Prediction, ...]
    readings: tuple[Reading, ...]
    guarantees: tuple[Guarantee, ...]
    bias: float

    @cached_property
    def candidates(self) -> tuple[Prediction, ...]:
        """Methods that reach the target, the soonest first; fair ones where bias matters and there
        are some."""
        reached = tuple(p for p in self.predictions if p.rounds is not None)
        fair = tuple(p for p in reached if not p.method.startswith(BIASED))
        return fair if fair and self.bias > LITTLE else reached

    @cached_property
    def best(self) -> Prediction:
        """The least time after division by WORTH for each support, plain FedAvg among equals; the
        method that comes closest where none reaches the target."""
        return min(
            self.candidates,
            key=lambda p: (
                _time(p) / WORTH ** self.support(p),
                not p.method.startswith("FedAvg over"),
            ),
            default=self.predictions[0],
        )

    def support(self, prediction: Prediction) -> int:
        """0, 1 or 2: a theorem applies, and a certified bound of at most 1."""
        reading, held = self.reading(prediction), self.guarantee(prediction)
        return (reading is not None and reading.applies) + (held is not None and held.bound <= 1)

    def reading(self, prediction: Prediction) -> Reading | None:
        """The theorem that speaks of a method."""
        return next(
            (reading for reading in self.readings if prediction.method.startswith(reading.members)),
            None,
        )

    def guarantee(self, prediction: Prediction) -> Guarantee | None:
        """What is certified of a method."""
        return next((held for held in self.guarantees if held.method == prediction.method), None)

    def reasons(self) -> list[str]:
        """What supports the best method, and why it is preferred to the soonest one and to those
        whose theorem applies."""
        best, soonest = self.best, self.candidates[0]
        told = [self._theorem(best), self._safety(best)]
        if _time(soonest) < _time(best):
            told.append(
                f"{soonest.method} would be there after {after(soonest)}, but"
                f" {self._lacks(soonest)}; {PRICE}."
            )
        if (reading := self.reading(best)) is None or not reading.applies:
            covered = next(
                (p for p in self.candidates if (r := self.reading(p)) is not None and r.applies),
                None,
            )
            told.append(
                "No method that reaches the target has a theorem that applies."
                if covered is None
                else (
                    f"{covered.method}, whose theorem applies, would need {after(covered)};"
                    f" {PRICE}."
                )
            )
        return [part for part in told if part]

    def _theorem(self, prediction: Prediction) -> str:
        reading = self.reading(prediction)
        if reading is None:
            return "No theorem of this report speaks of it."
        if reading.applies:
            return (
                f"Its theorem ({reading.claim}) applies on this log, but with a step size of its"
                f" own, {reading.step_size}; of another one it says nothing."
            )
        return f"Its theorem ({reading.claim}) does not apply on this log ({_failures(reading)})."

    def _safety(self, prediction: Prediction) -> str:
        """What is certified of a method at its step size."""
        held = self.guarantee(prediction)
        if held is None:
            return "Nothing is certified of it at this step size: halve it if the loss grows."
        where = (
            f"over {counted(held.rounds)} of {', '.join(held.clients)} from round"
            f" {held.first_round} on, without noise"
        )
        if held.bound <= 1:
            return (
                f"Certified for all losses with these curvatures: {where}, at most"
                f" {float(held.bound):.3g} of the gap is left."
            )
        return (
            f"With this step size losses with these curvatures may first grow: {where}, a gap of"
            f" {float(held.bound):.3g} times the first is all that is certified; begin with half of"
            " the step size if you cannot afford that."
        )

    def _lacks(self, prediction: Prediction) -> str:
        """Why a sooner method has less support."""
        reading, held, lacks = self.reading(prediction), self.guarantee(prediction), []
        if reading is None or not reading.applies:
            lacks.append(
                "no theorem speaks of it"
                if reading is None
                else f"its theorem does not apply ({_failures(reading)})"
            )
        if held is None or held.bound > 1:
            lacks.append(
                "nothing is certified of it"
                if held is None
                else (
                    f"a gap of {float(held.bound):.3g} times the first is all that is certified"
                    " of it"
                )
            )
        return " and ".join(lacks)


def after(prediction: Prediction) -> str:
    """Rounds and clock time of a prediction that reaches the target, in words; a log that is
    shorter is repeated."""
    count = counted(prediction.rounds or 0, prediction.unit)
    timed = count if prediction.seconds is None else f"{lasting(prediction.seconds)} ({count})"
    return f"{timed}, for which the log is repeated" if prediction.repeats_log else timed


def counted(number: int, unit: str = "rounds") -> str:
    """A number with its unit.

    >>> counted(1), counted(2, "updates")
    ('1 round', '2 updates')
    """
    return f"{number} {unit.removesuffix('s') if number == 1 else unit}"


def lasting(seconds: float) -> str:
    """Seconds, and hours where there are many.

    >>> lasting(630.4), lasting(8449)
    ('630.4 s', '8449 s = 2.3 h')
    """
    return f"{seconds:.4g} s" if seconds < 3600 else f"{seconds:.0f} s = {seconds / 3600:.1f} h"


def _time(prediction: Prediction) -> float:
    return prediction.seconds if prediction.seconds is not None else float(prediction.rounds or 0)


def _failures(reading: Reading) -> str:
    return "what fails: " + "; ".join(c.says for c in reading.conditions if c.holds is False)
