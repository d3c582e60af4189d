"""Random participation in one round, all outcomes with their probabilities: weights omega_i and
their moments."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import prod

from fltheory.core.types import ExactLike

F = Fraction


@dataclass(frozen=True)
class Scheme:
    """Outcomes (probability, omega_1, ..., omega_M) of one round."""

    says: str
    outcomes: tuple[tuple[Fraction, tuple[Fraction, ...]], ...]
    importance: tuple[Fraction, ...]

    @property
    def clients(self) -> range:
        return range(len(self.importance))

    def moment(self, *clients: int) -> Fraction:
        """E of the product of these clients' weights."""
        return sum(
            (
                chance * prod((omega[i] for i in clients), start=F(1))
                for chance, omega in self.outcomes
            ),
            F(0),
        )

    @property
    def weight(self) -> tuple[Fraction, ...]:
        """d_i: the largest weight that a client can get."""
        return tuple(max(omega[i] for _, omega in self.outcomes) for i in self.clients)

    def pair_factors(self) -> set[Fraction]:
        """E omega_i omega_j / (q_i q_j) over all pairs with a positive product."""
        return {
            self.moment(i, j) / (self.moment(i) * self.moment(j))
            for i, j in combinations(self.clients, 2)
            if self.moment(i) * self.moment(j) > 0
        }

    @cached_property
    def covariance_factor(self) -> Fraction:
        """alpha, where all pairs agree on one; 1 where no pair decides it."""
        factors = self.pair_factors()
        if len(factors) > 1:
            raise ValueError(f"{self.says} does not satisfy Assumption 5")
        return factors.pop() if factors else F(1)

    def excess(self, client: int) -> Fraction:
        """gamma_i."""
        return self.moment(client, client) - self.covariance_factor * self.moment(client) ** 2

    @cached_property
    def variance_excess(self) -> Fraction:
        """The smallest beta with gamma_i <= beta q_i."""
        return max(self.excess(i) / self.moment(i) for i in self.clients if self.moment(i) > 0)


def equal(num_clients: int) -> tuple[Fraction, ...]:
    """Equal importances that sum to 1."""
    return (F(1, num_clients),) * num_clients


def uniform(num_clients: int, size: int, importance: Sequence[ExactLike] | None = None) -> Scheme:
    """`size` clients without replacement, weights p_i M / m."""
    shares = tuple(F(p) for p in importance or equal(num_clients))
    weights = tuple(p * num_clients / size for p in shares)
    sets = list(combinations(range(num_clients), size))
    outcomes = tuple(
        (F(1, len(sets)), tuple(w if i in chosen else F(0) for i, w in enumerate(weights)))
        for chosen in sets
    )
    return Scheme(f"uniform sampling of {size} from {num_clients}", outcomes, shares)


def multinomial(size: int, importance: Sequence[ExactLike]) -> Scheme:
    """`size` independent draws by importance, weights count / m."""
    shares = tuple(F(p) for p in importance)
    outcomes: dict[tuple[Fraction, ...], Fraction] = {}
    for draws in product(range(len(shares)), repeat=size):
        counts = Counter(draws)
        omega = tuple(F(counts[i], size) for i in range(len(shares)))
        outcomes[omega] = outcomes.get(omega, F(0)) + prod((shares[i] for i in draws), start=F(1))
    return Scheme(
        f"multinomial sampling of {size} from {len(shares)}",
        tuple((c, o) for o, c in outcomes.items()),
        shares,
    )


def independent(chances: Sequence[ExactLike]) -> Scheme:
    """Each client takes part with its own chance, independently; weights p_i / chance."""
    shares, given = equal(len(chances)), [F(c) for c in chances]
    outcomes = []
    for taken in product((False, True), repeat=len(chances)):
        mass = prod((c if t else 1 - c for c, t in zip(given, taken, strict=True)), start=F(1))
        each = zip(shares, given, taken, strict=True)
        outcomes.append((mass, tuple(p / c if t else F(0) for p, c, t in each)))
    return Scheme(
        f"independent participation with chances {', '.join(map(str, chances))}",
        tuple(outcomes),
        shares,
    )


def certain(weights: Sequence[ExactLike]) -> Scheme:
    """The same clients with the same weights, without chance; weight 0 means absent."""
    return Scheme(
        f"certain weights {', '.join(map(str, weights))}",
        ((F(1), tuple(F(w) for w in weights)),),
        equal(len(weights)),
    )


def schemes() -> Iterator[Scheme]:
    """Schemes of every kind, small ones first."""
    yield certain((1, 0))
    yield certain((F(1, 2), F(1, 2)))
    yield from (uniform(n, m) for n in (2, 3, 4) for m in range(1, n + 1))
    yield uniform(5, 3)
    yield uniform(3, 1, ("1/2", "1/3", "1/6"))
    yield uniform(4, 2, ("1/2", "1/4", "1/8", "1/8"))
    yield from (multinomial(m, ("1/2", "1/3", "1/6")) for m in (1, 2, 3))
    yield independent(("1/2", "1/3"))
    yield independent(("1/2", "1/3", "1/5"))
