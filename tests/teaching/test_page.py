"""One truth: what the page computes in a real browser is what the Python core computes, on random
settings of every scene."""

from functools import cache
from typing import Any

import pytest

from fltheory.teaching.page import page, sources
from tests.teaching.page_truth import SETTINGS, Case, differ, differences, open_page, remembered
from tests.teaching.scene_cases import (
    anarchic_case,
    async_case,
    drift_case,
    forever_case,
    stragglers_case,
)
from tests.teaching.theorem_case import theorem_case

SCENES = {
    "drift": drift_case,
    "async": async_case,
    "stragglers": stragglers_case,
    "anarchic": anarchic_case,
    "forever": forever_case,
    "theorem": theorem_case,
}


@cache
def case(scene: str, index: int) -> Case:
    return remembered(SCENES[scene](index))


@pytest.mark.parametrize("scene", SCENES)
def test_the_page_agrees_with_the_core(scene: str, browser: Any) -> None:
    opened = open_page(browser, page())
    assert differences(opened, scene, [case(scene, index) for index in range(SETTINGS)]) == []


@pytest.mark.parametrize(
    ("scene", "module", "right", "wrong"),
    [
        ("drift", "core/methods.js", 'mifa: { scale: "sum"', 'mifa: { scale: "step"'),
        (
            "drift",
            "scenes/turns.js",
            "const TWO = whole(2);",
            "const TWO = whole(2).add(ONE.div(whole(10 ** 8)));",
        ),
        (
            "async",
            "scenes/times.js",
            "rate.mul(time).mul(share)",
            "rate.mul(time).mul(share).mul(ONE.add(ONE.div(whole(10 ** 8))))",
        ),
        (
            "drift",
            "scenes/turns.js",
            "decay: -Math.log(radius)",
            "decay: -1.00000001 * Math.log(radius)",
        ),
        ("drift", "scenes/turns.js", "4 * a * first * second", "4 * first * second"),
        ("drift", "scenes/turns.js", "div(ONE.sub(r))", "div(ONE.add(r))"),
        ("drift", "scenes/turns.js", "return total.div(period)", "return limit"),
        ("drift", "scenes/turns.js", "Math.min(...blocks) > 1", "Math.min(...blocks) > 2"),
        ("async", "scenes/times.js", "div(whole(cycle.length))", "div(whole(cycle.length + 1))"),
        (
            "async",
            "scenes/times.js",
            "optima[0].mul(parse(settings.q1))",
            "optima[0].mul(parse(settings.q2))",
        ),
        (
            "async",
            "scenes/times.js",
            "share.mul(whole(cycle))",
            "share.mul(whole(cycle)).mul(ONE.add(ONE.div(whole(10 ** 8))))",
        ),
        ("stragglers", "scenes/stragglers.js", "(p * p * rounds)", "(p * rounds)"),
        ("stragglers", "scenes/stragglers.js", "set.length % 2 ? 1 : -1", "1"),
        (
            "stragglers",
            "scenes/stragglers.js",
            "awaited &= ~available[t]",
            "awaited &= ~available[t] | 1",
        ),
        ("anarchic", "scenes/anarchic.js", "gap.mul(whole(-2))", "gap.mul(whole(-1))"),
        ("anarchic", "scenes/anarchic.js", "whole(4).mul(spread)", "spread"),
        ("anarchic", "scenes/anarchic.js", "mean: told(mean),", "mean: told(cycle[0]),"),
        ("anarchic", "core/floats.js", "step: ONE.div(whole(steps))", "step: ONE"),
        ("forever", "scenes/forever.js", "TWO.div(ONE.sub(", "TWO.div(TWO.sub("),
        ("forever", "scenes/forever.js", "since >= staleness", "since > staleness"),
        ("forever", "scenes/forever.js", "step.cmp(border) < 0", "step.cmp(border) <= 0"),
        (
            "forever",
            "scenes/forever.js",
            "border.mul(parse(settings.part))",
            "parse(settings.part)",
        ),
        ("theorem", "scenes/theorems.js", "squares[rounds - 1]", "squares[rounds]"),
        ("theorem", "scenes/theorems.js", "TWO.mul(slope)", "slope"),
        ("theorem", "scenes/theorems.js", "one[rounds - 1]", "one.at(-1)"),
        ("stragglers", "core/philox.js", "0xd2511f53", "0xd2511f55"),
        ("anarchic", "scenes/anarchic.js", "gap.mul(whole(-3))", "gap.mul(whole(-2))"),
    ],
)
def test_a_planted_wrong_constant_is_caught(
    scene: str, module: str, right: str, wrong: str, browser: Any
) -> None:
    texts = sources()
    assert right in texts[module]
    opened = open_page(browser, page(texts | {module: texts[module].replace(right, wrong)}))
    assert differ(opened, scene, [case(scene, index) for index in range(40)])
