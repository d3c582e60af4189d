"""Measure how fast the teaching page reacts to a slider, with 10,000 rounds on the screen.

    python benchmarks/page_frames.py [--moves 6] [--browser /usr/bin/chromium]

It writes results/page_frames.json. In each state every visible slider is moved, except the one that
sets the number of rounds. For all moves of a state, including the first after loading, it reports
the median, the 95th percentile and the maximum, in milliseconds:

- cpu_ms: CPU time of the main thread from before the move until the frame is handed over: script,
  style, layout, painting, commit, and the driver's own commands (`nothing` is their cost for a move
  without listeners; it is not subtracted).
- script_ms: the JavaScript part of it.
- wall_ms: time from the move until the frame is handed over, on the page's clock, including the
  wait for the screen's refresh.
- after_ms: CPU time of the main thread after the slider stops: exact numbers, cards, address.
- raster_ms: CPU time of other threads per move to turn the frame into pixels, in software; one
  number per state, from a trace.

A frame of a 60 Hz screen lasts 16.7 ms. `worst` names the slider with the largest median, and
`load_average` shows how busy the machine was: with other programs running, CPU times are longer and
wall times much longer.
"""

import argparse
import json
import os
import platform
import shutil
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

from fltheory.teaching.page import page

HERE = Path(__file__).parent
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
STATES = {
    "drift": "drift?rounds=10000",
    "drift, five methods": "drift?rounds=10000&show=fedavg,fedprox,sampling,mifa,fedlaavg",
    "drift, long turns": (
        "drift?rounds=10000&t1=100&t2=100&step=1/100&local=10"
        "&show=fedavg,fedprox,sampling,mifa,fedlaavg"
    ),
    "async": "async?horizon=5000&show=timed",
    "async, three weights": "async?horizon=5000",
    "async, four clients": "async?horizon=5000&clients=4&tau1=1&tau2=1&tau3=1&tau4=1&window=1/2",
    "stragglers": "stragglers?rounds=10000",
    "stragglers, two awaited": "stragglers?rounds=10000&p1=1/2&p2=1&p3=1&p4=1&sample=2",
    "anarchic": "anarchic?rounds=10000",
    "anarchic, late": "anarchic?rounds=10000&delay=4&local=8&rare=40",
    "counterexample": "counterexample",
    "forever": "forever?rounds=10000",
    "theorem": "theorem",
    "counterexample, with noise": "counterexample?claim=mifa.related.rate",
    "counterexample, exact squares": "counterexample?claim=afl.rem2.everyone",
}
SLIDERS = """() => [...document.querySelectorAll("#controls input[type=range]")]
  .filter((one) => one.checkVisibility()).map((one) => one.id)
  .filter((name) => !["set-rounds", "set-horizon", "set-clients"].includes(name))"""
MOVE = """([name, k]) => {
  const slider = document.getElementById(name) ?? document.createElement("input");
  const up = slider.value === slider.max ? -1 : 1;
  slider.dataset.way = k % 2 ? -slider.dataset.way : up;
  slider.value = Number(slider.value) + Number(slider.dataset.way); const begun = performance.now();
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  return new Promise((done) => requestAnimationFrame(
    () => setTimeout(() => done(performance.now() - begun)))); }"""
NAMES = ("cpu_ms", "script_ms", "wall_ms", "after_ms")
TRACED = ("devtools.timeline", "disabled-by-default-devtools.timeline", "cc")


def move(opened: Any, session: Any, name: str, k: int) -> tuple[float, ...]:
    """One move of a slider, there or back: the four times of NAMES."""

    def busy() -> tuple[float, float]:
        found = {
            metric["name"]: 1000 * float(metric["value"])
            for metric in session.send("Performance.getMetrics")["metrics"]
        }
        return found["TaskDuration"], found["ScriptDuration"]

    before = busy()
    wall = float(opened.evaluate(MOVE, [name, k]))
    then = busy()
    while not opened.evaluate("fltheory.atRest()"):
        opened.wait_for_timeout(20)
    return then[0] - before[0], then[1] - before[1], wall, busy()[0] - then[0]


def summary(rows: list[tuple[float, ...]]) -> dict[str, dict[str, float]]:
    """Median, 95th percentile (the least value that at least 95 % do not exceed) and largest of
    each time."""

    def one(values: list[float]) -> dict[str, float]:
        ranked = sorted(values)
        found = {
            "median": median(ranked),
            "p95": ranked[-(-95 * len(ranked) // 100) - 1],
            "largest": ranked[-1],
        }
        return {name: round(value, 1) for name, value in found.items()}

    return {name: one([row[k] for row in rows]) for k, name in enumerate(NAMES)}


def raster(browser: Any, opened: Any, slider: str, folder: Path, moves: int) -> float:
    """CPU milliseconds per move that other threads spend on turning the frame into pixels."""
    file = folder / "trace.json"
    browser.start_tracing(page=opened, path=str(file), categories=list(TRACED))
    for k in range(moves):
        opened.evaluate(MOVE, [slider, k])
    browser.stop_tracing()
    events = json.loads(file.read_text(encoding="utf-8"))["traceEvents"]
    return round(
        sum(event.get("tdur", 0) for event in events if event.get("name") == "RasterTask")
        / 1000
        / moves,
        1,
    )


def measure(browser: Any, address: str, folder: Path, moves: int) -> dict[str, Any]:
    """All sliders of one state."""
    opened = browser.new_page(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
    opened.goto(address)
    opened.wait_for_timeout(500)
    session = opened.context.new_cdp_session(opened)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    sliders = opened.evaluate(SLIDERS)
    rows = {name: [move(opened, session, name, k) for k in range(moves)] for name in sliders}
    medians = {name: median(row[0] for row in found) for name, found in rows.items()}
    worst = max(medians, key=lambda name: medians[name])
    told = {
        "sliders": len(sliders),
        "moves": moves * len(sliders),
        "worst": worst.removeprefix("set-"),
        "worst_median": round(medians[worst], 1),
        **summary([row for found in rows.values() for row in found]),
        "nothing": round(
            median(move(opened, session, "no-such-slider", 0)[0] for _ in range(moves)), 1
        ),
    }
    told["raster_ms"] = raster(browser, opened, worst, folder, moves)
    opened.close()
    return told


def main() -> None:
    """Measure every state in one browser and write the file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--moves", type=int, default=6)
    parser.add_argument("--browser", default=shutil.which("chromium"))
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "page_frames.json")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "page.html"
        file.write_text(page(), encoding="utf-8")
        browser = driver.chromium.launch(executable_path=given.browser, args=FLAGS)
        results = {
            name: measure(browser, f"{file.as_uri()}#{fragment}", Path(folder), given.moves)
            for name, fragment in STATES.items()
        }
        told = {
            "machine": platform.processor() or platform.machine(),
            "browser": browser.version,
            "rendering": "headless, in software",
            "cores": os.cpu_count(),
            "load_average": round(os.getloadavg()[0], 1),
            "page_bytes": file.stat().st_size,
            "frame_ms": 16.7,
            "states": results,
        }
        browser.close()
    given.output.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
