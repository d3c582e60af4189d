"""Rescaling of partial work (Ruan et al. 2020, as in FedLaAvg's Appendix A): updates with fewer
local steps get larger weights."""

from fractions import Fraction

from fltheory.algorithms.fedavg import ModelState
from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact, shares
from fltheory.core.registry import Member, Settings
from fltheory.core.types import Vector
from fltheory.engine.arithmetic import Rows, total
from fltheory.engine.rounds import Round
from fltheory.engine.workers import LOCAL_SGD, Worker


@frozen
class PartialWork:
    """x <- x + sum_i (C/s_i) w_i * (update of client i after s_i of C local steps); a client with
    s_i = 0 contributes nothing."""

    full_local_steps: int
    importance: Checked[Vector | None, tuple[Fraction, ...] | None] = default(None)
    worker: Worker = LOCAL_SGD

    def __post_init__(self) -> None:
        steps = exact(self.full_local_steps, "full local steps")
        if steps < 1 or steps.denominator != 1:
            raise InvalidInput("full local steps", "be a whole number of at least 1", steps)
        object.__setattr__(self, "full_local_steps", int(steps))
        if self.importance is not None:
            object.__setattr__(self, "importance", shares(self.importance, len(self.importance)))

    def start(self, model: Rows, zeros: Rows) -> ModelState:
        return ModelState(model)

    def step(self, state: ModelState, deliveries: Rows, round: Round) -> ModelState:
        most = round.most_steps
        if most > self.full_local_steps:
            raise InvalidInput(
                f"local steps in round {round.index}",
                f"be at most the full {self.full_local_steps}",
                most,
            )
        importance = round.per_client(shares(self.importance, deliveries.shape[-2]))
        weights = round.number(self.full_local_steps) * round.per_step * importance
        return ModelState(
            state.model
            - round.server_step_size * total(weights * round.started_step_size * deliveries)
        )


def _build(settings: Settings) -> PartialWork:
    return PartialWork(settings.need("full_local_steps"), settings.get("importance"))


MEMBERS = (
    Member(
        "partial-work",
        "FedAvg that scales up clients that did only part of the local steps",
        _build,
        "--full-local-steps 5",
        needs=frozenset(("full_local_steps",)),
    ),
)
