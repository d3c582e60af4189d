"""FedLaAvg (Yan et al. 2020, Algorithms 1 and 2): the server applies the average of every client's
latest update."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from fltheory.core.registry import Member
from fltheory.engine.arithmetic import Rows, mean
from fltheory.engine.rounds import Round
from fltheory.engine.traits import NO_SERVER_STEP, PLAYED_ON_PAGE, ServerRule
from fltheory.engine.workers import LOCAL_SGD, Worker


class FedLaAvgState(NamedTuple):
    """The model, the mean of the latest updates, and the latest update of every client."""

    model: Rows
    mean_update: Rows
    latest_updates: Rows


@dataclass(frozen=True)
class FedLaAvg:
    """u_i^r = -gamma sum of local gradients; u^r = (1/N) sum_i u_i^{R_i^r}, updated by differences;
    x^{rC} = x^{(r-1)C} + u^r.

    The trace determines who participates (lines 5-7). With one local step this is Algorithm 1 with
    u^r = -gamma g^r. Unlike in MIFA, a remembered update keeps the step size of the round in which
    it was computed. `simulate_virtual` gives Algorithm 3.
    """

    server_rule: ClassVar[ServerRule] = ServerRule(keeps_latest=True, own_step_size=True)
    worker: Worker = LOCAL_SGD

    def start(self, model: Rows, zeros: Rows) -> FedLaAvgState:
        """Line 2: u^0 = 0 and u_i^0 = 0."""
        return FedLaAvgState(model, mean(zeros), zeros)

    def step(self, state: FedLaAvgState, deliveries: Rows, round: Round) -> FedLaAvgState:
        """Line 8: clients send u_i^r - u_i^{R_i^{r-1}}; line 9: their mean is added to u^r; line
        10: u^r moves the model."""
        latest = round.choose(-round.started_step_size * deliveries, state.latest_updates)
        mean_update = state.mean_update + mean(latest - state.latest_updates)
        return FedLaAvgState(
            state.model + round.server_step_size * mean_update, mean_update, latest
        )


MEMBERS = (
    Member(
        "fedlaavg",
        "FedLaAvg: latest update of every client, kept with its own step size",
        lambda settings: FedLaAvg(),
        facts=frozenset((NO_SERVER_STEP, PLAYED_ON_PAGE)),
    ),
)
