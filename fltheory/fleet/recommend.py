"""Which method to recommend: the fastest, where each support of a method is worth half as much
time again.

The two supports are a theorem whose assumptions hold on the log, and a certified bound that does
not let the gap grow at the method's step size over the worst stretch of the log. Methods that
favour clients that are heard often are left out where FedAvg's bias matters.
"""

from dataclasses import dataclass
from functools import cached_property

from fltheory.fleet.certified import Guarantee
from fltheory.fleet.conditions import Reading
from fltheory.fleet.predict import Prediction
from fltheory.fleet.words import counted, lasting

BIASED = ("FedAvg over whoever", "AFA-CD")
"""Methods that favour clients that are heard often; not recommended if FedAvg's bias exceeds
LITTLE."""
LITTLE = 0.01
WORTH = 1.5
"""A method with one more support is preferred even if it takes this many times the rounds or
seconds: a judgement, not a theorem."""
PRICE = (
    "a theorem that applies and a certified bound that does not grow each count as much as a"
    f" factor {WORTH:g} in time"
)


@dataclass(frozen=True)
class Choice:
    """The predictions, fastest first, and their supports."""

    predictions: tuple[Prediction, ...]
    readings: tuple[Reading, ...]
    guarantees: tuple[Guarantee, ...]
    bias: float

    @cached_property
    def candidates(self) -> tuple[Prediction, ...]:
        """Methods that reach the target, fastest first; only fair ones if bias matters and there
        are any."""
        reached = tuple(p for p in self.predictions if p.rounds is not None)
        fair = tuple(p for p in reached if not p.method.startswith(BIASED))
        return fair if fair and self.bias > LITTLE else reached

    @cached_property
    def best(self) -> Prediction:
        """The least time after division by WORTH for each support, plain FedAvg among equals.

        If no method reaches the target, the one that comes closest.
        """
        return min(
            self.candidates,
            key=lambda p: (
                _time(p) / WORTH ** self.support(p),
                not p.method.startswith("FedAvg over"),
            ),
            default=self.predictions[0],
        )

    def support(self, prediction: Prediction) -> int:
        """How many hold: a theorem applies; a bound of at most 1 is certified."""
        reading, held = self.reading(prediction), self.guarantee(prediction)
        return (reading is not None and reading.applies) + (held is not None and held.bound <= 1)

    def reading(self, prediction: Prediction) -> Reading | None:
        """The theorem about a method."""
        return next(
            (reading for reading in self.readings if prediction.method.startswith(reading.members)),
            None,
        )

    def guarantee(self, prediction: Prediction) -> Guarantee | None:
        """The certified bound of a method."""
        return next((held for held in self.guarantees if held.method == prediction.method), None)

    def reasons(self) -> list[str]:
        """The supports of the best method, and why it is preferred to the fastest one and to those
        whose theorem applies."""
        best, soonest = self.best, self.candidates[0]
        told = [self._theorem(best), self._safety(best)]
        if _time(soonest) < _time(best):
            told.append(
                f"{soonest.method} would reach the target after {after(soonest)}, but"
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
            return "No theorem of this report covers it."
        if reading.applies:
            return (
                f"Its theorem ({reading.claim}) applies to this log, but with its own step size,"
                f" {reading.step_size}; it makes no statement about other step sizes."
            )
        return f"Its theorem ({reading.claim}) does not apply to this log ({_failures(reading)})."

    def _safety(self, prediction: Prediction) -> str:
        """What is certified for a method at its step size."""
        held = self.guarantee(prediction)
        if held is None:
            return "Nothing is certified for it at this step size: halve it if the loss grows."
        where = (
            f"over {counted(held.rounds)} of {', '.join(held.clients)} from round"
            f" {held.first_round} on, without noise"
        )
        if held.bound <= 1:
            return (
                f"Certified for all losses with these curvatures: {where}, at most"
                f" {float(held.bound):.3g} of the gap remains."
            )
        return (
            f"With this step size, losses with these curvatures may grow at first: {where}, the"
            f" best certified bound is {float(held.bound):.3g} times the initial gap; start with"
            " half the step size if you cannot afford that."
        )

    def _lacks(self, prediction: Prediction) -> str:
        """Which supports a faster method lacks."""
        reading, held, lacks = self.reading(prediction), self.guarantee(prediction), []
        if reading is None or not reading.applies:
            lacks.append(
                "no theorem covers it"
                if reading is None
                else f"its theorem does not apply ({_failures(reading)})"
            )
        if held is None or held.bound > 1:
            lacks.append(
                "nothing is certified for it"
                if held is None
                else (f"its best certified bound is {float(held.bound):.3g} times the initial gap")
            )
        return " and ".join(lacks)


def after(prediction: Prediction) -> str:
    """Rounds and clock time of a prediction that reaches the target, in words."""
    count = counted(prediction.rounds or 0, prediction.unit)
    timed = count if prediction.seconds is None else f"{lasting(prediction.seconds)} ({count})"
    return f"{timed}, with the log repeated" if prediction.repeats_log else timed


def _time(prediction: Prediction) -> float:
    return prediction.seconds if prediction.seconds is not None else float(prediction.rounds or 0)


def _failures(reading: Reading) -> str:
    return "failing: " + "; ".join(c.says for c in reading.conditions if c.holds is False)
