"""Flower's strategies against the exact algorithms, called as Flower calls them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("flwr", reason="flwr is not installed (extra flower)")

from flwr.common import Code, FitRes, Status, ndarrays_to_parameters, parameters_to_ndarrays
from flwr.server.client_manager import SimpleClientManager

from fltheory import conform
from fltheory.core.errors import InvalidInput
from fltheory.fleet.readers import read_log
from fltheory.flower import (
    AfaCrossSilo,
    AsyncWeights,
    FedAvgIS,
    FedBuff,
    FedLaAvg,
    LogsRounds,
    Mifa,
    strategy_for,
)
from tests.fleet.logs import write

TOLERANCE = "1e-12"


class Proxy:
    """A client as a strategy sees it."""

    def __init__(self, cid: str) -> None:
        self.cid = cid


class Nobody(SimpleClientManager):
    """Selects nobody: the test says who delivers."""

    def sample(self, *positional: Any, **named: Any) -> list[Any]:
        return [(Proxy("x"))]

    def num_available(self) -> int:
        return 1


def result(layers: list[Any], name: str, steps: int = 1, examples: int = 1) -> Any:
    metrics = {"client": name, "local_steps": steps}
    return FitRes(Status(Code.OK, ""), ndarrays_to_parameters(layers), examples, metrics)


def server(build: Any) -> Any:
    """An implementation for `conform` that calls a strategy as Flower's server does."""

    class AsFlower:
        def __init__(self, model: Any, setup: Any) -> None:
            count, settings = setup.num_clients, setup.settings
            weights = settings.get("weights", [1 / count] * count)
            if "probabilities" in settings:
                weights = [1 / (count * p) for p in settings["probabilities"]]
            if isinstance(weights[0], tuple):
                raise NotImplementedError("weights that change with the round")
            self.lr = 1.0
            named = {str(i): float(w) for i, w in enumerate(weights)}
            self.strategy = build(named, on_fit_config_fn=lambda round: {"lr": self.lr})
            self.parameters = ndarrays_to_parameters([model])

        def __call__(self, round: Any) -> Any:
            self.lr = round.local_step_size
            self.strategy.configure_fit(round.index + 1, self.parameters, Nobody())
            results = [
                (Proxy("random"), result([w.trained()], str(w.client.index), w.local_steps))
                for w in round.arrivals
            ]
            found, _ = self.strategy.aggregate_fit(round.index + 1, results, [])
            self.parameters = self.parameters if found is None else found
            return parameters_to_ndarrays(self.parameters)[0]

    return AsFlower


@pytest.mark.parametrize(
    ("build", "algorithm"),
    [
        (FedAvgIS, "importance-sampling"),
        (FedAvgIS, "sync"),
        (AsyncWeights, "async"),
        (Mifa, "mifa"),
        (FedLaAvg, "fedlaavg"),
        (AfaCrossSilo, "afa-cs"),
        (lambda weights, **more: FedBuff(weights, buffer=1, **more), "fedbuff"),
    ],
)
def test_strategies_are_the_exact_algorithms(build: Any, algorithm: str) -> None:
    found = conform(
        server(build),
        algorithm,
        runs=100,
        floats=True,
        tolerance=TOLERANCE,
        delays=False,
        server_step=False,
        equal_importance=True,
    )
    assert found.agrees, found
    assert found.runs > 100


@pytest.mark.parametrize(
    ("build", "algorithm"), [(FedAvgIS, "fedavg"), (FedLaAvg, "mifa"), (Mifa, "fedlaavg")]
)
def test_a_strategy_of_another_method_is_seen(build: Any, algorithm: str) -> None:
    found = conform(
        server(build),
        algorithm,
        runs=60,
        floats=True,
        tolerance=TOLERANCE,
        delays=False,
        server_step=False,
        equal_importance=True,
    )
    assert not found.agrees


def test_flowers_own_average_with_these_weights_is_another_method() -> None:
    """Normalised weights keep a part of the bias: Flower's FedAvg divides by their sum."""
    from flwr.server.strategy import FedAvg

    class Normalised:
        def __init__(self, model: Any, setup: Any) -> None:
            self.weights = setup.settings["weights"]
            self.strategy, self.parameters = FedAvg(), ndarrays_to_parameters([model])

        def __call__(self, round: Any) -> Any:
            results = [
                (Proxy("x"), result([w.trained()], "x", 1, self.weights[w.client.index]))
                for w in round.arrivals
            ]
            found, _ = self.strategy.aggregate_fit(2, results, [])
            self.parameters = self.parameters if found is None else found
            return parameters_to_ndarrays(self.parameters)[0]

    assert not conform(Normalised, "sync", runs=20, floats=True, server_step=False).agrees


def test_a_buffer_adds_late_differences_when_it_is_full() -> None:
    strategy = FedBuff({"a": 0.5, "b": 2.0}, buffer=2)
    model = ndarrays_to_parameters([np.zeros(1)])
    for name, moved, wanted in (("a", 1.0, 0.0), ("b", 3.0, 0.5 * 1 + 2 * 3)):
        strategy.configure_fit(1, model, Nobody())
        sent = parameters_to_ndarrays(model)[0]
        done, _ = strategy.aggregate_fit(1, [(Proxy("x"), result([sent + moved], name))], [])
        assert done is not None
        model = done
        assert parameters_to_ndarrays(model)[0].tolist() == [wanted]
    with pytest.raises(InvalidInput, match="buffer size must be at least 1"):
        FedBuff({"a": 1}, buffer=0)


def test_a_log_is_written_as_advise_reads_it_and_types_are_kept(tmp_path: Path) -> None:
    class Logged(LogsRounds, Mifa):
        pass

    strategy = Logged({"a": 0.5, "=b": 0.5}, log=tmp_path / "log.csv")
    model = ndarrays_to_parameters([np.zeros(1, np.float32)])
    for round in (1, 2, 3):
        strategy.configure_fit(round, model, Nobody())
        came = [(Proxy("x"), result([np.ones(1, np.float32)], "a", examples=30))]
        lost: list[Any] = [(Proxy("y"), result([], "=b")), ValueError("lost")]
        if round == 2:
            came.append((Proxy("y"), result([np.ones(1, np.float32)], "=b", examples=10)))
        done, _ = strategy.aggregate_fit(round, came, lost if round == 1 else [])
        assert done is not None
        model = done
        assert parameters_to_ndarrays(model)[0].dtype == np.float32
    log = read_log(tmp_path / "log.csv")
    assert log.matrix().astype(int).tolist() == [[1, 0], [1, 1], [1, 0]]
    assert log.wanted.tolist() == [0.75, 0.25]


def test_weights_of_another_method_and_strangers_are_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "w.csv", "client,share,weight,method\na,0.5,0.5,mifa\nb,0,,mifa\n")
    assert strategy_for(file) is Mifa
    remembered: Any = Mifa(file).update
    assert remembered.weights.weights == {"a": 0.5}
    with pytest.raises(InvalidInput, match="be importance-sampling or fedfix, the strategy's own"):
        FedAvgIS(file)
    for text, says in (
        ("client,share,weight\na,1,1\n", "be client,share,weight,method"),
        ("client,share,weight,method\na,1,x,mifa\n", "weight in line 2"),
        ("client,share,weight,method\na,1,nan,mifa\n", "be a number of at least 0"),
        ("client,share,weight,method\na,1\n", "have 4 cells"),
    ):
        with pytest.raises(InvalidInput, match=says):
            Mifa(write(tmp_path / "v.csv", text))
    with pytest.raises(InvalidInput, match="be one of"):
        strategy_for(write(tmp_path / "v.csv", "client,share,weight,method\na,1,1,sgd\n"))
    strategy = Mifa({"a": 1})
    strategy.configure_fit(1, ndarrays_to_parameters([np.zeros(1)]), Nobody())
    with pytest.raises(InvalidInput, match="be in the weights file"):
        strategy.aggregate_fit(1, [(Proxy("x"), result([np.ones(1)], "stranger"))], [])
    remembered = strategy.update
    assert remembered.memory == {}, "nothing of a stranger is kept"
