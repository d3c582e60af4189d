"""Counterexamples replayed by the programs of verification/, which need no package."""

import ast
import copy
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import fltheory.algorithms
from fltheory.claims.record import house_folder
from fltheory.core.registry import members
from fltheory.engine.traits import NOT_REPLAYED_ALONE
from fltheory.ledger.counterexamples import replay
from fltheory.papers import find_claim
from tests.ledger.recorded_files import FILES, STANDALONE, WITH_DATA, data_of, kind_of


def test_the_standalone_replayer_sees_a_path_along_which_nothing_grows(tmp_path):
    data = next(data_of(path) for path in FILES if data_of(path)["statement"]["sign"] == "= O of")
    flat = tmp_path / "flat.json"
    flat.write_text(
        json.dumps(data | {"statement": data["statement"] | {"left": data["statement"]["right"]}}),
        encoding="utf-8",
    )
    run = standalone(flat)
    assert run.returncode == 1
    assert "agrees with left = O of right" in run.stdout


def test_the_standalone_programs_use_the_standard_library_and_each_other_only():
    programs = {path.stem: path for path in house_folder().glob("*.py")}
    assert {"replay", "replay_origins", "check_certificate", "check_inequality"} <= set(programs)
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


def test_standalone_replayer_agrees_and_is_independent():
    text = STANDALONE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    run = standalone(*FILES)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("contradicts") == len(FILES)


RECOMPUTED = [path for path in FILES if data_of(path)["run"] or kind_of(path) == "formulas"]


def test_standalone_replayer_computes_every_value_of_a_run_and_of_formulas():
    run = standalone(*RECOMPUTED)
    assert run.stdout.count("taken from the file: nothing") == len(RECOMPUTED) >= 22


@pytest.mark.parametrize("path", RECOMPUTED, ids=lambda path: path.stem)
def test_both_replayers_notice_every_changed_value(path, tmp_path):
    """Each value of a run or of formulas, moved by 1/7, contradicts what is computed again."""
    data, files = data_of(path), []
    for name in data["values"]:
        bad = copy.deepcopy(data)
        bad["values"][name] = ["+", data["values"][name], "1/7"]
        found = replay(bad, find_claim(bad["claim"]))
        assert not found.confirmed
        assert any(f"{name} =" in step for step in found.steps)
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps(bad))
    run = standalone(*files)
    assert run.stdout.count("computed again ") == len(files)
    assert "contradicts" not in run.stdout


def test_the_second_standalone_replayer_computes_every_value_of_origins_with_data(tmp_path):
    """It shares no code with the package; a value moved by 1/7 is noticed in every file."""
    program = house_folder() / "replay_origins.py"
    run = standalone(*WITH_DATA, *RECOMPUTED, program=program)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("taken from the file: nothing") == len(WITH_DATA) + len(RECOMPUTED)
    files = []
    for path, data in ((path, data_of(path)) for path in WITH_DATA):
        for name in data["values"]:
            files.append(tmp_path / f"{path.stem}.{name}.json")
            files[-1].write_text(
                json.dumps(
                    data | {"values": data["values"] | {name: ["+", data["values"][name], "1/7"]}}
                )
            )
    assert standalone(*files, program=program).stdout.count("computed again ") == len(files) > 150


def test_the_standalone_replayer_knows_every_method_that_does_not_say_otherwise() -> None:
    told = {
        name
        for name, member in members(fltheory.algorithms).items()
        if NOT_REPLAYED_ALONE not in member.facts
    }
    assert told == importlib.import_module("verification.replay").ALGORITHMS
