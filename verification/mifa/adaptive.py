"""Availability that reacts to the noise: a device that skips one round after positive noise breaks Theorems 5.1 and 6.1.

One device, f = w^2/2, noise +1 or -1 with equal chance, one local step. Positive noise is used twice and negative noise once, so the
mean of the used noise is (2 * 1/2 - 1/2)/(3/2) = 1/3 and the model goes to -1/3. Rounds in which the device is active renew the
chain, so its exact moments obey a recursion over two rounds.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count
from math import isqrt
from typing import NamedTuple

import sympy

from fltheory.checks.check import Check
from fltheory.checks.instances import Instance
from fltheory.checks.sweep import check_order_limit, check_order_sweep
from fltheory.claims import Claim, letter
from fltheory.evidence import Evidence
from fltheory.papers.mifa.paper import ROUNDS

OFFSET = 100


class Moments(NamedTuple):
    """Mass, mean and mean square of the model, over the paths in which the device is active."""

    mass: Fraction
    mean: Fraction
    square: Fraction

    def moved(self, keep: Fraction, shift: Fraction) -> "Moments":
        """Under w -> keep w + shift."""
        return Moments(self.mass, keep * self.mean + shift * self.mass,
                       keep**2 * self.square + 2 * keep * shift * self.mean + shift**2 * self.mass)

    def half(self) -> "Moments":
        return Moments(self.mass / 2, self.mean / 2, self.square / 2)

    def __add__(self, other: tuple[Fraction, ...]) -> "Moments":  # type: ignore[override]
        return Moments(*(a + b for a, b in zip(self, other, strict=True)))


NOTHING = Moments(Fraction(0), Fraction(0), Fraction(0))


def skipping_device(step_size: Callable[[int], Fraction], start: Fraction) -> Iterator[Moments]:
    """Exact E[1], E[w_t], E[w_t^2] for t = 1, 2, ...: noise -1 moves the active paths once, noise +1 twice with the same update."""
    active, waiting, before = Moments(Fraction(1), start, start**2), NOTHING, NOTHING
    last = Fraction(0)
    for t in count(1):
        yield active + waiting
        now = step_size(t)
        fresh = active.half()
        # w - now (w - 1); w - now (w + 1), to be used once more; and those who skipped, from before: w - (last + now)(w + 1)
        down, up = fresh.moved(1 - now, now), fresh.moved(1 - now, -now)
        back = before.moved(1 - last - now, -(last + now))
        active, waiting, before, last = down + back, up, fresh, now


def averaged_means(stops: list[int]) -> Iterator[tuple[int, Fraction]]:
    """(T, E wbar_T) with the step sizes and weights of Theorem 5.1 for a = 100, from the start w_1 = 0."""
    total = weight = Fraction(0)
    for t, moments in enumerate(skipping_device(lambda t: Fraction(4, t + OFFSET), Fraction(0)), start=1):
        share = Fraction((t + OFFSET - 1) * (t + OFFSET - 2))
        total, weight = total + share * moments.mean, weight + share
        if t in stops:
            yield t, total / weight
        if t >= max(stops):
            return


STRONGLY_CONVEX = {"mean_staleness": Fraction(1, 3), "max_staleness": 1, "gradient_noise": 1, "strong_convexity": 1, "smoothness": 1,
                   "num_clients": 1, "local_steps": 1, "dissimilarity_at_optimum": 0, "initial_gap": 1, "initial_distance": 0}
NONCONVEX = {"mean_client_max_staleness": 1, "max_staleness": 1, "gradient_noise": 1, "smoothness": 1, "num_clients": 1, "local_steps": 1,
             "initial_loss_gap": Fraction(1, 2), "dissimilarity_slope": 1, "dissimilarity_offset": Fraction(1, 100),
             "hessian_smoothness": 0, "noise_bound": 1}


def stationary_model() -> sympy.Expr:
    """Where the mean move of a renewal vanishes: (1/2)(w - 1) + (1/2) 2 (w + 1) = 0."""
    model = letter("w")
    (rest,) = sympy.solve((model - 1) / 2 + 2 * (model + 1) / 2, model)
    return rest


def limit_of_strongly_convex(claim: Claim) -> Evidence:
    derived = {name: sympy.Rational(str(value)) for name, value in STRONGLY_CONVEX.items()}
    return check_order_limit(claim, derived=derived | {"weighted_loss_gap": stationary_model() ** 2 / 2}, variable=ROUNDS,
                             covers="a device that skips one round after positive noise: the gap tends to 1/18, taubar to 1/3")


def sweep_of_strongly_convex(claim: Claim) -> Evidence:
    path = [Instance(STRONGLY_CONVEX | {"weighted_loss_gap": mean**2 / 2, "num_rounds": iterates - 1},
                     f"T = {iterates}; the gap is at least (E wbar_T)^2/2") for iterates, mean in averaged_means([20, 60, 180, 540])]
    return check_order_sweep(claim, path,
                             covers="exact means of the skipping device up to T = 540; the gap is at least half the squared mean")


def limit_of_nonconvex(claim: Claim) -> Evidence:
    derived = {name: sympy.Rational(str(value)) for name, value in NONCONVEX.items()}
    return check_order_limit(claim, derived=derived | {"min_squared_gradient": stationary_model() ** 2}, variable=ROUNDS,
                             covers="a device that skips one round after positive noise: E |grad f|^2 tends to 1/9 from above")


def least_squared_gradient(num_iterates: int) -> Fraction:
    """min over t = 1..T of E w_t^2 with eta = sqrt(1/(2 T)), from w_1 = -1; T must be twice a square."""
    size = Fraction(1, 2 * isqrt(num_iterates // 2))
    steps = skipping_device(lambda t: size, Fraction(-1))
    return min(next(steps).square for _ in range(num_iterates))


CHECKS = (
    Check("mifa.thm5.1", limit_of_strongly_convex),
    Check("mifa.thm5.1", sweep_of_strongly_convex),
    Check("mifa.thm6.1", limit_of_nonconvex),
)
