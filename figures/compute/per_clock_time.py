"""Waiting or not, per clock time: the loss gap of synchronous, asynchronous and FedFix aggregation,
with the floor that each ends at."""

from fractions import Fraction
from typing import Any

from fltheory import Quadratic
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import limit_cycle
from fltheory.engine.arithmetic import FLOAT
from fltheory.engine.simulate import simulate
from fltheory.traces.balance import rounds_within
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, Synchronous, simulate_clock
from fltheory.traces.weights import identical_weights, policy_weights, weight_report

UPDATE_TIMES = (1, 2, 5)
WINDOW = 2
DURATION = 390
STEP_SIZE = Fraction(1, 20)
PROBLEM = Quadratic(curvatures=((1, 1),) * 3, optima=((0, 0), (1, 0), (0, 1)))
START = (3, 3)
METHODS: dict[str, tuple[Policy, bool]] = {
    "synchronous": (Synchronous(), False),
    "asynchronous": (Asynchronous(), False),
    "asynchronous, identical weights": (Asynchronous(), True),
    "fedfix": (FixedWindow(WINDOW), False),
}


def loss_gap(model: Any) -> Any:
    """f - f* on unit curvature."""
    optimum = PROBLEM.constants.optimum
    assert optimum is not None
    return sum((x - c) ** 2 for x, c in zip(model, optimum, strict=True)) / 2


def curve(policy: Policy, identical: bool) -> dict[str, Any]:
    """Mean, least and largest gap of each cycle, at the exact time when it ends, and the mean gap
    along the exact limit cycle."""
    weights = (
        identical_weights(len(UPDATE_TIMES)) if identical else policy_weights(UPDATE_TIMES, policy)
    )
    run = simulate_clock(
        UPDATE_TIMES, policy, num_rounds=rounds_within(DURATION, UPDATE_TIMES, policy)
    )
    method = WeightedAggregation(weights)
    models = simulate(
        method, PROBLEM, run.trace, start=START, local_step_size=STEP_SIZE, arithmetic=FLOAT
    ).models
    limit = limit_cycle(method, PROBLEM, run.trace, local_step_size=STEP_SIZE)
    assert limit.cycle is not None
    assert limit.stable
    report = weight_report(UPDATE_TIMES, policy, weights=weights)
    gaps = [float(loss_gap(map(float, model))) for model in models]
    period = report.balance_period
    ends = range(period, len(gaps), period)
    cycles = [gaps[end - period + 1 : end + 1] for end in ends]
    return {
        "weights": [str(w) for w in weights],
        "expected_weights": [str(w) for w in report.expected_weights],
        "rounds_per_cycle": period,
        "floor": float(sum(map(loss_gap, limit.cycle)) / len(limit.cycle)),
        "times": ["0", *(str(run.times[end]) for end in ends)],
        "mean": [gaps[0], *(sum(cycle) / period for cycle in cycles)],
        "least": [gaps[0], *map(min, cycles)],
        "largest": [gaps[0], *map(max, cycles)],
    }


def numbers() -> dict[str, Any]:
    """All four methods."""
    return {
        "title": "Not waiting is fast; with the wrong weights it ends elsewhere",
        "caption": (
            "Three quadratic clients with unit curvature and different optima in the plane, update"
            f" times {UPDATE_TIMES}, one local step of size {STEP_SIZE}, no noise; event times are"
            " exact. Right weights make asynchronous aggregation fast and nearly unbiased, FedFix"
            f" (window {WINDOW}) lies between, identical weights end at the wrong point. Lines:"
            " mean over each cycle of deliveries; bands: its least and largest value; dotted: mean"
            " over the exact limit cycle. Synchronous FedAvg has no such floor here, as one local"
            " step is gradient descent."
        ),
        "duration": DURATION,
        "curves": {name: curve(*method) for name, method in METHODS.items()},
    }
