"""Two proofs of bounds that are written by hand, and ways to change them."""

from copy import deepcopy
from typing import Any

from verification.check_certificate import FORMAT

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

SMALLEST: dict[str, Any] = {
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
