"""FedAvg over the clients that deliver: biased under uneven availability, plain FedAvg if every
client delivers."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from fltheory.core.registry import Member
from fltheory.engine.arithmetic import Rows, total
from fltheory.engine.rounds import Round
from fltheory.engine.traits import NOT_REPLAYED_ALONE, PLAYED_ON_PAGE, ServerRule
from fltheory.engine.workers import LOCAL_SGD, ONE_GRADIENT, Worker, sequential


class ModelState(NamedTuple):
    """The state of a server that keeps only the model."""

    model: Rows


@dataclass(frozen=True)
class FedAvg:
    """w_{t+1} = (1/|A(t)|) sum_{i in A(t)} w^i_{t,K}, with a server step size; w_{t+1} = w_t if
    A(t) is empty.

    MIFA Sec. 3 (biased FedAvg). With a trace that waits for a sample it is MIFA's unbiased
    baseline.
    """

    server_rule: ClassVar[ServerRule] = ServerRule(own_step_size=True)
    worker: Worker = LOCAL_SGD

    def start(self, model: Rows, zeros: Rows) -> ModelState:
        return ModelState(model)

    def step(self, state: ModelState, deliveries: Rows, round: Round) -> ModelState:
        moved = round.started_step_size * round.share * deliveries
        return ModelState(state.model - round.server_step_size * total(moved))


MEMBERS = (
    Member(
        "fedavg",
        "FedAvg: average of the clients that deliver",
        lambda settings: FedAvg(),
        facts=frozenset((PLAYED_ON_PAGE,)),
    ),
    Member(
        "fedsgd",
        "FedAvg with a single gradient per client and round",
        lambda settings: FedAvg(worker=ONE_GRADIENT),
    ),
    Member(
        "sequential-sgd",
        "SGD on the global loss, as if all data were in one place",
        lambda settings: FedAvg(worker=sequential(settings.get("importance"))),
        facts=frozenset((NOT_REPLAYED_ALONE,)),
    ),
)
