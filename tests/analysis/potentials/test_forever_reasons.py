"""Stored certificates for every horizon: what the standalone checker says of them, in whole
sentences, and each of its refusals by its reason."""

import copy
import json
import random
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fltheory import check_certificate
from verification import check_forever
from verification.check_forever import check, main

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
        factor = rng.choice([-1, Fraction(1, 2), 3])
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


def language(**changes: Any) -> dict[str, Any]:
    return {"language": changes}


STALE, WINDOW = {"kind": "staleness", "bound": 3, "cold": False}, {"kind": "windows", "length": 3}
PSD = "is not positive semidefinite"
SETS = [
    ("mifa", {"says": "x"}, "the certificate has an unknown field 'says'"),
    ("mifa", {"potential": []}, "a table is no object"),
    ("mifa", {"constants": None}, "a table is no object"),
    ("mifa", {"constants": {"budgets x": "5"}}, "an unknown constant"),
    ("mifa", {"potential": {"9": {}}}, "an unknown state"),
    ("mifa", {"values": {"9": {}}}, "an unknown state"),
    ("mifa", {"relations": {"more": {}}}, "an unknown relation"),
    ("mifa", {"relations": {"bound update": {}}}, "an unknown relation"),
    ("mifa", {"multipliers": []}, "multipliers is no list of 7"),
    ("mifa", {"multipliers": {}}, "multipliers is no list of 7"),
    ("mifa", {"uncorrelated": [[]] * 6}, "uncorrelated is no list of 7"),
    ("mifa", {"uncorrelated": [[["w", "x", "0"]]] + [[]] * 6}, "w may depend on x"),
    ("mifa", {"uncorrelated": [[["w", "x"]]] + [[]] * 6}, "an uncorrelated pair is no list of 3"),
    ("mifa", {"uncorrelated": [None] + [[]] * 6}, "uncorrelated is no list"),
    ("mifa", {"multipliers": [None] + [[]] * 6}, "multipliers is no list"),
    ("mifa", {"multipliers": [[[0, 0, "1"]]] + [[]] * 6}, "a multiplier is no list of 4"),
    ("mifa", {"bounds": {"9": []}}, "an unknown bound"),
    ("mifa", {"potential": {"1": {"x x": "1", "d x": "0"}}}, "state 1 has no such coefficient"),
    ("mifa", {"potential": {"0": {"x y": "1"}}}, "state 0 has no such coefficient"),
    ("smooth", {"values": {"0": {"t": "1"}}}, "a value is fixed"),
    ("smooth", {"constants": {"gains v": "-1"}}, f"gains v {PSD}"),
    ("mifa", {"settings": {"weights": "1"}}, "not checkable: the method is not declared here"),
    ("mifa", {"method": "scaffold"}, "not checkable: the method is not declared here"),
    ("mifa", {"method": "fedavg"}, "not checkable: the method has no memory of silent clients"),
    ("mifa", language(kind="weather"),
     "not checkable: the language or the target is not declared here"),
    ("mifa", {"target": "loss"}, "not checkable: the language or the target is not declared here"),
    ("mifa", {"language": []}, "the language is no object"),
    ("mifa", {"smoothness": "0"}, "no class of functions"),
    ("mifa", {"lowest_curvature": "1"}, "no class of functions"),
    ("mifa", {"lowest_curvature": "-1/2"}, "no class of functions"),
    ("mifa", {"step_size": "0"}, "the step size is not positive"),
    ("mifa", {"step_size": "-1"}, "the step size is not positive"),
    ("mifa", {"local_steps": 0}, "local_steps or rich"),
    ("mifa", {"rich": 0}, "local_steps or rich"),
    ("mifa", {"local_steps": 21}, "local_steps: 21 is no number below 21"),
    ("mifa", {"rate": "1"}, "no rate below 1 of a strongly convex loss"),
    ("mifa", {"rate": "0"}, "no rate below 1 of a strongly convex loss"),
    ("mifa", {"lowest_curvature": "0"}, "no rate below 1 of a strongly convex loss"),
    ("clocked", {"rate": "1"}, "no rate below 1 of a strongly convex loss"),
    ("clocked", {"rate": "0"}, "no rate below 1 of a strongly convex loss"),
    ("clocked", {"lowest_curvature": "0"}, "no rate below 1 of a strongly convex loss"),
    ("clocked", {"target": "gradient"}, "no such question"),
    ("clocked", {"all_steps": {"falling": True}}, "no such question"),
    ("clocked", {"rich": True}, "a cold start or a rich potential"),
    ("clocked", language(**STALE | {"cold": True}), "a cold start or a rich potential"),
    ("clocked", language(**STALE), "not checkable: clients have no known share of the rounds"),
    ("clocked", language(kind="periodic", pattern="1" * 51), "a pattern"),
    ("clocked", language(kind="periodic", pattern="111"), "a pattern"),
    ("clocked", language(kind="periodic", pattern=101), "a pattern"),
    ("clocked", language(kind="periodic", pattern="10", more=1),
     "the language has an unknown field 'more'"),
    ("mifa", language(**STALE | {"bound": 201}), "staleness: 201 is no number below 201"),
    ("mifa", language(**STALE | {"more": 1}), "the language has an unknown field 'more'"),
    ("mifa", language(**STALE | {"cold": 0}), "cold"),
    ("mifa", language(**STALE | {"cold": True, "bound": 0}), "cold"),
    ("mifa", language(kind="staleness", cold=True), "the language has no field 'bound'"),
    ("window", language(**WINDOW | {"length": 21}), "window: 21 is no number below 21"),
    ("window", language(**WINDOW | {"length": 0}), "a window has no rounds"),
    ("window", language(**WINDOW | {"more": 0}), "the language has an unknown field 'more'"),
    ("random", language(kind="bernoulli", chance="1"), "the chance is not between 0 and 1"),
    ("random", language(kind="bernoulli", chance="0"), "the chance is not between 0 and 1"),
    ("random", language(kind="bernoulli", chance="1/2", more="0"),
     "the language has an unknown field 'more'"),
    ("rich", {"local_steps": 2}, "rich is for one local step"),
    ("box", {"rich": True}, "no box"),
    ("box", {"local_steps": 2}, "no box"),
    ("box", language(**WINDOW), "no box"),
    ("box", {"target": "gradient"}, "no box"),
    ("box", {"all_steps": {"falling": 1}}, "a cold start, or no truth"),
    ("box", language(kind="staleness", bound=2, cold=True), "a cold start, or no truth"),
    ("box", language(kind="staleness", bound=201, cold=False),
     "staleness: 201 is no number below 201"),
    ("box", language(kind="staleness", bound=2, cold=False, more=1),
     "the language has an unknown field 'more'"),
    ("box", {"all_steps": {}}, "all_steps has no field 'falling'"),
    ("box", {"all_steps": {"falling": True, "more": 1}}, "all_steps has an unknown field 'more'"),
    ("box", {"method": "fedavg"}, "not checkable: the method has no memory of silent clients"),
    ("falling", {"method": "fedlaavg"}, "old updates keep their step size"),
    ("box", {"rate": "0"}, "no factor below 1 in the whole box"),
    ("box", {"rate": "1000001/1000000"}, "no factor below 1 in the whole box"),
    ("box", {"step_size": "10"}, "no factor below 1 in the whole box"),
    ("box", {"lowest_curvature": "0"}, "no factor below 1 in the whole box"),
    ("turns", {"rich": True}, "turns"),
    ("turns", {"local_steps": 2}, "turns"),
    ("turns", {"rate": "1"}, "turns"),
    ("turns", {"rate": "0"}, "turns"),
    ("turns", {"lowest_curvature": "0"}, "turns"),
    ("turns", language(kind="turns", groups="AAA"), "no turns"),
    ("turns", language(kind="turns", groups=3), "no turns"),
    ("turns", language(kind="turns", groups="AB" * 25 + "A"), "no turns"),
    ("turns", language(kind="turns", groups="AB", more=1),
     "the language has an unknown field 'more'"),
    ("turns", {"method": "mifa"},
     "not checkable: the method does not average the deliveries of a round"),
    ("late", {"rate": "1"}, "no such rate or question"),
    ("late", {"rate": "0"}, "no such rate or question"),
    ("late", {"local_steps": 2}, "no such rate or question"),
    ("late", {"lowest_curvature": "0"}, "no such rate or question"),
    ("late", language(kind="delays", bound=31), "delay: 31 is no number below 31"),
    ("late", language(kind="delays", bound=1, more=1), "the language has an unknown field 'more'"),
    ("arrivals", {"rate": "1/2"}, "no such question"),
    ("arrivals", {"rich": True}, "no such question"),
    ("arrivals", {"local_steps": 2}, "no such question"),
    ("arrivals", language(kind="delays", bound=31), "delay: 31 is no number below 31"),
    ("arrivals", language(kind="delays", bound=1, more=1),
     "the language has an unknown field 'more'"),
    ("arrivals", {"method": "mifa"},
     "not checkable: the method does not average the deliveries of a round"),
    ("smooth", {"rate": "1/2"}, "no such question"),
    ("smooth", {"rich": True}, "no such question"),
    ("smooth", {"local_steps": 2}, "no such question"),
    ("smooth", language(**STALE | {"cold": True}), "no such potential"),
    ("smooth", {"constants": {}}, "nothing is gained"),
    ("arrivals", {"constants": {}}, f"delay 0 {PSD}"),
    ("mifa", {"rate": "1/2"}, f"0 -> 0 {PSD}"),
]  # fmt: skip


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
    for other in ("[]", "{}", json.dumps(good | {"format": "x"})):
        assert run(capsys, file, other) == (2, "unusable: not of this format\n")
    assert run(capsys, file, "NaN") == (2, "unusable: NaN is no number\n")
    assert run(capsys, file, "[" * 100_000)[0] == 2
    text = json.dumps(good)
    assert run(capsys, file, " " * ((1 << 24) - len(text)) + text)[0] == 0
    assert run(capsys, file, " " * (1 << 24) + text)[0] == 2
    assert main(str(tmp_path / "absent.json")) == 2
    assert "unusable: [Errno 2]" in capsys.readouterr().out
