"""Golden values of MIFA: runs, expectations, constants, failure probabilities, sizes of
networks."""

from fractions import Fraction
from itertools import product

import pytest
import sympy

from fltheory import FedAvg, Mifa, Quadratic, Trace
from fltheory.claims.checks.probability import any_of, exceedance
from fltheory.claims.claim import evaluate
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.engine.simulate import simulate
from fltheory.papers.mifa.checks import adaptive, bernoulli, experiments, long_runs, waiting
from fltheory.papers.mifa.paper import CLIENTS, CONVEX, NOISE, ROUNDS
from fltheory.papers.mifa.statements.closed_forms import A
from fltheory.papers.mifa.statements.nonconvex import A4, A5, THRESHOLD, UNIT
from fltheory.papers.mifa.statements.strongly_convex import A1, A2, A3
from fltheory.papers.mifa.statements.strongly_convex import UNIT as CONVEX_UNIT
from fltheory.traces.availability.noise_adaptive import NoiseAdaptive
from fltheory.traces.trace_statistics import rounds_since


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


@pytest.mark.slow
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


@pytest.mark.slow
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
