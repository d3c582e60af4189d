"""The lines of Python that the advice prints are run against the exact algorithms."""

from typing import Any

import pytest

from fltheory import conform
from fltheory.fleet.formulas import FORMULAS, UpdateFormula

ALGORITHMS = {
    "importance-sampling": "importance-sampling",
    "async": "async",
    "fedfix": "fedfix",
    "fedbuff": "fedbuff",
    "sync": "sync",
    "mifa": "mifa",
    "fedlaavg": "fedlaavg",
    "afa-cs": "afa-cs",
    "fedavg": "fedavg",
    "fedavg-waiting": "fedavg",
    "afa-cd": "afa-cd",
}
ONE_STEP = ("afa-cd", "afa-cs")


def server(formula: UpdateFormula) -> Any:
    """An implementation that runs the printed lines."""
    code = compile("\n".join(formula.python), "formula", "exec")

    class Printed:
        def __init__(self, model: Any, setup: Any) -> None:
            count = setup.num_clients
            self.model, self.memory = model, dict.fromkeys(range(count), 0 * model)
            equal = [setup.importance[0]] * count
            given = setup.settings.get("weights", equal)
            if "probabilities" in setup.settings:
                given = [1 / (count * p) for p in setup.settings["probabilities"]]
            self.weights = given
            self.count = count

        def __call__(self, round: Any) -> Any:
            row = self.weights
            if row and isinstance(row[0], tuple):
                row = row[round.index]
            names = {
                "arrived": [work.client.index for work in round.arrivals],
                "delta": {w.client.index: w.trained() - w.model for w in round.arrivals},
                "steps": {w.client.index: w.local_steps for w in round.arrivals},
                "n": [1] * self.count,
                "w": row,
                "lr": round.local_step_size,
                "memory": self.memory,
                "model": self.model,
            }
            exec(code, names)
            self.model = names["model"]
            return self.model

    return Printed


@pytest.mark.parametrize("member", FORMULAS)
def test_the_printed_lines_are_the_method(member: str) -> None:
    found = conform(
        server(FORMULAS[member]),
        ALGORITHMS[member],
        runs=60,
        server_step=False,
        equal_importance=True,
        delays=False,
    )
    assert found.agrees, found
    assert found.runs >= 60


def test_lines_of_another_method_are_seen() -> None:
    for member, other in (("mifa", "fedavg"), ("importance-sampling", "fedavg")):
        found = conform(server(FORMULAS[other]), member, runs=20, server_step=False)
        assert not found.agrees
    forgets = UpdateFormula("", ("model = model + sum(w[i] * delta[i] for i in arrived)",))
    assert not conform(server(forgets), "fedlaavg", runs=20, server_step=False).agrees
