"""One truth: what the page computes in a real browser is what the Python core computes, on random
settings of every scene."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest

from fltheory.claims.claim import evaluate
from fltheory.papers import find_claim
from fltheory.teaching import anarchic, asynchronous, drift, stragglers
from fltheory.teaching.page import page, sources
from tests.teaching.page_truth import SETTINGS, Case, differences, drawn, open_page, ratio, some


def drift_case(index: int) -> Case:
    choose = drawn(index, 1)
    methods = some(choose, drift.METHODS, 1)
    longest = (
        17 if index % 50 == 49 else 5
    )  # long blocks, where the page computes the spectral radius in doubles
    largest = index % 8 == 7  # step size 1, where memory no longer comes home
    given = {
        "t1": str(choose(1, longest)),
        "t2": str(choose(1, longest)),
        "step": str(Fraction(25 if largest else choose(1, 24), 25)),
        "local": str(choose(1, 4)),
        "prox": ratio(choose, 0, 3),
        "e1": ratio(choose, -2, 2),
        "e2": ratio(choose, -2, 2),
        "start": ratio(choose, -2, 2),
        "rounds": str(choose(12, 24)),
        "show": ",".join(methods),
    }

    def by_core() -> dict[str, Any]:
        found = drift.drift(
            blocks=(int(given["t1"]), int(given["t2"])),
            optima=(given["e1"], given["e2"]),
            start=given["start"],
            step_size=given["step"],
            local_steps=int(given["local"]),
            proximal_strength=given["prox"],
            rounds=int(given["rounds"]),
            methods=methods,
        )
        period = found["period"]
        return {
            "optimum": found["optimum"],
            "smallStep": found["small_step"],
            "period": period,
            "methods": {
                key: {
                    "models": one["models"],
                    "limit": one["limit"],
                    "mean": one["mean"],
                    "radius": one["radius"],
                    "smallStep": one["small_step"],
                    **({"decay": -math.log(one["radius"])} if 0 < one["radius"] < 1 - 1e-6 else {}),
                    "swing": [
                        one["models"][-period - 1 :].min(),
                        one["models"][-period - 1 :].max(),
                    ],
                }
                for key, one in found["methods"].items()
            },
        }

    return given, by_core


def async_case(index: int) -> Case:
    choose = drawn(index, 2)
    mode = choose(["clocks", "clocks", "pairs", "turns"])
    clients = choose(2, 3)
    show = some(choose, asynchronous.CURVES, 1)
    times = [choose(1, 5 - clients) for _ in range(clients)]
    given = {
        "mode": mode,
        "clients": str(clients),
        **{f"tau{i + 1}": str(time) for i, time in enumerate(times)},
        "local": str(choose(1, 3)),
        "window": str(Fraction(choose(2, 8), 2)),
        "step": str(Fraction(choose(1, 30), 20)),
        "e1": ratio(choose, -2, 2),
        "e2": ratio(choose, -2, 2),
        "start": ratio(choose, -3, 3),
        "q1": str(Fraction(choose(1, 12), 4)),
        "q2": str(Fraction(choose(1, 12), 4)),
        "horizon": str(choose(12, 16)),
        "show": ",".join(show),
    }
    shared = {
        "start": given["start"],
        "step_size": given["step"],
        "local_steps": int(given["local"]),
    }
    ends = (given["e1"], given["e2"])

    def by_core() -> dict[str, Any]:
        if mode == "clocks":
            optima = asynchronous.spaced(*ends, clients)
            curves = asynchronous.clock_curves(
                times,
                window=given["window"],
                optima=optima,
                horizon=int(given["horizon"]),
                curves=show,
                **shared,
            )
        else:
            pairs = mode == "pairs"
            rows, weights = (
                (asynchronous.PAIRS, ["1/2"] * 4)
                if pairs
                else (asynchronous.TURNS, [given["q1"], given["q2"]])
            )
            optima = tuple(Fraction(x) for x in ([ends[0]] * 2 + [ends[1]] * 2 if pairs else ends))
            curves = {
                mode: asynchronous.example_curve(
                    rows, weights, optima, rounds=int(given["horizon"]), **shared
                )
            }
        wanted = ("models", "times", "weights", "expected", "period", "stable", "radius", "cycle")
        told = {
            key: {name: one[name] for name in wanted if name in one} for key, one in curves.items()
        }
        for key, one in curves.items():
            told[key]["mean"] = (
                None if one["cycle"] is None else sum(one["cycle"]) / len(one["cycle"])
            )
            if mode != "clocks":
                told[key]["orbit"] = one["orbit"]
        values = {
            "first_weight": given["q1"],
            "second_weight": given["q2"],
            "first_optimum": given["e1"],
            "second_optimum": given["e2"],
        }
        printed = (
            evaluate(find_claim("fraboni.ex2").statement.right, values) if mode == "turns" else None
        )
        return {
            "optimum": sum(optima) / len(optima),
            "phi": 1 - (1 - Fraction(given["step"])) ** int(given["local"]),
            "curves": told,
            "printed": None if printed is None else str(printed),
        }

    return given, by_core


def stragglers_case(index: int) -> Case:
    choose = drawn(index, 3)
    strategies = some(choose, stragglers.STRATEGIES, 1)
    chances = [str(Fraction(choose(1, 20), 20)) for _ in range(4)]
    given = {
        **{f"p{i + 1}": chance for i, chance in enumerate(chances)},
        "sample": str(choose(1, 4)),
        "step": str(Fraction(choose(1, 50), 100)),
        "start": ratio(choose, -4, 4),
        "seed": str(choose(1, 40)),
        "rounds": str(choose(30, 36)),
        "show": ",".join(strategies),
    }

    def by_core() -> dict[str, Any]:
        found = stragglers.stragglers(
            probabilities=chances,
            sample_size=int(given["sample"]),
            start=given["start"],
            step_size=given["step"],
            rounds=int(given["rounds"]),
            seed=int(given["seed"]),
            strategies=strategies,
        )
        return {
            "available": [
                sum(1 << i for i, there in enumerate(row) if there) for row in found["available"]
            ],
            "curves": found["models"],
            "meanStaleness": found["mean_staleness"],
            "maxStaleness": found["max_staleness"],
            "expectedWait": found["expected_wait"],
            "leastWait": found["least_wait"],
            "updates": found["updates"],
            "inverse": found["mean_inverse"],
            "expectedStaleness": found["expected_mean_staleness"],
            "biasedLimit": found["biased_limit"],
        }

    return given, by_core


def anarchic_case(index: int) -> Case:
    choose = drawn(index, 4)
    curves = some(choose, anarchic.CURVES, 1)
    given = {
        "gap": str(Fraction(choose(1, 8), 4)),
        "rare": str(choose([0, 2, 3, 4])),
        "step": str(Fraction(choose(1, 40), 100)),
        "server": str(Fraction(choose(1, 8), 4)),
        "local": str(choose(1, 4)),
        "delay": str(choose(0, 2)),
        "start": ratio(choose, -3, 3),
        "rounds": str(choose(24, 30)),
        "show": ",".join(curves),
    }

    def by_core() -> dict[str, Any]:
        found = anarchic.anarchic(
            gap=given["gap"],
            rare=int(given["rare"]),
            step_size=given["step"],
            server_step_size=given["server"],
            local_steps=int(given["local"]),
            delay=int(given["delay"]),
            start=given["start"],
            rounds=int(given["rounds"]),
            curves=curves,
        )
        optima = [
            anarchic.world(name, Fraction(given["gap"])).constants.optimum
            for name in ("minus", "plus")
        ]
        return {
            "dissimilarity": found["dissimilarity_squared"],
            "optima": [str(point[0]) for point in optima if point],
            "curves": {
                key: {
                    "models": one["models"],
                    "limit": one["limit"],
                    "mean": one["mean"],
                    "floor": one["floor"],
                    "radius": one["radius"],
                    "meanSquared": one["mean_squared"],
                }
                for key, one in found["curves"].items()
            },
        }

    return given, by_core


SCENES = {
    "drift": drift_case,
    "async": async_case,
    "stragglers": stragglers_case,
    "anarchic": anarchic_case,
}
EDGES = (
    "(one) => Object.entries(fltheory.compute('async', one).curves).map(([key, { edge }]) => [key,"
    " edge])"
)


@pytest.mark.parametrize("scene", SCENES)
def test_the_page_agrees_with_the_core(scene: str, browser: Any, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, page())
    assert differences(opened, scene, [SCENES[scene](index) for index in range(SETTINGS)]) == []
    opened.close()


@pytest.mark.parametrize(
    ("scene", "module", "right", "wrong"),
    [
        ("drift", "core/methods.js", 'mifa: { scale: "sum"', 'mifa: { scale: "step"'),
        (
            "drift",
            "scenes/turns.js",
            "const TWO = whole(2);",
            "const TWO = whole(2).add(ONE.div(whole(10 ** 8)));",
        ),
        (
            "async",
            "scenes/clocks.js",
            "rate.mul(time).mul(share)",
            "rate.mul(time).mul(share).mul(ONE.add(ONE.div(whole(10 ** 8))))",
        ),
        (
            "drift",
            "scenes/turns.js",
            "decay: -Math.log(radius)",
            "decay: -1.00000001 * Math.log(radius)",
        ),
        ("drift", "scenes/turns.js", "4 * a * first * second", "4 * first * second"),
        ("drift", "scenes/turns.js", "div(ONE.sub(r))", "div(ONE.add(r))"),
        ("drift", "scenes/turns.js", "return total.div(period)", "return limit"),
        ("drift", "scenes/turns.js", "Math.min(...blocks) > 1", "Math.min(...blocks) > 2"),
        ("async", "scenes/clocks.js", "div(whole(cycle.length))", "div(whole(cycle.length + 1))"),
        (
            "async",
            "scenes/clocks.js",
            "optima[0].mul(parse(settings.q1))",
            "optima[0].mul(parse(settings.q2))",
        ),
        (
            "async",
            "scenes/clocks.js",
            "share.mul(whole(cycle))",
            "share.mul(whole(cycle)).mul(ONE.add(ONE.div(whole(10 ** 8))))",
        ),
        ("stragglers", "scenes/stragglers.js", "(p * p * rounds)", "(p * rounds)"),
        ("stragglers", "scenes/stragglers.js", "set.length % 2 ? 1 : -1", "1"),
        (
            "stragglers",
            "scenes/stragglers.js",
            "awaited &= ~available[t]",
            "awaited &= ~available[t] | 1",
        ),
        ("anarchic", "scenes/anarchic.js", "gap.mul(whole(-2))", "gap.mul(whole(-1))"),
        ("anarchic", "scenes/anarchic.js", "whole(4).mul(spread)", "spread"),
        ("anarchic", "scenes/anarchic.js", "mean: told(mean),", "mean: told(cycle[0]),"),
        ("anarchic", "core/floats.js", "step: ONE.div(whole(steps))", "step: ONE"),
        ("stragglers", "core/philox.js", "0xd2511f53", "0xd2511f55"),
        ("anarchic", "scenes/anarchic.js", "gap.mul(whole(-3))", "gap.mul(whole(-2))"),
    ],
)
def test_a_planted_wrong_constant_is_caught(
    scene: str, module: str, right: str, wrong: str, browser: Any, tmp_path: Path
) -> None:
    texts = sources()
    assert right in texts[module]
    opened = open_page(
        browser, tmp_path, page(texts | {module: texts[module].replace(right, wrong)})
    )
    assert differences(opened, scene, [SCENES[scene](index) for index in range(40)])
    opened.close()


def test_a_rate_too_near_to_one_for_doubles_is_still_told(browser: Any, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, page())
    found = opened.evaluate(
        "fltheory.compute('drift', { t1: '100', t2: '100', local: '10', show: 'fedlaavg'"
        " }).methods.fedlaavg"
    )
    keep = (1 + Fraction(1, 2) ** 10) / 2  # a = 1 - step of the whole delivery
    power, step = keep**198, 1 - keep
    trace, determinant = 1 + power * (1 + keep) ** 2 - 4 * keep**99, step**2 * power
    with mpmath.workdps(80):
        halved, product = (
            mpmath.mpf(x.numerator) / x.denominator for x in (trace / 2, determinant)
        )
        decay = -mpmath.log(halved + mpmath.sqrt(halved**2 - product))
        assert found["radius"] == 1
        assert found["decay"] == pytest.approx(float(decay), rel=1e-9)
    opened.close()


def edges(opened: Any) -> Iterator[tuple[float | None, Callable[[Fraction], bool]]]:
    """Edges that the page tells, each with the core's answer to whether a step size is stable."""
    for times, local in (((1, 2), 1), ((2, 3), 2), ((1, 1, 3), 1), ((3, 1), 3)):
        asked = {
            "clients": str(len(times)),
            "local": str(local),
            **{f"tau{i + 1}": str(time) for i, time in enumerate(times)},
        }
        for key, edge in opened.evaluate(EDGES, asked):
            yield (
                edge,
                lambda step, given=(times, local, key): asynchronous.clock_curves(
                    given[0], step_size=step, local_steps=given[1], horizon=6, curves=(given[2],)
                )[given[2]]["stable"],
            )
    for mode, weights, rows in (
        ("pairs", ["1/2"] * 4, asynchronous.PAIRS),
        ("turns", ["5/4", "1/2"], asynchronous.TURNS),
    ):
        ((_, edge),) = opened.evaluate(EDGES, {"mode": mode, "q1": "5/4", "q2": "1/2"})
        yield (
            edge,
            lambda step, given=(rows, weights): asynchronous.example_curve(
                given[0], given[1], range(len(given[1])), step_size=step
            )["stable"],
        )


def misplaced(opened: Any) -> list[float | None]:
    """Edges below which the core does not find stability, or beyond which it does; none at all
    means stable up to 2."""
    found = []
    for edge, stable in edges(opened):
        below, beyond = (
            Fraction((edge or 2) * factor).limit_denominator(10**7)
            for factor in (1 - 1e-5, 1 + 1e-5)
        )
        if not stable(below) or (edge is not None and stable(beyond)):
            found.append(edge)
    return found


def test_the_stability_edge_lies_where_the_core_finds_it(browser: Any, tmp_path: Path) -> None:
    opened = open_page(browser, tmp_path, page())
    assert misplaced(opened) == []
    opened.close()


def test_a_misplaced_edge_is_noticed(browser: Any, tmp_path: Path) -> None:
    texts = sources()
    right = "1 - (1 - phi) ** (1 / local)"
    assert right in texts["scenes/edge.js"]
    opened = open_page(
        browser,
        tmp_path,
        page(texts | {"scenes/edge.js": texts["scenes/edge.js"].replace(right, "phi / local")}),
    )
    assert misplaced(opened)
    opened.close()
