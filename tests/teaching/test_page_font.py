"""The font of the formulas: it is in the file, has every character of every formula, and draws
them."""

from typing import Any

import pytest
from fontTools.ttLib import TTFont

from docs.math_font import FAMILY, FONT, characters
from fltheory.teaching.page import page
from tests.teaching.page_tabs import SCENES, Tab, address_of, new_tab

WRITTEN = """() => [...new Set([...document.querySelectorAll("math")]
    .flatMap((one) => [...one.textContent]))].join("")"""
WHY = """() => { document.getElementById("why").click(); const found = (WRITTEN)();
    document.getElementById("close").click(); return found; }""".replace("WRITTEN", WRITTEN)
EVERY_CLAIM = """async () => { const found = new Set();
  const select = document.getElementById("set-claim");
  for (const { value } of [...select.options]) {
    select.value = value; select.dispatchEvent(new Event("change")); fltheory.rest();
    for (const one of (WRITTEN)()) found.add(one); }
  return [...found].join(""); }""".replace("WRITTEN", WRITTEN)


def test_the_font_has_its_characters_and_its_licence() -> None:
    font = TTFont(FONT)
    assert set(font.getBestCmap()) >= characters()
    assert "MATH" in font
    assert font["name"].getDebugName(1) == FAMILY
    assert "Permission is hereby granted" in font["name"].getDebugName(13)


@pytest.mark.parametrize("scene", SCENES)
def test_every_character_of_every_formula_is_in_the_font(scene: str, tab: Tab) -> None:
    tab.open(scene)
    every = {*tab.in_each_example(WRITTEN).values(), *tab.in_each_example(WHY).values()}
    if scene in ("counterexample", "theorem"):
        every.add(tab.js(EVERY_CLAIM))
    used = {character for text in every for character in text if not character.isspace()}
    assert used
    assert {one for one in used if ord(one) not in characters()} == set()


def drawn_with(tab: Tab, selector: str) -> set[str]:
    """The fonts, as the browser names them, that draw an element."""
    asked = tab.page.context.new_cdp_session(tab.page)
    asked.send("DOM.enable")
    asked.send("CSS.enable")
    root = asked.send("DOM.getDocument")["root"]["nodeId"]
    found = asked.send("DOM.querySelectorAll", {"nodeId": root, "selector": selector})["nodeIds"]
    assert found
    fonts = [asked.send("CSS.getPlatformFontsForNode", {"nodeId": node}) for node in found]
    asked.detach()
    return {
        font["familyName"] for one in fonts for font in one["fonts"] if font["isCustomFont"]
    } | {"another" for one in fonts for font in one["fonts"] if not font["isCustomFont"]}


@pytest.mark.parametrize("scene", SCENES)
def test_formulas_are_drawn_with_it_alone(scene: str, tab: Tab) -> None:
    tab.open(scene)
    tab.js("() => document.fonts.ready.then(() => 1)")
    assert drawn_with(tab, "math mi, math mo, math mn") == {FAMILY}


def test_a_page_without_its_font_would_be_seen(browser: Any) -> None:
    text = page().replace("math { font-family: Formulas, math;", "math { font-family: math;", 1)
    text = text.replace("math{font-family: Formulas, math;", "math{font-family: math;", 1)
    assert text != page()
    text = text.replace('http-equiv="Content-Security-Policy"', 'name="no-policy"')
    tab = new_tab(browser, address_of(text))
    tab.open("drift")
    assert drawn_with(tab, "math mi, math mo, math mn") != {FAMILY}
