"""No true theorem is called contradicted: runs without end, files read again by themselves,
suggestions, bad claims beside good ones."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fltheory import Quadratic, Trace
from fltheory.attacks.decide import NotReplayed, first_confirmed, refutation
from fltheory.attacks.minimize.run_moves import _of_clients
from fltheory.attacks.report import counterexample
from fltheory.attacks.search import attack, spaces_for
from fltheory.attacks.suggest import outputs_of
from fltheory.claims.checks.bound_on_run import on_scenario, unmet
from fltheory.claims.evidence import Verdict
from fltheory.claims.forever import lengthened
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.ledger.customs import unusual
from fltheory.ledger.replays import replay
from fltheory.papers import find_claim
from tests.attacks.own_files import own

CYCLE = Trace.fresh([[1, 0], [0, 1], [0, 1], [1, 0]] * 3)
"""Client 0 comes twice in a row where two periods meet; client 1 is away for as long."""

RUN = Scenario("fedavg", Quadratic((1, 1), (0, 1)), CYCLE, start=0, local_step_size="1/4")


def test_a_window_beside_a_limit_is_that_of_the_run_without_end() -> None:
    run = replace(RUN, trace=Trace.fresh([[1, 1], [1, 0], [1, 0], [1, 0]]))
    assert measure(run, ["availability_window"])["availability_window"] == 4
    with pytest.raises(InvalidInput, match="client 1 must deliver again and again"):
        measure(run, ["availability_window", "limit"])
    claim = own("limit", "=", "optimum", "availability_window <= 4", about=["fedavg"])
    with pytest.raises(InvalidInput, match="client 1"):
        unmet(claim, run)
    finite = own("num_rounds", ">=", "1", "availability_window <= 4", about=["fedavg"])
    assert not unmet(finite, run)


def test_averages_beside_a_limit_are_those_of_a_period() -> None:
    run = replace(RUN, trace=Trace.fresh([[1, 1], *[[1, 0], [1, 1]] * 4]))
    assert measure(run, ["mean_staleness"])["mean_staleness"] == Fraction(4, 18)
    assert measure(run, ["mean_staleness"], forever=True)["mean_staleness"] == Fraction(1, 4)


def test_a_longer_trace_goes_on_as_it_did() -> None:
    longer = lengthened(CYCLE)
    assert longer.first(CYCLE.num_rounds) == CYCLE
    assert (longer.delivers[12:16] == CYCLE.delivers[:4]).all()


def test_weights_read_from_a_file_stay_the_importances_of_fewer_clients() -> None:
    run = Scenario(
        "sync",
        Quadratic((1, 1), (0, 1)),
        Trace.fresh([[1, 1]]),
        start=0,
        local_step_size=1,
        settings={"weights": (Fraction(1, 2), Fraction(1, 2))},
    )
    read = Scenario.from_json(run.to_json())
    assert _of_clients(read, [0]).settings["weights"] == (1,)


def test_a_run_that_the_claim_does_not_allow_for_is_no_counterexample() -> None:
    claim = own("num_clients", ">=", "2", about=["sync"])
    half = Scenario(
        "sync",
        Quadratic((1,), (0,)),
        Trace.fresh([[1]]),
        start=0,
        local_step_size=1,
        settings={"weights": ("1/2",)},
    )
    assert "weights that differ" in unusual(claim, half)
    with pytest.raises(NotReplayed, match="weights that differ"):
        refutation(claim, on_scenario(claim, half), covers="")
    fair = replace(half, settings={"weights": (1,)})
    assert unusual(claim, fair) == ""
    assert refutation(claim, on_scenario(claim, fair), covers="").verdict is Verdict.REFUTED
    found = first_confirmed(claim, [on_scenario(claim, half), on_scenario(claim, fair)], covers="")
    assert found is not None
    assert found[0].scenario == {"run": fair.to_json(), "measures": {"num_clients": "num_clients"}}


def test_a_suggestion_restricts_nothing_that_is_computed() -> None:
    assert "odd_limit" in outputs_of(find_claim("fraboni.ex2.odd"))
    claim = own("limit", "<=", "2*optimum", "num_rounds >= 3", about=["fedavg"])
    assert {"limit"} <= outputs_of(claim)
    assert "num_rounds" not in outputs_of(claim)


FILE = """
[paper]
key = "mine"
[[claim]]
id = "mine.good"
says = "A."
left = "num_clients"
sign = ">="
right = "1"
[[claim]]
id = "mine.bad"
says = "A."
left = "num_client"
sign = ">="
right = "1"
[[claim]]
id = "mine.false"
says = "A."
left = "num_clients"
sign = "<="
right = "1"
"""


def test_a_bad_claim_is_told_and_the_others_are_attacked(tmp_path: Path) -> None:
    path = tmp_path / "three.toml"
    path.write_text(FILE, encoding="utf-8")
    words = ["attack", str(path), "--attempts", "20", "--jobs", "1"]
    result = CliRunner().invoke(make_app(), words)
    assert result.exit_code == 2
    assert "near: num_clients" in result.stderr
    assert "mine.good" in result.stdout
    assert "mine.false" in result.stdout


@pytest.mark.slow
def test_seconds_are_seconds_of_search() -> None:
    claim = own("num_rounds", ">=", "1", about=["fedavg"])
    found = attack(claim, seconds=2.0)
    assert found.state.tries > 400
    assert 1.9 <= found.searched <= 2.6  # one run more


def test_a_draw_is_confirmed_from_the_file_that_is_written_of_it() -> None:
    """Its printed condition names tau, no symbol of the claim: only the choices give it."""
    claim = find_claim("fraboni.lem6")
    (space,) = (one for one in spaces_for(claim) if one.id == "fraboni.rough")
    found = attack(claim, attempts=20, spaces=[space])
    assert found.refuted
    file = counterexample(found)
    assert file["origin"] is not None
    assert file["origin"]["kind"] == "draw"
    assert replay(file, claim).confirmed
    assert not replay({**file, "origin": None}, claim).checkable
