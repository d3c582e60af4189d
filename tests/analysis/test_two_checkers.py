"""The library's checkers against the standalone ones: both accept what is stored, neither is laxer.

The library takes rows, conditions and metric from the case, never from the file; so it may refuse
what a standalone program accepts, and must refuse all that a standalone program refuses."""

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fltheory import Trace
from fltheory.analysis.certificate_fields import same
from fltheory.analysis.inequalities import inequality, proof
from fltheory.analysis.inequalities.checker import check, remainder
from fltheory.analysis.inequalities.inequality import Inequality
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.checker import Combination
from fltheory.analysis.worst_case.checker import check as check_sum
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.proof import FORMAT, document, verify
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.core.errors import InvalidInput
from verification import check_certificate, check_inequality

ROOT = Path(__file__).parents[2]
Json = dict[str, Any]


def stored(wanted: str) -> dict[str, Json]:
    """Certificates of a format by name, wherever their folder is."""
    inside = (path for path in ROOT.glob("[fv]*/**/*.json") if "certificates" in path.parts)
    read = {path.stem: json.loads(path.read_text()) for path in sorted(inside)}
    return {name: data for name, data in read.items() if data.get("format") == wanted}


BOUNDS, INEQUALITIES = stored(FORMAT), stored(inequality.FORMAT)
SOME_BOUNDS = [
    "afl-memory-delay0-rounds3",
    "afl-edge2-delay1-rounds3",
    "fedlaavg-cold-steps1-1over10",
    "fedlaavg-turns-steps2-1over10",
]
SOME_INEQUALITIES = [
    "afl.a5-steps2",
    "fedlaavg.eq31-everyone-steps1-2over5",
    "mifa.thm6.1.corrected-short-steps2",
]


def test_both_accept_every_stored_bound() -> None:
    assert len(BOUNDS) >= 34
    for name, data in BOUNDS.items():
        assert verify(data) == check_certificate.check(data) == Fraction(data["bound"]), name


@pytest.mark.slow
def test_both_accept_every_stored_inequality() -> None:
    assert len(INEQUALITIES) >= 230
    for name, data in INEQUALITIES.items():
        assert check(data) == check_inequality.check(data) == Fraction(data["factor"]), name


def test_both_read_the_same_formats() -> None:
    assert (FORMAT, inequality.FORMAT) == (check_certificate.FORMAT, check_inequality.FORMAT)


def put(good: Json, value: object, *path: object) -> Json:
    """A copy with one entry changed, deep inside."""
    bad = deepcopy(good)
    inner: Any = bad
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return bad


def of_multipliers(good: Json) -> Iterator[tuple[str, Json]]:
    """Ways to tamper with multipliers, each with a name; a few of them meet all ways."""
    listed = list(enumerate(good["multipliers"]))
    for k, (kind, about, y) in listed[:: len(listed) // 6 + 1]:
        more = Fraction(y) + Fraction(1, 10**9)
        texts = str(more), str(-Fraction(y)), 1, "1/1" + "0" * 3000, f" {y}", "1/0"
        yield from ((f"y is {text!s:.9}", put(good, text, "multipliers", k, 2)) for text in texts)
        yield "twice", {**good, "multipliers": [*good["multipliers"], [kind, about, y]]}
        yield "twice, once 0", {**good, "multipliers": [*good["multipliers"], [kind, about, "0"]]}
        yield "left out", {**good, "multipliers": [m for n, m in listed if n != k]}
        for named in ("hope", "", None, 3, ["gap"]):
            yield "unknown kind", put(good, named, "multipliers", k, 0)
        shorter, floats, truths = about[:-1], [float(x) for x in about], [bool(x) for x in about]
        below = [-1 - x for x in about]
        for other in (
            [*about, 0],
            [*about, 1],
            shorter,
            [99, 99],
            floats,
            truths,
            below,
            None,
            "0",
        ):
            if other or about:
                yield f"about {other}", put(good, other, "multipliers", k, 1)


def of_fields(good: Json, names: Iterable[str]) -> Iterator[tuple[str, Json]]:
    """Fields left out, and of another kind."""
    for name in names:
        yield f"{name} left out", {key: value for key, value in good.items() if key != name}
        yield f"{name} of another kind", {**good, name: 3.5}


def of_bounds(good: Json) -> Iterator[tuple[str, Json]]:
    """Ways to tamper with a certificate of a worst case."""
    yield from of_multipliers(good)
    rebuilt = document(Case.from_json(good["case"]).encode())
    yield from of_fields(good, ("multipliers", "bound", "case", *rebuilt))
    for more in (-Fraction(1, 10**6), -Fraction(1, 10**200), 1):
        yield "bound changed", {**good, "bound": str(Fraction(good["bound"]) + more)}
    for c, each in enumerate(good["classes"]):
        for r, record in enumerate(each["records"]):
            place, point = ("classes", c, "records", r), record["point"]
            if point != record["gradient"]:
                yield "a point where a gradient belongs", put(good, point, *place, "gradient")
            for part, row in record.items():
                yield "row changed", put(good, row | {"0": "7/3"}, *place, part)
    yield "weights changed", put(good, "2", "weights", 0)
    yield "weights gone", {**good, "weights": ["0"] * len(good["weights"])}
    for metric in {*Metric.__members__, "DISTANCE"} - {good["metric"]}:
        yield f"metric {metric}", {**good, "metric": metric}
    yield "condition looser", put(good, "100", "conditions", "loss_gap")
    yield "less smooth", {**good, "smoothness": "2"}
    yield "truth as a number", {**good, "has_optimum": int(good["has_optimum"])}


def of_inequalities(good: Json) -> Iterator[tuple[str, Json]]:
    """Ways to tamper with a certificate of an inequality that is at hand."""
    yield from of_multipliers(good)
    yield from of_fields(good, set(good) - {"says"})
    yield "other remainder", {**good, "left_over": "1/7"}
    for f, records in enumerate(good["functions"]):
        for r, (point, gradient) in enumerate(records):
            for part, row in enumerate((point, gradient)):
                yield "row changed", put(good, row | {"0": "7/3"}, "functions", f, r, part)
            if point != gradient:
                yield "a point where a gradient belongs", put(good, point, "functions", f, r, 1)
    yield "steeper functions", {**good, "smoothness": "1000"}
    yield "other class", {**good, "lowest_curvature": "1/7"}
    yield "smaller basis", {**good, "basis": 1}
    yield "basis of another kind", {**good, "basis": float(good["basis"])}
    yield "more on the left", put(good, "1", "left", "constant")


def refused(checker: Callable[[Json], Fraction], data: Json) -> bool:
    try:
        checker(data)
    except ValueError:
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME_BOUNDS)
def test_what_is_tampered_with_proves_no_bound(name: str) -> None:
    tried = list(of_bounds(BOUNDS[name]))
    assert len(tried) > 60
    assert [told for told, bad in tried if not refused(verify, bad)] == []


@pytest.mark.parametrize("name", SOME_INEQUALITIES)
def test_what_is_tampered_with_does_not_prove_the_inequality_at_hand(name: str) -> None:
    tried = list(of_inequalities(INEQUALITIES[name]))
    library = partial(proof.verify, inequality=Inequality.from_json(INEQUALITIES[name]))
    assert len(tried) > 50
    assert [told for told, bad in tried if not refused(library, bad)] == []


def leaves(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Everything inside, as what holds it and its key there."""
    if isinstance(tree, dict | list):
        for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
            yield tree, key
            yield from leaves(tree[key])


NEAR: dict[type, list[Any]] = {str: ["0", "1", "-1", "1/2"], int: [0, 1, 2, -1, True, 1.0]}


def edits(good: Json, seed: int, count: int) -> Iterator[Json]:
    """Copies in which one or two entries are those of another place, or a little different."""
    chance = random.Random(seed)
    for _ in range(count):
        bad = deepcopy(good)
        for _ in range(chance.choice((1, 1, 2))):
            places = list(leaves(bad))
            (holder, key), (other, there) = chance.choice(places), chance.choice(places)
            near = [f"{holder[key]}0", *NEAR.get(type(holder[key]), [None, [], {}])]
            holder[key] = deepcopy(other[there]) if chance.random() < 0.3 else chance.choice(near)
        yield bad


def written_as_read(data: Json) -> bool:
    """Whether the fields that the library reads leniently are written as it writes them."""
    if not isinstance(data.get("says", ""), str) or "case" not in data:
        return isinstance(data.get("says", ""), str)
    truths = {type(data["case"][name]) for name in ("convex", "by_class")}
    return truths == {bool} and same(data["case"], Case.from_json(data["case"]).to_json())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "library", "alone"),
    [(BOUNDS, verify, check_certificate.check), (INEQUALITIES, check, check_inequality.check)],
    ids=["bounds", "inequalities"],
)
def test_what_a_standalone_checker_refuses_the_library_refuses(files, library, alone) -> None:
    small = [data for data in files.values() if len(json.dumps(data)) < 6000]
    accepted = 0
    for seed, data in enumerate(small[::8]):
        for bad in edits(data, seed, 60):
            if not refused(library, bad) and written_as_read(bad):
                assert alone(bad) == library(bad)
                accepted += 1
    assert accepted > 0


def test_a_bound_on_gradients_is_none_on_points() -> None:
    """["gradient", [0, 1, 0], y] names no record; read as |x_0 - x*|^2 <= 1 it proves too much."""
    known = Conditions(distance_squared=100, gradient_bound_squared=1)
    case = Case("fedavg", Trace.fresh([[1]]), Question(FunctionClass(1), known, weights=(1, 0)), 1)
    data: Json = {"case": case.to_json(), **document(case.encode())}
    smooth = ["interpolation", [0, 0, 1], "1"]  # f(x_0) - f* <= |x_0 - x*|^2 / 2
    assert verify({**data, "multipliers": [["distance", [], "1/2"], smooth], "bound": "50"}) == 50
    for about in ([0, 1, 0], [0, 1, 1], [0, 0, 0], [0, 0, 1], [0], [], [0, 9], [1, 0]):
        bad = {**data, "multipliers": [["gradient", about, "1/2"], smooth], "bound": "1/2"}
        with pytest.raises(InvalidInput, match=r"'gradient' about .*, which is no constraint"):
            verify(bad)


def test_multipliers_of_one_case_prove_nothing_of_another() -> None:
    data = BOUNDS["afl-memory-delay0-rounds3"]
    case = {**data["case"], "local_step_size": "1/7"}
    other = {**data, "case": case, **document(Case.from_json(case).encode())}
    assert refused(verify, other)
    assert refused(check_certificate.check, other)


def test_noise_has_no_certificate() -> None:
    noisy = Question(FunctionClass(1), Conditions(distance_squared=1, gradient_noise_squared=1))
    encoding = Case("fedavg", Trace.fresh([[1], [1]]), noisy, "1/2").encode()
    with pytest.raises(InvalidInput, match="be without noise"):
        check_sum(Combination(encoding, [], "0"))


def test_denominators_that_grow_without_end_are_refused() -> None:
    data = BOUNDS["fedlaavg-turns-steps2-1over10"]
    long = [[kind, a, f"1/{10**2900 + k}"] for k, (kind, a, _) in enumerate(data["multipliers"])]
    with pytest.raises(InvalidInput, match="have a common denominator of at most 40000 bits"):
        verify({**data, "multipliers": long})


@pytest.mark.parametrize("name", SOME_INEQUALITIES)
def test_the_remainder_is_the_sum_of_the_constraints(name: str) -> None:
    at_hand = Inequality.from_json(INEQUALITIES[name])
    names = [(kind, tuple(about)) for kind, about, _ in at_hand.constraints()]
    assert names == list(at_hand.names())
    factor, multipliers = Fraction(3, 7), {}
    total = factor * at_hand.right - at_hand.left
    for k, (kind, about, expression) in enumerate(at_hand.constraints()):
        multipliers[kind, tuple(about)] = Fraction(k, k + 2)
        total = total + Fraction(k, k + 2) * expression
    assert remainder(at_hand, factor, multipliers).to_json() == total.to_json()


def test_an_inequality_is_read_as_it_was_written() -> None:
    for data in INEQUALITIES.values():
        again = Inequality.from_json(data).to_json()
        assert again == {name: data[name] for name in again}


def test_the_standalone_checker_of_inequalities_runs_alone(tmp_path: Path) -> None:
    good, bad, other = (tmp_path / name for name in ("good.json", "bad.json", "other.json"))
    good.write_text(json.dumps(INEQUALITIES["afl.a5-steps2"]))
    bad.write_text(json.dumps({**INEQUALITIES["afl.a5-steps2"], "factor": "1/1000"}))
    other.write_text("{}")

    program = [sys.executable, "-I", "-S", str(ROOT / "verification" / "check_inequality.py")]

    def run(path: Path) -> int:
        return subprocess.run([*program, path], capture_output=True, check=False).returncode

    assert [run(path) for path in (good, bad, other)] == [0, 1, 2]
