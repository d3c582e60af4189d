"""Impostors: FedAvg with one flaw each, which the contracts must expose."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from fltheory import FedAvg, Mifa, Quadratic, Trace
from fltheory.algorithms.fedavg import ModelState
from fltheory.core.exact import shares
from fltheory.engine.arithmetic import mean, total
from fltheory.engine.workers import LOCAL_SGD, Worker
from tests.algorithms.cases import Case, local_sizes
from tests.algorithms.contracts import (
    CONTRACTS,
    Contract,
    batch_equals_singles,
    forgets_names,
    is_gradient_descent_for_one_client,
    longer_runs_extend_shorter_ones,
    meet,
    moves_with_a_translation,
    pure,
    same_in_every_arithmetic,
    server_step_size_scales_a_round,
    stays_put_at_a_common_stationary_point,
)


@dataclass(frozen=True)
class Impostor:
    """FedAvg but for one flaw, given as (model, deliveries, round, log) -> next model."""

    flaw: Callable[[Any, Any, Any, list[int]], Any]
    log: list[int] = field(default_factory=list)
    worker: Worker = LOCAL_SGD

    def start(self, model: Any, zeros: Any) -> ModelState:
        return ModelState(model)

    def step(self, state: ModelState, deliveries: Any, round: Any) -> ModelState:
        return ModelState(self.flaw(state.model, deliveries, round, self.log))


def honest(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return model - round.server_step_size * total(
        round.started_step_size * round.share * deliveries
    )


def numbers_clients(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    count = deliveries.shape[-2]
    return honest(
        model,
        round.per_client(shares([Fraction(2 * i + 1, count**2) for i in range(count)], count))
        * deliveries,
        round,
        log,
    )


def remembers_in_secret(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    log.append(round.index)
    return honest(model, deliveries, round, log) * (1 if len(log) < 5 else 2)


def overwrites_deliveries(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    deliveries *= round.started_step_size * round.share
    return model - round.server_step_size * total(deliveries)


def looks_across_the_batch(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return honest(model, int(round.local_steps.max()) * deliveries, round, log)


def branches_on_arithmetic(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return honest(model, deliveries * (2 if round.arithmetic.name == "float" else 1), round, log)


def decays(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return honest(model, deliveries, round, log) * round.number("9/10")


def drifts(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return honest(model, deliveries, round, log) + round.local_step_size


def steps_twice(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return honest(model, 2 * deliveries, round, log)


def ignores_the_server(model: Any, deliveries: Any, round: Any, log: list[int]) -> Any:
    return model - total(round.started_step_size * round.share * deliveries)


EXPOSED = (
    (forgets_names, numbers_clients),
    (pure, remembers_in_secret),
    (longer_runs_extend_shorter_ones, remembers_in_secret),
    (pure, overwrites_deliveries),
    (batch_equals_singles, looks_across_the_batch),
    (same_in_every_arithmetic, branches_on_arithmetic),
    (moves_with_a_translation, decays),
    (stays_put_at_a_common_stationary_point, drifts),
    (is_gradient_descent_for_one_client, steps_twice),
    (server_step_size_scales_a_round, ignores_the_server),
)


@pytest.mark.parametrize(("contract", "flaw"), EXPOSED, ids=lambda part: part.__name__)
def test_an_impostor_is_exposed(contract: Contract, flaw: Any) -> None:
    with pytest.raises(AssertionError):
        meet(contract, lambda _: Impostor(flaw), count=40)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
def test_the_impostors_are_sound_without_their_flaw(contract: Contract) -> None:
    meet(contract, lambda _: Impostor(honest))


def test_every_contract_exposes_someone() -> None:
    assert {contract for contract, _ in EXPOSED} == set(CONTRACTS)


def test_an_algorithm_that_divides_by_all_clients_is_not_fedavg() -> None:
    """It is lawful in general (nothing above forbids it), but it is no average of the deliverers'
    models."""
    case = Case(Quadratic((1, 1), (0, 4)), Trace.fresh([[1, 0]]), (Fraction(2),), 0)
    divides_by_all = Impostor(
        lambda model, deliveries, round, log: model - round.local_step_size * mean(deliveries)
    )
    average_of_deliverers = case.start[0] - local_sizes(0) * case.start[0]
    run = partial(case.run, noise=None, server_step_size=1)
    assert run(FedAvg())[-1] == average_of_deliverers
    assert run(divides_by_all)[-1] == run(Mifa())[-1] != average_of_deliverers
