"""Stability edges and rates near 1: the page finds them where the core does."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import pytest

from fltheory.teaching import asynchronous
from fltheory.teaching.page import page, sources
from tests.teaching.page_truth import PAIRS, TURNS, example_curve, open_page

EDGES = (
    "(one) => Object.entries(fltheory.compute('async', one).curves).map(([key, { edge }]) => [key,"
    " edge])"
)


def test_a_rate_too_near_to_one_for_doubles_is_still_told(browser: Any) -> None:
    opened = open_page(browser, page())
    found = opened.evaluate(
        "fltheory.compute('drift', { t1: '100', t2: '100', local: '10', show: 'fedlaavg'"
        " }).methods.fedlaavg"
    )
    keep = (1 + Fraction(1, 2) ** 10) / 2  # a = 1 - step of the whole delivery
    power, step = keep**198, 1 - keep
    trace, determinant = 1 + power * (1 + keep) ** 2 - 4 * keep**99, step**2 * power
    with mpmath.workdps(80):
        halved, product = (
            mpmath.mpf(x.numerator) / x.denominator for x in (trace / 2, determinant)
        )
        decay = -mpmath.log(halved + mpmath.sqrt(halved**2 - product))
        assert found["radius"] == 1
        assert found["decay"] == pytest.approx(float(decay), rel=1e-9)


def _timed_is_stable(times: tuple[int, ...], local: int, key: str, step: Fraction) -> bool:
    found = asynchronous.clock_curves(
        times, step_size=step, local_steps=local, horizon=6, curves=(key,)
    )
    return bool(found[key]["stable"])


def _example_is_stable(rows: list[list[int]], weights: list[str], step: Fraction) -> bool:
    optima = range(len(weights))
    return bool(example_curve(rows, weights, optima, step_size=step)["stable"])


def edges(opened: Any) -> Iterator[tuple[float | None, Callable[[Fraction], bool]]]:
    """Edges that the page tells, each with the core's answer to whether a step size is stable."""
    for times, local in (((1, 2), 1), ((2, 3), 2), ((1, 1, 3), 1), ((3, 1), 3)):
        asked = {
            "clients": str(len(times)),
            "local": str(local),
            **{f"tau{i + 1}": str(time) for i, time in enumerate(times)},
        }
        for key, edge in opened.evaluate(EDGES, asked):
            yield (
                edge,
                partial(_timed_is_stable, times, local, key),
            )
    for mode, weights, rows in (
        ("pairs", ["1/2"] * 4, PAIRS),
        ("turns", ["5/4", "1/2"], TURNS),
    ):
        ((_, edge),) = opened.evaluate(EDGES, {"mode": mode, "q1": "5/4", "q2": "1/2"})
        yield (
            edge,
            partial(_example_is_stable, rows, weights),
        )


def misplaced(opened: Any) -> list[float | None]:
    """Edges below which the core does not find stability, or beyond which it does; none at all
    means stable up to 2."""
    found = []
    for edge, stable in edges(opened):
        below, beyond = (
            Fraction((edge or 2) * factor).limit_denominator(10**7)
            for factor in (1 - 1e-5, 1 + 1e-5)
        )
        if not stable(below) or (edge is not None and stable(beyond)):
            found.append(edge)
    return found


def test_the_stability_edge_lies_where_the_core_finds_it(browser: Any) -> None:
    opened = open_page(browser, page())
    assert misplaced(opened) == []


def test_a_misplaced_edge_is_noticed(browser: Any) -> None:
    texts = sources()
    right = "1 - (1 - phi) ** (1 / local)"
    assert right in texts["scenes/edge.js"]
    opened = open_page(
        browser,
        page(texts | {"scenes/edge.js": texts["scenes/edge.js"].replace(right, "phi / local")}),
    )
    assert misplaced(opened)
