"""Stored worst-case certificates: what the standalone checker says of them, in whole sentences, and
each of its refusals by its reason."""

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from fltheory import check_certificate
from verification.certificate_case import statement
from verification.check_certificate import NotCheckable, proved

Json = dict[str, Any]
LINES = Path(__file__).with_name("worst_case_certificates.jsonl").read_text("utf-8").splitlines()
STORED: dict[str, Json] = {line["name"]: line for line in map(json.loads, LINES)}


@pytest.mark.parametrize("name", STORED)
def test_a_stored_certificate_proves_its_sentence(name: str) -> None:
    data = STORED[name]["document"]
    assert proved(data) == (Fraction(data["bound"]), STORED[name]["says"])
    lower = {**data, "bound": str(Fraction(data["bound"]) * Fraction(999, 1000))}
    with pytest.raises(ValueError, match="the multipliers do not prove the stated bound"):
        proved(lower)


def put(*path: Any, to: Any) -> Callable[[Json], None]:
    def change(data: Json) -> None:
        inner: Any = data
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to

    return change


def gone(*path: Any) -> Callable[[Json], None]:
    def change(data: Json) -> None:
        inner: Any = data
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]

    return change


def more(*path: Any, entry: Any) -> Callable[[Json], None]:
    def change(data: Json) -> None:
        inner: Any = data
        for key in path:
            inner = inner[key]
        inner.append(entry)

    return change


def refuse(name: str, *changes: Callable[[Json], None]) -> str:
    bad = copy.deepcopy(STORED[name]["document"])
    for change in changes:
        change(bad)
    try:
        proved(bad)
    except NotCheckable as reason:
        return f"not checkable: {reason}"
    except ValueError as reason:
        return str(reason)
    return "accepted"


SHARES = put("classes", 0, "share", to="1/3"), put("classes", 1, "share", to="2/3")
HALF = ["1/2", "1/2"]
CASES: list[tuple[str, list[Callable[[Json], None]], str]] = [
    ("optimum", [put("more", to=1)], "the certificate has an unknown field 'more'"),
    ("optimum", [gone("owners")], "the certificate has no field 'owners'"),
    ("optimum", [put("says", to=1)], "says is no text"),
    ("optimum", [put("has_optimum", to=1)], "has_optimum is neither true nor false"),
    ("optimum", [put("metric", to="x" * 50)], f"'{'x' * 40}' is no metric"),
    ("optimum", [put("owners", to={})], "owners is no list"),
    ("optimum", [put("owners", to=[0] * 501)], "the basis has more than 500 vectors"),
    ("optimum", [put("classes", to={})], "classes is no list"),
    ("optimum", [put("owners", 0, to=3)], "owners: 3 is no number below 3"),
    ("optimum", [put("classes", 0, "more", to=3)], "a class has an unknown field 'more'"),
    ("optimum", [put("classes", 0, "share", to=3)], "'3' is no short fraction"),
    ("optimum", [put("classes", 0, "block", to=3)], "block of a class: 3 is no number below 3"),
    ("optimum", [put("classes", 0, "records", to={})], "records is no list"),
    ("optimum", [put("classes", 0, "records", 0, "m", to=0)],
     "a record has an unknown field 'm'"),
    ("optimum", [put("classes", 0, "records", 0, "point", to=0)],
     "point of a record is no object"),
    ("optimum", [put("classes", 0, "records", 0, "gradient", to={"99": "1"})],
     "gradient of a record: 99 is no number below 6"),
    ("optimum", [put("first_model", to={"99": "1"})], "first_model: 99 is no number below 6"),
    ("optimum", [put("points", to={})], "points is no list"),
    ("optimum", [put("points", 0, to=[0])], "a point is no list of 2"),
    ("optimum", [put("points", 0, 0, to=99)], "record of a point: 99 is no number below 3"),
    ("optimum", [more("weights", entry="0")], "weights is no list of 1"),
    ("optimum", [put("weights", to=["1.0"])], "'1.0' is no short fraction"),
    ("optimum", [put("start", to=1)], "start: 1 is no number below 1"),
    ("optimum", [put("conditions", "more", to=None)], "conditions has an unknown field 'more'"),
    ("optimum", [gone("conditions", "loss_gap")], "conditions has no field 'loss_gap'"),
    ("optimum", [put("conditions", "heterogeneity", to="-1")],
     "the condition heterogeneity is negative"),
    ("optimum", [put("smoothness", to=1)], "'1' is no short fraction"),
    ("optimum", [put("lowest_curvature", to=1)], "'1' is no short fraction"),
    ("optimum", [put("bound", to=1)], "'1' is no short fraction"),
    ("optimum", [put("multipliers", to={})], "multipliers is no list"),
    ("optimum", [put("multipliers", 0, to=[])], "a multiplier is no list of 3"),
    ("optimum", [put("multipliers", 0, 0, to="h" * 50)], f"'{'h' * 40}' does not hold here"),
    ("optimum", [put("multipliers", 0, 0, to=3)], "'3' does not hold here"),
    ("optimum", [more("multipliers", entry=["floor", [0, 0], "0"])],
     "what a multiplier of kind 'floor' is about is no list of 1"),
    ("optimum", [more("multipliers", entry=["floor", [1], "0"])],
     "what a multiplier of kind 'floor' is about: 1 is no number below 1"),
    ("optimum", [more("multipliers", entry=["dissimilarity", [0, 2], "0"])],
     "what a multiplier of kind 'dissimilarity' is about: 2 is no number below 2"),
    ("optimum", [more("multipliers", entry=["gradient", [2, 0], "0"])],
     "class of a multiplier: 2 is no number below 2"),
    ("optimum", [more("multipliers", entry=["gradient", [0, 9], "0"])],
     "record of a multiplier: 9 is no number below 3"),
    ("optimum", [more("multipliers", entry=["interpolation", [0, 1, 1], "0"])],
     "a record is compared with itself"),
    ("optimum", [more("multipliers", entry=["distance", [], "0"])],
     "a second multiplier of 'distance'"),
    ("optimum", [more("multipliers", entry=["heterogeneity", [], "-1"])],
     "a second multiplier of 'heterogeneity'"),
    ("single", [put("multipliers", 0, 2, to="-1")], "a multiplier is negative"),
    ("optimum", [gone("case")],
     "not checkable: the file names no method, so nothing says what its points are"),
    ("optimum", [put("case", "more", to=0)], "the case has an unknown field 'more'"),
    ("optimum", [gone("case", "metric")], "the case has no field 'metric'"),
    ("optimum", [put("case", "trace", "more", to=0)], "the trace has an unknown field 'more'"),
    ("optimum", [put("case", "virtual", to=0)], "virtual is no truth"),
    ("optimum", [put("case", "virtual", to=True)],
     "not checkable: the method or the virtual models of the case are not known here"),
    ("optimum", [put("case", "algorithm", to="somebody-elses")],
     "not checkable: the method or the virtual models of the case are not known here"),
    ("optimum", [put("case", "trace", "delivers", to={"0": "1"})], "the trace is no list"),
    ("optimum", [more("case", "trace", "local_steps", entry=[1, 1])],
     "local_steps is no list of 2"),
    ("optimum", [put("case", "trace", "started_from", 0, to=[0])], "started_from is no table"),
    ("optimum", [put("case", "trace", "delivers", to=["", ""]),
                 put("case", "trace", "started_from", to=[[], []]),
                 put("case", "trace", "local_steps", to=[[], []])], "delivers is no table"),
    ("single", [put("weights", to=["1/2"])], "bad shares or weights"),
    ("optimum", [put("case", "trace", "delivers", 0, to="12")], "delivers holds other signs"),
    ("optimum", [put("case", "trace", "delivers", 0, to=["1", "0"])],
     "delivers holds other signs"),
    ("optimum", [put("case", "trace", "started_from", 1, 0, to=2)],
     "started_from: 2 is no number below 2"),
    ("optimum", [put("case", "trace", "local_steps", 0, 0, to=10_000)],
     "local_steps: 10000 is no number below 10000"),
    ("optimum", [put("case", "convex", to=1)], "convex is no truth"),
    ("optimum", [put("case", "by_class", to=1)], "convex is no truth"),
    ("optimum", [put("case", "conditions", "gradient_noise_squared", to="1")],
     "not checkable: the case has noise"),
    ("optimum", [put("case", "conditions", "more", to=None)],
     "conditions has an unknown field 'more'"),
    *(
        ("optimum", [put("case", *path, to=to)],
         "the class, the conditions or the metric are not those of the case")
        for path, to in (
            (("metric",), "MEAN_LOSS"),
            (("smoothness",), "2"),
            (("strong_convexity",), "1/2"),
            (("convex",), False),
            (("conditions", "heterogeneity"), "0"),
            (("conditions", "heterogeneity"), "2"),
            (("conditions", "loss_gap"), "2"),
        )
    ),
    ("smallest", [put("case", "convex", to=True)],
     "the class, the conditions or the metric are not those of the case"),
    ("optimum", [put("case", "settings", "more", to=0)], "settings has an unknown field 'more'"),
    ("optimum", [put("case", "settings", "weights", to=HALF)],
     "the settings are not those of fedavg"),
    ("settings", [put("case", "settings", "weights", to=None)],
     "the settings are not those of async"),
    ("single", [put("case", "settings", to={})], "the settings are not those of fedprox"),
    ("settings", [put("case", "settings", "weights", to=[HALF, HALF])], "a setting is a table"),
    ("settings", [put("case", "importance", to=["1/3"])], "importance is no list of 2"),
    ("settings", [put("case", "importance", to=["2/3", "1/3"])],
     "the shares are not those of the case"),
    ("optimum", [*SHARES], "the first records are not those of an optimum"),
    ("block", [put("case", "importance", to=["1/3", "1/6", "1/2"])],
     "the classes are not those of the case"),
    ("block", [put("case", "by_class", to=False)], "the classes are not those of the case"),
    ("block", [put("classes", 1, "block", to=0)], "a row uses deviations of another class"),
    ("block", [put("case", "local_step_size", to="1/5")],
     "the run visits a point that is not in the file"),
    ("optimum", [put("case", "server_step_size", to="1/5")],
     "the run visits a point that is not in the file"),
    ("single", [put("case", "server_step_size", to="1/5")],
     "the run visits a point that is not in the file"),
    ("single", [put("case", "weights", to=["1", "0", "2"])],
     "the points are not those of the metric"),
    ("single", [put("case", "weights", to=["0", "1"])], "weights of the case is no list of 3"),
    ("single", [put("case", "weights", to=["-1", "1", "1"])],
     "the weights of the case are no weights"),
    ("single", [put("case", "weights", to=["0", "0", "0"])],
     "the weights of the case are no weights"),
    ("mean apart", [put("case", "weights", to=["3/4", "1/4", "0"])],
     "the points are not those of the metric"),
    ("mean apart", [put("case", "weights", to=None)], "the points are not those of the metric"),
    ("mean apart", [put("start", to=1)], "'gap' does not hold here"),
    ("mean apart", [put("start", to=None)], "a field is missing or malformed: TypeError('list"
     " indices must be integers or slices, not NoneType')"),
    ("optimum", [put("start", to=0)], "start is another point"),
    ("alike", [put("case", "conditions", "heterogeneity", to=None)],
     "all gradients are 0 at the optimum"),
]  # fmt: skip


OWN = "a gradient is not an unknown vector of its own"
RUNS: list[tuple[str, list[Callable[[Json], None]], str]] = [
    ("optimum", [put("classes", 0, "records", 1, "gradient", to={"2": "2"})], OWN),
    ("optimum", [put("classes", 0, "records", 1, "gradient", to={"2": "1", "3": "1"})], OWN),
    ("optimum", [put("classes", 0, "records", 1, "gradient", to={})], OWN),
    ("block", [put("classes", 1, "block", to=0)], "the blocks are not those of the case"),
    ("block", [put("classes", 0, "block", to=1)], "the blocks are not those of the case"),
    ("optimum", [put("first_model", to={})], "the first model is no unknown vector"),
    ("smallest", [put("first_model", to={"0": "1"})], "the first model is no unknown vector"),
    ("optimum", [put("first_model", to={"0": "2"})], "the first model is no unknown vector"),
    ("optimum", [put("first_model", to={"1": "1"})], "an unknown vector is used twice"),
    ("optimum", [more("owners", entry=0)], "an unknown vector is used twice"),
    ("optimum", [lambda data: put("classes", 0, "records", 2, "point",
                                  to=data["classes"][0]["records"][1]["point"])(data)],
     "a point occurs twice in a class"),
    ("optimum", [more("owners", entry=0), more("classes", 0, "records", entry={
        "point": {"0": "5"}, "gradient": {"6": "1"}})], "a record is at a point of no use"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "why"), RUNS)
def test_rows_that_the_method_does_not_give_have_no_sentence(
    name: str, changes: list[Callable[[Json], None]], why: str
) -> None:
    bad = copy.deepcopy(STORED[name]["document"])
    assert statement(bad) == STORED[name]["says"]
    for change in changes:
        change(bad)
    with pytest.raises(ValueError, match=f"^{why}$"):
        statement(bad)


def test_importance_may_be_told_as_a_setting_too() -> None:
    told = copy.deepcopy(STORED["optimum"]["document"])
    told["case"]["settings"]["importance"] = HALF
    assert statement(told) == STORED["optimum"]["says"]


@pytest.mark.parametrize(("name", "changes", "why"), CASES)
def test_a_certificate_with_a_fault_is_refused_with_its_reason(
    name: str, changes: list[Callable[[Json], None]], why: str, tmp_path: Path
) -> None:
    assert refuse(name, *changes) == why
    bad = copy.deepcopy(STORED[name]["document"])
    for change in changes:
        change(bad)
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(bad))
    known = "a table" in why or "virtual models" in why  # the package has more methods
    assert check_certificate(file).proved == (known and "elses" not in str(bad["case"]))
