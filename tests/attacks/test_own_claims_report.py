"""What an attack on one's own claim tells: reasons, runs, lines of a file, quantities."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fltheory import Quadratic, Trace
from fltheory.attacks.conclusions import told_reasons
from fltheory.attacks.describe import MOST_CELLS, told_run
from fltheory.attacks.moves import State
from fltheory.attacks.report import as_text
from fltheory.attacks.search import ATTEMPTS, attack
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.measures import MEASURES
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.space import Space
from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.problems.common_curvature import CommonCurvature
from tests.attacks.own_files import flat, own

FILE = (
    '[paper]\nkey = "mine"\n[[claim]]\nid = "mine.a"\nsays = "A."\nleft = "{left}"\nsign ='
    ' "<="\nright = "{right}"\n'
)


def command(*words: object) -> Result:
    return CliRunner().invoke(make_app(), [str(word) for word in words])


def test_reasons_for_not_admitting_a_draw_are_the_conditions_own_words() -> None:
    claim = own("x", "<=", "1", "x <= 1", "max(x, 2) <= 3", where={"x": "x"})
    state = State(rejected={"mine.assumption1, mine.assumption2": 2, "x <= 1": 1})
    assert told_reasons(claim, state) == [("x <= 1, max(x, 2) <= 3", 2), ("x <= 1", 1)]
    report = as_text(
        attack(
            own("num_rounds", "<=", "1000", "local_step_size*smoothness = 1/7", about=["fedavg"]),
            attempts=40,
        )
    )
    assert "because of `local_step_size*smoothness = 1/7`" in flat(report)
    assert "assumption1" not in report


def test_a_reason_is_told_in_whole_words_and_without_the_value_at_hand() -> None:
    def refuses(choices: Choices, claim: Claim) -> Instance:
        word = "abcdefghij " * 9 if choices.index(3) == 2 else "be known "
        raise InvalidInput("constant of the problem", f"{word}for this claim", choices.index(9))

    space = Space("refusing", "Nothing.", frozenset({"x"}), refuses)
    claim = own("x", "<=", "1", where={"x": "x"})
    reasons = dict(told_reasons(claim, attack(claim, spaces=[space]).state))
    rules = ("be known for this claim", "abcdefghij abcdefghij abcdefghij ...")
    assert set(reasons) == {f"constant of the problem must {rule}" for rule in rules}
    assert sum(reasons.values()) == ATTEMPTS


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "known"), [("fedavg", True), ("sequential-sgd", False)])
def test_the_standalone_replay_is_offered_where_it_works(algorithm: str, known: bool) -> None:
    report = as_text(attack(own("num_clients", "<=", "1", about=[algorithm]), attempts=30))
    assert ("python3 verification/replay.py" in report) is known
    assert "python3 verification/replay.py" in as_text(
        attack(own("num_clients", "<=", "1"), attempts=30)
    )


def test_a_run_is_told_so_that_it_can_be_rebuilt() -> None:
    trace = Trace.with_delays(
        [[1, 0], [1, 1], [0, 0]], [[0, 0], [1, 0], [0, 0]], local_steps=[[2, 1], [1, 1], [1, 1]]
    )
    tilted = CommonCurvature("1/2", (1, -1), noise_squared=4)
    run = Scenario(
        "async", tilted, trace, start=1, local_step_size="1/4", settings={"weights": (1, "2/3")}
    )
    told = " ".join(told_run(run))
    for part in (
        "curvature 1/2; tilts 1, -1; equal importance; noise of variance 4",
        "weights 1, 2/3",
        "round 0: client 0 (2 local steps)",
        (
            "round 1: clients 0 (1 local step, from the model before round 0), 1 (1 local step);"
            " round 2: none"
        ),
    ):
        assert part in told
    uneven = Scenario(
        "fedprox",
        Quadratic((1, 2), (0, 3), importance=("1/3", "2/3")),
        Trace.fresh([[1, 1]]),
        start=0,
        local_step_size=1,
        settings={"proximal_strength": "1/10"},
    )
    told = " ".join(told_run(uneven))
    assert (
        "curvatures 1, 2; optima 0, 3; importance 1/3, 2/3; no noise. All clients deliver in"
        " every round." in told
    )
    assert "proximal strength 1/10" in told
    long = Scenario(
        "fedavg",
        Quadratic((1,), (0,)),
        Trace.fresh([[1]] * MOST_CELLS + [[0]]),
        start=0,
        local_step_size=1,
    )
    assert told_run(long) == [f"{long.says}."]


def test_a_run_without_deliveries_is_called_one() -> None:
    told = told_run(
        Scenario(
            "fedavg", Quadratic((1,), (1,)), Trace.fresh([[0], [0]]), start=0, local_step_size=1
        )
    )
    assert (
        told[0]
        == "fedavg on Quadratic, 1 client, 2 rounds, nobody delivers, step sizes 1 and 1, start 0."
    )
    assert told[2] == "No client ever delivers."


def test_every_claim_of_a_file_has_a_line_and_a_proof_is_told_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "three.toml"
    held, broken = (
        FILE.format(left="num_clients", right="2*num_clients"),
        FILE.format(left="2^(num_rounds^3)", right="10^(num_rounds^2)"),
    )
    empty = FILE.format(left="local_step_size", right="1")
    empty += (
        'assumes = ["local_step_size <= 1/(2*smoothness)", "local_step_size*smoothness >= 1"]\n'
    )
    texts = [
        held,
        *(
            text.partition("\n[[claim]]")[2].replace("mine.a", name)
            for name, text in (("mine.b", broken), ("mine.c", empty))
        ),
    ]
    path.write_text("\n[[claim]]".join(texts), encoding="utf-8")
    told = flat(command("attack", path, "--attempts", 20, "--jobs", 1).stdout)
    assert "mine.a SUPPORTED 1/2 20 20 instances tried" in told
    assert "mine.b REFUTED 1844.67 3 num_rounds = 4" in told
    assert "mine.c VACUOUS 0 " in told
    assert "which would have to be at most 0" in told


def test_every_quantity_that_a_claim_may_use_is_listed() -> None:
    listed = {
        entry["name"]: entry for entry in json.loads(command("list", "quantities", "--json").stdout)
    }
    assert {name for name, entry in listed.items() if entry["runs"]} == set(MEASURES)
    for name, entry in listed.items():
        assert own(name, "<=", "1").where.get(name, entry["says"]) == entry["says"]
        assert own(
            "own_letter", "<=", "1", where={"own_letter": "x"}, kinds={"own_letter": entry["kind"]}
        )
    told = flat(command("list", "quantities").stdout)
    assert "staleness_bound index availability_window - 1" in told
    assert command("list", "nothing").exit_code == 2


def test_an_id_in_two_files_is_refused(tmp_path: Path) -> None:
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    for path, right in ((first, "1"), (second, "2")):
        path.write_text(FILE.format(left="num_clients", right=right), encoding="utf-8")
    refused = command("attack", first, second)
    assert refused.exit_code == 2
    assert "mine.a must be stated in one file" in refused.stderr
    assert command("attack", first, first, "--attempts", 3, "--jobs", 1).exit_code == 0
