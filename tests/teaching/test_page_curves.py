"""What the page draws of ten thousand rounds: no peak is lost on the way to the pixels; long limits
in doubles are the core's."""

import re
from typing import Any

import numpy as np
import pytest

from fltheory.teaching import anarchic
from fltheory.teaching.page import page, sources
from tests.teaching.page_tabs import address_of, new_tab

ROUNDS = 10_000
SPIKE, HEIGHT = 5003, 0.9
PATH = "(column) => document.querySelector(`#plot [data-column='${column}']`).getAttribute('d')"
TICKS = """() => [...document.querySelectorAll("#plot text")]
    .filter((one) => one.getAttribute("text-anchor") === "end")
  .map((one) => [one.textContent.replace("−", "-"), Number(one.getAttribute("y"))])"""
AXIS = """() => [...document.querySelectorAll("#plot text")]
    .filter((one) => /^[0-9,]+$/.test(one.textContent)
  && one.getAttribute("text-anchor") === "middle").map((one) => [one.textContent.replace(",", ""),
      Number(one.getAttribute("x"))])"""


def opened_at(browser: Any, fragment: str, **changes: tuple[str, str]) -> Any:
    """The page at a state, with a planted change of `module: (right, wrong)`."""
    texts = sources()
    for name, (right, wrong) in changes.items():
        assert right in texts[name]
        texts[name] = texts[name].replace(right, wrong)
    tab = new_tab(browser, address_of(page(texts)), viewport={"width": 1366, "height": 768})
    tab.open(fragment)
    return tab.page


def scale(marks: list[list[Any]]) -> Any:
    """The straight line from numbers to pixels that the labels of an axis show."""
    known = [(float(text), at) for text, at in marks if re.fullmatch(r"-?[0-9.]+", text)]
    return np.poly1d(np.polyfit([number for number, _ in known], [at for _, at in known], 1))


def corners(path: str) -> list[list[tuple[float, float]]]:
    """Corners of each closed piece of a path, in absolute coordinates."""
    pieces: list[list[tuple[float, float]]] = []
    x = y = 0.0
    for letter, rest in re.findall(r"([MLHVZ])([^MLHVZ]*)", path):
        values = [float(part) for part in rest.split()]
        if letter == "Z":
            continue
        x, y = (
            (values[0], y)
            if letter == "H"
            else (x, values[0])
            if letter == "V"
            else (values[0], values[1])
        )
        if letter == "M":
            pieces.append([])
        pieces[-1].append((x, y))
    return pieces


def test_the_band_holds_the_least_and_the_greatest_of_every_column(browser: Any) -> None:
    opened = opened_at(browser, f"stragglers?rounds={ROUNDS}")
    models = np.array(
        opened.evaluate(
            "(settings) => fltheory.compute('stragglers', settings).curves.biased",
            {"rounds": str(ROUNDS)},
        )
    )
    assert outside(opened, models) == 0


@pytest.mark.parametrize(
    "right", ["else if (ys[k] < ys[low]) low = k;", "else if (ys[k] > ys[high]) high = k;"]
)
def test_a_thinning_that_forgets_an_extreme_is_caught(right: str, browser: Any) -> None:
    wrong = {"view/curves.js": (right, "else if (ys[k] === 7) low = k;")}
    opened = opened_at(browser, f"stragglers?rounds={ROUNDS}", **wrong)
    models = np.array(
        opened.evaluate(
            "(settings) => fltheory.compute('stragglers', settings).curves.biased",
            {"rounds": str(ROUNDS)},
        )
    )
    assert outside(opened, models) > 50


def outside(opened: Any, models: Any) -> int:
    """How many columns of pixels have a model that the drawn band leaves out, by more than
    rounding."""
    pieces = corners(opened.evaluate(PATH, "biased"))
    assert len(pieces) == 1
    turn = max(range(len(pieces[0])), key=lambda k: pieces[0][k][0])
    top, bottom = np.array(pieces[0][: turn + 1]), np.array(pieces[0][turn + 1 :])[::-1]
    across, down = (
        scale(opened.evaluate(AXIS)),
        scale(opened.evaluate(TICKS)[:2]),
    )  # the first two ticks are the first panel's
    columns, heights = np.floor(across(np.arange(len(models)))), down(models)
    missed = 0
    for column in np.unique(columns):
        high, low = heights[columns == column].min(), heights[columns == column].max()
        missed += bool(
            np.interp(column + 0.5, *top.T) > high + 0.1
            or np.interp(column + 0.5, *bottom.T) < low - 0.1
        )
    return missed


@pytest.mark.parametrize("method", ["mifa", "fedlaavg"])
def test_a_single_spike_stays_visible_on_whole_and_dashed_curves(method: str, browser: Any) -> None:
    planted = {
        "core/floats.js": (
            "  return models;\n",
            f"  models[{SPIKE}] = {HEIGHT};\n  return models;\n",
        )
    }
    opened = opened_at(browser, f"drift?rounds={ROUNDS}&show={method}", **planted)
    across, down = scale(opened.evaluate(AXIS)), scale(opened.evaluate(TICKS))
    near = [
        y
        for piece in corners(opened.evaluate(PATH, method))
        for x, y in piece
        if abs(x - across(SPIKE)) <= 2
    ]
    assert min(near) <= down(HEIGHT) + 0.2


MARKS = "(method) => document.querySelector(`#plot [data-marks='${method}']`).getAttribute('d')"
REACHED = "() => Number(document.querySelector('#reveal rect').getAttribute('width'))"


def mark_errors(opened: Any) -> list[float]:
    """How far, in pixels, each mark of FedAvg lies from the model at the end of its period, the
    start included."""
    across, down = scale(opened.evaluate(AXIS)), scale(opened.evaluate(TICKS))
    models = opened.evaluate(
        "() => fltheory.compute('drift', { rounds: '60' }).methods.fedavg.models"
    )
    squares = [
        tuple(map(float, found))
        for found in re.findall(
            r"M(-?[0-9.]+) (-?[0-9.]+)h([0-9.]+)v", opened.evaluate(MARKS, "fedavg")
        )
    ]
    wanted = list(enumerate(models))[::4]
    assert len(squares) == len(wanted)
    pairs = zip(squares, wanted, strict=True)
    return [
        abs(x + side / 2 - across(t)) + abs(y + side / 2 - down(model))
        for (x, y, side), (t, model) in pairs
    ]


def test_marks_stand_at_the_ends_of_periods_that_are_reached(browser: Any) -> None:
    opened = opened_at(browser, "drift?rounds=60")
    assert max(mark_errors(opened)) < 0.3
    across = scale(opened.evaluate(AXIS))
    opened.evaluate(
        "() => { const one = document.getElementById('position'); one.value = 5;"
        " one.dispatchEvent(new Event('input')); }"
    )
    assert across(5) <= opened.evaluate(REACHED) < across(5.5)


def test_misplaced_marks_are_noticed(browser: Any) -> None:
    wrong = {
        "core/floats.js": (
            "values[k] = list[k * step];",
            "values[k] = list[Math.max(0, k * step - 1)];",
        )
    }
    opened = opened_at(browser, "drift?rounds=60", **wrong)
    assert max(mark_errors(opened)) > 1


def test_limits_too_long_to_be_exact_are_told_in_digits_and_are_the_cores(browser: Any) -> None:
    opened = opened_at(browser, "anarchic")
    given = {"rare": "25", "delay": "0", "local": "8", "step": "7/50", "show": "cd-plus,cs-plus"}
    found = opened.evaluate("(settings) => fltheory.compute('anarchic', settings).curves", given)
    core = anarchic.anarchic(
        rare=25, delay=0, local_steps=8, step_size="7/50", curves=("cd-plus", "cs-plus")
    )["curves"]
    for key, one in core.items():
        assert "." in found[key]["limit"]
        assert one["limit"] is not None
        assert float(found[key]["limit"]) == pytest.approx(float(one["limit"]), abs=1e-4)
        assert found[key]["radius"] == pytest.approx(one["radius"], abs=1e-9)
        assert found[key]["models"] == pytest.approx(list(one["models"]), abs=1e-9)
