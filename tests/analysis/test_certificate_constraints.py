"""The standalone checker's constraints against their textbook forms at concrete vectors, and
settings that it must refuse."""

from copy import deepcopy
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from verification.check_certificate import Sum


def records(*pairs):
    return [{"point": point, "gradient": gradient} for point, gradient in pairs]


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


SETTING = {
    "owners": [0, 0, 0, 0, 0, 1, 1],
    "start": 1,
    "smoothness": "5/2",
    "lowest_curvature": "-1/3",
    "has_optimum": False,
    "metric": "LOSS",
    "first_model": {"1": "2", "3": "-1/7"},
    "weights": ["1/4", "3/4"],
    "points": [[1, 0], [0, 1]],
    "bound": "0",
    "multipliers": [],
    "conditions": {
        "distance_squared": "2",
        "loss_gap": "3",
        "heterogeneity": "5",
        "gradient_bound_squared": "7",
        "dissimilarity_squared": "11",
        "mean_dissimilarity_squared": "13",
    },
    "classes": [
        {
            "share": "2/5",
            "block": 1,
            "records": records(
                ({"1": "2", "3": "-1/7"}, {"0": "1", "5": "1"}),
                ({"0": "1/2", "2": "3"}, {"1": "1", "6": "-2"}),
                ({"4": "1", "5": "3"}, {"2": "1"}),
            ),
        },
        {
            "share": "3/5",
            "block": 0,
            "records": records(
                ({"0": "1/2", "2": "3"}, {"2": "1"}),
                ({"1": "2", "3": "-1/7"}, {"4": "1/3", "0": "1"}),
            ),
        },
    ],
}
"""Two classes, one of them with deviations of its own (basis vectors 5 and 6), met at two common
points."""
BASIS = np.array(
    [
        [F(n) for n in row]
        for row in ((1, 2, 0), (0, 1, -1), (3, 1, 1), (-2, 5, 1), (1, 1, 4), (7, 0, 2), (1, -3, 1))
    ]
)
VALUES = {
    (0, 0): F(3),
    (0, 1): F(-2),
    (0, 2): F(5, 3),
    (1, 0): F(7),
    (1, 1): F(1, 2),
    ("smallest",): F(17),
}
LARGEST, SHARES = F(5, 2), (F(2, 5), F(3, 5))


def vector(row, *, mean=False):
    return sum(
        (F(x) * BASIS[int(k)] for k, x in row.items() if not (mean and SETTING["owners"][int(k)])),
        np.zeros(3, dtype=object),
    )


def at(c, r, *, mean=False):
    """Point and gradient of a record; the mean over a class leaves out the deviations."""
    record = SETTING["classes"][c]["records"][r]
    return vector(record["point"], mean=mean), vector(record["gradient"], mean=mean)


def square(v):
    return v @ v


def evaluated(total):
    """What a sum of constraints' left sides amounts to at these vectors and values."""

    def row(name):
        if name == "first":
            return vector(SETTING["first_model"])
        c, r, part = name
        return at(c, r, mean=part == 2)[min(part, 1)]

    return sum(x * (row(u) @ row(v)) for (u, v), x in total.squares.items()) + sum(
        x * VALUES[name] for name, x in total.values.items()
    )


def mean_gradient(point):
    return sum(SHARES[c] * at(c, r, mean=True)[1] for c, r in enumerate(point))


def mean_value(point):
    return sum(SHARES[c] * VALUES[c, r] for c, r in enumerate(point))


def interpolation(c, i, j, *, high=LARGEST, low=F(-1, 3)):
    """Taylor, Hendrickx and Glineur (2017), Theorem 4: f_i >= f_j + <g_j, x_i - x_j> + ..., as left
    side <= 0."""
    (x, g), (y, h) = at(c, i), at(c, j)
    inner = square(g - h) / high + low * square(x - y) - 2 * low / high * ((h - g) @ (y - x))
    return VALUES[c, j] - VALUES[c, i] + h @ (x - y) + inner / (2 * (1 - low / high))


def apart(c, point):
    return square(at(c, point[c])[1] - mean_gradient(point))


POINTS: Any = SETTING["points"]
TEXTBOOK = [
    ("interpolation", (0, 0, 1), interpolation(0, 0, 1), 0),
    ("interpolation", (0, 2, 0), interpolation(0, 2, 0), 0),
    ("interpolation", (1, 1, 0), interpolation(1, 1, 0), 0),
    ("floor", (1,), square(mean_gradient(POINTS[1])) / (2 * LARGEST) - mean_value(POINTS[1]), 0),
    ("minimum", (0,), VALUES["smallest",] - square(mean_gradient(POINTS[0])), 0),
    ("gap", (), mean_value(POINTS[1]), 3),
    ("dissimilarity", (0, 0), apart(0, POINTS[0]), 11),
    ("dissimilarity", (1, 1), apart(1, POINTS[1]), 11),
    ("mean_dissimilarity", (0,), sum(SHARES[c] * apart(c, POINTS[0]) for c in (0, 1)), 13),
    ("gradient", (1, 1), square(at(1, 1)[1]), 7),
]


@pytest.mark.parametrize(("kind", "about", "left", "right"), TEXTBOOK)
def test_a_constraint_is_its_textbook_form(kind, about, left, right):
    for factor in (F(1), F(3, 7)):
        total = Sum(SETTING)
        assert total.constraint(kind, about, factor) == right
        assert evaluated(total) == factor * left
    total.constraint(*TEXTBOOK[3][:2], F(2))
    assert evaluated(total) == factor * left + 2 * TEXTBOOK[3][2]


def test_constraints_about_an_optimum_are_their_textbook_form():
    known = edited(SETTING, has_optimum=True, points=[[1, 1], [0, 0]])
    known["classes"][0]["records"] = records(({}, {"0": "3", "5": "1"}), ({"1": "2"}, {"2": "1"}))
    known["classes"][1]["records"] = records(({}, {"0": "-2"}), ({"1": "2"}, {"4": "1"}))
    total = Sum(known)
    assert total.constraint("distance", (), F(2)) == 2
    assert dict(total.squares) == {("first", "first"): 2}
    assert total.constraint("heterogeneity", (), F(5)) == 5
    assert total.squares[(0, 0, 1), (0, 0, 1)] == 5 * F(2, 5)
    assert total.squares[(1, 0, 1), (1, 0, 1)] == 5 * F(3, 5)
    assert len(total.squares) == 3
    with pytest.raises(ValueError, match=r"^'floor' does not hold here$"):
        total.constraint("floor", (0,), F(1))


@pytest.mark.parametrize(
    ("kind", "about"),
    [
        ("distance", ()),
        ("heterogeneity", ()),
        ("interpolation", (-1, 0, 1)),
        ("interpolation", (0, 0, -1)),
        ("minimum", (0,)),
        ("gap", ()),
        ("truth", ()),
    ],
)
def test_a_constraint_that_does_not_hold_is_refused(kind, about):
    setting = edited(SETTING, weights=["0", "1"], first_model={"1": "2"})
    with pytest.raises(ValueError, match=f"^'{kind}' does not hold here$"):
        Sum(setting).constraint(kind, about, F(1))


def test_what_is_left_in_a_block_is_the_sum_of_squares_over_its_vectors():
    total = Sum(SETTING)
    for kind, about, _, _ in TEXTBOOK:
        total.constraint(kind, about, F(1, 3))
    total.add(F(1, 6), ["first"], [[1]])

    def coefficients(name, columns):
        if name == "first":
            return [F(SETTING["first_model"].get(str(k), 0)) for k in columns]
        c, r, part = name
        row = SETTING["classes"][c]["records"][r]["gradient" if part else "point"]
        return [F(row.get(str(k), 0)) if k < 5 or part < 2 else F(0) for k in columns]

    for block, columns in ((0, range(5)), (1, (5, 6))):
        expected = sum(
            x * np.outer(coefficients(u, columns), coefficients(v, columns))
            for (u, v), x in total.squares.items()
        )
        found = np.array(total.left(block), dtype=object)
        scales = {
            F(found[place], 1) / expected[place]
            for place in np.ndindex(*expected.shape)
            if expected[place]
        }
        assert len(scales) == 1
        assert min(scales) > 0
        assert (found == min(scales) * expected).all()
        assert all(isinstance(x, int) for x in found.ravel())


OTHERS = "a row uses deviations of another class"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("classes", 0, "share"), "0", "bad shares or weights"),
        (("classes", 0, "share"), "1/2", "bad shares or weights"),
        (("weights",), ["5/4", "-1/4"], "bad shares or weights"),
        (("weights",), ["1", "1"], "bad shares or weights"),
        (("lowest_curvature",), "-8/3", "bad curvatures"),
        (("lowest_curvature",), "5/2", "bad curvatures"),
        (("smoothness",), "1/10", "bad curvatures"),
        (("classes", 1, "block"), 3, "bad curvatures"),
        (("smoothness",), "1.5", "'1.5' is no short fraction"),
        (("smoothness",), 3, "'3' is no short fraction"),
        (("points", 0), [0, 0], "a point is not common to all"),
        (("has_optimum",), True, "the first records are not those of an optimum"),
        (("classes", 0, "block"), 2, OTHERS),
        (("classes", 0, "block"), 0, OTHERS),
        (("owners",), [0, 0, 0, 0, 2, 1, 1], OTHERS),
        (("classes", 1, "records", 0, "gradient"), {"6": "1"}, OTHERS),
        (("first_model",), {"5": "1"}, OTHERS),
        (("first_model",), {"-1": "1"}, OTHERS),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(path, value, reason):
    with pytest.raises(ValueError, match=f"^{reason}$"):
        Sum(with_entry(SETTING, value, *path))


def test_every_class_has_a_share_and_every_point_a_weight():
    absent = with_entry(with_entry(SETTING, "0", "classes", 0, "share"), "1", "classes", 1, "share")
    with pytest.raises(ValueError, match=r"^bad shares or weights$"):
        Sum(absent)
    for weights in (["1"], ["1/4", "1/4", "1/2"]):
        with pytest.raises(ValueError, match="argument 2 is"):
            Sum(edited(SETTING, weights=weights))


def test_a_common_point_lies_in_the_common_space():
    """Where all classes were asked at a point that uses one class's deviations, it is not the same
    point for all members."""
    bad = edited(SETTING, classes=SETTING["classes"][:1], weights=["1"], points=[[2]], start=0)
    bad["classes"] = deepcopy(bad["classes"])
    bad["classes"][0]["share"] = "1"
    with pytest.raises(ValueError, match="a point is not common to all"):
        Sum(bad)
    assert Sum(with_entry(bad, [[0]], "points")).points == [[0]]


def test_denominators_that_multiply_without_end_are_refused():
    total = Sum(SETTING)
    total.add(F(1, 2**99_999), [(0, 0, 1)], [[1]])
    assert total.left(0)[0][0] == 1
    total.add(F(1, 2**100_000), [(0, 0, 1)], [[1]])
    with pytest.raises(ValueError, match=r"^the denominators are too long$"):
        total.left(0)
