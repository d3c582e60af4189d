"""The worst case of gradient descent beside the bound of localsgd.descent."""

from fractions import Fraction

from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.claims.bound_sweeps import Asked, BoundSweep, SweepPoint
from fltheory.traces.trace import Trace


def descent(at: SweepPoint) -> Asked:
    """One client, L = 1, f(x_0) - f* <= 1/2, the largest step size."""
    gap = Fraction(1, 2)
    question = Question(
        FunctionClass(1, convex=False), Conditions(loss_gap=gap), Metric.MEAN_SQUARED_GRADIENT
    )
    case = Case("fedavg", Trace.fresh([[1]] * at.num_rounds), question, 1)
    return case, {"initial_loss_gap": gap, "local_step_size": 1}


LOOSENESS = (BoundSweep("localsgd.descent", descent, "Local SGD: one client, gradient descent."),)
