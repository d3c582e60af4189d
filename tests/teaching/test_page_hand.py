"""What the hand can do in the plot: start, optima, guess, rounds and speed, by pointer and by
keyboard, and told to those who listen."""

from fractions import Fraction
from typing import Any

import pytest

from fltheory.teaching.drift import drift
from fltheory.teaching.page import page, sources
from tests.teaching.page_tabs import Tab, address_of, new_tab

CENTRE = """(id) => { const a = document.getElementById(id).getBoundingClientRect();
    return [a.left + a.width / 2, a.top + a.height / 2]; }"""
TOLD = """(id) => { const one = document.getElementById(id);
    return [one.getAttribute("role"), one.getAttribute("aria-label"),
      Number(one.getAttribute("aria-valuenow")), one.getAttribute("aria-valuetext")]; }"""
HANDLES = {
    "drift": ("start", "e1", "e2"),
    "async": ("start", "e1", "e2"),
    "stragglers": ("start",),
    "anarchic": ("start", "gap"),
}


def drag(tab: Tab, name: str, down: int) -> None:
    x, y = tab.js(CENTRE, name)
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x, y + down / 2)
    tab.page.mouse.move(x, y + down)
    tab.page.mouse.up()


@pytest.mark.parametrize("scene", HANDLES)
def test_every_grip_moves_its_setting_by_pointer_and_by_keyboard(scene: str, tab: Tab) -> None:
    for key in HANDLES[scene]:
        for act in (
            lambda key=key: drag(tab, f"hand-{key}", -40 if scene in ("drift", "async") else 40),
            lambda key=key: tab.page.press(f"#hand-{key}", "ArrowDown"),
        ):
            tab.open(scene)
            role, label, before, _ = tab.js(TOLD, f"hand-{key}")
            act()
            assert f"{key}=" in tab.fragment
            after, text = tab.js(TOLD, f"hand-{key}")[2:]
            assert after != before
            assert (role, label.endswith("in the plot")) == ("slider", True)
            assert float(Fraction(text.replace("−−", "").replace("−", "-"))) == after
            assert tab.js(f"document.getElementById('set-{key}').value") != ""


def test_a_grip_lands_where_it_is_dropped(tab: Tab) -> None:
    tab.open("drift")
    drag(tab, "hand-start", -60)
    assert "start=" in tab.fragment
    where = tab.js(CENTRE, "hand-start")
    head = tab.js(
        "() => { const one = document.querySelector('#position'); one.value = 0;"
        " one.dispatchEvent(new Event('input')); const a ="
        " document.querySelector('#plot circle').getBoundingClientRect(); return a.top + a.height"
        " / 2; }"
    )
    assert where[1] == pytest.approx(head, abs=2)


GUESSED = "() => document.getElementById('guessed').textContent"


def test_a_guess_is_placed_before_and_measured_at_the_end(browser: Any, home: str) -> None:
    tab = new_tab(browser, home, reduced_motion="no-preference")
    tab.open("drift")
    assert not tab.page.is_visible("#guessed")
    assert tab.js(TOLD, "hand-guess")[3] == "not placed"
    drag(tab, "hand-guess", -30)
    guess = tab.js(TOLD, "hand-guess")[2]
    assert tab.js(GUESSED) == f"your guess: {guess:.3g}"
    tab.page.press("#hand-guess", "ArrowUp")
    assert tab.js(TOLD, "hand-guess")[2] > guess
    guess = tab.js(TOLD, "hand-guess")[2]
    tab.page.press("body", "a")
    told = tab.js(GUESSED)
    assert told.endswith("away from FedAvg's mean over a period, 3/4")
    away = float(told.split(", ")[1].split()[0])
    assert away == pytest.approx(abs(guess - 0.75), rel=5e-3)
    tab.wait("/your guess/.test(document.getElementById('live').textContent)")
    tab.page.click("text=Equal turns")
    assert not tab.page.is_visible("#guessed")
    assert tab.complaints == []


def test_a_click_on_a_round_changes_who_is_there_and_the_exact_limit(tab: Tab) -> None:
    tab.open("drift?show=fedavg")
    box = tab.js(
        "() => { const a = document.getElementById('cells').getBoundingClientRect(); return"
        " [a.left, a.top, a.width, a.height]; }"
    )
    tab.page.mouse.click(box[0] + box[2] * 2.5 / 28, box[1] + box[3] / 2)
    assert tab.fragment == "#drift?show=fedavg&pattern=1232"
    limit = drift(pattern="1232", methods=("fedavg",))["methods"]["fedavg"]["limit"]
    assert str(limit) in tab.page.text_content("#plot")
    tab.page.press("#set-pattern-0", "Enter")
    assert tab.fragment == "#drift?show=fedavg&pattern=2232"
    assert tab.js("document.activeElement.id") == "set-pattern-0"
    assert tab.js("document.activeElement.getAttribute('aria-label')") == "round 1 of 4: client 2"
    tab.page.press("#set-pattern-more", "Enter")
    assert tab.fragment == "#drift?show=fedavg&pattern=22322"
    tab.page.press("#set-pattern-less", "Enter")
    tab.page.press("#set-pattern-less", "Enter")
    assert tab.fragment == "#drift?show=fedavg&pattern=223"
    assert tab.js("() => document.querySelector('#set-t1').checkVisibility()") is False


def test_a_pattern_without_anybody_is_refused(tab: Tab) -> None:
    tab.open("drift?pattern=3")
    tab.page.press("#set-pattern-0", "Enter")
    assert tab.fragment == "#drift?pattern=3"
    tab.open("drift?pattern=00")
    assert (tab.fragment, tab.page.is_visible("#notice")) == ("#drift", True)


def test_the_speed_is_chosen_by_list_and_by_key(browser: Any, home: str) -> None:
    tab = new_tab(browser, home, reduced_motion="no-preference")
    tab.open("drift")
    tab.wait("/ 0 of /.test(document.getElementById('live').textContent)")  # its first words
    for key, told in (("+", "2×"), ("+", "4×"), ("+", "4×"), ("-", "2×")):
        tab.page.press("body", key)
        assert tab.js("() => document.getElementById('live').textContent") == f"speed {told}"
    tab.page.select_option("#speed", "0.25")
    seconds = """async () => { const begun = performance.now(); let frames = 0;
      document.getElementById("play").click();
      while (frames++ < 20) await new Promise(requestAnimationFrame);
      document.getElementById("play").click();
      return [fltheory.position(), (performance.now() - begun) / 1000]; }"""
    slow, passed = tab.js(seconds)
    assert slow <= 28 / 6 * 0.25 * (passed + 0.05)
    assert slow > 0


def test_a_guess_that_leaks_the_answer_would_be_seen(browser: Any) -> None:
    texts = sources()
    right = "const target = state.shown && "
    assert right in texts["view/hand.js"]
    text = texts["view/hand.js"].replace(right, "const target = ")
    changed = address_of(page(texts | {"view/hand.js": text}))
    tab = new_tab(browser, changed, reduced_motion="no-preference")
    tab.open("drift")
    drag(tab, "hand-guess", -30)
    assert "3/4" in tab.js(GUESSED)
