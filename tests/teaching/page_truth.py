"""What the tests of the page share: random settings, and the comparison of its answers with the
core's."""

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from fltheory.core.exact import exacts
from fltheory.core.randomness import Purpose, below
from fltheory.core.types import ExactLike, Vector
from fltheory.teaching.asynchronous import AsynchronousCurve, curve
from fltheory.traces.trace import Trace
from tests.teaching.page_tabs import address_of, new_tab

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


def remembered(case: Case) -> Case:
    """The same case, whose answer by the core is computed once."""
    given, by_core = case
    return given, cache(by_core)


def disagreements(opened: Any, scene: str, cases: Sequence[Case]) -> Iterator[str]:
    """The settings on which the page and the core differ, one by one, with the first difference."""
    asked = [given for given, _ in cases]
    answers = json.loads(opened.evaluate(ASK, [scene, asked]))
    for (given, by_core), answer in zip(cases, answers, strict=True):
        if problem := difference(by_core(), answer):
            yield f"{given}: {problem}"


def differences(opened: Any, scene: str, cases: Sequence[Case]) -> list[str]:
    """All of them."""
    return list(disagreements(opened, scene, cases))


def differ(opened: Any, scene: str, cases: Sequence[Case]) -> bool:
    """Whether there is one."""
    return any(disagreements(opened, scene, cases))


def open_page(browser: Any, text: str, fragment: str = "drift") -> Any:
    """A tab with this page."""
    tab = new_tab(browser, address_of(text))
    tab.open(fragment)
    return tab.page


PAIRS, TURNS = [[0, 1, 0, 1], [1, 0, 1, 0]], [[1, 0], [0, 1]]
"""Who delivers in even and odd rounds: Example 1 (two pairs) and Example 2 (two clients)."""


def example_curve(
    rows: list[list[int]],
    weights: Vector,
    optima: Vector,
    *,
    start: ExactLike = 0,
    step_size: ExactLike = "1/2",
    local_steps: int = 1,
    rounds: int = 20,
) -> AsynchronousCurve:
    """Example 1 (rows PAIRS) or Example 2 (rows TURNS): each client works on the model that it last
    received."""
    return curve(
        Trace.continuous((rows * (rounds // 2 + 1))[:rounds], local_steps=local_steps),
        exacts(weights, "weight"),
        exacts(optima, "optimum"),
        period=2,
        start=start,
        step_size=step_size,
        pattern=Trace.continuous(rows * 30, local_steps=local_steps),
    )
