"""Certificates for every horizon with questions that are too large: neither checker works on."""

from typing import Any

import pytest

from fltheory.analysis.potentials.certificate import question_from_json, size_of
from fltheory.analysis.worst_case.checking import LARGEST_QUESTION, _checked_forever
from fltheory.core.errors import InvalidInput
from tests.analysis.potentials.examples import standalone

QUESTION: dict[str, Any] = {
    "format": "fltheory forever certificate 1",
    "method": "mifa",
    "settings": {},
    "language": {"kind": "staleness", "bound": 2, "cold": False},
    "smoothness": "1",
    "lowest_curvature": "1/10",
    "step_size": "1/10",
    "local_steps": 1,
    "target": "distance",
    "all_steps": None,
    "rich": False,
    "rate": "9/10",
    **{n: {} for n in ("potential", "values", "relations", "bounds", "constants")},
    "multipliers": [],
    "uncorrelated": [],
}
STALE = {"kind": "staleness", "bound": 200, "cold": False}


@pytest.mark.parametrize(
    "more",
    [
        {"local_steps": 20},
        {"language": {"kind": "windows", "length": 20}, "local_steps": 2},
        {"language": STALE, "all_steps": {"falling": True}},
        {"language": {"kind": "delays", "bound": 30}, "method": "fedavg", "target": "gradient"},
    ],
)
def test_large_questions_are_not_checkable_in_the_package(more: dict[str, Any]) -> None:
    data = QUESTION | more
    assert size_of(question_from_json(data)) > LARGEST_QUESTION
    found = _checked_forever(data)
    assert not found.proved
    assert not found.checkable


@pytest.mark.parametrize("more", [{}, {"language": STALE}, {"local_steps": 4}])
def test_usual_questions_are_decided(more: dict[str, Any]) -> None:
    data = QUESTION | more
    assert size_of(question_from_json(data)) <= LARGEST_QUESTION
    assert _checked_forever(data).checkable


@pytest.mark.parametrize(
    "more",
    [
        {"local_steps": 21},
        {"language": STALE | {"bound": 201}},
        {"language": {"kind": "windows", "length": 21}},
        {"language": {"kind": "periodic", "pattern": "10" * 26}},
        {"language": {"kind": "delays", "bound": 31}, "method": "fedavg", "target": "gradient"},
        {"language": {"kind": "turns", "groups": "AB" * 26}, "method": "fedavg"},
    ],
)
def test_both_checkers_have_the_same_limits(more: dict[str, Any]) -> None:
    data = QUESTION | more | ({"rate": "1"} if "target" in more else {})
    with pytest.raises(InvalidInput):
        question_from_json(data)
    with pytest.raises(ValueError, match=r"is no|a pattern|turns|local"):
        standalone("forever_rows").rows(data)
