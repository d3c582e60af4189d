"""Strategies for Flower (flwr.server.strategy): FedAvg's choice of clients, and the update of the
method that `fltheory advise` recommends.

A client tells its lasting name as the metric "client" of its fit result (Flower's own cid changes
with every connection), and its number of local steps as "local_steps" (default 1). The clients'
step size of a round is "lr" in the fit configuration (default 1: it is constant).

Flower's server waits for the clients that it selected, so all work is fresh; it does not call a
strategy in a round for which nobody was selected, so that MIFA, FedLaAvg and AFA-CS stand still
there.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from flwr.common import (
    FitIns,
    FitRes,
    Parameters,
    Scalar,
    ndarrays_to_parameters,
    parameters_to_ndarrays,
)
from flwr.server.client_manager import ClientManager
from flwr.server.client_proxy import ClientProxy
from flwr.server.strategy import FedAvg

from fltheory.core.errors import InvalidInput
from fltheory.flower.rules import (
    AddBuffered,
    AddRemembered,
    AddWeighted,
    Arrays,
    KnownWeights,
    ReturnedModel,
    ServerUpdate,
)
from fltheory.flower.weights_file import client_weights, method_of

Fitted = list[tuple[ClientProxy, FitRes]]
Failed = list[tuple[ClientProxy, FitRes] | BaseException]
WeightsLike = str | Path | Mapping[str, float]


def name_of(client: ClientProxy, result: FitRes | None = None) -> str:
    """The lasting name of a client, else Flower's number of its connection."""
    told = None if result is None else result.metrics.get("client")
    return client.cid if told is None else str(told)


class _Advised(FedAvg):
    """Chooses clients as FedAvg, and updates the model by a rule. It keeps the model in double
    precision; what is sent has the types of the first model."""

    methods: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        weights: WeightsLike,
        *,
        default_weight: float | None = None,
        update: Callable[[KnownWeights], ServerUpdate] = AddWeighted,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        known = KnownWeights(client_weights(weights, self.methods), default_weight)
        self.update = update(known)
        self.model: Arrays | None = None
        self.types: list[np.dtype[Any]] = []
        self.sent: list[np.ndarray[Any, Any]] = []
        self.step_size = 1.0

    def configure_fit(
        self, server_round: int, parameters: Parameters, client_manager: ClientManager
    ) -> list[tuple[ClientProxy, FitIns]]:
        """Select clients, and remember the model that they receive."""
        self.remember(parameters)
        selected: list[tuple[ClientProxy, FitIns]] = super().configure_fit(
            server_round, parameters, client_manager
        )
        if selected:
            self.step_size = float(selected[0][1].config.get("lr", 1.0))
        return selected

    def remember(self, parameters: Parameters) -> None:
        """Keep the model that is sent, so that returned models become differences."""
        self.sent = parameters_to_ndarrays(parameters)
        if self.model is None:
            self.types = [layer.dtype for layer in self.sent]
            self.model = [layer.astype(np.float64) for layer in self.sent]

    def aggregate_fit(
        self, server_round: int, results: Fitted, failures: Failed
    ) -> tuple[Parameters | None, dict[str, Scalar]]:
        """The next model by the rule of the method."""
        if self.model is None or (failures and not self.accept_failures):
            return None, {}
        returned = [
            ReturnedModel(
                name_of(client, result),
                [
                    new.astype(np.float64) - old.astype(np.float64)
                    for new, old in zip(
                        parameters_to_ndarrays(result.parameters), self.sent, strict=True
                    )
                ],
                int(result.metrics.get("local_steps", 1)),
            )
            for client, result in results
        ]
        self.model = self.update(self.model, returned, self.step_size)
        typed = [layer.astype(kind) for layer, kind in zip(self.model, self.types, strict=True)]
        metrics: dict[str, Scalar] = {}
        if self.fit_metrics_aggregation_fn and results:
            told = [(result.num_examples, result.metrics) for _, result in results]
            metrics = self.fit_metrics_aggregation_fn(told)
        return ndarrays_to_parameters(typed), metrics


class FedAvgISStrategy(_Advised):
    """FedAvg with arrivals divided by their shares: x <- x + sum of w_i delta_i; also FedAvg whose
    server adds the arrivals of a window."""

    methods = ("importance-sampling", "fedfix")


class AsyncStrategy(_Advised):
    """Every arrival is added with its weight; in Flower, all arrivals of a round."""

    methods = ("async",)


class MifaStrategy(_Advised):
    """MIFA: the latest update of every client, with the step size of the current round."""

    methods = ("mifa",)

    def __init__(self, weights: WeightsLike, **options: Any) -> None:
        super().__init__(
            weights, update=lambda known: AddRemembered(known, per_step_size=True), **options
        )


class FedLaAvgStrategy(_Advised):
    """FedLaAvg: the latest update of every client, with the step size of its own round."""

    methods = ("fedlaavg",)

    def __init__(self, weights: WeightsLike, **options: Any) -> None:
        super().__init__(weights, update=AddRemembered, **options)


class AfaCrossSiloStrategy(_Advised):
    """AFA-CS: the latest average gradient of every client."""

    methods = ("afa-cs",)

    def __init__(self, weights: WeightsLike, **options: Any) -> None:
        super().__init__(
            weights,
            update=lambda known: AddRemembered(known, per_step_size=True, per_step=True),
            **options,
        )


class FedBuffStrategy(_Advised):
    """FedBuff: updates when `buffer` results have come, which may take several rounds."""

    methods = ("fedbuff",)

    def __init__(self, weights: WeightsLike, *, buffer: int, **options: Any) -> None:
        super().__init__(weights, update=lambda known: AddBuffered(known, buffer), **options)


STRATEGIES: tuple[type[_Advised], ...] = (
    FedAvgISStrategy,
    AsyncStrategy,
    MifaStrategy,
    FedLaAvgStrategy,
    AfaCrossSiloStrategy,
    FedBuffStrategy,
)


def strategy_for(weights: str | Path) -> type[_Advised]:
    """The strategy whose weights are in a file of `fltheory advise --weights`."""
    method = method_of(Path(weights))
    for strategy in STRATEGIES:
        if method in strategy.methods:
            return strategy
    known = ", ".join(sorted({name for one in STRATEGIES for name in one.methods}))
    raise InvalidInput(f"method in {Path(weights).name}", f"be one of {known}", repr(method))
