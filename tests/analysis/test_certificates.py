"""Certificates: exact, close to the solver's value, checkable without the package; every corruption
is rejected with a reason."""

import ast
import json
import subprocess
import sys
from copy import deepcopy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from fltheory import Trace
from fltheory.analysis.worst_case.answer import worst_case
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.certificate import repair
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.proof import verify
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.analysis.worst_case.solve import Status
from fltheory.core.errors import InvalidInput
from verification.check_certificate import NotCheckable, check

CHECKER = Path(__file__).parents[2] / "verification" / "check_certificate.py"
STRONG = Question(FunctionClass(1, "1/10"), Conditions(distance_squared=1, heterogeneity=1))
MIN_GRADIENT = Question(
    FunctionClass(1, convex=False),
    Conditions(loss_gap=1, gradient_bound_squared=4),
    Metric.MIN_SQUARED_GRADIENT,
)
APART = Question(
    FunctionClass(1, convex=False),
    Conditions(loss_gap=1, dissimilarity_squared=2, mean_dissimilarity_squared=1),
    Metric.MEAN_SQUARED_GRADIENT,
)
VIRTUAL = Question(
    FunctionClass(1),
    Conditions(distance_squared=1, heterogeneity=1),
    Metric.MEAN_LOSS,
    (0, 1, 1),
    virtual=True,
)
CASES = {
    "descent": Case(
        "fedavg",
        Trace.fresh([[1]] * 5),
        Question(FunctionClass(1), Conditions(distance_squared=1)),
        1,
    ),
    "stale": Case("mifa", Trace.fresh([[1, 1], [1, 0], [0, 1]]), STRONG, "1/2"),
    "thousand": Case("fedavg", Trace.fresh(np.ones((3, 1000), bool)), STRONG, "1/2"),
    "local": Case("fedavg", Trace.fresh([[1] * 4, [1, 1, 0, 0]], local_steps=2), STRONG, "1/4"),
    "nonconvex": Case("afa-cd", Trace.fresh([[1, 0], [0, 1], [1, 1]]), MIN_GRADIENT, "1/10"),
    "apart": Case("afa-cd", Trace.fresh([[1, 0, 0], [0, 1, 1]]), APART, "1/4"),
    "virtual": Case("fedlaavg", Trace.fresh([[1, 1, 1]], local_steps=2), VIRTUAL, "1/4"),
    "mean": Case(
        "afa-cs",
        Trace.fresh([[1], [1]]),
        Question(
            FunctionClass(1, convex=False), Conditions(loss_gap=1), Metric.MEAN_SQUARED_GRADIENT
        ),
        "1/2",
    ),
}


@pytest.fixture(scope="module")
def certificates() -> dict:
    return {name: worst_case(case, certified=True) for name, case in CASES.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_certified_bound_is_above_the_value_by_a_millionth_at_most(certificates, name) -> None:
    found = certificates[name]
    assert found.status is Status.CERTIFIED
    assert found.bound == Fraction(found.certificate["bound"])
    assert -1e-9 <= float(found.bound) / found.value - 1 <= 1e-6


@pytest.mark.parametrize("name", CASES)
def test_it_survives_a_file_and_the_method_is_run_again(certificates, name) -> None:
    data = json.loads(json.dumps(certificates[name].certificate))
    assert verify(data) == certificates[name].bound
    if CASES[name].question.virtual:
        with pytest.raises(NotCheckable, match="virtual models"):
            check(data)
    else:
        assert check(data) == certificates[name].bound


def changed(text: str, by: Fraction) -> str:
    return str(Fraction(text) + by)


def corruptions(good: dict):
    """Ways to tamper with a certificate, each with a name."""

    def edit(change):
        bad = deepcopy(good)
        change(bad)
        return bad

    for lower in (Fraction(1, 10**6), Fraction(1, 10**12), Fraction(1, 10**300)):
        yield (
            "bound lowered",
            edit(lambda bad, lower=lower: bad.update(bound=changed(bad["bound"], -lower))),
        )
    yield "bound raised", edit(lambda bad: bad.update(bound=changed(bad["bound"], Fraction(1))))
    for k in range(len(good["multipliers"])):
        for by in (Fraction(1, 10**6), -Fraction(1, 10**9), Fraction(1, 10**400)):
            text = changed(good["multipliers"][k][2], by)
            yield (
                "multiplier changed",
                edit(lambda bad, k=k, text=text: bad["multipliers"][k].__setitem__(2, text)),
            )
        yield (
            "sign flipped",
            edit(
                lambda bad, k=k: bad["multipliers"][k].__setitem__(
                    2, "-" + bad["multipliers"][k][2]
                )
            ),
        )
        yield "multiplier dropped", edit(lambda bad, k=k: bad["multipliers"].pop(k))
        if good["multipliers"][k][1]:
            yield (
                "multiplier moved",
                edit(lambda bad, k=k: bad["multipliers"][k].__setitem__(1, [7, 7, 7])),
            )
        yield (
            "huge denominator",
            edit(lambda bad, k=k: bad["multipliers"][k].__setitem__(2, "1/1" + "0" * 5000)),
        )
        yield "not a number", edit(lambda bad, k=k: bad["multipliers"][k].__setitem__(2, "1e3"))
    for name in good:
        if name not in ("says", "format", "case"):
            yield "field missing", edit(lambda bad, name=name: bad.pop(name))
            if good[name] is not None:
                yield "field of another kind", edit(lambda bad, name=name: bad.update({name: 3.5}))
    for name, value in good["conditions"].items():
        if value is not None:
            yield (
                "condition dropped",
                edit(lambda bad, name=name: bad["conditions"].update({name: None})),
            )
            yield (
                "condition tightened",
                edit(lambda bad, name=name: bad["conditions"].update({name: "1/2"})),
            )
    yield "metric unknown", edit(lambda bad: bad.update(metric="DISTANCE"))
    yield "weights doubled", edit(lambda bad: bad.update(weights=["2"] * len(bad["weights"])))
    yield "shares wrong", edit(lambda bad: bad["classes"][0].update(share="1/7"))
    yield "less smooth", edit(lambda bad: bad.update(smoothness="1000"))
    yield "inverted curvatures", edit(lambda bad: bad.update(lowest_curvature="2"))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_every_corruption_is_rejected_with_a_reason(certificates, name) -> None:
    accepted, reasons = [], []
    for kind, bad in corruptions(certificates[name].certificate):
        try:
            check(bad)
            accepted.append(kind)
        except ValueError as reason:
            reasons.append(str(reason))
    assert accepted == []
    assert all(reasons)
    assert len(reasons) >= 60


def test_there_are_more_than_a_hundred_corruptions(certificates) -> None:
    assert sum(1 for found in certificates.values() for _ in corruptions(found.certificate)) > 500


def test_rows_of_another_method_are_rejected_by_both_programs(certificates) -> None:
    for change in (
        {"local_step_size": "1/3"},
        {"algorithm": "fedavg"},
        {"smoothness": "2"},
        {"weights": ["1"] * 4},
    ):
        bad = deepcopy(certificates["stale"].certificate)
        bad["case"].update(change)
        with pytest.raises(ValueError, match=r"not in the file|are not those"):
            check(bad)
        with pytest.raises(InvalidInput, match="be what the method itself gives"):
            verify(bad)
    bad = deepcopy(certificates["stale"].certificate)
    del bad["case"]["trace"]
    with pytest.raises(InvalidInput, match="all fields of a case"):
        verify(bad)


def test_constants_cannot_be_hidden_behind_negative_numbers(certificates) -> None:
    bad = deepcopy(certificates["mean"].certificate)
    for multiplier in bad["multipliers"]:
        if multiplier[0] == "interpolation":
            multiplier[1][
                0
            ] = -1  # the same class under a name whose first value would not be counted
    with pytest.raises(ValueError, match="-1 is no number below 1"):
        check(bad)


def test_the_checker_is_short() -> None:
    tree = ast.parse(CHECKER.read_text())
    assert sum(isinstance(node, ast.stmt) for node in ast.walk(tree)) <= 120


def test_the_checker_stands_alone(certificates, tmp_path) -> None:
    good, bad, other = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "other.json"
    good.write_text(json.dumps(certificates["stale"].certificate))
    bad.write_text(json.dumps({**certificates["stale"].certificate, "bound": "1/1000"}))
    other.write_text("{}")

    def run(*paths):
        return subprocess.run(
            [sys.executable, "-I", str(CHECKER), *map(str, paths)],
            capture_output=True,
            text=True,
            check=False,
        )

    assert run(good).returncode == 0
    assert "proved: " in run(good).stdout
    assert run(good, bad).returncode == 1
    assert "rejected: the multipliers do not prove" in run(bad).stdout
    assert run(other).returncode == run(tmp_path / "absent").returncode == run().returncode == 2


def test_repair_needs_a_solution() -> None:
    assert repair([{"a": Fraction(1)}], [Fraction(1)], {"b": Fraction(1)}) is None


def test_no_certificate_is_made_up(monkeypatch) -> None:
    import fltheory.analysis.worst_case.certificate as module

    def refuse(data):
        raise ValueError("no")

    monkeypatch.setattr(module, "check", refuse)
    found = worst_case(CASES["mean"], certified=True)
    assert (found.status, found.bound, found.certificate) == (Status.NUMERICAL, None, None)
    assert found.why == "no exact certificate was found"
