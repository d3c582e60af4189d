"""A claim that fails without a condition says so: each false form is computed, exactly."""

from fractions import Fraction as F
from itertools import pairwise, product

from fltheory.papers import find_claim
from fltheory.papers.fraboni.checks.example1 import cycle_of
from fltheory.papers.fraboni.checks.example2 import in_turn


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
