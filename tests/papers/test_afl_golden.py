"""Golden values of AFL outside its claims."""

from fractions import Fraction

import pytest
import sympy

from fltheory import Trace
from fltheory.claims.claim import evaluate
from fltheory.claims.expectations import ExactRun
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.papers import find_claim
from fltheory.papers.afl.checks.experiments import SHARES, race_probability
from fltheory.papers.afl.checks.memory import at_rate, first_horizon
from fltheory.papers.afl.checks.paths import histories, linear, mean, works
from fltheory.papers.afl.checks.tables import TABLE2, TABLE3, VARIANTS
from fltheory.papers.afl.checks.turns import round_robin
from fltheory.papers.afl.paper import DELAY, LOCAL, SPREAD, K, L
from fltheory.papers.afl.statements.general_arrivals import CONDITION_B, EXAMPLE
from fltheory.papers.afl.statements.uniform_arrivals import MOVE
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.selection import inclusion_probabilities

CONDITION_A = 180 * LOCAL**2 * K**2 * L**2 * DELAY
CONDITION_3 = 120 * L**2 * K**2 * LOCAL**2 * DELAY + 4 * MOVE * SPREAD * (
    90 * K**2 * L**2 * LOCAL**2 * DELAY + 3 * DELAY
)
DRIFT_CONDITION = 6 * (2 * K**2 - 3 * K + 1) * L**2 * LOCAL**2
"""The left sides of the printed conditions of Theorems 2 and 3 and of the drift lemma."""


def test_theorem_2_conditions_at_the_papers_scale():
    assert evaluate(CONDITION_A, EXAMPLE) == sympy.Rational(9, 500)
    assert abs(float(evaluate(CONDITION_B, EXAMPLE)) - 0.00471214) < 1e-8
    assert abs(float(evaluate(CONDITION_3, EXAMPLE | {"num_clients": 10})) - 0.0243616) < 1e-7
    assert evaluate(DRIFT_CONDITION, EXAMPLE) == sympy.Rational(216, 10**6)


@pytest.mark.parametrize(
    ("rounds", "left", "right"), [(2, "5", "2"), (3, "91/3", "4/3"), (4, "205", "1")]
)
def test_theorem_2_fails_more_and_more_with_two_local_steps(rounds, left, right):
    scenario = Scenario(
        "afa-cd",
        Quadratic((1,), (0,)),
        Trace.fresh([[1]] * rounds, local_steps=2),
        start=1,
        local_step_size=10,
        server_step_size="1/20",
    )
    claim = find_claim("afl.thm2")
    values = measure(scenario, [s.name for s in claim.symbols])
    assert values["mean_squared_gradient"] == Fraction(left) == Fraction(9**rounds - 1, 8 * rounds)
    assert evaluate(claim.statement.right, values) == sympy.Rational(right)


def test_gradient_descent_closed_form():
    scenario = Scenario(
        "afa-cd", Quadratic((1,), (0,)), Trace.fresh([[1]] * 5), start=1, local_step_size="1/2"
    )
    assert (
        5 * measure(scenario, ["mean_squared_gradient"])["mean_squared_gradient"]
        == Fraction(8, 3) * (1 - Fraction(1, 4**5)) / 2
    )


def test_variance_of_afa_cs_with_three_workers_in_turn():
    outcome = ExactRun(round_robin(3, 5, Fraction(1, 10)))
    expected = [
        "1/300",
        "967/90000",
        "1565327/81000000",
        "1927790687/72900000000",
        "2109657352847/65610000000000",
    ]
    assert outcome.squared_gradients[1:] == [Fraction(x) for x in expected]


def test_moments_of_one_update():
    done = [works(linear(1), Fraction(1), Fraction(1, 10), steps) for steps in range(1, 5)]
    assert [mean([(w.update - w.exact) ** 2 for w in ws]) for ws in done] == [
        Fraction(1, k) for k in range(1, 5)
    ]
    cross = [mean([(w.update - w.exact) * w.exact for w in ws]) for ws in done]
    assert cross == [0, Fraction(-1, 40), Fraction(-29, 900), Fraction(-561, 16000)]


def test_hand_written_paths_agree_with_the_simulation():
    rows, delays = [[1, 1], [1, 0]], [[0, 0], [1, 0]]
    problem = Quadratic((1, 2), (0, 3), noise_squared=1)
    trace = Trace.with_delays(rows, delays, local_steps=2)
    scenario = Scenario(
        "afa-cd", problem, trace, start=1, local_step_size="1/3", server_step_size=2
    )
    arrivals = (((0, 0, 2), (1, 0, 2)), ((0, 1, 2),))
    sizes = {"local_step_size": Fraction(1, 3), "server_step_size": Fraction(2)}
    runs = list(histories([linear(1), linear(2, -6)], arrivals, start=Fraction(1), **sizes))
    slope = [(3 * h.models[2] - 6) / 2 for h in runs]
    assert mean([s**2 for s in slope]) == ExactRun(scenario).squared_gradients[2]


def test_stationary_error_when_the_larger_noise_arrives():
    step = Fraction(1, 100)
    # E x = -1/2, E x^2 = (1-g)^2 E x^2 - (1-g) g E x + g^2
    assert ((1 - step) * step / 2 + step**2) / (1 - (1 - step) ** 2) == Fraction(101, 398)


def test_theorem_4_where_its_hypotheses_start_and_where_they_contradict():
    right = find_claim("afl.thm4").statement.right
    assert [first_horizon(m, last=360) for m in (1, 4, 10, 100)] == [453, 939, 1830, 14817]
    assert [first_horizon(m) for m in (1, 4, 10, 100)] == [450, 935, 1825, 14810]
    for clients, rounds in ((1, 57), (4, 227), (10, 567), (100, 5661)):
        sides = [
            evaluate(right, at_rate(clients, t)) < sympy.Rational(2, clients)
            for t in (rounds - 1, rounds)
        ]
        assert sides == [False, True]


def test_inclusion_probabilities_of_the_biased_arrivals():
    known = inclusion_probabilities(SHARES, 5)
    assert (
        known[9]
        == Fraction(169475612584424351, 2394158046364964880)
        == race_probability(SHARES, 5, 9)
    )
    assert [round(float(p), 9) for p in known] == [0.781095595] * 2 + [0.549372420] * 6 + [
        0.070787145
    ] * 2
    assert round(float(2 * (known[0] - known[9]) / 5), 6) == 0.284123
    assert round(float((2 * (known[0] - known[9]) / 5) ** 2), 6) == 0.080726


def test_facts_of_the_tables():
    against = {
        c: [Fraction(r[c]) - Fraction(r["sync_const"]) for r in TABLE2] for c in VARIANTS[1:]
    }
    spans = {c: (min(d), max(d), round(float(sum(d) / len(d)), 5)) for c, d in against.items()}
    assert spans == {
        "sync_dynamic": (Fraction("-0.0009"), Fraction("0.0267"), 0.00573),
        "async_const": (Fraction("-0.0155"), Fraction("0.0084"), -0.00147),
        "async_dynamic": (Fraction("-0.0124"), Fraction("0.0132"), 0.00139),
    }
    prox, scaffold = (
        [Fraction(r[f"AFL_{c}"]) - Fraction(r[c]) for r in TABLE3] for c in ("FedProx", "SCAFFOLD")
    )
    assert (sum(d < 0 for d in prox), min(prox), round(float(sum(prox) / 13), 5)) == (
        10,
        Fraction("-0.0140"),
        -0.00142,
    )
    assert (sum(d < 0 for d in scaffold), min(scaffold), max(scaffold)) == (
        7,
        Fraction("-0.0279"),
        Fraction("0.2294"),
    )
