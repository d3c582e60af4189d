"""Counterexamples replayed by the programs of verification/, which need no package."""

import ast
import copy
import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fltheory.algorithms
from fltheory import explain
from fltheory.claims.record import house_folder
from fltheory.core.registry import members
from fltheory.engine.traits import NOT_REPLAYED_ALONE
from fltheory.ledger.meanings import claims_file, exported
from fltheory.ledger.replays import replay
from fltheory.ledger.runner import counterexample_file
from fltheory.papers import all_claims, find_claim
from tests.ledger.recorded_files import FILES, STANDALONE, WITH_DATA, data_of


def test_the_standalone_replayer_sees_a_path_along_which_nothing_grows(tmp_path):
    path = house_folder() / "counterexamples" / "attack" / "fraboni.eq33.json"
    data = data_of(path)
    still = {name: "1" for name in data["values"] if name != "num_rounds"}
    (tmp_path / "flat.json").write_text(json.dumps(data | {"values": still}), encoding="utf-8")
    run = standalone(path, tmp_path / "flat.json")
    assert run.returncode == 1, run.stdout
    assert run.stdout.count("contradicts left = O of right") == 1
    assert run.stdout.count("agrees with left = O of right") == 1


def test_the_standalone_programs_use_the_standard_library_and_each_other_only():
    programs = {path.stem: path for path in house_folder().glob("*.py")}
    assert {"replay", "check_certificate", "check_inequality"} <= set(programs)
    known = set(sys.stdlib_module_names) | set(programs)
    for path in programs.values():
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        names = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
        names |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
        assert {name.split(".")[0] for name in names} <= known, path.name


def standalone(*paths: Path, program: Path = STANDALONE) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-I", program, *paths],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_every_recorded_counterexample_is_confirmed_or_not_checkable_alone():
    """Whatever the claim's own description derives is confirmed; the rest only the package's checks
    and draws compute, and the program says so."""
    assert len(STANDALONE.read_text(encoding="utf-8").splitlines()) <= 220
    files = FILES
    run = standalone(*files)
    assert run.returncode == 3, run.stdout[-2000:] + run.stderr
    confirmed, unknown = run.stdout.count("contradicts left "), run.stdout.count("not checkable:")
    assert confirmed + unknown == len(files)
    assert confirmed >= 45


REPLAYER: Any = importlib.import_module("verification.replay")
KNOWN = REPLAYER.claims()


def confirmed_alone(path: Path) -> bool:
    try:
        return bool(REPLAYER.replay(REPLAYER.parse(path.read_text(encoding="utf-8")), KNOWN)[1])
    except REPLAYER.NotCheckable:
        return False


DERIVED = [
    path
    for path in FILES
    if confirmed_alone(path) and data_of(path)["statement"]["sign"] != "= O of"
]
MEASURED = [path for path in DERIVED if data_of(path)["run"] or path in WITH_DATA]


def test_what_has_a_run_or_data_is_derived_alone():
    assert len(MEASURED) >= 30
    assert set(WITH_DATA) <= set(MEASURED)


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.stem)
def test_both_replayers_notice_every_changed_value(path, tmp_path):
    """Each value of a run or of an origin, moved by 1/7, contradicts what is computed again."""
    data, files = data_of(path), []
    for name in data["values"]:
        bad = copy.deepcopy(data)
        bad["values"][name] = ["+", data["values"][name], "1/7"]
        found = replay(bad, find_claim(bad["claim"]))
        assert not found.confirmed
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps(bad))
    run = standalone(*files)
    assert run.returncode == 1
    assert "contradicts" not in run.stdout


def test_claims_jsonl_is_what_the_package_says():
    assert claims_file().read_text(encoding="utf-8") == exported(all_claims().values())


def test_the_standalone_replayer_knows_every_method_that_does_not_say_otherwise() -> None:
    told = {
        name
        for name, member in members(fltheory.algorithms).items()
        if NOT_REPLAYED_ALONE not in member.facts
    }
    assert told == REPLAYER.ALGORITHMS


@pytest.mark.slow
def test_explain_offers_the_standalone_replayer_exactly_where_it_confirms():
    """An exponential along a path is too small for its 60 digits: that file is not offered."""
    offered = {
        claim.id: file
        for claim in all_claims().values()
        if (file := counterexample_file(claim.id)).exists()
        and any("replay.py" in entry["run"] for entry in explain(claim.id).commands)
    }
    assert len(offered) > 40
    assert "mifa.rem5.1.match" not in offered
    run = standalone(*offered.values())
    assert run.returncode == 0, run.stdout[-2000:]
