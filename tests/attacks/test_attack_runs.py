"""What runs are drawn for a claim, what is taken for granted of them, and their standalone replay:
defects that an outside tester found."""

from fractions import Fraction
from typing import Any

import pytest

from fltheory.attacks.contradictions import contradiction
from fltheory.attacks.search import attack
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices, Rejected
from fltheory.claims.spaces.ranges import rounds_allowed
from fltheory.claims.spaces.runs import draw_scenario
from fltheory.papers.claim_files import claims_of
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.traces.trace import Trace
from tests.attacks.descent_claims import DESCENT, own

EVERYBODY = [
    "local_step_size*smoothness <= 1",
    "server_step_size = 1",
    "gradient_noise = 0",
    "availability_window = 1",
]


def drawn(claim: Claim, count: int = 60) -> list[Scenario]:
    found = []
    for number in range(count):
        try:
            found.append(draw_scenario(Choices.fresh(0, number), claim))
        except Rejected:
            continue
    return found


def verdict(claim: Claim, *, seed: int = 0, attempts: int = 400) -> Verdict:
    return attack(claim, seed=seed, attempts=attempts).evidence.verdict


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_limits_are_looked_for_on_patterns_that_repeat(seed: int) -> None:
    equal = ["strong_convexity = smoothness", "local_steps <= 3", "max_delay = 0", *EVERYBODY]
    claim = own(
        "fedavg", equal, left="limit", sign="=", right="optimum"
    )  # false where some clients do fewer local steps
    assert verdict(claim, seed=seed) is Verdict.REFUTED
    lasting = own("fedavg", [*equal, "local_steps = 1"], left="limit", sign="=", right="optimum")
    assert verdict(lasting, seed=seed, attempts=60) is Verdict.SUPPORTED


@pytest.mark.parametrize("algorithm", ["sync", "async", "fedfix", "fedbuff"])
def test_weights_are_the_importances(algorithm: str) -> None:
    for scenario in drawn(own(algorithm, [])):
        assert scenario.settings["weights"] == scenario.problem.importance


@pytest.mark.slow
def test_a_true_claim_about_synchronous_rounds_survives() -> None:
    assert verdict(own("sync", ["local_steps = 1", *EVERYBODY]), attempts=80) is Verdict.SUPPORTED


@pytest.mark.parametrize("algorithm", ["mifa", "mifa-difference", "fedlaavg"])
def test_a_server_without_a_step_size_of_its_own_takes_whole_steps(algorithm: str) -> None:
    assert {scenario.server_step_size for scenario in drawn(own(algorithm, []))} == {1}
    named = own(algorithm, [], right=f"server_step_size*{DESCENT}")
    assert len({scenario.server_step_size for scenario in drawn(named)}) > 1


@pytest.mark.slow
def test_a_true_claim_that_does_not_print_that_step_size_survives() -> None:
    silent = [text for text in EVERYBODY if not text.startswith("server")]
    assert verdict(own("mifa", ["local_steps = 1", *silent]), attempts=80) is Verdict.SUPPORTED


@pytest.mark.parametrize(
    "assumes",
    [
        ["clients_per_round = 0", "num_rounds >= 300"],
        ["smoothness = 0"],
        ["smoothness <= 0"],
        ["server_step_size = 0"],
        ["clients_per_round < 1"],
        ["smoothness*num_rounds <= 0"],
    ],
)
def test_what_a_run_may_have_at_0_is_not_called_impossible(assumes: list[str]) -> None:
    assert contradiction(own("fedavg", assumes)) == ""


def test_such_runs_exist() -> None:
    run = Scenario(
        "fedavg",
        CommonCurvature(0, (0,)),
        Trace.fresh([[0]]),
        start=0,
        local_step_size=1,
        server_step_size=0,
    )
    zero = ["clients_per_round", "smoothness", "server_step_size"]
    assert set(measure(run, zero).values()) == {0}


@pytest.mark.parametrize(
    "assumes",
    [
        ["num_clients = 0"],
        ["local_steps < 1"],
        ["availability_window = 0"],
        ["strong_convexity = 0"],
        ["local_step_size = 0"],
        ["local_step_size <= 1/smoothness", "local_step_size*smoothness >= 2"],
        ["1/smoothness <= num_clients", "smoothness*num_clients <= 1/2"],
        ["clients_per_round > num_clients"],
    ],
)
def test_what_no_run_has_is_still_called_impossible(assumes: list[str]) -> None:
    assert "cannot hold" in contradiction(own("fedavg", assumes))


def test_without_runs_a_quantity_is_what_its_kind_says() -> None:
    claim: dict[str, Any] = {
        "id": "mine.a",
        "says": "A.",
        "left": "smoothness",
        "sign": "<=",
        "right": "1",
        "assumes": ["smoothness = 0"],
    }
    assert "cannot hold" in contradiction(
        claims_of({"paper": {"key": "mine"}, "claim": [claim]})[0]
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("about", "assumes"),
    [
        ("fedavg", ["strong_convexity = smoothness"]),
        (
            "fedlaavg",
            ["local_step_size*smoothness <= 1/2", "local_steps <= 2", "strong_convexity > 0"],
        ),
        ("scaffold", ["local_step_size*smoothness*local_steps <= 1"]),
        ("mifa", ["local_steps = 3"]),
    ],
)
def test_drift_with_everybody_there_is_found(about: str, assumes: list[str]) -> None:
    claim = own(about, [*assumes, *EVERYBODY])
    assert Verdict.REFUTED in (verdict(claim, seed=seed) for seed in (0, 1))


@pytest.mark.slow
def test_with_everybody_there_local_steps_stay_as_they_were_drawn() -> None:
    steps = [scenario.trace.local_steps for scenario in drawn(own("fedavg", EVERYBODY), 200)]
    assert sum(table.max() > 1 and table.max() == table.min() for table in steps) > 10
    assert sum(table.max() != table.min() for table in steps) > 10


def test_with_everybody_there_work_may_be_late() -> None:
    late = drawn(own("async", ["availability_window = 1", "gradient_noise = 0"]), 100)
    assert sum(bool(scenario.trace.delays.any()) for scenario in late) > 10


@pytest.mark.slow
def test_a_single_client_may_take_as_many_local_steps_as_it_likes() -> None:
    assert (
        verdict(own("fedavg", ["num_clients = 1", *EVERYBODY]), attempts=100) is Verdict.SUPPORTED
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left", "sign", "right"),
    [("num_rounds", ">=", "2"), ("min_squared_gradient", "<=", "smoothness*initial_loss_gap")],
)
def test_a_single_round_is_drawn_with_everybody_there(left: str, sign: str, right: str) -> None:
    exact_quarter = [
        "strong_convexity = smoothness",
        "local_step_size*smoothness = 1/4",
        "local_steps = 1",
        *EVERYBODY[1:],
    ]
    assert (
        verdict(own("fedavg", exact_quarter, left=left, sign=sign, right=right)) is Verdict.REFUTED
    )


@pytest.mark.parametrize(
    "name", ["availability_window", "staleness_bound", "max_delay", "max_staleness"]
)
@pytest.mark.parametrize("value", [1, 2, 3])
def test_the_fewest_rounds_are_those_that_show_the_quantity(name: str, value: int) -> None:
    """One client, absent or late as long as it can be: fewer rounds do not reach the value."""
    fewest = rounds_allowed(own("afa-cs", [f"{name} = {value}"]))[0]

    def largest(rounds: int) -> Any:
        absent = [[name == "max_staleness" and t == 0] for t in range(rounds)]
        late = Trace.with_delays([[1]] * rounds, [[t] for t in range(rounds)])
        trace = late if name == "max_delay" else Trace.fresh(absent)
        return measure(
            Scenario(
                "afa-cs", CommonCurvature(1, (0,)), trace, start=0, local_step_size=Fraction(1, 2)
            ),
            [name],
        )[name]

    assert largest(fewest) >= value
    assert fewest == 1 or largest(fewest - 1) < value
