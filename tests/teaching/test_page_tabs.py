"""A page that is opened as if new is what the page is when it is read anew, whatever was done to it
before."""

from itertools import zip_longest
from typing import Any

import pytest

from tests.teaching.page_tabs import Tab, new_tab

SEEN = """async () => { await new Promise((done) => setTimeout(done, 450));
  const told = (one) => [one.localName, one.value, one.checked, one.childElementCount
      ? "" : one.textContent, ...[...one.attributes].map(({ name, value }) => `${name}=${value}`)
      .filter((text) => text !== "class=").sort()].join(" ");
  const seen = [...document.querySelectorAll("body *")].filter((one) => one.id === "live"
      || one.checkVisibility({ visibilityProperty: true }));
  return [...seen.map(told), location.hash, document.title, document.activeElement.tagName, scrollX,
    scrollY, document.documentElement.dataset.theme, document.body.className, fltheory.position(),
    document.getElementById("explanation").open, fltheory.atRest()]; }"""
"""All that can be seen of the page, and what is not written in its elements, once it has spoken."""
STATES = ("drift?t2=2&answers=shown", "counterexample", "forever")
MOTIONS = ("reduce", "no-preference")


def changed(tab: Tab, wanted: list[Any]) -> list[tuple[Any, Any]]:
    """What is seen and was not wanted, beside what was."""
    return [pair for pair in zip_longest(tab.js(SEEN), wanted) if pair[0] != pair[1]]


def tangle(tab: Tab) -> None:
    """All that a visit can leave behind."""
    tab.js("() => { document.getElementById('position').value = 3; scrollTo(0, 300); }")
    for key in ("d", "+", "+", "a", ".", "f", "w"):
        tab.page.press("body", key)
    tab.page.press("body", "Escape")
    tab.page.press("#play", "Enter")
    tab.page.press("#controls input, #controls select", "ArrowRight")
    tab.page.press("body", "w")


@pytest.mark.slow
def test_what_is_opened_again_is_as_if_read_anew(browser: Any, home: str) -> None:
    for k, state in enumerate(STATES):
        tab = new_tab(browser, home, reduced_motion=MOTIONS[k % 2])
        tab.load(state)
        wanted = tab.js(SEEN)
        tab.open(STATES[k - 1])
        for left in (STATES[k - 1], state):
            tangle(tab)
            tab.open(state)
            assert changed(tab, wanted) == [], (left, state)


def test_a_page_that_is_only_led_elsewhere_is_not_as_if_new(browser: Any, home: str) -> None:
    tab = new_tab(browser, home)
    tab.load("drift")
    wanted = tab.js(SEEN)
    tangle(tab)
    tab.follow("forever")
    tab.follow("drift")
    assert changed(tab, wanted) != []
