"""Labels in the advice are never stronger than their evidence, certified numbers are proved."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import Trace
from fltheory.algorithms.mifa import Mifa
from fltheory.claims.evidence import Verdict
from fltheory.fleet import advice as advice_module
from fltheory.fleet.advice import Advice
from fltheory.fleet.certified import Guarantee
from fltheory.fleet.log import from_matrix
from fltheory.fleet.predict import StandIn
from fltheory.fleet.readers import read_log
from fltheory.fleet.setting import Basis, LearningTask
from fltheory.ledger.lines import read, verdicts
from fltheory.ledger.runner import ledger_file
from tests.analysis.potentials.examples import standalone
from verification.check_certificate import check

EXAMPLES = Path(__file__).parents[2] / "docs/fleets"
LABELS = {basis.value for basis in Basis}


@pytest.fixture(scope="module")
def silos() -> dict[str, Any]:
    return dict(Advice(read_log(EXAMPLES / "flaky_silos.csv"), LearningTask()).to_json())


def labelled(node: Any) -> Iterator[dict[str, Any]]:
    """Every table of the advice that has a label."""
    if isinstance(node, dict):
        if "basis" in node:
            yield node
        for name, part in node.items():
            yield from labelled(part) if name != "certificate" else ()
    elif isinstance(node, list):
        for part in node:
            yield from labelled(part)


def too_strong(told: dict[str, Any], known: dict[str, Verdict]) -> list[str]:
    """Labels that say more than their evidence: proved without a proved claim, certified without a
    certificate of that very number."""
    wrong = []
    for table in labelled(told):
        proved = known.get(table.get("claim", "")) is Verdict.PROVED
        if table["basis"] == Basis.PROVED.value and not proved:
            wrong.append(f"{table.get('claim')} is not proved")
        if table["basis"] == Basis.FOREVER.value and not (
            known.get(table["claim"]) is Verdict.PROVED
            if table["claim"]
            else standalone().check(json.loads(json.dumps(table["certificate"])))
        ):
            wrong.append("a step size is not proved")
        if table["basis"] == Basis.CERTIFIED.value and check(table["certificate"]) != Fraction(
            table["gap_at_most_exactly"]
        ):
            wrong.append("another number is certified")
    return wrong


@pytest.mark.slow
def test_every_number_has_a_label_and_none_is_stronger_than_its_evidence(
    silos: dict[str, Any],
) -> None:
    tables = list(labelled(silos))
    assert {table["basis"] for table in tables} <= LABELS
    assert {
        Basis.PROVED.value,
        Basis.CERTIFIED.value,
        Basis.FOREVER.value,
        Basis.MEASURED.value,
        Basis.STAND_IN.value,
        Basis.RULE.value,
    } == {table["basis"] for table in tables}
    assert too_strong(silos, verdicts(read(ledger_file()))) == []
    for part in (
        silos["availability"],
        silos["fedavg_bias"],
        silos["waiting"]["measured"],
        silos["waiting"]["coin_flips"],
    ):
        assert part["basis"] in LABELS
    for part in ("longest_absences", "theorems", "predictions", "guarantees"):
        assert silos[part]
        assert all(entry["basis"] in LABELS for entry in silos[part])


@pytest.mark.slow
def test_a_label_falls_with_the_verdict_that_it_rests_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = verdicts(read(ledger_file()))
    stronger = known | dict.fromkeys(("mifa.alg.is", "mifa.alg.is.variance"), Verdict.PROVED)
    weaker = stronger | {"mifa.alg.is": Verdict.SUPPORTED}

    def told(verdicts: dict[str, Verdict]) -> dict[str, Any]:
        monkeypatch.setattr(advice_module, "verdicts", lambda lines: verdicts)
        log = from_matrix([[1, 0], [1, 1]] * 5)
        return dict(Advice(log, LearningTask(noise=0)).to_json())

    assert too_strong(told(stronger), weaker) == ["mifa.alg.is is not proved"], (
        "a label that did not fall would be seen"
    )
    again = told(weaker)
    assert again["fair_weights"]["unbiased"]["basis"] == Basis.RULE.value
    assert again["fair_weights"]["variance"]["basis"] == Basis.PROVED.value
    assert too_strong(again, weaker) == []


@pytest.mark.slow
def test_a_certified_number_that_is_changed_is_seen(silos: dict[str, Any]) -> None:
    planted = json.loads(json.dumps(silos))
    planted["guarantees"][0]["gap_at_most_exactly"] = "1/2"
    assert too_strong(planted, verdicts(read(ledger_file()))) == ["another number is certified"]


@pytest.mark.parametrize(
    ("bound", "says"),
    [
        (Fraction(2), "best certified bound is 2 times the initial gap"),
        (Fraction(1, 2), "at most 0.5 of the gap remains"),
    ],
)
def test_a_step_size_that_may_make_losses_grow_is_not_praised(
    bound: Fraction, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        advice_module,
        "guarantees",
        lambda summary, task, predictions, watch: tuple(
            Guarantee(p.method, ("a",), 1, 8, Fraction(1), bound, {}) for p in predictions
        ),
    )
    assert says in Advice(from_matrix([[1, 1]] * 5), LearningTask(noise=0)).recommendation


@pytest.mark.slow
def test_certified_bounds_hold_on_the_stand_in() -> None:
    """The quadratic stand-in without noise is one of the functions that a certificate speaks of."""
    log, task = read_log(EXAMPLES / "flaky_silos.csv"), LearningTask(noise=0)
    given = Advice(log, task)
    found = next(g for g in given.guarantees if g.method == "MIFA")
    chosen = [log.names.index(name) for name in found.clients]
    table = log.matrix(chosen)[found.first_round - 1 :][: found.rounds]
    table[0] = True
    fleet = StandIn(tuple(chosen), table, True, Fraction(1))
    gaps = fleet.gaps(fleet.responses(Mifa(), Trace.fresh(table)), found.step_size, task)
    assert gaps[0] == pytest.approx(1)
    assert gaps[-1] <= float(found.bound)


def test_variance_of_importance_sampling_is_that_of_the_claim(silos: dict[str, Any]) -> None:
    table = read_log(EXAMPLES / "flaky_silos.csv").matrix()
    shares = table.mean(axis=0)
    assert silos["fair_weights"]["variance"]["added_variance"] == pytest.approx(
        ((1 - shares) / shares).sum() / 64
    )


@pytest.mark.slow
@settings(max_examples=4)
@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=12)
    )
)
def test_advice_for_any_small_log_is_whole(rows: list[list[bool]]) -> None:
    table = np.array(rows)
    table[-1, 0] = True
    told = Advice(from_matrix(table), LearningTask()).to_json()
    json.dumps(told, allow_nan=False)
    assert told["recommendation"]
