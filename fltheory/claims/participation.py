"""Laws of participation: who delivers is drawn anew in each round, and expectations over all draws
are exact sums.

Identical clients of a method without memory are interchangeable, so that only their number counts:
a thousand clients in two groups have as few outcomes as two.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np

from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.exact import exact, exacts
from fltheory.core.types import BoolArray, Json

MOST_OUTCOMES = 2048
"""Largest number of outcomes over which an expectation is summed."""

MOST_SETS = 64
"""Largest number of sets of clients that come and go by Markov chains."""

LAWS: Mapping[str, str] = {
    "bernoulli": "every client delivers in each round with a probability of its own, independently",
    "uniform": "each round uses clients_per_round clients, drawn uniformly without replacement",
    "cyclic": (
        "the clients form groups that take turns, and each round uses clients_per_round clients of"
        " its group, drawn uniformly without replacement"
    ),
    "markov": (
        "every client comes and goes by a Markov chain of its own, which starts in its stationary"
        " law"
    ),
}
"""Kinds of random participation, and what they mean."""

Outcomes = list[tuple[Fraction, tuple[int, ...]]]
"""Probabilities of the sets of clients that deliver in one round."""


@dataclass(frozen=True)
class Participation:
    """A law of participation.

    `probabilities` has the chance of every client to be there (bernoulli), or to come back after an
    absence (markov); `stays` its chance to stay (markov). Client i is in group i mod `groups`
    (cyclic).

    >>> Participation("uniform", clients_per_round=1).chances(4)
    (Fraction(1, 4), Fraction(1, 4), Fraction(1, 4), Fraction(1, 4))
    """

    kind: str
    probabilities: tuple[Fraction, ...] = ()
    stays: tuple[Fraction, ...] = ()
    clients_per_round: int = 0
    groups: int = 1

    def __post_init__(self) -> None:
        if self.kind not in LAWS:
            raise InvalidInput(
                "participation", f"be one of {', '.join(LAWS)}", repr(self.kind)[:40]
            )
        for name in ("probabilities", "stays"):
            chances = exacts(getattr(self, name), f"{name} of participation")
            if any(not 0 <= chance <= 1 for chance in chances):
                raise InvalidInput(f"{name} of participation", "lie in [0, 1]", "another number")
            object.__setattr__(self, name, chances)
        for name, least in (("clients_per_round", 0), ("groups", 1)):
            number = exact(getattr(self, name), name)
            if number.denominator != 1 or number < least:
                raise InvalidInput(name, f"be a whole number of at least {least}", number)
            object.__setattr__(self, name, int(number))
        if self.kind == "markov" and any(
            come + 1 - stay == 0 for come, stay in zip(self.probabilities, self.stays, strict=True)
        ):
            raise InvalidInput("participation", "move between presence and absence", "a client")

    def to_json(self) -> Json:
        """As a counterexample file holds it."""
        return {
            "kind": self.kind,
            "probabilities": [str(x) for x in self.probabilities],
            "stays": [str(x) for x in self.stays],
            "clients_per_round": self.clients_per_round,
            "groups": self.groups,
        }

    @classmethod
    def from_json(cls, data: object) -> "Participation":
        """Read what to_json wrote."""
        known = set(cls.__dataclass_fields__)
        if not isinstance(data, dict) or not set(data) <= known or "kind" not in data:
            raise InvalidInput(
                "participation", f"be an object with {', '.join(sorted(known))}", repr(data)[:60]
            )
        return cls(
            str(data["kind"]),
            tuple(data.get("probabilities", ())),
            tuple(data.get("stays", ())),
            data.get("clients_per_round", 0),
            data.get("groups", 1),
        )

    def check(self, num_clients: int) -> None:
        """Refuse a law that does not fit this number of clients."""
        if self.kind in ("bernoulli", "markov"):
            for name in ("probabilities", "stays")[: 2 if self.kind == "markov" else 1]:
                if len(getattr(self, name)) != num_clients:
                    raise InvalidInput(
                        f"{name} of participation",
                        f"have one entry for each of {num_clients} clients",
                        len(getattr(self, name)),
                    )
        elif num_clients % self.groups or not (
            1 <= self.clients_per_round <= num_clients // self.groups
        ):
            raise InvalidInput(
                "clients per round and groups of participation",
                f"fit {num_clients} clients",
                (self.clients_per_round, self.groups),
            )

    def chances(self, num_clients: int) -> tuple[Fraction, ...]:
        """The share of the rounds in which each client delivers, on average."""
        if self.kind == "bernoulli":
            return self.probabilities
        if self.kind == "markov":
            return tuple(
                come / (come + 1 - stay)
                for come, stay in zip(self.probabilities, self.stays, strict=True)
            )
        return (Fraction(self.clients_per_round, num_clients),) * num_clients

    def outcomes(
        self, rounds: int, alike: Sequence[Hashable]
    ) -> Iterator[tuple[Fraction, BoolArray]]:
        """Probability and deliveries of every outcome; clients with equal entries in `alike` may
        stand for each other.

        >>> law = Participation("uniform", clients_per_round=1)
        >>> [(str(p), d.tolist()) for p, d in law.outcomes(1, "aab")]
        [('1/3', [[False, False, True]]), ('2/3', [[True, False, False]])]
        """
        clients = len(alike)
        self.check(clients)
        if self.kind == "markov":
            yield from self._chains(rounds, clients)
            return
        each = [self.of_round(t % self.groups, alike) for t in range(min(rounds, self.groups))]
        lists = [each[t % self.groups] for t in range(rounds)]
        if prod(len(one) for one in lists) > MOST_OUTCOMES:
            raise NotExact(f"participation has more than {MOST_OUTCOMES} outcomes")
        for chosen in product(*lists):
            delivers = np.zeros((rounds, clients), bool)
            for t, (_, who) in enumerate(chosen):
                delivers[t, list(who)] = True
            yield prod((p for p, _ in chosen), start=Fraction(1)), delivers

    def of_round(self, group: int, alike: Sequence[Hashable]) -> Outcomes:
        """The outcomes of one round, by the numbers of clients of each sort."""
        sorts: dict[Hashable, list[int]] = {}
        for i in range(group, len(alike), self.groups):
            chance = self.probabilities[i] if self.kind == "bernoulli" else None
            sorts.setdefault((alike[i], chance), []).append(i)
        members, found = list(sorts.items()), Outcomes()
        total = sum(len(one) for _, one in members)
        for counts in product(*(range(len(one) + 1) for _, one in members)):
            if self.kind != "bernoulli" and sum(counts) != self.clients_per_round:
                continue
            weight = Fraction(1)
            for count, (_, one) in zip(counts, members, strict=True):
                weight *= comb(len(one), count)
                if self.kind == "bernoulli":
                    chance = self.probabilities[one[0]]
                    weight *= chance**count * (1 - chance) ** (len(one) - count)
            if self.kind != "bernoulli":
                weight /= comb(total, self.clients_per_round)
            if weight:
                who = tuple(
                    i for count, (_, one) in zip(counts, members, strict=True) for i in one[:count]
                )
                found.append((weight, who))
            if len(found) > MOST_OUTCOMES:
                raise NotExact(f"participation has more than {MOST_OUTCOMES} outcomes")
        return found

    def sets(self, chances: Sequence[Fraction]) -> dict[tuple[int, ...], Fraction]:
        """The chance of every set of clients if each is there with a chance of its own.

        >>> law = Participation("bernoulli", ("1/2",))
        >>> {who: str(chance) for who, chance in law.sets([Fraction(1, 4)]).items()}
        {(): '3/4', (0,): '1/4'}
        """
        if 2 ** len(chances) > MOST_SETS:
            raise NotExact(f"participation has more than {MOST_SETS} states")
        return {
            tuple(i for i, there in enumerate(cells) if there): prod(
                (p if there else 1 - p for p, there in zip(chances, cells, strict=True)),
                start=Fraction(1),
            )
            for cells in product((False, True), repeat=len(chances))
        }

    def _chains(self, rounds: int, clients: int) -> Iterator[tuple[Fraction, BoolArray]]:
        if 2 ** (rounds * clients) > MOST_OUTCOMES:
            raise NotExact(f"participation has more than {MOST_OUTCOMES} outcomes")
        start = self.chances(clients)
        for cells in product((False, True), repeat=rounds * clients):
            delivers = np.array(cells, bool).reshape(rounds, clients)
            chance = Fraction(1)
            for i in range(clients):
                now = start[i]
                for there in delivers[:, i]:
                    chance *= now if there else 1 - now
                    now = self.stays[i] if there else self.probabilities[i]
            if chance:
                yield chance, delivers
