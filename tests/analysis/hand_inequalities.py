"""Proofs of inequalities that are written by hand, and faults of them with the reasons of the
standalone checker."""

from typing import Any

from tests.analysis.hand_proofs import edited, with_entry
from verification.check_inequality import FORMAT

Json = dict[str, Any]


def expression(*, squares: list[Any] = [], values: list[Any] = [], constant: str = "0") -> Json:  # noqa: B006
    return {"squares": squares, "values": values, "constant": constant}


HEIGHT: Json = {
    "format": FORMAT,
    "smoothness": "3",
    "lowest_curvature": "0",
    "basis": 2,
    "functions": [[[{}, {}], [{"0": "1"}, {"1": "1"}]]],
    "assumed": [expression(squares=[[0, 0, "1"]], constant="-2")],
    "left": expression(values=[[0, 0, "-1"], [0, 1, "1"]]),
    "right": expression(constant="3"),
    "factor": "1",
    "left_over": "0",
    "multipliers": [["interpolation", [0, 0, 1], "1"], ["assumed", [0], "3/2"]],
}
"""If |x - x*|^2 <= 2 and L = 3, f(x) - f* <= 3: what is left is |g - L x|^2 / (2L)."""

CURVED: Json = {
    **HEIGHT,
    "lowest_curvature": "1",
    "assumed": [],
    "left": expression(squares=[[0, 0, "3"], [1, 1, "1"]]),
    "right": expression(squares=[[0, 1, "4"]]),
    "multipliers": [["interpolation", [0, 0, 1], "2"], ["interpolation", [0, 1, 0], "2"]],
}
"""m L |x|^2 + |g|^2 <= (m + L) <g, x>, with nothing left (Nesterov 2018, Theorem 2.1.12)."""
TWO: Json = {
    **CURVED,
    "functions": [HEIGHT["functions"][0], [[{}, {}], [{"0": "2"}, {"2": "1/2"}]]],
    "basis": 3,
    "left": expression(squares=[[0, 0, "12"], [2, 2, "1/4"]]),
    "right": expression(squares=[[0, 2, "4"]]),
    "multipliers": [["interpolation", [1, 0, 1], "2"], ["interpolation", [1, 1, 0], "2"]],
}
"""The same of another function, at 2x with gradient g/2."""
GOOD = {"height": HEIGHT, "curved": CURVED, "two": TWO}


def at(*path: Any, value: Any) -> Json:
    return with_entry(HEIGHT, value, *path)


NO_FUNCTION = at("functions", value=[])
BACK = ["interpolation", [0, 1, 0], "1"]
REASONS: list[tuple[Json, str]] = [
    (at("says", value=3), "says is no text"),
    (at("more", value=3), "the certificate has an unknown field 'more'"),
    (at("m" * 50, value=3), f"the certificate has an unknown field '{'m' * 40}'"),
    ({k: x for k, x in HEIGHT.items() if k != "left"}, "the certificate has no field 'left'"),
    (at("basis", value=501), "basis: 501 is no number below 501"),
    (at("basis", value=True), "basis: True is no number below 501"),
    (at("basis", value=-1), "basis: -1 is no number below 501"),
    (edited(NO_FUNCTION, basis=0, assumed=[], left=expression(), multipliers=[]),
     "the basis has no size up to 500"),
    (at("functions", value={}), "functions is no list"),
    (at("functions", 0, value={}), "records is no list"),
    (at("functions", 0, 0, value=[{}]), "a record is no list of 2"),
    (at("functions", 0, 0, 0, value=[]), "a record is no object"),
    (at("functions", 0, 0, 0, value={"2": "1"}), "a record: 2 is no number below 2"),
    (at("functions", 0, 0, 0, value={"01": "1"}), "a record: '01' is no number of a basis vector"),
    (at("functions", 0, 0, 0, value={"²": "1"}), "a record: '²' is no number of a basis vector"),
    (at("functions", 0, 0, 0, value={"1" * 10: "1"}),
     "a record: '1111111111' is no number of a basis vector"),
    (at("functions", 0, 0, 0, value={"1" * 9: "1"}), "a record: 111111111 is no number below 2"),
    (at("functions", 0, 0, 0, value={"x" * 50: "1"}),
     f"a record: '{'x' * 40}' is no number of a basis vector"),
    (at("functions", 0, 0, 0, value={"0": 1}), "'1' is no short fraction"),
    (at("functions", 0, 0, 0, value={"0": "1"}), "a point occurs twice in a function"),
    (at("left", "more", value=3), "an expression has an unknown field 'more'"),
    (at("left", "squares", value={}), "squares is no list"),
    (at("left", "values", value={}), "values is no list"),
    (at("assumed", value={}), "assumed is no list"),
    (at("assumed", 0, "squares", 0, value=[0]), "an entry of squares is no list of 3"),
    (at("assumed", 0, "squares", 0, 0, value=2), "squares: 2 is no number below 2"),
    (at("assumed", 0, "squares", 0, 1, value=2), "squares: 2 is no number below 2"),
    (at("assumed", 0, "squares", 0, 0, value=1), "a square is written twice over"),
    (at("left", "values", 0, 0, value=1), "values: 1 is no number below 1"),
    (at("left", "values", 0, 1, value=2), "values: 2 is no number below 2"),
    (with_entry(TWO, [[0, 2, "0"]], "left", "values"), "values: 2 is no number below 2"),
    (at("left", "values", 0, 1, value=1), "a second entry of values at 0, 1"),
    (at("right", "squares", value=[[0, 1, "1"], [0, 1, "0"]]),
     "a second entry of squares at 0, 1"),
    (at("left", "values", 0, 2, value="1e0"), "'1e0' is no short fraction"),
    (at("left", "constant", value="+0"), "'+0' is no short fraction"),
    (at("multipliers", value={}), "multipliers is no list"),
    (at("multipliers", 0, value=[]), "a multiplier is no list of 3"),
    (at("multipliers", 0, 0, value="h" * 50), f"'{'h' * 40}' is no kind of inequality"),
    (at("multipliers", 0, 0, value=7), "'7' is no kind of inequality"),
    (at("multipliers", 1, 1, value=[0, 0]), "an assumption is no list of 1"),
    (at("multipliers", 1, 1, value=[1]), "an assumption: 1 is no number below 1"),
    (at("multipliers", 0, 1, value=[0, 0]), "a pair of records is no list of 3"),
    (at("multipliers", 0, 1, value=[1, 0, 1]), "a function: 1 is no number below 1"),
    (at("multipliers", 0, 1, value=[0, 2, 1]), "a record: 2 is no number below 2"),
    (at("multipliers", 0, 1, value=[0, 0, 2]), "a record: 2 is no number below 2"),
    (at("multipliers", 0, 1, value=[0, 1, 1]), "no pair"),
    (at("multipliers", value=[*HEIGHT["multipliers"], ["assumed", [0], "0"]]),
     "a second multiplier of 'assumed'"),
    (at("multipliers", value=[*HEIGHT["multipliers"], BACK, BACK]),
     "a second multiplier of 'interpolation'"),
    (at("multipliers", 1, 2, value="-1/100"), "a multiplier is negative"),
    (at("smoothness", value="0"), "the curvatures are not an interval within [-L, L]"),
    (edited(HEIGHT, smoothness="-1", lowest_curvature="-2"),
     "the curvatures are not an interval within [-L, L]"),
    (at("lowest_curvature", value="3"), "the curvatures are not an interval within [-L, L]"),
    (at("lowest_curvature", value="-4"), "the curvatures are not an interval within [-L, L]"),
    (at("left", "values", 0, 2, value="-2"), "the function values do not cancel"),
    (at("left_over", value="1"), "the constant that is left is not the stated one"),
    (edited(HEIGHT, right=expression(constant="2"), left_over="-1"),
     "the constant that is left is negative"),
    (at("left", "squares", value=[[0, 0, "1/1000000000"]]),
     "what is left is not positive semidefinite"),
    (at("factor", value="1/0"), "a field is missing or malformed: ZeroDivisionError"
                               "('Fraction(1, 0)')"),
    (at("left", "squares", value=[[0, 0, f"1/{7**20000 % 10**2990}"]]),
     "what is left is not positive semidefinite"),
]  # fmt: skip
