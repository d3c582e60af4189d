"""What the spaces leave out, with reasons; edges that they reach; inadmissible instances that they
reject; leading terms against runs."""

import importlib
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest
import sympy

from fltheory import Quadratic
from fltheory.algorithms.mifa import Mifa
from fltheory.analysis.regimes import LeadingVariables, Regime
from fltheory.analysis.sizes import RunSize
from fltheory.attacks.moves import State, attempt
from fltheory.attacks.search import attack, spaces_for
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Assumption, Claim
from fltheory.claims.evidence import Verdict
from fltheory.claims.measures import measure
from fltheory.claims.spaces.choices import Choices, Rejected
from fltheory.claims.spaces.restated import decided, restated
from fltheory.claims.spaces.space import Space
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.exact import exact
from fltheory.papers import all_claims, find_claim, regimes
from fltheory.papers.fedlaavg.checks.theorem2 import example
from fltheory.papers.fedlaavg.spaces.path import slow_beginning
from fltheory.papers.mifa.checks.long_runs import gap_of, growing_gaps
from fltheory.papers.mifa.spaces.long import weighted_gap

NO_SPACE = {
    "afl.exp.table2.series": "a count over one printed table",
    "afl.exp.table3.fedprox-fedavg": "a mean over one printed table",
    "fraboni.exp.fig3": "one run of one figure, on hardware that the paper fixes",
    "mifa.exp.toy": "one experiment of 3000 rounds, all of it fixed but the coin flips",
    "mifa.exp.toy.biased": "the same experiment",
    "mifa.potential.identity": "an identity between inner products, proved by algebra",
    "mifa.potential.period": "one period of one run, proved by induction",
    "mifa.thm5.1.adaptive": "an order along one run whose availability reacts to its noise",
    "mifa.thm6.1": "an order whose left side only long runs give; mifa.thm6.1.corrected has them",
}
"""Claims that no search can do anything for, and why."""


def test_only_these_claims_have_no_space() -> None:
    assert {claim.id for claim in all_claims().values() if not spaces_for(claim)} == set(NO_SPACE)


@pytest.mark.parametrize("name", NO_SPACE)
def test_an_attack_on_them_decides_nothing_and_names_the_symbols(name: str) -> None:
    found = attack(find_claim(name))
    assert found.evidence.verdict is Verdict.UNDECIDED
    assert any(symbol.name in found.evidence.note for symbol in find_claim(name).symbols)


@pytest.mark.slow
@pytest.mark.parametrize("regime", regimes(), ids=lambda regime: regime.claim)
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (2, 1, 3, 2), (4, 2, 1, 1)])
def test_leading_constants_are_those_of_long_runs(
    regime: Regime, sizes: tuple[int, int, int, int]
) -> None:
    leading = regime.leading
    assert leading is not None
    clients, steps, period, used = sizes
    clients = 2 * clients if leading.in_pairs else clients
    used = used if leading.in_turn else clients
    period = period if leading.waits else 1
    steps = 1 if leading.one_step else steps
    rounds = 20_000
    constant = float(
        leading.constant(LeadingVariables(*map(sympy.Integer, (clients, steps, period, used))))
    )
    measured = regime.by_moments(RunSize(clients, steps, rounds, period, used))
    assert measured * rounds ** float(leading.power) == pytest.approx(constant, rel=0.02)


def breaks(claim: Claim, *, attempts: int) -> bool:
    """Is it refuted by search? Without shrinking, which takes longest."""
    spaces, state = spaces_for(claim), State()
    while state.broken is None and state.attempts < attempts:
        state = attempt(claim, spaces, state, seed=0)
    return state.broken is not None


@pytest.mark.slow
def test_workers_in_turn_break_the_claimed_speedup() -> None:
    found = attack(find_claim("afl.cor3.rate.M"), attempts=40)
    assert found.refuted
    assert found.evidence.left == "1/2"
    assert not breaks(find_claim("afl.cor1.rate.m"), attempts=40)


def test_a_rate_that_is_claimed_too_steep_is_refuted() -> None:
    for name in (
        "mifa.thm5.1.rate.staleness",
        "fraboni.eq11.rate.K",
        "fedlaavg.cor1.rate.N",
        "mifa.thm6.1.rate.T",
    ):
        claim = find_claim(name)
        assert breaks(
            claim.planted(right=claim.statement.right - sympy.Rational(1, 4)), attempts=20
        ), name


@pytest.mark.parametrize(("iterates", "gap"), [(2, "1/2"), (60, "5/2"), (300, "1/100")])
def test_the_enclosed_gap_is_that_of_the_moments(iterates: int, gap: str) -> None:
    low, high = weighted_gap(iterates, Fraction(gap))
    trace = growing_gaps(iterates - 1, Fraction(gap))
    assert 0 <= high - low < Fraction(1, 10**30)
    assert float(low) == pytest.approx(
        gap_of(Mifa(), Quadratic((1,), (0,), noise_squared=1), trace), rel=1e-9
    )


def test_a_short_run_is_not_what_the_long_absence_speaks_of() -> None:
    assert weighted_gap(20, Fraction(1, 2))[1] < Fraction(
        1, 100
    )  # so the sentence must name its horizon
    assert weighted_gap(2000, Fraction(1, 100))[0] > Fraction(1, 100)


@pytest.mark.parametrize(
    ("first", "second", "place", "rounds"),
    [(1, 3, (2, 0, 1), 16), (3, 1, (-2, 1, 0), 36), (1, 1, (3, 1, 1), 100)],
)
def test_example_1_begins_no_faster_than_said(
    first: int, second: int, place: tuple[int, int, int], rounds: int
) -> None:
    scenario = example(first, second, place, rounds)
    distance = abs(sympy.Integer(place[0]) - sympy.Rational(place[1] + place[2], 2))
    least = Fraction(str(slow_beginning(distance, sympy.Integer(rounds))))
    assert measure(scenario, ["mean_squared_gradient"])["mean_squared_gradient"] >= least


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "less"),
    [
        ("fedlaavg.appD", "num_clients"),
        ("fedlaavg.appD.memory", "num_parameters"),
        ("fedlaavg.thm2", "num_rounds"),
    ],
)
def test_an_order_that_is_too_small_is_refuted_along_a_path(name: str, less: str) -> None:
    claim = find_claim(name)
    (quantity,) = (symbol for symbol in claim.symbols if symbol.name == less)
    assert not breaks(claim, attempts=60)
    assert breaks(claim.planted(right=claim.statement.right / quantity), attempts=60)


@pytest.mark.slow
def test_long_noisy_runs_never_meet_condition_7_of_theorem_4() -> None:
    found = attack(find_claim("afl.thm4.noisy"), attempts=200)
    assert found.evidence.verdict is Verdict.UNDECIDED
    assert found.state.rejected["afl.thm4.7"] > 0


def draws(space: Space, claim: Claim, count: int) -> list[Instance]:
    """Admissible instances among so many draws."""
    found = []
    for number in range(count):
        with suppress(Rejected, InvalidInput, NotExact):
            found.append(space.draw(Choices.fresh(2, number), claim))
    return found


NEVER = Assumption("test.never", "No run satisfies this.", lambda scenario: False)
UNKNOWN = Assumption("test.unknown", "Nobody knows.", lambda scenario: None)
FORGOTTEN = Assumption(
    "test.forgotten", "The paper does not say this.", lambda scenario: False, stated=False
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "space"),
    [
        ("afl.thm2c", "runs"),
        ("afl.thm4", "afl thm4"),
        ("mifa.thm5.1.terms", "mifa.runs-5.1"),
        ("mifa.thm6.1.corrected", "mifa.runs-6.1"),
        ("afl.cor1.explicit", "afl cor1 runs"),
    ],
)
def test_a_run_that_breaks_a_printed_condition_is_rejected(name: str, space: str) -> None:
    claim = find_claim(name)
    (used,) = (one for one in spaces_for(claim) if one.id == space)
    assert draws(used, claim, 20)
    assert draws(used, replace(claim, assumes=(*claim.assumes, FORGOTTEN)), 20)
    for planted in (NEVER, UNKNOWN):
        assert not draws(used, replace(claim, assumes=(*claim.assumes, planted)), 20)


@pytest.mark.parametrize(
    ("name", "space"),
    [
        ("fraboni.thm1.learning_rate", "fraboni.theorem-runs"),
        ("fedlaavg.thm3", "fedlaavg thm4"),
        ("afl.lem2c", "afl lem1"),
        ("afl.thm3c", "afl thm3"),
        ("fedlaavg.cor1", "fedlaavg long slopes"),
        ("mifa.thm5.1.terms", "mifa.horizons"),
    ],
)
def test_values_that_break_a_printed_condition_are_rejected(name: str, space: str) -> None:
    """The same instance with a step size, an offset or a constant that the claim does not admit."""
    claim = find_claim(name)
    (used,) = (one for one in spaces_for(claim) if one.id == space)
    conditions = importlib.import_module(
        f"fltheory.papers.{name.split('.')[0]}.spaces.conditions"
    ).RESTATED
    found = [
        one
        for one in draws(used, claim, 12)
        if any(True for _ in decided(conditions, claim, one.values))
    ]
    assert found
    for one in found:
        assert all(holds is True for _, holds in decided(conditions, claim, one.values))
        wrong = {"local_step_size": 10**9, "local_steps": 3} | (
            {"step_offset": 1} if "step_offset" in one.values else {}
        )
        planted = Instance(
            {**one.values, **{key: value for key, value in wrong.items() if key in one.values}}
        )
        (rejecting,) = restated(conditions, [replace(used, draw=partial(_planted, planted))])
        with pytest.raises(Rejected):
            rejecting.draw(Choices.fresh(0, 0), claim)


def _planted(instance: Instance, choices: object, claim: object) -> Instance:
    return instance


@pytest.mark.slow
def test_chance_and_delays_meet_in_the_spaces_of_fraboni() -> None:
    claim = find_claim("fraboni.thm1.learning_rate")
    (used,) = (one for one in spaces_for(claim) if one.id == "fraboni.theorem-runs")
    assert any(
        exact(one.values["max_staleness"]) > 0 and exact(one.values["shared_steps"]) > 1
        for one in draws(used, claim, 150)
    )
