"""Room for the plot: a larger one on the full screen, before the text on a phone, and Why out of
its way by the key that called it."""

from typing import Any

import pytest

from tests.teaching.page_tabs import FOLLOW, SCENES
from tests.teaching.test_page_places import RECT, shown


@pytest.mark.parametrize("scene", SCENES)
def test_the_full_screen_has_a_larger_plot(scene: str, browser: Any) -> None:
    tab = shown(browser, scene)
    area = """() => { const one = document.querySelector("#plot svg").getBoundingClientRect();
        return [one.width, one.height]; }"""
    (width, height) = tab.js(area)
    tab.page.press("body", "f")
    tab.js(FOLLOW, scene)
    wider, taller = tab.js(area)
    assert wider * taller > 1.15 * width * height
    tab.page.press("body", "f")


FRAMES_OF_PANELS = """() => [...document.querySelectorAll("#plot defs clipPath[id^=frame] rect")]
    .map((one) => Number(one.getAttribute("height")))"""


@pytest.mark.parametrize("size", [(1920, 420), (844, 390), (320, 300)])
def test_every_panel_has_room_on_a_low_screen(size: tuple[int, int], browser: Any) -> None:
    tab = shown(browser, "drift", size)
    for scene in SCENES:
        tab.follow(scene)
        for _ in range(2):
            assert min(tab.js(FRAMES_OF_PANELS)) > 40, scene
            tab.page.press("body", "f")
    assert tab.complaints == []


@pytest.mark.parametrize("scene", SCENES)
def test_a_phone_shows_plot_and_player_before_the_text(scene: str, browser: Any) -> None:
    tab = shown(browser, scene, (390, 844))
    (_, plot), (play, end), (text, _) = (tab.js(RECT, one) for one in ("plot", "play", "sentences"))
    assert plot <= play < end <= 844
    assert end < text


@pytest.mark.parametrize("scene", SCENES)
def test_the_key_of_why_also_closes_it(scene: str, browser: Any) -> None:
    tab = shown(browser, scene)
    for shown_ in (True, False, True):
        tab.page.press("body", "w")
        assert tab.js("() => document.getElementById('explanation').open") is shown_
    assert tab.js("() => document.getElementById('text').textContent") != ""
    assert tab.complaints == []
