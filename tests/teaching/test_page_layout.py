"""Nothing overlaps and nothing is cut: every example, hard states and settings drawn at random,
phone to projector."""

import re
from typing import Any

import pytest

from fltheory.core.randomness import Purpose, below
from fltheory.teaching.page import page, sources
from tests.teaching.page_tabs import FRAMES, SCENES, address_of, new_tab

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
  const near = (box) => curves.filter((one) => { const a = one.getBBox();
    return a.x - 5 <= box.x + box.width && box.x <= a.x + a.width + 5
      && a.y - 5 <= box.y + box.height && box.y <= a.y + a.height + 5; });
  const inWay = (one) => { const box = one.getBBox(), close = near(box);
    const under = (x, y) => close.some((curve) => (curve.getAttribute("fill") !== "none"
      ? curve.isPointInFill({ x, y }) : curve.isPointInStroke({ x, y })));
    const grid = Array.from({ length: 120 }, (_, k) => [(k % 40) / 39,
        0.3 + 0.2 * Math.floor(k / 40)]);
    return grid.some(([across, down]) => under(box.x + box.width * across,
        box.y + box.height * down)); };
  const crossed = [...document.querySelectorAll("#plot .word")].filter(inWay)
      .map((one) => `a curve through ${one.textContent}`);
  const select = [...document.querySelectorAll("#set-mode")]
      .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.id);
  const grips = [...document.querySelectorAll(".grip.start, .grip.optimum")]
      .filter((one) => one.checkVisibility()).map((one) => { const a = one.getBoundingClientRect();
        return { left: a.left + 9, right: a.right - 9, top: a.top + 9, bottom: a.bottom - 9,
          height: a.height - 18 }; });
  const held = words.filter(([, a]) => grips.some((b) => shared(a, b)))
      .map(([text]) => `a grip upon ${text}`);
  return [...cut, ...over, ...crossed, ...held, ...select,
      ...(document.documentElement.scrollWidth > innerWidth ? ["the page"] : [])]; }"""
"""Words of the plot that are cut, pairs of them that overlap, words that a curve crosses or a grip
covers, and the page if it is wider than the screen."""


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_and_no_words_overlap_in_any_example(
    width: int, browser: Any, home: str
) -> None:
    narrow = new_tab(browser, home, viewport={"width": width, "height": 800})
    narrow.open(SCENES[0])
    for scene in SCENES:
        narrow.follow(scene)
        crowded = narrow.in_each_example(CROWDED)
        assert [found for found in crowded.items() if found[1]] == [], scene
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
        narrow.follow(state)
        assert narrow.js(CROWDED) == [], state
    assert narrow.complaints == []


SHUFFLED = f"""async (draws) => {{ const found = [];
  for (const parts of draws) {{
    const all = [...document.querySelectorAll("#controls input[type=range], #controls select")];
    all.forEach((one, k) => {{ const ranged = one.type === "range";
      if (ranged) one.value = Math.round(parts[k] * Number(one.max));
      else one.selectedIndex = Math.floor(parts[k] * one.options.length);
      one.dispatchEvent(new Event(ranged ? "input" : "change", {{ bubbles: true }})); }});
    fltheory.rest(); await {FRAMES};
    found.push([location.hash, ({CROWDED})(), document.getElementById("scene").innerText
      + document.getElementById("plot").textContent]); }}
  return found; }}"""
"""Settings drawn at random: the address, what is crowded, and all that is said."""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scene", SCENES)
def test_settings_drawn_at_random_neither_complain_nor_crowd(
    scene: str, width: int, browser: Any, home: str
) -> None:
    opened = new_tab(browser, home, viewport={"width": width, "height": 800})
    opened.open(scene)
    parts = [
        [float(below(2**53, width, Purpose.SEARCH, index, k, 0)[0]) / 2**53 for k in range(20)]
        for index in range(10)
    ]
    for fragment, crowded, shown in opened.js(SHUFFLED, parts):
        assert crowded == [], fragment
        assert not re.search("NaN|undefined|Infinity", shown), fragment
    assert opened.complaints == []


def test_a_word_that_a_curve_crosses_would_be_seen(browser: Any) -> None:
    texts = sources()
    right = "!curves.some((curve) => passes(curve, box))"
    assert right in texts["view/words.js"]
    changed = page(texts | {"view/words.js": texts["view/words.js"].replace(right, "true")})
    broken = new_tab(browser, address_of(changed), viewport={"width": 1366, "height": 800})
    broken.open("async?mode=pairs&step=1&start=3&e1=-1&e2=0&horizon=20")
    assert any("a curve through" in found for found in broken.js(CROWDED))
