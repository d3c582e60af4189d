"""Sliders of the notebooks, with ipywidgets and without."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from fltheory.teaching.sliders import slide


def test_without_widgets_the_first_values_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    drawn: list[Any] = []
    slide(lambda **given: drawn.append(given), rounds=range(3, 6), step=["1/4", "1/20"])
    assert drawn == [{"rounds": 3, "step": "1/4"}]


def test_with_widgets_every_value_is_on_a_slider_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def interact(draw: Any, **sliders: Any) -> None:
        asked.update(sliders)
        draw(**{name: getattr(one, "value", one) for name, one in sliders.items()})

    fake = SimpleNamespace(SelectionSlider=lambda **given: SimpleNamespace(**given))
    fake.interact = interact
    monkeypatch.setitem(sys.modules, "ipywidgets", fake)
    drawn: list[Any] = []
    slide(lambda **given: drawn.append(given), step=["1/4", "1/20", "1/2"], rounds=[7])
    assert drawn == [{"step": "1/4", "rounds": 7}] * 2
    assert (asked["step"].options, asked["rounds"]) == (["1/20", "1/4", "1/2"], 7)
