"""MIFA (Gu et al. 2021, Algorithm 1): the server averages every client's latest update, fresh or
remembered."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

from fltheory.core.registry import Member, ModelWeights
from fltheory.engine.arithmetic import Rows, mean
from fltheory.engine.rounds import Round
from fltheory.engine.traits import EVERYONE_FIRST, NO_SERVER_STEP, PLAYED_ON_PAGE, ServerRule
from fltheory.engine.workers import LOCAL_SGD, Worker


class MifaState(NamedTuple):
    """The model and the latest update of every client."""

    model: Rows
    updates: Rows


@dataclass(frozen=True)
class Mifa:
    """G^i_t is the delivery of round t, or G^i_{t-1} without a delivery; w_{t+1} = w_t - (eta_t /
    N) sum_i G^i_t.

    Line 3 is `start`, lines 6-9 are `step`. A remembered update moves the model with the current
    step size; the step size of the server is 1.
    """

    server_rule: ClassVar[ServerRule] = ServerRule(keeps_latest=True)
    worker: Worker = LOCAL_SGD

    def start(self, model: Rows, zeros: Rows) -> MifaState:
        return MifaState(model, zeros)

    def step(self, state: MifaState, deliveries: Rows, round: Round) -> MifaState:
        updates = round.choose(deliveries, state.updates)
        return MifaState(
            state.model - round.server_step_size * round.local_step_size * mean(updates), updates
        )


class MifaDifferenceState(NamedTuple):
    """The model, the mean update, and the latest update that each client keeps."""

    model: Rows
    mean_update: Rows
    kept_by_client: Rows


@dataclass(frozen=True)
class MifaDifference:
    """MIFA with a server that keeps only the running mean: clients send G^i_t - G^i_{t'}, where t'
    is the round of their previous delivery and G^i = 0 before the first."""

    worker: Worker = LOCAL_SGD

    def start(self, model: Rows, zeros: Rows) -> MifaDifferenceState:
        return MifaDifferenceState(model, mean(zeros), zeros)

    def step(
        self, state: MifaDifferenceState, deliveries: Rows, round: Round
    ) -> MifaDifferenceState:
        kept = round.choose(deliveries, state.kept_by_client)
        mean_update = state.mean_update + mean(kept - state.kept_by_client)
        model = state.model - round.server_step_size * round.local_step_size * mean_update
        return MifaDifferenceState(model, mean_update, kept)


FACTS = frozenset((NO_SERVER_STEP, EVERYONE_FIRST))


def weighted_average(shift: Fraction) -> ModelWeights:
    """The weights (t + a - 1)(t + a - 2), t = 1, 2, ..., of Theorem 5.1 for the step sizes 4/(mu K
    (t + a)).

    >>> weighted_average(Fraction(100))(0)
    Fraction(9900, 1)
    """
    return lambda index: (index + shift) * (index + shift - 1)


MEMBERS = (
    Member(
        "mifa",
        "MIFA: latest update of every client, kept as an array at the server",
        lambda settings: Mifa(),
        facts=FACTS | {PLAYED_ON_PAGE},
        average=weighted_average,
    ),
    Member(
        "mifa-difference",
        "MIFA with a running mean at the server and differences on the wire",
        lambda settings: MifaDifference(),
        facts=FACTS,
        average=weighted_average,
    ),
)
