"""Cases of the four scenes: settings of the page, and the core's answers."""

import math
from fractions import Fraction
from typing import Any

from fltheory.claims.claim import evaluate
from fltheory.papers import find_claim
from fltheory.teaching import anarchic, asynchronous, drift, forever, stragglers
from tests.teaching.page_truth import PAIRS, TURNS, Case, drawn, example_curve, ratio, some


def drift_case(index: int) -> Case:
    choose = drawn(index, 1)
    methods = some(choose, drift.METHODS, 1)
    pattern = "".join(str(choose(0, 3)) for _ in range(choose(1, 6))) if index % 3 == 2 else ""
    if set(pattern) == {"0"}:
        pattern = "1"
    longest = (
        17 if index % 50 == 49 else 5
    )  # long blocks, where the page computes the spectral radius in doubles
    largest = index % 8 == 7  # step size 1, where memory no longer comes home
    given = {
        "pattern": pattern,
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
            pattern=pattern,
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
                    **_decay(one["radius"]),
                    "swing": [
                        one["models"][-period - 1 :].min(),
                        one["models"][-period - 1 :].max(),
                    ],
                }
                for key, one in found["methods"].items()
            },
        }

    return given, by_core


def _decay(radius: float | None) -> dict[str, float]:
    return {"decay": -math.log(radius)} if radius is not None and 0 < radius < 1 - 1e-6 else {}


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
            rows, weights = (PAIRS, ["1/2"] * 4) if pairs else (TURNS, [given["q1"], given["q2"]])
            optima = tuple(Fraction(x) for x in ([ends[0]] * 2 + [ends[1]] * 2 if pairs else ends))
            curves = {
                mode: example_curve(rows, weights, optima, rounds=int(given["horizon"]), **shared)
            }
        wanted = ("models", "times", "weights", "expected", "period", "stable", "radius", "cycle")
        told = {
            key: {name: value for name, value in one.items() if name in wanted}
            for key, one in curves.items()
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


def forever_case(index: int) -> Case:
    choose = drawn(index, 6)
    given = {
        "tau": str(choose(0, 6)),
        "part": "1" if index % 10 == 9 else str(Fraction(choose(1, 30), 20)),
        "silence": choose(["together", "turns", "coins"]),
        "start": ratio(choose, -4, 4),
        "seed": str(choose(1, 40)),
        "rounds": str(choose(20, 40)),
    }

    def by_core() -> dict[str, Any]:
        found = forever.forever_run(
            staleness=int(given["tau"]),
            part=given["part"],
            silence=given["silence"],
            start=given["start"],
            rounds=int(given["rounds"]),
            seed=int(given["seed"]),
        )
        return {**found, "proved": found["step"] < found["border"]}

    return given, by_core
