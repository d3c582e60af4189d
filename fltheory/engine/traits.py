"""Facts that a method declares about itself, so that nothing else needs a list of methods'
names."""

from collections.abc import Collection
from dataclasses import dataclass

STARTS_FROM_OLD_MODELS = "clients may start from old models"
NO_SERVER_STEP = "its paper has no step size of the server: it is 1 unless a claim speaks of it"
EVERYONE_FIRST = "its theorems assume that every client delivers in the first round"
SOMEONE_ALWAYS = "its theorems assume that somebody delivers in every round"
PLAYED_ON_PAGE = "the teaching page can run it"
NOT_REPLAYED_ALONE = "the standalone replayer does not know it"
UPDATES_ARE_AVERAGED = "a delivery is divided by its number of local steps"
WORKS_ON_LAST_RECEIVED = "a client works on the model that it received after its last delivery"
WAITS_FOR_NEXT = "the server waits for the next arrival"
WAITS_FOR_WINDOW = "the server waits for a fixed time"
WAITS_FOR_BUFFER = "the server waits for a number of arrivals"

POLICIES = {
    "async": WAITS_FOR_NEXT,
    "fedfix": WAITS_FOR_WINDOW,
    "fedbuff": WAITS_FOR_BUFFER,
}
"""Names of the waiting policies, beside `sync`, in which the server waits for everybody."""


def policy_of(facts: Collection[str]) -> str:
    """The name of the policy by which a method's server waits.

    >>> policy_of({WAITS_FOR_WINDOW, STARTS_FROM_OLD_MODELS}), policy_of(())
    ('fedfix', 'sync')
    """
    return next((name for name, fact in POLICIES.items() if fact in facts), "sync")


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
