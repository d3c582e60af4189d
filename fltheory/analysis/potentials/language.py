"""Languages of availability: sets of traces that a generic client can follow, as an automaton."""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact

LARGEST_STALENESS = 200

ONLY = Fraction(1)


class ClientMove(NamedTuple):
    """What the generic client may do after a round: from a state to others, with their chances. In
    a fresh state the client delivers in this round. `phase` is known to all clients."""

    before: str
    fresh: bool
    after: tuple[tuple[Fraction, str, bool], ...]
    phase: str = ""


def _whole(value: object, owner: str, lowest: int, highest: int = LARGEST_STALENESS) -> int:
    number = exact(value, owner)
    if number.denominator != 1 or not lowest <= number <= highest:
        raise InvalidInput(owner, f"be a whole number from {lowest} to {highest}", number)
    return int(number)


@dataclass(frozen=True)
class Staleness:
    """Every client delivers again after at most `bound` silent rounds, in any order.

    With `cold`, a client may be silent for up to `bound` rounds before its first delivery;
    otherwise everybody delivers in round 0.
    """

    bound: int
    cold: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "bound", _whole(self.bound, "staleness", 0))
        if type(self.cold) is not bool:
            raise InvalidInput("cold start", "be true or false", repr(self.cold)[:60])
        if self.cold and not self.bound:
            raise InvalidInput("staleness", "be at least 1 for a cold start", 0)

    kind = "staleness"

    @property
    def longest(self) -> int:
        """Silent rounds in a row that are played with the method's code."""
        return self.bound

    def moves(self) -> tuple[ClientMove, ...]:
        """The age grows by one, or the client delivers."""
        return tuple(
            ClientMove(str(a), not a, ((ONLY, str(b), not b),))
            for a in range(self.bound + 1)
            for b in sorted({0, a + 1})
            if b <= self.bound
        )

    def told(self) -> str:
        if not self.bound:
            return "every client delivers in every round"
        first = "everybody delivers in round 0"
        if self.cold:
            first = f"delivers for the first time in round {self.bound} at the latest"
        return (
            f"no client is silent for more than {self.bound} round{'s' * (self.bound > 1)} in a"
            f" row, and {'each ' * self.cold}{first}"
        )

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "bound": self.bound, "cold": self.cold}


@dataclass(frozen=True)
class Delays:
    """In every round somebody delivers; each delivery started at most `bound` rounds before."""

    bound: int
    kind = "delays"

    def __post_init__(self) -> None:
        object.__setattr__(self, "bound", _whole(self.bound, "delay", 0, 30))

    def told(self) -> str:
        return (
            "in every round at least one client delivers, and every delivery was computed at a"
            f" model of at most {self.bound} round{'s' * (self.bound != 1)} before"
        )

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "bound": self.bound}


@dataclass(frozen=True)
class RandomAvailability:
    """In every round each client delivers with a fixed chance, independently of the past; the
    staleness has no bound. Clients may depend on each other. Everybody delivers in round 0."""

    chance: Fraction
    kind = "bernoulli"
    cold = False
    longest = 3

    def __post_init__(self) -> None:
        chance = exact(self.chance, "availability probability")
        if not 0 < chance < 1:
            raise InvalidInput("availability probability", "lie in (0, 1)", chance)
        object.__setattr__(self, "chance", chance)

    def moves(self) -> tuple[ClientMove, ...]:
        """To a fresh state with the chance, else to the silent one, whatever the age."""
        after = ((self.chance, "0", True), (1 - self.chance, "silent", False))
        return ClientMove("0", True, after), ClientMove("silent", False, after)

    def told(self) -> str:
        return (
            f"in every round each client delivers with probability {self.chance}, independently of"
            " the past (in any dependence between clients), and everybody delivers in round 0"
        )

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "chance": str(self.chance)}


@dataclass(frozen=True)
class Windows:
    """Every client delivers exactly once in each window of `length` rounds, at any place in it.
    Everybody delivers in round 0, and the windows begin in round 1."""

    length: int
    kind = "windows"
    cold = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", _whole(self.length, "window", 1, 20))

    @property
    def longest(self) -> int:
        """From the first round of a window to the last one of the next."""
        return 2 * self.length - 2

    def moves(self) -> tuple[ClientMove, ...]:
        """States are the phase of the window and the age; a client that has an age above the phase
        has not delivered in this window yet. Round 0 is the end of a window."""
        size = self.length
        found, todo = [], [(size - 1, 0)]
        for phase, age in todo:
            following = (phase + 1) % size
            done = bool(following) and age <= phase
            options = [] if done else [(following, 0)]
            if done or following < size - 1:
                options.append((following, age + 1))
            for option in options:
                if option not in todo:
                    todo.append(option)
                after = ((ONLY, f"{option[0]}.{option[1]}", not option[1]),)
                found.append(ClientMove(f"{phase}.{age}", not age, after, f"{phase}"))
        return tuple(found)

    def told(self) -> str:
        return (
            f"everybody delivers in round 0, and every client exactly once in each window of"
            f" {self.length} rounds; the windows begin in rounds 1, {1 + self.length},"
            f" {1 + 2 * self.length} and so on"
        )

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "length": self.length}


@dataclass(frozen=True)
class Periodic:
    """Every client repeats the same pattern of 0 and 1, each shifted in its own way. Everybody
    delivers in round 0, and the patterns begin in round 1."""

    pattern: str
    kind = "periodic"
    cold = False

    def __post_init__(self) -> None:
        text = self.pattern
        if not isinstance(text, str) or set(text) != {"0", "1"} or len(text) > 50:
            raise InvalidInput(
                "pattern", "be a word of 0 and 1 with both such as 1000", f"{text!r:.60}"
            )

    @property
    def longest(self) -> int:
        """The longest run of silent rounds of the repeated pattern."""
        return max(len(part) for part in (2 * self.pattern).split("1"))

    def moves(self) -> tuple[ClientMove, ...]:
        """From the first round to any place of the pattern, then from place to place."""
        places = [(ONLY, str(k), sign == "1") for k, sign in enumerate(self.pattern)]
        first = [ClientMove("first", True, (place,)) for place in places]
        return (
            *first,
            *(
                ClientMove(name, fresh, (places[(k + 1) % len(places)],))
                for k, (_, name, fresh) in enumerate(places)
            ),
        )

    def told(self) -> str:
        return (
            f"everybody delivers in round 0, and from round 1 on every client repeats the pattern"
            f" {self.pattern} (1: it delivers), from any place in it on"
        )

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "pattern": self.pattern}


WithMemory: TypeAlias = Staleness | RandomAvailability | Windows | Periodic
"""Languages for methods with memory."""


@dataclass(frozen=True)
class Turns:
    """Two groups of equally many clients deliver by turns, in a pattern that repeats such
    as ABBB."""

    groups: str
    kind = "turns"

    def __post_init__(self) -> None:
        text = self.groups
        if not isinstance(text, str) or not text or set(text) - {"A", "B"} or len(text) > 50:
            raise InvalidInput("pattern", "be a word of A and B such as ABBB", repr(text)[:60])
        if set(text) != {"A", "B"}:
            raise InvalidInput("pattern", "name both groups", repr(text))

    def told(self) -> str:
        return (
            "the clients are split into groups A and B of N/2 clients, and in every round all"
            f" clients of one group deliver, in the order {self.groups}, repeated"
        )

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "groups": self.groups}


Language: TypeAlias = WithMemory | Delays | Turns
"""What may happen to a client."""


ALL = (Staleness, Delays, RandomAvailability, Windows, Periodic, Turns)


def language_from_json(data: object) -> Language:
    """Read what `to_json` wrote.

    >>> language_from_json(Staleness(3).to_json())
    Staleness(bound=3, cold=False)
    """
    kinds = {one.kind: one for one in ALL}
    if not isinstance(data, dict) or data.get("kind") not in kinds:
        raise InvalidInput("language", f"be one of {', '.join(kinds)}", str(data)[:60])
    given = {name: value for name, value in data.items() if name != "kind"}
    try:
        found: Language = kinds[data["kind"]](**given)
    except TypeError:
        raise InvalidInput("language", "have the fields of its kind", sorted(given)) from None
    return found
