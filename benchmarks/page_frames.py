"""How fast the teaching page reacts: CPU time of its script from a move of a slider to the redrawn curves, for 10,000 rounds.

    python benchmarks/page_frames.py [--moves 30] [--browser /usr/bin/chromium]

Writes results/page_frames.json: for each scene the least, median and largest milliseconds of the main thread per move (all that is
done before the next frame is painted), and the wall time until that frame is on the screen. A frame of a 60 Hz screen has 16.7 ms.
"""

import argparse
import json
import platform
import shutil
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

from fltheory.teaching.page import page

HERE = Path(__file__).parent
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")
STATES = {
    "drift": "drift?rounds=10000", "drift, five methods": "drift?rounds=10000&show=fedavg,fedprox,sampling,mifa,fedlaavg",
    "async": "async?horizon=5000&show=timed", "async, three weights": "async?horizon=5000",
    "stragglers": "stragglers?rounds=10000", "anarchic": "anarchic?rounds=10000", "counterexample": "counterexample",
}
MOVE = """(way) => { const slider = document.getElementById("set-step") ?? document.getElementById("set-factor");
  slider.value = Number(slider.value) + way; const begun = performance.now();
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  return new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)))); }"""
SETTLE = 400
"""Milliseconds between moves, in which the exact numbers follow."""


def measure(opened: Any, session: Any, moves: int) -> dict[str, Any]:
    """Thread time and wall time of each move, in milliseconds."""
    def busy() -> float:
        found = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
        return 1000 * float(found["ScriptDuration"] + found["LayoutDuration"] + found["RecalcStyleDuration"])

    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    threads, walls = [], []
    for k in range(moves):
        before = busy()
        walls.append(opened.evaluate(MOVE, 1 if k % 2 else -1))
        threads.append(busy() - before)
        opened.wait_for_timeout(SETTLE)
    return {name: {"least": round(min(values), 1), "median": round(median(values), 1), "largest": round(max(values), 1)}
            for name, values in (("cpu_ms", threads), ("wall_ms", walls))}


def main() -> None:
    """Measure every state in one browser and write the file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--moves", type=int, default=30)
    parser.add_argument("--browser", default=shutil.which("chromium"))
    given = parser.parse_args()
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "page.html"
        file.write_text(page(), encoding="utf-8")
        browser = driver.chromium.launch(executable_path=given.browser, args=FLAGS)
        for name, fragment in STATES.items():
            opened = browser.new_page(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
            opened.goto(f"{file.as_uri()}#{fragment}")
            opened.wait_for_timeout(2 * SETTLE)
            results[name] = measure(opened, opened.context.new_cdp_session(opened), given.moves)
            opened.close()
        told = {"machine": platform.processor() or platform.machine(), "browser": browser.version, "moves": given.moves,
                "page_bytes": len(page().encode()), "frame_ms": 16.7, "states": results}
        browser.close()
    target = HERE / "results" / "page_frames.json"
    target.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
