"""Drawings repeat the recorded counterexample: at its last round both sides are those of the
file."""

from dataclasses import replace
from fractions import Fraction

import pytest

from fltheory.claims.claim import Order
from fltheory.ledger.drawing import Drawing, drawing
from fltheory.ledger.explain import Found, recorded_counterexample
from fltheory.papers import all_claims, find_claim


def drawn(claim_id: str) -> tuple[Drawing, Found]:
    claim = find_claim(claim_id)
    found = recorded_counterexample(claim)
    assert found is not None
    picture = drawing(claim, found)
    assert picture is not None
    return picture, found


@pytest.mark.slow
def test_both_sides_of_every_run_are_those_of_the_file() -> None:
    seen = 0
    for claim in all_claims().values():
        found = recorded_counterexample(claim)
        picture = drawing(claim, found)
        if found is None or picture is None or picture.kind != "run":
            continue
        for series in picture.sides:
            at_the_end = series.values[picture.rounds - 1]
            number = picture.numbers[("left", "right").index(series.name)]
            assert at_the_end == pytest.approx(number), claim.id
            seen += 1
    assert seen >= 20


def test_a_run_is_continued_and_its_path_begins_at_the_start() -> None:
    picture, found = drawn("afl.thm2")
    left, right = picture.sides
    assert picture.rounds < len(left.values)
    assert left.values[picture.rounds - 1] == float(Fraction(str(found.data["left"])))
    assert left.values[-1] > 1000 * right.values[-1]  # type: ignore[operator]
    assert picture.path[0].values[0] == 1


def test_another_run_gives_another_picture() -> None:
    claim, (picture, found) = find_claim("afl.thm2"), drawn("afl.thm2")
    run = found.data["run"]
    assert isinstance(run, dict)
    planted = replace(found, data={**found.data, "run": {**run, "local_step_size": "1/10"}})
    other = drawing(claim, planted)
    assert other is not None
    assert other.sides[0].values != picture.sides[0].values


def test_an_order_grows_along_its_path() -> None:
    picture, _ = drawn("mifa.thm5.1.dominance")
    values = [value for value in picture.sides[0].values if value is not None]
    assert picture.kind == "growth"
    assert values[-1] > 100 * values[0]
    assert isinstance(find_claim("mifa.thm5.1.dominance").statement, Order)


def test_a_claim_without_a_counterexample_has_no_picture() -> None:
    assert drawing(find_claim("afl.thm2c"), None) is None


def test_a_limit_is_drawn_as_a_level_beside_the_path() -> None:
    picture, _ = drawn("fraboni.ex2")
    assert [level.values for level in picture.levels] == [(0.6,), (0.5,)]
    assert len(picture.path[0].values) > 8
