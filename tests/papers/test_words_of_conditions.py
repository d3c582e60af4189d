"""A claim that fails without a condition says so: each false form is computed, exactly."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise, product

import pytest
import sympy

from fltheory import Quadratic
from fltheory.claims.claim import Claim, Order, evaluate
from fltheory.claims.evidence import Verdict
from fltheory.ledger.lines import read, verdicts
from fltheory.ledger.public import explain
from fltheory.ledger.runner import ledger_file
from fltheory.papers import all_claims, find_claim
from fltheory.papers.fraboni.checks.example1 import cycle_of
from fltheory.papers.fraboni.checks.example2 import in_turn

LINES = read(ledger_file())
VERDICTS = verdicts(LINES)


def assumed(name: str) -> set[str]:
    """The ids of a claim's hypotheses."""
    return {assumption.id for assumption in find_claim(name).assumes}


def test_arrivals_that_see_the_noise_make_the_aggregate_biased():
    outcomes = [max(noises) for noises in product((-1, 1), repeat=2)]
    assert F(sum(outcomes), 4) == F(1, 2)
    assert "afl.asm4-implicit" in assumed("afl.asm2.everyone")


def test_two_local_steps_of_full_length_leave_the_worker_where_it_was():
    start, gap, model = F(3), F(1), F(3)
    for _ in range(2):
        model -= 2 * (model + gap)
    assert model == start != -gap
    assert "eta_L below 1" in find_claim("afl.rem2.attained").says


def test_local_steps_change_the_noise_that_workers_in_turn_leave():
    def stationary(steps: int, step: F) -> F:
        """E x^2/g of one worker on x^2/2, whose update is the mean of its noisy local steps."""
        local = F(1, 10**6)
        factor = 1 - step / (steps * local) * (1 - (1 - local) ** steps)
        noise = sum((step / steps * (1 - local) ** k) ** 2 for k in range(steps))
        return noise / (1 - factor**2) / step

    one, two = stationary(1, F(1, 10**4)), stationary(2, F(1, 10**4))
    assert abs(one - F(1, 2)) < F(1, 10**3) < abs(two - F(1, 2))
    assert "one local step" in find_claim("afl.cor3.rate").says


def test_a_slow_client_of_small_importance_has_a_small_weight():
    times, parts = (1, 5), (1 - F(1, 10**6), F(1, 10**6))
    weights = [sum(F(1, t) for t in times) * t * p for t, p in zip(times, parts, strict=True)]
    assert weights[1] < 1 < weights[0]
    for name in ("fraboni.exp.weights", "fraboni.exp.weights.fast"):
        assert "equal importances" in find_claim(name).says


def test_sums_of_prefixes_need_numbers_that_are_not_negative():
    numbers = (1, -1, 0)
    sums = sum(k * sum(numbers[:k]) for k in range(3))
    assert sums > (3 - 1) ** 2 * sum(numbers[:-1])
    for name in ("fraboni.eq23", "fraboni.eq23.corrected", "fraboni.eq23.sharp"):
        assert "not negative" in find_claim(name).says


def test_a_sequence_that_feeds_itself_needs_input_that_is_not_negative():
    inputs, sequence = (F(1), F(-1)), [F(0)]
    for given in inputs:
        sequence.append(sequence[-1] / 2 + given)
    assert sum(sequence) > 2 * sum(inputs)
    assert "not negative" in find_claim("fraboni.eq29").says


def test_large_weights_keep_the_model_away_from_its_two_points():
    assert cycle_of(in_turn((F(3), F(3)), F(1))).stable is not True
    assert "ex2.stable" in assumed("fraboni.ex2.gap")
    assert "ex2.stable-equal" in assumed("fraboni.ex2.mean")


TURNS = ((1, 1), (0, 0), (0, 0), (0, 1), (0, 0), (1, 0), (0, 0), (0, 0), (0, 1), (0, 0), (1, 0))
"""Two clients, nobody more than five rounds old."""


def test_the_distance_to_the_optimum_may_rise_while_its_bound_falls():
    model, memory, squares = F(1, 2) + F(1, 100), [F(0), F(0)], [F(1, 10**4)]
    for row in (*TURNS, (1, 0), (0, 1)):
        memory = [model - i if row[i] else memory[i] for i in range(2)]
        model -= F(1, 6) * sum(memory) / 2
        squares.append((model - F(1, 2)) ** 2)
    assert any(later > earlier for earlier, later in pairwise(squares))
    factor = 1 - F(1, 6) * F(1, 10)
    assert all(square <= squares[0] * factor**n for n, square in enumerate(squares))
    assert "in every round" not in find_claim("mifa.potential.distance").says


def test_what_a_bound_says_of_its_right_side_says_what_holds_of_the_run():
    for name in ("fraboni.cor2", "fraboni.eq11"):
        assert "thm3.learning_rate" in find_claim(name).note
    assert "0/0" in find_claim("fedlaavg.thm3.fullpart").note


def test_the_average_staleness_of_the_lower_bound_is_that_of_a_period():
    ages = [F(sum(range(period)), period) for period in (1, 2, 3, 4)]
    assert ages == [0, F(1, 2), 1, F(3, 2)]
    assert "taubar = 0, 1/2, 1, 3/2" in find_claim("mifa.prop5.1").says


def test_noise_that_is_drawn_once_is_unbiased_everywhere_and_is_never_averaged():
    step, rounds = F(1, 25), 1000
    passed = [(1 - (1 - step) ** t) ** 2 / 2 for t in range(rounds)]
    claim = find_claim("mifa.thm5.1.convex")
    values = {
        "local_steps": 1, "local_step_size": step, "num_clients": 1, "smoothness": 1,
        "gradient_noise": 1, "mean_staleness": 0, "dissimilarity_at_optimum": 0,
        "initial_distance": 0, "num_rounds": rounds - 1,
    }  # fmt: skip
    assert sum(passed) / rounds > evaluate(claim.statement.right, values)
    assert "mifa.fresh-samples" in assumed(claim.id)


def test_a_client_that_comes_when_its_own_batch_says_so_misses_the_optimum():
    step, rounds = F(1, 1000), 10**4
    factor = (1 + (1 - 2 * step) ** 2) / 2
    # each power is exact and then rounded: a difference of such long fractions takes seconds
    squares = (float(factor**n) - 2 * float((1 - step) ** n) + 1 for n in range(0, rounds, 100))
    assert sum(squares) / 100 / 2 > 100 * (33 * step / 16 + 2 * step)
    for name in ("thm1.best", "thm1.best.server", "cor1.best", "thm2.best", "thm3.windows"):
        assert "blind-batches" in assumed(f"fraboni.{name}")


def test_gradients_that_are_bounded_at_every_point_may_be_larger_along_a_run():
    smoothness, model, length = F(5, 13), F(0), F(1)
    for _ in range(2):  # one draw for ever, by symmetry +1: the gradient is that of the draw
        model -= length
        length = -smoothness * model + F(12, 13)
    other = -smoothness * F(-1) - F(12, 13)
    assert (F(17, 13) ** 2 + other**2) / 2 == 1  # E |grad F|^2 at the model after one iteration
    assert (smoothness * model) ** 2 > 2**2 * smoothness**2
    for name in ("fedlaavg.lem4", "fedlaavg.cor2"):
        assert "fedlaavg.samples" in assumed(name)


UNBIASED = {"mifa.ass2", "afl.asm2", "fedlaavg.noise", "fedlaavg.bounded", "unbiased"}
FRESH = {"mifa.fresh-samples", "afl.fresh-samples", "fedlaavg.samples", "blind-batches"}


@pytest.mark.parametrize("name", [c for c in all_claims() if assumed(c) & UNBIASED])
def test_what_holds_of_noisy_runs_needs_fresh_samples(name: str):
    at_a_point = {"fraboni.lem7", "fraboni.eq32.optimum.corrected"}
    if VERDICTS[name] in (Verdict.PROVED, Verdict.SUPPORTED) and name not in at_a_point:
        assert assumed(name) & FRESH


def test_windows_are_no_shorter_than_the_clients_are_many_unless_they_have_the_same_data():
    rounds = sympy.Symbol("rounds", positive=True)
    clients = rounds ** sympy.Rational(1, 4)
    printed = find_claim("fraboni.lit").statement.left
    ones = dict.fromkeys(printed.free_symbols, 1)
    by_name = {s.name: s for s in printed.free_symbols}
    grown = {by_name["num_rounds"]: rounds, by_name["num_clients"]: clients}
    left = printed.subs(ones | grown | {by_name["balance_period"]: clients})
    assert sympy.limit(left * sympy.sqrt(rounds), rounds, sympy.oo) == sympy.oo
    claim = find_claim("fraboni.lit.corrected")
    assert "the same data" in claim.says
    assert "balance_period" not in {s.name for s in claim.symbols}


def test_clients_with_one_optimum_reach_it_with_any_weights():
    unlike = in_turn((F(1), F(2)), F(1, 10))
    alike = cycle_of(replace(unlike, problem=Quadratic((1, 1), (0, 0))))
    assert alike.stable
    assert {model for (model,) in alike.cycle or ()} == {0}
    assert "optima differ" in find_claim("fraboni.ex2.iff.corrected").says


def test_a_step_of_full_length_ends_every_even_period_where_it_began():
    start, first, second = F(5), F(1), F(3)
    model = start
    for centre in (first, first, second, second):
        model -= 2 * (model - centre)
    assert model == start
    assert "forgets its start" in find_claim("fedlaavg.thm1.stepsize").says


def test_devices_that_are_always_there_have_the_mean_staleness_of_the_limit():
    assert (
        evaluate(
            find_claim("mifa.def5.2.average").statement.right,
            {"availability_probability": 1, "num_rounds": 5},
        )
        == 0
    )
    assert "at most 1/p - 1" in find_claim("mifa.def5.2.average").says


def test_ties_in_changing_order_cost_a_round_more():
    order, since, delay = (0, 1, 1, 0, 0, 1, 1, 0), [0, 0], 0
    for round_, client in enumerate(order):
        delay = max(delay, round_ - since[client])
        since[client] = round_ + 1
    assert delay == 2 > (2 - 1) * 1
    for name in ("fraboni.tab2.tau.async", "fraboni.tab2.tau.async.sharp"):
        assert "in the same order" in find_claim(name).says


def test_two_devices_that_only_come_together_share_the_weight_evenly():
    chance = F(1, 2)
    assert chance * F(1, 2) != chance * (1 - chance / 2)
    assert "independently of each other" in find_claim("mifa.alg.biased.bias").says


def test_without_noise_a_long_wait_may_be_worth_it():
    assert "in the leading term" in find_claim("mifa.eq3.comparison.corrected").says


ORDERS = [c for c in all_claims().values() if isinstance(c.statement, Order)]


@pytest.mark.parametrize("claim", ORDERS, ids=[claim.id for claim in ORDERS])
def test_an_order_names_what_its_constant_depends_on(claim: Claim):
    told = [line.evidence.scope.everything for line in LINES if line.evidence.claim == claim.id]
    constants = [text.split("the constant of the order is ")[1].split(";")[0]
                 for text in told if "the constant of the order is " in text]  # fmt: skip
    assert isinstance(claim.statement, Order)
    for constant in constants:
        assert bool(sympy.sympify(constant).free_symbols) == bool(claim.statement.hides)


def test_the_page_says_what_an_order_hides():
    assert "depends on L, σ_L and f_0 - f* and on nothing else" in " ".join(
        str(explain("afl.cor1")).split()
    )
    assert "one constant for all admissible instances" in " ".join(
        str(explain("mifa.thm6.1")).split()
    )
