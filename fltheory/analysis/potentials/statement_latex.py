"""The theorem that a potential proves as LaTeX text, from the question and the numbers."""

from fractions import Fraction

from fltheory.analysis.potentials.iteration import iteration
from fltheory.analysis.potentials.language import Turns
from fltheory.analysis.potentials.late import has_arrivals
from fltheory.analysis.potentials.question import ForeverQuestion, Target
from fltheory.analysis.potentials.statement import (
    SHORT,
    Proved,
    availability_of,
    decimal_up,
    drawn_of,
    even,
    mean_of,
    only_at,
    weights_of,
)


def in_latex(question: ForeverQuestion, found: Proved) -> str:
    """The theorem as a paragraph of LaTeX, with its hypotheses and its letters."""
    functions, steps = question.functions, question.local_steps
    kind = f"${_latex(functions.smoothness)}$-smooth"
    if functions.strong_convexity:
        of = "\\mu" if question.every_step else _latex(functions.strong_convexity)
        kind += f" and ${of}$-strongly convex"
        if question.every_step:
            kind += f" with $0 < \\mu \\le {_latex(functions.strong_convexity)}$"
    elif functions.convex:
        kind += " and convex"
    size = f"$\\eta = {_latex(question.step_size)}$"
    if question.every_step:
        size = f"$0 < \\eta_t \\le {_latex(question.step_size)}$"
        size += ", never growing" if question.falling else ", constant"
    last = " with minimiser $x^*$"
    if question.target is Target.GRADIENT:
        last = ", bounded below"
    work = f"{steps} local step{'s' * (steps > 1)}"
    return (
        f"\\textbf{{Theorem.}} Let $f_1, \\dots, f_N : \\mathbb R^d \\to \\mathbb R$ be {kind},"
        f" and let $f = \\frac1N \\sum_{{i=1}}^N f_i${last}. Let {question.method}"
        f"{weights_of(question)} run with {work} of size {size}:"
        f" {iteration(question).latex}; $x_t$ is the model before round $t = 0, 1, \\dots$."
        f" Suppose that {availability_of(question)}"
        f"{_noise(question)}. Then, for all $d$, all {even(question)}$N$, all $x_0$, every such"
        f" {drawn_of(question)} and every $T \\ge 1${only_at(question)},\n"
        f"\\[ {_inequality(question, found)}. \\]"
    )


def _inequality(question: ForeverQuestion, found: Proved) -> str:
    mean = "\\mathbb E " if mean_of(question) else ""
    if question.target is Target.GRADIENT:
        right = f"{_up(found.constant)} \\, \\frac{{f(x_0) - \\inf f}}{{\\eta T}}"
        right += _budgets(found) if has_arrivals(question) else ""
        return f"\\frac1T \\sum_{{t<T}} {mean}\\|\\nabla f(x_t)\\|^2 \\le {right}"
    left = f"{mean}\\|x_T - x^*\\|^2 \\le"
    if question.every_step:
        theta = "" if found.rate == 1 else f"{_latex(found.rate)} \\, "
        factor = f"\\prod_{{t<T}} (1 - {theta}\\eta_t \\mu)"
        return f"{left} {factor} \\, \\|x_0 - x^*\\|^2"
    scaled = "" if found.constant == 1 else f"{_up(found.constant)} \\, "
    begin = f"{scaled}\\|x_0 - x^*\\|^2"
    if found.spread:
        begin = f"\\bigl( {begin} + {_up(found.spread)} \\, D \\bigr)"
    rate = _latex(found.rate) if len(str(found.rate)) <= SHORT else _up(found.rate, 9)
    text = f"{left} \\left({rate}\\right)^{{T}} {begin}"
    if found.floor:
        text += f" + {_up(found.floor)} \\, D"
    if has_arrivals(question):
        text += _budgets(found)
    elif found.noise_factor:
        text += f" + {_up(found.noise_factor)} \\, \\frac{{\\sigma^2}}{{N}}"
    if found.spread or found.floor:
        text += f", \\qquad D = {_what(question)}"
    return text


def _budgets(found: Proved) -> str:
    return (
        f" + {_up(found.noise_factor)} \\, \\frac{{\\sigma^2}}{{m}}"
        f" + {_up(found.dissimilarity_factor)} \\, \\zeta^2"
    )


def _noise(question: ForeverQuestion) -> str:
    """What is assumed of the noise and of the clients' difference, where there is some."""
    if has_arrivals(question):
        return (
            "; that the noises $e_{t,i}$ have mean zero and variance at most $\\sigma^2$, given"
            " the past and the availability, and are uncorrelated within a round; that at least"
            " $m$ deliveries arrive in every round; and that"
            " $\\|\\nabla f_i(x) - \\nabla f(x)\\| \\le \\zeta$ for all $i$ and all $x$"
        )
    if question.noisy:
        return (
            "; and that the noise $e_{i,s}$ is drawn in round $s$, independently of all other"
            " noises and of the availability, with mean zero and variance at most $\\sigma^2$"
        )
    return ""


def _what(question: ForeverQuestion) -> str:
    if isinstance(question.language, Turns):
        return "\\|\\nabla f_A(x^*)\\|^2"
    return "\\frac1N \\sum_i \\|\\nabla f_i(x^*)\\|^2"


def _up(value: Fraction, digits: int = 6) -> str:
    """A short number that is at least the value."""
    return _latex(Fraction(text)) if "/" in (text := decimal_up(value, digits)) else text


def _latex(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value)
    return f"\\frac{{{value.numerator}}}{{{value.denominator}}}"
