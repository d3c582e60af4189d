"""The worst case of MIFA beside the bound of Theorem 5.1."""

from fractions import Fraction

from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.claims.bound_sweeps import Asked, BoundSweep, SweepPoint
from fltheory.traces.trace_statistics import max_staleness, mean_staleness


def theorem_5_1(at: SweepPoint) -> Asked:
    """Curvature in [1, 4], |w_1 - w*| <= 1, D <= 1, t0 = max(1, tau_max), its step sizes."""
    trace = at.by_turns()
    gap = max(1, int(max_staleness(trace)))
    offset = max(100, 40 * gap) * 8
    sizes = tuple(Fraction(4, at.local_steps * (t + offset)) for t in range(1, at.num_rounds + 1))
    weights = tuple((t + offset) * (t + offset - 1) for t in range(at.num_rounds + 1))
    question = Question(
        FunctionClass(4, 1), Conditions(distance_squared=1, heterogeneity=1), Metric.LOSS, weights
    )
    values = {
        "max_staleness": int(max_staleness(trace)),
        "mean_staleness": mean_staleness(trace),
        "step_offset": offset,
        "initial_distance": 1,
        "dissimilarity_at_optimum": 1,
        "strong_convexity": 1,
        "smoothness": 4,
    }
    return Case("mifa", trace, question, sizes), values


LOOSENESS = (
    BoundSweep(
        "mifa.thm5.1.best",
        theorem_5_1,
        "MIFA Theorem 5.1 (best form known): ten clients, some of them there only every few"
        " rounds.",
        at_largest_step=True,
    ),
)
