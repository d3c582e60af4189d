"""Inequalities over whole classes: the encoding meets exact instances, proofs are exact, and what
is false or tampered with is rejected."""

import json
import subprocess
import sys
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import fltheory.claims.checks.inequality as module
from fltheory import Quadratic, Trace
from fltheory.analysis.inequalities.expressions import Expression, Vector
from fltheory.analysis.inequalities.proof import Inequality, prove, verify
from fltheory.analysis.inequalities.runs import mean_square, run_over
from fltheory.analysis.inequalities.sketch import ORIGIN, Sketch
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.claims.checks.inequality import (
    Lemma,
    Stated,
    certificate_file,
    check_inequalities,
    inequality,
)
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Identity, UpperBound, evaluate
from fltheory.claims.evidence import Verdict
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.cli import make_app
from fltheory.core.errors import InvalidInput
from fltheory.papers import all_claims, find_claim, modules
from fltheory.papers.afl.checks.certified_workers import SIMPLE
from fltheory.papers.fraboni.checks.certified import RUNS, SETTINGS, last_round, unbounded
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.unknowns import Unknowns
from fltheory.papers.mifa.checks.certified import GRADIENTS
from fltheory.papers.mifa.paper import PAPER
from verification.check_inequality import check

LEMMAS = [lemma for part in modules() for lemma in getattr(part, "LEMMAS", ())]
SMALL = st.fractions(-3, 3, max_denominator=5)


def stored(lemma: Lemma) -> dict:
    return json.loads(certificate_file(lemma.name, PAPER).read_text())


def above_optimum() -> tuple[Sketch, Expression, Expression]:
    """|grad f|^2 and f - f* at a point."""
    sketch = Sketch(FunctionClass(1), 1)
    point = sketch.vector()
    sketch.tell(0, ORIGIN, ORIGIN)
    return sketch, sketch.gradient(0, point) ** 2, sketch.value(0, point) - sketch.value(0, ORIGIN)


@given(st.lists(SMALL, min_size=3, max_size=3), SMALL, SMALL)
def test_expressions_are_what_the_numbers_give(numbers, factor, other) -> None:
    x, y, z = (Vector({k: Fraction(1)}) for k in range(3))
    u, v = factor * x - y / 2, z + other * y
    first, second = factor * numbers[0] - numbers[1] / 2, numbers[2] + other * numbers[1]
    at = dict(enumerate(numbers))
    assert (u * v + 3 * u**2 - 2).at(at, {}) == first * second + 3 * first**2 - 2
    assert (sum([u, v], 0) ** 2 / 3).at(at, {}) == (first + second) ** 2 / 3


def test_vectors_refuse_what_is_no_vector() -> None:
    with pytest.raises(InvalidInput, match="be a vector or 0"):
        ORIGIN + 1
    with pytest.raises(InvalidInput, match="be 2"):
        ORIGIN**3


@given(
    st.integers(1, 3),
    st.lists(SMALL, min_size=3, max_size=3),
    st.lists(st.fractions(0, 1, max_denominator=4), min_size=3, max_size=3),
)
def test_exact_members_satisfy_every_constraint(clients, centres, curvatures) -> None:
    """A run with stale work on any convex parabolas of the class, started anywhere."""
    sketch = Sketch(FunctionClass(1), clients)
    x = start = sketch.vector()
    for t in range(3):
        x = x - sketch.gradient(t % clients, start if t == 2 else x) / 3
    assert x.parts
    numbers, values = sketch.on(
        Quadratic([max(h, Fraction(1, 4)) for h in curvatures[:clients]], centres[:clients]), [2]
    )
    constraints = list(Inequality(sketch, Expression(), Expression()).constraints())
    assert len(constraints) == sum(len(records) * (len(records) - 1) for records in sketch.records)
    assert all(expression.at(numbers, values) <= 0 for _, _, expression in constraints)


def test_a_steeper_member_breaks_a_constraint_and_a_wrong_optimum_is_refused() -> None:
    sketch, _, _ = above_optimum()
    numbers, values = sketch.on(Quadratic((2,), (0,)), [1])
    assert any(
        e.at(numbers, values) > 0
        for _, _, e in Inequality(sketch, Expression(), Expression()).constraints()
    )
    with pytest.raises(InvalidInput, match="give its own gradient"):
        sketch.on(Quadratic((1,), (3,)), [1])
    with pytest.raises(InvalidInput, match="be told before it is asked for"):
        sketch.tell(0, ORIGIN, ORIGIN)


@pytest.mark.parametrize("lemma", RUNS[:9], ids=lambda lemma: lemma.case)
def test_quantities_of_a_run_are_those_of_the_exact_runs(lemma) -> None:
    """Both descriptions of Fraboni's quantities agree on parabolas; the origin is moved to the
    common optimum."""
    name, steps, server = lemma.state.args
    for stated, over_rounds in (
        (unbounded(name, steps, server), False),
        (last_round(name, steps, server), True),
    ):
        size = stated.numbers["local_step_size"]
        exact = Quantities(
            replace(
                SETTINGS[name][0], local_steps=steps, server_step_size=server, local_step_size=size
            )
        )
        over = Unknowns(exact)
        quantities = over.of_round(exact.setting.num_rounds - 1) if over_rounds else over.of_run()
        s = exact.setting
        centres = [c - exact.common_optimum for c in s.optima]
        slopes = [-h * c for h, c in zip(s.curvatures, centres, strict=True)]
        free = [*slopes[:-1]]
        for shares, _ in list(over.optima.items())[1:]:
            here = [i for i, share in enumerate(shares) if share]
            best = sum(shares[i] * s.curvatures[i] * centres[i] for i in here) / sum(
                shares[i] * s.curvatures[i] for i in here
            )
            free += [best, *(s.curvatures[i] * (best - centres[i]) for i in here[:-1])]
        order = sorted(k for k in range(over.sketch.basis) if k not in over.sketch.minted)
        start = next(iter(over.start.parts))
        free.insert(order.index(start), s.start - exact.common_optimum)
        numbers, values = over.sketch.on(Quadratic(s.curvatures, centres), free)
        member = stated.members[0].values
        for quantity, expression in quantities.items():
            if quantity in member:
                assert expression.at(numbers, values) == member[quantity], quantity


def test_a_run_of_the_core_is_the_same_over_unknown_vectors() -> None:
    of = Scenario(
        "afa-cs",
        Quadratic((1, 1), (1, -1)),
        Trace.fresh([[1, 1], [1, 0], [0, 1]]),
        start=2,
        local_step_size="1/3",
    )
    sketch, models = run_over(of, FunctionClass(1, convex=False), optimum=False)
    mean = mean_square(sketch, models[:-1])
    numbers, values = sketch.on(Quadratic((1, 1), (-1, -3)), [])  # measured from the start
    assert (
        mean.at(numbers, values) == measure(of, ["mean_squared_gradient"])["mean_squared_gradient"]
    )


def test_a_tight_inequality_is_proved_with_simple_numbers_and_less_is_not_proved() -> None:
    sketch, square, gap = above_optimum()
    found = prove(Inequality(sketch, square, 2 * gap))
    assert found["multipliers"] == [["interpolation", [0, 1, 0], "2"]]
    assert prove(Inequality(sketch, square, Fraction(199, 100) * gap)) is None
    half = Fraction(prove(Inequality(sketch, square, 4 * gap, positive=True))["factor"])
    assert Fraction(1, 2) <= half < Fraction(1, 2) + Fraction(1, 10**6)
    with pytest.raises(InvalidInput, match="be that of the inequality at hand"):
        verify(found, Inequality(sketch, square, 3 * gap))


def test_every_certificate_is_stored_right_named_and_above_its_members() -> None:
    assert len({lemma.name for lemma in LEMMAS}) == len(LEMMAS)
    assert {path.stem for path in certificate_file("x", PAPER).parent.glob("*.json")} == {
        lemma.name for lemma in LEMMAS
    }
    claims = all_claims()
    for lemma in LEMMAS:
        stated, claim = lemma.state(), claims[lemma.claim]
        factor = verify(stored(lemma), inequality(claim, stated))
        assert 0 < factor <= 1
        for member in stated.members:
            values = {
                **member.values,
                **stated.numbers,
            }  # the right side of the class, of which the member is one
            left, right = (
                evaluate(side, values) for side in (claim.statement.left, claim.statement.right)
            )
            assert float(left) <= float(factor) * float(right) + 1e-12, lemma.name
    assert (
        sum(
            path.stat().st_size
            for path in certificate_file("x", PAPER).parent.parent.rglob("*.json")
        )
        < 3_000_000
    )


def test_many_claims_of_all_papers_are_certified() -> None:
    claims = {lemma.claim for lemma in LEMMAS}
    assert len(claims) >= 24
    assert {name.split(".")[0] for name in claims} == {"afl", "fedlaavg", "fraboni", "mifa"}


@pytest.mark.parametrize(
    "lemma", {lemma.claim: lemma for lemma in LEMMAS}.values(), ids=lambda lemma: lemma.claim
)
def test_a_bound_below_the_certified_one_is_not_certified(lemma) -> None:
    claim = find_claim(lemma.claim)
    lower = claim.planted(
        right=claim.statement.right
        * sympy.Rational(stored(lemma)["factor"])
        * sympy.Rational(999, 1000)
    )
    assert check_inequalities(lower, [lemma], covers="test").verdict is not Verdict.CERTIFIED


def test_a_proof_of_less_than_is_true_is_not_found() -> None:
    for lemma in (SIMPLE[0], GRADIENTS[1]):
        claim = find_claim(lemma.claim)
        assert lemma.certificate(claim) is not None
        assert (
            lemma.certificate(claim.planted(right=claim.statement.right * sympy.Rational(3, 4)))
            is None
        )


def corruptions(good: dict):
    """Ways to tamper with a certificate, each with a name."""

    def edit(change):
        bad = deepcopy(good)
        change(bad)
        return bad

    yield (
        "factor lowered",
        edit(lambda bad: bad.update(factor=str(Fraction(bad["factor"]) - Fraction(1, 100)))),
    )
    yield "other remainder", edit(lambda bad: bad.update(left_over="1/7"))
    yield "factor negative", edit(lambda bad: bad.update(factor="-1"))
    for k, (_, about, y) in enumerate(good["multipliers"]):
        yield (
            "multiplier changed",
            edit(
                lambda bad, k=k, y=y: bad["multipliers"][k].__setitem__(
                    2, str(Fraction(y) + Fraction(1, 1000))
                )
            ),
        )
        yield (
            "sign flipped",
            edit(lambda bad, k=k, y=y: bad["multipliers"][k].__setitem__(2, "-" + y)),
        )
        yield "multiplier dropped", edit(lambda bad, k=k: bad["multipliers"].pop(k))
        yield (
            "records swapped",
            edit(
                lambda bad, k=k, about=about: bad["multipliers"][k].__setitem__(
                    1, [-1 - x for x in about]
                )
            ),
        )
        yield "unknown kind", edit(lambda bad, k=k: bad["multipliers"][k].__setitem__(0, "hope"))
        yield (
            "huge denominator",
            edit(lambda bad, k=k: bad["multipliers"][k].__setitem__(2, "1/1" + "0" * 5000)),
        )
        yield "no number", edit(lambda bad, k=k: bad["multipliers"][k].__setitem__(2, "1e3"))
    for name in good:
        if name not in ("says", "format"):
            yield "field missing", edit(lambda bad, name=name: bad.pop(name))
            yield "field of another kind", edit(lambda bad, name=name: bad.update({name: 3.5}))
    yield (
        "left doubled",
        edit(
            lambda bad: bad["left"].update(
                {
                    part: [[a, b, str(2 * Fraction(x))] for a, b, x in bad["left"][part]]
                    for part in ("squares", "values")
                }
            )
        ),
    )
    yield "steeper functions", edit(lambda bad: bad.update(smoothness="1000"))
    yield "inverted curvatures", edit(lambda bad: bad.update(lowest_curvature="2000"))
    yield "smaller basis", edit(lambda bad: bad.update(basis=1))


TAMPERED = [
    SIMPLE[1],
    GRADIENTS[2],
    RUNS[4],
    *(
        lemma
        for lemma in LEMMAS
        if lemma.name
        in (
            "fedlaavg.eq31-everyone-steps1-2over5",
            "mifa.thm6.1.corrected-short-steps2",
        )
    ),
]


def test_every_corruption_is_rejected_with_a_reason() -> None:
    accepted, reasons = [], []
    for lemma in TAMPERED:
        for kind, bad in corruptions(stored(lemma)):
            try:
                check(bad)
                accepted.append((lemma.name, kind))
            except ValueError as reason:
                reasons.append(str(reason))
    assert accepted == []
    assert all(reasons)
    assert len(reasons) > 200


def test_a_missing_or_foreign_certificate_or_an_unmet_assumption_decides_nothing(
    tmp_path, monkeypatch
) -> None:
    lemma, other = SIMPLE[:2]
    claim = find_claim(lemma.claim)
    monkeypatch.setattr(module, "certificate_file", lambda name, paper: tmp_path / f"{name}.json")
    assert "no certificate is stored" in check_inequalities(claim, [lemma], covers="test").note
    (tmp_path / f"{lemma.name}.json").write_text(json.dumps(stored(other)))
    assert (
        "be that of the inequality at hand"
        in check_inequalities(claim, [lemma], covers="test").note
    )
    fast = replace(lemma.state(), scenario=replace(lemma.state().scenario, server_step_size=1000))
    found = check_inequalities(claim, [replace(lemma, state=lambda: fast)], covers="test")
    assert (found.verdict, found.note) == (
        Verdict.UNDECIDED,
        f"{lemma.name}: assumptions not met: afl.thm2.simple.sgd",
    )
    assert check_inequalities(claim, [], covers="test").verdict is Verdict.UNDECIDED


def test_what_is_no_linear_upper_bound_is_refused() -> None:
    sketch, square, gap = above_optimum()
    stated = Stated(
        sketch,
        {"squared_gradient": square, "loss_gap": gap},
        {},
        (),
        (Instance({"squared_gradient": 1, "loss_gap": 1}),),
    )
    claim, (g, f) = find_claim("mifa.ass.BGD"), sympy.symbols("squared_gradient loss_gap")
    refused = (
        (Identity(g, f), "be an upper bound"),
        (UpperBound(g, f**2), "be linear"),
        (UpperBound(g, g * f), "be rational"),
        (UpperBound(g, sympy.sqrt(2) * f), "be rational"),
        (UpperBound(g, sympy.Symbol("smoothness")), "neither"),
    )
    for statement, message in refused:
        with pytest.raises(InvalidInput, match=message):
            inequality(
                replace(
                    claim, statement=statement, where={"squared_gradient": "x", "loss_gap": "y"}
                ),
                stated,
            )


def test_the_checker_needs_the_standard_library_only(tmp_path) -> None:
    good, bad, other = (tmp_path / name for name in ("good.json", "bad.json", "other.json"))
    good.write_text(json.dumps(stored(SIMPLE[0])))
    bad.write_text(json.dumps({**stored(SIMPLE[0]), "factor": "1/1000"}))
    other.write_text("{}")

    def run(*paths):
        command = [sys.executable, "-S", "-m", "verification.check_inequality", *map(str, paths)]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2]
        )

    assert (
        run(good).returncode,
        run(good, bad).returncode,
        run(other).returncode,
        run().returncode,
    ) == (0, 1, 2, 2)
    assert "proved: afl.thm2.simple" in run(good).stdout
    assert "rejected: " in run(bad).stdout


def test_the_command_checks_inequalities_too(tmp_path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps({**stored(SIMPLE[0]), "factor": "1/1000"}))
    good, rejected = (
        CliRunner().invoke(make_app(), ["check-certificate", str(path), "--json"])
        for path in (certificate_file(SIMPLE[0].name, PAPER), bad)
    )
    assert (good.exit_code, json.loads(good.stdout)["factor"]) == (0, stored(SIMPLE[0])["factor"])
    assert (rejected.exit_code, json.loads(rejected.stdout)["proved"]) == (1, False)
