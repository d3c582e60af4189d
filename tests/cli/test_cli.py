"""The command line as its users see it: golden answers, exact numbers as text, help, files, and the
README's own examples."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from tests.cli.runs import answer, fltheory

EXAMPLE_1 = "--availability alternating:1,3 --optima 0,1 --curvatures 2,2 --step-size 1/4"


TURNS = "--algorithm async --availability alternating:1,1"


TWO_CLOCKS = "--update-times 1,2 --optima 0,1 --step-size 1/10"


LIMITS: dict[str, dict[str, object]] = {
    f"limit --algorithm fedavg {EXAMPLE_1}": {
        "period": 4,
        "cycle": ["14/15", "7/15", "11/15", "13/15"],
        "at_period_end": "14/15",
        "mean": "3/4",
        "optimum": "1/2",
        "spectral_radius": 0.0625,
        "spectral_radius_exact": "1/16",
        "stable": True,
    },
    f"limit --algorithm fedlaavg {EXAMPLE_1}": {
        "at_period_end": "1/2",
        "spectral_radius_exact": "(sqrt(1393) + 103)/512",
        "stable": True,
    },
    f"limit --algorithm mifa {EXAMPLE_1}": {
        "at_period_end": "1/2",
        "spectral_radius_exact": "(sqrt(1393) + 103)/512",
    },
    f"limit --algorithm async {TWO_CLOCKS}": {
        "period": 3,
        "cycle": ["1711/3251", "1600/3251", "1480/3251"],
        "optimum": "1/2",
        "stable": True,
        "weights": ["3/4", "3/2"],
    },
    f"limit --algorithm async --ties joint {TWO_CLOCKS}": {
        "period": 2,
        "cycle": ["80/157", "74/157"],
    },
    f"limit --algorithm async --identical {TWO_CLOCKS}": {
        "cycle": ["109/299", "100/299", "90/299"],
        "mean": "1/3",
    },
    f"limit --algorithm fedfix --window 1 {TWO_CLOCKS}": {
        "period": 2,
        "cycle": ["40/79", "38/79"],
        "weights": ["1/2", "1"],
    },
    f"limit --algorithm fedbuff --buffer 2 {TWO_CLOCKS}": {"period": 1, "cycle": ["1/2"]},
    f"limit --algorithm mifa {TWO_CLOCKS}": {"period": 1, "cycle": ["1/2"]},
    f"limit --algorithm afa-cd --policy async {TWO_CLOCKS}": {"period": 3},
    f"limit {TURNS} --weights 1,1 --optima 0,1 --step-size 1/2": {"cycle": ["3/5", "2/5"]},
    f"limit {TURNS} --weights 1,3 --optima 0,1 --step-size 1/10": {"cycle": ["33/43", "30/43"]},
    f"limit {TURNS} --work fresh --weights 1,1 --optima 0,1 --step-size 1/2": {
        "cycle": ["2/3", "1/3"]
    },
    f"limit {TURNS} --weights 1,1 --optima -1/2,-1/2 --step-size 1 --start 3": {
        "stable": False,
        "spectral_radius": 1.0,
        "orbit": ["-4", "-4", "-1/2", "3", "3", "-1/2"],
    },
    "limit --algorithm fedavg --availability alternating:1,1 --optima 0:1,1:3 --step-size 1/2": {
        "cycle": [["2/3", "7/3"], ["1/3", "5/3"]],
        "optimum": ["1/2", "2"],
    },
    "limit --algorithm fedlaavg --clients-per-round 1 --optima 0,1 --curvatures 2,2"
    " --step-size 1/4": {
        "period": 2,
        "cycle": ["1/2", "1/2"],
        "spectral_radius_exact": "1/4",
    },
    "limit --algorithm fedavg --availability alternating:1,1 --optima 0,1 --symbolic": {
        "cycle": ["-1/(local_step_size - 2)", "(local_step_size - 1)/(local_step_size - 2)"],
        "stable": None,
        "spectral_radius": None,
    },
    "limit --algorithm fedavg --availability alternating:1,1 --optima 0,1 --step-size 0": {
        "cycle": None,
        "at_period_end": None,
    },
}


@pytest.mark.parametrize("line", LIMITS)
def test_limits_are_exact(line: str) -> None:
    data = answer(line)
    assert {key: data[key] for key in LIMITS[line]} == LIMITS[line]


WEIGHTS: dict[str, dict[str, object]] = {
    "weights --policy async --update-times 2,3,5": {
        "weights": ["31/45", "31/30", "31/18"],
        "balance_period": 31,
        "max_staleness": 5,
    },
    "weights --policy fedfix --window 2 --update-times 2,3,5": {
        "weights": ["1/3", "2/3", "1"],
        "balance_period": 6,
        "max_staleness": 2,
    },
    "weights --policy fedbuff --buffer 2 --update-times 2,3,5": {
        "participation": ["1", "2/3", "1/3"],
        "max_staleness": 2,
    },
    "weights --policy sync --update-times 2,3,5 --importance 1/2,1/4,1/4": {
        "weights": ["1/2", "1/4", "1/4"],
        "balance_period": 1,
    },
    "weights --policy async --ties joint --update-times 1,2": {
        "expected_weights": ["3/4", "3/4"],
        "balance_period": 2,
    },
    "weights --policy async --update-times 1,2 --identical": {
        "weights": ["1", "1"],
        "expected_weights": ["2/3", "1/3"],
    },
    "weights --policy async --update-times 1,2 --exponential": {
        "weights": ["3/4", "3/2"],
        "balance_period": 1,
        "max_staleness": None,
    },
}


@pytest.mark.parametrize("line", WEIGHTS)
def test_weights_are_exact(line: str) -> None:
    data = answer(line)
    assert {key: data[key] for key in WEIGHTS[line]} == WEIGHTS[line]


def test_simulation_of_the_papers_first_rounds(tmp_path: Path) -> None:
    trace = tmp_path / "rounds.csv"
    trace.write_text("a,b\n1,1\n1,0\n0,1\n")
    run = (
        f"simulate --availability recorded:{trace} --optima 0,1 --local-steps 2 --step-size"
        " 2/(t+100) --start 2 --rounds 3"
    )
    assert answer(f"{run} --algorithm mifa")["models"] == [
        "2",
        "19802/10201",
        "49989901/26532801",
        "515051600803/281486485809",
    ]
    assert answer(f"{run} --algorithm fedavg")["last"] == "50566208/27594009"
    assert (
        answer(f"{run} --algorithm importance-sampling --probabilities 3/4,1/2")["last"]
        == "453494878/248346081"
    )
    once = (
        "simulate --algorithm afa-cd --optima 0 --local-steps 2 --step-size 1/10 --server-step-size"
        " 2 --start 1 --rounds 1"
    )
    assert answer(once)["last"] == "81/100"


def test_all_arithmetics_agree() -> None:
    run = (
        "simulate --algorithm mifa --availability alternating:1,2 --optima 0,1 --step-size 1/4"
        " --start 1 --rounds 6 --arithmetic"
    )
    exact = [float(Fraction(x)) for x in answer(f"{run} rational")["models"]]
    assert answer(f"{run} symbolic")["models"] == answer(f"{run} rational")["models"]
    for name in ("float", "tensor"):
        assert answer(f"{run} {name}")["models"] == pytest.approx(exact, rel=1e-12)


@pytest.mark.slow
def test_noise_is_reproducible_and_depends_on_the_seed() -> None:
    run = (
        "simulate --algorithm fedavg --optima 0,1 --step-size 1/4 --rounds 5 --noise signs:1/2"
        " --seed"
    )
    assert answer(f"{run} 1") == answer(f"{run} 1")
    assert answer(f"{run} 1") != answer(f"{run} 2")
    noisy = (
        "simulate --algorithm fedavg --optima 0,1 --step-size 1/4 --rounds 5 --arithmetic float"
        " --noise gaussian:4"
    )
    assert (
        answer(noisy)["models"]
        == answer(noisy)["models"]
        != answer(noisy.removesuffix(" --noise gaussian:4"))["models"]
    )


def test_a_diverging_float_run_says_so_and_where() -> None:
    result = fltheory(
        "simulate --algorithm fedavg --optima 0,1 --step-size 100 --rounds 300 --arithmetic float"
    )
    assert result.exit_code == 2
    assert "the run diverged: in round" in result.stderr


@pytest.mark.slow
def test_trajectories_are_saved_and_drawn(tmp_path: Path) -> None:
    run = "simulate --algorithm mifa --optima 0,1 --step-size 1/2 --rounds 2"
    assert fltheory(f"{run} -o {tmp_path / 'run.csv'} --plot {tmp_path / 'run.png'}").exit_code == 0
    assert (tmp_path / "run.csv").read_text() == "round,model\n0,0\n1,1/4\n2,3/8\n"
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    assert fltheory(f"{run} -o {tmp_path / 'run.json'}").exit_code == 0
    assert json.loads((tmp_path / "run.json").read_text()) == answer(run)


def test_a_made_trace_has_the_statistics_of_its_model(tmp_path: Path) -> None:
    file = tmp_path / "trace.csv"
    assert answer(f"trace make blocks:1,2 --clients 2 --rounds 12 -o {file}") == {
        "file": str(file),
        "num_rounds": 12,
        "num_clients": 2,
    }
    data = answer(f"trace stats {file} --gap-slope 1/2 --weights 3,6")
    expected = {
        "num_rounds": 12,
        "empty_rounds": 8,
        "missing_in_first_round": [],
        "participation": {"client_0": "1/3", "client_1": "1/3"},
        "availability_window": 3,
        "max_staleness": 2,
        "mean_staleness": "1",
        "client_max_staleness": {"client_0": 2, "client_1": 2},
        "mean_client_max_staleness": "2",
        "initial_gap": "1/2",
        "squared_usages": 72,
        "balance_period": 3,
        "period": 3,
        "warm_up": 0,
        "mean_weights": {"client_0": "1", "client_1": "2"},
    }
    assert {key: data[key] for key in expected} == expected


def test_staleness_is_not_invented_where_somebody_is_missing_at_first(tmp_path: Path) -> None:
    (tmp_path / "late.csv").write_text("early,late\n1,0\n1,1\n")
    data = answer(f"trace stats {tmp_path / 'late.csv'}")
    assert data["missing_in_first_round"] == ["late"]
    assert data["max_staleness"] is data["mean_staleness"] is data["initial_gap"] is None
