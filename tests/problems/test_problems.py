"""Every problem keeps its promises on drawn settings; values by hand, and refusals."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import fltheory.problems
from fltheory import RATIONAL, FedAvg, InvalidInput, Quadratic, Trace
from fltheory.core.registry import Member, Settings, members
from fltheory.engine.simulate import simulate
from fltheory.problems.bounded_gradient import Sine
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.constants import Constants
from fltheory.problems.objective import loss_gap
from tests.problems.promises import same_in_every_arithmetic, slopes_are_gradients, violations

PROBLEMS = members(fltheory.problems)


numbers = st.fractions(-3, 3, max_denominator=8)
curvatures, bounds = numbers.filter(bool), st.fractions("1/4", 2, max_denominator=4)


@st.composite
def given_settings(draw: st.DrawFn) -> dict[str, Any]:
    """Values for every setting that a problem may ask for."""
    count, dimension = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    parts = draw(st.lists(st.integers(1, 4), min_size=count, max_size=count))
    importance = tuple(Fraction(part, sum(parts)) for part in parts)

    def rows(entries: Any) -> list[tuple[Fraction, ...]]:
        return draw(st.lists(st.tuples(*[entries] * dimension), min_size=count, max_size=count))

    tilts = np.array(rows(numbers))
    tilts = tilts - np.array(importance) @ tilts
    return {
        "importance": importance,
        "optima": rows(numbers),
        "phases": rows(numbers),
        "curvatures": rows(curvatures),
        "tilts": tilts.tolist(),
        "common": draw(numbers),
        "knots": (-1, 1),
        "slopes": draw(st.lists(st.tuples(numbers, numbers), min_size=count, max_size=count)),
        "ends": draw(st.lists(st.tuples(numbers, numbers), min_size=count, max_size=count)),
        "gradient_bound": draw(bounds),
        "noise_squared": draw(st.integers(0, 2)),
    }


def build(member: Member, drawn: dict[str, Any]) -> Any:
    """A member with the drawn curvatures, or with a common one if it wants that."""
    try:
        return member.build(Settings(drawn))
    except InvalidInput:
        return member.build(Settings(drawn | {"curvatures": (drawn["common"],)}))


def generic_points(dimension: int) -> st.SearchStrategy[Any]:
    """Points away from the ends of all pieces, which have small denominators."""
    offset = Fraction(1, 100_003)
    return st.lists(
        st.tuples(*[numbers.map(lambda x: 2 * x + offset)] * dimension), min_size=4, max_size=4
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "contract",
    [
        slopes_are_gradients,
        same_in_every_arithmetic,
        lambda problem, points: _no_violations(problem, points),
    ],
    ids=["slopes", "arithmetics", "constants"],
)
@pytest.mark.parametrize("name", PROBLEMS)
@settings(max_examples=8)
@given(st.data())
def test_every_problem_keeps_the_contract(name: str, contract: Any, data: st.DataObject) -> None:
    problem = build(PROBLEMS[name], data.draw(given_settings()))
    contract(problem, data.draw(generic_points(problem.dimension)))


def _no_violations(problem: Any, points: Any) -> None:
    assert violations(problem, problem.constants, points) == set()
    assert problem.constants.gradient_noise_squared == problem.noise_squared


def test_constants_by_hand() -> None:
    mifa = Quadratic(curvatures=(1, 2, 3), optima=(1, -2, "1/2")).constants
    assert mifa.optimum == (Fraction(-1, 4),)
    assert (
        mifa.dissimilarity_at_optimum
        == (Fraction(-5, 4) ** 2 + Fraction(7, 2) ** 2 + Fraction(-9, 4) ** 2) / 3
    )
    apart = Quadratic(curvatures=(2, 2), optima=(-3, 3)).constants
    assert (apart.dissimilarity_squared, apart.smoothness, apart.infimum) == (36, 2, 9)
    assert mifa.dissimilarity_squared is None
    assert (Sine(phases=(0, 1)).constants.infimum, Sine(phases=[(0, 1)] * 3).constants.infimum) == (
        None,
        -2,
    )


def test_a_huber_loss_by_hand() -> None:
    """x^2/2 within 1 of each centre: 0 and 3 leave a flat stretch from 1 to 2; with unequal weights
    the optimum is unique."""
    flat = Clipped(centres=(0, 3), bound=1).constants
    assert (
        flat.optimum,
        flat.infimum,
        flat.dissimilarity_squared,
        flat.gradient_bound_squared,
    ) == (None, 1, 1, 1)
    tilted = Clipped(centres=(0, 3), bound=1, importance=("2/3", "1/3")).constants
    assert (tilted.optimum, tilted.dissimilarity_at_optimum) == (
        (Fraction(1, 2),),
        Fraction(2, 3) / 4 + Fraction(1, 3),
    )
    assert Clipped(centres=(0,), bound=1, curvatures=(-1,)).constants.infimum is None
    assert Clipped(centres=(0, 0), bound=1, curvatures=(-1, 1)).constants.infimum == 0


def test_symbols_pass_and_leave_constants_unknown() -> None:
    height = sympy.Symbol("h", positive=True)
    problem = Quadratic(curvatures=(height, 1), optima=(0, 1))
    assert problem.constants == Constants(gradient_noise_squared=Fraction(0))
    assert Clipped(centres=(height,), bound=1).constants.smoothness is None
    assert Sine(phases=(sympy.pi / 3,)).constants.infimum == -1


def test_the_gap_follows_a_trajectory() -> None:
    problem = Quadratic(curvatures=(1, 1), optima=(0, 2), importance=("1/4", "3/4"))
    run = simulate(FedAvg(), problem, Trace.fresh([[1, 1]] * 3), start=0, local_step_size=1)
    gaps = loss_gap(problem, run.models[..., None, :], RATIONAL)[..., 0, 0]
    assert list(gaps) == [(x - Fraction(3, 2)) ** 2 / 2 for x in run.models[:, 0]]
    with pytest.raises(InvalidInput, match="infimum of the global loss must be known"):
        loss_gap(CommonCurvature(-1, (0, 0)), [[0]], RATIONAL)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Quadratic((1, 1), (0,)), "optima must have one entry for each of 2 clients"),
        (lambda: Quadratic([(1, 1)], [(0,)]), "same number of coordinates"),
        (lambda: Quadratic([(1,), (1, 2)], (0, 0)), "same number of coordinates"),
        (lambda: Quadratic([()], [()]), "at least 1"),
        (lambda: Quadratic((), ()), "at least one client"),
        (lambda: Quadratic((1, "x"), (0, 0)), "curvature of client 1"),
        (lambda: Quadratic((1, 1), (0, 1), noise_squared=-1), "noise variance must be at least 0"),
        (lambda: Quadratic((1, 1), (0, 1), importance=("1/2", "1/3")), "importance must sum to 1"),
        (
            lambda: Quadratic((1, 1), (0, 1), noise_squared=1).equally_weighted(),
            "noise variance must be 0",
        ),
        (lambda: CommonCurvature(1, (1, 1)), "sum of the tilts in coordinate 0 must be 0, got 1"),
        (lambda: Clipped((0, 1), bound=0), "gradient bound must be above 0"),
        (
            lambda: Clipped((0, 1), bound=1, curvatures=(1, 0)),
            "curvature of client 1 must not be 0",
        ),
        (lambda: Clipped((0, 1), bound=1, curvatures=(1,)), "one entry for each client"),
        (lambda: PROBLEMS["quadratic"].build(Settings()), "optima is required"),
        (
            lambda: PROBLEMS["common-curvature"].build(
                Settings({"curvatures": (1, 2), "tilts": (1, -1)})
            ),
            "one common number",
        ),
    ],
)
def test_bad_input_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()
