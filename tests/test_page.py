"""One truth: what the page computes in a real browser is what the Python core computes, on random settings of every scene."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fltheory.claims import evaluate
from fltheory.errors import InvalidInput
from fltheory.expressions import from_lists
from fltheory.measures import measure
from fltheory.papers import find_claim
from fltheory.randomness import Purpose, below
from fltheory.scenario import Scenario
from fltheory.simulate import simulate
from fltheory.statistics import repeats
from fltheory.teaching import anarchic, asynchronous, drift, stragglers
from fltheory.teaching.instances import instances
from fltheory.teaching.page import page, sources
from fltheory.trace import Trace

SETTINGS = 200
TOLERANCE = 1e-9

Settings = dict[str, str]


def drawn(index: int, scene: int) -> Callable[..., Any]:
    """Random choices for one setting, keyed by scene and index: choose(list) or choose(first, last)."""
    counter = iter(range(1000))

    def choose(first: Any, last: int | None = None) -> Any:
        size = len(first) if last is None else last - first + 1
        k = int(below(size, 2024, Purpose.SEARCH, index, scene, next(counter))[0])
        return first[k] if last is None else first + k

    return choose


def ratio(choose: Callable[..., Any], low: int, high: int, denominators: tuple[int, ...] = (1, 2, 3, 4, 5, 7)) -> str:
    """A random fraction between two whole numbers."""
    bottom = choose(denominators)
    return str(Fraction(choose(low * bottom, high * bottom), bottom))


def some(choose: Callable[..., Any], keys: Any, count: int) -> tuple[str, ...]:
    found = [choose(list(keys)) for _ in range(count)]
    return tuple(key for key in keys if key in found)


def drift_case(index: int) -> tuple[Settings, Callable[[], dict[str, Any]]]:
    choose = drawn(index, 1)
    methods = some(choose, drift.METHODS, 1)
    longest = 17 if index % 50 == 49 else 5  # long blocks, where the page computes the spectral radius in doubles
    given = {"t1": str(choose(1, longest)), "t2": str(choose(1, longest)), "step": str(Fraction(choose(1, 24), 25)),
             "local": str(choose(1, 4)), "prox": ratio(choose, 0, 3), "e1": ratio(choose, -2, 2), "e2": ratio(choose, -2, 2),
             "start": ratio(choose, -2, 2),
             "rounds": str(choose(12, 24)), "show": ",".join(methods)}

    def by_core() -> dict[str, Any]:
        found = drift.drift(blocks=(int(given["t1"]), int(given["t2"])), optima=(given["e1"], given["e2"]), start=given["start"],
                            step_size=given["step"], local_steps=int(given["local"]), proximal_strength=given["prox"],
                            rounds=int(given["rounds"]), methods=methods)
        period = found["period"]
        return {"optimum": found["optimum"], "smallStep": found["small_step"], "period": period, "methods": {
            key: {"models": one["models"], "limit": one["limit"], "radius": one["radius"], "smallStep": one["small_step"],
                  "swing": [one["models"][-period - 1:].min(), one["models"][-period - 1:].max()]}
            for key, one in found["methods"].items()}}

    return given, by_core


def async_case(index: int) -> tuple[Settings, Callable[[], dict[str, Any]]]:
    choose = drawn(index, 2)
    mode = choose(["clocks", "clocks", "pairs", "turns"])
    clients = choose(2, 3)
    show = some(choose, asynchronous.CURVES, 1)
    times = [choose(1, 5 - clients) for _ in range(clients)]
    given = {"mode": mode, "clients": str(clients), **{f"tau{i + 1}": str(time) for i, time in enumerate(times)},
             "local": str(choose(1, 3)), "window": str(Fraction(choose(2, 8), 2)), "step": str(Fraction(choose(1, 30), 20)),
             "e1": ratio(choose, -2, 2),
             "e2": ratio(choose, -2, 2), "start": ratio(choose, -3, 3), "q1": str(Fraction(choose(1, 12), 4)),
             "q2": str(Fraction(choose(1, 12), 4)), "horizon": str(choose(12, 16)), "show": ",".join(show)}
    shared = {"start": given["start"], "step_size": given["step"], "local_steps": int(given["local"])}
    ends = (given["e1"], given["e2"])

    def by_core() -> dict[str, Any]:
        if mode == "clocks":
            optima = asynchronous.spaced(*ends, clients)
            curves = asynchronous.clock_curves(times, window=given["window"], optima=optima, horizon=int(given["horizon"]), curves=show,
                                               **shared)
        else:
            pairs = mode == "pairs"
            rows, weights = (asynchronous.PAIRS, ["1/2"] * 4) if pairs else (asynchronous.TURNS, [given["q1"], given["q2"]])
            optima = tuple(Fraction(x) for x in ([ends[0]] * 2 + [ends[1]] * 2 if pairs else ends))
            curves = {mode: asynchronous.example_curve(rows, weights, optima, rounds=int(given["horizon"]), **shared)}
        wanted = ("models", "times", "weights", "expected", "period", "stable", "radius", "cycle")
        told = {key: {name: one[name] for name in wanted if name in one} for key, one in curves.items()}
        for key, one in curves.items():
            if mode != "clocks":
                told[key]["orbit"] = one["orbit"]
        return {"optimum": sum(optima) / len(optima), "phi": 1 - (1 - Fraction(given["step"])) ** int(given["local"]), "curves": told}

    return given, by_core


def stragglers_case(index: int) -> tuple[Settings, Callable[[], dict[str, Any]]]:
    choose = drawn(index, 3)
    strategies = some(choose, stragglers.STRATEGIES, 1)
    chances = [str(Fraction(choose(1, 20), 20)) for _ in range(4)]
    given = {**{f"p{i + 1}": chance for i, chance in enumerate(chances)}, "sample": str(choose(1, 4)),
             "step": str(Fraction(choose(1, 50), 100)), "start": ratio(choose, -4, 4), "seed": str(choose(1, 40)),
             "rounds": str(choose(30, 36)), "show": ",".join(strategies)}

    def by_core() -> dict[str, Any]:
        found = stragglers.stragglers(probabilities=chances, sample_size=int(given["sample"]), start=given["start"],
                                      step_size=given["step"], rounds=int(given["rounds"]),
                                      seed=int(given["seed"]), strategies=strategies)
        return {"available": [sum(1 << i for i, there in enumerate(row) if there) for row in found["available"]], "curves": found["models"],
                "meanStaleness": found["mean_staleness"], "maxStaleness": found["max_staleness"], "expectedWait": found["expected_wait"],
                "leastWait": found["least_wait"], "updates": found["updates"], "inverse": found["mean_inverse"],
                "expectedStaleness": found["expected_mean_staleness"], "biasedLimit": found["biased_limit"]}

    return given, by_core


def anarchic_case(index: int) -> tuple[Settings, Callable[[], dict[str, Any]]]:
    choose = drawn(index, 4)
    curves = some(choose, anarchic.CURVES, 1)
    given = {"gap": str(Fraction(choose(1, 8), 4)), "rare": str(choose([0, 2, 3, 4])), "step": str(Fraction(choose(1, 40), 100)),
             "server": str(Fraction(choose(1, 8), 4)), "local": str(choose(1, 4)), "delay": str(choose(0, 2)),
             "start": ratio(choose, -3, 3), "rounds": str(choose(24, 30)), "show": ",".join(curves)}

    def by_core() -> dict[str, Any]:
        found = anarchic.anarchic(gap=given["gap"], rare=int(given["rare"]), step_size=given["step"], server_step_size=given["server"],
                                  local_steps=int(given["local"]), delay=int(given["delay"]), start=given["start"],
                                  rounds=int(given["rounds"]), curves=curves)
        return {"dissimilarity": found["dissimilarity_squared"], "curves": {
            key: {"models": one["models"], "limit": one["limit"], "floor": one["floor"], "radius": one["radius"],
                  "meanSquared": one["mean_squared"]} for key, one in found["curves"].items()}}

    return given, by_core


INSTANCES = instances()


def counterexample_case(index: int) -> tuple[Settings, Callable[[], dict[str, Any]]]:
    choose = drawn(index, 5)
    instance = INSTANCES[index % len(INSTANCES)]
    as_recorded = index < len(INSTANCES)
    given = {"claim": instance["id"], "factor": "1" if as_recorded else str(Fraction(choose(1, 40), 20)),
             "shift": "0" if as_recorded else ratio(choose, -4, 4)}

    def by_core() -> dict[str, Any]:
        recorded = Scenario.from_json(instance["run"])
        sizes, factor = recorded.local_step_size, Fraction(given["factor"])
        scenario = replace(recorded, start=(recorded.start[0] + Fraction(given["shift"]),),
                           local_step_size=tuple(x * factor for x in sizes) if isinstance(sizes, tuple) else sizes * factor)
        models = simulate(scenario.method, scenario.problem, _played(scenario.trace, instance), start=scenario.start,
                          local_step_size=scenario.local_schedule, server_step_size=scenario.server_step_size).models[:, 0]
        told: dict[str, Any] = {"models": models.astype(float), "exact": list(models), "recorded": scenario.trace.num_rounds}
        if as_recorded or instance["live"]:
            told |= dict(zip(("left", "right"), _sides(instance, scenario), strict=True))
        return told

    return given, by_core


def _played(trace: Trace, instance: dict[str, Any], least: int = 24) -> Trace:
    """The trace, or its last period again and again where the claim speaks of a limit."""
    if not {"limit", "limit_error"} & set(instance["measures"].values()):
        return trace
    period = repeats(trace)[1]  # type: ignore[index]
    order = list(range(trace.num_rounds))
    order += [trace.num_rounds - period + k % period for k in range(max(0, least - trace.num_rounds))]
    return Trace.with_delays(trace.delivers[order], trace.delays[order], local_steps=trace.local_steps[order])


def _sides(instance: dict[str, Any], scenario: Scenario) -> Iterator[float | None]:
    values = {name: from_lists(value) for name, value in instance["values"].items()}
    try:
        again = measure(scenario, set(instance["measures"].values()))
    except InvalidInput:
        yield from (None, None)  # no stable limit for these settings
        return
    values |= {name: again[how] for name, how in instance["measures"].items()}
    claim = find_claim(instance["id"])
    for side in (claim.statement.left, claim.statement.right):
        yield float(evaluate(side, values))


SCENES = {"drift": drift_case, "async": async_case, "stragglers": stragglers_case, "anarchic": anarchic_case,
          "counterexample": counterexample_case}
ASK = "([scene, list]) => JSON.stringify(list.map((one) => fltheory.compute(scene, one)))"
EDGES = "(one) => Object.entries(fltheory.compute('async', one).curves).map(([key, { edge }]) => [key, edge])"


def difference(ours: Any, theirs: Any, path: str = "") -> str | None:
    """Where the page's answer departs from the core's: exact numbers as text must be equal, floats agree to 1e-9 (relative above 1)."""
    if isinstance(ours, dict):
        return next((found for key, part in ours.items() if (found := difference(part, theirs.get(key, "missing"), f"{path}/{key}"))), None)
    if isinstance(ours, list | tuple | np.ndarray):
        if not isinstance(theirs, list) or len(ours) != len(theirs):
            return f"{path}: {ours} against {theirs}"
        return next((found for k, (a, b) in enumerate(zip(ours, theirs, strict=True)) if (found := difference(a, b, f"{path}/{k}"))), None)
    if isinstance(ours, float | np.floating):
        same = isinstance(theirs, int | float) and abs(float(ours) - theirs) <= TOLERANCE * max(1.0, abs(float(ours)))
    else:
        same = (str(ours) if isinstance(ours, Fraction) else ours) == theirs
    return None if same else f"{path}: {ours} against {theirs}"


def differences(opened: Any, scene: str, count: int) -> list[str]:
    cases = [SCENES[scene](index) for index in range(count)]
    asked = [given for given, _ in cases]
    answers = json.loads(opened.evaluate(ASK, [scene, asked]))
    found = [(given, difference(by_core(), answer)) for (given, by_core), answer in zip(cases, answers, strict=True)]
    return [f"{given}: {problem}" for given, problem in found if problem]


def open_page(browser: Any, folder: Path, text: str) -> Any:
    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    opened = browser.new_page(reduced_motion="reduce")
    opened.goto(file.as_uri())
    return opened


@pytest.mark.parametrize("scene", SCENES)
def test_the_page_agrees_with_the_core(scene: str, browser: Any, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, page())
    assert differences(opened, scene, SETTINGS) == []
    opened.close()


@pytest.mark.parametrize(("scene", "module", "right", "wrong"), [
    ("drift", "core/methods.js", 'mifa: { scale: "sum"', 'mifa: { scale: "step"'),
    ("drift", "scenes/drift.js", "const TWO = whole(2);", "const TWO = whole(2).add(ONE.div(whole(10 ** 8)));"),
    ("async", "scenes/clocks.js", "rate.mul(time).mul(share)", "rate.mul(time).mul(share).mul(ONE.add(ONE.div(whole(10 ** 8))))"),
    ("stragglers", "core/philox.js", "0xd2511f53", "0xd2511f55"),
    ("anarchic", "scenes/anarchic.js", "gap.mul(whole(-3))", "gap.mul(whole(-2))"),
    ("counterexample", "scenes/counterexample.js", "sum(squares.slice(0, -1))", "sum(squares.slice(1))"),
    ("counterexample", "scenes/counterexample.js", "variance.mul(sum(", "variance.add(variance).mul(sum("),
    ("counterexample", "scenes/counterexample.js", "setup.server.mul(whole(problem.slopes.length))", "setup.server"),
])
def test_a_planted_wrong_constant_is_caught(scene: str, module: str, right: str, wrong: str, browser: Any, tmp_path: Path) -> None:
    texts = sources()
    assert right in texts[module]
    opened = open_page(browser, tmp_path, page(texts | {module: texts[module].replace(right, wrong)}))
    assert differences(opened, scene, 25)
    opened.close()


def test_the_stability_edge_lies_where_the_core_finds_it(browser: Any, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, page())
    for times in ((1, 2), (2, 3), (1, 1, 3), (3, 1)):
        asked = {"clients": str(len(times)), **{f"tau{i + 1}": str(time) for i, time in enumerate(times)}}
        for key, edge in opened.evaluate(EDGES, asked):
            for factor, stable in ((1 - 1e-6, True), (1 + 1e-6, False)):
                step = Fraction(edge * factor).limit_denominator(10**9)
                assert asynchronous.clock_curves(times, step_size=step, horizon=6, curves=(key,))[key]["stable"] is stable
    opened.close()
