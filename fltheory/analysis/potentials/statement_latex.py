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
        size = f"$\\eta_t \\le {_latex(question.step_size)}$"
        size += ", never growing" if question.falling else ", constant"
    optimum = " with minimiser $x^*$" if question.target is Target.DISTANCE else ""
    work = f"{steps} local step{'s' * (steps > 1)}"
    return (
        f"\\textbf{{Theorem.}} Let $f_1, \\dots, f_N$ be {kind}, and let"
        f" $f = \\frac1N \\sum_{{i=1}}^N f_i${optimum}. Let {question.method}"
        f"{weights_of(question)} run with {work} of size {size}:"
        f" {iteration(question).latex}. Suppose that {availability_of(question)}"
        f"{_noise(question)}. Then, for all $N$ and every $T${only_at(question)},\n"
        f"\\[ {_inequality(question, found)}. \\]"
    )


def _inequality(question: ForeverQuestion, found: Proved) -> str:
    mean = "\\mathbb E " if mean_of(question) else ""
    if question.target is Target.GRADIENT:
        right = f"{decimal_up(found.constant)} \\, \\frac{{f(x_0) - \\inf f}}{{\\eta T}}"
        right += _budgets(found) if has_arrivals(question) else ""
        return f"\\frac1T \\sum_{{t<T}} {mean}\\|\\nabla f(x_t)\\|^2 \\le {right}"
    left = f"{mean}\\|x_T - x^*\\|^2 \\le"
    if question.every_step:
        theta = "" if found.rate == 1 else f"{_latex(found.rate)} \\, "
        factor = f"\\prod_{{t<T}} (1 - {theta}\\eta_t \\mu)"
        return f"{left} {factor} \\, \\|x_0 - x^*\\|^2"
    scaled = "" if found.constant == 1 else f"{decimal_up(found.constant)} \\, "
    begin = f"{scaled}\\|x_0 - x^*\\|^2"
    if found.spread:
        begin = f"\\bigl( {begin} + {decimal_up(found.spread)} \\, D \\bigr)"
    rate = _latex(found.rate) if len(str(found.rate)) <= SHORT else decimal_up(found.rate, 9)
    text = f"{left} \\left({rate}\\right)^{{T}} {begin}"
    if found.floor:
        text += f" + {decimal_up(found.floor)} \\, D"
    if has_arrivals(question):
        text += _budgets(found)
    elif found.noise_factor:
        text += f" + {decimal_up(found.noise_factor)} \\, \\frac{{\\sigma^2}}{{N}}"
    if found.spread or found.floor:
        text += f", \\qquad D = {_what(question)}"
    return text


def _budgets(found: Proved) -> str:
    return (
        f" + {decimal_up(found.noise_factor)} \\, \\frac{{\\sigma^2}}{{m}}"
        f" + {decimal_up(found.dissimilarity_factor)} \\, \\zeta^2"
    )


def _noise(question: ForeverQuestion) -> str:
    """What is assumed of the noise and of the clients' difference, where there is some."""
    if has_arrivals(question):
        return (
            "; that the noises of deliveries have mean zero and variance at most $\\sigma^2$, given"
            " the past and the availability, and are uncorrelated within a round; that at least"
            " $m$ deliveries arrive in every round; and that"
            " $\\|\\nabla f_i(x) - \\nabla f(x)\\| \\le \\zeta$ for all $i$ and all $x$"
        )
    if question.noisy:
        return (
            "; and that the noises $e_i$ are independent draws, of each other and of the"
            " availability, with mean zero and variance at most $\\sigma^2$"
        )
    return ""


def _what(question: ForeverQuestion) -> str:
    if isinstance(question.language, Turns):
        return "\\|\\nabla f_A(x^*)\\|^2"
    return "\\frac1N \\sum_i \\|\\nabla f_i(x^*)\\|^2"


def _latex(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value)
    return f"\\frac{{{value.numerator}}}{{{value.denominator}}}"
