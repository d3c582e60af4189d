"""Sliders for notebooks, where ipywidgets is installed; a picture without them, where it is not."""

from collections.abc import Callable, Sequence
from typing import Any

from fltheory.core.exact import exact


def slide(draw: Callable[..., object], **choices: Sequence[Any]) -> None:
    """Call a drawing with the first of each argument's values, then, if there is ipywidgets, below
    it with sliders over all of them.

    >>> slide(lambda rounds, step: print(rounds, step), rounds=[4], step=["1/2"])
    4 1/2
    """
    first = {name: values[0] for name, values in choices.items()}
    draw(**first)
    try:
        from ipywidgets import SelectionSlider, interact
    except ImportError:
        return
    sliders = {
        name: SelectionSlider(
            options=sorted(values, key=lambda value: exact(value, "value of a slider")),
            value=first[name],
            description=name,
        )
        for name, values in choices.items()
        if len(values) > 1
    }
    if sliders:
        interact(draw, **{name: sliders.get(name, value) for name, value in first.items()})
