"""What the symbols of a claim measure, so that a file can give an instance and nothing else.

A counterexample file is somebody else's. It may name a run; which quantity of that run each symbol
is, what the claim takes for granted and which symbols are free follows from the claim alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import sympy

from fltheory.claims.claim import Claim
from fltheory.claims.condition import Condition
from fltheory.claims.forever import LIMITS
from fltheory.claims.measures import MEASURES
from fltheory.claims.measures_of_clients import parsed
from fltheory.claims.measures_of_outcomes import OUTCOMES
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import Comparison, as_expression, compare
from fltheory.core.types import Values

ALL = ("*",)
"""All symbols of a claim are free: a claim about numbers, such as a comparison of two bounds."""

ONLY_OF_RUNS = frozenset(OUTCOMES) - LIMITS | {"mean_loss_gap"}
"""Quantities that only a run can give; they are never free."""

AT_MOST = (
    ("clients_per_round", "num_clients"),
    ("mean_staleness", "max_staleness"),
    ("staleness", "max_staleness"),
    ("strong_convexity", "smoothness"),
    ("gradient_noise", "gradient_bound"),
    ("mean_client_max_staleness", "max_staleness"),
)
"""Pairs of quantities whose first is at most the second."""

MOST_PLACES = 64
"""Maximum number of places in one run at which a claim about single rounds is tried."""

Requirement = Callable[[Scenario], bool]
"""A condition on a run that is part of what a claim speaks about."""


@dataclass(frozen=True)
class Meaning:
    """What a counterexample to some claims is made of.

    `claims` are patterns of ids. A run is one of a method in `methods` that meets every condition
    in `requires`, by name; `measures` names the quantity behind a symbol, where the symbol is not a
    quantity itself ("model:t" and "model:t-1" hold in every round t, "latest:0" and "latest:1" are
    the models after the latest deliveries of two clients, in either order). Symbols in `free` take
    any values of their kind that the conditions of the claim allow.
    `origins` are the kinds of origin with data that give every symbol, and `keeps` decides printed
    assumptions, by id, on the values that such an origin gives.

    >>> Meaning(("afl.thm2",), methods=("afa-cd",)).names("afl.thm2")
    True
    """

    claims: tuple[str, ...]
    methods: tuple[str, ...] = ()
    measures: Mapping[str, str] = field(default_factory=dict)
    requires: Mapping[str, Requirement] = field(default_factory=dict)
    free: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    keeps: Mapping[str, Callable[[Values], bool]] = field(default_factory=dict)

    def names(self, claim_id: str) -> bool:
        """Is this the meaning of that claim?"""
        return any(fnmatchcase(claim_id, pattern) for pattern in self.claims)

    def quantity(self, symbol: str) -> str | None:
        """The quantity of a run behind a symbol; None for a free one, or if nothing measures it."""
        if symbol in self.free:
            return None
        return self.measures.get(symbol) or (symbol if is_measured(symbol) else None)


def is_measured(name: str) -> bool:
    """Does a run show what goes by this name?

    >>> is_measured("num_rounds"), is_measured("max_over_clients(client_smoothness)")
    (True, True)
    """
    return name in MEASURES or parsed(name) is not None


def always(values: Values) -> bool:
    """A printed assumption that every instance of an origin meets by its construction."""
    return True


def own_meaning(claim: Claim) -> Meaning:
    """The meaning of a claim that no paper states: a run of the methods that it is about, or free
    numbers; letters of one's own are free."""
    letters = tuple(sorted(s.name for s in claim.symbols if not is_measured(s.name)))
    if claim.about:
        return Meaning((claim.id,), methods=claim.about, free=letters)
    conditions = all(isinstance(a.holds, Condition) for a in claim.assumes if a.stated)
    numbers = conditions and not ONLY_OF_RUNS & {s.name for s in claim.symbols}
    return Meaning((claim.id,), free=ALL if numbers else ())


def places(meaning: Meaning, claim: Claim, run: Scenario) -> list[dict[str, str]]:
    """For every place of the run at which the claim speaks, the quantity behind each symbol that is
    not free; empty if a symbol has none."""
    wanted = {s.name: meaning.quantity(s.name) for s in claim.symbols if s.name not in meaning.free}
    if None in wanted.values():
        return []
    named = {name: str(how) for name, how in wanted.items()}
    if not any(how.startswith(("model:t", "undivided:t", "latest:")) for how in named.values()):
        return [named]
    rounds = run.trace.num_rounds
    found = []
    for t in range(1, min(rounds, MOST_PLACES) + 1):
        for first, second in ((0, 1), (1, 0)):
            index = {
                "model:t": t,
                "undivided:t": t,
                "model:t-1": t - 1,
                "latest:0": _latest(run, t, first),
                "latest:1": _latest(run, t, second),
            }
            here = {
                name: f"{how.split(':')[0].replace('latest', 'model')}:{index[how]}"
                if how in index
                else how
                for name, how in named.items()
            }
            if here not in found:
                found.append(here)
    return found


def _latest(run: Scenario, t: int, client: int) -> int:
    """T_i: the last of the rounds 1 to t in which the client delivers; 0 if there is none."""
    if client >= run.trace.num_clients:
        return 0
    return max((s for s in range(1, t + 1) if run.trace.delivers[s - 1][client]), default=0)


def unmet_kinds(claim: Claim, values: Values) -> list[str]:
    """Sentences about values that the claim does not speak of: symbols of the wrong kind, printed
    conditions that fail, and relations that the quantities have by their meaning.

    >>> from fltheory.papers import find_claim
    >>> unmet_kinds(find_claim("mifa.ass4"), {"smoothness": 1, "strong_convexity": 2})
    ['strong_convexity <= smoothness fails']
    """
    told = []
    for symbol in sorted(claim.symbols, key=lambda s: s.name):
        value = as_expression(values[symbol.name])
        if not value.is_number or value.is_extended_real is not True or value.is_infinite:
            told.append(f"{symbol.name} is no real number")
        elif symbol.is_integer and value.is_integer is not True:
            told.append(f"{symbol.name} is no whole number")
        elif symbol.is_positive and compare(value, sympy.S.Zero) is not Comparison.ABOVE:
            told.append(f"{symbol.name} is not positive")
        elif symbol.is_nonnegative and compare(value, sympy.S.Zero) is Comparison.BELOW:
            told.append(f"{symbol.name} is negative")
    if told:
        return told
    for small, large in AT_MOST:
        if {small, large} <= set(values) and (
            compare(as_expression(values[small]), as_expression(values[large])) is Comparison.ABOVE
        ):
            told.append(f"{small} <= {large} fails")
    for assumption in claim.assumes:
        if not assumption.stated:
            continue
        holds = assumption.holds
        known = isinstance(holds, Condition) and {s.name for s in holds.symbols} <= set(values)
        if not known:
            told.append(f"{assumption.id} cannot be decided on numbers")
        elif isinstance(holds, Condition) and holds(values) is not True:
            told.append(f"{assumption.says} fails")
    return told
