"""Known values: gradient descent for all step sizes, the sharp limits of methods with memory, and
their optimal rate."""

from fractions import Fraction

import numpy as np
import pytest

from fltheory import InvalidInput, forever

MU = Fraction(1, 10)


@pytest.mark.parametrize("step", ["1/10", "1", "3/2", "20/11", "19/10", "199/100"])
def test_gradient_descent_has_its_known_rate_for_every_step_size(step: str) -> None:
    found = forever("fedavg", staleness=0, strong_convexity=MU, step_size=step)
    eta = Fraction(step)
    known = max((1 - eta * MU) ** 2, (1 - eta) ** 2)
    assert found.status == "CERTIFIED"
    assert isinstance(found.rate, Fraction)
    assert 0 < found.rate - known <= (1 - known) / 10**5
    assert found.constant == 1


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mifa", "mifa-difference", "fedlaavg", "afa-cs"])
def test_methods_with_memory_have_the_rate_of_gradient_descent_up_to_the_known_step(
    method: str,
) -> None:
    for staleness in (1, 3):
        step = Fraction(99, 100) * 2 / (1 + MU) / (staleness + 1)
        found = forever(method, staleness=staleness, strong_convexity=MU, step_size=step)
        known = (1 - step * MU) ** 2
        assert isinstance(found.rate, Fraction)
        assert 0 < found.rate - known <= (1 - known) / 2000


@pytest.mark.slow
@pytest.mark.parametrize("staleness", [1, 2, 3, 5, 10])
def test_the_largest_step_is_sharp(staleness: int) -> None:
    found = forever("mifa", staleness=staleness, strong_convexity=MU, largest_step=True)
    assert found.breaks_at == Fraction(2, staleness + 1)
    assert found.largest_step is not None
    assert Fraction(995, 1000) <= found.largest_step / found.breaks_at < 1
    assert found.broken_by is not None
    assert found.broken_by.endswith("1" + " 0" * staleness + " repeated")


@pytest.mark.parametrize("staleness", [0, 1, 3])
def test_the_same_limit_holds_without_convexity(staleness: int) -> None:
    found = forever("fedlaavg" if staleness else "fedavg", staleness=staleness, convex=False,
                    largest_step=True)  # fmt: skip
    assert found.breaks_at == Fraction(2, staleness + 1)
    assert found.largest_step is not None
    assert found.largest_step / found.breaks_at > Fraction(995, 1000)


def test_units_do_not_matter() -> None:
    one = forever("mifa", staleness=2, strong_convexity="1/10", step_size="1/2")
    other = forever("mifa", staleness=2, smoothness=8, strong_convexity="8/10", step_size="1/16")
    assert one.rate == other.rate


def test_a_step_beyond_the_limit_gives_no_bound() -> None:
    found = forever("mifa", staleness=3, strong_convexity=MU, step_size="51/100")
    assert (found.status, found.rate, found.certificate) == ("NONE_FOUND", None, None)
    assert "does not show that there is none" in found.means


def test_a_method_that_does_not_fit_says_why() -> None:
    with pytest.raises(InvalidInput, match="does not average over all clients"):
        forever("fedavg", staleness=1, strong_convexity=MU, step_size="1/10")


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"staleness": -1}, "staleness must be a whole number from 0"),
        ({"staleness": None}, "or delay is required"),
        ({"step_size": 0}, "step size must be above 0"),
        ({"step_size": None}, "step size is required"),
        ({"strong_convexity": 2}, "strong convexity must lie in"),
        ({"strong_convexity": 0, "target": "distance"}, "strong convexity must be above 0"),
        ({"target": "speed"}, "target must be one of distance, gradient"),
        ({"local_steps": 0}, "local steps must be a whole number from 1"),
        ({"staleness": 0, "cold_start": True}, "at least 1 for a cold start"),
        ({"all_steps": True, "step_size": 2}, "largest step size of the box must be below 2/L"),
        ({"all_steps": True, "strong_convexity": 0}, "strong convexity must lie between 0"),
    ],
)
def test_bad_input_is_refused_by_name(change: dict, rule: str) -> None:
    given = {"staleness": 3, "strong_convexity": "1/10", "step_size": "1/4"} | change
    with pytest.raises(InvalidInput, match=rule):
        forever("mifa", **given)


def test_local_steps_have_a_floor_that_vanishes_with_the_dissimilarity() -> None:
    found = forever("mifa", staleness=1, strong_convexity=MU, step_size="1/20", local_steps=2)
    assert found.status == "CERTIFIED"
    assert found.floor is not None
    assert 0 < found.floor < 1
    assert found.statement is not None
    assert "D is the mean of |grad f_i(x*)|^2" in found.statement


def test_a_cold_start_costs_a_constant_and_no_floor() -> None:
    found = forever("mifa", staleness=2, strong_convexity=MU, step_size="1/4", cold_start=True)
    assert found.status == "CERTIFIED"
    assert found.floor == 0
    assert found.spread is not None
    assert found.spread > 0


@pytest.mark.slow
@pytest.mark.parametrize("chance", ["9/10", "1/2", "1/4"])
def test_random_availability_is_stable_up_to_the_exact_limit_in_mean_square(chance: str) -> None:
    p = Fraction(chance)
    found = forever("mifa", probability=chance, strong_convexity=MU, largest_step=True)
    assert found.breaks_at == pytest.approx(float(2 * p / (2 - p)), rel=1e-5)
    assert found.gap is not None
    assert found.gap < 0.005


@pytest.mark.slow
def test_windows_know_more_than_their_largest_gap() -> None:
    window = forever("mifa", window=3, strong_convexity=MU, largest_step=True)
    gap = forever("mifa", staleness=4, strong_convexity=MU, largest_step=True)
    assert window.largest_step is not None
    assert gap.largest_step is not None
    assert window.largest_step > gap.largest_step


@pytest.mark.slow
def test_a_pattern_of_one_delivery_has_the_limit_of_its_gap() -> None:
    found = forever("mifa", pattern="100", strong_convexity=MU, largest_step=True)
    assert found.breaks_at == Fraction(2, 3)
    assert found.gap is not None
    assert found.gap < 0.005


@pytest.mark.parametrize(
    ("delay", "step", "noise", "dissimilarity"), [(0, "1/2", 0.5, 1.0), (1, "1/3", 0.7804, 1.3316)]
)
def test_arrivals_have_the_known_constants(
    delay: int, step: str, noise: float, dissimilarity: float
) -> None:
    found = forever("afa-cd", delay=delay, convex=False, step_size=step)
    assert found.constant == 2
    assert found.noise_factor == pytest.approx(noise, abs=1e-3)
    assert found.dissimilarity_factor == pytest.approx(dissimilarity, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.1, 0.25, 0.5])
def test_floors_of_turns_are_near_the_quadratic_limit_cycle(step: float) -> None:
    word, worst = "ABBB", 0.0
    for a in (0.1, 1.0):
        for b in (0.1, 1.0):
            factor, shift = 1.0, 0.0
            for group in word:
                curvature, slope = (a, 1) if group == "A" else (b, -1)
                factor *= 1 - step * curvature
                shift = shift * (1 - step * curvature) - step * slope
            worst = max(worst, abs(shift / (1 - factor)))
    found = forever("fedavg", pattern=word, strong_convexity=MU, step_size=step)
    assert found.floor is not None
    assert worst <= float(found.floor) ** 0.5 <= 1.01 * worst


def test_languages_contradict_by_name() -> None:
    with pytest.raises(InvalidInput, match="language of availability must be given once"):
        forever("mifa", staleness=1, window=2, strong_convexity=MU, step_size="1/4")
    with pytest.raises(InvalidInput, match="pattern must be a word of 0 and 1"):
        forever("mifa", pattern="11", strong_convexity=MU, step_size="1/4")
    with pytest.raises(InvalidInput, match=r"probability must lie in \(0, 1\)"):
        forever("mifa", probability=2, strong_convexity=MU, step_size="1/4")
    with pytest.raises(InvalidInput, match="no potential of the gradient yet"):
        forever("mifa", probability="1/2", step_size="1/4")


@pytest.mark.parametrize(
    "method", ["scaffold", "async", "importance-sampling", "partial-work", "sequential-sgd"]
)
def test_other_methods_are_refused_with_a_reason(method: str) -> None:
    with pytest.raises(InvalidInput):
        forever(method, staleness=1, strong_convexity=MU, step_size="1/10")


@pytest.mark.slow
@pytest.mark.parametrize("staleness", [0, 1, 3, 10])
@pytest.mark.parametrize("falling", [False, True])
def test_one_proof_covers_all_steps_and_condition_numbers(staleness: int, falling: bool) -> None:
    method = "mifa" if staleness else "fedavg"
    largest = Fraction(3, 2) / (staleness + 1)
    found = forever(
        method,
        staleness=staleness,
        strong_convexity=MU,
        step_size=largest,
        all_steps=True,
        falling=falling,
    )
    assert (found.status, found.rate) == ("CERTIFIED", 1)
    assert found.statement is not None
    assert "(1 - eta_t mu) |x_0 - x*|^2" in found.statement


@pytest.mark.slow
def test_a_box_beyond_the_limit_is_not_proved() -> None:
    found = forever("mifa", staleness=3, strong_convexity=MU, step_size="51/100", all_steps=True)
    assert found.certificate is None
    assert found.why == "at the largest step size the method does not converge on a quadratic"


def test_falling_steps_need_updates_without_steps_of_their_own() -> None:
    with pytest.raises(InvalidInput, match="keeps the step size of its own round"):
        forever(
            "fedlaavg",
            staleness=2,
            strong_convexity=MU,
            step_size="1/4",
            all_steps=True,
            falling=True,
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "language"),
    [
        ("importance-sampling", {"probability": "1/2"}),
        ("importance-sampling", {"pattern": "100"}),
        ("async", {"pattern": "100"}),
        ("fedfix", {"window": 2}),
    ],
)
def test_fixed_weights_leave_a_floor_that_shrinks_with_the_step(
    method: str, language: dict
) -> None:
    floors = []
    for step in ("1/10", "1/40"):
        found = forever(method, strong_convexity=MU, step_size=step, **language)
        assert found.status == "CERTIFIED"
        assert found.floor is not None
        floors.append(found.floor)
    assert 0 < 3 * floors[1] < floors[0]


def test_importance_sampling_is_above_its_exact_floor() -> None:
    """Two clients that deliver together with probability p, with slopes 1 and -1: nothing moves.
    One client's deliveries are independent of the other's: E x^2 has an exact fixed point."""
    p, eta, mu = 0.5, 0.1, 0.1
    found = forever("importance-sampling", probability="1/2", strong_convexity=MU, step_size="1/10")
    assert found.floor is not None
    keep = 1 - eta * mu / p * np.array([0, 0.5, 0.5, 1.0])
    push = eta / p * np.array([0, 0.5, -0.5, 0])
    exact = np.mean(push**2) / (1 - np.mean(keep**2))
    assert exact <= found.floor


def test_scaffold_is_gradient_descent_with_one_local_step_and_does_not_fit_with_more() -> None:
    found = forever("scaffold", staleness=0, strong_convexity=MU, step_size="1/2")
    assert found.rate == pytest.approx(0.95**2, abs=1e-6)
    with pytest.raises(InvalidInput, match="depends on what other clients sent"):
        forever("scaffold", staleness=0, strong_convexity=MU, step_size="1/4", local_steps=2)
