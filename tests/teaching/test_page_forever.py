"""The scene of all rounds: its border and its steps are those of the record, and what diverges is
seen to diverge."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.claims.evidence import Verdict
from fltheory.core.errors import InvalidInput
from fltheory.ledger import runner
from fltheory.ledger.lines import LedgerLine
from fltheory.ledger.step_sizes import step_sizes
from fltheory.teaching import forever, page
from tests.teaching.page_tabs import Tab, new_tab

STEP = "() => document.getElementById('formula').textContent"
END = """() => { const one = document.getElementById('position'); one.value = one.max;
    one.dispatchEvent(new Event('input')); }"""
MAP = "() => document.querySelector('#cause svg').getAttribute('aria-label')"


@pytest.mark.slow
def test_the_steps_on_the_map_are_those_of_looseness() -> None:
    told = {one["claim"]: one["steps"] for one in json.loads(page.data())["forever"]["allowed"]}
    rows = step_sizes("mifa.thm5.1.best", "afl.thm2c", periods=(2, 4)).rows
    assert len(rows) == 4
    for row in rows:
        assert told[row.theorem][row.max_staleness] == str(row.theorem_step * row.smoothness)
        if row.method == "mifa":
            assert row.breaks_at == forever.border(row.max_staleness) / row.smoothness


@pytest.mark.parametrize("claim", [forever.PROVED, forever.BREAKS])
def test_a_region_that_is_not_proved_is_not_drawn(
    claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def weaker(line: LedgerLine) -> LedgerLine:
        if line.evidence.claim != claim:
            return line
        return replace(line, evidence=replace(line.evidence, verdict=Verdict.SUPPORTED))

    lines = [weaker(line) for line in runner.recorded()]
    monkeypatch.setattr(runner, "recorded", lambda: lines)
    with pytest.raises(InvalidInput, match=f"the record of {claim} must be PROVED"):
        forever.recorded()


@pytest.mark.parametrize("silence", ["together", "turns", "coins"])
@pytest.mark.parametrize("staleness", [0, 1, 3, 7])
def test_nobody_is_silent_for_longer_than_said(silence: forever.Silence, staleness: int) -> None:
    found = forever.deliveries(silence, staleness, 200, seed=3)
    assert found[0].all()
    for column in found.T:
        gaps = np.diff(np.flatnonzero(column))
        assert gaps.max() <= staleness + 1


def test_the_slider_crosses_the_border_and_the_run_diverges(tab: Tab) -> None:
    tab.open("forever?part=99/100&rounds=1000")
    assert tab.js(MAP).endswith("stable, proved for all rounds; the border is 1/2")
    for _ in range(2):
        tab.page.press("#set-part", "ArrowRight")
        assert tab.fragment.startswith("#forever?part=1")
        assert "runs away, from the border on" in tab.js(MAP)
    models = tab.js("fltheory.compute('forever', { part: '101/100', rounds: '1000' }).models")
    assert abs(models[-1]) > 100 * abs(models[0])
    below = tab.js("fltheory.compute('forever', { part: '99/100', rounds: '1000' }).models")
    assert abs(below[-1]) < abs(below[0]) / 100


def test_the_map_marks_the_run_and_every_theorem(tab: Tab) -> None:
    places: list[list[Any]] = []
    for state in ("forever?tau=3", "forever?tau=10"):
        tab.open(state)
        places.append(
            tab.js(
                "() => { const one = document.querySelector('#cause circle'); return"
                " [one.getAttribute('cx'), one.getAttribute('cy')].map(Number); }"
            )
        )
        words = tab.js("() => document.getElementById('cause').textContent")
        assert all(name in words for name in ("MIFA Thm 5.1", "AFL Thm 2", "Fraboni et al. Thm 1"))
        assert "proved: η L < 2/(τ + 1)" in words
    assert places[0][0] < places[1][0]
    assert places[0][1] < places[1][1]
    told = tab.js(STEP)
    assert str(forever.border(10) * Fraction(9, 10)).split("/")[0] in told


def test_the_border_is_a_secret_until_a_run_has_ended(browser: Any, home: str) -> None:
    tab = new_tab(browser, home, reduced_motion="no-preference")
    tab.open("forever")
    words = "() => document.getElementById('cause').textContent"
    formula = (
        "() => document.querySelector('#formula .secret')"
        ".checkVisibility({ visibilityProperty: true })"
    )
    for _ in range(2):
        assert "Which step sizes are safe?" in tab.js(words)
        assert "2/(τ + 1)" not in tab.js(words)
        assert ("1/2" in tab.js(MAP), tab.js(formula)) == (False, False)
        tab.js(END)
        assert "proved: η L < 2/(τ + 1)" in tab.js(words)
        assert (tab.js(MAP).endswith("the border is 1/2"), tab.js(formula)) == (True, True)
        tab.page.click("text=Just beyond")
        assert tab.js("fltheory.position()") == 0
        assert "proved: η L < 2/(τ + 1)" in tab.js(words)  # seen once, it stays
        tab.follow("drift")
        tab.follow("forever")
    assert tab.complaints == []
