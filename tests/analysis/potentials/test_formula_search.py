"""Formulas found by a fit at sample points and proved for every staleness; a fit that cannot be
proved, or that does not exist, is told."""

from dataclasses import replace
from fractions import Fraction as F

import pytest
import sympy

from fltheory.analysis.potentials.closed_form import AGE, ETA, conditions
from fltheory.analysis.potentials.formula_search import Shapes, search_formulas


@pytest.mark.slow
def test_a_potential_for_longer_steps_is_found_and_proved() -> None:
    found = search_formulas(reach=F(3, 2), largest_mu=F(1, 100))
    assert found.formulas is not None
    assert (found.formulas.reach, found.formulas.largest_mu) == (F(3, 2), F(1, 100))
    spoilt = replace(found.formulas, mixed=found.formulas.mixed / 9)
    assert not all(one.holds() for one in conditions(spoilt))
    assert found.fit["mixed a"] == pytest.approx(
        float(found.formulas.mixed.coeff(AGE)), abs=1 / 2
    ), "rounded from the fit"


@pytest.mark.slow
def test_nothing_is_found_beyond_the_sharp_step() -> None:
    found = search_formulas(reach=F(21, 10), largest_mu=F(1, 100))
    assert found.formulas is None
    assert found.why == "no factors satisfy the conditions at the sample points"


@pytest.mark.slow
def test_shapes_that_cannot_carry_a_proof_are_told() -> None:
    flat = Shapes(square=(sympy.Integer(1),), common=(ETA,))
    found = search_formulas(shapes=flat, largest_mu=F(1, 100))
    assert found.formulas is None
    assert found.why
