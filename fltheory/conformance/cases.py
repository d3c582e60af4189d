"""Exact runs on which implementations are tried: all small traces, then traces drawn from patterns
that wrong implementations mistake."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.core.types import BoolArray, IntArray
from fltheory.engine.roles import Algorithm
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace, rounds_since_received

SMALL_CLIENTS, SMALL_ROUNDS = 2, 3
"""All traces of so many clients and rounds are tried, without delays."""

MOST_CLIENTS, MOST_ROUNDS, MOST_STEPS, MOST_DELAY, MOST_DIMENSION = 4, 8, 3, 3, 2
"""Limits of the drawn runs."""

FIRST_DRAW = 2
"""Attempts before this one take every choice at an extreme."""

STEP_SIZES = tuple(Fraction(a, b) for a, b in ((1, 2), (1, 3), (1, 4), (2, 5), (1, 5), (2, 3)))


@dataclass(frozen=True)
class CaseRules:
    """What is tried: the method, and which runs it may meet."""

    name: str
    method: str | Algorithm
    needs: frozenset[str] = frozenset()
    server_step: bool = True
    delays: bool = False
    everyone_first: bool = False
    empty_rounds: bool = True
    equal_importance: bool = False

    def admits(self, delivers: BoolArray) -> bool:
        """Is this participation among what is tried?"""
        first = delivers[0].all() or not self.everyone_first
        return bool(first and (self.empty_rounds or delivers.any(axis=1).all()))


def small_cases(rules: CaseRules) -> Iterator[Scenario]:
    """Every trace of one or two clients and three rounds, with numbers that differ from each other.

    >>> sum(1 for case in small_cases(CaseRules("mifa", "mifa")))
    72
    """
    for clients in range(1, SMALL_CLIENTS + 1):
        for cells in product((True, False), repeat=clients * SMALL_ROUNDS):
            delivers = np.reshape(cells, (SMALL_ROUNDS, clients))
            if not rules.admits(delivers):
                continue
            importance = (Fraction(1, 3), Fraction(2, 3))[:clients] if clients > 1 else (1,)
            yield _scenario(
                rules,
                Quadratic(
                    (1, Fraction(1, 2))[:clients],
                    (1, -2)[:clients],
                    None if rules.equal_importance else importance,
                ),
                Trace.fresh(delivers, local_steps=np.array((2, 1))[:clients]),
                start=(Fraction(3),),
                sizes=(Fraction(1, 4), Fraction(1, 3), Fraction(1, 2)),
                server=Fraction(3, 2),
                probabilities=(Fraction(1, 2), Fraction(3, 4))[:clients],
                strength=Fraction(1, 3),
            )


def drawn_case(rules: CaseRules, seed: int, number: int) -> Scenario:
    """The run of a number, which depends on nothing else but the seed."""
    choices = Choices.fresh(seed, FIRST_DRAW + number)
    clients, rounds = choices.whole(1, MOST_CLIENTS), choices.whole(1, MOST_ROUNDS)
    delivers = _participation(choices, clients, rounds)
    if rules.everyone_first:
        delivers[0] = True
    if not rules.empty_rounds:
        delivers[~delivers.any(axis=1), 0] = True
    delays = _delays(choices, delivers) if rules.delays else np.zeros(delivers.shape, np.int64)
    uneven = choices.flag()
    steps = [
        [choices.whole(1, MOST_STEPS) for _ in range(clients if uneven else 1)]
        for _ in range(rounds)
    ]
    dimension = choices.whole(1, MOST_DIMENSION)

    def rows(low: Fraction, high: Fraction) -> list[tuple[Fraction, ...]]:
        return [tuple(choices.number(low, high) for _ in range(dimension)) for _ in range(clients)]

    problem = Quadratic(
        rows(Fraction(-1, 2), Fraction(2)),
        rows(Fraction(-3), Fraction(3)),
        None if rules.equal_importance else _importance(choices, clients),
    )
    constant = choices.flag()
    sizes = [choices.choice(STEP_SIZES) for _ in range(1 if constant else rounds)]
    return _scenario(
        rules,
        problem,
        Trace.with_delays(delivers, delays, local_steps=np.broadcast_to(steps, delivers.shape)),
        start=tuple(choices.number(-2, 2) for _ in range(dimension)),
        sizes=tuple(sizes) if len(sizes) == rounds else (sizes[0],) * rounds,
        server=choices.choice((Fraction(1), Fraction(1, 2), Fraction(3, 2), Fraction(2))),
        probabilities=tuple(
            choices.choice((Fraction(1), Fraction(1, 2), Fraction(2, 3))) for _ in range(clients)
        ),
        strength=choices.number(0, 1),
    )


def _participation(choices: Choices, clients: int, rounds: int) -> BoolArray:
    """Any participation, or one that wrong memories and divisors mistake."""
    table = np.ones((rounds, clients), bool)
    pattern = choices.choice(("any", "everybody", "turns", "late", "leaves", "seldom", "pause"))
    if pattern == "any":
        table = np.array([[choices.flag() for _ in range(clients)] for _ in range(rounds)])
    elif pattern == "turns":
        table = np.arange(rounds)[:, None] % clients == np.arange(clients)
    elif pattern == "late":
        table[: choices.whole(1, rounds), choices.whole(0, clients - 1)] = False
    elif pattern == "leaves":
        table[choices.whole(0, rounds - 1) :, choices.whole(0, clients - 1)] = False
    elif pattern == "seldom":
        who = choices.whole(0, clients - 1)
        table[:, who] = np.arange(rounds) == choices.whole(0, rounds - 1)
    elif pattern == "pause":
        begin = choices.whole(0, rounds - 1)
        table[begin : begin + choices.whole(1, rounds)] = False
    return table


def _delays(choices: Choices, delivers: BoolArray) -> IntArray:
    """No delays, the model that each client received last, any delays, or the oldest models."""
    rounds = np.arange(len(delivers))[:, None]
    kind = choices.choice(("none", "received", "any", "oldest"))
    if kind == "received":
        return rounds_since_received(delivers)
    most = {"none": 0, "any": MOST_DELAY, "oldest": len(delivers)}[kind]
    if kind == "any":
        drawn = np.array([choices.whole(0, most) for _ in range(delivers.size)])
        return np.minimum(drawn.reshape(delivers.shape), rounds)
    return np.minimum(most, rounds) + np.zeros(delivers.shape, np.int64)


def _importance(choices: Choices, clients: int) -> tuple[Fraction, ...]:
    """Shares that differ by factors up to nine."""
    parts = [choices.whole(1, 9) for _ in range(clients)]
    return tuple(Fraction(part, sum(parts)) for part in parts)


def _scenario(
    rules: CaseRules,
    problem: Quadratic,
    trace: Trace,
    *,
    start: tuple[Fraction, ...],
    sizes: tuple[Fraction, ...],
    server: Fraction,
    probabilities: tuple[Fraction, ...],
    strength: Fraction,
) -> Scenario:
    known = {
        "weights": problem.importance,
        "probabilities": probabilities,
        "proximal_strength": strength,
        "full_local_steps": MOST_STEPS,
    }
    settings = {name: value for name, value in known.items() if name in rules.needs}
    if isinstance(rules.method, str):
        settings["importance"] = problem.importance
    return Scenario(
        rules.method,
        problem,
        trace,
        start=start,
        local_step_size=sizes,
        server_step_size=server if rules.server_step else 1,
        settings=settings,
    )
