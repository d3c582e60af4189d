"""The worst case of FedLaAvg beside the bounds of Theorems 3 and 4."""

from fractions import Fraction

from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.claims.bound_sweeps import Asked, BoundSweep, SweepPoint
from fltheory.traces.trace_statistics import availability_window

GAP = Fraction(1, 2)


def theorem_3(at: SweepPoint) -> Asked:
    """Gradients up to G = 1, L = 1, f(x_0) - f* <= 1/2, step size 1/10; with several local steps
    Theorem 4 for the server's models."""
    trace = at.by_turns()
    question = Question(
        FunctionClass(1, convex=False),
        Conditions(loss_gap=GAP, gradient_bound_squared=1),
        Metric.MEAN_SQUARED_GRADIENT,
    )
    values = {
        "staleness_bound": availability_window(trace.delivers) - 1,
        "gradient_bound": 1,
        "initial_loss_gap": GAP,
    }
    return Case("fedlaavg", trace, question, Fraction(1, 10)), values | {
        "local_step_size": Fraction(1, 10)
    }


LOOSENESS = (
    BoundSweep(
        "fedlaavg.thm3",
        theorem_3,
        "FedLaAvg Theorem 3 (Theorem 4 for several local steps): ten clients, some of them there"
        " only every few rounds.",
        several_steps="fedlaavg.thm4.server",
    ),
)
