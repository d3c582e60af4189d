"""Certificates of parametric claims: two checkers accept them, and each refuses what is wrong."""

import copy
import json
from dataclasses import replace

import pytest

from fltheory.analysis.arithmetic.certificate import Certificate, ProofSketch, Statement
from fltheory.analysis.arithmetic.checker import proved
from fltheory.analysis.arithmetic.search import completed
from fltheory.claims.checks.arithmetic import decide, statement
from fltheory.claims.evidence import Verdict
from fltheory.core.errors import InvalidInput
from fltheory.ledger.arithmetic import exported, statements_file
from fltheory.papers import all_claims, find_claim
from tests.claims.arithmetic_files import (
    SKETCHES,
    STATEMENTS,
    VERIFICATION,
    accepted,
    refused,
    stored,
)


def statement_of(claim_id):
    return statement(find_claim(claim_id), map(find_claim, SKETCHES[claim_id].rests_on))


LONG = {
    "fedlaavg.cor1",
    "fedlaavg.cor1.speedup",
    "fedlaavg.eq55.corrected",
    "fedlaavg.thm4.rate",
    "fraboni.eq15.corrected",
}
"""Claims whose certificate takes half a second or more."""


@pytest.mark.parametrize(
    "claim_id",
    [pytest.param(i, marks=[pytest.mark.slow] * (i in LONG)) for i in sorted(SKETCHES)],
)
def test_both_checkers_accept_every_stored_certificate(claim_id):
    assert accepted(stored(claim_id), SKETCHES[claim_id], statement_of(claim_id))
    assert STATEMENTS[claim_id]["model"] == json.loads(json.dumps(SKETCHES[claim_id].meaning()))


def test_every_sketch_has_its_certificate_and_every_certificate_its_sketch():
    files = {file.stem for file in (VERIFICATION / "certificates" / "arithmetic").iterdir()}
    assert files == set(SKETCHES)
    assert statements_file().read_text("utf-8") == exported()


@pytest.mark.parametrize("claim_id", ["afl.alg2.proof", "afl.sampling.differences"])
def test_a_changed_claim_is_not_proved(claim_id):
    claim, sketch = find_claim(claim_id), SKETCHES[claim_id]
    assert decide(claim, sketch).verdict is Verdict.PROVED
    for changed in (
        claim.planted(right=claim.statement.right * 2),
        claim.planted(left=claim.statement.left + 1),
    ):
        assert decide(changed, sketch).verdict is Verdict.UNDECIDED


SQUARE = Statement("x.y", "2*a*b", "<=", "a**2 + b**2", {"a": ["positive"], "b": ["positive"]})
KINDS = {"a": "nonnegative", "b": "nonnegative"}


def test_a_planted_false_inequality_gets_no_certificate():
    uses = {"goal": [("1", "square", "a - b")]}
    sketch = ProofSketch("x.y", "numbers", KINDS, uses=uses)
    assert proved(completed(sketch, SQUARE), sketch, SQUARE) == 1
    false = Statement("x.y", "3*a*b", "<=", "a**2 + b**2", SQUARE.kinds)
    with pytest.raises(InvalidInput, match="prove goal"):
        completed(ProofSketch("x.y", "numbers", KINDS, uses=uses), false)
    with pytest.raises(InvalidInput, match="prove goal"):
        completed(ProofSketch("x.y", "numbers", KINDS), SQUARE)


def mutations(data):
    """Certificates that differ in one place, each of which must be refused."""
    for i, (_, up, low) in enumerate(data["facts"]):
        for side, terms in (("up", up), ("low", low)):
            if terms and (up or side == "up"):  # 0/1 is 0/2
                worse = copy.deepcopy(data)
                place = worse["facts"][i][1 if side == "up" else 2]
                place[0][0] = str(int(place[0][0].split("/")[0]) + 1)
                yield f"{side} of fact {i}", worse
    yield "no facts", {**data, "facts": data["facts"][:-1]}
    yield "another claim", {**data, "claim": "afl.thm1"}
    yield "a fact twice", {**data, "facts": [*data["facts"], data["facts"][0]]}
    yield "a fact of no claim", {**data, "facts": [*data["facts"], ["more", [], [["1", []]]]]}
    yield "a use of nothing", {**data, "uses": {**data.get("uses", {}), "more": []}}


@pytest.mark.parametrize("claim_id", ["afl.alg2.proof", "afl.lem2.closed", "mifa.def5.2.mean"])
def test_both_checkers_refuse_mutated_certificates(claim_id):
    sketch, said = SKETCHES[claim_id], statement_of(claim_id)
    assert all(refused(bad, sketch, said) for _, bad in mutations(stored(claim_id)))


@pytest.mark.parametrize("part", ["model", "variables", "let", "given", "state", "constant"])
def test_a_certificate_that_says_what_symbols_mean_is_refused(part):
    """A file gives multipliers, never meaning: neither a model nor a hypothesis of its own."""
    claim_id = "fedlaavg.cor1"
    sketch, data = SKETCHES[claim_id], stored(claim_id)
    own = json.loads(json.dumps(sketch.meaning())).get(part, {})
    assert refused({**data, part: own}, sketch, statement_of(claim_id))


def test_facts_of_a_foreign_model_are_refused():
    """With a hypothesis -1 >= 0 of its own, the coefficients of a false claim are consistent."""
    false = Statement("x.y", "a", "<=", "0", {"a": ["positive"]})
    honest = ProofSketch("x.y", "numbers", {"a": "nonnegative"})
    granted = replace(honest, given=[("-1", ">=", "model", "why not")])
    forged = completed(replace(granted, uses={"goal": [("a + 1", "given", 0)]}), false)
    assert proved(forged, granted, false) == 1  # so it is with the hypothesis granted
    assert refused(forged, honest, false)


RANGE = Statement("x.y", "1", "<=", "p", {"p": ["positive"]}, {"x.large": "p is at least 1"})
ABOVE = ("p - 1", ">=", "x.large", "p is at least 1")


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"let": [["p", "1 + k", "k", "kind"]]}, "leave out no value"),
        ({"let": [["p", "2 + k", "k", 0]]}, "prove range of p"),
        ({"let": [["p", "1 + k - k**2", "k", 0]]}, "monotone"),
        ({"given": [("p - 2", ">=", "x.large", "p is at least 1")]}, "prove"),
        ({"given": [("p - 1", ">=", "x.large", "p is at least 2")]}, "what the claim assumes"),
        ({"variables": {"k": "real"}}, "new variable"),
    ],
)
def test_a_range_must_leave_out_no_value(changes, rule):
    fields = {
        "claim": "x.y",
        "model": "numbers",
        "variables": {"k": "nonnegative"},
        "let": [["p", "1 + k", "k", 0]],
        "given": [ABOVE],
    }
    sketch = ProofSketch.from_json(fields)
    assert proved(completed(sketch, RANGE), sketch, RANGE) == 2
    if rule == "prove":  # a condition that is stronger than the assumption's sentence says
        return
    with pytest.raises(InvalidInput, match=rule):
        completed(ProofSketch.from_json({**fields, **changes}), RANGE)


def test_what_may_be_negative_is_not_taken_for_granted():
    said = Statement("x.y", "0", "<=", "s", {"s": []})
    data = {"claim": "x.y", "facts": [["goal", [["1", [["s", 1]]]], [["1", []]]]]}
    for kind in ("nonnegative", "real"):
        assert refused(data, ProofSketch("x.y", "m", {"s": kind}), said)


@pytest.mark.parametrize(
    ("meaning", "kind", "right"),
    [
        ({"opaque": {"s": "Min(a, -1)"}}, "nonnegative", False),
        ({"opaque": {"s": "Max(a, -1)"}}, "nonnegative", True),
        ({"opaque": {"s": "Abs(-a)"}}, "nonnegative", True),
        ({"opaque": {"s": "floor(a - 1)"}}, "nonnegative", False),
        ({"opaque": {"s": "Max(-1, -a)"}}, "nonnegative", False),
        ({"powers": {"s": ("a - 1", "n")}}, "nonnegative", False),
        ({"powers": {"s": ("a + 1", "n")}}, "nonnegative", True),
    ],
)
def test_what_stands_for_a_minimum_or_a_power_may_be_negative(meaning, kind, right):
    said = Statement("x.y", "0", "<=", "t", {"t": []})
    kinds = {"s": kind, "a": "nonnegative", "n": "nonnegative"}
    sketch = ProofSketch("x.y", "m", kinds, let=[["t", "s"]], **meaning)
    data = {"claim": "x.y", "facts": [["goal", [["1", [["s", 1]]]], [["1", []]]]]}
    assert (accepted if right else refused)(data, sketch, said)


LOOP = Statement("x.y", "s", "=", "0", {"s": []})


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"inputs": ["s"]}, "about an input"),
        ({"uses": {"start 0: 0": [("1", "keep", 0)]}}, "what a step keeps"),
        ({"state": {"s": ["1", "2*s"]}}, "prove start"),
        ({"state": {"s": ["0", "s + 1"]}}, "prove step"),
        ({"uses": {"goal": [("-1", "square", "s")], "step 1: 0": []}}, "at least 0"),
    ],
)
def test_a_loop_must_start_and_step(changes, rule):
    fields = {
        "claim": "x.y",
        "model": "numbers",
        "variables": {"s": "real"},
        "state": {"s": ["0", "2*s"]},
        "keep": [("s", "=")],
    }
    sketch = ProofSketch.from_json(fields)
    assert proved(completed(sketch, LOOP), sketch, LOOP) == 3
    with pytest.raises(InvalidInput, match=rule):
        completed(ProofSketch.from_json({**fields, **changes}), LOOP)


def test_vectors_are_read_by_their_coordinates():
    """|a + b|^2 <= 2 |a|^2 + 2 |b|^2 holds for vectors; |a|^4 is no sum over coordinates."""
    said = Statement("x.y", "s", "<=", "2*p + 2*q", {"s": [], "p": [], "q": []})
    fields = {"claim": "x.y", "model": "vectors", "variables": {"a": "vector", "b": "vector"}}
    let = [["s", "(a + b)**2"], ["p", "a**2"], ["q", "b**2"]]
    uses = {"goal": [["1", "square", "a - b"]]}
    sketch = ProofSketch.from_json({**fields, "let": let, "uses": uses})
    assert accepted(completed(sketch, said), sketch, said)
    quartic = [["s", "0"], ["p", "a**4"], ["q", "0"]]
    with pytest.raises(InvalidInput):
        completed(ProofSketch.from_json({**fields, "let": quartic}), said)


def test_a_certificate_with_unknown_parts_is_refused():
    with pytest.raises(InvalidInput, match="known fields"):
        ProofSketch.from_json({"claim": "x.y", "model": "m", "variables": {}, "eval": "1"})
    with pytest.raises(InvalidInput, match="known fields"):
        Certificate.from_json({"claim": "x.y", "facts": [], "eval": "1"})
    said = Statement("x.y", "f(1)", "=", "1", {})
    with pytest.raises(InvalidInput, match="explains"):
        completed(ProofSketch("x.y", "m", {}), said)


def test_claims_with_a_certificate_exist():
    assert set(SKETCHES) <= set(all_claims())
