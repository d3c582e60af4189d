"""Ask for a theorem that holds for all rounds, all numbers of clients and all traces of a
language."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from fltheory.analysis.potentials.generic_client import DoesNotFit
from fltheory.analysis.potentials.language import (
    Delays,
    Language,
    Periodic,
    RandomAvailability,
    Staleness,
    Turns,
    Windows,
)
from fltheory.analysis.potentials.late import has_arrivals
from fltheory.analysis.potentials.question import ForeverQuestion, Target
from fltheory.analysis.potentials.statement import in_words, proved
from fltheory.analysis.potentials.statement_latex import in_latex
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.core.errors import InvalidInput, Missing
from fltheory.core.exact import exact
from fltheory.core.extras import require
from fltheory.core.results import Table, as_dict, as_html, as_text, named_values
from fltheory.core.types import ExactLike, Json

if TYPE_CHECKING:
    from fltheory.analysis.potentials.answer import Answered


class Worth(Enum):
    """How much a number is worth."""

    CERTIFIED = "proved by a potential with rational coefficients, decided exactly"
    NUMERICAL = "a number of the solver, for which no exact proof was found"
    NONE_FOUND = "no potential was found; this does not show that there is none"


@dataclass(frozen=True, repr=False)
class Forever:
    """What was found for all rounds, clients and traces of a language.

    Distance: |x_T - x*|^2 <= rate^T (constant |x_0 - x*|^2 + spread D) + floor D, where D is the
    mean of |grad f_i(x*)|^2. Gradient: the mean of |grad f(x_t)|^2 over t < T is at most constant
    (f(x_0) - inf f)/(step size * T) plus noise_factor sigma^2/m + dissimilarity_factor zeta^2. For
    all step sizes at once, rate is theta in the factor 1 - theta eta_t mu. `largest_step` is
    proved; at `breaks_at` the method fails on a trace and a quadratic, told in `broken_by`, and at
    `cycles_at`, if that is smaller, a run on another loss returns to its start, told in `cycle`.
    `limit` is what the bound tends to as T grows, for the amounts that were given.
    `why` tells what stood in the way.
    """

    status: str
    means: str
    step_size: Fraction | None
    rate: Fraction | float | None
    constant: Fraction | None
    spread: Fraction | None
    floor: Fraction | None
    noise_factor: Fraction | None
    dissimilarity_factor: Fraction | None
    largest_step: Fraction | None
    breaks_at: Fraction | None
    broken_by: str | None
    cycles_at: Fraction | None
    cycle: str | None
    limit: Fraction | None
    statement: str | None
    latex: str | None
    why: str
    certificate: Mapping[str, object] | None

    @property
    def gap(self) -> float | None:
        """Part of the smallest failing step that is not proved to be stable."""
        failing = [one for one in (self.breaks_at, self.cycles_at) if one is not None]
        if self.largest_step is None or not failing:
            return None
        return float(1 - self.largest_step / min(failing))

    def to_dict(self) -> Json:
        """Everything but the certificate."""
        names = [name for name in self.__dataclass_fields__ if name != "certificate"]
        return as_dict({name: getattr(self, name) for name in names} | {"gap": self.gap})

    def tables(self) -> list[Table]:
        shown = {
            name: value
            for name, value in self.to_dict().items()
            if value not in (None, "", "0") and name != "latex"
        }
        numbers = {name: getattr(self, name, value) for name, value in shown.items()}
        return [named_values("for all rounds, clients and traces", numbers)]

    __repr__ = as_text
    _repr_html_ = as_html


def forever(
    algorithm: str,
    *,
    step_size: ExactLike | None = None,
    staleness: int | None = None,
    cold_start: bool = False,
    probability: ExactLike | None = None,
    window: int | None = None,
    pattern: str | None = None,
    delay: int | None = None,
    smoothness: ExactLike = 1,
    strong_convexity: ExactLike = 0,
    convex: bool = True,
    local_steps: int = 1,
    target: str | None = None,
    noise: ExactLike | None = None,
    dissimilarity: ExactLike | None = None,
    clients: int | None = None,
    largest_step: bool = False,
    all_steps: bool = False,
    falling: bool = False,
) -> Forever:
    """Prove a convergence theorem of a method by a potential: for all rounds, all numbers of
    clients, all losses of a class and all traces of a language.

    The language of availability is one of: `staleness`, the largest number of rounds in a row in
    which a client may be silent; `probability` of delivering in each round; `window` of rounds in
    which every client delivers exactly once; `pattern` of 0 and 1 that clients repeat (of A
    and B: two groups that deliver by turns); `delay`, the largest age of the model at which a
    delivery was computed. The target is the distance to the optimum under strong convexity, else
    the mean squared gradient. With `largest_step`, the largest step size with a proof is looked
    for, and the smallest one found at which a periodic trace and a loss break the method.

    `noise` is the variance sigma^2 of a gradient; above 0, the floor that additive noise leaves is
    made small: noise_factor sigma^2/N. `dissimilarity` is the amount D (or zeta^2) of the theorem,
    `clients` the number N (or of deliveries in a round). None of them changes what is proved for
    all amounts; together they make `limit` a number.

    With `all_steps`, one potential covers all step sizes up to `step_size`, and all strong
    convexities up to the given one; with `falling`, also step sizes that never grow.

    >>> found = forever("mifa", staleness=3, strong_convexity="1/10", step_size="3/8")
    >>> found.status, round(float(found.rate), 6)
    ('CERTIFIED', 0.926406)
    """
    require("worst-case", "a potential")
    from fltheory.analysis.potentials.answer import answer, answer_largest

    language = _language(staleness, cold_start, probability, window, pattern, delay)
    functions = FunctionClass(smoothness, strong_convexity, convex)
    amounts = _Amounts.given(noise, dissimilarity, clients)
    if step_size is None and not largest_step:
        raise Missing("step size", "a potential without --largest-step")
    step = None if step_size is None else exact(step_size, "step size")
    question = ForeverQuestion(
        algorithm,
        language,
        functions,
        step if step is not None else 1 / (functions.smoothness * 100),
        local_steps,
        _target(target, functions),
        every_step=all_steps,
        falling=falling,
    )
    question = replace(question, noisy=bool(amounts.noise) and not has_arrivals(question))
    if falling and not all_steps:
        raise InvalidInput("falling step sizes", "go with all step sizes (--all-steps)", "one size")
    if not largest_step:
        return amounts.put_into(_found(answer(question)))
    most, breaks, cycle = answer_largest(question)
    found = answer(question) if step is not None else most
    shown = _found(found) if found is not None else _nothing("no step size with a proof was found")
    return replace(
        amounts.put_into(shown),
        largest_step=None if most is None else most.question.step_size,
        breaks_at=None if breaks is None else breaks.step / functions.smoothness,
        broken_by=None if breaks is None else breaks.told(),
        cycles_at=None if cycle is None else cycle.step / functions.smoothness,
        cycle=None if cycle is None else cycle.told(),
    )


class _Amounts(NamedTuple):
    """How much noise and dissimilarity there is, and how many clients; None if not told."""

    noise: Fraction | None
    dissimilarity: Fraction | None
    clients: int | None

    @classmethod
    def given(
        cls, noise: ExactLike | None, dissimilarity: ExactLike | None, clients: int | None
    ) -> "_Amounts":
        """Checked amounts."""
        found = {
            name: None if value is None else exact(value, name)
            for name, value in (("noise", noise), ("dissimilarity", dissimilarity))
        }
        for name, value in found.items():
            if value is not None and value < 0:
                raise InvalidInput(name, "be at least 0", value)
        if clients is not None and (type(clients) is not int or clients < 1):
            raise InvalidInput("clients", "be a whole number above 0", repr(clients)[:60])
        return cls(found["noise"], found["dissimilarity"], clients)

    def put_into(self, found: Forever) -> Forever:
        """With the limit of the bound, if all that it takes is known: noise_factor sigma^2/N +
        (dissimilarity_factor + floor) D."""
        if found.status != Worth.CERTIFIED.name:
            return found
        other = (found.floor or Fraction(0)) + (found.dissimilarity_factor or Fraction(0))
        limit = Fraction(0)
        if found.noise_factor:
            if self.noise is None or self.clients is None:
                return found
            limit += found.noise_factor * self.noise / self.clients
        if other:
            if self.dissimilarity is None:
                return found
            limit += other * self.dissimilarity
        return replace(found, limit=limit)


def _language(
    staleness: int | None,
    cold: bool,
    probability: ExactLike | None,
    window: int | None,
    pattern: str | None,
    delay: int | None,
) -> Language:
    """The one language that is described."""
    given: dict[str, Callable[[], Language]] = {}
    if staleness is not None:
        given["staleness"] = lambda: Staleness(staleness, cold)
    if probability is not None:
        given["probability"] = lambda: RandomAvailability(exact(probability, "probability"))
    if window is not None:
        given["window"] = lambda: Windows(window)
    if pattern is not None:
        turns = isinstance(pattern, str) and set(pattern) & {"A", "B"}
        given["pattern"] = lambda: Turns(pattern) if turns else Periodic(pattern)
    if delay is not None:
        given["delay"] = lambda: Delays(delay)
    if not given:
        raise Missing("staleness, probability, window, pattern or delay")
    if len(given) > 1:
        raise InvalidInput("language of availability", "be given once", " and ".join(given))
    if cold and staleness is None:
        raise InvalidInput("cold start", "go with a staleness", next(iter(given)))
    return next(iter(given.values()))()


def _target(text: str | None, functions: FunctionClass) -> Target:
    if text is None:
        return Target.DISTANCE if functions.strong_convexity else Target.GRADIENT
    names = {one.value: one for one in Target}
    if text not in names:
        raise InvalidInput("target", f"be one of {', '.join(names)}", repr(text)[:60])
    return names[text]


def _found(answered: "Answered") -> Forever:
    """The numbers of an answer, as they are shown."""
    question, proof = answered.question, answered.outcome.proof
    if proof is None:
        rate = answered.outcome.numerical_rate
        if rate is None:
            return replace(_nothing(answered.outcome.why), step_size=question.step_size)
        status = Worth.NUMERICAL
        shown = replace(_nothing(answered.outcome.why), step_size=question.step_size, rate=rate)
        return replace(shown, status=status.name, means=status.value)
    numbers = proved(question, proof)
    status = Worth.CERTIFIED
    return Forever(
        status.name,
        status.value,
        question.step_size,
        numbers.rate,
        numbers.constant,
        numbers.spread,
        numbers.floor,
        numbers.noise_factor,
        numbers.dissimilarity_factor,
        *(None,) * 6,
        in_words(question, numbers),
        in_latex(question, numbers),
        "",
        answered.document,
    )


def _nothing(why: str) -> Forever:
    status = Worth.NONE_FOUND
    return Forever(status.name, status.value, *(None,) * 15, why, None)


__all__ = ["DoesNotFit", "Forever", "Worth", "forever"]
