"""Facts that a method declares about itself, so that nothing else needs a list of methods'
names."""

from dataclasses import dataclass

STARTS_FROM_OLD_MODELS = "clients may start from old models"
NO_SERVER_STEP = "its paper has no step size of the server: it is 1 unless a claim speaks of it"
EVERYONE_FIRST = "its theorems assume that every client delivers in the first round"
NOT_REPLAYED_ALONE = "the standalone replayer does not know it"
UPDATES_ARE_AVERAGED = "a delivery is divided by its number of local steps"


@dataclass(frozen=True)
class ServerRule:
    """What a server does with deliveries, for the compiled loops: a method that declares none runs
    in the general engine.

    `keeps_latest`: the latest delivery of every client stays in memory. `own_step_size`: a delivery
    moves the model with the step size of the round in which its work began. `per_step`: it is
    divided by its local steps. `weighted`: it is multiplied by the method's weights.
    """

    keeps_latest: bool = False
    own_step_size: bool = False
    per_step: bool = False
    weighted: bool = False

    @property
    def flags(self) -> tuple[bool, bool, bool]:
        """As the loops read it."""
        return self.keeps_latest, self.own_step_size, self.per_step


def rule_of(algorithm: object) -> ServerRule | None:
    """The rule that a method declares as `server_rule`."""
    found = getattr(algorithm, "server_rule", None)
    return found if isinstance(found, ServerRule) else None
