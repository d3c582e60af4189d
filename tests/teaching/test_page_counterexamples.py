"""Every refuted claim of the ledger plays on the page: in a real browser its run and its sides are
those of the core."""

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from sympy import log

from fltheory.claims.claim import evaluate
from fltheory.claims.evidence import Verdict
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput
from fltheory.core.expressions import from_lists
from fltheory.engine.simulate import simulate
from fltheory.ledger import runner
from fltheory.papers import find_claim
from fltheory.teaching.instances import instances
from fltheory.teaching.page import page, sources
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import repeats
from tests.teaching.page_tabs import address_of, new_tab
from tests.teaching.page_truth import (
    SETTINGS,
    Case,
    differ,
    differences,
    drawn,
    open_page,
    ratio,
    remembered,
)

INSTANCES = instances()
RUNS = [instance for instance in INSTANCES if instance["run"]]
DOUBLINGS = 14


def moved(index: int) -> Case:
    """A run from another start, with another step size."""
    choose = drawn(index, 5)
    return run_case(RUNS[index % len(RUNS)], str(Fraction(choose(1, 40), 20)), ratio(choose, -4, 4))


@cache
def recorded_cases() -> tuple[Case, ...]:
    """The counterexamples as the ledger has them."""
    return tuple(
        remembered(run_case(one, "1", "0") if one["run"] else values_case(one)) for one in INSTANCES
    )


def values_case(instance: dict[str, Any]) -> Case:
    """Both sides at the recorded values; for a claim of order their ratio, doubling by doubling, as
    far as doubles reach."""
    statement = find_claim(instance["id"]).statement

    def sides(grown: dict[str, int]) -> list[Any]:
        values = {
            name: evaluate(from_lists(value), grown) for name, value in instance["values"].items()
        }
        return [evaluate(side, values | grown) for side in (statement.left, statement.right)]

    def ratios() -> Iterator[float]:
        for k in range(DOUBLINGS + 1):
            left, right = sides({instance["grows"]: 2**k})
            found = float(log(left / right)) if left > 0 else 0
            if found > log(sys.float_info.max):
                return
            yield float(left / right)

    def by_core() -> dict[str, Any]:
        if instance["grows"]:
            return {"ratios": list(ratios())}
        return dict(zip(("left", "right"), map(float, sides({})), strict=True))

    return {"claim": instance["id"]}, by_core


def run_case(instance: dict[str, Any], factor: str, shift: str) -> Case:
    """The run, its exact models and both sides measured again."""
    as_recorded = (factor, shift) == ("1", "0")
    given = {"claim": instance["id"], "factor": factor, "shift": shift}

    def by_core() -> dict[str, Any]:
        recorded = Scenario.from_json(instance["run"])
        sizes, factor = recorded.local_step_size, Fraction(given["factor"])
        scenario = replace(
            recorded,
            start=(recorded.start[0] + Fraction(given["shift"]),),
            local_step_size=(
                tuple(x * factor for x in sizes) if isinstance(sizes, tuple) else sizes * factor
            ),
        )
        models = simulate(
            scenario.method,
            scenario.problem,
            _played(scenario.trace, instance),
            start=scenario.start,
            local_step_size=scenario.local_schedule,
            server_step_size=scenario.server_step_size,
        ).models[:, 0]
        told: dict[str, Any] = {
            "models": models.astype(float),
            "exact": list(models),
            "recorded": scenario.trace.num_rounds,
        }
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
    order += [
        trace.num_rounds - period + k % period for k in range(max(0, least - trace.num_rounds))
    ]
    return Trace.with_delays(
        trace.delivers[order], trace.delays[order], local_steps=trace.local_steps[order]
    )


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


def test_every_refuted_claim_can_be_picked() -> None:
    refuted = {
        line.evidence.claim
        for line in runner.recorded()
        if line.evidence.verdict is Verdict.REFUTED
    }
    assert {instance["id"] for instance in INSTANCES} == refuted
    assert len(RUNS) >= 15


def test_every_counterexample_is_the_cores(browser: Any) -> None:
    opened = open_page(browser, page())
    assert differences(opened, "counterexample", recorded_cases()) == []


def test_moved_runs_are_the_cores(browser: Any) -> None:
    opened = open_page(browser, page())
    assert differences(opened, "counterexample", [moved(index) for index in range(SETTINGS)]) == []


SHOWN = """(ids) => { const choose = document.getElementById("set-claim");
  return ids.map((id) => { choose.value = id;
    choose.dispatchEvent(new Event("change", { bubbles: true })); fltheory.rest();
    const verdict = document.querySelector(".verdict");
    return [verdict.matches(".bad"), verdict.innerText, document.getElementById("scene").innerText,
      document.getElementById("set-factor")?.checkVisibility() ?? false]; }); }"""
"""Of each claim: is it shown as refuted, with which words, what else is said, can the run move."""


def test_every_counterexample_is_shown_as_a_contradiction(browser: Any) -> None:
    tab = new_tab(browser, address_of(page()))
    tab.open("counterexample")
    shown = tab.js(SHOWN, [instance["id"] for instance in INSTANCES])
    for instance, (bad, told, text, moves) in zip(INSTANCES, shown, strict=True):
        assert bad, (instance["id"], told)
        assert not re.search("NaN|undefined|Infinity", text), instance["id"]
        assert moves == bool(instance["run"])
    assert tab.complaints == []


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("scenes/replay.js", "sum(squares.slice(0, -1))", "sum(squares.slice(1))"),
        ("scenes/replay.js", "variance.mul(sum(", "variance.add(variance).mul(sum("),
        ("scenes/replay.js", "setup.server.mul(whole(problem.slopes.length))", "setup.server"),
        ("scenes/replay.js", "(a, b) => a ** b", "(a, b) => a ** (b + 1e-8)"),
        (
            "scenes/sides.js",
            "map(([left, right]) => left / right)",
            "map(([left, right]) => right / left)",
        ),
        (
            "scenes/sides.js",
            "values[name] = evaluate(node, grown)",
            "values[name] = evaluate(node, grown) * (1 + 1e-8)",
        ),
        ("scenes/sides.js", "ONE.div(base.pow(-exponent.n))", "base.pow(-exponent.n)"),
    ],
)
def test_a_planted_wrong_constant_is_caught(
    module: str, right: str, wrong: str, browser: Any
) -> None:
    texts = sources()
    assert right in texts[module]
    opened = open_page(browser, page(texts | {module: texts[module].replace(right, wrong)}))
    assert differ(opened, "counterexample", recorded_cases())
