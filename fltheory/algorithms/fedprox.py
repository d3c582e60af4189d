"""FedProx (Li et al. 2018): local steps on f_i plus a proximal term that pulls towards the received
model."""

from fractions import Fraction

from fltheory.algorithms.fedavg import FedAvg
from fltheory.core.checked import Checked, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.registry import Member, Settings
from fltheory.core.types import ExactLike
from fltheory.engine.arithmetic import Rows
from fltheory.engine.workers import Step, Worker


@frozen
class Proximal:
    """The gradient of f_i(x) + strength/2 |x - received model|^2."""

    strength: Checked[ExactLike, Fraction]

    def __post_init__(self) -> None:
        strength = exact(self.strength, "proximal strength")
        if strength < 0:
            raise InvalidInput("proximal strength", "be at least 0", strength)
        object.__setattr__(self, "strength", strength)

    def __call__(self, step: Step) -> Rows:
        return step.gradients + step.round.number(self.strength) * (step.local - step.pulled.model)


def proximal(strength: ExactLike) -> Worker:
    """The worker of FedProx.

    >>> proximal("1/10").direction
    Proximal(strength=Fraction(1, 10))
    """
    return Worker(direction=Proximal(strength))


def proximal_worker(settings: Settings) -> Worker:
    """The worker of FedProx with the user's settings."""
    return proximal(settings.need("proximal_strength"))


PROXIMAL = frozenset(("proximal_strength",))

MEMBERS = (
    Member(
        "fedprox",
        "FedProx: FedAvg with a proximal term in the local losses",
        lambda settings: FedAvg(worker=proximal_worker(settings)),
        "--proximal-strength 1/10",
        needs=PROXIMAL,
    ),
)
