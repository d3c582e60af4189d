"""What a method does in one round, in words and in LaTeX: the definitions that a theorem needs."""

from typing import NamedTuple

from fltheory.analysis.potentials.language import Delays, Staleness, Turns
from fltheory.analysis.potentials.late import has_arrivals
from fltheory.analysis.potentials.memory import contribution
from fltheory.analysis.potentials.question import ForeverQuestion
from fltheory.analysis.potentials.weighted import is_weighted, share_of_rounds, works_late


class OneRound(NamedTuple):
    """The formula of a round, and what its letters mean; `latex` is the same in LaTeX."""

    words: str
    latex: str


def iteration(question: ForeverQuestion) -> OneRound:
    """How x_{t+1} follows from x_t, where eta is the step size of the question."""
    eta, eta_latex = ("eta_t", "\\eta_t") if question.every_step else ("eta", "\\eta")
    if isinstance(question.language, Turns):
        return OneRound(
            f"x_{{t+1}} = x_t - {eta} grad f_G(x_t), where f_G is the mean loss of the group G that"
            " delivers in round t",
            f"$x_{{t+1}} = x_t - {eta_latex} \\nabla f_G(x_t)$, where $f_G$ is the mean loss of the"
            " group $G$ that delivers in round $t$",
        )
    if isinstance(question.language, Delays) and not has_arrivals(question):
        return _work(
            question,
            f"x_{{t+1}} = x_t - {eta} (u_1 + ... + u_N)/N",
            f"$x_{{t+1}} = x_t - \\frac{{{eta_latex}}}{{N}} \\sum_{{i=1}}^N u_i$",
            "x_{t-d}",
            OneRound(
                " and the latest update of client i began d rounds before (d depends on i and t)",
                " and the latest update of client $i$ began $d$ rounds before ($d$ depends on $i$"
                " and $t$)",
            ),
        )
    if isinstance(question.language, Delays):
        return OneRound(
            f"x_{{t+1}} = x_t - {eta} (the mean over the deliveries of round t of"
            " grad f_i(x_{t-d}) + e_{t,i}), where a delivery of client i has the noise e_{t,i} and"
            " was computed at the model of d rounds before (d depends on i and t)",
            f"$x_{{t+1}} = x_t - \\frac{{{eta_latex}}}{{|A_t|}} \\sum_{{i \\in A_t}} (\\nabla"
            " f_i(x_{t-d}) + e_{t,i})$, where $A_t$ are the clients that deliver in round $t$, and"
            " the delivery of client $i$ has the noise $e_{t,i}$ and was computed at the model of"
            " $d$ rounds before ($d$ depends on $i$ and $t$)",
        )
    if is_weighted(question.method):
        return _weighted(question)
    if _nobody_is_silent(question):
        return _work(
            question,
            f"x_{{t+1}} = x_t - {eta} (u_1 + ... + u_N)/N",
            f"$x_{{t+1}} = x_t - \\frac{{{eta_latex}}}{{N}} \\sum_{{i=1}}^N u_i$",
            "x_t",
            OneRound("", ""),
        )
    never = " (u_i = 0 before it)" if getattr(question.language, "cold", False) else ""
    last = "s <= t is the last round in which client i delivered"
    last_latex = "$s \\le t$ is the last round in which client $i$ delivered"
    return _work(
        question,
        f"x_{{t+1}} = x_t - {eta} (u_1 + ... + u_N)/N",
        f"$x_{{t+1}} = x_t - \\frac{{{eta_latex}}}{{N}} \\sum_{{i=1}}^N u_i$",
        "x_s",
        OneRound(
            f" and {last}{never}", f" and {last_latex}{never.replace('u_i = 0', '$u_i = 0$')}"
        ),
    )


def _nobody_is_silent(question: ForeverQuestion) -> bool:
    return isinstance(question.language, Staleness) and not question.language.bound


def _weighted(question: ForeverQuestion) -> OneRound:
    """Deliveries with the weights 1/(N q)."""
    weight = 1 / share_of_rounds(question.language)  # type: ignore[arg-type]
    late = works_late(question.method)
    ends = OneRound("", "")
    if late:
        ends = OneRound(
            " and s is the round after client i's previous delivery, or 0 if this is its first",
            " and $s$ is the round after client $i$'s previous delivery, or 0 if this is its first",
        )
    return _work(
        question,
        f"x_{{t+1}} = x_t - eta ({weight}/N) (the sum of u_i over the clients i that deliver in"
        " round t)",
        f"$x_{{t+1}} = x_t - \\eta \\, \\frac{{{weight}}}{{N}} \\sum_i u_i$ with the sum over the"
        " clients $i$ that deliver in round $t$",
        "x_s" if late else "x_t",
        ends,
    )


def _work(
    question: ForeverQuestion, rule: str, rule_latex: str, start: str, ends: OneRound
) -> OneRound:
    """What u_i is: the local work that begins at the model `start`."""
    noise = (" + e_{i,s}", " + e_{i,s}") if question.noisy else ("", "")
    if question.local_steps == 1:
        return OneRound(
            f"{rule}, where u_i = grad f_i({start}){noise[0]}{ends.words}",
            f"{rule_latex}, where $u_i = \\nabla f_i({start}){noise[1]}${ends.latex}",
        )
    kind, last = "mean" if _divided(question) else "sum", question.local_steps - 1
    dots = (", ...", ", \\dots") if last > 1 else ("", "")
    path = f"grad f_i(y_0){dots[0]}, grad f_i(y_{last})"
    path_latex = f"\\nabla f_i(y_0){dots[1]}, \\nabla f_i(y_{{{last}}})"
    return OneRound(
        f"{rule}, where u_i is the {kind} of {path} with y_0 = {start} and"
        f" y_{{k+1}} = y_k - eta grad f_i(y_k){ends.words}",
        f"{rule_latex}, where $u_i$ is the {kind} of ${path_latex}$ with $y_0 = {start}$ and"
        f" $y_{{k+1}} = y_k - \\eta \\nabla f_i(y_k)${ends.latex}",
    )


def _divided(question: ForeverQuestion) -> bool:
    """Whether the method divides a client's update by the number of its local steps."""
    if is_weighted(question.method):
        return False
    found = contribution(question, 0, slope=None)
    return found.update[found.asked[0]][()] < 1
