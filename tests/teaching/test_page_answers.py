"""The page asks before it tells: it begins at rest at round 0, and answers come with the end of the
run or when asked for."""

from typing import Any

import pytest

from fltheory.teaching.page import page, sources
from tests.teaching.page_tabs import SCENES, Tab, address_of, new_tab

TOLD = """() => [document.getElementById("scene").innerText,
    document.getElementById("live").textContent,
  document.querySelector("#plot svg").getAttribute("aria-label"),
      [...document.querySelectorAll("#plot text")]
  .filter((one) => getComputedStyle(one).visibility === "visible").map((one) => one.textContent)
      .join(" ")].join(" ")"""
"""All that is seen or read aloud of a scene."""
END = """() => { const one = document.getElementById("position"); one.value = one.max;
    one.dispatchEvent(new Event("input")); }"""


INVITED = "() => getComputedStyle(document.getElementById('plot'), '::after').content"
"""What stands in the empty plot."""


def opened(browser: Any, fragment: str, text: str | None = None, **options: Any) -> Tab:
    tab = new_tab(
        browser, address_of(text or page()), **{"reduced_motion": "no-preference", **options}
    )
    tab.open(fragment)
    return tab


@pytest.mark.parametrize("scene", SCENES)
def test_everything_begins_at_rest(scene: str, browser: Any) -> None:
    tab = opened(browser, scene)
    for begin in (lambda: None, lambda: tab.page.click("#presets button:last-child")):
        begin()
        assert (tab.page.inner_text("#play"), tab.page.input_value("#position")) == ("Play", "0")
        assert tab.js(INVITED) == '"Guess, then press Play"'
        assert tab.js(
            "() => [...document.querySelectorAll('.answer')].every((one) =>"
            " getComputedStyle(one).visibility === 'hidden' || one.matches('.formula') &&"
            " [...one.children].every((part) => getComputedStyle(part).visibility === 'hidden'))"
        )
    tab.page.click("#step")
    assert tab.js(INVITED) == "none"
    tab.js(END)
    assert tab.js(
        "() => [...document.querySelectorAll('.answer')].every((one) =>"
        " getComputedStyle(one).visibility === 'visible')"
    )
    assert tab.complaints == []


def test_the_limit_is_a_secret_until_the_run_ends_or_someone_asks(browser: Any) -> None:
    tab = opened(browser, "drift")
    tab.page.wait_for_timeout(500)
    assert not any(told in tab.js(TOLD) for told in ("14/15", "cycle", "come home"))
    tab.page.press("body", "Space")
    tab.wait("document.getElementById('position').value === '28'")
    assert "14/15" in tab.js(TOLD)
    tab.page.press("body", "a")
    assert ("14/15" in tab.js(TOLD), tab.fragment, tab.page.inner_text("#answers")) == (
        False,
        "#drift?answers=hidden",
        "Show answers",
    )
    tab.page.press("body", "a")
    assert ("14/15" in tab.js(TOLD), tab.fragment) == (True, "#drift")
    tab.page.press("body", "0")
    assert "14/15" not in tab.js(TOLD)
    tab.page.click("#answers")
    assert ("14/15" in tab.js(TOLD), tab.fragment) == (True, "#drift?answers=shown")
    tab.page.click("text=Equal turns")
    assert ("2/3" in tab.js(TOLD), tab.fragment) == (False, "#drift?t2=1")
    tab.open("drift?answers=shown")
    assert "14/15" in tab.js(TOLD)


def test_where_motion_is_not_welcome_the_run_is_complete(browser: Any) -> None:
    tab = opened(browser, "drift", reduced_motion="reduce")
    assert (tab.page.inner_text("#play"), tab.page.input_value("#position")) == ("Play", "28")
    assert "14/15" in tab.js(TOLD)


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("view/page.js", 'classList.toggle("asking", !shown)', 'classList.toggle("asking", false)'),
        (
            "view/page.js",
            '"Answers are hidden."',
            "state.scene.say(state.numbers, state.settings, total(), true)",
        ),
        ("scenes/drift.js", "(answers ? `, ${shortText(limit)}", "(true ? `, ${shortText(limit)}"),
        ("view/plot.js", '["g", { class: "answer" }, beside]', '["g", {}, beside]'),
    ],
)
def test_a_leak_would_be_seen(module: str, right: str, wrong: str, browser: Any) -> None:
    texts = sources()
    assert right in texts[module]
    tab = opened(browser, "drift", page(texts | {module: texts[module].replace(right, wrong)}))
    tab.page.wait_for_timeout(500)
    assert "14/15" in tab.js(TOLD)


@pytest.mark.parametrize("size", [(1024, 768), (1280, 720), (1366, 768), (1920, 1080)])
def test_a_projector_shows_the_whole_plot_with_its_player(
    size: tuple[int, int], browser: Any
) -> None:
    tab = opened(browser, "drift", viewport={"width": size[0], "height": size[1]})
    bottom = "(name) => document.getElementById(name).getBoundingClientRect().bottom"
    for scene in reversed(SCENES):
        tab.follow(scene)
        assert tab.js(bottom, "play") < size[1], scene
    tab.page.press("body", "f")
    assert (tab.page.is_visible("header"), tab.page.is_visible(".panel")) == (False, False)
    assert tab.js(bottom, "formula") < tab.js("() => innerHeight")
    tab.page.press("body", "f")
    assert tab.page.is_visible("header")
