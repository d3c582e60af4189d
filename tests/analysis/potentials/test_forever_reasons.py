"""Stored certificates for every horizon: what the standalone checker says of them, in whole
sentences, and each of its refusals by its reason."""

import copy
import json
import locale
import random
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fltheory import check_certificate
from fltheory.analysis.potentials.certificate import question_from_json
from fltheory.analysis.potentials.questions import model_of
from tests.analysis.potentials.forever_faults import PSD, SETS
from verification import check_forever
from verification.check_forever import check, main, rows

LINES = Path(__file__).with_name("forever_certificates.jsonl").read_text("utf-8").splitlines()
STORED: dict[str, dict[str, Any]] = {line["name"]: line for line in map(json.loads, LINES)}


def document(name: str, **changes: Any) -> dict[str, Any]:
    return copy.deepcopy(STORED[name]["document"]) | changes


def reason(data: dict[str, Any]) -> str | None:
    """Why the standalone checker refuses; None if it accepts."""
    try:
        check(data)
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as found:
        return str(found)
    except check_forever.NotCheckable as found:
        return f"not checkable: {found}"
    return None


@cache
def proved_in_package(text: str) -> bool:
    """The package's answer; once, since the campaign with mutants asks again and again."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "certificate.json")
        file.write_text(text)
        return check_certificate(file).proved


def proved(data: dict[str, Any]) -> bool:
    return proved_in_package(json.dumps(data))


@pytest.mark.parametrize("name", STORED)
def test_a_stored_certificate_proves_its_sentence(name: str) -> None:
    assert check(document(name)) == STORED[name]["says"]
    assert proved(document(name))


def numbers(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Places of all fractions in the tables of a document."""
    if isinstance(node, str):
        yield path
    for key in node if isinstance(node, dict) else range(len(node)) if type(node) is list else ():
        yield from numbers(node[key], (*path, key))


HEAVY = {"rich late", "window", "falling", "box", "late rich", "cold local", "history", "late two"}
"""Certificates that take longer, with which less is tried."""
TABLES = ("potential", "values", "multipliers", "relations", "bounds", "constants", "uncorrelated")


def changed(good: dict[str, Any], place: tuple[Any, ...], to: Any) -> dict[str, Any]:
    bad = copy.deepcopy(good)
    node = bad
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = to
    return bad


@pytest.mark.parametrize("name", STORED)
def test_changes_of_single_numbers_are_judged_alike(name: str) -> None:
    good, rng = document(name), random.Random(name)
    places = [p for p in numbers({t: good[t] for t in TABLES}) if p[-1] != len(p)]
    for place in rng.sample(places, 2 if name in HEAVY else min(4, len(places))):
        node: Any = good
        for key in place:
            node = node[key]
        if not node.lstrip("-").replace("/", "").isdigit():
            continue
        factor = rng.choice([Fraction(-1), Fraction(1, 2), Fraction(3)])
        bad = changed(good, place, str(Fraction(node) * factor))
        assert (reason(bad) is None) == proved(bad), place


@pytest.mark.parametrize("name", STORED)
def test_other_questions_are_judged_alike(name: str) -> None:
    """The same numbers offered as a proof of a little more."""
    good = document(name)
    step, rate = Fraction(good["step_size"]), Fraction(good["rate"])
    tried = [
        {"step_size": str(step * 2)},
        {"smoothness": str(Fraction(good["smoothness"]) * 5 / 4)},
        {"lowest_curvature": "0"},
        {"rate": str(rate * Fraction(99, 100))},
        {"rate": str(rate * Fraction(2, 3))},
    ]
    found = []
    for more in tried[3 * (name in HEAVY) :]:
        found.append(reason(good | more) is not None)
        assert found[-1] != proved(good | more), more
    assert found[-1] == (good["all_steps"] is None)  # in a box a smaller rate says less


@cache
def model(name: str) -> Any:
    """The package's model of a question, from the method's own code."""
    data = document(name)
    return model_of(question_from_json(data), rich=data["rich"])


@pytest.mark.parametrize("name", STORED)
def test_rows_and_bounds_are_those_of_the_methods_code(name: str) -> None:
    ours, theirs = model(name), rows(document(name))
    assert {
        state: [(p.left, p.right, p.fixed) for p in s.pairs] for state, s in ours.states.items()
    } == {s: listed for s, (listed, _) in theirs["states"].items()}
    assert {s: dict(x.values) for s, x in ours.states.items()} == {
        s: values for s, (_, values) in theirs["states"].items()
    }
    if not ours.parameters:
        assert theirs["rate"] == {(): Fraction(document(name)["rate"])}
    assert {k: x for k, x in ours.lowest.items() if x} == {
        k: x for k, x in theirs["lowest"].items() if x
    }
    assert {*ours.uncorrelated} == {*theirs["uncorrelated"]}
    assert {*ours.given} == {*theirs["given"]}
    for edge, other in zip(ours.edges, theirs["edges"], strict=True):
        assert (edge.name, edge.relations) == (other["name"], other["relations"])
        assert [chance for chance, _ in edge.after] == [chance for chance, _ in other["after"]]
        moved = [(edge.before, other["before"])]
        moved += [(at, o) for (_, at), (_, o) in zip(edge.after, other["after"], strict=True)]
        for at, (state, vectors, values) in moved:
            assert at.state == state
            used = {v for p in ours.states[state].pairs for v in (p.left, p.right)}
            assert {v: at.vectors[v] for v in used} == {v: vectors[v] for v in used}
            assert all(values[v] == at.values[v] for v in ours.states[state].values)
        assert [[(r.value, r.point, r.gradient) for r in f] for f in edge.records if f] == [
            [*map(tuple, f)] for f in other["records"] if f
        ]
        assert ({*ours.common} & {*edge.basis}) == theirs["common"] & {*edge.basis}
        assert {*edge.basis} <= other["basis"]
    named = {bound["name"]: bound for bound in theirs["bounds"]}
    for bound in ours.bounds:
        other = named[bound.name]
        assert bound.at.state == other["at"][0]
        used = {v for p in ours.states[bound.at.state].pairs for v in (p.left, p.right)}
        assert {v: bound.at.vectors[v] for v in used} == {v: other["at"][1][v] for v in used}
        assert [*bound.form] == other["form"]
        assert (dict(bound.values), bound.sign) == (other["values"], other["sign"])
        assert bound.relations == other["relations"]
        if bound.records:
            assert [[(r.value, r.point, r.gradient) for r in f] for f in bound.records if f] == [
                [*map(tuple, f)] for f in other["records"] if f
            ]


@pytest.mark.parametrize("name", [n for n in STORED if STORED[n]["document"]["constants"]])
def test_constants_that_are_better_than_the_proof_are_refused(name: str) -> None:
    told: list[str | None] = []
    for constant in document(name)["constants"]:
        better = "1000" if constant.startswith("gains") else "0"
        data = document(name)
        data["constants"][constant] = better
        told.append(reason(data))
        assert (told[-1] is None) == proved(data)
    assert any(why is not None and why.endswith(PSD) for why in told)


def smaller(node: Any) -> Any:
    """All fractions a tenth as large; names and places stay."""
    if isinstance(node, dict):
        return {key: smaller(value) for key, value in node.items()}
    if isinstance(node, list):
        entry = bool(node) and isinstance(node[-1], str)
        return [*node[:-1], smaller(node[-1])] if entry else [smaller(x) for x in node]
    return str(Fraction(node) / 10)


@pytest.mark.parametrize("name", ["rich", "late rich", "turns", "sampling", "clocked", "history"])
def test_a_potential_below_the_distance_bounds_nothing(name: str) -> None:
    """A tenth of a potential falls as it does, but is not at least |x - x*|^2."""
    data = document(name)
    data |= {table: smaller(data[table]) for table in TABLES}
    why = reason(data)
    assert why is not None
    assert why.startswith("the bound ")
    assert why.endswith(PSD)
    assert not proved(data)


def with_entry(name: str, table: str, edge: int, entry: list[Any]) -> dict[str, Any]:
    """A certificate with one entry more in a list of a move."""
    data = document(name)
    data[table][edge].append(entry)
    return data


def test_multipliers_are_named_once_at_least_0_and_of_something() -> None:
    first = document("mifa")["multipliers"][1][0]
    twice = with_entry("mifa", "multipliers", 1, [*first[:-1], "0"])
    assert reason(twice) == "a second multiplier of one inequality"
    below = document("mifa")
    below["multipliers"][1][0] = [*first[:-1], "-1/1000"]
    assert reason(below) == f"a multiplier {PSD}"
    nothing = with_entry("mifa", "multipliers", 1, [0, 7, 8, "0"])
    assert reason(nothing) == "a multiplier of no inequality"
    for relations in ({"update": {"b": "1"}}, {"update": {"q0": "0"}}):
        own = document("mifa", relations=relations)
        assert reason(own) == "a multiplier of a vector that is not shared"
    more = document("smooth")
    more["values"]["1"]["t"] = str(Fraction(more["values"]["1"]["t"]) + 1)
    assert reason(more) == "values remain in 0 -> 1"
    for bad in (twice, below, nothing, own, more):
        assert not proved(bad)


@pytest.mark.parametrize(("name", "change", "why"), SETS)
def test_a_certificate_with_a_fault_is_refused_with_its_reason(
    name: str, change: dict[str, Any], why: str
) -> None:
    bad = document(name, **change)
    assert reason(bad) == why
    assert not proved(bad)


def run(capsys: pytest.CaptureFixture[str], file: Path, text: str) -> tuple[int, str]:
    file.write_text(text)
    code = main(str(file))
    return code, capsys.readouterr().out.removeprefix(f"{file}: ")


def test_the_command_says_what_is_proved_or_why_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, good = tmp_path / "certificate.json", document("gradient descent")
    says = STORED["gradient descent"]["says"]
    code, told = run(capsys, file, json.dumps(good))
    assert (code, told[:-14]) == (0, f"proved: {says} [certificate ")
    assert run(capsys, file, json.dumps(dict(reversed(good.items())))) == (0, told)
    assert run(capsys, file, json.dumps(good | {"rate": "1/2"})) == (1, f"rejected: 0 -> 0 {PSD}\n")
    assert run(capsys, file, json.dumps(good | {"method": "x"})) == (
        3,
        "not checkable: the method is not declared here\n",
    )
    another = document("mifa")
    assert run(capsys, file, json.dumps(another))[1][-14:] != told[-14:]
    file.write_text(json.dumps(good), encoding="utf-8")
    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C")
    try:
        file.write_text(json.dumps(good)[:-1] + ', "τ": 1}', encoding="utf-8")
        assert main(str(file)) == 1
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    assert "an unknown field 'τ'" in capsys.readouterr().out
    for other in ("[]", "{}", json.dumps(good | {"format": "x"})):
        assert run(capsys, file, other) == (2, "unusable: not of this format\n")
    assert run(capsys, file, "NaN") == (2, "unusable: NaN is no number\n")
    assert run(capsys, file, "[" * 100_000)[0] == 2
    text = json.dumps(good)
    assert run(capsys, file, " " * ((1 << 24) - len(text)) + text)[0] == 0
    assert run(capsys, file, " " * (1 << 24) + text)[0] == 2
    assert main(str(tmp_path / "absent.json")) == 2
    assert "unusable: [Errno 2]" in capsys.readouterr().out
