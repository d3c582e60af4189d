"""Every rule of both arithmetic checkers refuses something: certificates that are perfect but for
one rule, with coefficients computed while the rules were off."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fltheory.analysis.arithmetic.certificate import ProofSketch, Statement
from fltheory.analysis.arithmetic.checker import proved
from fltheory.core.errors import InvalidInput
from tests.claims.arithmetic_files import standalone

core, forms, ranges = (sys.modules[f"arithmetic_{part}"] for part in ("core", "forms", "ranges"))

SQUARED = Statement("x.y", "0", "<=", "s**2", {"s": ["positive"]})
RANGE = Statement("x.y", "1", "<=", "p", {"p": ["positive"]}, {"x.large": "p is at least 1"})
LARGE = ("p - 1", ">=", "x.large", "p is at least 1")
LOOP = Statement("x.y", "s", "=", "0", {"s": []})
NONE: dict[str, Any] = {}


def line_of(said: Statement, sketch: ProofSketch) -> dict[str, Any]:
    return {**said.to_json(), "model": sketch.meaning()}


@contextmanager
def rules_off() -> Iterator[None]:
    """The standalone checker without its rules."""
    modules = (core, forms, ranges)
    kept = core.need
    try:
        for module in modules:
            vars(module)["need"] = lambda *_: None
        yield
    finally:
        for module in modules:
            vars(module)["need"] = kept


def consistent(sketch: ProofSketch, said: Statement) -> dict[str, Any]:
    """A certificate with the coefficients of its facts, whatever they prove."""
    place = forms.Reader(sketch.variables).place
    field = (1 << forms.BITS) - 1

    def listed(p: dict[int, int]) -> list[Any]:
        return [
            [str(x), [[v, m >> at & field] for v, at in place.items() if m >> at & field]]
            for m, x in p.items()
        ]

    model = {**sketch.meaning(), "uses": dict(sketch.uses)}
    others = {
        name: line_of(other, ProofSketch(name, "m", {})) for name, other in said.others.items()
    }
    forms.Work.start()
    found: list[Any] = []
    with rules_off(), suppress(TypeError):  # a power that moves by no number has no coefficients
        for name, value, _ in core.facts(model, line_of(said, sketch), others):
            found.append([name, *map(listed, forms.expanded(value))])
    uses = {name: [list(row) for row in rows] for name, rows in sketch.uses.items()}
    return {"claim": said.claim, "uses": uses, "facts": found}


def decide(data: dict[str, Any], sketch: ProofSketch, said: Statement) -> tuple[bool, bool]:
    """What the package and the standalone checker say."""
    others = {
        name: line_of(other, ProofSketch(name, "m", {})) for name, other in said.others.items()
    }
    told = []
    for check in (
        lambda: proved(data, sketch, said),
        lambda: standalone.proved(data, line_of(said, sketch), others),
    ):
        try:
            check()
            told.append(True)
        except InvalidInput:
            told.append(False)
        except ValueError:
            told.append(False)
    return told[0], told[1]


def sketch_of(**fields: Any) -> ProofSketch:
    return ProofSketch("x.y", "m", **fields)


GROWING = sketch_of(variables={"k": "nonnegative"}, let=[["p", "1 + k", "k", 0]], given=[LARGE])
LOOPING = sketch_of(
    variables={"s": "real"}, state={"s": ["0", "2*s"]}, keep=[("s", "=")],
    uses={"step 1: 0": [("2", "keep", 0)], "goal": [("-1", "keep", 0)]},
)  # fmt: skip
VECTORS = {"a": "vector", "b": "vector", "n": "nonnegative"}
MORE = Statement("x.z", "0", "<=", "p - 1", {"p": []}, {"x.more": "p is prime"})
ORDER = replace(MORE, sign="= O of", assumes={})
POWER = sketch_of(
    variables={"n": "nonnegative", "u": "nonnegative", "b": "nonnegative"},
    powers={"u": ("1 + b", "n")},
    state={"n": ["0", "n + 1"], "u": ["1", "u*(1 + b)"]},
    keep=[("u - (1 + b)**n", "=")],
)
POWERS = Statement("x.y", "0", "<=", "u", {"u": ["positive"]})


@pytest.mark.parametrize(
    ("sketch", "said", "wrong"),
    [
        (GROWING, RANGE, {"let": [["p", "1 + k", "k", "kind"]]}),
        (GROWING, RANGE, {"let": [["p", "1 + k - k**2", "k", 0]]}),
        (GROWING, RANGE, {"let": [["p", "(1 + 2*k)/(1 + k)", "k", 0]]}),
        (GROWING, RANGE, {"let": [["q", "k"], ["p", "1 + k", "k", 0]]}),
        (GROWING, RANGE, {"variables": {"k": "real"}}),
        (GROWING, RANGE, {"given": [(*LARGE[:3], "p is at least 2")]}),
        (GROWING, RANGE, {"let": [["p", "1 + k", "k", 0], ["p", "2 + k"]]}),
        (
            GROWING,
            RANGE,
            {"variables": {"k": "nonnegative", "s": "nonnegative"},
             "given": [("s*(p - 1)", *LARGE[1:])]},
        ),
        (GROWING, RANGE, {"let": [["k", "1"], ["p", "1 + k"]]}),
        (LOOPING, LOOP, {"inputs": ["s"]}),
        (LOOPING, LOOP, {"state": {"s": ["1", "2*s"]}}),
        (LOOPING, LOOP, {"state": {"s": ["0", "s + 1"]}}),
        (LOOPING, LOOP, {"uses": {**LOOPING.uses, "start 0: 0": [("0", "keep", 0)]}}),
        (POWER, POWERS, {"state": {"n": ["0", "n + 1"], "u": ["1", "u"]}, "keep": []}),
        (POWER, POWERS, {"state": {"n": ["0", "n + b"], "u": ["1", "u"]}, "keep": []}),
        (POWER, POWERS, {"state": {"n": ["0", "n + 1"], "u": ["1", "u*(1 + b)"]}, "keep": [],
                         "inputs": ["b"]}),
    ],
)  # fmt: skip
def test_models_that_do_not_cover_the_claim_are_refused(
    sketch: ProofSketch, said: Statement, wrong: dict[str, Any]
) -> None:
    if sketch is not POWER:
        right = consistent(sketch, replace(said, others={}))
        assert decide(right, sketch, replace(said, others={})) == (True, True)
    bad = replace(sketch, **wrong)
    assert decide(consistent(bad, said), bad, said) == (False, False)


def test_a_proof_rests_only_on_bounds_that_assume_no_more() -> None:
    uses = {"goal": [("1", "given", 1)]}
    sketch = replace(GROWING, given=[LARGE, ("", ">=", "claim", "x.z")], uses=uses)
    for other, right in ((replace(MORE, assumes={}), True), (MORE, False), (ORDER, False)):
        said = replace(RANGE, others={"x.z": other})
        assert decide(consistent(sketch, said), sketch, said) == (right, right)
    implied = replace(sketch, implied={"x.more": "so it is"})
    said = replace(RANGE, others={"x.z": MORE})
    assert decide(consistent(implied, said), implied, said) == (True, True)


@pytest.mark.parametrize(
    ("left", "let", "uses", "right"),
    [
        ("s", [["s", "a**2"]], {}, True),
        ("s", [["s", "a**4"]], {}, False),  # no sum over coordinates
        ("s", [["s", "n*a/b"]], {}, False),  # nothing is divided by a vector
        ("s", [["s", "a**2 + b**2 + 2*a*b"]], {"goal": [("1", "square", "a + b")]}, True),
        ("s", [["s", "(a + n)**2"]], {"goal": [("1", "square", "a + n")]}, False),
        ("s", [["s", "a**4"]], {"goal": [("a**2", "square", "a")]}, False),
        ("s", [["s", "0 - n"]], {"goal": [("-1", "square", "n/n")]}, False),
        ("s", [["s", "0 - n**2"]], {"goal": [("-1", "square", "n")]}, False),
    ],
)
def test_vectors_and_multipliers(
    left: str, let: list[Any], uses: dict[str, Any], right: bool
) -> None:
    sketch, said = (
        sketch_of(variables=VECTORS, let=let),
        Statement("x.y", "0", "<=", left, {"s": []}),
    )
    sketch = replace(sketch, uses=uses)
    assert decide(consistent(sketch, said), sketch, said) == (right, right)


SQUARE: list[Any] = [["s", 2]]
ONE: list[Any] = [["1", []]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"facts": [["goal", [["1", [["s", 1], ["s", 1]]]], ONE]]},
        {"facts": [["goal", [["1", SQUARE], ["1", SQUARE]], ONE]]},
        {"facts": [["goal", [[" 1", SQUARE]], ONE]]},
        {"facts": [["goal", [["1_0", SQUARE]], [["10", []]]]]},
        {"facts": [["goal", [[1, SQUARE]], ONE]]},
        {"facts": [["goal", [[str(10**305), SQUARE]], [[str(10**305), []]]]]},
        {"facts": [["goal", [["1", [["t", 2]]]], ONE]]},
        {"facts": [["goal", [["1", [[["s"], 2]]]], ONE]]},
        {"facts": [["goal", [["1", SQUARE]], ONE], ["goal", [["1", SQUARE]], ONE]]},
        {"facts": [[1, [["1", SQUARE]], ONE]]},
        {"facts": [["goal", [["1", SQUARE]], []]]},
        {"facts": [["goal", [["-1", SQUARE]], [["-1", []]]]]},
        {"facts": []},
        {"uses": []},
        {"uses": {"goal": {}}},
        {"uses": {"goal": [["0", "given", False]]}},
        {"uses": {"goal": [["0", "square", 0]]}},
        {"uses": {"goal": [["0", "fact", 0]]}},
        {"uses": {"goal": [["0", "given", 5]]}},
        {"uses": {"goal": [["0", "square", "t"]]}},
        {"uses": {"goal": [["0", "square", "s**30000*s**30000"]]}},
        {"uses": {"goal": [["(1 + 2**2000)*0", "square", "s"]]}},
        {"uses": {"goal": [["0" + " " * 20_001, "square", "s"]]}},
        {"uses": {"range of s": []}},
    ],
)
def test_the_grammar_of_a_file_is_closed(wrong: dict[str, Any]) -> None:
    sketch = sketch_of(variables={"s": "nonnegative"}, given=[("s", ">=", "model", "")])
    honest: dict[str, Any] = {"claim": "x.y", "facts": [["goal", [["1", SQUARE]], ONE]]}
    assert decide(honest, sketch, SQUARED) == (True, True)
    assert decide(honest | wrong, sketch, SQUARED) == (False, False)


def test_models_are_of_a_bounded_size() -> None:
    kinds = {f"v{k}": "nonnegative" for k in range(25)}
    sketch = sketch_of(variables={**kinds, "s": "nonnegative"})
    assert decide({"claim": "x.y", "facts": NONE}, sketch, SQUARED) == (False, False)
    odd = sketch_of(variables={"s": "nonnegative", "r": "real"}, opaque={"r": "s + 1"})
    honest = {"claim": "x.y", "facts": [["goal", [["1", SQUARE]], ONE]]}
    assert decide(honest, odd, SQUARED) == (False, False)


def test_a_sceptic_reads_at_most_80_lines_of_the_checker():
    assert core.__file__ is not None
    assert len(Path(core.__file__).read_text("utf-8").splitlines()) <= 80
