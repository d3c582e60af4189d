"""Forged counterexamples: a file gives an instance and no meaning, in both replayers."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from fltheory.claims.checks.instances import violated
from fltheory.claims.claim import evaluate
from fltheory.claims.evidence import Verdict
from fltheory.core.enclosure import compare
from fltheory.core.errors import InvalidInput
from fltheory.core.expressions import from_lists
from fltheory.ledger import runner
from fltheory.ledger.counterexamples import FORMAT, statement_of
from fltheory.ledger.lines import verdicts
from fltheory.ledger.replays import replay
from fltheory.papers import find_claim
from tests.campaigns.forging.runs import of_run
from tests.ledger.recorded_files import data_of
from verification import replay as alone

FOLDER = runner.ledger_file().parent / "counterexamples"
TRUE = sorted(
    claim for claim, found in verdicts(runner.recorded()).items() if found is Verdict.PROVED
)

KNOWN = alone.claims()


def alone_says(data: dict[str, Any]) -> str:
    try:
        return "confirmed" if alone.replay(copy.deepcopy(data), KNOWN)[1] else "not confirmed"
    except alone.NotCheckable:
        return "not checkable"
    except alone.UNUSABLE:
        return "unusable"


def package_says(data: dict[str, Any]) -> str:
    try:
        found = replay(copy.deepcopy(data), find_claim(data["claim"]))  # type: ignore[arg-type]
    except InvalidInput:
        return "unusable"
    return (
        "confirmed" if found.confirmed else "not confirmed" if found.checkable else "not checkable"
    )


def stored(name: str) -> dict[str, Any]:
    return data_of(Path(FOLDER, f"{name}.json"))


@pytest.mark.parametrize("claim_id", TRUE)
def test_invented_values_confirm_nothing_about_a_claim_that_is_proved(claim_id: str) -> None:
    """Values that nobody measured, for claims that are proved."""
    claim = find_claim(claim_id)
    for number in ("1", "-3", "1000000", "1/7"):
        values = {
            symbol.name: number if k % 2 else "2"
            for k, symbol in enumerate(sorted(claim.symbols, key=lambda s: s.name))
        }
        data: dict[str, Any] = {
            "format": FORMAT,
            "claim": claim_id,
            "statement": statement_of(claim),
            "values": values,
            "measures": {},
        }
        assert package_says(data) != "confirmed"
        assert alone_says(data) != "confirmed"


def measured_at(name: str, **changes: Any) -> dict[str, Any]:
    data = stored(name)
    for path, value in changes.items():
        place = data
        *folders, last = path.split("__")
        for folder in folders:
            place = place[folder]
        place[last] = value
    return data


FORGED = {
    "a parameter overrides a measured quantity": measured_at(
        "afl.thm2", run__parameters={"initial_loss_gap": "0"}, values__initial_loss_gap="0"
    ),
    "the file says what measures a symbol": measured_at(
        "fedlaavg.thm2.eq6",
        measures__model_after="model:0",
        values__model_after=stored("fedlaavg.thm2.eq6")["values"]["model_before"],
    ),
    "another method": measured_at("mifa.related.rate", run__algorithm="fedavg"),
    "another claim's run": stored("fedlaavg.thm1.fixed")
    | {name: stored("fedlaavg.thm2.explicit")[name] for name in ("run", "measures")},
    "a step size that the claim does not speak of": measured_at(
        "fedlaavg.thm2.explicit", run__local_step_size="3"
    ),
    "an alpha that the participation does not have": measured_at(
        "fraboni.lem2", origin__setting__covariance_factor="0", values__covariance_factor="0"
    ),
    "an unknown field": stored("fraboni.ex2") | {"meaning": "mine"},
    "an origin of another paper": stored("afl.thm2")
    | {"run": None, "measures": {}, "origin": {"kind": "fraboni.rough", "num_rounds": 1}},
    "formulas of the file": stored("fraboni.exp.sec523")
    | {"origin": {"kind": "formulas", "at": {}, "formulas": {"other_model": "1"}}},
    "a model of the future": measured_at("fraboni.ex2", run__trace__started_from=[[9, 9]] * 10),
    "a value too many": measured_at("fraboni.ex2", values__smoothness="1"),
    "a free value of the wrong kind": measured_at("fraboni.lr", values__local_steps="1/2"),
    "another statement": measured_at("fraboni.ex2", statement__sign="<="),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_file_that_gives_meaning_is_not_confirmed(name: str) -> None:
    assert package_says(FORGED[name]) != "confirmed"
    assert alone_says(FORGED[name]) != "confirmed"


def test_texts_of_a_file_decide_nothing() -> None:
    """The sentence that is printed is the claim's, whatever the file says."""
    data = stored("fraboni.ex2") | {"says": "MIFA diverges.", "found": "x", "left": "0"}
    assert package_says(data) == alone_says(data) == "confirmed"
    assert "MIFA" not in "".join(alone.replay(data)[0])


def test_a_key_twice_is_refused_by_both(tmp_path: Path) -> None:
    text = json.dumps(stored("fraboni.ex2"))
    file = tmp_path / "twice.json"
    file.write_text(text[:-1] + ', "claim": "fraboni.ex2"}')
    assert alone.main([str(file)]) == 2
    from fltheory.ledger.counterexamples import read_file

    with pytest.raises(InvalidInput, match="key"):
        read_file(file)


def test_a_path_that_is_flat_in_the_end_does_not_refute_an_order() -> None:
    """left/right grows up to a scale of 10^12 and then no further: coefficients are bounded, and
    the scales that are looked at lie beyond all of them."""
    data = stored("fraboni.eq13") | {
        "values": {
            "balance_period": "1",
            "gradient_bound": "1",
            "hardware_ratio": "1",
            "initial_distance_squared": "1",
            "local_steps": "1",
            "num_clients": "1",
            "objective_spread": "999999999999",
            "optimum_noise": "1",
            "smoothness": "1",
        },
        "origin": None,
    }
    assert alone_says(data) == "not confirmed"
    assert package_says(data) == "not confirmed"


@pytest.mark.parametrize(
    ("claim", "values"),
    [
        ("fraboni.lit.zinkevich", {"max_staleness": "0"}),  # eta_l = 1/sqrt(tau N), in words
        ("fraboni.lit.zinkevich", {"local_step_size": "1"}),
        ("fraboni.lit.corrected", {"num_clients": {"symbol": "num_rounds"}}),  # M like N^(1/4)
        ("fraboni.lit", {"num_clients": {"symbol": "num_rounds"}}),
        ("mifa.thm5.1.dominance", {"max_staleness": {"symbol": "num_rounds"}}),
        ("mifa.prop6.1.matching", {"mean_client_max_staleness": "0"}),
        ("fraboni.eq13.rate.K", {"measured_exponent": "5", "tolerance": "0"}),
        ("fraboni.eq13.rate.T", {"measured_exponent": "0", "tolerance": "1/4"}),
    ],
)
def test_free_values_of_claims_with_hypotheses_in_words_are_not_checkable(
    claim: str, values: dict[str, Any]
) -> None:
    found = find_claim(claim)
    data = stored("fraboni.eq33") | {
        "claim": claim,
        "statement": statement_of(found),
        "values": {
            s.name: values.get(s.name, "1") for s in found.symbols if s.name != "num_rounds"
        },
        "origin": None,
    }
    assert alone_says(data) == package_says(data) == "not checkable"


PLANTED: dict[str, tuple[str, dict[str, Any]]] = {
    "a step size below 0": (
        "mifa.potential.rate",
        {"start": ["10"], "local_step_size": "-1"},
    ),
    "a server that steps back": (
        "afl.thm2star",
        {"algorithm": "afa-cd", "start": ["10"], "server_step_size": "-1"},
    ),
    "noise that grows with the gradient": (
        "afl.thm2star",
        {"algorithm": "afa-cd", "local_step_size": "1/3", "relative_noise": "3"},
    ),
    "clients of unequal importance": (
        "mifa.potential.rate",
        {
            "problem": {
                "kind": "quadratic",
                "curvatures": [["1"], ["1"]],
                "optima": [["8"], ["0"]],
                "importance": ["0", "1"],
            },
            "start": ["0"],
        },
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_run_beyond_a_proved_claim_does_not_refute_it(name: str) -> None:
    """Runs with their own measured values, at which the formula of the claim fails because the run
    is none of those that the claim speaks of."""
    claim_id, changes = PLANTED[name]
    count = len(changes.get("problem", {"optima": [0]})["optima"])
    usual: dict[str, Any] = {
        "algorithm": "mifa",
        "settings": {},
        "problem": {
            "kind": "quadratic",
            "curvatures": [["1"]],
            "optima": [["1"]],
            "importance": ["1"],
        },
        "trace": {
            "delivers": ["1" * count] * 6,
            "started_from": [[t] * count for t in range(6)],
            "local_steps": [[1] * count] * 6,
        },
        "start": ["0"],
        "local_step_size": "1/4",
        "server_step_size": "1",
        "parameters": {},
    }
    data = of_run(claim_id, usual | changes)
    assert data is not None
    claim = find_claim(claim_id)
    values = {n: from_lists(x) for n, x in data["values"].items()}
    assert violated(
        claim,
        compare(*(evaluate(s, values) for s in (claim.statement.left, claim.statement.right))),
    )
    assert package_says(data) == "not confirmed"
    assert alone_says(data) in ("not confirmed", "not checkable")
