"""What the tests of the page share: random settings, and the comparison of its answers with the
core's."""

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.core.randomness import Purpose, below

SETTINGS = 200
TOLERANCE = 1e-9

Settings = dict[str, str]
Case = tuple[Settings, Callable[[], dict[str, Any]]]
"""What the page is asked, and how the core answers it."""

ASK = "([scene, list]) => JSON.stringify(list.map((one) => fltheory.compute(scene, one)))"


def drawn(index: int, scene: int) -> Callable[..., Any]:
    """Random choices for one setting, keyed by scene and index: choose(list) or choose(first,
    last)."""
    counter = iter(range(1000))

    def choose(first: Any, last: int | None = None) -> Any:
        size = len(first) if last is None else last - first + 1
        k = int(below(size, 2024, Purpose.SEARCH, index, scene, next(counter))[0])
        return first[k] if last is None else first + k

    return choose


def ratio(
    choose: Callable[..., Any],
    low: int,
    high: int,
    denominators: tuple[int, ...] = (1, 2, 3, 4, 5, 7),
) -> str:
    """A random fraction between two whole numbers."""
    bottom = choose(denominators)
    return str(Fraction(choose(low * bottom, high * bottom), bottom))


def some(choose: Callable[..., Any], keys: Any, count: int) -> tuple[str, ...]:
    """Up to so many of the keys, in their order."""
    found = [choose(list(keys)) for _ in range(count)]
    return tuple(key for key in keys if key in found)


def difference(ours: Any, theirs: Any, path: str = "") -> str | None:
    """Where the page's answer departs from the core's: exact numbers as text must be equal, floats
    agree to 1e-9 (relative above 1)."""
    if isinstance(ours, dict):
        return next(
            (
                found
                for key, part in ours.items()
                if (found := difference(part, theirs.get(key, "missing"), f"{path}/{key}"))
            ),
            None,
        )
    if isinstance(ours, list | tuple | np.ndarray):
        if not isinstance(theirs, list) or len(ours) != len(theirs):
            return f"{path}: {ours} against {theirs}"
        return next(
            (
                found
                for k, (a, b) in enumerate(zip(ours, theirs, strict=True))
                if (found := difference(a, b, f"{path}/{k}"))
            ),
            None,
        )
    if isinstance(ours, float | np.floating):
        same = isinstance(theirs, int | float) and abs(float(ours) - theirs) <= TOLERANCE * max(
            1.0, abs(float(ours))
        )
    else:
        same = (str(ours) if isinstance(ours, Fraction) else ours) == theirs
    return None if same else f"{path}: {ours} against {theirs}"


def differences(opened: Any, scene: str, cases: Sequence[Case]) -> list[str]:
    """The settings on which the page and the core differ, with the first difference."""
    asked = [given for given, _ in cases]
    answers = json.loads(opened.evaluate(ASK, [scene, asked]))
    found = [
        (given, difference(by_core(), answer))
        for (given, by_core), answer in zip(cases, answers, strict=True)
    ]
    return [f"{given}: {problem}" for given, problem in found if problem]


def open_page(browser: Any, folder: Path, text: str) -> Any:
    """A tab with this page, from a file."""
    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    opened = browser.new_page(reduced_motion="reduce")
    opened.goto(file.as_uri())
    return opened
