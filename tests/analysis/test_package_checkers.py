"""The package's checkers of certificates refuse what the standalone ones refuse, with reasons of
their own, which are kept in package_reasons.json beside those of the standalone checkers."""

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from fltheory import Trace, check_certificate
from fltheory.analysis import certificate_fields
from fltheory.analysis.inequalities.checker import check as check_inequality
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.checker import Combination
from fltheory.analysis.worst_case.checker import check as check_sum
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.proof import verify
from fltheory.analysis.worst_case.question import Conditions, Question
from fltheory.core.errors import InvalidInput
from tests.analysis.hand_inequalities import GOOD, REASONS
from tests.analysis.test_certificate_reasons import CASES, STORED

Json = dict[str, Any]
KEPT = json.loads(Path(__file__).with_name("package_reasons.json").read_text("utf-8"))


def spoiled() -> list[tuple[str, Json]]:
    """Why the standalone checker refuses, and the certificate."""
    found = []
    for name, changes, why in CASES:
        bad = copy.deepcopy(STORED[name]["document"])
        for change in changes:
            change(bad)
        found.append((why, bad))
    return found + [(why, bad) for bad, why in REASONS]


@pytest.mark.parametrize("case", [*zip(spoiled(), KEPT, strict=True)])
def test_the_package_refuses_it_too_with_its_own_reason(case: Any, tmp_path: Path) -> None:
    (why, bad), (known, reason) = case
    assert why == known
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(bad))
    found = check_certificate(file)
    assert found.proved == (reason == "")
    if "must fit" in reason:  # how much memory there is depends on the machine
        assert found.why.startswith(reason)
    else:
        assert found.why == reason


@pytest.mark.parametrize("name", STORED)
def test_the_package_proves_the_bounds_that_are_stored(name: str) -> None:
    data = STORED[name]["document"]
    assert verify(data) == Fraction(data["bound"])
    for k, (_, _, y) in enumerate(data["multipliers"]):
        bad = copy.deepcopy(data)
        bad["multipliers"][k][2] = str(Fraction(y) * 2 + 1)
        with pytest.raises(InvalidInput):
            verify(bad)


@pytest.mark.parametrize("good", GOOD.values(), ids=GOOD)
def test_the_package_proves_the_inequalities_by_hand(good: Json) -> None:
    assert check_inequality(good) == 1
    for k, (_, _, y) in enumerate(good["multipliers"]):
        bad = copy.deepcopy(good)
        bad["multipliers"][k][2] = str(Fraction(y) * 2)
        with pytest.raises(InvalidInput):
            check_inequality(bad)


def test_numbers_have_a_bounded_common_denominator() -> None:
    assert certificate_fields.short_together([]) == 1
    most = certificate_fields.MAX_BITS
    assert certificate_fields.short_together([Fraction(1, 2 ** (most - 1))]) == 2 ** (most - 1)
    rule = f"have a common denominator of at most {most} bits, got a longer one"
    with pytest.raises(InvalidInput, match=f"^numbers of a certificate must {rule}$"):
        certificate_fields.short_together([Fraction(1, 2**most)])


def test_values_are_the_same_only_if_their_types_are() -> None:
    same = certificate_fields.same
    assert same({"a": [1, "x", None]}, {"a": [1, "x", None]})
    for left, right in ((1, True), (1, 1.0), ({"a": 1}, {"b": 1}), ([1], [1, 1]), ([], {})):
        assert not same(left, right)
    with pytest.raises(InvalidInput, match=r"^a in a certificate must r, got something else$"):
        certificate_fields.same_fields({}, {"a": None}, "r")


def test_numbers_and_names_are_refused_by_their_owner() -> None:
    fields = certificate_fields
    assert fields.short_fraction("0" * 2999 + "7", "x") == 7
    with pytest.raises(InvalidInput, match=r"^n must be a whole number of at least 0, got -1$"):
        fields.index(-1, "n")
    for long in ("x" * 70, ["x"] * 70, {"x": "y" * 70}):
        cut = long if isinstance(long, dict) else long[:50]
        assert fields.shown(long) == repr(cut)[:60]
    assert fields.shown("x" * 49) == repr("x" * 49)
    for entry, why in (
        (["gap", 3, "1"], "what a multiplier of kind 'gap' is about must be a list, got 3"),
        (["gap", [-1], "1"], "what a multiplier of kind 'gap' is about must be a whole number"),
        (["gap", [], 1], r"multiplier 'gap' about \[\] must be a fraction such as 3/4"),
    ):
        with pytest.raises(InvalidInput, match=f"^{why}"):
            fields.multipliers_of([entry])
    with pytest.raises(InvalidInput, match=r"^certificate must be an object with named fields"):
        check_inequality([])
    with pytest.raises(InvalidInput, match=r"^constant that a certificate leaves must be a frac"):
        check_inequality({**GOOD["height"], "left_over": 0})


def test_what_is_left_is_named_by_its_place() -> None:
    data = copy.deepcopy(STORED["block"]["document"])
    for k, (kind, _, _) in enumerate(data["multipliers"]):
        bad = copy.deepcopy(data)
        if kind == "interpolation":
            bad["multipliers"][k][2] = "0"
            with pytest.raises(InvalidInput, match=r"function values are left over at \("):
                verify(bad)
    smooth = copy.deepcopy(STORED["alike"]["document"])
    smooth["multipliers"] = [[k, a, y] for k, a, y in smooth["multipliers"] if k != "distance"]
    with pytest.raises(InvalidInput, match="do not prove the stated bound"):
        verify(smooth)
    smooth["bound"] = "0"
    with pytest.raises(InvalidInput, match="the remainder in block 0 is no sum of squares"):
        verify(smooth)
    told = copy.deepcopy(STORED["optimum"]["document"])
    told["case"]["settings"]["importance"] = ["1/2", "1/2"]
    assert verify(told) == Fraction(told["bound"])


def test_squares_that_nothing_connects_are_at_least_0() -> None:
    """|e_0|^2 / 2 + |e_1|^2 / 2 >= 0: the entries beside the diagonal are 0."""
    none = {"squares": [], "values": [], "constant": "0"}
    apart = {**none, "squares": [[0, 0, "-1/2"], [1, 1, "-1/2"]]}
    changes = {"left": apart, "right": none, "assumed": [], "multipliers": []}
    assert check_inequality({**GOOD["height"], **changes}) == 1


def test_noise_is_refused_by_its_name() -> None:
    noisy = Question(FunctionClass(1), Conditions(distance_squared=1, gradient_noise_squared=1))
    encoding = Case("fedavg", Trace.fresh([[1], [1]]), noisy, "1/2").encode()
    rule = r"^case of a certificate must be without noise, got gradient noise$"
    with pytest.raises(InvalidInput, match=rule):
        check_sum(Combination(encoding, [], "0"))
