"""Anarchic federated averaging (AFL, Algorithms 2 and 3): clients choose when, from which model and
for how many steps they work."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from fltheory.algorithms.fedavg import ModelState
from fltheory.algorithms.fedprox import PROXIMAL, proximal_worker
from fltheory.algorithms.scaffold import CONTROLLED
from fltheory.core.registry import Member
from fltheory.engine.arithmetic import Rows, mean, total
from fltheory.engine.rounds import Round
from fltheory.engine.traits import (
    EVERYONE_FIRST,
    PLAYED_ON_PAGE,
    SOMEONE_ALWAYS,
    STARTS_FROM_OLD_MODELS,
    UPDATES_ARE_AVERAGED,
    ServerRule,
)
from fltheory.engine.workers import LOCAL_SGD, Worker


@dataclass(frozen=True)
class AfaCrossDevice:
    """AFA-CD (Algorithm 2): G_t = (1/m) sum_{i in M_t} G_i(x_{t - tau_i}); x_{t+1} = x_t - eta
    eta_L G_t.

    The box prints x_t - eta G_t; the proofs and the experiments need the factor eta_L.
    """

    server_rule: ClassVar[ServerRule] = ServerRule(per_step=True)
    worker: Worker = LOCAL_SGD

    def start(self, model: Rows, zeros: Rows) -> ModelState:
        return ModelState(model)

    def step(self, state: ModelState, deliveries: Rows, round: Round) -> ModelState:
        averages = round.per_step * deliveries  # worker code, line 3
        collected = total(round.share * averages)  # server code, line 2
        return ModelState(state.model - round.server_step_size * round.local_step_size * collected)


class AfaCrossSiloState(NamedTuple):
    """The model and the latest average G_i of every client."""

    model: Rows
    averages: Rows


@dataclass(frozen=True)
class AfaCrossSilo:
    """AFA-CS (Algorithm 3): the server keeps the latest G_i of every client; G_t = (1/M) sum_i G_i;
    x_{t+1} = x_t - eta eta_L G_t."""

    server_rule: ClassVar[ServerRule] = ServerRule(keeps_latest=True, per_step=True)
    worker: Worker = LOCAL_SGD

    def start(self, model: Rows, zeros: Rows) -> AfaCrossSiloState:
        return AfaCrossSiloState(model, zeros)

    def step(self, state: AfaCrossSiloState, deliveries: Rows, round: Round) -> AfaCrossSiloState:
        averages = round.choose(round.per_step * deliveries, state.averages)
        return AfaCrossSiloState(
            state.model - round.server_step_size * round.local_step_size * mean(averages), averages
        )


ANARCHIC = frozenset((STARTS_FROM_OLD_MODELS, SOMEONE_ALWAYS, UPDATES_ARE_AVERAGED))
WITH_MEMORY = ANARCHIC | {EVERYONE_FIRST}

MEMBERS = (
    Member(
        "afa-cd",
        "AFA-CD: average of the arrivals, each divided by its local steps",
        lambda settings: AfaCrossDevice(),
        facts=ANARCHIC | {PLAYED_ON_PAGE},
    ),
    Member(
        "afa-cs",
        "AFA-CS: average over the latest arrival of every client",
        lambda settings: AfaCrossSilo(),
        facts=WITH_MEMORY | {PLAYED_ON_PAGE},
    ),
    Member(
        "afa-cd-fedprox",
        "AFA-CD with FedProx as the clients' optimiser",
        lambda settings: AfaCrossDevice(worker=proximal_worker(settings)),
        "--proximal-strength 1/10",
        facts=ANARCHIC,
        needs=PROXIMAL,
    ),
    Member(
        "afa-cs-fedprox",
        "AFA-CS with FedProx as the clients' optimiser",
        lambda settings: AfaCrossSilo(worker=proximal_worker(settings)),
        "--proximal-strength 1/10",
        facts=ANARCHIC,
        needs=PROXIMAL,
    ),
    Member(
        "afa-cd-scaffold",
        "AFA-CD with SCAFFOLD as the clients' optimiser",
        lambda settings: AfaCrossDevice(worker=CONTROLLED),
        facts=ANARCHIC,
    ),
    Member(
        "afa-cs-scaffold",
        "AFA-CS with SCAFFOLD as the clients' optimiser",
        lambda settings: AfaCrossSilo(worker=CONTROLLED),
        facts=ANARCHIC,
    ),
)
