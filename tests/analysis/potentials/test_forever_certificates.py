"""Certificates: two checkers with separate declarations agree, and no change passes unnoticed."""

import copy
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from fltheory import check_certificate
from fltheory.analysis.potentials.certificate import refuted
from fltheory.analysis.potentials.questions import model_of
from tests.analysis.potentials.examples import QUESTIONS, VERIFICATION, answered, standalone


def document(name: str) -> dict[str, Any]:
    found = answered(name).document
    assert found is not None
    return json.loads(json.dumps(found))


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_both_checkers_accept(name: str) -> None:
    assert refuted(document(name)) == []
    says = standalone().check(document(name))
    question = QUESTIONS[name]
    assert question.method in says
    assert f"{'<=' if question.every_step else 'size'} {question.step_size}" in says


LONG = {"history", "periodic", "clocked", "window"}
"""Questions whose answer takes more than a third of a second."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in QUESTIONS]
)
def test_rows_of_the_standalone_checker_are_those_of_the_methods_code(name: str) -> None:
    question, data = QUESTIONS[name], document(name)
    ours = model_of(question, rich=data["rich"])
    theirs = standalone("forever_rows").rows(data)
    assert list(theirs["states"]) == list(ours.states)
    for edge, other in zip(ours.edges, theirs["edges"], strict=True):
        assert edge.name == other["name"]
        assert edge.relations == other["relations"]
        moved = [(edge.before, other["before"])]
        moved += [(at, o) for (_, at), (_, o) in zip(edge.after, other["after"], strict=True)]
        for at, (state, vectors, values) in moved:
            assert at.state == state
            used = {v for p in ours.states[state].pairs for v in (p.left, p.right)}
            assert {v: at.vectors[v] for v in used} == {v: vectors[v] for v in used}
            assert all(values[v] == at.values[v] for v in ours.states[state].values)
        assert [[(r.value, r.point, r.gradient) for r in f] for f in edge.records if f] == [
            [tuple(r) for r in f] for f in other["records"] if f
        ]
    named = {b["name"]: b for b in theirs["bounds"]}
    for bound in ours.bounds:
        other = named[bound.name]
        assert (bound.relations, bound.sign) == (other["relations"], other["sign"])
        used = {v for p in ours.states[bound.at.state].pairs for v in (p.left, p.right)}
        assert {v: bound.at.vectors[v] for v in used} == {v: other["at"][1][v] for v in used}


def numbers(node: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Places of all fractions in the tables of a document."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from numbers(value, (*path, key))
    elif isinstance(node, list):
        for key, value in enumerate(node):
            yield from numbers(value, (*path, key))
    elif isinstance(node, str):
        yield path


TABLES = ("potential", "values", "multipliers", "relations", "bounds", "constants")


def printed(data: dict[str, Any], folder: Path) -> tuple[int, str]:
    """Exit code and output of the standalone program."""
    file = folder / "certificate.json"
    file.write_text(json.dumps(data))
    done = subprocess.run(
        [sys.executable, str(VERIFICATION / "check_forever.py"), str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def rejected(data: dict[str, Any]) -> bool:
    try:
        standalone().check(data)
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError):
        return True
    except Exception as other:
        if type(other).__name__ != "NotCheckable":
            raise
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mifa", "rich", "cold", "local", "smooth", "history", "clocked"])
def test_large_changes_of_single_numbers_are_judged_alike_and_mostly_rejected(name: str) -> None:
    good = document(name)
    rng = random.Random(0)
    places = list(numbers({t: good[t] for t in TABLES}))
    refusals, sample = 0, rng.sample(places, min(25, len(places)))
    for place in sample:
        bad = copy.deepcopy(good)
        node = bad
        for key in place[:-1]:
            node = node[key]
        value = Fraction(node[place[-1]])
        node[place[-1]] = str(value * rng.choice([Fraction(-1), Fraction(1, 2), Fraction(3)]))
        both = rejected(bad), bool(refuted(bad))
        assert both[0] == both[1], place
        refusals += both[0]
    assert refusals >= len(sample) // 2


def test_every_change_that_is_still_a_proof_changes_what_is_printed(tmp_path: Path) -> None:
    good = document("mifa")
    code, line = printed(good, tmp_path)
    assert code == 0
    for table, key in (("potential", "1"), ("relations", "update")):
        changed = copy.deepcopy(good)
        first = next(iter(changed[table][key]))
        value = Fraction(changed[table][key][first])
        changed[table][key][first] = str(value + Fraction(1, 10**9))
        assert printed(changed, tmp_path) != (0, line)


def test_a_changed_question_is_rejected_or_stated() -> None:
    good = document("mifa")
    says = standalone().check(good)
    for field, value in (
        ("method", "fedlaavg"),
        ("step_size", "3/7"),
        ("rate", "9/10"),
        ("rate", "99/100"),
        ("smoothness", "2"),
        ("lowest_curvature", "1/5"),
        ("lowest_curvature", "1/20"),
        ("local_steps", 2),
        ("target", "gradient"),
        ("rich", True),
        ("language", {"kind": "staleness", "bound": 4, "cold": False}),
        ("language", {"kind": "staleness", "bound": 2, "cold": False}),
        ("language", {"kind": "staleness", "bound": 3, "cold": True}),
        ("language", {"kind": "everything"}),
    ):
        changed = good | {field: value}
        if not rejected(changed):
            assert standalone().check(changed) != says, field


def test_a_method_of_one_local_step_is_declared_for_no_more() -> None:
    good = document("scaffold")
    assert not rejected(good)
    assert rejected(good | {"local_steps": 2})
    assert rejected(good | {"language": {"kind": "staleness", "bound": 1, "cold": False}})


def test_a_rate_that_a_quadratic_refutes_is_rejected() -> None:
    good = document("mifa")
    false = (1 - Fraction(3, 80)) ** 2 - Fraction(1, 10**12)
    assert rejected(good | {"rate": str(false)})
    assert refuted(good | {"rate": str(false)})


def test_a_relation_multiplier_of_one_state_alone_is_no_field() -> None:
    good = document("smooth")
    assert rejected(good | {"relations": good["relations"] | {"bound mean 1": {"v": "1"}}})


def test_states_edges_and_fields_are_a_closed_grammar() -> None:
    good = document("mifa")
    assert rejected(good | {"says": "anything"})
    assert rejected({k: v for k, v in good.items() if k != "bounds"})
    assert rejected(good | {"multipliers": good["multipliers"][:-1]})
    assert rejected(good | {"potential": good["potential"] | {"9": {"x x": "1"}}})
    assert rejected(good | {"potential": good["potential"] | {"0": {"x x": "2"}}})
    assert rejected(good | {"constants": {"budgets x": "5"}})


def test_exit_codes(tmp_path: Path) -> None:
    good = document("mifa")
    assert printed(good, tmp_path)[0] == 0
    assert printed(good | {"rate": "1/2"}, tmp_path)[0] == 1
    assert printed({"format": "another"}, tmp_path)[0] == 2
    code, line = printed(good | {"method": "somebody-elses"}, tmp_path)
    assert code == 3
    assert "not checkable" in line


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("smooth", {"rate": "1000001/1000000"}),
        ("smooth", {"rate": "0"}),
        ("local", {"rate": "2"}),
        ("mifa", {"rate": "1"}),
        ("mifa", {"local_steps": True}),
        ("mifa", {"language": {"kind": "staleness", "bound": 3, "cold": 0}}),
        ("mifa", {"settings": {"server_step_size": "2"}}),
        ("mifa", {"step_size": "0.375"}),
        ("mifa", {"says": "anything"}),
        ("mifa", {"rich": 0}),
        ("falling", {"rate": "3/2"}),
        ("falling", {"all_steps": {"falling": True, "other": 1}}),
        ("arrivals", {"constants": {"budgets w": "1e3"}}),
        ("mifa", {"rate": "0.99"}),
        ("box", {"rich": True}),
        ("smooth", {"rich": True}),
        ("turns", {"rich": True}),
        ("sampling", {"rich": True}),
    ],
)
def test_the_package_has_a_closed_grammar_too(
    name: str, change: dict[str, Any], tmp_path: Path
) -> None:
    """A rate above 1 would turn the sum over the rounds into a false bound."""
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(document(name) | change))
    assert not check_certificate(file).proved
    assert rejected(document(name) | change)


@pytest.mark.parametrize("written", ["1e3", "1000.0", "+1000", " 1000", "1_000", "１０００"])
def test_both_checkers_read_numbers_in_one_form_only(written: str) -> None:
    good = document("arrivals")
    larger = good | {"constants": good["constants"] | {"budgets w": "1000"}}
    assert not refuted(larger)
    assert not rejected(larger)
    other = good | {"constants": good["constants"] | {"budgets w": written}}
    assert refuted(other)
    assert rejected(other)


@pytest.mark.parametrize("table", ["multipliers", "uncorrelated", "bounds"])
def test_nothing_is_told_twice_and_nothing_is_left_over(table: str) -> None:
    good = document("mifa")
    if table == "bounds":
        key = next(iter(good[table]))
        longer = {**good[table], key: [*good[table][key], good[table][key][0]]}
        assert refuted(good | {table: longer})
        return
    assert refuted(good | {table: [*good[table], []]})
    assert refuted(good | {table: good[table][:-1]})
