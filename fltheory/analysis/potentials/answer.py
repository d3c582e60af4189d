"""From a question to a potential: which model and which search."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from fltheory.analysis.potentials import noise
from fltheory.analysis.potentials.arrivals import arrivals_model
from fltheory.analysis.potentials.certificate import certificate, refuted
from fltheory.analysis.potentials.cycles import Cycle, smallest_cycle
from fltheory.analysis.potentials.generic_client import DoesNotFit
from fltheory.analysis.potentials.language import Delays, Staleness, Turns
from fltheory.analysis.potentials.late import has_arrivals
from fltheory.analysis.potentials.program import Unknown
from fltheory.analysis.potentials.question import ForeverQuestion, Target
from fltheory.analysis.potentials.questions import model_of
from fltheory.analysis.potentials.search import (
    Outcome,
    Potential,
    at_rate,
    cheapest,
    largest,
    smallest_floor,
    smallest_rate,
)
from fltheory.analysis.potentials.sharpness import (
    Breaks,
    breaking,
    candidates,
    lowest_rate,
    period_map,
)
from fltheory.analysis.potentials.weighted import is_weighted
from fltheory.core.types import Json

NEARLY = Fraction(1, 10**4)
"""A rate that exceeds its lower limit by less than this part of the distance to 1 is as good."""

RELAXED = (Fraction(1, 10**4), Fraction(1, 10**3), Fraction(1, 100))
"""How much of the distance to 1 a rate may lose for a smaller constant."""

START = (("constant", "x", "x"), ())
START_SPREAD = (("constant", "b", "b"), ())
GAIN = ("gains", "g0")
USUAL_CONSTANT = Fraction(2)

THETAS = (Fraction(1), Fraction(9, 10), Fraction(1, 2), Fraction(1, 10))

SLACK: Mapping[Unknown, float] = {(("slack", "b", "b"), ()): 1.0}
"""What V may lack of |x - x*|^2, in states whose potential differs from it."""

FALL: Unknown = (("gains", "v"), ())

FLOOR: Mapping[Unknown, float] = {**SLACK, START: 1e-4, START_SPREAD: 1e-4}
MANY_SPANS = tuple(k / 25 for k in range(1, 25))


RICH_DELAY = 5
"""Up to this delay potentials of late updates also know the gradients of the last rounds."""

STARTED = ("bernoulli", "windows", "periodic", "delays")
"""Languages whose potential begins with a constant that is to be made small."""


@dataclass(frozen=True)
class Answered:
    """A question with what was found; the document is None without a proof."""

    question: ForeverQuestion
    outcome: Outcome
    document: Json | None


def answer(question: ForeverQuestion) -> Answered:
    """The best proof that is found for a question."""
    if question.noisy and (
        question.every_step or question.local_steps > 1 or question.target is Target.GRADIENT
    ):
        raise DoesNotFit("a floor of noise is for one step size, one local step and the distance")
    if question.every_step:
        return _box(question)
    if isinstance(question.language, Delays) and question.target is Target.GRADIENT:
        return _arrivals(question, question.language)
    if question.target is Target.GRADIENT:
        return _answered(question, _falling(cheapest(model_of(question), {FALL: -1.0})))
    if is_weighted(question.method):
        return _weighted(question)
    lowest = lowest_rate(question)
    if lowest >= 1:
        why = "at this step size the method does not converge on a quadratic"
        return Answered(question, Outcome(None, None, why), None)
    if question.local_steps > 1:
        started: dict[Unknown, float] = {START: 1e-4} if question.language.kind in STARTED else {}
        late = not isinstance(question.language, Staleness) or question.language.bound > 0
        costs_at = partial(_floor, more={**started, **(SLACK if late else {})})
        return _answered(question, smallest_floor(model_of(question), lowest, costs_at))
    if isinstance(question.language, Turns):
        found = smallest_floor(model_of(question), lowest, lambda rate: FLOOR, MANY_SPANS)
        return _answered(question, found)
    if has_arrivals(question):
        return _answered(question, smallest_floor(model_of(question), lowest, _late, MANY_SPANS))
    if question.noisy:
        return _noisy(question, lowest)
    plain = smallest_rate(model_of(question), lowest)
    near = plain.proof is not None and plain.proof.rate <= lowest + NEARLY * (1 - lowest)
    cold = isinstance(question.language, Staleness) and question.language.cold
    if cold or question.language.kind in STARTED:
        plain = _cheaper(plain)
    if _too_late(question) or near:
        return _answered(question, plain)
    rich = smallest_rate(model_of(question, rich=True), lowest)
    if rich.proof is None or (plain.proof is not None and plain.proof.rate <= rich.proof.rate):
        return _answered(question, plain)
    return _answered(question, _cheaper(rich), rich=True)


class Limits(NamedTuple):
    """The largest step with a proof, and the smallest steps at which a quadratic or another loss
    is known on which the method fails."""

    most: Answered | None
    breaks: Breaks | None
    cycle: Cycle | None


def answer_largest(question: ForeverQuestion) -> Limits:
    """Both sides of the largest step."""
    asked_for = _stable(question)  # refuses a method that does not fit
    breaks = breaking(question)
    cycle = None if breaks is None else smallest_cycle(question, breaks.step)
    high = min((one.step for one in (breaks, cycle) if one is not None), default=Fraction(4))
    proofs: dict[Fraction, Answered] = {}

    def accepts(step: Fraction) -> bool:
        asked = replace(question, step_size=step / question.functions.smoothness)
        found = _stable(asked)
        if found.document is not None:
            proofs[step] = found
        return found.document is not None

    best = largest(accepts, Fraction(0), high)
    if best is not None:
        return Limits(proofs[best], breaks, cycle)
    return Limits(asked_for if asked_for.document is not None else None, breaks, cycle)


def _stable(question: ForeverQuestion) -> Answered:
    """Any proof at a step: the plain potential, or the rich one."""
    whole = question.local_steps > 1 or question.every_step or is_weighted(question.method)
    if question.target is Target.GRADIENT or whole:
        return answer(question)
    lowest = lowest_rate(question)
    for rich in (False,) if _too_late(question) else (True,):
        if lowest < 1:
            found = smallest_rate(model_of(question, rich=rich), lowest)
            if found.proof is not None:
                return _answered(question, found, rich=rich)
    return Answered(question, Outcome(None, None), None)


def _too_late(question: ForeverQuestion) -> bool:
    """Whether the rich potential of late updates would be too large."""
    return isinstance(question.language, Delays) and question.language.bound > RICH_DELAY


def _late(rate: float) -> Mapping[Unknown, float]:
    return {(("budgets", v), ()): 1 / (1 - rate) for v in "wb"} | {START: 1e-4}


def _floor(rate: float, more: Mapping[Unknown, float]) -> Mapping[Unknown, float]:
    return {(("budgets", "b"), ()): 1 / (1 - rate), **more}


def _falling(found: Outcome) -> Outcome:
    """A potential that never rises bounds no gradient: it must fall by part of each."""
    if found.proof is not None and found.proof.numbers[FALL] == 0:
        return Outcome(None, None, "the potential found does not fall")
    return found


def _cheaper(found: Outcome) -> Outcome:
    """A proof with nearly the smallest constant, at a rate that is hardly larger."""
    for part in RELAXED if found.proof is not None else ():
        assert found.proof is not None
        rate = _short(found.proof.rate + (1 - found.proof.rate) * part)
        begins: dict[Unknown, float] = {
            name: 1.0 for name in (START, START_SPREAD) if name in found.proof.numbers
        }
        cheap = cheapest(found.proof.model, begins, rate)
        if cheap.proof is not None:
            return cheap
    return found


def _weighted(question: ForeverQuestion) -> Answered:
    """The proof with the smallest floor; the constants at the start count a little."""
    model = model_of(question)
    usual = (1 - min(question.step, Fraction(1)) * question.lowest) ** 2
    costs_at = partial(_floor, more=FLOOR)
    return _answered(question, smallest_floor(model, usual, costs_at, MANY_SPANS))


def _noisy(question: ForeverQuestion, lowest: Fraction) -> Answered:
    """The proof with the smallest floor of additive noise."""
    language = question.language
    if not isinstance(language, Staleness) or language.cold:
        raise DoesNotFit("a floor of noise needs a staleness, and everybody in round 0")
    bound = language.bound
    if not bound:
        return _answered(question, smallest_rate(model_of(question), lowest))

    def floor_costs(rate: float) -> Mapping[Unknown, float]:
        return noise.costs(question.step, bound, rate)

    model, spans = model_of(question), MANY_SPANS
    return _answered(question, smallest_floor(model, lowest, floor_costs, spans, noise.with_sizes))


def _box(question: ForeverQuestion) -> Answered:
    """The largest factor theta of the rate 1 - theta eta mu among a few for which a proof is
    found."""
    model = model_of(question)
    together = next(candidates(question.language))
    if not period_map(question, together, question.step)[0]:
        why = "at the largest step size the method does not converge on a quadratic"
        return Answered(question, Outcome(None, None, why), None)
    for theta in THETAS:
        found = at_rate(model, theta)
        if found.proof is not None:
            return _answered(question, found)
    return _answered(question, found)


def _arrivals(question: ForeverQuestion, language: Delays) -> Answered:
    """The constant before f(x_0) - inf f is 2, or a quarter above the smallest one if that is
    larger; then the sum of the factors of noise and dissimilarity is made small."""
    if is_weighted(question.method):
        raise DoesNotFit(
            "with weights of clients and late work a round has no fixed total weight; afa-cd is"
            " asynchronous aggregation in which the arrivals of a round are averaged"
        )
    free = arrivals_model(question, language, None)
    best = cheapest(free, {(GAIN, ()): -1.0})
    if best.proof is None:
        return _answered(question, best)
    smallest = question.step / best.proof.numbers[GAIN, ()]
    wanted = max(USUAL_CONSTANT, Fraction(round(1250 * smallest), 1000))
    gain = question.step / wanted
    costs: Mapping[Unknown, float] = {(("budgets", v), ()): 1.0 for v in "wb"}
    found = cheapest(arrivals_model(question, language, gain), costs)
    if found.proof is None:
        return _answered(question, best)
    numbers = {**found.proof.numbers, (GAIN, ()): gain}
    return _answered(question, Outcome(Potential(free, Fraction(1), numbers), 1.0))


def _short(value: Fraction) -> Fraction:
    return Fraction(int(value * 10**9) + 1, 10**9)


def _answered(question: ForeverQuestion, outcome: Outcome, *, rich: bool = False) -> Answered:
    """The document of a proof, decided once more from the question and the numbers alone."""
    if outcome.proof is None:
        return Answered(question, outcome, None)
    document = certificate(question, outcome.proof, rich=rich)
    problems = refuted(document)
    if problems:
        return Answered(question, Outcome(None, outcome.numerical_rate, problems[0]), None)
    return Answered(question, outcome, document)
