"""The theorem that a potential proves in words, from the question and the numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.analysis.potentials import noise
from fltheory.analysis.potentials.certificate import question_from_json, read
from fltheory.analysis.potentials.iteration import iteration
from fltheory.analysis.potentials.language import (
    Delays,
    Periodic,
    RandomAvailability,
    Staleness,
    Turns,
    Windows,
)
from fltheory.analysis.potentials.late import has_arrivals
from fltheory.analysis.potentials.question import ForeverQuestion, Target
from fltheory.analysis.potentials.search import Potential
from fltheory.analysis.potentials.weighted import is_weighted, share_of_rounds
from fltheory.core.exact import exact

SHORT = 9
"""Fractions with at most so many digits are shown as they are, others as decimals that round up."""


@dataclass(frozen=True)
class Proved:
    """The numbers of the inequality that is proved, in the user's units.

    Distance: |x_T - x*|^2 <= rate^T (constant |x_0 - x*|^2 + spread D) + floor D with D = mean of
    |grad f_i(x*)|^2. Gradient: mean of |grad f(x_t)|^2 <= constant (f(x_0) - inf f)/(eta T) +
    noise_factor * noise/arrivals + dissimilarity_factor * dissimilarity.
    """

    rate: Fraction
    constant: Fraction
    spread: Fraction = Fraction(0)
    floor: Fraction = Fraction(0)
    noise_factor: Fraction = Fraction(0)
    dissimilarity_factor: Fraction = Fraction(0)


def proved(question: ForeverQuestion, potential: Potential) -> Proved:
    """Read the inequality off the numbers of a potential."""
    numbers, smoothness = potential.numbers, question.functions.smoothness

    def value(*name: str, otherwise: int = 0) -> Fraction:
        return numbers.get((name, ()), Fraction(otherwise))

    if question.every_step:
        return Proved(potential.rate, Fraction(1))
    if isinstance(question.language, Delays) and question.target is Target.GRADIENT:
        gain = value("gains", "g0")
        of_noise, other = (value("budgets", name) / gain for name in "wb")
        return Proved(
            potential.rate,
            question.step / gain,
            noise_factor=of_noise,
            dissimilarity_factor=other,
        )
    if question.target is Target.GRADIENT:
        return Proved(potential.rate, question.step / value("gains", "v"))
    noise_factor = Fraction(0)
    if question.noisy and isinstance(question.language, Staleness):
        noise_factor = (
            noise.floor(numbers, potential.rate, question.step, question.language.bound)
            / smoothness**2
        )
    if isinstance(question.language, Delays):
        lasting = (value("budgets", v) / (1 - potential.rate) / smoothness**2 for v in "wb")
        start = max(value("constant", "x", "x"), Fraction(1))
        return Proved(potential.rate, start, Fraction(0), Fraction(0), *lasting)
    slack = value("budgets", "b") / (1 - potential.rate) + value("slack", "b", "b")
    return Proved(
        potential.rate,
        max(value("constant", "x", "x", otherwise=1), Fraction(1)),
        value("constant", "b", "b") / smoothness**2,
        slack / smoothness**2,
        noise_factor,
    )


def decimal_up(value: Fraction, digits: int = 6) -> str:
    """A short number that is at least the value.

    >>> decimal_up(Fraction(1, 3)), decimal_up(Fraction(3, 8)), decimal_up(Fraction(10**9, 7))
    ('1/3', '3/8', '142858000')
    """
    if len(f"{value}") <= SHORT:
        return str(value)
    shift = digits
    while abs(value) * 10**shift < 10 ** (digits - 1):
        shift += 1
    while abs(value) * Fraction(10) ** shift >= 10**digits:
        shift -= 1
    scale = Fraction(10) ** shift
    up = -((-value * scale).__floor__())
    return f"{up / scale}" if shift <= 0 else f"{up / 10**shift:.{shift}f}".rstrip("0")


def in_words(question: ForeverQuestion, found: Proved) -> str:
    """The theorem in plain words."""
    functions, steps = question.functions, question.local_steps
    size = f"constant size eta = {question.step_size}"
    if question.every_step:
        how = "never growing" if question.falling else "constant"
        size = f"sizes 0 < eta_t <= {question.step_size}, {how},"
    kind = "not necessarily convex, and smooth"
    if functions.convex:
        kind = "convex, and smooth"
    if functions.strong_convexity:
        least = "mu, 0 < mu <= " if question.every_step else ""
        kind = f"strongly convex with constant {least}{functions.strong_convexity}, and smooth"
    last = ", and x* is its minimiser" if question.target is Target.DISTANCE else ", bounded below"
    first = (
        f"Theorem. {question.method}{weights_of(question)}"
        f" runs {steps} local step{'s' * (steps > 1)} of {size}"
        f" with {gradients_of(question)}: {iteration(question).words}; x_t is the model before"
        f" round t = 0, 1, .... The clients' losses f_i on R^d are {kind} with"
        f" constant {functions.smoothness}, and may differ in any way; f is their mean{last}."
        f" Availability: {availability_of(question)}. Then, for every dimension d, every"
        f" {even(question)}number of clients N, every start x_0, every"
        f" such {drawn_of(question)} and every number of rounds T{only_at(question)}, "
    )
    if question.target is Target.GRADIENT:
        return (
            f"{first}the mean of {mean_of(question)}|grad f(x_t)|^2 over t < T is at most"
            f" {decimal_up(found.constant)} (f(x_0) - inf f)/(eta T){_budgets(found)}."
        )
    if question.every_step:
        theta = "" if found.rate == 1 else f"{found.rate} "
        return f"{first}|x_T - x*|^2 <= product over t < T of (1 - {theta}eta_t mu) |x_0 - x*|^2."
    text = (
        f"{first}{mean_of(question)}|x_T - x*|^2 <= {decimal_up(found.rate, 9)}^T {_start(found)}"
    )
    if found.floor:
        text += f" + {decimal_up(found.floor)} D"
    if has_arrivals(question):
        text += _budgets(found)
    elif found.noise_factor:
        text += f" + {decimal_up(found.noise_factor)} sigma^2/N"
    where = f", where D is {_what(question)}" if found.spread or found.floor else ""
    return f"{text}{where}."


def mean_of(question: ForeverQuestion) -> str:
    """The sign of an expectation, where something is drawn at random."""
    random = question.noisy or isinstance(question.language, RandomAvailability)
    return "E " if random or has_arrivals(question) else ""


def availability_of(question: ForeverQuestion) -> str:
    """What clients do."""
    if isinstance(question.language, Delays) and not has_arrivals(question):
        bound = question.language.bound
        return (
            "in every round, the latest update of every client was computed at a model of at most"
            f" {bound} round{'s' * (bound != 1)} before; the delays may differ between clients and"
            " change in any way"
        )
    return question.language.told()


def gradients_of(question: ForeverQuestion) -> str:
    """What is assumed of the gradients."""
    if has_arrivals(question):
        return (
            "noisy gradients (the noises e_{t,i} have mean zero and variance at most"
            " sigma^2, given the past and the availability, and are uncorrelated within a round)"
        )
    if question.noisy:
        return (
            "noisy gradients (the noise e_{i,s} is drawn in round s, independently of all other"
            " noises and of the availability, with mean zero and variance at most sigma^2)"
        )
    return "exact gradients"


def only_at(question: ForeverQuestion) -> str:
    """For which rounds the theorem is stated, if not for all."""
    if isinstance(question.language, Turns):
        return f" that is a multiple of {len(question.language.groups)}"
    return ""


def drawn_of(question: ForeverQuestion) -> str:
    """What a language is a set of."""
    return "law" if isinstance(question.language, RandomAvailability) else "trace"


def even(question: ForeverQuestion) -> str:
    """Two groups of equal size have an even number of clients."""
    return "even " if isinstance(question.language, Turns) else ""


def _what(question: ForeverQuestion) -> str:
    if isinstance(question.language, Turns):
        return "|grad f_A(x*)|^2 (= |grad f_B(x*)|^2)"
    return "the mean of |grad f_i(x*)|^2"


def weights_of(question: ForeverQuestion) -> str:
    """The weights of deliveries, where the method has some."""
    language = question.language
    if not is_weighted(question.method) or not isinstance(
        language, RandomAvailability | Windows | Periodic
    ):
        return ""
    return f" with weights {1 / share_of_rounds(language)}/N"


def _budgets(found: Proved) -> str:
    """Noise and dissimilarity, where the question has them."""
    if not found.noise_factor:
        return ""
    return (
        f" + {decimal_up(found.noise_factor)} sigma^2/m + {decimal_up(found.dissimilarity_factor)}"
        " zeta^2, where m is the number of deliveries in a round (at least), and zeta bounds"
        " |grad f_i - grad f| everywhere"
    )


def _start(found: Proved) -> str:
    scaled = "" if found.constant == 1 else f"{decimal_up(found.constant)} "
    begin = f"{scaled}|x_0 - x*|^2"
    return f"({begin} + {decimal_up(found.spread)} D)" if found.spread else begin


def sentence_of(document: Mapping[str, Any]) -> str:
    """The theorem of a certificate, from its question and numbers alone."""
    model, _, numbers = read(document)
    question = question_from_json(document)
    return in_words(question, proved(question, Potential(model, exact(document["rate"]), numbers)))
