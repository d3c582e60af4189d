"""Nothing overlaps and nothing is cut: every example, hard states and settings drawn at random,
phone to projector."""

import re
from pathlib import Path
from typing import Any

import pytest

from fltheory.core.randomness import Purpose, below
from fltheory.teaching.page import page, sources
from tests.teaching.page_tabs import SCENES, new_tab

WIDTHS = (390, 1366, 1920)


CROWDED = """() => { const frame = document.getElementById("plot").getBoundingClientRect();
  const words = [...document.querySelectorAll("#plot text")].map((one) => [one.textContent,
      one.getBoundingClientRect()]);
  const cut = words.filter(([, a]) => a.left < frame.left - 1 || a.right > frame.right + 1
      || a.top < frame.top - 1
    || a.bottom > frame.bottom + 1).map(([text]) => text);
  const shared = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.2 * Math.min(a.height, b.height);
  const over = words.flatMap(([one, a], i) => words.slice(i + 1).filter(([, b]) => shared(a, b))
      .map(([other]) => `${one} / ${other}`));
  const curves = [...document.querySelectorAll("#plot path")];
  const under = (x, y) => curves.some((one) => (one.getAttribute("fill") !== "none"
      ? one.isPointInFill({ x, y })
    : one.isPointInStroke({ x, y })));
  const inWay = (one) => { const box = one.getBBox();
    const grid = Array.from({ length: 120 }, (_, k) => [(k % 40) / 39,
        0.3 + 0.2 * Math.floor(k / 40)]);
    return grid.some(([across, down]) => under(box.x + box.width * across,
        box.y + box.height * down)); };
  const crossed = [...document.querySelectorAll("#plot .word")].filter(inWay)
      .map((one) => `a curve through ${one.textContent}`);
  const select = [...document.querySelectorAll("#set-mode")]
      .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.id);
  return [...cut, ...over, ...crossed, ...select,
      ...(document.documentElement.scrollWidth > innerWidth ? ["the page"] : [])]; }"""
"""Words of the plot that are cut, pairs of them that overlap, words that a curve crosses, and the
page if it is wider than the screen."""


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_and_no_words_overlap_in_any_example(
    width: int, browser: Any, home: str
) -> None:
    narrow = new_tab(browser, home, viewport={"width": width, "height": 800})
    for scene in SCENES:
        narrow.open(scene)
        for button in narrow.page.query_selector_all("#presets button"):
            button.click()
            assert narrow.js(CROWDED) == [], (scene, button.inner_text())
    for state in (
        "drift?rounds=10000&t1=100&t2=100&local=10&show=fedavg,fedprox,sampling,mifa,fedlaavg",
        "drift?t1=7&t2=13&step=99/100&e1=-2&e2=2&start=-2",
        "async?step=19/10",
        "anarchic?gap=1/4&start=-4",
        "drift?show=",
        "stragglers?p1=1/20&p2=1/20&p3=1/20&p4=1/20",
        "anarchic?rare=40&delay=4&local=8&step=1/4",
        *(
            f"counterexample?claim={claim}"
            for claim in ("mifa.related.rate", "mifa.thm6.1", "fraboni.eq25", "fraboni.thm1")
        ),
    ):
        narrow.open(state)
        assert narrow.js(CROWDED) == [], state
    assert narrow.complaints == []
    narrow.page.close()


SHUFFLE = """(parts) => { const controls = "#controls input[type=range], #controls select";
  const all = [...document.querySelectorAll(controls)];
  all.forEach((one, k) => { const ranged = one.type === "range";
    if (ranged) one.value = Math.round(parts[k] * Number(one.max));
        else one.selectedIndex = Math.floor(parts[k] * one.options.length);
    one.dispatchEvent(new Event(ranged ? "input" : "change", { bubbles: true })); });
  fltheory.rest(); }"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scene", SCENES)
def test_settings_drawn_at_random_neither_complain_nor_crowd(
    scene: str, width: int, browser: Any, home: str
) -> None:
    opened = new_tab(browser, home, viewport={"width": width, "height": 800})
    opened.open(scene)
    for index in range(10):
        opened.js(
            SHUFFLE,
            [
                float(x) / 2**53
                for x in (below(2**53, width, Purpose.SEARCH, index, k, 0)[0] for k in range(20))
            ],
        )
        assert (opened.js(CROWDED), opened.complaints) == ([], []), opened.fragment
        shown = opened.page.inner_text("#scene") + opened.page.text_content("#plot")
        assert not re.search("NaN|undefined|Infinity", shown), opened.fragment
    opened.page.close()


def test_a_word_that_a_curve_crosses_would_be_seen(browser: Any, tmp_path: Path) -> None:
    texts = sources()
    right = "!curves.some((curve) => passes(curve, box))"
    assert right in texts["view/words.js"]
    file = tmp_path / "page.html"
    file.write_text(
        page(texts | {"view/words.js": texts["view/words.js"].replace(right, "true")}),
        encoding="utf-8",
    )
    broken = new_tab(browser, file.as_uri(), viewport={"width": 1366, "height": 800})
    broken.open("async?mode=pairs&step=1&start=3&e1=-1&e2=0&horizon=20")
    assert any("a curve through" in found for found in broken.js(CROWDED))
    broken.page.close()
