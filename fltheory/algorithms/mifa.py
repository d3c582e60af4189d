"""MIFA (Gu et al. 2021, Algorithm 1): the server averages every client's latest update, fresh or remembered."""

from dataclasses import dataclass
from typing import NamedTuple

from fltheory.arithmetic import Rows, mean
from fltheory.members import Member
from fltheory.rounds import Round
from fltheory.workers import LOCAL_SGD, Worker


class MifaState(NamedTuple):
    model: Rows
    updates: Rows


@dataclass(frozen=True)
class Mifa:
    """G^i_t = delivery of round t, or G^i_{t-1} without one; w_{t+1} = w_t - (eta_t / N) sum_i G^i_t.

    Line 3 is `start`, lines 6-9 are `step`. A remembered update moves the model with the current step size; the server's own is 1.
    """

    worker: Worker = LOCAL_SGD

    def start(self, model: Rows, zeros: Rows) -> MifaState:
        return MifaState(model, zeros)

    def step(self, state: MifaState, deliveries: Rows, round: Round) -> MifaState:
        updates = round.choose(deliveries, state.updates)
        return MifaState(state.model - round.server_step_size * round.local_step_size * mean(updates), updates)


class MifaDifferenceState(NamedTuple):
    model: Rows
    mean_update: Rows
    kept_by_client: Rows


@dataclass(frozen=True)
class MifaDifference:
    """The layout in which the server keeps only the running mean: clients send G^i_t - G^i_{t'}, zero before the first."""

    worker: Worker = LOCAL_SGD

    def start(self, model: Rows, zeros: Rows) -> MifaDifferenceState:
        return MifaDifferenceState(model, mean(zeros), zeros)

    def step(self, state: MifaDifferenceState, deliveries: Rows, round: Round) -> MifaDifferenceState:
        kept = round.choose(deliveries, state.kept_by_client)
        mean_update = state.mean_update + mean(kept - state.kept_by_client)
        model = state.model - round.server_step_size * round.local_step_size * mean_update
        return MifaDifferenceState(model, mean_update, kept)


MEMBERS = (
    Member("mifa", "MIFA: latest update of every client, kept as an array at the server", lambda settings: Mifa()),
    Member("mifa-difference", "MIFA with a running mean at the server and differences on the wire", lambda settings: MifaDifference()),
)
