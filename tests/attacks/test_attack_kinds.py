"""Kinds of search: climbing, Hypothesis, worst functions; and the search for small counterexamples.
Each repeats itself exactly."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
import sympy

from fltheory.attacks.combinatorial import explore
from fltheory.attacks.gradient import can_climb, climb
from fltheory.attacks.minimize.size import CounterexampleSize, size_of
from fltheory.attacks.minimize.smallest import smallest
from fltheory.attacks.moves import State, attempt, looked
from fltheory.attacks.search import attack
from fltheory.attacks.strategies import KINDS, PLAIN_TURNS, steered_spaces
from fltheory.attacks.worst import WORST, draw_worst
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Identity, Order, UpperBound
from fltheory.claims.evidence import Verdict
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import FINE, Choices, Rejected
from fltheory.claims.spaces.runs import draw_run
from fltheory.claims.spaces.scoring import look
from fltheory.claims.spaces.space import Space
from fltheory.papers import find_claim

X, Y = sympy.symbols("x y", positive=True)


def claim_of(statement: Any) -> Claim:
    base = find_claim("fedlaavg.cor1.order")
    return replace(
        base,
        id="fedlaavg.planted",
        statement=statement,
        where={"x": "a number", "y": "a number"},
        assumes=(),
        special_cases=(),
    )


def pair(choices: Choices, claim: Claim) -> Instance:
    x, y = choices.number(0, 1), choices.number(0, 1)
    return Instance({"x": x, "y": y}, f"x = {x}, y = {y}")


PAIRS = Space("pairs", "Two numbers of [0, 1].", frozenset({"x", "y"}), pair)
NEAR = sympy.Rational(27, 64), sympy.Rational(41, 64)
NARROW = claim_of(
    UpperBound(sympy.S.One, 1 - sympy.Rational(1, 2000) + (X - NEAR[0]) ** 2 + (Y - NEAR[1]) ** 2)
)
"""False only close to (27/64, 41/64), where no fraction with a small denominator lies."""


@pytest.mark.slow
def test_climbing_finds_what_simple_fractions_miss() -> None:
    assert (
        attack(NARROW, attempts=200, spaces=[PAIRS], kinds=()).evidence.verdict is Verdict.SUPPORTED
    )
    found = attack(NARROW, attempts=200, spaces=[PAIRS], kinds=["gradient"])
    assert found.refuted
    assert found.state.steered > 0
    again = attack(NARROW, attempts=200, spaces=[PAIRS], kinds=["gradient"])
    assert (again.state, again.evidence) == (found.state, found.evidence)


def test_a_climb_never_leaves_the_interval_and_is_done_once_per_best_instance() -> None:
    claim = claim_of(UpperBound(X + Y, sympy.Integer(3)))
    state = attempt(claim, [PAIRS], State(), seed=0)
    assert can_climb(claim, PAIRS, state)
    after = climb(claim, PAIRS, state)
    assert after.broken is None
    assert after.best is not None
    assert after.best[1].says == "x = 1, y = 1"
    assert not can_climb(
        claim, PAIRS, replace(after, climbed={PAIRS.id: after.pools[PAIRS.id][0].taken})
    )
    for statement in (Identity(X, X), Order(X, Y)):
        assert not can_climb(claim_of(statement), PAIRS, state)


def test_fine_numbers_are_given_and_never_drawn() -> None:
    choices = Choices.replay([6, 5])
    assert choices.number(0, 2) == Fraction(5 * 2, FINE)
    assert choices.reals[0].share == pytest.approx(5 / FINE)
    drawn = [Choices.fresh(1, number).number(0, 2).denominator for number in range(200)]
    assert max(drawn) <= 4


def masked(choices: Choices, claim: Claim) -> Instance:
    mask = [choices.flag() for _ in range(12)]
    alternating = sum(one is not other for one, other in pairwise(mask))
    return Instance({"x": alternating + 1, "y": 1}, "".join(str(int(one)) for one in mask))


MASKS = Space("masks", "Masks of twelve rounds.", frozenset({"x", "y"}), masked)


def test_hypothesis_finds_shrinks_and_repeats() -> None:
    claim = claim_of(UpperBound(X, 4 * Y))
    first, again, other = (explore(claim, MASKS, State(), seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first.broken is not None
    assert other.broken is not None
    assert sum(first.broken[1]) <= 3  # four changes need two ones apart, or one run less
    space, taken = first.broken
    assert looked(claim, MASKS, Choices.replay(taken), State())[0].broken == (space, taken)
    true = explore(claim_of(UpperBound(X, 12 * Y)), MASKS, State(), seed=0)
    assert true.broken is None
    assert true.steered == true.instances > 0


@pytest.mark.slow
def test_worst_functions_come_closer_than_the_runs_they_start_from() -> None:
    claim = find_claim("afl.thm2c")
    (space,) = steered_spaces(claim, KINDS)
    assert space.id == WORST
    assert steered_spaces(claim, ()) == ()
    assert steered_spaces(NARROW, KINDS) == ()
    pairs = []
    for number in range(2, 12):
        try:
            both = [
                look(claim, draw(Choices.fresh(0, number), claim)).score
                for draw in (draw_run, draw_worst)
            ]
        except Rejected:
            continue
        pairs.append(both)
    assert len(pairs) > 4
    assert sum(steered > plain for plain, steered in pairs) > 2
    assert all(steered < 0 for _, steered in pairs)
    one, other = (draw_worst(Choices.fresh(0, 7), claim) for _ in range(2))
    assert one.values == other.values


def test_kinds_begin_late_and_change_nothing_before() -> None:
    claim = find_claim("fedlaavg.thm3")
    few = attack(claim, attempts=PLAIN_TURNS, kinds=())
    assert attack(claim, attempts=PLAIN_TURNS).state == few.state


def sized(choices: Choices, claim: Claim) -> Instance:
    clients, x = choices.whole(1, 9), choices.number("1/9", 4)
    return Instance({"x": x, "y": Fraction(1)}, f"{clients} clients, x = {x}")


def test_a_small_counterexample_is_found_anywhere_in_the_spaces() -> None:
    large = Space(
        "large",
        "Nine clients and ninths only.",
        frozenset({"x", "y"}),
        lambda choices, claim: Instance(
            {"x": Fraction(choices.whole(10, 40), 9), "y": 1}, "9 clients"
        ),
    )
    small = Space("small", "Few clients and small numbers too.", frozenset({"x", "y"}), sized)
    claim = claim_of(UpperBound(X, Y))
    space, taken = smallest(claim, [large, small], (large, (0,)), seed=0)
    assert space is small
    instance = space.draw(Choices.replay(taken), claim)
    assert size_of(claim, instance).small
    assert instance.says == "1 clients, x = 2"


def test_sizes_name_what_exceeds_the_limits() -> None:
    assert CounterexampleSize(3, 4, 9, 4, 0).small
    assert CounterexampleSize(4, 5, 1, 10**12, 0).exceeded == [
        "4 clients",
        "5 rounds",
        "1e+12 as largest denominator",
    ]
    assert CounterexampleSize(1, 1, 1, 5, 0).weight > CounterexampleSize(3, 4, 3, 4, 99).weight


@pytest.mark.slow
def test_runs_are_described_in_words() -> None:
    found = attack(find_claim("afl.cor1.any-horizon"), attempts=60)
    assert found.instance is not None
    assert found.instance.scenario is not None
    assert (
        "1 client, 1 round, 1 local step,"
        in Scenario.from_json(found.instance.scenario["run"]).says
    )
    assert found.size is not None
    assert found.size.small
