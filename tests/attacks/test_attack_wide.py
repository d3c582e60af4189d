"""The language of claims about runs, the wide region, and orders of runs; beside each, a planted
falsehood."""

from fractions import Fraction

import pytest

from fltheory import Quadratic, Trace
from fltheory.attacks.order_runs import order_on_runs
from fltheory.attacks.search import attack
from fltheory.attacks.seen import told_seen
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.claims.expectations import ExactRun
from fltheory.claims.measures import measure
from fltheory.claims.participation import Participation
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices, Rejected
from fltheory.claims.spaces.wide import MOST_FALLING, draw_wide_scenario
from fltheory.core.errors import InvalidInput
from fltheory.problems.piecewise import PiecewiseQuadratic
from tests.attacks.own_files import own

ONE = ["local_steps = 1", "availability_window = 1", "server_step_size = 1"]
RUN = Scenario(
    "fedavg", Quadratic((1, 2), (0, 1)), Trace.fresh([[1, 1]] * 3), start=2, local_step_size="1/4"
)


def test_outcomes_agree_with_the_run_by_hand() -> None:
    run = Scenario(
        "fedavg",
        Quadratic((1,), (0,), noise_squared=1),
        Trace.fresh([[1]] * 2),
        start=1,
        local_step_size="1/2",
    )
    squares = [Fraction(1), Fraction(1, 4) + Fraction(1, 4), Fraction(1, 8) + Fraction(1, 4)]
    names = ["last_squared_distance", "last_loss_gap", "average_loss_gap", "mean_squared_gradient"]
    found = measure(run, names)
    assert found["last_squared_distance"] == squares[2]
    assert found["last_loss_gap"] == squares[2] / 2
    assert found["average_loss_gap"] == (squares[0] + squares[1]) / 4
    assert found["mean_squared_gradient"] == (squares[0] + squares[1]) / 2


def test_expectations_over_participation_are_sums_over_outcomes() -> None:
    law = Participation("uniform", clients_per_round=1)
    run = Scenario(
        "fedavg",
        Quadratic((1, 1), (-1, 1)),
        Trace.fresh([[1, 1]]),
        start=0,
        local_step_size="1/2",
        participation=law,
    )
    assert ExactRun(run).squared_gradients == [0, Fraction(1, 4)]
    assert Scenario.from_json(run.to_json()) == run
    crowd = Scenario(
        "fedavg",
        Quadratic((1,) * 1000, (0,) * 999 + (1,)),
        Trace.fresh([[1] * 1000]),
        start=0,
        local_step_size=1,
        participation=law,
    )
    assert ExactRun(crowd).expected(
        [Fraction(0), Fraction(1)], lambda x, covariance: x[0] ** 2 + covariance[0, 0]
    ) == Fraction(1, 1000)


@pytest.mark.parametrize("kind", ["bernoulli", "markov"])
def test_chances_of_a_law_add_up(kind: str) -> None:
    third, half = Fraction(1, 3), Fraction(1, 2)
    law = Participation(kind, (third, half), (half, third) if kind == "markov" else ())
    assert sum(chance for chance, _ in law.outcomes(2, [0, 1])) == 1


def test_formulas_over_clients_are_measured() -> None:
    names = ["max_over_clients(client_smoothness)", "mean_over_clients(client_smoothness^2)"]
    assert list(measure(RUN, names).values()) == [2, Fraction(5, 2)]
    every = own("num_rounds", ">=", "1", "every client: client_local_steps = 2", about=["fedavg"])
    assert every.assumes[0].holds(RUN) is False
    twice = Scenario(
        "fedavg", RUN.problem, RUN.trace.with_local_steps(2), start=2, local_step_size="1/4"
    )
    assert every.assumes[0].holds(twice) is True


def test_a_wrong_name_is_told_with_the_nearest_one() -> None:
    with pytest.raises(InvalidInput, match="near: last_loss_gap"):
        own("last_los_gap", "<=", "1", about=["fedavg"])
    with pytest.raises(InvalidInput, match="near: uniform"):
        own("last_loss_gap", "<=", "1", about=["fedavg"], participation="unifrm")
    with pytest.raises(InvalidInput, match=r"about of claim mine\.a .*near: fedavg"):
        own("last_loss_gap", "<=", "1", about=["fedavgg"])
    every = "every client: local_step_size*client_smoothness <= 2"
    with pytest.raises(InvalidInput, match="single clients only"):
        own("last_loss_gap", "<=", "1", every, about=["fedavg"])


def test_the_pl_constant_is_that_of_the_worst_place() -> None:
    valley = PiecewiseQuadratic((0, 1, 2), [(0, 2, 1)], [(1, 1)])
    run = Scenario("fedavg", valley, Trace.fresh([[1]]), start=0, local_step_size=1)
    assert measure(run, ["pl_constant"])["pl_constant"] == Fraction(1, 5)  # 1^2 / (2 (5/2))
    assert measure(run, ["weak_convexity"])["weak_convexity"] == 1


def drawn(claim: Claim, count: int = 150) -> list[Scenario]:
    found = []
    for number in range(count):
        try:
            found.append(draw_wide_scenario(Choices.fresh(0, number), claim))
        except (Rejected, ValueError):
            continue
    return found


@pytest.mark.slow
def test_the_wide_region_is_wide() -> None:
    runs = drawn(own("last_loss_gap", "<=", "initial_loss_gap", about=["fedavg"]))
    assert max(run.trace.num_clients for run in runs) >= 400
    assert max(run.trace.num_rounds for run in runs) >= 50
    assert max(run.problem.dimension for run in runs) > 1
    assert len({type(run.problem) for run in runs}) == 4
    speaks = own("num_rounds", ">=", "1", "least_importance >= 0", about=["sync"])
    assert min(min(run.problem.importance) for run in drawn(speaks)) <= Fraction(1, 10**6)
    assert "clients" in told_seen(attack(speaks, attempts=30).state.seen)


@pytest.mark.slow
def test_clients_are_much_more_curved_than_their_mean() -> None:
    """Only where the claim leaves curvatures free, and speaks of the mean or has both signs."""
    small = "global_smoothness <= smoothness"
    ratios = []
    for losses in ({}, {"losses": "convex"}):
        runs = drawn(own("num_rounds", ">=", "1", small, about=["fedavg"], **losses))
        known = [measure(run, ["smoothness", "global_smoothness"]) for run in runs]
        pairs = [(Fraction(a["smoothness"]), Fraction(a["global_smoothness"])) for a in known]
        ratios.append(max(a / b for a, b in pairs if b and len(pairs) > 20))
    assert ratios[0] >= 1000 >= ratios[1]


@pytest.mark.slow
def test_falling_steps_with_noise_are_followed_for_some_rounds_only() -> None:
    falling = own("last_loss_gap", "<=", "1", about=["fedavg"], step_size="1/(smoothness*(t + 1))")
    lengths = [(bool(run.problem.noise_squared), run.trace.num_rounds) for run in drawn(falling)]
    assert max(length for noisy, length in lengths if noisy) == MOST_FALLING
    assert max(length for noisy, length in lengths if not noisy) > MOST_FALLING


def test_a_condition_without_a_value_at_drawn_numbers_is_no_edge() -> None:
    """A largest step of 1/noise has none without noise; the attack goes on."""
    sides = ("local_step_size*gradient_noise", "<=", "1/2")
    step = "local_step_size = min(1/smoothness, 1/gradient_noise)"
    found = attack(own(*sides, step), attempts=100)
    assert found.refuted


@pytest.mark.slow
def test_a_crowd_is_found() -> None:
    worst = "max_over_clients(client_squared_gradient_at_optimum)"
    false = own(worst, "<=", "100*dissimilarity_at_optimum", about=["fedavg"])
    assert attack(false).refuted
    true = own(worst, "<=", "num_clients*dissimilarity_at_optimum", about=["fedavg"])
    assert not attack(true, attempts=100).refuted


def test_orders_of_runs_fall_with_a_proof_or_stay() -> None:
    edge = [*ONE, "gradient_noise = 0", "local_step_size*smoothness = 1"]
    rate = "smoothness*initial_loss_gap/num_rounds"
    verdicts = []
    for right in (f"{rate}^(3/2)", rate):
        claim = own("mean_squared_gradient", "O", right, *edge, about=["fedavg"])
        told = order_on_runs(claim)
        assert told is not None
        verdicts.append(told[1].verdict)
    assert verdicts[0] is Verdict.REFUTED
    assert verdicts[1] is not Verdict.REFUTED
