"""Counterexample files: they replay, by the package and without it; corrupted and hostile ones are
told apart."""

import contextlib
import copy
import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from fltheory import InvalidInput, Quadratic, Trace
from fltheory.claims.measures import measure
from fltheory.claims.record import house_folder
from fltheory.claims.scenario import Scenario
from fltheory.cli import make_app
from fltheory.ledger.counterexamples import MAX_BYTES, read_file
from fltheory.ledger.origins import all_origins
from fltheory.ledger.replays import replay
from fltheory.papers import find_claim
from tests.ledger.recorded_files import FILES, STANDALONE, WITH_DATA, data_of, kind_of


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_stored_counterexample_replays_and_nothing_is_trusted(path):
    data = read_file(path)
    found = replay(data, find_claim(data["claim"]))
    assert found.confirmed, found.steps
    assert not any("taken from the file" in step for step in found.steps)


def test_a_refuted_order_is_replayed_along_its_whole_path():
    orders = [path for path in FILES if data_of(path)["statement"]["sign"] == "= O of"]
    assert orders
    result = CliRunner().invoke(make_app(), ["replay", str(orders[0])])
    assert result.exit_code == 0, result.output
    assert "confirmed" in result.stdout
    moved = data_of(orders[0]) | {"left": "another path"}
    assert not replay(moved, find_claim(moved["claim"])).confirmed


@pytest.mark.parametrize(
    "path",
    [*WITH_DATA, *(p for p in FILES if p.stem in ("afl.a4", "fraboni.ass5", "mifa.eq3.average"))],
    ids=lambda path: path.stem,
)
def test_a_changed_value_of_an_origin_or_a_check_is_noticed(path):
    data = data_of(path)
    name = next(iter(data["values"]))
    bad = data | {"values": data["values"] | {name: ["+", data["values"][name], "1/7"]}}
    found = replay(bad, find_claim(bad["claim"]))
    assert not found.confirmed
    assert any(name in step for step in found.steps)


def test_every_kind_of_origin_is_used_and_known():
    attacked = (house_folder() / "counterexamples" / "attack").glob("*.json")
    assert {kind_of(path) for path in (*FILES, *attacked)} - {"", "check"} == set(all_origins()) - {
        "fraboni.run"
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "origin",
    [
        {"kind": "no such kind"},
        {},
        {"kind": ["check"]},
        "check",
        {"kind": "formulas", "formulas": {"x": "1"}, "at": {}},
        {"kind": "fraboni.rough", "num_rounds": 10**9},
        {"kind": "fraboni.rough", "num_rounds": "many"},
        {"kind": "fraboni.round", "setting": {}, "index": 0},
        {"kind": "fraboni.pattern", "update_times": ["1", "100000007/3"], "policy": "async"},
        {"kind": "fraboni.pattern", "update_times": [], "policy": 1},
        {
            "kind": "fedlaavg.iteration",
            "clients": {},
            "bound": "1",
            "takes_part": [[1]] * 1000,
            "local_steps": 1,
            "step_size": "1",
            "start": "0",
            "noise": "0",
            "iteration": 1,
        },
    ],
    ids=str,
)
def test_hostile_origins_are_refused(origin):
    data = data_of(next(path for path in FILES if kind_of(path) == "check")) | {"origin": origin}
    with pytest.raises(InvalidInput):
        replay(data, find_claim(data["claim"]))


def test_corrupted_files_are_not_confirmed(tmp_path):
    path = next(p for p in FILES if p.stem == "fedlaavg.thm1.fixed")
    good = data_of(path)
    for change in (
        lambda d: d["values"].update(limit_at_period_end="1/2"),
        lambda d: d["statement"].update(right="0"),
        lambda d: d["values"].pop("first_block"),
    ):
        bad = copy.deepcopy(good)
        change(bad)
        with contextlib.suppress(InvalidInput):
            assert not replay(bad, find_claim(bad["claim"])).confirmed
        file = tmp_path / "bad.json"
        file.write_text(json.dumps(bad))
        run = subprocess.run(
            [sys.executable, "-I", STANDALONE, file],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert run.returncode in (1, 2) or bad["statement"] != good["statement"]


HOSTILE = {
    "empty": "",
    "not json": "{",
    "list": "[]",
    "number": "1" * 5000,
    "no fields": "{}",
    "deep": "[" * 100_000,
    "nested": (
        json.dumps(
            {
                "format": "fltheory counterexample 1",
                "claim": "fedlaavg.thm1.fixed",
                "values": {},
                "measures": {},
                "statement": {"left": 1},
            }
        ).replace('{"left": 1}', '{"left": ' + "[" * 500 + "]" * 500 + "}")
    ),
    "huge integer": (
        '{"format": "fltheory counterexample 1", "claim": "fedlaavg.thm1.fixed", "statement": {},'
        ' "values": {"x": ' + "9" * 4000 + '}, "measures": {}}'
    ),
    "wrong types": '{"format": 1, "claim": [], "statement": "x", "values": 3, "measures": null}',
    "unknown claim": (
        '{"format": "fltheory counterexample 1", "claim": "no.such", "statement": {}, "values": {},'
        ' "measures": {}}'
    ),
    "binary": "\x00\x01\x02",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused_with_exit_code_2(text, tmp_path):
    file = tmp_path / "hostile.json"
    file.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(make_app(), ["replay", str(file)])
    assert result.exit_code == 2, result.output
    assert "must" in result.stderr
    assert "Traceback" not in result.output + result.stderr


@pytest.mark.slow
def test_a_run_with_numbers_too_long_to_print_is_replayed():
    data = data_of(house_folder() / "counterexamples" / "mifa.related.rate.json")
    data["run"]["problem"]["curvatures"] = [[f"{'4' * 990}/{'5' * 990}1"]]
    found = replay(data, find_claim(data["claim"]))
    assert not found.confirmed
    assert any("bits" in step for step in found.steps)


@pytest.mark.parametrize("weights", [("e", "1"), 1, None, ()])
def test_weights_of_a_run_that_are_no_numbers_are_refused_by_name(weights):
    run = Scenario(
        "async",
        Quadratic((1, 1), (0, 1)),
        Trace.fresh([[1, 1]]),
        start=0,
        local_step_size="1/2",
        settings={"weights": weights},
    )
    with pytest.raises(InvalidInput, match="weight"):
        measure(run, ["weight:0"])


def test_large_files_are_refused(tmp_path):
    file = tmp_path / "large.json"
    file.write_text(" " * (MAX_BYTES + 1))
    with pytest.raises(InvalidInput, match="bytes"):
        read_file(file)
