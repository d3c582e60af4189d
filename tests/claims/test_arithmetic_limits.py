"""Hostile arithmetic certificates: both checkers refuse them after a bounded number of steps."""

import json

import pytest

from fltheory.analysis.arithmetic.certificate import ProofSketch, Statement
from tests.claims.arithmetic_files import accepted, refused, standalone, stored

GOAL = [["goal", [["1", [["s", 1]]]], [["1", []]]]]
HOSTILE = {
    "a tower of powers": {"uses": {"goal": [["9**9**9**9", "given", 0]]}},
    "a tower of squares": {"uses": {"goal": [["(" * 30 + "1 + a" + ")**9" * 30, "square", "s"]]}},
    "a product of sums": {"uses": {"goal": [["*".join(["(1 + a + s)"] * 900), "square", "s"]]}},
    "a root of a root": {"uses": {"goal": [["sqrt(" * 90 + "a" + ")" * 90, "square", "s"]]}},
    "a deep formula": {"uses": {"goal": [["-" * 15_000 + "1", "square", "s"]]}},
    "a long formula": {"uses": {"goal": [["1" + "+1" * 20_000, "square", "s"]]}},
    "many formulas": {"uses": {"goal": [["a + 1/(1 + a)", "square", "s - a"]] * 25_000}},
    "no formula": {"uses": {"goal": [["a b", "square", "s"]]}},
    "a call": {"uses": {"goal": [["open(a)", "square", "s"]]}},
    "a decimal": {"uses": {"goal": [["1e9", "square", "s"]]}},
    "a divisor 0": {"uses": {"goal": [["1/(a - a)", "square", "s"]]}},
    "a number below the first": {"uses": {"goal": [["0", "given", -1]]}},
    "a number for a formula": {"uses": {"goal": [[1, "square", "s"]]}},
    "an endless coefficient": {"facts": [["goal", [["9" * 5000, [["s", 1]]]], [["1", []]]]]},
    "a decimal coefficient": {"facts": [["goal", [["1e99999999", []]], [["1", []]]]]},
    "a high power": {"facts": [["goal", [["1", [["s", 10**9]]]], [["1", []]]]]},
    "power True": {"facts": [["goal", [["1", [["s", True]]]], [["1", []]]]]},
    "a variable twice": {"facts": [["goal", [["1", [["s", 1], ["s", 1]]]], [["1", []]]]]},
    "a monomial twice": {"facts": [["goal", [["1", [["s", 1]]]] * 2, [["2", []]]]]},
    "a coefficient 0": {"facts": [["goal", [["0", []], ["1", [["s", 1]]]], [["1", []]]]]},
    "many terms": {"facts": [["goal", [[str(i), []] for i in range(1, 60_000)], [["1", []]]]]},
    "no divisor": {"facts": [["goal", [["1", [["s", 1]]]], []]]},
    "an object for a list": {"facts": {"goal": [[], [["1", []]]]}},
}
"""What hostile files hold beside an honest certificate of 0 <= s."""


LARGE = {"many formulas", "a product of sums"}


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.slow] * (kind in LARGE)) for kind in HOSTILE]
)
def test_hostile_files_are_refused_after_a_bounded_number_of_steps(kind):
    said = Statement("x.y", "0", "<=", "s", {"s": ["positive"]})
    sketch = ProofSketch("x.y", "m", {"s": "nonnegative", "a": "nonnegative"})
    honest = {"claim": "x.y", "facts": GOAL}
    assert accepted(honest, sketch, said)
    assert refused({**honest, **HOSTILE[kind]}, sketch, said)


def test_the_standalone_checker_reads_files_within_limits(tmp_path, capsys):
    def ends(text):
        (tmp_path / "x.json").write_text(text, "utf-8")
        return standalone.main(tmp_path / "x.json")

    honest = json.dumps(stored("afl.alg2.proof"))
    assert ends(honest) == 0
    assert "afl.alg2.proof: proved" in capsys.readouterr().out
    assert ends(honest.replace("afl.alg2.proof", "afl.thm1")) == 3
    assert ends(honest.replace('{"claim"', '{"claim": "x", "claim"')) == 2  # a key twice
    assert ends(honest + " " * 1_000_000) == 2
    assert ends("[" * 100_000) == 2
    assert ends("[]") == 2
    assert ends(honest.replace('"facts": [', '"facts": [[], ')) == 1
    assert standalone.main(tmp_path / "none.json") == 2
