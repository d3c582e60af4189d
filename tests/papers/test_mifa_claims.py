"""MIFA's findings are re-established, its golden values hold, and dropped conditions and shifted
indices are noticed."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from fltheory import FedAvg, Mifa, Quadratic, Trace
from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.checks.probability import any_of, exceedance
from fltheory.claims.claim import Order, evaluate
from fltheory.claims.evidence import Verdict
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.engine.simulate import simulate
from fltheory.ledger.counterexamples import replay, to_file
from fltheory.ledger.runner import all_tasks
from fltheory.papers import find_claim
from fltheory.papers.mifa.checks import (
    adaptive,
    bernoulli,
    closed_forms,
    experiments,
    long_runs,
    nonconvex,
    staleness,
    strongly_convex,
    waiting,
)
from fltheory.papers.mifa.checks.runs import constant_step, decreasing_steps, every_round, periodic
from fltheory.papers.mifa.paper import CLIENTS, CONVEX, INITIAL_GAP, NOISE, ROUNDS
from fltheory.papers.mifa.statements.closed_forms import A
from fltheory.papers.mifa.statements.nonconvex import A4, A5, THRESHOLD, UNIT
from fltheory.papers.mifa.statements.strongly_convex import A1, A2, A3
from fltheory.papers.mifa.statements.strongly_convex import UNIT as CONVEX_UNIT
from fltheory.testing import assert_bound_holds, traces
from fltheory.traces.availability.noise_adaptive import NoiseAdaptive
from fltheory.traces.trace_statistics import rounds_since

REFUTED = {
    "mifa.alg.sampling": "E14",
    "mifa.ass4.growth": "E12",
    "mifa.thm5.1": "E2",
    "mifa.thm5.1.constant": "new",
    "mifa.thm5.1.dominance": "E14",
    "mifa.rem5.1.match": "new",
    "mifa.prop5.1": "E3",
    "mifa.prop5.1.matching": "E3",
    "mifa.prop6.1": "E3",
    "mifa.prop6.1.matching": "E10",
    "mifa.prop6.1.copy_a": "E9",
    "mifa.eq3.necessary": "E7",
    "mifa.eq3.updates": "E6",
    "mifa.eq3.comparison": "E7",
    "mifa.eq3.average": "E8",
    "mifa.thm6.1": "E2",
    "mifa.related.rate": "E11",
    "mifa.exp.probabilities": "E4",
    "mifa.exp.seeds": "E5",
    "mifa.exp.schedule": "E13",
}
CHECKS = [
    (task.claim, task.check())
    for task in all_tasks()
    if task.claim.startswith("mifa.") and not task.slow
]


@cache
def decided(claim_id: str):
    return [check.decide(find_claim(claim_id)) for name, check in CHECKS if name == claim_id]


@pytest.mark.parametrize("claim_id", REFUTED)
def test_the_finding_is_re_established(claim_id):
    lines = decided(claim_id)
    assert {line.verdict for line in lines} == {Verdict.REFUTED}
    assert all(line.counterexample is not None for line in lines)


@pytest.mark.parametrize("claim_id", REFUTED)
def test_the_counterexample_can_be_stored_and_replayed(claim_id):
    """An order has no single instance; everything else is confirmed from its file alone."""
    claim = find_claim(claim_id)
    for line in decided(claim_id):
        stored = json.loads(json.dumps(to_file(claim, line)))
        assert isinstance(claim.statement, Order) or replay(stored, claim).confirmed


def test_exactly_these_claims_are_refuted_and_each_is_printed():
    printed = {name for name, _ in CHECKS if find_claim(name).source.as_printed}
    assert set(REFUTED) <= printed
    assert {find_claim(name).corrects for name, _ in CHECKS} - {None} <= set(REFUTED)


def test_availability_that_reacts_to_noise_has_the_moments_of_the_chain():
    """All 2^6 outcomes of the noise, each with the availability that it provokes."""
    mean = square = Fraction(0)
    for signs in product((1, -1), repeat=6):
        trace = Trace.fresh(NoiseAdaptive().matrix([[sign] for sign in signs]))
        run = simulate(
            Mifa(),
            Quadratic((1,), (0,)),
            trace,
            start=0,
            local_step_size=lambda t: Fraction(4, t + 101),
            noise=lambda index, step, signs=signs: [[Fraction(signs[index])]],
        )
        mean, square = mean + run.last[0] / 64, square + run.last[0] ** 2 / 64
    chain = adaptive.skipping_device(lambda t: Fraction(4, t + 100), Fraction(0))
    moments = [next(chain) for _ in range(7)][-1]
    assert moments == (1, mean, square)


def test_the_adaptive_gap_stays_while_the_bound_falls():
    claim = find_claim("mifa.adaptive.mean")
    assert adaptive.mean_stays_below(claim).verdict is Verdict.PROVED
    assert (
        adaptive.mean_stays_below(claim.planted(right=sympy.Rational(334, 1000))).verdict
        is not Verdict.PROVED
    )
    values = [adaptive.least_squared_gradient(count) for count in (32, 128, 288)]
    assert values[0] > values[1] > values[2] > Fraction(1, 9)


def test_a_vanishing_initial_gap_is_admissible_and_breaks_the_printed_bound():
    claim = find_claim("mifa.thm5.1")
    for gap in ("1", "1/1000", "1/1000000"):
        scenario = decreasing_steps(Quadratic((1,), (0,)), every_round(1), initial_gap=gap)
        assert unmet(claim, scenario) == []
        assert measure(scenario, ["weighted_loss_gap"]) == {
            "weighted_loss_gap": Fraction(2401, 5000)
        }


def test_the_constant_of_the_corrected_bound_is_nearly_needed():
    (line,) = (
        found for found in decided("mifa.thm5.1.corrected") if found.verdict is Verdict.SUPPORTED
    )
    assert 0.8 < float(line.looseness.split("about ")[-1].rstrip(")")) < 1
    assert find_claim("mifa.thm5.1.corrected").statement.right.subs(INITIAL_GAP, 0) != 0


@pytest.mark.parametrize("dropped", ["mifa.ass4", "mifa.first", "mifa.steps"])
def test_a_scenario_outside_the_theorem_is_not_used(dropped):
    good = decreasing_steps(Quadratic((1,), (0,)), periodic(8, [4]), initial_gap=3)
    bad = {
        "mifa.ass4": replace(good, parameters=good.parameters | {"initial_gap": 1}),
        "mifa.first": replace(good, trace=Trace.fresh([(0,), *periodic(7, [4])])),
        "mifa.steps": replace(
            good, local_step_size=tuple(2 * size for size in good.local_step_size)
        ),
    }[dropped]
    claim = find_claim("mifa.thm5.1.corrected")
    assert unmet(claim, good) == []
    assert dropped in unmet(claim, bad)


def test_assumptions_of_the_nonconvex_theorem_can_fail():
    claim = find_claim("mifa.thm6.1.corrected")
    good = constant_step(
        Quadratic((Fraction(1, 64),) * 2, (1, -1), noise_squared=1), every_round(7, 2)
    )
    assert unmet(claim, good) == []
    assert unmet(
        claim, replace(good, parameters=good.parameters | {"dissimilarity_slope": Fraction(1, 2)})
    ) == ["mifa.ass7"]
    assert unmet(
        claim, replace(good, parameters=good.parameters | {"noise_bound": Fraction(1, 2)})
    ) == ["mifa.ass6"]
    assert unmet(claim, replace(good, local_step_size=1)) == ["mifa.step"]
    short = constant_step(Quadratic((1,), (0,)), every_round(3), slope=1)
    assert unmet(claim, short) == ["mifa.horizon"]


@given(
    traces(
        num_clients=2, max_rounds=5, everyone_first=True, equal_local_steps=True, max_local_steps=2
    ),
    st.sampled_from(((1, 1), (1, 4))),
    st.integers(0, 2),
    st.integers(-3, 3),
)
def test_the_corrected_bound_holds(trace, curvatures, noise_squared, start):
    problem = Quadratic(curvatures, (1, -2), noise_squared=noise_squared)
    rows = trace.delivers.astype(int).tolist()
    scenario = decreasing_steps(
        problem, rows, initial_gap=5, start=start, local_steps=int(trace.local_steps.max())
    )
    assert_bound_holds(find_claim("mifa.thm5.1.corrected"), scenario)


def test_golden_run_of_algorithm_1():
    steps = {
        "start": 2,
        "local_step_size": tuple(Fraction(2, t + 100) for t in (1, 2, 3)),
        "parameters": {"step_offset": 100},
    }
    trace = Trace.fresh([[1, 1], [1, 0], [0, 1]], local_steps=2)
    scenario = Scenario("mifa", Quadratic((1, 1), (0, 1)), trace, **steps)
    models = simulate(
        scenario.method, scenario.problem, trace, start=2, local_step_size=scenario.local_schedule
    ).models[:, 0]
    assert models[-1] == Fraction(515051600803, 281486485809)
    weights = [(t + 100) * (t + 99) for t in range(4)]
    assert sum(weights) == 40808
    assert sum(w * x for w, x in zip(weights, models, strict=True)) / 40808 == Fraction(
        20498990303, 10719272006
    )
    assert (
        round(float(measure(scenario, ["weighted_loss_gap"])["weighted_loss_gap"]), 8) == 0.99736501
    )
    biased = simulate(
        FedAvg(), scenario.problem, trace, start=2, local_step_size=scenario.local_schedule
    )
    assert biased.last[0] == Fraction(50566208, 27594009)


def test_golden_expectation_by_responses():
    rows = [
        (1, 1, 1),
        *(tuple(int((t + i) % (i + 1) == 0) for i in range(3)) for t in range(2, 40)),
    ]
    sizes = tuple(Fraction(4, 2 * (t + 100)) for t in range(1, 40))
    problem = Quadratic((1, 2, 3), (1, -2, Fraction(1, 2)), noise_squared=4)
    scenario = Scenario(
        "mifa",
        problem,
        Trace.fresh(rows, local_steps=2),
        start=2,
        local_step_size=sizes,
        parameters={"step_offset": 100},
    )
    assert (
        round(float(measure(scenario, ["weighted_loss_gap"])["weighted_loss_gap"]), 6) == 0.380863
    )


def test_golden_constants_of_both_theorems():
    assert [evaluate(x, CONVEX_UNIT) for x in (A1, A2, A3)] == [6, sympy.Rational(3, 4), 8]
    assert round(float(evaluate(A4, UNIT)), 6) == 67.313708
    assert evaluate(A5, UNIT) == sympy.Rational(6, 5)
    assert evaluate(THRESHOLD, UNIT) == 2048


def test_golden_failure_probabilities():
    for chance, clients, level, rounds, golden in (
        ("3/10", 1, "1", 4000, 0.15622),
        ("1/10", 100, "1/20", 4000, 0.00261),
    ):
        p, gap = Fraction(chance), Fraction(level)
        each = exceedance(
            p, bernoulli.simultaneous_limits(p, clients, gap, rounds), rounds, bits=96
        )
        assert round(float(any_of(each, clients)[1]), 5) == golden


def test_golden_gaps_of_sampling_as_noise():
    gap = waiting.summed_noise().subs({CONVEX: 1, CLIENTS: 1, NOISE: 1, A: 100})
    scaled = [float((gap * (ROUNDS + 1)).subs(ROUNDS, t - 1)) for t in (1000, 10000, 100000)]
    assert [round(x, 4) for x in scaled] == [0.6251, 0.6790, 0.6850]


def test_sampling_one_of_two_is_noise():
    """FedAvg over all 2^3 choices of one device out of two with minimisers +-1, without gradient
    noise."""
    gaps = []
    for chosen in product((0, 1), repeat=3):
        trace = Trace.fresh([[int(i == which) for i in (0, 1)] for which in chosen])
        sizes = tuple(Fraction(4, t + 101) for t in range(3))
        scenario = Scenario(
            "fedavg",
            Quadratic((1, 1), (1, -1)),
            trace,
            start=0,
            local_step_size=sizes,
            parameters={"step_offset": 100},
        )
        gaps.append(measure(scenario, ["weighted_loss_gap"])["weighted_loss_gap"])
    formula = waiting.summed_noise().subs({CONVEX: 1, CLIENTS: 1, NOISE: 1, A: 100, ROUNDS: 3})
    assert sympy.Rational(str(sum(gaps) / 8)) == formula


@pytest.mark.parametrize(
    ("claim_id", "check", "planted"),
    [
        (
            "mifa.taustats",
            staleness.statistics_agree,
            lambda c: c.planted(right=c.statement.right * ROUNDS / (ROUNDS + 1)),
        ),
        (
            "mifa.def5.2.mean",
            bernoulli.expected_staleness,
            lambda c: c.planted(right=c.statement.right.subs(bernoulli.TIME, bernoulli.TIME + 1)),
        ),
        (
            "mifa.thm5.2.1",
            bernoulli.enough_for_slow_growth,
            lambda c: c.planted(right=c.statement.right * sympy.Rational(9, 10)),
        ),
        (
            "mifa.rem5.1",
            strongly_convex.theorem_gives_remark,
            lambda c: c.planted(right=c.statement.right / 2),
        ),
        (
            "mifa.rem6.1",
            nonconvex.theorem_gives_remark,
            lambda c: c.planted(right=-c.statement.right),
        ),
        (
            "mifa.thm5.1.det",
            closed_forms.shrinkage_by_induction,
            lambda c: c.planted(right=c.statement.right.subs(ROUNDS, ROUNDS + 1)),
        ),
        (
            "mifa.thm5.1.noise",
            closed_forms.noise_of_runs,
            lambda c: c.planted(right=c.statement.right / 2),
        ),
    ],
)
def test_a_shifted_index_or_halved_constant_is_refuted(claim_id, check, planted):
    claim = find_claim(claim_id)
    assert check(claim).verdict is not Verdict.REFUTED
    assert check(planted(claim)).verdict is Verdict.REFUTED


def test_gaps_that_grow_with_time_keep_the_error():
    """E12: t0 = 5/2, b = 40, one device."""
    noisy = Quadratic((1,), (0,), noise_squared=1)
    gaps = [
        long_runs.gap_of(Mifa(), noisy, long_runs.growing_gaps(iterates - 1))
        for iterates in (2000, 8000, 32000)
    ]
    assert [round(gap, 5) for gap in gaps] == [0.01097, 0.01085, 0.01082]
    ages = rounds_since(long_runs.growing_gaps(400).delivers)[:, 0]
    assert all(age <= Fraction(5, 2) + Fraction(t, 40) for t, age in enumerate(ages, start=1))


def test_sizes_of_the_networks():
    assert experiments.parameters(((3, 6), (6, 16)), (400, 120, 84, 10)) == 62006
    assert experiments.parameters(((3, 32), (32, 64)), (1600, 512, 10)) == 878538
