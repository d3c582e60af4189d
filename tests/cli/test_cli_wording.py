"""What the commands say: at 80 columns, of unstable runs, of step sizes, of methods that are not
known."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fltheory.claims.claim import Identity, letter
from fltheory.claims.evidence import Verdict
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Json
from fltheory.core.vocabulary import symbol
from fltheory.ledger.claim_letters import meanings
from fltheory.ledger.explain import explanation
from fltheory.ledger.public import Looseness
from fltheory.ledger.runner import recorded
from fltheory.papers import find_claim
from tests.cli.runs import answer, fltheory

EXAMPLE = "--availability alternating:1,3 --optima 0,1 --curvatures 2,2"


def test_the_limit_of_an_unstable_step_is_no_number() -> None:
    line = "limit --algorithm async --update-times 1,2 --optima 0,1 --step-size"
    unstable, stable = answer(f"{line} 3"), answer(f"{line} 1/10")
    assert unstable["mean"] is None
    assert "not stable" in unstable["note"]
    assert unstable["cycle"] == ["29/31", "-16/31", "20/31"]
    assert stable["mean"] is not None
    assert "note" not in stable


def test_a_symbolic_mean_is_in_lowest_terms() -> None:
    assert answer(f"limit --symbolic --algorithm fedavg {EXAMPLE}")["mean"] == "3/4"


def test_one_probability_holds_for_all_clients() -> None:
    line = "simulate --algorithm importance-sampling --optima 0,1 --step-size 1/10 --rounds 3"
    one, two = (answer(f"{line} --probabilities {text}") for text in ("3/10", "3/10,3/10"))
    assert one == two
    assert one != answer(f"{line} --probabilities 3/10,1")


@pytest.mark.parametrize("size", ["1/sqrt(t)", "1/t^2", "t"])
def test_a_step_size_that_is_not_known_says_what_is(size: str) -> None:
    line = f"--algorithm mifa --optima 0,1 --step-size '{size}'"
    for command, accepted in (
        ("gap --rounds 3", "c/(t+b)"),
        ("simulate --rounds 3", "c/(t+b)"),
        ("limit", "constant step size"),
    ):
        result = fltheory(f"{command} {line}")
        assert (result.exit_code, accepted in result.stderr) == (2, True), command


def test_a_step_size_may_fall_like_one_over_t() -> None:
    line = (
        "simulate --algorithm fedavg --optima 1 --rounds 3 --start 3 --curvatures 1/2 --step-size"
    )
    assert answer(f"{line} 1/t") == answer(f"{line} '1/(t+0)'") != answer(f"{line} 1")


@pytest.mark.slow
def test_a_worst_case_names_the_model_that_it_measures() -> None:
    line = "worst-case --algorithm fedavg --rounds 1 --step-size 1/2 --metric"
    assert answer(f"{line} loss")["metric"] == "f - f* at the last model"
    assert "weighted average" in answer(f"{line} average-loss")["metric"]


def test_looseness_fits_into_80_columns() -> None:
    row: Json = {
        "along": "mean_staleness",
        "theorem": "fraboni.thm1.corrected",
        "num_rounds": 12,
        "local_steps": 3,
        "max_staleness": 11,
        "mean_staleness": 1.23456,
        "worst_case": 0.00123456,
        "bound": 123456.7,
        "ratio": 1.23456e-8,
    }
    assert max(map(len, repr(Looseness((row,))).splitlines())) <= 72


def test_rates_of_another_method_need_the_claim_whose_step_sizes_they_take() -> None:
    result = fltheory("rates --algorithm fedprox --versus T")
    assert (result.exit_code, "--like" in result.stderr) == (2, True)
    line = "rates --versus T --grid 100,200,400,800 --clients 2 --algorithm"
    own, like, other = (
        json.loads(fltheory(f"{line} {words} --json").stdout)[0]
        for words in ("mifa", "mifa --like mifa.thm5.1", "fedlaavg --like mifa.thm5.1")
    )
    assert own == like
    assert other["claim"] == "mifa.thm5.1"
    assert other["quantities"] != own["quantities"]


def test_a_certificate_of_an_unknown_method_is_not_called_rejected(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    line = f"worst-case --algorithm fedavg --rounds 1 --step-size 1/2 --certificate {file}"
    assert fltheory(line).exit_code == 0
    data = json.loads(file.read_text())
    for name, code in (("fedavg", 0), ("stranger", 3), ("mifa", 1)):
        data["case"]["algorithm"] = name
        if name == "mifa":
            data["bound"] = "1/1000000"
        file.write_text(json.dumps(data))
        assert fltheory(f"check-certificate {file}").exit_code == code, name


def test_an_attack_decides_where_no_check_does() -> None:
    claim = find_claim("fraboni.ex2")
    lines = [line for line in recorded() if line.evidence.claim == claim.id]
    broke = [line for line in lines if line.evidence.verdict is Verdict.REFUTED]
    assert broke
    assert explanation(claim, [], [claim], None).verdict == "UNDECIDED"
    assert explanation(claim, [], [claim], None, attacks=broke).verdict == "REFUTED"


def test_a_claim_in_python_may_use_a_measured_quantity_without_explaining_it() -> None:
    claim = find_claim("fraboni.ex2")
    limit, unknown = symbol("limit"), letter("nobody_knows")
    stated = replace(claim, statement=Identity(limit, symbol("optimum")), where={})
    assert stated.where["limit"].startswith("where the models tend to")
    assert meanings(stated)["optimum"] == "minimiser of the global loss, its first coordinate"
    with pytest.raises(InvalidInput, match="explained in `where`"):
        replace(claim, statement=Identity(limit, unknown), where={})
