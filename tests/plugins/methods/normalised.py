"""Normalised averaging (after FedNova, Wang et al. 2020): each delivery is divided by its number of
local steps, and their mean is multiplied by a fixed effective number."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

from fltheory.core.registry import Member
from fltheory.engine.arithmetic import Rows, total
from fltheory.engine.rounds import Round
from fltheory.engine.traits import UPDATES_ARE_AVERAGED
from fltheory.engine.workers import LOCAL_SGD, Worker


class NormalisedState(NamedTuple):
    model: Rows


@dataclass(frozen=True)
class Normalised:
    """x_{t+1} = x_t - eta_g s (1/|A|) sum_{i in A} eta_l delivery_i / K_i."""

    facts: ClassVar[frozenset[str]] = frozenset((UPDATES_ARE_AVERAGED,))
    effective_steps: Fraction = Fraction(1)
    worker: Worker = LOCAL_SGD

    def start(self, model: Rows, zeros: Rows) -> NormalisedState:
        return NormalisedState(model)

    def step(self, state: NormalisedState, deliveries: Rows, round: Round) -> NormalisedState:
        scaled = round.started_step_size * round.share * round.per_step * deliveries
        moved = round.number(self.effective_steps) * total(scaled)
        return NormalisedState(state.model - round.server_step_size * moved)


TWICE = Normalised(Fraction(2))

ALGORITHMS = (
    Member(
        "normalised",
        "FedAvg with each delivery divided by its local steps",
        lambda settings: Normalised(),
        makes=Normalised,
        facts=Normalised.facts,
    ),
    TWICE,
)
