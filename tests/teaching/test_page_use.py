"""The page in use: every control by keyboard, shared states, exports, explanations, no request and
no error."""

import csv
import io
import threading
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from fltheory.teaching.instances import explanations
from fltheory.teaching.page import page, sources
from fltheory.teaching.serve import server
from tests.teaching.page_tabs import SCENES, Tab, address_of, new_tab

VISIBLE = """() => [...document.querySelectorAll("a, button, input, select")]
    .filter((one) => one.checkVisibility()
  && !one.closest("dialog")).map((one) => one.id || one.textContent)"""


@pytest.mark.parametrize("scene", SCENES)
def test_every_control_is_reached_by_tab_and_has_a_name(scene: str, tab: Tab) -> None:
    tab.open(scene)
    wanted = set(tab.js(VISIBLE))
    reached = set()
    for _ in range(len(wanted) + 3):
        tab.page.keyboard.press("Tab")
        reached.add(tab.js("() => document.activeElement.id || document.activeElement.textContent"))
    assert wanted <= reached
    nameless = """() => [...document.querySelectorAll("input, select, button, svg")]
        .filter((one) => !(one.labels?.length
      || one.getAttribute("aria-label") || one.textContent.trim())).map((one) => one.outerHTML)"""
    assert tab.js(nameless) == []


SETTINGS = """() => [...document.querySelectorAll(
    "#controls input:not([type=search]), #controls select, #controls button:not(:disabled)")]
    .filter((one) => one.checkVisibility())
  .map((one) => one.id)"""


AT_END = """(name) => { const one = document.getElementById(name);
  return one.options ? one.selectedIndex === one.options.length - 1 : one.value === one.max; }"""


STATES = {
    "drift": ("drift?show=fedprox",),
    "forever": ("forever?silence=coins",),
    "async": ("async?clients=4", "async?mode=pairs", "async?mode=turns"),
}
"""States in which, together, every setting of a scene is visible."""


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES)
def test_every_setting_works_by_keyboard_and_lands_in_the_address(scene: str, tab: Tab) -> None:
    moved = set()
    for state in STATES.get(scene, (scene,)):
        tab.open(state)
        for name in tab.js(SETTINGS):
            before, kind = (
                tab.fragment,
                tab.js("(name) => document.getElementById(name).type", name),
            )
            keys = {"checkbox": ("Space", "Space"), "select-one": ("ArrowDown", "ArrowUp")}.get(
                kind, ("ArrowRight", "ArrowLeft")
            )
            if kind == "button":
                tab.page.focus(f"#{name}")
                tab.page.keyboard.press("Enter")
                assert tab.fragment != before, name
                tab.open(state)
                moved.add(name.split("-")[1])
                continue
            there, back = reversed(keys) if tab.js(AT_END, name) else keys
            tab.page.focus(f"#{name}")
            tab.page.keyboard.press(there)
            assert tab.fragment != before, name
            tab.page.keyboard.press(back)
            assert tab.fragment == before, name
            moved.add(name.split("-")[1])
    assert moved == set(tab.js("(scene) => fltheory.settings(scene)", scene))


def test_moving_a_slider_changes_plot_numbers_and_address(tab: Tab) -> None:
    tab.open("drift")
    before = tab.js("() => document.querySelector('#plot svg').outerHTML")
    tab.page.focus("#set-t2")
    tab.page.keyboard.press("ArrowLeft")
    assert tab.js("() => document.querySelector('#plot svg').outerHTML") != before
    tab.wait("fltheory.atRest()")
    assert tab.js("location.hash") == "#drift?t2=2"
    assert "6/7" in tab.js("() => document.querySelector('#plot svg').textContent")
    assert tab.js("() => document.querySelector('#plot svg').getAttribute('aria-label')").endswith(
        "1/2 at period ends, mean 1/2"
    )


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES)
def test_examples_run_and_play_pause_step_work(scene: str, tab: Tab) -> None:
    tab.open(scene)
    for button in tab.page.query_selector_all("#presets button"):
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
    tab.open(scene)
    tab.page.press("body", "0")
    assert tab.page.input_value("#position") == "0"
    tab.page.press("body", ".")
    assert tab.page.input_value("#position") == "1"
    tab.page.press("body", "Space")
    assert tab.page.inner_text("#play") == "Pause"
    tab.wait(
        "Number(document.getElementById('position').value) > 1 ||"
        " document.getElementById('play').textContent === 'Play'"
    )
    tab.page.click("#restart")
    assert (tab.page.inner_text("#play"), tab.page.input_value("#position")) == ("Play", "0")
    tab.wait("/ 0 of /.test(document.getElementById('live').textContent)")


CURVES = """(scene) => { const found = fltheory.compute(scene, {});
  if (Array.isArray(found.left)) return { left: found.left, right: found.right };
  if (found.models) return { model: found.models };
  const curves = Object.entries(found.methods ?? found.curves)
    .map(([key, one]) => [key, one.models ?? one]);
  const ages = found.updates ? [["mean_staleness", [0, ...found.meanStaleness]]] : [];
  return Object.fromEntries([...curves, ...ages]); }"""
"""The curves that a scene computes as it opens, by their names in the file."""


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES)
def test_exports_are_valid_files_with_the_numbers_of_the_page(scene: str, tab: Tab) -> None:
    tab.load(scene)  # the browser lets a page save only a few files by itself
    files = {}
    for kind in ("svg", "png", "csv"):
        with tab.page.expect_download() as waiting:
            tab.page.click(f"#{kind}")
        assert waiting.value.suggested_filename == f"{scene}.{kind}"
        files[kind] = Path(waiting.value.path()).read_bytes()
    drawing = ElementTree.fromstring(files["svg"])
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}path"))) >= 1
    assert files["png"].startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(files["png"][16:20]) == 2400
    rows = list(csv.reader(io.StringIO(files["csv"].decode())))
    assert len(rows) > 2
    assert {len(row) for row in rows} == {len(rows[0])}
    columns = {
        name: [float(row[k]) for row in rows[1:] if row[k]]
        for k, name in enumerate(rows[0])
        if name != "curve"
    }
    if rows[0][0] == "curve":
        columns = {
            key: [float(row[3]) for row in rows[1:] if row[0] == key]
            for key in sorted({row[0] for row in rows[1:]})
        }
    shown = tab.js(CURVES, scene)
    assert {key: columns[key] for key in shown} == shown


def test_a_saved_plot_tells_its_settings(tab: Tab) -> None:
    tab.load("drift?t2=2&step=3/7")
    with tab.page.expect_download() as waiting:
        tab.page.click("#svg")
    assert waiting.value.suggested_filename == "drift-t2-2-step-3-7.svg"
    words = [
        one.text
        for one in ElementTree.parse(waiting.value.path()).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert words[0] == "FedAvg drifts; does memory?"
    assert str(words[1]).startswith("t₁: 1 · t₂: 2 · step size γ: 3/7")


def test_why_shows_what_explain_prints_and_closes_by_keyboard(tab: Tab) -> None:
    for scene, claim in (
        ("drift", "fedlaavg.thm1.fixed"),
        ("counterexample?claim=fraboni.ex2", "fraboni.ex2"),
    ):
        tab.open(scene)
        tab.page.focus("#why")
        tab.page.keyboard.press("Enter")
        assert tab.page.text_content("#text") == explanations([claim], [])[claim]
        assert ("period leaves where it was" in str(tab.page.text_content("#because"))) == (
            scene == "drift"
        )
        tab.page.keyboard.press("Escape")
        assert tab.js(
            "() => [document.getElementById('explanation').open, document.activeElement.id]"
        ) == [False, "why"]


def test_light_and_dark_follow_the_system_and_the_button(browser: Any, home: str) -> None:
    night = new_tab(browser, home, color_scheme="dark")
    night.load("drift")
    theme = "() => document.documentElement.dataset.theme"
    assert night.js(theme) == "dark"
    night.page.press("body", "d")
    assert night.js(theme) == "light"
    assert night.complaints == []


def test_a_limit_of_zero_is_told_before_it_is_exact(tab: Tab) -> None:
    tab.open("drift")
    given = {
        "t1": "100",
        "t2": "100",
        "local": "10",
        "step": "1/2",
        "e1": "1",
        "e2": "0",
        "show": "fedavg",
    }
    assert (
        tab.js("(given) => fltheory.compute('drift', given, false).methods.fedavg.limit", given)
        == "0.0000"
    )


def test_the_served_page_runs_under_its_policy(browser: Any) -> None:
    with server() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        served = new_tab(browser, f"http://127.0.0.1:{running.server_port}/")
        served.load("drift")
        assert "14/15" in served.page.text_content("#plot")
        assert (served.complaints, {url.split("#")[0] for url in served.requests} - {"data:,"}) == (
            [],
            {served.home},
        )
        running.shutdown()


def test_a_planted_error_would_be_heard(browser: Any) -> None:
    texts = sources()
    planted = texts["view/page.js"] + "\nfetch('http://127.0.0.1:9/');\n"
    broken = new_tab(browser, address_of(page(texts | {"view/page.js": planted})))
    broken.load("drift")
    broken.page.wait_for_timeout(50)
    assert any("Content Security Policy" in complaint for complaint in broken.complaints)
