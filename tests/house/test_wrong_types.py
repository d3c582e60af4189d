"""Public functions refuse arguments of a wrong type by name, not with an error from deep inside."""

from collections.abc import Callable

import pytest

import fltheory
from fltheory import FedAvg, InvalidInput, Quadratic, Trace

PROBLEM = Quadratic(curvatures=(1, 1), optima=(0, 1))
TURNS = Trace.fresh([[1, 0], [0, 1]] * 3)
ONE = Trace.fresh([[1], [1]])


def worst(trace: object = ONE, **given: object) -> object:
    return fltheory.worst_case("fedavg", trace, local_step_size=1, **given)  # type: ignore[arg-type]


def limit(method: object, problem: object, trace: object, size: object = 1) -> object:
    return fltheory.limit_cycle(method, problem, trace, local_step_size=size)  # type: ignore


def run(trace: object, **given: object) -> object:
    return fltheory.simulate(FedAvg(), PROBLEM, trace, start=0, local_step_size=1, **given)  # type: ignore


def gap(trace: object, size: object = 1) -> object:
    return fltheory.expected_gap(FedAvg(), PROBLEM, trace, start=0, local_step_size=size)  # type: ignore


WRONG: dict[str, Callable[[], object]] = {
    "algorithm must have": lambda: limit("fedavg", PROBLEM, TURNS),
    "algorithm must be an object, got the class FedAvg": lambda: limit(FedAvg, PROBLEM, TURNS),
    "problem must have": lambda: limit(FedAvg(), (0, 1), TURNS),
    "trace must be of type Trace": lambda: limit(FedAvg(), PROBLEM, [[1, 0], [0, 1]] * 3),
    "step size must be a number": lambda: limit(FedAvg(), PROBLEM, TURNS, None),
    "trace must be of type Trace, got 3": lambda: run(3),
    r"trace must be of type Trace, got \[\]": lambda: worst([]),
    "metric must be of type Metric": lambda: worst(metric="loss"),
    "settings must be of type Mapping": lambda: worst(settings=3),
    "weights must be of type Sequence": lambda: worst(weights=3),
    "log must be of type str or Path": lambda: fltheory.advise([[1, 0]]),  # type: ignore
    "file must be of type str or Path": lambda: fltheory.check_certificate(3),  # type: ignore
    "claim id must be of type str, got 3": lambda: fltheory.explain(3),  # type: ignore
    "patterns must be of type str, got 3": lambda: fltheory.verify(3),  # type: ignore
    r"trace must be of type Trace, got \[\[1\]\]": lambda: gap([[1]]),
    "step size must be a number such as 1/4, or a function of the round, got b'1'": lambda: gap(
        TURNS, b"1"
    ),
    "jobs must be of type int, got 'x'": lambda: fltheory.verify("fraboni.ex2.iff", jobs="x"),  # type: ignore
    "seed must be of type int": lambda: fltheory.attack("fraboni.ex2.iff", seed=None),  # type: ignore
    "attempts must be of type int": lambda: fltheory.attack("fraboni.ex2.iff", attempts="x"),  # type: ignore
    "policy must have end_of_round": lambda: fltheory.fair_weights([1, 2], "async"),  # type: ignore
    "arithmetic must have": lambda: run(TURNS, arithmetic="exact"),
    "num rounds must be of type int, got 'x'": lambda: fltheory.build_trace("always", "x"),  # type: ignore
    "num rounds must be of type int, got True": lambda: fltheory.build_trace("always", True),
    "durations must be of type Iterable": lambda: fltheory.Alternating(2, 3),  # type: ignore
    "parameters must be of type Mapping": lambda: fltheory.Scenario(
        FedAvg(),
        PROBLEM,
        TURNS,
        0,
        1,
        parameters=3,  # type: ignore
    ),
    "number of classes must be at least 1": lambda: fltheory.synthetic_samples(2, num_classes=0),
    "like is required": lambda: fltheory.rates(FedAvg()),
}


@pytest.mark.parametrize("message", WRONG)
def test_a_wrong_type_is_named(message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        WRONG[message]()
