"""Claims of one's own in explain, verify, looseness and rates; beside each, what it must refuse."""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import fltheory
from fltheory.claims.bound_sweeps import SweepPoint
from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.ledger.looseness import looseness
from fltheory.ledger.own_claims import own_sweeps
from fltheory.papers.own_rates import exponent, own_regime
from tests.attacks.own_files import flat, own

STEP = ["local_steps = 1", "server_step_size = 1", "availability_window = 1"]
QUIET = [*STEP, "gradient_noise = 0", "local_step_size*smoothness = 1"]
NOISY = [*STEP, "local_step_size*smoothness*sqrt(num_rounds) = 1"]
GAP = "smoothness*initial_distance^2/(4*num_rounds + {})"
FAST = "smoothness*initial_distance^2/num_rounds"


def written(folder: Path, *claims: Mapping[str, object]) -> Path:
    text = '[paper]\nkey = "mine"\n'
    for k, claim in enumerate(claims):
        entry = {"id": f"mine.c{k}", "says": "A claim.", "sign": "<=", "about": ["fedavg"], **claim}
        text += "\n[[claim]]\n" + "".join(f"{n} = {json.dumps(v)}\n" for n, v in entry.items())
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def last_gap(more: int) -> dict[str, object]:
    return {
        "left": "last_loss_gap",
        "right": GAP.format(more),
        "assumes": QUIET,
        "losses": "convex",
    }


BAD = {"left": "no_such_quantity", "right": "1"}


def command(*words: object) -> Result:
    return CliRunner().invoke(make_app(), [str(word) for word in words])


def test_a_claim_of_ones_own_is_explained(tmp_path: Path) -> None:
    path = written(tmp_path, last_gap(2), BAD)
    found = command("explain", path)
    assert found.exit_code == 2  # because of the second claim
    assert "mine.c0: UNDECIDED" in found.stdout
    assert "local_step_size*smoothness = 1" in found.stdout
    assert "no_such_quantity" in flat(found.stderr)
    assert fltheory.explain("mine.c0", claims=path).verdict == "UNDECIDED"
    with pytest.raises(InvalidInput, match="stated in"):
        fltheory.explain("mine.c7", claims=path)


@pytest.mark.slow
def test_a_claim_of_ones_own_is_verified_by_an_attack(tmp_path: Path) -> None:
    halves = {"left": "ceil(num_clients/2)", "right": "num_clients/2", "about": []}
    false = written(tmp_path, halves)
    assert command("verify", false, "--jobs", 1).exit_code == 1
    assert fltheory.attack(str(false)).refuted == ("mine.c0",)
    with pytest.raises(InvalidInput, match="one of the ledger's ids"):
        fltheory.verify(str(false))
    mixed = command("verify", false, "fraboni.ex2")
    assert mixed.exit_code == 2
    assert "or ids of recorded claims only" in flat(mixed.stderr)


def test_the_worst_case_of_ones_own_bound_is_the_known_one(tmp_path: Path) -> None:
    """L R^2/(4 T + 2) is exact for gradient descent (Drori and Teboulle 2014); 4 T + 6 is false."""
    pytest.importorskip("clarabel")
    bad: list[str] = []
    for more, ratio in ((2, 1), (6, Fraction(18, 14))):
        known = own_sweeps(written(tmp_path, last_gap(more), BAD), bad)
        at = SweepPoint(num_rounds=3, late=0)
        assert known["mine.c0"].admits(at)
        assert not known["mine.c0"].admits(SweepPoint(num_rounds=3))  # somebody is away
        assert looseness("mine.c0", at, known)["ratio"] == pytest.approx(float(ratio), rel=1e-5)
    assert len(bad) == 2
    noisy = {
        "left": "last_loss_gap",
        "right": "gradient_noise/smoothness",
        "assumes": ["gradient_noise = 1"],
    }
    assert own_sweeps(written(tmp_path, noisy), bad) == {}
    assert "without noise" in bad[-1]


@pytest.mark.slow
def test_the_rate_of_ones_own_claim_is_measured(tmp_path: Path) -> None:
    slow = {"left": "average_loss_gap", "sign": "O", "right": FAST, "assumes": NOISY}
    found = command("rates", "--algorithm", written(tmp_path, slow, BAD), "--json")
    assert found.exit_code == 2
    (rate,) = json.loads(found.stdout)
    assert rate["claimed"] == "-1"
    assert rate["exponent"] == pytest.approx(-0.5, abs=0.01)


def test_a_rate_needs_a_power_law_and_a_step_size() -> None:
    root = "initial_loss_gap/(local_step_size*num_rounds) + local_step_size*gradient_noise^2"
    claim = own("mean_squared_gradient", "<=", root, *NOISY, about=["fedavg"])
    assert exponent(claim, "T") == Fraction(-1, 2)
    free = own("mean_squared_gradient", "<=", "1/num_rounds", *STEP, about=["fedavg"])
    with pytest.raises(InvalidInput, match="set or bound local_step_size"):
        own_regime(free, "T")
    away = own("last_loss_gap", "<=", "1/num_rounds", *NOISY, about=["fedavg"])
    with pytest.raises(InvalidInput, match="bound mean_squared_gradient"):
        own_regime(away, "T")
    never = own(
        "mean_squared_gradient", "<=", "1/num_rounds", *NOISY, "num_clients >= 3", about=["fedavg"]
    )
    with pytest.raises(InvalidInput, match="num_clients >= 3"):
        own_regime(never, "T")
