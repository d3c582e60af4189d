"""Availability that reacts to the noise: a device that skips one round after positive noise breaks
Theorems 5.1 and 6.1.

One device, f = w^2/2, noise +1 or -1 with equal chance, one local step. Positive noise is used
twice and negative noise once, so the mean of the used noise is (2 * 1/2 - 1/2)/(3/2) = 1/3 and the
model goes to -1/3. Rounds in which the device is active renew the chain, so its exact moments obey
a recursion over two rounds.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count, islice
from typing import NamedTuple

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.proof import ProofStep, check_proof
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Formula, Scalar
from fltheory.papers.mifa.paper import ROUNDS

OFFSET = 100


class AdaptiveMoments(NamedTuple):
    """Mass, mean and mean square of the model, over the paths in which the device is active."""

    mass: Fraction
    mean: Fraction
    square: Fraction

    def moved(self, keep: Fraction, shift: Fraction) -> "AdaptiveMoments":
        """Under w -> keep w + shift."""
        return AdaptiveMoments(
            self.mass,
            keep * self.mean + shift * self.mass,
            keep**2 * self.square + 2 * keep * shift * self.mean + shift**2 * self.mass,
        )

    def half(self) -> "AdaptiveMoments":
        return AdaptiveMoments(self.mass / 2, self.mean / 2, self.square / 2)

    def __add__(self, other: tuple[Fraction, ...]) -> "AdaptiveMoments":  # type: ignore[override]
        return AdaptiveMoments(*(a + b for a, b in zip(self, other, strict=True)))


NOTHING = AdaptiveMoments(Fraction(0), Fraction(0), Fraction(0))


def skipping_device(
    step_size: Callable[[int], Fraction | Formula], start: Fraction | Formula
) -> Iterator[AdaptiveMoments]:
    """Exact E[1], E[w_t], E[w_t^2] for t = 1, 2, ...: noise -1 moves the active paths once, noise
    +1 twice with the same update."""
    active, waiting, before = AdaptiveMoments(Fraction(1), start, start**2), NOTHING, NOTHING
    last = Fraction(0)
    for t in count(1):
        yield active + waiting
        now = step_size(t)
        fresh = active.half()
        # w - now (w - 1); w - now (w + 1), to be used once more; and those who skipped, from
        # before: w - (last + now)(w + 1)
        down, up = fresh.moved(1 - now, now), fresh.moved(1 - now, -now)
        back = before.moved(1 - last - now, -(last + now))
        active, waiting, before, last = down + back, up, fresh, now


UNIT: dict[str, Scalar] = dict.fromkeys(
    ("max_staleness", "gradient_noise", "smoothness", "num_clients", "local_steps"), 1
)
STRONGLY_CONVEX = UNIT | {
    "mean_staleness": Fraction(1, 2),
    "strong_convexity": 1,
    "dissimilarity_at_optimum": 0,
    "initial_gap": 1,
    "initial_distance": 1,
}
"""The constants of Theorem 5.1 for the skipping device."""
NONCONVEX = UNIT | {
    "mean_client_max_staleness": 1,
    "initial_loss_gap": Fraction(1, 2),
    "dissimilarity_slope": 1,
    "dissimilarity_offset": Fraction(1, 100),
    "hessian_smoothness": 0,
    "noise_bound": 1,
}
"""The constants of Theorem 6.1 for the skipping device."""
SIZES = sympy.symbols("eta1:8", positive=True)


def mean_by_renewals(count: int) -> list[sympy.Expr]:
    """E w_1 + 1/3, ..., as formulas in eta_1 >= eta_2 >= ..., by the rule that the proof uses, from
    w_1 = -1.

    alpha_t is the mean of w_t + 1/3 over the paths that are active, a_t their chance:
    alpha_{t+1} = (1 - eta_t) alpha_t/2 + (1 - eta_{t-1} - eta_t) alpha_{t-1}/2 + 2 eta_t a_t/3 -
    (eta_{t-1} + eta_t) a_{t-1}/3.
    """
    sizes = (SIZES[0], *SIZES)  # eta_0 does not matter: nobody waits in round 1
    alpha, mass, found = [sympy.S.Zero, -sympy.Rational(2, 3)], [sympy.S.Zero, sympy.S.One], []
    for t in range(1, count + 1):
        before, now = sizes[t - 1], sizes[t]
        found.append(
            alpha[t]
            + ((1 - before) * alpha[t - 1] - sympy.Rational(2, 3) * before * mass[t - 1]) / 2
        )
        alpha.append(
            (1 - now) * alpha[t] / 2
            + (1 - before - now) * alpha[t - 1] / 2
            + sympy.Rational(2, 3) * now * mass[t]
            - (before + now) * mass[t - 1] / 3
        )
        mass.append((mass[t] + mass[t - 1]) / 2)
    return found


def mean_stays_below(claim: Claim) -> Evidence:
    """E w_t <= -1/3 for all t: with z = (-1/2)^t, beta_t = alpha_t - 8 z/9 starts below 0 and is
    only pushed down, so it stays there.

    The mean of w_t + 1/3 is beta_t + (1 - eta_{t-1}) beta_{t-1}/2 + eta_{t-1} (8 z/9 - a_{t-1}/3),
    a sum of numbers that are at most 0.
    """
    z, low = sympy.Symbol("z", real=True), sympy.Symbol("low", nonnegative=True)
    now, fall = sympy.symbols("now fall", nonnegative=True)  # eta_t, and eta_{t-1} - eta_t
    before = now + fall

    def mass(power: sympy.Expr) -> sympy.Expr:
        """a_t where (-1/2)^t = power."""
        return sympy.Rational(2, 3) - 2 * power / 3

    push = (
        sympy.Rational(2, 3) * now * mass(z)
        - (before + now) * mass(-2 * z) / 3
        - sympy.Rational(8, 9) * (-z / 2 - (1 - now) * z / 2 - (1 - before - now) * (-2 * z) / 2)
    )
    part = sympy.Rational(8, 9) * z - mass(-2 * z) / 3
    program = islice(skipping_device(lambda t: SIZES[t - 1], sympy.S.NegativeOne), 6)
    agree = sum(
        abs(sympy.expand(m.mean + sympy.Rational(1, 3) - f))
        for m, f in zip(program, mean_by_renewals(6), strict=True)
    )
    steps = [
        ProofStep("the rule is that of the chain, rounds 1 to 6", agree, equal=True),
        ProofStep("a_0 = 0", mass(sympy.S.One), equal=True),
        ProofStep("a_1 = 1", mass(-sympy.Rational(1, 2)) - 1, equal=True),
        ProofStep(
            "a_{t+1} is the mean of a_t and a_{t-1}",
            mass(-z / 2) - (mass(z) + mass(-2 * z)) / 2,
            equal=True,
        ),
        ProofStep(
            "beta_0 = -8/9 and beta_1 = -2/3 + 4/9 are below 0",
            sympy.Rational(8, 9) * (sympy.Rational(2, 3) - sympy.Rational(4, 9)),
        ),
        ProofStep(
            "beta is pushed by (eta_{t-1} - eta_t) (8 z/9 - a_{t-1}/3)",
            push - fall * part,
            equal=True,
        ),
        ProofStep("8 z/9 <= a_{t-1}/3, for z <= 1/2", -part.subs(z, sympy.Rational(1, 2) - low)),
        ProofStep(
            "the mean splits into those numbers",
            sympy.Rational(8, 9) * (z + (1 - before) * (-2 * z) / 2)
            - before * mass(-2 * z) / 3
            - before * part,
            equal=True,
        ),
        ProofStep(
            "no path is turned round: 1 - eta_{t-1} - eta_t >= 0 for step sizes 1/2 - now and 1/2 -"
            " fall",
            1 - (sympy.Rational(1, 2) - now) - (sympy.Rational(1, 2) - fall),
        ),
        ProofStep(
            "the claim's right side is at most 1/3", sympy.Rational(1, 3) - claim.statement.right
        ),
    ]
    covers = (
        "every t and all step sizes that do not grow and are at most 1/2, from w_1 = -1, by"
        " induction; and exact chains"
    )
    return check_proof(claim, steps, runs=chains(claim), covers=covers)


@by_instances(Method.PROBABILITY, "exact means of three chains over 40 rounds")
def chains() -> Iterator[Instance]:
    """-E w_t of the skipping device for t = 1, ..., 40, from w_1 = -1, with three step sizes
    (Theorem 5.1)."""
    sizes: dict[str, Callable[[int], Fraction]] = {
        "4/(t + 100)": lambda t: Fraction(4, t + OFFSET),
        "1/10": lambda t: Fraction(1, 10),
        "1/2": lambda t: Fraction(1, 2),
    }
    for says, size in sizes.items():
        models = islice(skipping_device(size, Fraction(-1)), 40)
        for t, moments in enumerate(models, start=1):
            yield Instance({"mean_shortfall": -moments.mean}, f"step size {says}, t = {t}")


def limit_of_strongly_convex(claim: Claim) -> Evidence:
    """The weights of wbar_T are positive, so E wbar_T <= -1/3 and the gap is at least (1/3)^2/2."""
    derived = {name: sympy.Rational(str(value)) for name, value in STRONGLY_CONVEX.items()}
    return check_order_limit(
        claim,
        derived=derived | {"weighted_loss_gap": sympy.Rational(1, 18)},
        variable=ROUNDS,
        covers=(
            "a device that skips one round after positive noise, from w_1 = -1: the gap is at least"
            " 1/18 for every T by mifa.adaptive.mean, taubar at most 1/2; T grows"
        ),
    )


def limit_of_nonconvex(claim: Claim) -> Evidence:
    """E |grad f(w_t)|^2 = E w_t^2 >= (E w_t)^2."""
    derived = {name: sympy.Rational(str(value)) for name, value in NONCONVEX.items()}
    return check_order_limit(
        claim,
        derived=derived | {"min_squared_gradient": sympy.Rational(1, 9)},
        variable=ROUNDS,
        covers=(
            "a device that skips one round after positive noise, from w_1 = -1: E |grad f|^2 is at"
            " least 1/9 in every round by mifa.adaptive.mean; T grows"
        ),
    )


CHECKS = (
    Check(
        "mifa.adaptive.mean",
        mean_stays_below,
        everything="an induction over all rounds, for all step sizes that the claim names",
    ),
    Check("mifa.thm5.1.adaptive", limit_of_strongly_convex, rests_on=("mifa.adaptive.mean",)),
    Check("mifa.thm6.1.adaptive", limit_of_nonconvex, rests_on=("mifa.adaptive.mean",)),
)
