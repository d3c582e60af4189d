"""The page where it is shown: a low screen, a phone in the hand, paper, forced colours; and what it
says at the edges of its settings."""

from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pytest

from fltheory.teaching import anarchic
from fltheory.teaching.page import page, sources
from tests.teaching.page_tabs import SCENES, Tab, address_of, new_tab

RECT = (
    "(name) => { const one = document.getElementById(name).getBoundingClientRect(); return"
    " [one.top, one.bottom]; }"
)
BOTTOM = "() => document.getElementById('plot').getBoundingClientRect().bottom"
SPLIT = r"""() => [...document.querySelectorAll(".card td")].flatMap((cell) => {
  const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), broken = [];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    for (const word of node.textContent.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()]
          .map(({ top }) => Math.round(top))).size > 1) broken.push(word[0]);
    } }
  return broken; }).concat([...document.querySelectorAll(".card")]
      .filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => `too wide: ${one.textContent.slice(0, 30)}`))"""
"""Words of the cards that are broken over two lines, and cards that do not hold their table."""


def shown(browser: Any, fragment: str, size: tuple[int, int] = (1366, 768), **options: Any) -> Tab:
    tab = new_tab(
        browser, address_of(page()), viewport={"width": size[0], "height": size[1]}, **options
    )
    tab.open(fragment)
    return tab


@pytest.mark.parametrize("size", [(1280, 720), (1366, 768), (1920, 1080)])
def test_the_plot_and_the_player_are_on_the_first_screen(
    size: tuple[int, int], browser: Any
) -> None:
    tab = shown(browser, "drift", size)
    for scene in SCENES:
        tab.follow(scene)
        for name, bottom in tab.in_each_example(BOTTOM).items():
            assert bottom <= size[1], (scene, name)


@pytest.mark.parametrize("scene", [scene for scene in SCENES if scene != "counterexample"])
def test_on_a_phone_the_plot_stays_in_sight_of_every_slider(scene: str, browser: Any) -> None:
    tab = shown(browser, scene, (390, 844))
    sliders = (
        "() => [...document.querySelectorAll('#controls input')].filter((one) =>"
        " one.checkVisibility()).map(({ id }) => id)"
    )
    for name in [*tab.js(sliders), *reversed(tab.js(sliders))]:
        tab.js("(name) => document.getElementById(name).scrollIntoView({ block: 'nearest' })", name)
        tab.page.focus(f"#{name}")
        (top, bottom), (_, below) = tab.js(RECT, name), tab.js(RECT, "plot")
        assert below >= 200, name  # the plot is there
        assert (top >= below or bottom <= 0, bottom <= 845) == (
            True,
            True,
        ), name  # and not upon the slider


@pytest.mark.parametrize("width", [390, 1280, 1366, 1920])
def test_cards_break_no_word(width: int, browser: Any) -> None:
    tab = shown(browser, "drift", (width, 768))
    for scene in SCENES:
        tab.follow(scene)
        broken = tab.in_each_example(SPLIT)
        assert [found for found in broken.items() if found[1]] == [], scene
    for state in (
        "drift?t1=1&t2=100&rounds=400&show=fedavg,fedprox,sampling,mifa,fedlaavg",
        "async?clients=4&tau1=6&tau2=5&tau4=4",
        "drift?step=1&local=10&prox=4&show=fedavg,fedprox,sampling,mifa,fedlaavg",
    ):
        tab.follow(state)
        assert tab.js(SPLIT) == [], state


def test_a_broken_word_would_be_seen(browser: Any) -> None:
    tab = shown(browser, "drift", (1366, 768))
    tab.js(
        "() => { for (const one of document.querySelectorAll('.card td')) { one.style.overflowWrap"
        " = 'anywhere'; one.closest('.card').style.width = '9rem'; } }"
    )
    assert tab.js(SPLIT) != []


def test_a_wide_statement_is_written_smaller_or_says_that_it_scrolls(browser: Any) -> None:
    tab = shown(browser, "counterexample", (390, 844))
    state = """() => { const one = document.querySelector(".statement");
        return [one.scrollWidth > one.clientWidth + 1,
      one.classList.contains("wide"), parseFloat(getComputedStyle(one).fontSize)]; }"""
    found = []
    for claim in ("fedlaavg.thm1.fixed", "afl.thm2", "fraboni.eq31", "mifa.thm6.1"):
        tab.open(f"counterexample?claim={claim}")
        over, told, size = tab.js(state)
        assert over == told, claim
        assert size >= 10, claim
        found.append(over)
    assert found[:3] == [False, False, True]


def test_paper_is_light_and_tells_the_settings(browser: Any) -> None:
    own = address_of(page() + "<!-- listened to -->")  # a page of its own, for it is changed
    tab = new_tab(browser, own, color_scheme="dark")
    tab.open("drift?t2=2")
    tab.js(
        "() => { addEventListener('beforeprint', () => setTimeout(() => 0)); window.seen = [];"
        " const look = () => window.seen.push([document.documentElement.dataset.theme,"
        " document.getElementById('printed').textContent]); addEventListener('beforeprint',"
        " look); }"
    )
    tab.page.pdf()
    ((theme, told),) = tab.js("() => window.seen")
    assert theme == "light"
    assert told.startswith("t₁: 1 · t₂: 2 · step size γ: 1/4")
    assert tab.js("() => document.documentElement.dataset.theme") == "dark"
    assert tab.complaints == []


def test_forced_colours_leave_the_plot_on_its_own_ground(browser: Any) -> None:
    for scheme in ("light", "dark"):
        tab = shown(browser, "drift", forced_colors="active", color_scheme=scheme)
        for _ in range(2):
            ground, sheet = tab.js(
                "() => [getComputedStyle(document.getElementById('plot')).backgroundColor, "
                "getComputedStyle(document.querySelector('#plot svg > rect')).fill]"
            )
            assert ground == sheet
            tab.page.press("body", "d")
        assert (
            tab.js("() => getComputedStyle(document.querySelector('[aria-current]')).outlineStyle")
            == "solid"
        )


@pytest.mark.parametrize("scene", SCENES)
def test_the_settings_on_a_saved_plot_can_be_read(scene: str, browser: Any) -> None:
    tab = shown(browser, scene)
    tab.load(scene)
    with tab.page.expect_download() as waiting:
        tab.page.click("#svg")
    words = list(ElementTree.parse(waiting.value.path()).iter("{http://www.w3.org/2000/svg}text"))
    lines = [one for one in words if " · " in str(one.text)]
    assert lines
    assert all(float(one.attrib["font-size"]) > 16 for one in lines)


TEXT = (
    "() => document.getElementById('formula').textContent +"
    " document.getElementById('cards').textContent + document.querySelector('#plot').textContent"
)


@pytest.mark.parametrize(
    ("state", "said", "unsaid"),
    [
        (
            "drift?step=1",
            ["FedAvg does not settle", "at every step size below 1"],
            ["FedAvg  mean over a period"],
        ),
        ("drift?step=1&local=10", ["FedAvg does not settle"], []),
        ("drift", [], ["does not settle", "of which"]),
        ("drift?e1=1&e2=1&start=2", [], ["to and fro"]),
        ("drift?t1=2&t2=2&step=1", ["MIFA and FedLaAvg still swing to and fro"], []),
        ("drift?t1=100&t2=100", ["A period takes 200 rounds, of which 28 are shown"], []),
        ("async?step=1&tau2=1", ["at the stability edge"], ["diverges", "past the stability edge"]),
        (
            "async?mode=turns&step=1&q1=2&q2=2",
            ["diverges", "past the stability edge", "no limit"],
            ["the two points"],
        ),
        ("async?mode=turns", ["the two points"], ["no limit"]),
        ("anarchic", ["−3/4", "−5/4"], []),
    ],
)
def test_what_is_said_at_the_edges_is_true(
    state: str, said: list[str], unsaid: list[str], browser: Any
) -> None:
    tab = shown(browser, state)
    text = tab.js(TEXT).replace("FedLaAvg and MIFA", "MIFA and FedLaAvg")
    assert [part for part in said if part not in text] == []
    assert [part for part in unsaid if part in text] == []


def test_a_period_longer_than_the_plot_has_an_axis_with_numbers(browser: Any) -> None:
    tab = shown(browser, "drift?t1=100&t2=100")
    assert {"0", "10", "20"} <= set(
        tab.js("() => [...document.querySelectorAll('#plot text')].map((one) => one.textContent)")
    )


@pytest.mark.parametrize(
    ("state", "parts"),
    [
        ("drift", ["period leaves where it was", "point of rest"]),
        ("async", ["How often", "How strongly", "the means"]),
        ("async?mode=pairs", ["z2−z+φ=0", "a sixth of a turn"]),
        ("async?mode=turns", ["a=b−q1φ(a−e1)", "1021", "1121"]),
        ("stragglers", ["1pi−1", "403250"]),
        ("anarchic", ["G(1−2r)", "94"]),
        ("anarchic?rare=4", ["=1."]),
    ],
)
def test_why_derives_the_numbers_of_the_moment(state: str, parts: list[str], browser: Any) -> None:
    tab = shown(browser, state)
    tab.page.press("body", "w")
    told = tab.js("() => document.getElementById('because').textContent")
    packed = told.replace(" ", "")
    assert [part for part in parts if part not in told and part not in packed] == []
    assert tab.complaints == []


@pytest.mark.parametrize("world", ["minus", "plus"])
@pytest.mark.parametrize(
    ("rare", "step", "delay", "local"),
    [(2, "1/10", 0, 1), (3, "1/5", 1, 2), (8, "1/10", 0, 1), (5, "1/20", 2, 3)],
)
def test_averaging_arrivals_leans_as_derived(
    world: str, rare: int, step: str, delay: int, local: int
) -> None:
    """The mean of AFA-CD's cycle is G (1 - 2/r) from the optimum, so the mean squared gradient is
    at least sigma_G^2 (1 - 2/r)^2."""
    gap = Fraction(3, 2)
    found = anarchic.anarchic(
        gap=gap,
        rare=rare,
        step_size=step,
        delay=delay,
        local_steps=local,
        rounds=8,
        curves=(f"cd-{world}", f"cs-{world}"),
    )
    cd, cs = found["curves"].values()
    optimum = anarchic.world(world, gap).constants.optimum[0]  # type: ignore[index]
    away = gap * (1 - Fraction(2, rare))
    assert cd["mean"] is not None
    assert abs(cd["mean"] - optimum) == away
    assert cd["floor"] is not None
    assert cd["floor"] > found["dissimilarity_squared"] * (1 - Fraction(2, rare)) ** 2
    assert cd["limit"] != cd["mean"]
    assert (cs["mean"], cs["floor"]) == (optimum, 0)


def test_the_page_has_room_left() -> None:
    assert len(page().encode()) < 330_000 < 400_000
    assert sources().keys() >= {"scenes/because.js", "view/line.js"}
