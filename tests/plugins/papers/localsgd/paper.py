"""The paper, its letters, and its assumptions as questions to a scenario."""

from pathlib import Path

from fltheory.claims.claim import Assumption, Paper
from fltheory.claims.scenario import Scenario

PAPER = Paper(
    key="localsgd",
    title="Local SGD Converges Fast and Communicates Little",
    authors="Sebastian U. Stich",
    year=2019,
    venue="International Conference on Learning Representations",
    name="Local SGD",
    entry="inproceedings",
    version="statements in our own words, after Section 3 of the paper",
    letters={
        "num_clients": "K",
        "num_rounds": "T",
        "local_steps": "H",
        "local_step_size": "eta_t",
        "gradient_bound": "G",
        "smoothness": "L",
    },
    record=Path(__file__).parent / "record",
)


def _small_step(scenario: Scenario) -> bool | None:
    smoothness = scenario.problem.constants.smoothness
    if smoothness is None or isinstance(scenario.local_step_size, tuple):
        return None
    return bool(scenario.local_step_size * smoothness <= 1)


def _one_exact_gradient(scenario: Scenario) -> bool:
    trace = scenario.trace
    return bool(
        (trace.local_steps[trace.delivers] == 1).all()
        and not trace.delays.any()
        and scenario.server_step_size == 1
        and scenario.problem.noise_squared == 0
    )


BELOW = Assumption(
    "localsgd.below",
    "the loss has a finite infimum",
    lambda s: s.problem.constants.infimum is not None,
)
SMALL_STEP = Assumption("localsgd.small-step", "the step size is at most 1/L", _small_step)
ONE_GRADIENT = Assumption(
    "localsgd.one-gradient", "each delivery is one exact gradient", _one_exact_gradient
)
EVERYBODY = Assumption(
    "localsgd.everybody",
    "every client delivers in every round",
    lambda s: bool(s.trace.delivers.all()),
)
