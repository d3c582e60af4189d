"""Numbers of clients, rounds and steps up to a thousand, and traces of many kinds, as far as the
conditions of a claim allow."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import isqrt

import numpy as np
import sympy

from fltheory.claims.claim import Claim
from fltheory.claims.forever import LIMITS
from fltheory.claims.measures_of_clients import parsed
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.ranges import AGES, allowed, formulas, names_of, rounds_allowed
from fltheory.claims.spaces.step_roots import STEP
from fltheory.traces.trace import Trace

COUNTS = ("num_clients", "local_steps", "clients_per_round", "num_rounds")
"""The sizes of a run that conditions may tie to each other."""

SMALL, MEDIUM, CROWD, LONG = range(4)
CLASSES_OF_SIZE = (SMALL, SMALL, SMALL, MEDIUM, MEDIUM, CROWD, LONG)
"""How often each class of sizes is drawn."""

MOST = {SMALL: (4, 6, 4), MEDIUM: (10, 24, 8), CROWD: (1000, 4, 2), LONG: (2, 1000, 2)}
"""Maximum numbers of clients, rounds and local steps in each class."""

CELLS = 24
"""Clients times rounds up to which every cell of a trace is drawn by itself."""

WINDOWS, DELAYS = (1, 2, 3, 4, 6, 10, 20, 50), (0, 1, 2, 3, 5, 8, 20)


@dataclass(frozen=True)
class Sizes:
    """The numbers of clients, rounds, local steps and clients per round of a run."""

    clients: int
    rounds: int
    steps: int
    used: int


def draw_sizes(choices: Choices, claim: Claim) -> Sizes:
    """Sizes that meet the conditions on them; numbers under a root are squares where a step size
    depends on the root."""
    kind = choices.choice(CLASSES_OF_SIZE)
    most = MOST[kind]
    clients = _sized(choices, allowed(claim, "num_clients"), most[0], kind == CROWD)
    able = _for_all_clients(tuple(exact_steps(claim)), allowed(claim, "local_steps"))
    choices.require(bool(able), "local steps that the conditions allow")
    steps = _sized(choices, able, most[2], False)
    known = {"num_clients": Fraction(clients), "local_steps": Fraction(steps)}
    possible = [n for n in allowed(claim, "clients_per_round", least=0) if n <= clients]
    used = [n for n in possible if _fits(claim, known | {"clients_per_round": Fraction(n)})]
    choices.require(bool(used), "clients per round that the conditions allow")
    per_round = used[-1] if choices.flag() else choices.choice(used[-8:])
    known["clients_per_round"] = Fraction(per_round)
    limit = most[1] if kind != LONG else MOST[LONG][1]
    rounds = [n for n in _rounds(claim, limit) if _fits(claim, known | {"num_rounds": Fraction(n)})]
    rounds = [n for n in rounds if _rational(claim, known | {"num_rounds": Fraction(n)})]
    choices.require(bool(rounds), "numbers of rounds that the conditions allow")
    if kind == LONG and choices.index(4) < 3:
        rounds = [n for n in rounds if n <= 100] or rounds
    number = rounds[-1] if kind == LONG and choices.flag() else choices.choice(rounds)
    return Sizes(clients, number, steps, per_round)


def _sized(choices: Choices, numbers: Sequence[int], most: int, last: bool) -> int:
    """One of the numbers up to a maximum: small ones are listed, large ones are round."""
    listed = [n for n in numbers if n <= most] or list(numbers[:1])
    few = [n for n in listed if n <= 12] or listed[:12]
    many = [n for n in listed if n in (16, 20, 25, 36, 50, 64, 100, 144, 200, 400, 1000)]
    return choices.choice(many or few) if last else choices.choice(few + many)


def _rounds(claim: Claim, most: int) -> list[int]:
    """Numbers of rounds to choose from, in order."""
    possible = rounds_allowed(claim)
    listed = [n for n in possible if n <= most]
    if len(listed) <= 64:
        return listed or list(possible[:4])
    return [n for n in listed if n <= 12 or isqrt(n) ** 2 == n or n % 50 == 0]


def _fits(claim: Claim, known: dict[str, Fraction]) -> bool:
    """Do the conditions hold that speak of these sizes alone?"""
    return all(
        condition(known) is not False
        for condition in formulas(claim)
        if {s.name for s in condition.symbols} <= set(known)
    )


@cache
def _for_all_clients(zero: tuple[sympy.Expr, ...], numbers: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of local steps that meet these conditions if all clients take them."""
    return tuple(
        n
        for n in numbers
        if all(one.xreplace(dict.fromkeys(one.free_symbols, n)) == 0 for one in zero)
    )


def exact_steps(claim: Claim) -> list[sympy.Expr]:
    """What conditions on every client say is 0, where it is about local steps alone."""
    found = []
    for condition in formulas(claim):
        (symbol, *others) = condition.symbols
        told = None if others or condition.sign != "=" else parsed(symbol.name)
        about = {s.name for s in told[1].free_symbols} if told else set()
        if told and about <= {"client_local_steps", "client_least_local_steps"}:
            found.append(told[1])
    return found


def _rational(claim: Claim, known: dict[str, Fraction]) -> bool:
    """Are the roots of sizes rational that an equation for the step size contains?"""
    for condition in formulas(claim):
        if condition.sign != "=" or STEP not in {s.name for s in condition.symbols}:
            continue
        for power in (condition.left - condition.right).atoms(sympy.Pow):
            names = {s.name for s in power.base.free_symbols}
            if power.exp.is_Integer or not names or not names <= set(known):
                continue
            value = power.subs({s: int(known[s.name]) for s in power.base.free_symbols})
            if not value.is_rational:
                return False
    return True


def draw_trace_of(
    choices: Choices, claim: Claim, sizes: Sizes, *, delays: bool, empty_rounds: bool
) -> Trace:
    """A trace of these sizes: everybody, turns, windows, absences, or any cells."""
    clients, rounds = sizes.clients, sizes.rounds
    windows = [w for w in WINDOWS if w in allowed(claim, "availability_window")]
    names = names_of(claim)
    kind = choices.index(6)
    if windows == [1] or kind == 0:
        delivers = np.ones((rounds, clients), bool)
    elif "clients_per_round" in names or kind == 1:
        first, used = choices.whole(0, clients - 1), max(sizes.used, 1)
        stride = choices.choice((used, 0, 1))
        delivers = np.zeros((rounds, clients), bool)
        for t in range(rounds):
            delivers[t, [(first + t * stride + k) % clients for k in range(used)]] = True
    elif clients * rounds <= CELLS and kind == 2:
        delivers = np.array(
            [[not choices.flag() for _ in range(clients)] for _ in range(rounds)], bool
        )
    elif kind == 3:  # some clients are away for a stretch
        delivers = np.ones((rounds, clients), bool)
        away = choices.choice(windows or [1]) - 1
        begin = choices.whole(0, min(rounds - 1, 8))
        gone = 1 if choices.flag() else max(clients - 1, 1)
        delivers[begin : begin + away, :gone] = False
    else:  # every client comes once in a window of its own
        window = choices.choice(windows or [1])
        phases = [choices.whole(0, window - 1) for _ in range(min(clients, 6))]
        times = np.arange(rounds)[:, None]
        every = np.array([phases[i % len(phases)] for i in range(clients)])
        delivers = (times + every) % window == 0
    if AGES & names or ("clients_in_first_round" in names and choices.flag()):
        delivers[0] = True
    if LIMITS & names:
        delivers = np.concatenate([delivers[: max(rounds // 3, 1)]] * 3)
    if not empty_rounds:
        delivers[~delivers.any(axis=1), 0] = True
    late = _delays(choices, claim, len(delivers), clients) if delays else 0
    equal = bool(exact_steps(claim)) or allowed(claim, "least_local_steps")[0] == sizes.steps
    steps = sizes.steps if equal else _steps(choices, sizes, len(delivers))
    return Trace.with_delays(delivers, late, local_steps=steps)


def _delays(choices: Choices, claim: Claim, rounds: int, clients: int) -> np.ndarray:
    """Late work: all clients by the same time, or each by its own."""
    possible = [d for d in DELAYS if d in allowed(claim, "max_delay", least=0)] or [0]
    longest = choices.choice(possible)
    own = [longest if choices.flag() else choices.whole(0, longest) for _ in range(min(clients, 6))]
    table = np.array([own[i % len(own)] for i in range(clients)])[None, :]
    return np.minimum(np.broadcast_to(table, (rounds, clients)), np.arange(rounds)[:, None])


def _steps(choices: Choices, sizes: Sizes, rounds: int) -> np.ndarray:
    """Equal numbers of local steps, or one for each client, or fewer in some rounds or in all but
    one, or fewer for all clients but one."""
    table = np.full((rounds, sizes.clients), sizes.steps)
    kind = choices.index(6) if sizes.steps > 1 else 0
    if kind == 2:
        table[:, : max(sizes.clients // 2, 1)] = choices.whole(1, sizes.steps)
    elif kind == 3:
        table[choices.whole(0, min(rounds - 1, 5)) :: 2, 0] = 1
    elif kind == 4:
        table[choices.whole(0, 1) :] = 1
        table[-1] = sizes.steps
    elif kind == 5:
        table[:, 1:] = 1
    return table
