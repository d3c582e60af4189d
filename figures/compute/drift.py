"""FedLaAvg's Example 1: FedAvg walks away from the optimum, memory stays with it; all numbers
exact."""

from typing import Any

from fltheory import FedAvg, FedLaAvg, Mifa, Quadratic, Trace
from fltheory.analysis.limits import limit_cycle
from fltheory.engine.simulate import simulate

PATTERN = [[1, 0], [0, 1], [0, 1], [0, 1]]
PERIODS = 7
STEP_SIZE = "1/4"
PROBLEM = Quadratic(curvatures=(2, 2), optima=(0, 1))
START = 0


def path(algorithm: Any) -> dict[str, Any]:
    """The run, and the cycle that it tends to."""
    trace = Trace.fresh(PATTERN * PERIODS)
    models = simulate(algorithm, PROBLEM, trace, start=START, local_step_size=STEP_SIZE).models[
        :, 0
    ]
    limit = limit_cycle(algorithm, PROBLEM, trace, local_step_size=STEP_SIZE)
    assert limit.cycle is not None
    assert limit.mean is not None
    assert limit.stable
    return {
        "models": [float(x) for x in models],
        "cycle": [str(x) for (x,) in limit.cycle],
        "at_period_end": str(limit.cycle[0][0]),
        "mean": str(limit.mean[0]),
    }


def numbers() -> dict[str, Any]:
    """Runs and limits of FedAvg, MIFA and FedLaAvg."""
    optimum = PROBLEM.constants.optimum
    assert optimum is not None
    fedavg = path(FedAvg())
    return {
        "title": "FedAvg drifts, memory does not",
        "caption": (
            "The first client minimises x², the second (x - 1)²; the first is available for one"
            " round, then the second for three, and so on (FedLaAvg, Example 1; step size"
            f" {STEP_SIZE}, start {START}). FedAvg runs round a cycle, ever closer to"
            f" {', '.join(fedavg['cycle'][1:] + fedavg['cycle'][:1])}: {fedavg['at_period_end']} at"
            f" the end of each period (squares), {fedavg['mean']} in the mean. MIFA and FedLaAvg,"
            f" which remember the absent client, tend to the optimum {optimum[0]}. All values are"
            " exact fractions, rounded for drawing."
        ),
        "available": [row.index(1) + 1 for row in PATTERN * PERIODS],
        "period": len(PATTERN),
        "optimum": str(optimum[0]),
        "client_optima": [str(row[0]) for row in PROBLEM.optima],
        "fedavg": fedavg,
        "mifa": path(Mifa()),
        "fedlaavg": path(FedLaAvg()),
    }
