"""Independent coin flips, one probability per client (MIFA Def. 5.2)."""

from collections.abc import Iterable
from fractions import Fraction
from functools import partial

from fltheory.core.checked import Checked, frozen
from fltheory.core.randomness import Purpose, happens
from fltheory.core.registry import Member, Settings
from fltheory.core.types import BoolArray, ExactLike
from fltheory.traces.availability.base import Declared, arguments, chances, for_clients, grid


@frozen
class Bernoulli:
    """Client i is available with its own probability, independently of all other events; by default
    all clients are available in the first round.

    >>> Bernoulli(("1/2", 1)).matrix(3, seed=2).astype(int).tolist()
    [[1, 1], [0, 1], [1, 1]]
    """

    probabilities: Checked[Iterable[ExactLike], tuple[Fraction, ...]]
    everyone_first: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "probabilities", chances(self.probabilities))

    @property
    def num_clients(self) -> int:
        return len(self.probabilities)

    @property
    def declares(self) -> Declared:
        certain = max(self.probabilities) == 1
        return Declared(
            everyone_first=self.everyone_first,
            someone_always=certain,
            availability_window=1 if min(self.probabilities) == 1 else None,
        )

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        rounds, clients = grid(num_rounds, self.num_clients)
        available = happens(self.probabilities, seed, Purpose.AVAILABILITY, rounds, clients)
        return available | (rounds == 0) if self.everyone_first else available


def biased_weights(probabilities: Iterable[ExactLike]) -> tuple[Fraction, ...]:
    """omega_i = E[1{i in A} / |A|; A not empty]: the mean weight of each client in biased FedAvg
    (MIFA Sec. 3).

    omega_i = p_i sum_k P(k of the others are available) / (k + 1). The weights sum to the
    probability of a non-empty round.

    >>> [str(weight) for weight in biased_weights(["1/10", "1/2", "9/10"])]
    ['9/200', '53/200', '129/200']
    """
    known = chances(probabilities)
    weights = []
    for i, chance in enumerate(known):
        counts = [Fraction(1)]
        for other in known[:i] + known[i + 1 :]:
            stay, come = [(1 - other) * x for x in counts], [other * x for x in counts]
            counts = [
                a + b for a, b in zip([*stay, Fraction(0)], [Fraction(0), *come], strict=True)
            ]
        weights.append(chance * sum((x / (k + 1) for k, x in enumerate(counts)), Fraction(0)))
    return tuple(weights)


def _build(settings: Settings, everyone_first: bool) -> Bernoulli:
    given = arguments(
        settings, "bernoulli:1/2 or bernoulli:1/10,9/10", least=0, most=None
    ) or settings.need("probabilities")
    return Bernoulli(
        for_clients(given, settings, "availability probabilities"), everyone_first=everyone_first
    )


MEMBERS = (
    Member(
        "bernoulli",
        "coin flips with each client's probability; everybody in round one (MIFA Def. 5.2)",
        partial(_build, everyone_first=True),
        "bernoulli:1/2",
    ),
    Member(
        "bernoulli-cold",
        "coin flips with each client's probability, from round one on",
        partial(_build, everyone_first=False),
        "bernoulli-cold:1/10,9/10",
    ),
)
