"""Aggregation with given weights (Fraboni et al., eq. 5): synchronous and asynchronous FedAvg,
FedFix, FedBuff; importance sampling."""

from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import ClassVar, TypeAlias

from fltheory.algorithms.fedavg import ModelState
from fltheory.core.checked import Checked, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exacts
from fltheory.core.registry import Member, Settings
from fltheory.core.types import ExactLike, Formula
from fltheory.engine.arithmetic import Rows, total
from fltheory.engine.rounds import Round
from fltheory.engine.traits import (
    PLAYED_ON_PAGE,
    STARTS_FROM_OLD_MODELS,
    WAITS_FOR_BUFFER,
    WAITS_FOR_NEXT,
    WAITS_FOR_WINDOW,
    WORKS_ON_LAST_RECEIVED,
    ServerRule,
)
from fltheory.engine.workers import LOCAL_SGD, Worker

Weight: TypeAlias = ExactLike | Formula


@frozen
class WeightedAggregation:
    """theta^{n+1} = theta^n + eta_g sum_{i in S_n} d_i Delta_i(rho_i(n)) with Delta_i = -eta_l *
    delivery.

    `weights` has one d_i per client, or a table with one row of d_i(n) per round.
    """

    server_rule: ClassVar[ServerRule] = ServerRule(own_step_size=True, weighted=True)
    weights: Checked[
        Collection[Weight | Collection[Weight]], tuple[Weight | tuple[Weight, ...], ...]
    ]
    worker: Worker = LOCAL_SGD

    def __post_init__(self) -> None:
        if not isinstance(self.weights, Collection) or isinstance(self.weights, str | dict):
            raise InvalidInput("weights", "be a list", repr(self.weights)[:60])
        if len(self.weights) == 0:
            raise InvalidInput("weights", "have at least one entry", "none")
        object.__setattr__(
            self,
            "weights",
            tuple(tuple(row) if isinstance(row, list | tuple) else row for row in self.weights),
        )

    def start(self, model: Rows, zeros: Rows) -> ModelState:
        return ModelState(model)

    def step(self, state: ModelState, deliveries: Rows, round: Round) -> ModelState:
        moved = round.per_client(self.weights) * round.started_step_size * deliveries
        return ModelState(state.model - round.server_step_size * total(moved))


def importance_sampling(probabilities: Iterable[ExactLike]) -> WeightedAggregation:
    """w_{t+1} = w_t + (1/N) sum_{i in A(t)} (w^i_{t,K} - w_t)/p_i (MIFA Sec. 3): weights 1/(N p_i).

    >>> importance_sampling(["1/2", 1]).weights
    (Fraction(1, 1), Fraction(1, 2))
    """
    chances = exacts(probabilities, "availability probability")
    for i, chance in enumerate(chances):
        if not 0 < chance <= 1:
            raise InvalidInput(f"availability probability of client {i}", "lie in (0, 1]", chance)
    return WeightedAggregation(tuple(Fraction(1) / (len(chances) * chance) for chance in chances))


def _weighted(settings: Settings) -> WeightedAggregation:
    return WeightedAggregation(settings.need("weights"))


CLOCKED = frozenset((WORKS_ON_LAST_RECEIVED,))
LATE = CLOCKED | {STARTS_FROM_OLD_MODELS}
WEIGHTS = frozenset(("weights",))

MEMBERS = (
    Member(
        "sync",
        "synchronous FedAvg: all arrivals of a round, added with their weights",
        _weighted,
        "--update-times 1,2",
        facts=CLOCKED,
        needs=WEIGHTS,
    ),
    Member(
        "async",
        "asynchronous FedAvg: each arrival is added with its weight",
        _weighted,
        "--update-times 1,2",
        facts=LATE | {WAITS_FOR_NEXT, PLAYED_ON_PAGE},
        needs=WEIGHTS,
    ),
    Member(
        "fedfix",
        "FedFix: arrivals of a fixed time window, added with their weights",
        _weighted,
        "--update-times 1,2 --window 1",
        facts=LATE | {WAITS_FOR_WINDOW},
        needs=WEIGHTS,
    ),
    Member(
        "fedbuff",
        "FedBuff: every m-th arrival triggers a weighted update",
        _weighted,
        "--update-times 1,2 --buffer 1",
        facts=LATE | {WAITS_FOR_BUFFER},
        needs=WEIGHTS,
    ),
    Member(
        "importance-sampling",
        "FedAvg with arrivals divided by their probability",
        lambda settings: importance_sampling(settings.need("probabilities")),
        "--probabilities 1,1/2",
        needs=frozenset(("probabilities",)),
    ),
)
