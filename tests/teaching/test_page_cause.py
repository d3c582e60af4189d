"""The cause beside the curve: whoever pulls pulls as far as in the core, and what pulls adds up to
the next model."""

import json
from functools import cache
from typing import Any

import pytest

from fltheory.teaching.page import page, sources
from tests.teaching import pull_cases
from tests.teaching.page_tabs import SCENES, new_tab
from tests.teaching.page_truth import SETTINGS, Case, difference, open_page, remembered
from tests.teaching.scene_cases import anarchic_case, async_case, drift_case, stragglers_case

TRUTH = {
    "drift": (drift_case, pull_cases.drift_pulls),
    "async": (async_case, pull_cases.async_pulls),
    "stragglers": (stragglers_case, pull_cases.stragglers_pulls),
    "anarchic": (anarchic_case, pull_cases.anarchic_pulls),
}
ASK = "([scene, list]) => JSON.stringify(list.map((one) => fltheory.pulls(scene, one)))"


@cache
def case(scene: str, index: int) -> Case:
    return remembered(TRUTH[scene][0](index))


def wrong(opened: Any, scene: str, count: int) -> list[str]:
    """Settings in which a pull is not the core's, or the pulls of a round do not add up to its
    move."""
    cases = [case(scene, index) for index in range(count)]
    answers = json.loads(opened.evaluate(ASK, [scene, [given for given, _ in cases]]))
    found = []
    for (given, by_core), told in zip(cases, answers, strict=True):
        expected = TRUTH[scene][1](given, by_core())
        for key, rounds in expected.items():
            ours = [
                [{"client": i, "pull": pull, "age": age} for i, pull, age in row] for row in rounds
            ]
            if problem := difference(ours, told[key]["pulls"], key):
                found.append(f"{given}: {problem}")
            models = told[key]["models"]
            for t, row in enumerate(told[key]["pulls"]):
                move = sum(one["pull"] for one in row)
                if abs(models[t] + move - models[t + 1]) > 1e-9 * max(1, abs(models[t + 1])):
                    found.append(f"{given}: round {t} of {key} does not add up")
    return found


@pytest.mark.parametrize("scene", TRUTH)
def test_every_pull_is_the_cores(scene: str, browser: Any) -> None:
    assert wrong(open_page(browser, page()), scene, SETTINGS) == []


@pytest.mark.parametrize(
    ("scene", "right", "planted"),
    [
        ("drift", "age: t - round", "age: t - round + 1"),
        ("drift", 'collect === "latest" ? 1 / clients', 'collect === "latest" ? 1'),
        ("anarchic", "models[round - delay[k]]", "models[round]"),
        ("async", "weights ? weights[client[k]]", "weights ? 1 / count"),
        ("stragglers", "pull: -move * share", "pull: -1.00000001 * move * share"),
    ],
)
def test_a_planted_wrong_pull_is_caught(scene: str, right: str, planted: str, browser: Any) -> None:
    texts = sources()
    assert right in texts["core/floats.js"]
    text = texts["core/floats.js"].replace(right, planted)
    assert wrong(open_page(browser, page(texts | {"core/floats.js": text})), scene, 40)


def misplaced(opened: Any, count: int) -> list[int]:
    """Settings in which the waiting room holds others than in the core."""
    cases = [case("stragglers", index)[0] for index in range(count)]
    rooms = opened.evaluate(
        "(list) => list.map((one) => { const { room, missing } = fltheory.compute('stragglers',"
        " one); return [room, missing]; })",
        cases,
    )
    return [
        index
        for index, (given, room) in enumerate(zip(cases, rooms, strict=True))
        if list(pull_cases.waiting_room(given)) != room
    ]


def test_the_waiting_room_is_the_cores(browser: Any) -> None:
    assert misplaced(open_page(browser, page()), SETTINGS) == []


def test_a_waiting_room_that_forgets_is_caught(browser: Any) -> None:
    texts = sources()
    right = "[room[t], missing[t]] = [sample, awaited]"
    assert right in texts["scenes/stragglers.js"]
    text = texts["scenes/stragglers.js"].replace(right, right.replace("awaited]", "sample]"))
    assert misplaced(open_page(browser, page(texts | {"scenes/stragglers.js": text})), 20)


BALLS = """() => [...document.querySelectorAll('#cause svg > g circle')].map((one) =>
    Number(one.getAttribute('cx')))"""
MOVE = """(to) => { const one = document.getElementById('position'); one.value = to;
    one.dispatchEvent(new Event('input')); }"""


def test_the_ball_moves_with_the_clock_and_the_picture_is_told(browser: Any, home: str) -> None:
    tab = new_tab(browser, home)
    tab.open("drift")
    tab.js(MOVE, 1)
    told = "() => document.querySelector('#cause svg').getAttribute('aria-label')"
    assert tab.js("() => document.querySelector('#cause text').textContent") == "Client 2 is here"
    assert tab.js(told) == (
        "The cause. FedAvg at 0: client 2 pulls by 0.5. MIFA at 0: client 1 pulls by 0 from"
        " memory, 1 round old, client 2 pulls by 0.25"
    )
    before = tab.js(BALLS)
    tab.js(MOVE, 2)
    (fedavg, mifa), (was, also) = tab.js(BALLS), before
    assert fedavg - was == pytest.approx(2 * (mifa - also), rel=1e-6)
    assert fedavg > was


DISCS = """() => [...document.querySelectorAll('#cause circle[stroke-width="1.4"]')].map((one) =>
    ["cx", "cy", "r"].map((name) => Number(one.getAttribute(name))))"""


def crowded(discs: list[list[float]]) -> list[tuple[float, float]]:
    """Where two discs of one line lie upon each other."""
    return [
        (x, y)
        for k, (x, y, r) in enumerate(discs)
        for other, level, s in discs[k + 1 :]
        if level == y and abs(other - x) < r + s - 0.2
    ]


@pytest.mark.parametrize("width", [390, 1366])
@pytest.mark.parametrize("clients", [2, 3, 4])
def test_deliveries_at_one_time_stand_side_by_side(
    clients: int, width: int, browser: Any, home: str
) -> None:
    tab = new_tab(browser, home, viewport={"width": width, "height": 800})
    for times in ("", "&tau1=1&tau2=1&tau3=1&tau4=1", "&tau1=2&tau2=2&tau3=4&tau4=2"):
        tab.open(f"async?clients={clients}{times}")
        for at in (4, 12, 13):
            tab.js(MOVE, at)
            discs = tab.js(DISCS)
            assert len(discs) > 6
            assert crowded(discs) == [], (times, at)
    assert crowded([[10, 5, 4], [17, 5, 4], [17, 9, 4]]) == [(10, 5)]


@pytest.mark.parametrize("width", [390, 1366, 1920])
def test_the_cause_is_never_cut(width: int, browser: Any, home: str) -> None:
    tab = new_tab(browser, home, viewport={"width": width, "height": 800})
    cut = """() => { const frame = document.getElementById("cause").getBoundingClientRect();
      return [...document.querySelectorAll("#cause text")].filter((one) => {
        const a = one.getBoundingClientRect();
        return a.left < frame.left - 1 || a.right > frame.right + 1 || a.bottom > frame.bottom + 1;
      }).map((one) => one.textContent); }"""
    for scene in (*SCENES[:4], "forever"):
        tab.open(scene)
        for name, found in tab.in_each_example(cut).items():
            assert found == [], (scene, name)
        for at in (0, 1, 7):
            tab.js(MOVE, at)
            assert tab.js(cut) == [], (scene, at)
    assert tab.complaints == []
