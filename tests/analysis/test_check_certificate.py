"""The standalone checker and the package's: proofs written by hand, faults with their reasons, what
the command says."""

import json
import locale
from copy import deepcopy
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest

from fltheory.analysis.worst_case.proof import verify
from fltheory.core.errors import InvalidInput
from verification.check_certificate import FORMAT, check, main, number, semidefinite

STORED = Path(__file__).parents[2] / "verification" / "certificates"
NONE = dict.fromkeys(
    (
        "distance_squared",
        "loss_gap",
        "heterogeneity",
        "gradient_bound_squared",
        "dissimilarity_squared",
        "mean_dissimilarity_squared",
    )
)


def records(*pairs):
    return [{"point": point, "gradient": gradient} for point, gradient in pairs]


CONVEX = {
    "format": FORMAT,
    "says": "f(x) - f*",
    "smoothness": "3",
    "lowest_curvature": "0",
    "has_optimum": True,
    "owners": [0, 0],
    "first_model": {"0": "1"},
    "classes": [{"share": "1", "block": 0, "records": records(({}, {}), ({"0": "1"}, {"1": "1"}))}],
    "points": [[1]],
    "start": 0,
    "conditions": NONE | {"distance_squared": "2"},
    "metric": "LOSS",
    "weights": ["1"],
    "multipliers": [["distance", [], "3/2"], ["interpolation", [0, 0, 1], "1"]],
    "bound": "3",
}
"""f(x) - f* <= (L/2) |x - x*|^2: what is left is |g - L x|^2 / (2L)."""

SMALLEST = {
    "format": FORMAT,
    "smoothness": "3",
    "lowest_curvature": "-3",
    "has_optimum": False,
    "owners": [0, 0, 0, 0],
    "first_model": {"0": "1"},
    "classes": [
        {
            "share": "1/3",
            "block": 0,
            "records": records(({"0": "1"}, {"1": "1"}), ({"3": "1"}, {"3": "1"})),
        },
        {
            "share": "2/3",
            "block": 0,
            "records": records(({"0": "1"}, {"2": "1"}), ({"3": "1"}, {"0": "1"})),
        },
    ],
    "points": [[0, 0], [1, 1]],
    "start": 0,
    "conditions": NONE | {"loss_gap": "1/2"},
    "metric": "MIN_SQUARED_GRADIENT",
    "weights": ["1", "0"],
    "multipliers": [["gap", [], "6"], ["floor", [0], "6"], ["minimum", [0], "1"]],
    "bound": "3",
}
"""min |grad f|^2 <= |grad f(x_0)|^2 <= 2 L (f(x_0) - f*), for two clients of unequal shares;
nothing is left."""


def edited(good, **changes):
    return deepcopy(good) | changes


def with_entry(good, value, *path):
    """A copy with one entry changed, deep inside."""
    bad = deepcopy(good)
    inner = bad
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return bad


def test_a_proof_by_hand_is_accepted():
    assert check(CONVEX) == 3
    assert check(SMALLEST) == 3
    nothing_asked = edited(
        CONVEX, multipliers=[["distance", [], "0"], ["interpolation", [0, 0, 1], "1"]], bound="0"
    )
    with pytest.raises(ValueError, match=r"^what is left is not positive semidefinite$"):
        check(nothing_asked)


@pytest.mark.parametrize(
    ("good", "kind", "about", "name"),
    [
        (CONVEX, "gradient", [0, 1], "gradient_bound_squared"),
        (CONVEX, "heterogeneity", [], "heterogeneity"),
        (SMALLEST, "dissimilarity", [1, 0], "dissimilarity_squared"),
        (SMALLEST, "mean_dissimilarity", [0], "mean_dissimilarity_squared"),
    ],
)
def test_a_true_condition_more_weakens_the_bound_by_its_size(good, kind, about, name):
    conditions, multipliers = (
        good["conditions"] | {name: "7"},
        [*good["multipliers"], [kind, about, "2"]],
    )
    assert (
        check(edited(good, bound="17", conditions=conditions, multipliers=multipliers)) == 3 + 2 * 7
    )


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("classes", 0, "records", 0, "gradient"), {"1": "1"}),
        (("classes", 0, "records", 0, "point"), {"0": "1"}),
    ],
)
def test_an_optimum_stands_still_at_the_origin(path, value):
    with pytest.raises(ValueError, match=r"^the first records are not those of an optimum$"):
        check(with_entry(CONVEX, value, *path))


LEFT_OVER = "the function values do not cancel at"


@pytest.mark.parametrize(
    ("good", "changes", "reason"),
    [
        (CONVEX, {"bound": "2"}, "the multipliers do not prove the stated bound"),
        (CONVEX, {"bound": "4"}, "the multipliers do not prove the stated bound"),
        (
            CONVEX,
            {"multipliers": [["distance", [], "3/2"], ["interpolation", [0, 0, 1], "-1"]]},
            "a multiplier is negative",
        ),
        (
            CONVEX,
            {"multipliers": [["distance", [], "3/2"], ["interpolation", [0, 0, 1], "1/2"]]},
            rf"{LEFT_OVER} \(0, 1\)",
        ),
        (
            CONVEX,
            {
                "multipliers": [["distance", [], "7/5"], ["interpolation", [0, 0, 1], "1"]],
                "bound": "14/5",
            },
            "what is left is not positive semidefinite",
        ),
        (SMALLEST, {"multipliers": SMALLEST["multipliers"][:2]}, rf"{LEFT_OVER} \('smallest',\)"),
        (
            SMALLEST,
            {"multipliers": [["gap", [], "6"], ["floor", [0], "5"], ["minimum", [0], "1"]]},
            rf"{LEFT_OVER} \(0, 0\)",
        ),
        (
            CONVEX,
            {"metric": "DISTANCE"},
            r"a field is missing or malformed: KeyError\('DISTANCE'\)",
        ),
        (CONVEX, {"weights": None}, "a field is missing or malformed: TypeError.*"),
        (CONVEX, {"points": [[9]]}, "a field is missing or malformed: IndexError.*"),
        (CONVEX, {"classes": 3}, "a field is missing or malformed: TypeError.*"),
        (CONVEX, {"owners": [0, 0, 2]}, "bad curvatures"),
        (CONVEX, {"first_model": [1]}, "a field is missing or malformed: AttributeError.*"),
        (CONVEX, {"bound": "1/0"}, "a field is missing or malformed: ZeroDivisionError.*"),
        (CONVEX, {"has_optimum": 7}, r"a field is missing or malformed: KeyError\(7\)"),
        (CONVEX, {"weights": ["1/2", "1/2"]}, ".*longer than.*"),
        (SMALLEST, {"points": [[0], [1, 1]]}, ".*shorter than.*"),
    ],
)
def test_a_proof_with_a_fault_is_rejected_with_its_reason(good, changes, reason):
    with pytest.raises(ValueError, match=f"^{reason}$"):
        check(edited(good, **changes))


def test_numbers_are_short_fractions():
    assert (number("-1234567890/7"), number("0" * 2999 + "7")) == (F(-1234567890, 7), 7)
    for text in ("1e3", "1.5", " 1", "٣", "", "0" * 3001, 3, None, ["1"]):
        with pytest.raises(ValueError, match=r"is no short fraction|Invalid literal"):
            number(text)
    for letter in "xX":
        with pytest.raises(ValueError, match=f"^{letter * 40!r} is no short fraction$"):
            number(letter * 50)


def test_semidefinite_matrices_are_told_from_others():
    assert semidefinite([[2, 1], [1, 2]])
    assert semidefinite([[1, 1, 0], [1, 1, 0], [0, 0, 0]])
    assert semidefinite([[0, 0, 0], [0, 2, 2], [0, 2, 3]])
    assert semidefinite([])
    assert not semidefinite([[-1]])
    assert not semidefinite([[1, 2], [2, 1]])
    assert not semidefinite([[0, 1], [1, 5]])
    assert not semidefinite([[1, 1, 1], [1, 1, 1], [1, 1, 0]])
    random = np.random.default_rng(0).integers(-3, 4, (20, 5, 4)).astype(object)
    for root in random:
        gram = root @ root.T  # singular
        assert semidefinite([list(row) for row in gram])
        gram[4, 4] -= 1
        assert semidefinite([list(row) for row in gram]) == (
            min(np.linalg.eigvalsh(gram.astype(float))) > -1e-9
        )


def run(folder, capsys, content):
    file = folder / "file.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    code = main(file)
    told = capsys.readouterr().out
    assert told.startswith(f"{file}: ")
    return code, told.removeprefix(f"{file}: ")


def test_the_command_says_what_is_proved_or_why_not(tmp_path, capsys):
    assert run(tmp_path, capsys, CONVEX) == (0, "proved: f(x) - f* is at most 3, exactly 3\n")
    assert run(tmp_path, capsys, SMALLEST) == (0, "proved: the metric is at most 3, exactly 3\n")
    third = edited(
        CONVEX,
        bound="20000000/6",
        multipliers=[["distance", [], "10000000/6"], ["interpolation", [0, 0, 1], "1"]],
    )
    assert run(tmp_path, capsys, third) == (
        0,
        "proved: f(x) - f* is at most 3333333.33, exactly 20000000/6\n",
    )
    assert run(tmp_path, capsys, edited(CONVEX, bound="2")) == (
        1,
        "rejected: the multipliers do not prove the stated bound\n",
    )
    huge = edited(
        CONVEX,
        multipliers=[["distance", [], "1" + "0" * 400], ["interpolation", [0, 0, 1], "1"]],
        bound="2" + "0" * 400,
    )
    assert run(tmp_path, capsys, huge) == (
        1,
        "rejected: integer division result too large for a float\n",
    )
    wrong = "unusable: not a certificate of this format\n"
    assert run(tmp_path, capsys, edited(CONVEX, format="another")) == (2, wrong)
    assert run(tmp_path, capsys, "[]") == (2, wrong)
    assert run(tmp_path, capsys, "{}") == (2, wrong)
    for text in ("{", "[" * 100_000):
        code, told = run(tmp_path, capsys, text)
        assert code == 2
        assert told.startswith("unusable: ")
    full = json.dumps(CONVEX)
    assert run(tmp_path, capsys, " " * (2**24 - len(full)) + full)[0] == 0
    assert run(tmp_path, capsys, " " * 2**24 + full)[0] == 2
    assert main(tmp_path / "absent.json") == 2
    assert "unusable: [Errno 2]" in capsys.readouterr().out


def test_the_command_reads_the_same_everywhere(tmp_path, capsys):
    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C")
    try:
        told = run(
            tmp_path, capsys, json.dumps(edited(CONVEX, says="staleness τ"), ensure_ascii=False)
        )
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    assert told == (0, "proved: staleness τ is at most 3, exactly 3\n")


@pytest.mark.parametrize(
    "name",
    [
        "afl-simple-delay0-rounds3",
        "fedlaavg-everyone-steps1-1over10",
        "fedlaavg-turns-steps1-1over10",
    ],
)
def test_a_stored_certificate_proves_its_bound_for_its_own_case(name):
    data = json.loads((STORED / f"{name}.json").read_text(encoding="utf-8"))
    assert check(data) == verify(data) == F(data["bound"])
    assert isinstance(verify(data), F)


def test_a_proof_about_another_case_is_refused_by_the_package():
    data = json.loads((STORED / "afl-simple-delay0-rounds1.json").read_text(encoding="utf-8"))
    with pytest.raises(
        InvalidInput,
        match=(
            r"^certificate must prove its bound, got the multipliers do not prove the stated bound$"
        ),
    ):
        verify(edited(data, bound="1/2"))
    for change, name in (
        ({"metric": "MIN_SQUARED_GRADIENT"}, "metric"),
        ({"smoothness": "2"}, "smoothness"),
    ):
        with pytest.raises(
            InvalidInput,
            match=(
                f"^{name} in a certificate must be what the method itself gives, got something"
                " else$"
            ),
        ):
            verify(edited(data, case=data["case"] | change))
    with pytest.raises(InvalidInput):
        verify({name: value for name, value in data.items() if name != "case"})
