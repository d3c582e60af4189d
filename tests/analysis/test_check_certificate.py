"""The standalone checker: proofs written by hand are accepted, faults are rejected with their
reasons."""

from fractions import Fraction as F

import numpy as np
import pytest

from tests.analysis.hand_proofs import CONVEX, SMALLEST, edited, with_entry
from verification.check_certificate import bound_of_rows, number, semidefinite, well_formed


def check(data):
    """The bound that the rows of a file give; proofs by hand have no method."""
    return well_formed(bound_of_rows, data)


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
            "'DISTANCE' is no metric",
        ),
        (CONVEX, {"weights": None}, "weights is no list of 1"),
        (CONVEX, {"points": [[9]]}, "record of a point: 9 is no number below 2"),
        (CONVEX, {"classes": 3}, "classes is no list"),
        (CONVEX, {"owners": [0, 0, 2]}, "owners: 2 is no number below 2"),
        (CONVEX, {"first_model": [1]}, "first_model is no object"),
        (CONVEX, {"bound": "1/0"}, "a field is missing or malformed: ZeroDivisionError.*"),
        (CONVEX, {"has_optimum": 7}, "has_optimum is neither true nor false"),
        (CONVEX, {"weights": ["1/2", "1/2"]}, "weights is no list of 1"),
        (SMALLEST, {"points": [[0], [1, 1]]}, "a point is no list of 2"),
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
