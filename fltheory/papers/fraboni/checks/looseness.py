"""The worst case of asynchronous FedAvg beside the bound of Theorem 1."""

from fractions import Fraction

from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.claims.bound_sweeps import Asked, BoundSweep, SweepPoint


def theorem_1(at: SweepPoint) -> Asked:
    """Clients of one data type in turn (so R = 0 and no gradient at the optimum), L = 1, |theta^0 -
    theta*| <= 1, largest step size of the printed
    theorem."""
    trace = at.aged()
    delay = int(trace.delays.max())
    local = Fraction(1, 48 * at.local_steps * 3 * (delay + 1))
    weights = (1,) * (at.num_rounds * at.local_steps) + (0,)
    question = Question(
        FunctionClass(1), Conditions(distance_squared=1), Metric.MEAN_LOSS, weights, virtual=True
    )
    values = {
        "max_staleness": delay,
        "local_step_size": local,
        "server_step_size": 1,
        "initial_distance_squared": 1,
        "objective_spread": 0,
        "round_optimum_noise": 0,
        "round_optimum_noise_squared": 0,
        "largest_round_weight": 1,
        "server_factor": 1,
    }
    return Case("async", trace, question, local, settings={"weights": (1,)}), values


LOOSENESS = (
    BoundSweep(
        "fraboni.thm1.best.certain",
        theorem_1,
        "Fraboni Theorem 1 (best constants known): one loss, in some rounds with old gradients.",
        at_largest_step=True,
    ),
)
