"""Ranges of the built-in spaces, read off the code that draws, so that a report claims no more than
was tried."""

from fractions import Fraction
from itertools import product

import sympy

import fltheory.algorithms
from fltheory.attacks.conditions import conditions, draw_symbol
from fltheory.claims.claim import Claim, Order
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.ranges import allowed, rounds_allowed
from fltheory.claims.spaces.runs import LARGE, REPEATS, RUNS, USUAL, draw_trace
from fltheory.claims.spaces.space import Space
from fltheory.core.registry import find_member
from fltheory.core.words import counted
from fltheory.engine.traits import STARTS_FROM_OLD_MODELS

ENDS = (0, 1 << 30)
"""The first choice, and one beyond every list of options, which gives the last option."""

MOST_POWERS = 16
"""More than the number of powers that a scale is chosen from."""


def told_bounds(space: Space, claim: Claim) -> str:
    """One sentence on the range of the numbers that a built-in space draws for a claim; empty for
    the spaces of the papers."""
    return {RUNS: _of_runs, "free symbols": _of_symbols}.get(space.id, lambda claim: "")(claim)


def _of_runs(claim: Claim) -> str:
    clients = allowed(claim, "num_clients")[: LARGE * USUAL[0]]
    steps = allowed(claim, "local_steps")[: LARGE * USUAL[2]]
    possible, times = rounds_allowed(claim), max(REPEATS)
    rounds = possible[: USUAL[1]]
    longest = max(n * times if n * times in possible else n for n in rounds)
    repeated = f" (above {rounds[-1]}, a repeated pattern)" if longest > rounds[-1] else ""
    delays = (
        f", delays up to {oldest()}"
        if any(
            STARTS_FROM_OLD_MODELS in find_member(fltheory.algorithms, name).facts
            for name in claim.about
        )
        else ""
    )
    counts = (
        f"{_range(clients, 'client')}, {_range((rounds[0], longest), 'round')}{repeated}, "
        f"{_range(steps, 'local step')}{delays}"
    )
    return (
        f"Only runs with {counts} are drawn, on models of one coordinate, with clients of equal"
        " importance, and with step sizes within a few powers of ten of 1 before they are fitted"
        " to the conditions."
    )


def oldest() -> int:
    """The largest delay that is drawn: that of one client who delivers in every round, with the
    last choice for each delay."""
    first, last = ENDS
    one_client, all_rounds = (first, first), (last, *(first,) * USUAL[1])
    trace = draw_trace(
        Choices.replay((*one_client, *all_rounds, *(last,) * (1 + USUAL[1]))), delays=True
    )
    return int(trace.delays.max())


def _of_symbols(claim: Claim) -> str:
    known = conditions(claim) or []
    symbols = sorted(claim.symbols.union(*(c.symbols for c in known)), key=lambda s: s.name)
    if not symbols:
        return "The claim has no free symbols, so there is only one instance."
    told = ", ".join(f"{s.name} from {low} to {high}" for s in symbols for low, high in [reach(s)])
    scaled = ", times powers of scale" if isinstance(claim.statement, Order) else ""
    solved = "; a symbol that a condition is solved for may lie beyond" if known else ""
    return f"Only these numbers are drawn: {told}{scaled}{solved}."


def reach(symbol: sympy.Symbol) -> tuple[Fraction, Fraction]:
    """The smallest and the largest number drawn for a free symbol, at the ends of its choices.

    >>> reach(sympy.Symbol("n", integer=True, positive=True))[0]
    Fraction(1, 1)
    """
    choices = product(ENDS, ENDS, range(MOST_POWERS))
    drawn = [draw_symbol(Choices.replay(picked), symbol) for picked in choices]
    return min(drawn), max(drawn)


def _range(numbers: tuple[int, ...], what: str) -> str:
    """The first and the last of a range of counts, in words.

    >>> _range((1,), "round"), _range((1, 2, 3), "client")
    ('1 round', '1 to 3 clients')
    """
    most = counted(numbers[-1], what)
    return most if numbers[0] == numbers[-1] else f"{numbers[0]} to {most}"
