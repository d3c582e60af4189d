"""Floors of noise: exact stationary moments on quadratics never exceed them."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory import InvalidInput, forever
from fltheory.analysis.potentials.noise import separation
from tests.analysis.potentials.examples import answered, standalone

MU = Fraction(1, 10)


def together(step: float, curvature: float, staleness: int) -> float:
    """N E x^2 before a delivery and in between, when all clients deliver together."""
    whole = (staleness + 1) * step
    at = whole**2 / (1 - (1 - whole * curvature) ** 2)
    between = [
        (1 - j * step * curvature) ** 2 * at + (j * step) ** 2 for j in range(1, staleness + 1)
    ]
    return max([at, *between])


def by_turns(step: float, curvature: float, clients: int) -> float:
    """Stationary N E x^2 when clients deliver one after the other, by doubling the sum."""
    size = 1 + clients
    total, noise = np.eye(size), np.zeros((size, size))
    for k in range(clients):
        fresh, move, drawn = np.eye(size), np.eye(size), np.zeros(size)
        fresh[1 + k], move[0, 1:], drawn[1 + k] = 0, -step / clients, 1
        fresh[1 + k, 0] = curvature
        turn = move @ fresh
        total, noise = turn @ total, turn @ noise @ turn.T + np.outer(move @ drawn, move @ drawn)
    for _ in range(60):
        noise = noise + total @ noise @ total.T
        total = total @ total
    return clients * float(noise[0, 0])


@pytest.mark.parametrize("staleness", [0, 1, 3])
@pytest.mark.parametrize("part", [Fraction(1, 100), Fraction(1, 10), Fraction(1, 2)])
def test_exact_floors_are_below_the_proved_one(staleness: int, part: Fraction) -> None:
    step = part / (staleness + 1)
    found = forever(
        "mifa" if staleness else "fedavg",
        staleness=staleness,
        strong_convexity=MU,
        step_size=step,
        noise=1,
    )
    assert found.noise_factor is not None
    exact = max(
        together(float(step), float(MU), staleness),
        by_turns(float(step), float(MU), staleness + 1),
    )
    assert exact * (1 - 1e-9) <= found.noise_factor <= 1.4 * exact
    if not staleness:
        assert found.noise_factor <= 1.0001 * exact


def test_the_floor_is_the_same_in_the_standalone_sentence() -> None:
    says = standalone().check(answered("mifa").document)
    assert "s^2/N more" in says
    assert separation(Fraction(1, 2), 3) == Fraction(19, 4)


def test_noise_needs_a_language_that_does_not_react() -> None:
    with pytest.raises(InvalidInput, match="needs a staleness"):
        forever("mifa", probability="1/2", strong_convexity=MU, step_size="1/4", noise=1)


def test_amounts_make_the_limit_a_number() -> None:
    found = forever(
        "mifa", staleness=1, strong_convexity=MU, step_size="1/8", noise="1/4", clients=100
    )
    assert found.noise_factor is not None
    assert found.limit == found.noise_factor / 400
    late = forever(
        "afa-cd", delay=1, convex=False, step_size="1/3", noise=2, dissimilarity=3, clients=4
    )
    assert late.noise_factor is not None
    assert late.dissimilarity_factor is not None
    assert late.limit == late.noise_factor / 2 + 3 * late.dissimilarity_factor
    untold = forever("afa-cd", delay=1, convex=False, step_size="1/3", noise=2)
    assert (untold.status, untold.limit) == ("CERTIFIED", None)


@pytest.mark.parametrize(
    ("amounts", "told"),
    [
        ({"noise": -1}, "noise must be at least 0"),
        ({"dissimilarity": "-1/2"}, "dissimilarity must be at least 0"),
        ({"clients": 0}, "clients must be a whole number above 0"),
        ({"clients": 1.5}, "clients must be of type int"),
    ],
)
def test_bad_amounts_are_told_by_name(amounts: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        forever("mifa", staleness=1, strong_convexity=MU, step_size="1/8", **amounts)
