"""The scene of theorems: all of them can be picked, what is played meets every hypothesis, and what
is refuted is seen to be."""

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from fltheory.core.errors import InvalidInput
from fltheory.ledger import runner
from fltheory.ledger.lines import verdicts
from fltheory.ledger.ranks import tallies
from fltheory.papers import find_claim
from fltheory.teaching import page, theorems
from tests.teaching.page_tabs import Tab


@cache
def told_by_the_page() -> list[dict[str, Any]]:
    """The theorems in the data of the page."""
    found: list[dict[str, Any]] = json.loads(page.data())["theorems"]
    return found


def test_every_numbered_theorem_of_the_ledger_can_be_picked() -> None:
    verdict_of = verdicts(runner.recorded())
    printed = [one for one in told_by_the_page() if one["rank"] != "ours"]
    (group,) = [
        tally
        for tally in tallies((find_claim(claim), verdict) for claim, verdict in verdict_of.items())
        if tally.group.startswith("printed theorems")
    ]
    assert len(printed) == group.claims
    assert Counter(one["verdict"] for one in printed) == {
        verdict.name: number for verdict, number in group.verdicts.items()
    }


@pytest.mark.parametrize("key", theorems.PLAYS)
def test_the_ledgers_verdict_is_what_the_run_shows(key: str) -> None:
    found = theorems.sides(key)
    broken = any(float(a) > b for a, b in zip(found["left"], found["right"], strict=True))
    (told,) = [one for one in told_by_the_page() if one["id"] == key]
    assert broken == (told["verdict"] == "REFUTED")
    if theorems.PLAYS[key].corrected:
        after = theorems.sides(key, version="corrected")
        assert all(float(a) <= b for a, b in zip(after["left"], after["right"], strict=True))


def test_a_run_that_breaks_a_hypothesis_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    play = theorems.PLAYS["fedlaavg.thm3"]
    longer = theorems.Play(play.build, Fraction(2), play.says)
    monkeypatch.setitem(theorems.PLAYS, "fedlaavg.thm3", longer)
    with pytest.raises(InvalidInput, match="must meet its hypotheses"):
        theorems.recorded()


def test_a_refuted_theorem_crosses_its_bound_and_its_correction_does_not(tab: Tab) -> None:
    tab.open("theorem?claim=afl.thm3")
    assert tab.js("() => document.querySelector('.verdict').matches('.bad')")
    tab.page.select_option("#set-version", "corrected")
    assert "version=corrected" in tab.fragment
    assert not tab.js("() => document.querySelector('.verdict').matches('.bad')")
    cards = tab.page.inner_text("#cards")
    assert "afl.thm3star PROVED" in cards
    links = tab.js("() => [...document.querySelectorAll('#cards a')].map((one) => one.hash)")
    assert "#afl.thm3" in links
    assert "#afl.thm3star" in links


def test_a_theorem_without_a_run_shows_the_tightest_sides_of_the_ledger(tab: Tab) -> None:
    for told in told_by_the_page():
        if told["plays"] is None:
            tab.open(f"theorem?claim={told['id']}")
            text = tab.js("() => document.getElementById('scene').innerText")
            assert told["verdict"] in text
            assert "NaN" not in text
            assert not tab.page.is_visible("#set-factor")
    assert tab.complaints == []
