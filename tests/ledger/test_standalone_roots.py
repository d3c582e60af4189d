"""Runs whose step sizes or weights have square roots, in both replayers."""

import copy
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
import sympy

from fltheory.claims.claim import Claim
from fltheory.claims.scenario import Scenario
from fltheory.problems.piecewise import PiecewiseQuadratic
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from tests.ledger.test_standalone_claims import answers, claim, file_of, run
from verification.replay_roots import parsed

FOUR = Trace.fresh([[1, 1], [1, 0], [1, 1], [0, 1]])
HUBER = PiecewiseQuadratic((-1, 1), [(-1, 1), (-2, 2)], [(0, 0), (0, 0)])
ROOTS: tuple[Any, ...] = tuple(1 / sympy.sqrt(t + 1) for t in range(4))
QUARTERS = tuple(root / 4 for root in ROOTS)
ROOTED: dict[str, tuple[Claim, Scenario]] = {
    "falling steps": (
        claim("last_squared_gradient", "<=", "0", step_size="1/(2*smoothness*sqrt(t + 1))"),
        run(trace=FOUR, local_step_size=QUARTERS),
    ),
    "a step of the root of the horizon": (
        claim(
            "mean_squared_gradient",
            "<=",
            "gradient_noise/1000",
            assumes=["local_step_size*smoothness*sqrt(num_rounds) = 1"],
        ),
        run(
            trace=FOUR.first(3),
            problem=Quadratic((1, 2), (0, 1), noise_squared=3),
            local_step_size=sympy.sqrt(3) / 6,
        ),
    ),
    "averages": (
        claim(
            "weighted_average_loss_gap",
            "<=",
            "sqrt(num_rounds)/1000",
            step_size="1/(4*sqrt(t + 1))",
            averaging="1/sqrt(t + 1)",
        ),
        run(trace=FOUR, local_step_size=QUARTERS, averaging=ROOTS),
    ),
    "bent losses": (
        claim("loss_gap_of_average", "<=", "1/100", losses="convex", step_size="1/(4*sqrt(t + 1))"),
        run(trace=FOUR, problem=HUBER, start="1/3", local_step_size=QUARTERS),
    ),
}


@pytest.mark.parametrize("name", ROOTED)
def test_both_confirm_a_run_with_roots_and_refuse_others(name: str) -> None:
    about, scenario = ROOTED[name]
    data = file_of(about, scenario)
    assert answers(about, data) == (True, True)
    for value in data["values"]:
        moved = {**data["values"], value: ["+", data["values"][value], "1/1000000"]}
        assert answers(about, {**data, "values": moved}) == (False, False)
    bad: Any = copy.deepcopy(data)
    steps = bad["run"]["local_step_size"]
    if isinstance(steps, list):
        steps[2] = "sqrt(3)/13"
    else:
        bad["run"]["local_step_size"] = "sqrt(3)/7"
    assert answers(about, bad) == (False, False)


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(2)",
        "(1 - sqrt(5))/4",
        "-1/4 + sqrt(17)/4",
        "sqrt(2)*sqrt(3) - 7/3",
        "1/(1 + sqrt(12))",
    ],
)
def test_numbers_with_roots_are_those_of_sympy(text: str) -> None:
    own, told = parsed(text), sympy.sympify(text)
    pairs = [
        (own, told),
        (own * own, told**2),
        (1 / own, 1 / told),
        (own**-3, told**-3),
        (own + parsed("sqrt(3)") / 2, told + sympy.sqrt(3) / 2),
        (abs(own - 2), abs(told - 2)),
    ]
    for a, b in pairs:
        digits = a.decimal() if hasattr(a, "decimal") else Decimal(a.numerator) / a.denominator
        assert abs(sympy.Float(str(digits), 25) - b.evalf(30)) < 10**-20
    assert (own > 0, own < 1) == (bool(told > 0), bool(told < 1))
    assert (own // 1, (-own) // 1) == (sympy.floor(told), sympy.floor(-told))


def test_what_cancels_is_a_fraction_and_the_sign_of_what_is_nearly_0_is_known() -> None:
    assert parsed("sqrt(8) - 2*sqrt(2) + 1/3") == Fraction(1, 3)
    assert parsed("sqrt(2) + sqrt(3) - sqrt(5 + 0)") * 0 == 0
    near = parsed("sqrt(2)") - Fraction(1414213562373095048801688724, 10**27)
    assert near > 0
    assert near < Fraction(1, 10**26)
    assert parsed("sqrt(999983)*sqrt(999983)") == 999983
