"""Runs that contradict a claim are made simpler as runs: still admissible, still a contradiction,
nothing that a draw would not give."""

from fractions import Fraction

import numpy as np
import pytest

from fltheory import CommonCurvature, Quadratic, Trace
from fltheory.attacks.decide import refutation
from fltheory.attacks.minimize.simpler_runs import MOST_LOOKS, chosen_size, simpler, simplest
from fltheory.claims.checks.bound_on_run import on_scenario, unmet
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.scoring import look
from fltheory.papers import find_claim
from fltheory.papers.claim_files import claims_of

WILD = Scenario(
    "fedavg",
    Quadratic(("7/5", "3/8", 2), ("5/7", -2, "1/9")),
    Trace.fresh([[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0]]),
    start="13/7",
    local_step_size="4/9",
)


def descent(*assumes: str) -> Claim:
    """False where clients are absent: the model does not move."""
    entry = {
        "id": "m.d",
        "says": "FedAvg descends.",
        "left": "mean_squared_gradient",
        "sign": "<=",
        "about": ["fedavg"],
        "right": "2*initial_loss_gap/(local_step_size*num_rounds)",
        "assumes": ["local_step_size*smoothness <= 1", *assumes],
    }
    return claims_of({"paper": {"key": "m"}, "claim": [entry]})[0]


def run_of(instance: Instance) -> Scenario:
    return Scenario.from_json((instance.scenario or {})["run"])


def test_a_wild_run_becomes_one_for_a_pencil() -> None:
    claim, wild = descent(), on_scenario(descent(), WILD)
    assert look(claim, wild).score > 0
    found, looks = simplest(claim, wild)
    assert chosen_size(claim, found).small
    assert run_of(found).trace.num_clients == 1
    assert 0 < looks <= MOST_LOOKS
    assert refutation(claim, found, covers="").verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("condition", "rounds", "clients"), [("num_rounds >= 3", 3, 1), ("num_clients >= 2", 2, 2)]
)
def test_printed_conditions_are_kept(condition: str, rounds: int, clients: int) -> None:
    claim = descent(condition)
    found, _ = simplest(claim, on_scenario(claim, WILD))
    trace = run_of(found).trace
    assert not unmet(claim, run_of(found), stated_only=True)
    assert (trace.num_rounds, trace.num_clients) == (rounds, clients)


def test_afl_theorem_2_breaks_with_one_client() -> None:
    claim = find_claim("afl.thm2")
    run = Scenario(
        "afa-cd",
        CommonCurvature(1, (0, 0, 0), noise_squared=1),
        Trace.fresh(np.ones((5, 3), bool), local_steps=3),
        start=0,
        local_step_size=10,
        server_step_size="1/20",
    )
    found, _ = simplest(claim, on_scenario(claim, run))
    size = chosen_size(claim, found)
    assert (size.clients, size.rounds) <= (1, 4)
    assert size.denominator < 10
    assert run_of(found).problem.noise_squared == 0


def test_what_is_offered_is_what_a_draw_might_give() -> None:
    late = Trace.with_delays([[1, 1], [0, 1], [1, 1]], [[0, 0], [0, 1], [2, 0]], local_steps=2)
    run = Scenario(
        "async",
        Quadratic((1, "1/3"), (0, 1)),
        late,
        start=1,
        local_step_size="1/7",
        server_step_size="3/2",
        settings={"weights": (Fraction(1, 2), Fraction(1, 2))},
    )
    offered = list(simpler(run))
    assert {one.trace.num_clients for one in offered} == {1, 2}
    assert {one.trace.num_rounds for one in offered} == {1, 2, 3}
    for one in offered:
        assert one.local_step_size > 0
        assert one.server_step_size > 0
        assert min(h for row in one.problem.curvatures for h in row) > 0
        assert one.settings["weights"] == one.problem.importance
        assert one.trace.delivers.any(axis=-1).all()  # no round becomes empty


def test_a_step_size_for_each_round_stays() -> None:
    run = Scenario(
        "mifa",
        Quadratic((1, 1), (0, 1)),
        Trace.fresh([[1, 1], [0, 1]]),
        start=1,
        local_step_size=("1/2", "1/3"),
    )
    assert {one.local_step_size for one in simpler(run)} == {(Fraction(1, 2), Fraction(1, 3))}
    assert {one.trace.num_rounds for one in simpler(run)} == {2}


def test_losses_in_another_unit_spare_denominators() -> None:
    claim = descent(
        "local_step_size*smoothness*4 <= 1",
        "local_steps <= 2",
        "availability_window = 1",
        "num_clients = 2",
    )
    drift = Trace.fresh([[1, 1], [1, 1]], local_steps=[[1, 2], [1, 1]])
    run = Scenario("fedavg", Quadratic((1, 1), (0, 1)), drift, start="1/2", local_step_size="1/8")
    found, _ = simplest(claim, on_scenario(claim, run))
    assert chosen_size(claim, found).small


def test_numbers_that_do_not_matter_become_0_so_that_clients_can_go() -> None:
    run = Scenario(
        "fedavg",
        CommonCurvature("1/10", (-1, -2, 3)),
        Trace.fresh([[0, 0, 0]] * 3),
        start=-1,
        local_step_size=1,
    )
    found, _ = simplest(
        tight := descent().planted(right=descent().statement.right / 10), on_scenario(tight, run)
    )
    assert run_of(found).trace.num_clients == 1


def test_a_pattern_that_repeats_becomes_one_round_that_does() -> None:
    entry = {
        "id": "m.l",
        "says": "FedAvg tends to the optimum.",
        "left": "limit",
        "sign": "=",
        "right": "optimum",
        "about": ["fedavg"],
        "assumes": ["availability_window = 1"],
    }
    claim = claims_of({"paper": {"key": "m"}, "claim": [entry]})[0]
    drift = Trace.fresh([[1, 1], [1, 1]] * 3, local_steps=[[1, 1], [1, 2]] * 3)
    found, _ = simplest(
        claim,
        on_scenario(
            claim,
            Scenario("fedavg", Quadratic((1, 1), (0, 1)), drift, start=0, local_step_size="1/2"),
        ),
    )
    assert run_of(found).trace.num_rounds == 3
